#include "report/csv.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>

#include "report/streamed.h"

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
  append_number(text, std::uint64_t{a});
  append(text, ",");
  append_number(text, std::uint64_t{b});
  append(text, ",");
  append_csv(text, parts[a].shown_name());
  append(text, ",");
  append_csv(text, parts[b].shown_name());
}

/// A cell for each number; empty for one that is not finite.
void append_cells(Buffer& text, std::initializer_list<double> numbers) {
  for (const double x : numbers) append(text, std::isfinite(x) ? fmt::format(",{}", x) : ",");
}
void append_cells(Buffer& text, const Vec3d& p) { append_cells(text, {p[0], p[1], p[2]}); }

struct RowOf {
  std::uint32_t part_a, part_b;
  std::uint64_t a, b;
  Kind kind;
};

/// The first four cells of contacts in canonical order, in which the same parts follow each other.
class NameCells {
 public:
  explicit NameCells(std::span<const Part> parts) : parts_(parts) {}

  std::string_view of(std::uint32_t a, std::uint32_t b) {
    if (text_.size() == 0 || a != a_ || b != b_) {
      text_.clear();
      append_names(text_, parts_, a_ = a, b_ = b);
    }
    return {text_.data(), text_.size()};
  }

 private:
  std::span<const Part> parts_;
  std::uint32_t a_ = 0, b_ = 0;
  Buffer text_;
};

void append_row(Buffer& text, const RowOf& contact, std::string_view names, const Intersection& geometry) {
  Line line(text, names.size() + 64 + 5 * kNumberRoom);
  line.put(names);
  line.put(',');
  line.put(contact.a);
  line.put(',');
  line.put(contact.b);
  line.put(',');
  line.put(to_string(contact.kind));
  line.put(',');
  line.put(shape(geometry));
  line.put(',');
  line.put(middle(geometry));
  line.put('\n');
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  CsvTable table() {
    CsvTable table;
    CsvRow row;
    while (next(row)) {
      if (table.header.empty()) {
        table.header = std::move(row.cells);
        continue;
      }
      if (row.cells.size() > table.header.size())
        fail(row.line, fmt::format("{} cells; the header has {}", row.cells.size(), table.header.size()));
      row.cells.resize(table.header.size());
      table.rows.push_back(std::move(row));
    }
    if (table.header.empty()) throw Error(fmt::format("{}: no header line", file_));
    return table;
  }

 private:
  bool next(CsvRow& row) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '#')) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      skip_end_of_line();
    }
    if (at_ >= text_.size()) return false;
    row = {line_, {}};
    row.cells.push_back(cell());
    for (; at_ < text_.size() && text_[at_] == ','; row.cells.push_back(cell())) ++at_;
    skip_end_of_line();
    return true;
  }

  void skip_end_of_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
      ++line_;
    }
  }

  std::string cell() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const std::size_t end = std::min(text_.find_first_of(",\n\r", at_), text_.size());
    const std::string value = text_.substr(at_, end - at_);
    at_ = end;
    return value;
  }

  std::string quoted() {
    const std::uint64_t begun = line_;
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += text_[at_++];
      } else {
        ++at_;
        if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
          fail(line_, fmt::format("text after the closing quote: '{}'", printable(text_.substr(at_, 8))));
        return value;
      }
    }
    fail(begun, "a quote that does not end");
  }

  [[noreturn]] void fail(std::uint64_t line, const std::string& message) const {
    throw Error(fmt::format("{}:{}: {}", file_, line, message));
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace

CsvContacts::CsvContacts(Output& output, WriteOptions options) : output_(output), options_(std::move(options)) {
  output_.write("part_a,part_b,name_a,name_b,triangle_a,triangle_b,kind,shape,x,y,z\n");
}

void CsvContacts::add(const Contacts& contacts) {
  write_items(output_, contacts.list.size(), options_, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
    NameCells names(contacts.parts);
    contacts.each_geometry(begin, end, [&](std::size_t i, const Intersection& geometry) {
      const Contact& contact = contacts.list[i];
      append_row(bytes, {contact.object_a, contact.object_b, contact.a, contact.b, contact.kind},
                 names.of(contact.object_a, contact.object_b), geometry);
    });
  });
}

void CsvContacts::add(std::span<const Part> parts, std::uint32_t first, const HugeReport& report, std::uint64_t most) {
  write_contacts(output_, report, most, options_, [&] {
    return [&, names = NameCells(parts)](std::uint64_t, const HugeContact& contact, Buffer& bytes) mutable {
      const std::uint32_t a = first + contact.object_a, b = first + contact.object_b;
      append_row(bytes, {a, b, contact.a, contact.b, contact.kind}, names.of(a, b), contact.geometry);
    };
  });
}

std::vector<CurvesOf> join_curves(const Contacts& contacts, const WriteOptions& options) {
  std::vector<CurvesOf> all;
  const auto same_parts = [](const Contact& x, const Contact& y) {
    return x.object_a == y.object_a && x.object_b == y.object_b;
  };
  for (std::size_t begin = 0, end = 0; begin < contacts.list.size(); begin = end) {
    if (options.cancel && options.cancel()) break;
    const Contact& first = contacts.list[begin];
    while (end < contacts.list.size() && same_parts(first, contacts.list[end])) ++end;
    const std::span<const Contact> own = contacts.list.subspan(begin, end - begin);
    const Part &a = contacts.parts[first.object_a], &b = contacts.parts[first.object_b];
    const bool is_self = first.object_a == first.object_b;
    all.push_back({first.object_a, first.object_b, !is_self && a.facts.closed && b.facts.closed,
                   is_self ? curves(a.mesh, own) : curves(a.mesh, b.mesh, own)});
    // The numbers of contacts count through the whole list.
    for (Curve& curve : all.back().found.curves)
      for (CurvePoint& point : curve.points) point.contact += static_cast<std::uint32_t>(begin);
  }
  return all;
}

