#include "picture/model.h"

#include <algorithm>

#include "base/vector.h"
#include "picture/shade.h"

namespace sightline::picture {
namespace {

int rank(Kind kind) {
  return static_cast<int>(std::end(report::kKindsBySeverity) - std::ranges::find(report::kKindsBySeverity, kind));
}

void add_local_paints(Model& model, const report::Contacts& contacts, const report::Clusters& clusters,
                      const std::vector<std::uint32_t>& base) {
  struct Entry {
    std::uint32_t triangle, cluster;
    int rank;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries;
  model.cluster.resize(contacts.list.size());
  for (std::uint32_t number = 0; number < clusters.list.size(); ++number)
    for (const std::uint32_t i : clusters.of(clusters.list[number])) {
      model.cluster[i] = number;
      const Contact& c = contacts.list[i];
      entries.push_back({base[c.object_a] + c.a, number, rank(c.kind)});
      entries.push_back({base[c.object_b] + c.b, number, rank(c.kind)});
    }
  std::sort(entries.begin(), entries.end());
  for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {
    for (end = begin + 1; end < entries.size() && entries[end].triangle == entries[begin].triangle;) ++end;
    if (entries[begin].cluster == entries[end - 1].cluster) continue;
    model.has_local[entries[begin].triangle] = true;
    for (std::size_t i = begin; i < end; ++i)  // the last of a cluster is the most serious
      if (i + 1 == end || entries[i + 1].cluster != entries[i].cluster)
        model.local.push_back({entries[i].triangle, entries[i].cluster,
                               report::paint_of(report::kKindsBySeverity[kKindCount - entries[i].rank])});
  }
}

void add_place(Model& model, const report::Contacts& contacts, const std::vector<std::uint32_t>& base) {
  const report::Clusters clusters = report::clusters(contacts, model.outlines);
  model.has_local.resize(model.triangles.size());
  if (clusters.list.empty()) return;
  add_local_paints(model, contacts, clusters, base);
  const report::Cluster& largest = clusters.list.front();
  model.place_low = largest.box.low;
  model.place_high = largest.box.high;
  for (const std::uint32_t i : clusters.of(largest)) {
    model.place.push_back(i);
    const Contact& contact = contacts.list[i];
    model.place_triangles.push_back(base[contact.object_a] + contact.a);
    model.place_triangles.push_back(base[contact.object_b] + contact.b);
  }
  std::sort(model.place_triangles.begin(), model.place_triangles.end());
  model.place_triangles.erase(std::unique(model.place_triangles.begin(), model.place_triangles.end()),
                              model.place_triangles.end());
}

}  // namespace

Box halves_of(std::span<const report::Part> parts) {
  Box box;
  for (const report::Part& part : parts)
    for (const Triangle& t : part.mesh.triangles)
      for (const std::uint32_t v : t) box.add(0.5 * part.mesh.position(v));
  return box;
}

Frame frame_of(const Box& halves) {
  Frame frame;
  if (halves.empty()) return frame;
  double extent = 0;
  for (int axis = 0; axis < 3; ++axis) {
    frame.center[axis] = halves.low[axis] + (halves.high[axis] - halves.low[axis]) / 2;
    extent = std::max(extent, (halves.high[axis] - halves.low[axis]) / 2);
  }
  frame.extent = std::max(extent, 1e-280);
  return frame;
}

report::Paint paint_near(const Model& model, std::uint32_t triangle, std::uint32_t cluster) {
  if (!model.has_local[triangle]) return model.paint[triangle];
  const auto at =
      std::lower_bound(model.local.begin(), model.local.end(), Model::LocalPaint{triangle, cluster, report::Paint{0}});
  const bool found = at != model.local.end() && at->triangle == triangle && at->cluster == cluster;
  return found ? at->paint : model.paint[triangle];
}

Model make_model(const report::Contacts& contacts, const report::WriteOptions& options) {
  return make_model(contacts, options, frame_of(halves_of(contacts.parts)));
}

Model make_model(const report::Contacts& contacts, const report::WriteOptions& options, const Frame& frame) {
  Model model;
  model.frame = frame;
  model.parts = static_cast<std::uint32_t>(contacts.parts.size());
  std::uint64_t triangles = 0, positions = 0;
  for (const report::Part& part : contacts.parts) {
    triangles += part.mesh.triangles.size();
    positions += part.mesh.positions.size();
  }
  constexpr std::uint64_t kMost = 0xFFFFFFF0u;
  if (triangles >= kMost || positions >= kMost)
    throw Error(
        fmt::format("picture: {} triangles and {} positions; at most {} can be drawn", triangles, positions, kMost));

  model.positions.reserve(positions);
  model.triangles.reserve(triangles);
  model.part.reserve(triangles);
  std::vector<std::uint32_t> base;
  const std::vector<std::vector<report::Paint>> paints = report::paint(contacts);
  for (std::uint32_t i = 0; i < model.parts; ++i) {
    const MeshView& mesh = contacts.parts[i].mesh;
    base.push_back(static_cast<std::uint32_t>(model.triangles.size()));
    const auto first = static_cast<std::uint32_t>(model.positions.size());
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) model.positions.push_back(frame(mesh.position(v)));
    for (const Triangle& t : mesh.triangles) {
      model.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      model.part.push_back(i);
    }
    model.paint.insert(model.paint.end(), paints[i].begin(), paints[i].end());
  }
  for (std::uint32_t i = 0; i < model.paint.size(); ++i)
    if (model.paint[i] != 0) model.touched.push_back(i);
  model.outlines = report::outlines(contacts, options);
  add_place(model, contacts, base);
  model.place_low = frame(model.place_low);
  model.place_high = frame(model.place_high);
  for (Vec3d& p : model.outlines.points) p = frame(p);
  return model;
}

namespace {

Vec3d ink_colour(Ink ink, std::uint32_t part, std::uint32_t parts) {
  switch (ink) {
    case Ink::pale:
      return linear(232, 233, 235);
    case Ink::set:
      return linear(214, 39, 40);
    case Ink::contact:
      return linear(0, 158, 70);
    case Ink::culled:
      return linear(150, 190, 226);
    case Ink::absent:
    case Ink::plain:
      break;
  }
  return part_colour(part, parts);
}

}  // namespace

Model make_model(std::span<const FigureMesh> meshes) {
  std::vector<report::Part> parts(meshes.size());
  for (std::size_t i = 0; i < meshes.size(); ++i) parts[i].mesh = meshes[i].mesh;
  const Frame frame = frame_of(halves_of(parts));
  Model model;
  model.frame = frame;
  model.parts = static_cast<std::uint32_t>(meshes.size());
  constexpr std::uint32_t kUnused = 0xFFFFFFFFu;
  for (std::uint32_t i = 0; i < model.parts; ++i) {
    const FigureMesh& one = meshes[i];
    if (!one.inks.empty() && one.inks.size() != one.mesh.triangles.size())
      throw Error(fmt::format("figure: {} inks for the {} triangles of mesh {}", one.inks.size(),
                              one.mesh.triangles.size(), i));
    std::vector<std::uint32_t> number(one.mesh.positions.size(), kUnused);
    for (std::size_t t = 0; t < one.mesh.triangles.size(); ++t) {
      Triangle corners = one.mesh.triangles[t];
      for (std::uint32_t& corner : corners) {
        const std::uint32_t vertex = corner;
        if (number[vertex] == kUnused) {
          number[vertex] = static_cast<std::uint32_t>(model.positions.size());
          model.positions.push_back(frame(one.mesh.position(vertex)));
        }
        corner = number[vertex];
      }
      const Ink ink = one.inks.empty() ? Ink::plain : one.inks[t];
      if (ink == Ink::absent) continue;
      if (ink == Ink::set || ink == Ink::contact)
        model.touched.push_back(static_cast<std::uint32_t>(model.triangles.size()));
      model.triangles.push_back(corners);
      model.part.push_back(i);
      model.paint.push_back(static_cast<report::Paint>(ink));
      model.colour.push_back(ink_colour(ink, i, model.parts));
    }
  }
  model.has_local.resize(model.triangles.size());
  return model;
}

}  // namespace sightline::picture
