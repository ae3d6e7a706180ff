#include "report/csv.h"

#include <cmath>

namespace sightline::report {
namespace {

std::string_view shape(const Intersection& geometry) {
  constexpr std::string_view kNames[] = {"none", "point", "segment"};
  return geometry.size < 3 ? kNames[geometry.size] : "polygon";
}

// The mean of the corners: a point of the contact, as a contact is convex. Divided first, so that it cannot overflow.
Vec3d middle(const Intersection& geometry) {
  Vec3d sum = {};
  for (const Vec3d& p : geometry.points())
    for (int axis = 0; axis < 3; ++axis) sum[axis] += p[axis] / geometry.size;
  return geometry.size == 1 ? geometry.storage[0] : sum;
}

void append_names(Buffer& text, std::span<const Part> parts, std::uint32_t a, std::uint32_t b) {
  print(text, "{},{},", a, b);
  append_csv(text, parts[a].name);
  append(text, ",");
  append_csv(text, parts[b].name);
}

}  // namespace

CsvContacts::CsvContacts(Output& output, WriteOptions options) : output_(output), options_(std::move(options)) {
  output_.write("part_a,part_b,name_a,name_b,triangle_a,triangle_b,kind,shape,x,y,z\n");
}

void CsvContacts::add(const Contacts& contacts) {
  write_items(output_, contacts.list.size(), options_, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
    for (std::size_t i = begin; i < end; ++i) {
      const Contact& contact = contacts.list[i];
      const Intersection geometry = contacts.geometry(contact);
      const Vec3d p = middle(geometry);
      append_names(bytes, contacts.parts, contact.object_a, contact.object_b);
      print(bytes, ",{},{},{},{},{},{},{}\n", contact.a, contact.b, to_string(contact.kind), shape(geometry), p[0],
            p[1], p[2]);
    }
  });
}

void write_csv_parts(Output& output, std::span<const Part> parts) {
  output.write(
      "part,name,file,triangles,vertices,components,closed,open_edges,nonmanifold_edges,degenerate,duplicates\n");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Buffer text;
    const Facts& facts = parts[i].facts;
    print(text, "{},", i);
    append_csv(text, parts[i].name);
    append(text, ",");
    append_csv(text, parts[i].file);
    print(text, ",{},{},{},{},{},{},{},{}\n", facts.triangles, facts.vertices, facts.components,
          facts.closed ? "yes" : "no", facts.open_edges, facts.nonmanifold_edges, facts.degenerate.size(),
          facts.duplicates);
    output.write(text);
  }
}

void write_csv_pairs(Output& output, std::span<const Part> parts, std::span<const PartPair> pairs) {
  output.write("part_a,part_b,name_a,name_b,relation,inner,gap");
  for (int kind = 0; kind < kKindCount; ++kind) output.write(fmt::format(",{}", to_string(static_cast<Kind>(kind))));
  output.write("\n");
  for (const PartPair& pair : pairs) {
    Buffer text;
    append_names(text, parts, pair.a, pair.b);
    print(text, ",{},", to_string(pair.relation));
    if (pair.relation == Relation::contains) print(text, "{}", pair.inner);
    append(text, ",");
    if (std::isfinite(pair.gap)) print(text, "{}", pair.gap);
    for (const std::uint64_t count : pair.contacts) print(text, ",{}", count);
    append(text, "\n");
    output.write(text);
  }
}

}  // namespace sightline::report
