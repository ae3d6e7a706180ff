#include "oracle/cgal.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>

#include <algorithm>
#include <map>

namespace oracle {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using CgalPoint = Kernel::Point_3;
using sightline::MeshView;
using Ids = std::array<std::uint32_t, 3>;

/// Corner ids with equal positions made one (−0 compares equal to +0).
std::vector<Ids> welded(const MeshView& mesh) {
  std::map<sightline::Vec3d, std::uint32_t> first;
  std::vector<Ids> triangles;
  for (const auto& t : mesh.triangles) {
    Ids ids;
    for (int i = 0; i < 3; ++i) ids[i] = first.emplace(mesh.position(t[i]), t[i]).first->second;
    triangles.push_back(ids);
  }
  return triangles;
}

CgalPoint point(const MeshView& mesh, std::uint32_t id) {
  const auto p = mesh.position(id);
  return {p[0], p[1], p[2]};
}

bool has_area(const MeshView& mesh, const Ids& t) {
  return !CGAL::collinear(point(mesh, t[0]), point(mesh, t[1]), point(mesh, t[2]));
}

/// Rotated so that the corners for which `shared` holds come first.
template <class Shared>
Ids shared_first(Ids t, Shared shared) {
  std::stable_partition(t.begin(), t.end(), shared);
  return t;
}

bool in_contact(const MeshView& mesh, const Ids& a, const Ids& b) {
  const auto in_a = [&](std::uint32_t id) { return std::find(a.begin(), a.end(), id) != a.end(); };
  const auto in_b = [&](std::uint32_t id) { return std::find(b.begin(), b.end(), id) != b.end(); };
  const auto common = std::count_if(b.begin(), b.end(), in_a);
  if (common == 3) return true;
  CgalPoint p[3], q[3];
  const Ids first_a = shared_first(a, in_b), first_b = shared_first(b, in_a);
  for (int i = 0; i < 3; ++i) {
    p[i] = point(mesh, first_a[i]);
    q[i] = point(mesh, first_b[i]);
  }
  if (common == 2)
    return CGAL::coplanar(p[0], p[1], p[2], q[2]) &&
           CGAL::coplanar_orientation(p[0], p[1], p[2], q[2]) == CGAL::POSITIVE;
  const Kernel::Triangle_3 triangle_a(p[0], p[1], p[2]), triangle_b(q[0], q[1], q[2]);
  if (common == 1)
    return CGAL::do_intersect(triangle_a, Kernel::Segment_3(q[1], q[2])) ||
           CGAL::do_intersect(triangle_b, Kernel::Segment_3(p[1], p[2]));
  return CGAL::do_intersect(triangle_a, triangle_b);
}

}  // namespace

std::vector<TrianglePair> cgal_soup(const MeshView& mesh) {
  using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, std::uint32_t>;
  const std::vector<Ids> triangles = welded(mesh);
  std::vector<Box> boxes;
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Ids& t = triangles[i];
    if (!has_area(mesh, t)) continue;
    boxes.emplace_back(point(mesh, t[0]).bbox() + point(mesh, t[1]).bbox() + point(mesh, t[2]).bbox(), i);
  }
  std::vector<TrianglePair> pairs;
  CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) {
    if (in_contact(mesh, triangles[a.info()], triangles[b.info()])) pairs.push_back(std::minmax(a.info(), b.info()));
  });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::optional<std::vector<TrianglePair>> cgal_mesh(const MeshView& mesh) {
  using SurfaceMesh = CGAL::Surface_mesh<CgalPoint>;
  SurfaceMesh surface;
  std::map<std::uint32_t, SurfaceMesh::Vertex_index> vertex;
  std::vector<std::uint32_t> triangle_of_face;
  const std::vector<Ids> triangles = welded(mesh);
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    if (!has_area(mesh, triangles[i])) continue;
    SurfaceMesh::Vertex_index v[3];
    for (int k = 0; k < 3; ++k) {
      const auto [it, is_new] = vertex.try_emplace(triangles[i][k]);
      if (is_new) it->second = surface.add_vertex(point(mesh, triangles[i][k]));
      v[k] = it->second;
    }
    if (surface.add_face(v[0], v[1], v[2]) == SurfaceMesh::null_face()) return std::nullopt;
    triangle_of_face.push_back(i);
  }
  std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> faces;
  CGAL::Polygon_mesh_processing::self_intersections(surface, std::back_inserter(faces));
  std::vector<TrianglePair> pairs;
  for (const auto& [f, g] : faces) pairs.push_back(std::minmax(triangle_of_face[f], triangle_of_face[g]));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<TrianglePair> among_area(const MeshView& mesh, const std::vector<sightline::Contact>& contacts) {
  const std::vector<Ids> triangles = welded(mesh);
  std::vector<TrianglePair> pairs;
  for (const auto& c : contacts)
    if (has_area(mesh, triangles[c.a]) && has_area(mesh, triangles[c.b])) pairs.emplace_back(c.a, c.b);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace oracle