CsvCurves::CsvCurves(Output& output, WriteOptions options) : output_(output), options_(std::move(options)) {
  output_.write(
      "part_a,part_b,name_a,name_b,curve,closed,crossing,bounds_overlap,area,point,triangle_a,triangle_b,x,y,z\n");
}

void CsvCurves::add(std::span<const Part> parts, std::span<const CurvesOf> curves, std::span<const Contact> contacts) {
  NameCells names(parts);
  const auto word = [](bool value) { return value ? "yes" : "no"; };
  for (const CurvesOf& of : curves)
    for (std::size_t i = 0; i < of.found.curves.size(); ++i) {
      if (options_.cancel && options_.cancel()) return;
      const Curve& curve = of.found.curves[i];
      const std::string area = curve.area == Curve::kNone ? "" : fmt::format("{}", curve.area);
      const std::string begin = fmt::format("{},{},{},{},{},{},", names.of(of.a, of.b), i, word(curve.closed),
                                            word(curve.crossing), word(of.bounds_overlap(curve)), area);
      Buffer text;
      for (std::size_t k = 0; k < curve.points.size(); ++k) {
        const CurvePoint& point = curve.points[k];
        Line line(text, begin.size() + 16 + 6 * kNumberRoom);
        line.put(begin);
        line.put(std::uint64_t{k});
        line.put(',');
        line.put(std::uint64_t{contacts[point.contact].a});
        line.put(',');
        line.put(std::uint64_t{contacts[point.contact].b});
        line.put(',');
        line.put(point.position);
        line.put('\n');
      }
      output_.write(text);
    }
}

void write_csv_parts(Output& output, std::span<const Part> parts) {
  output.write(
      "part,name,file,triangles,vertices,components,closed,open_edges,nonmanifold_edges,degenerate,duplicates\n");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Buffer text;
    const Facts& facts = parts[i].facts;
    print(text, "{},", i);
    append_csv(text, parts[i].shown_name());
    append(text, ",");
    append_csv(text, parts[i].file);
    print(text, ",{},{},{},{},{},{},{},{}\n", facts.triangles, facts.vertices, facts.components,
          facts.closed ? "yes" : "no", facts.open_edges, facts.nonmanifold_edges, facts.degenerate_count,
          facts.duplicates);
    output.write(text);
  }
}

void write_csv_pairs(Output& output, std::span<const Part> parts, std::span<const PartPair> pairs,
                     const PairColumns& columns) {
  output.write("part_a,part_b,name_a,name_b,relation,inner,gap");
  for (int kind = 0; kind < kKindCount; ++kind) output.write(fmt::format(",{}", to_string(static_cast<Kind>(kind))));
  if (columns.depth) output.write(",depth_low,depth_high,depth_x,depth_y,depth_z");
  if (columns.volume) output.write(",volume_low,volume_high");
  if (columns.separation) output.write(",move_x,move_y,move_z,move_length,move_least");
  if (columns.nearest) output.write(",near_a_x,near_a_y,near_a_z,near_b_x,near_b_y,near_b_z");
  if (columns.tolerance) output.write(",tolerated");
  output.write("\n");
  for (const PartPair& pair : pairs) {
    Buffer text;
    append_names(text, parts, pair.a, pair.b);
    print(text, ",{},", to_string(pair.relation));
    if (pair.relation == Relation::contains) print(text, "{}", pair.inner);
    append(text, ",");
    if (std::isfinite(pair.gap)) print(text, "{}", pair.gap);
    for (const std::uint64_t count : pair.contacts) append(text, columns.contacts ? fmt::format(",{}", count) : ",");
    if (columns.depth && pair.depth) {
      append_cells(text, {pair.depth->depth.low, pair.depth->depth.high});
      append_cells(text, pair.depth->point);
    } else if (columns.depth) {
      append(text, ",,,,,");
    }
    if (columns.volume && pair.volume)
      append_cells(text, {pair.volume->low, pair.volume->high});
    else if (columns.volume)
      append(text, ",,");
    if (columns.separation && pair.separation) {
      append_cells(text, pair.separation->translation);
      append_cells(text, {pair.separation->length, pair.separation->lower_bound});
    } else if (columns.separation) {
      append(text, ",,,,,");
    }
    if (columns.nearest && pair.nearest)
      for (const Vec3d& p : *pair.nearest) append_cells(text, p);
    else if (columns.nearest)
      append(text, ",,,,,,");
    if (columns.tolerance) append(text, pair.tolerated ? ",1" : ",0");
    append(text, "\n");
    output.write(text);
  }
}

std::string read_text_file(const std::filesystem::path& path) {
  const std::string name = printable(path.string());
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Error(fmt::format("{}: is a folder", name));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  return text;
}

int CsvTable::column(const std::string& name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

CsvTable parse_csv(const std::string& text, const std::string& file) { return Parser(text, file).table(); }

CsvTable read_csv(const std::filesystem::path& path) {
  return parse_csv(read_text_file(path), printable(path.string()));
}

}  // namespace sightline::report
