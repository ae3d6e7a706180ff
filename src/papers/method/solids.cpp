#include "method/solids.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/box_tree.h"
#include "base/format.h"
#include "mesh/topology.h"
#include "method/winding.h"

namespace sightline::papers::method {
namespace {

std::string place(const Vec3d& p) { return formatted("({}, {}, {})", p[0], p[1], p[2]); }

void refuse(const TriangleTable::Object& object, const MeshView& mesh, const Topology& topology) {
  constexpr std::size_t kShown = 3;
  std::string text = formatted("cinder: object {} is not closed: ", object.id);
  if (topology.open_edges == 0) throw Error(text + "no triangle of it has an area");
  text += formatted("{} open edge{}: ", topology.open_edges, topology.open_edges == 1 ? "" : "s");
  const auto edges = open_edges(mesh, topology, kShown);
  for (std::size_t i = 0; i < edges.size(); ++i)
    text += formatted("{}vertices {} {} and {} {}", i == 0 ? "" : "; ", edges[i][0], place(mesh.position(edges[i][0])),
                      edges[i][1], place(mesh.position(edges[i][1])));
  throw Error(text + (topology.open_edges > edges.size() ? "; …" : ""));
}

/// An object's edges, and which way its triangles are wound.
struct Shape {
  bool sided = true, closed = true;
  std::vector<std::uint32_t> edges;  ///< 3 * triangle + i, each edge once; triangles of the object
  Winding winding;
};

/// Each edge is run through equally often in both directions, or (at the rim of an open surface) once in all.
bool wound_alike(const MeshView& mesh, const Topology& topology) {
  struct Edge {
    std::uint64_t ends;
    int direction;
  };
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t a = topology.vertex[t[i]], b = topology.vertex[t[(i + 1) % 3]];
      if (a != b) edges.push_back({std::uint64_t{std::min(a, b)} << 32 | std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& e, const Edge& f) { return e.ends < f.ends; });
  for (std::size_t i = 0, j = 0; i < edges.size(); i = j) {
    int sum = 0;
    for (; j < edges.size() && edges[j].ends == edges[i].ends; ++j) sum += edges[j].direction;
    if (sum != 0 && j - i != 1) return false;
  }
  return true;
}

Shape shape_of(const MeshView& mesh, const Topology& topology) {
  Shape shape;
  shape.closed = topology.closed();
  shape.winding = winding(mesh, topology);
  const auto& of = shape.winding.of_component;
  shape.sided = std::find(of.begin(), of.end(), 0) == of.end() || wound_alike(mesh, topology);
  // A closed surface that is wound alike runs through each edge in both directions: the ascending one is enough.
  const bool once = shape.closed && shape.sided;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t a = mesh.triangles[t][i], b = mesh.triangles[t][(i + 1) % 3];
      if (!once || topology.vertex[a] < topology.vertex[b]) shape.edges.push_back(3 * t + i);
    }
  return shape;
}

void add_solid(const Scene& scene, std::uint32_t object, Solids& all) {
  const TriangleTable::Object& of = scene.table.objects[object];
  Solid solid{object, {}};
  for (std::uint32_t t = of.first_triangle; t < of.first_triangle + of.triangle_count; ++t) {
    solid.triangles.push_back(t);
    all.solid_of[t] = static_cast<std::uint32_t>(all.solids.size());
  }
  all.triangles.insert(all.triangles.end(), solid.triangles.begin(), solid.triangles.end());
  all.solids.push_back(std::move(solid));
}

Solids no_solids(const Scene& scene) {
  Solids all;
  all.solid_of.resize(scene.triangles.size());
  all.outward.resize(scene.triangles.size(), 1);
  return all;
}

/// For each object, the boxes of the objects that it may penetrate.
std::vector<std::vector<Box>> boxes_met(const Scene& scene) {
  const auto& objects = scene.table.objects;
  std::vector<std::vector<Box>> met(objects.size());
  for (const auto& [a, b] : pairs_of_boxes(std::span<const Box>(scene.boxes), std::mem_fn(&Box::meets))) {
    if (!wanted(objects[a].options, objects[b].options)) continue;
    met[a].push_back(scene.boxes[b]);
    met[b].push_back(scene.boxes[a]);
  }
  return met;
}

}  // namespace

