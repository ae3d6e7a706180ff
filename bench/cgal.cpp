// CGAL: Polygon_mesh_processing::self_intersections on a Surface_mesh, in parallel. A Surface_mesh cannot hold a mesh
// that is no 2-manifold (soups, cubes that share edges). There the parts of the algorithm are used:
// box_self_intersection_d and the exact kernel's predicates, with neighbours found by welded positions. (CGAL 5.5 has
// no version for soups.)
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bench/bench.h"
#include "bench/object_pairs.h"
#include "sightline/mesh.h"

namespace sightline::bench {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using SurfaceMesh = CGAL::Surface_mesh<Point>;
using Concurrency = CGAL::Parallel_if_available_tag;
namespace pmp = CGAL::Polygon_mesh_processing;

Point point(const Vec3d& p) { return Point(p[0], p[1], p[2]); }

Contact contact(std::uint32_t a, std::uint32_t b) { return {0, 0, std::min(a, b), std::max(a, b), Kind::touching}; }

void run_manifold(const MeshView& view, Report& report) {
  StageClock clock(report.stats);
  SurfaceMesh mesh;
  const auto vertices = static_cast<SurfaceMesh::size_type>(view.positions.size());
  const auto faces = static_cast<SurfaceMesh::size_type>(view.triangles.size());
  mesh.reserve(vertices, vertices + faces, faces);
  for (std::size_t i = 0; i < view.positions.size(); ++i) mesh.add_vertex(point(view.position(i)));
  using Vertex = SurfaceMesh::Vertex_index;
  for (const Triangle& t : view.triangles)
    if (mesh.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2])) == SurfaceMesh::null_face())
      throw Error("cgal: the scene is marked manifold, but CGAL rejects a face");
  clock.stage("surface mesh", 0, {});
  std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> pairs;
  pmp::self_intersections<Concurrency>(mesh, std::back_inserter(pairs));
  clock.stage("intersections", 0, {});
  report.contacts.reserve(pairs.size());
  for (const auto& [a, b] : pairs) report.contacts.push_back(contact(a.idx(), b.idx()));
}

/// Triangles with area whose corners are identified by welded ids.
class Soup {
 public:
  explicit Soup(const MeshView& view) {
    const std::vector<std::uint32_t> first_equal = topology(view).vertex;
    for (std::size_t i = 0; i < view.positions.size(); ++i) points_.push_back(point(view.position(i)));
    for (const Triangle& t : view.triangles)
      triangles_.push_back({first_equal[t[0]], first_equal[t[1]], first_equal[t[2]]});
  }

  std::size_t size() const { return triangles_.size(); }
  CGAL::Bbox_3 box(std::size_t i) const { return triangle(i).bbox(); }

  /// The definition of self_intersections: common points beyond common corners and edges.
  bool intersect(std::uint32_t i, std::uint32_t j) const {
    Triangle a = triangles_[i], b = triangles_[j];
    int shared = 0;  // brings shared corners to the front of both
    for (int k = shared; k < 3; ++k)
      for (int l = shared; l < 3; ++l)
        if (a[static_cast<std::size_t>(k)] == b[static_cast<std::size_t>(l)]) {
          std::swap(a[static_cast<std::size_t>(k)], a[static_cast<std::size_t>(shared)]);
          std::swap(b[static_cast<std::size_t>(l)], b[static_cast<std::size_t>(shared)]);
          ++shared;
          break;
        }
    switch (shared) {
      case 0:
        return CGAL::do_intersect(triangle(i), triangle(j));
      case 1:
        return CGAL::do_intersect(triangle(i), edge(b)) || CGAL::do_intersect(triangle(j), edge(a));
      case 2: {
        const Point &p = points_[a[0]], &q = points_[a[1]], &r = points_[a[2]], &s = points_[b[2]];
        return CGAL::coplanar(p, q, r, s) && CGAL::coplanar_orientation(p, q, r, s) == CGAL::POSITIVE;
      }
      default:
        return true;
    }
  }

 private:
  Kernel::Triangle_3 triangle(std::size_t i) const {
    const Triangle& t = triangles_[i];
    return {points_[t[0]], points_[t[1]], points_[t[2]]};
  }
  Kernel::Segment_3 edge(const Triangle& t) const { return {points_[t[1]], points_[t[2]]}; }

  std::vector<Point> points_;
  std::vector<Triangle> triangles_;
};

void run_soup(const MeshView& view, Report& report) {
  StageClock clock(report.stats);
  const Soup soup(view);
  using SoupBox = CGAL::Box_intersection_d::Box_with_info_d<double, 3, std::uint32_t,
                                                            CGAL::Box_intersection_d::ID_FROM_BOX_ADDRESS>;
  std::vector<SoupBox> boxes;
  boxes.reserve(soup.size());
  for (std::uint32_t i = 0; i < soup.size(); ++i) boxes.push_back(SoupBox(soup.box(i), i));
  std::vector<const SoupBox*> pointers;
  pointers.reserve(boxes.size());
  for (const SoupBox& box : boxes) pointers.push_back(&box);
  // The parallel version splits the range. The boxes are shuffled, so that the parts take equal time.
  CGAL::Random random(0);
  CGAL::cpp98::random_shuffle(pointers.begin(), pointers.end(), random);
  clock.stage("boxes", 0, {});
  Collector contacts;
  const auto callback = [&](const SoupBox* a, const SoupBox* b) {
    if (soup.intersect(a->info(), b->info())) contacts.local().push_back(contact(a->info(), b->info()));
  };
  CGAL::box_self_intersection_d<Concurrency>(pointers.begin(), pointers.end(), callback, std::ptrdiff_t{2000});
  gather(contacts, report);
  clock.stage("intersections", 0, {});
}

class CgalPeer : public Peer {
 public:
  std::string name() const override { return kCgal; }
  bool takes(const BenchScene& scene) const override { return !scene.relations && scene.self; }
  Report run(const BenchScene& scene) override {
    Report report;
    (scene.manifold ? run_manifold : run_soup)(scene.objects.front(), report);
    return report;
  }
};

}  // namespace

PeerPtr make_cgal() { return std::make_unique<CgalPeer>(); }

}  // namespace sightline::bench
