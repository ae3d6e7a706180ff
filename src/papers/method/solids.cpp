#include "method/solids.h"

#include <cmath>
#include <functional>

#include "base/box_tree.h"
#include "base/format.h"
#include "mesh/topology.h"
#include "method/roi.h"
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

Vec3d unit_normal(const std::array<Vec3d, 3>& t, double sign) {
  Vec3d e, f, n;
  for (int k = 0; k < 3; ++k) e[k] = t[1][k] - t[0][k], f[k] = t[2][k] - t[0][k];
  for (int k = 0; k < 3; ++k) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
  const double size = std::hypot(n[0], n[1], n[2]);
  if (!(size > 0) || !std::isfinite(size)) return {0, 0, 0};
  for (double& x : n) x *= sign / size;
  return n;
}

std::vector<bool> meets_another(const Scene& scene) {
  std::vector<bool> meets(scene.table.objects.size(), false);
  for (const auto& [a, b] : pairs_of_boxes(object_boxes(scene), std::mem_fn(&Box::meets))) meets[a] = meets[b] = true;
  return meets;
}

}  // namespace

void FaceLists::add(const FaceLists& other) {
  outward.insert(outward.end(), other.outward.begin(), other.outward.end());
  inward.insert(inward.end(), other.inward.begin(), other.inward.end());
  unknown.insert(unknown.end(), other.unknown.begin(), other.unknown.end());
}

Solids make_solids(const Context& context) {
  const Scene& scene = context.scene;
  Solids all;
  all.normals.resize(scene.triangles.size());
  const std::vector<bool> meets = meets_another(scene);
  for (std::uint32_t o = 0; o < scene.table.objects.size(); ++o) {
    const TriangleTable::Object& object = scene.table.objects[o];
    const MeshView mesh = view_of(object);
    const Topology how = topology(mesh, context.workers);
    if (!how.closed()) refuse(object, mesh, how);
    if (!meets[o]) continue;
    const Winding wound = winding(mesh, how);
    Solid solid{o, {}, {}};
    for (std::uint32_t t = 0; t < object.triangle_count; ++t) {
      const std::uint32_t triangle = object.first_triangle + t;
      solid.triangles.push_back(triangle);
      const int sign = wound.of_component[t];
      (sign > 0 ? solid.faces.outward : sign < 0 ? solid.faces.inward : solid.faces.unknown).push_back(triangle);
      all.normals[triangle] = unit_normal(scene.corners(triangle), wound.of_solid[t] < 0 ? -1 : 1);
    }
    all.triangles.insert(all.triangles.end(), solid.triangles.begin(), solid.triangles.end());
    all.faces.add(solid.faces);
    all.solids.push_back(std::move(solid));
  }
  return all;
}

}  // namespace sightline::papers::method