Solids all_closed_solids(const Context& context) {
  const Scene& scene = context.scene;
  Solids all = no_solids(scene);
  for (std::uint32_t o = 0; o < scene.table.objects.size(); ++o) {
    const MeshView mesh = view_of(scene.table.objects[o]);
    const Topology how = topology(mesh, context.workers);
    if (!how.closed()) refuse(scene.table.objects[o], mesh, how);
    add_solid(scene, o, all);
  }
  return all;
}

Solids solids_that_meet(const Context& context) {
  const Scene& scene = context.scene;
  Solids all = no_solids(scene);
  const std::vector<std::vector<Box>> met = boxes_met(scene);
  for (std::uint32_t o = 0; o < scene.table.objects.size(); ++o)
    if (!met[o].empty()) add_solid(scene, o, all);
  // Small objects in parallel, each on one thread; a large one on all threads.
  constexpr std::uint32_t kLarge = 20000;
  std::vector<std::vector<std::uint32_t>> edges(all.solids.size()), faces(all.solids.size());
  const auto examine = [&](std::size_t s, Workers& workers) {
    Solid& solid = all.solids[s];
    const TriangleTable::Object& object = scene.table.objects[solid.object];
    const MeshView mesh = view_of(object);
    const Topology how = topology(mesh, workers);
    const Shape shape = shape_of(mesh, how);
    solid.sided = shape.sided;
    faces[s] = solid.triangles;
    if (shape.closed)
      std::erase_if(faces[s], [&](std::uint32_t t) {
        return std::binary_search(how.degenerate.begin(), how.degenerate.end(), t - object.first_triangle);
      });
    for (std::uint32_t t = 0; t < object.triangle_count; ++t)
      if (shape.winding.of_solid[t] < 0) all.outward[object.first_triangle + t] = -1;
    const BoxTree others(met[solid.object]);
    const auto& boxes = met[solid.object];
    for (const std::uint32_t edge : shape.edges) {
      const Triangle& t = scene.triangles[object.first_triangle + edge / 3];
      Box own;
      own.add(scene.positions[t[edge % 3]]);
      own.add(scene.positions[t[(edge % 3 + 1) % 3]]);
      if (others.find([&](const Box& box) { return box.meets(own); },
                      [&](std::uint32_t i) { return boxes[i].meets(own); }))
        edges[s].push_back(3 * object.first_triangle + edge);
    }
  };
  const auto is_large = [&](std::size_t s) { return all.solids[s].triangles.size() > kLarge; };
  for (std::size_t s = 0; s < edges.size(); ++s)
    if (is_large(s)) examine(s, context.workers);
  context.workers.for_each(edges.size(), [&](std::size_t s) {
    if (!is_large(s)) examine(s, Workers::none());
  });
  for (const auto& own : edges) all.edges.insert(all.edges.end(), own.begin(), own.end());
  for (const auto& own : faces) all.faces.insert(all.faces.end(), own.begin(), own.end());
  return all;
}

Vec3d normal_of(const Scene& scene, const Solids& solids, std::uint32_t triangle) {
  const std::array<Vec3d, 3> t = scene.corners(triangle);
  Vec3d e, f, n;
  for (int k = 0; k < 3; ++k) e[k] = t[1][k] - t[0][k], f[k] = t[2][k] - t[0][k];
  for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  const double size = std::hypot(n[0], n[1], n[2]);
  if (!(size > 0) || !std::isfinite(size)) return {0, 0, 0};
  for (double& x : n) x *= solids.outward[triangle] / size;
  return n;
}

}  // namespace sightline::papers::method
