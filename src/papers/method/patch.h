// Patches whose triangles are proven not to meet each other.
//
// P. Volino, N. Magnenat-Thalmann: Efficient self-collision detection on smoothly discretized surface animations using
// geometrical shape regularity. Computer Graphics Forum 13 (3), 1994. A surface does not meet itself if there is a
// direction that all its normals face, and the outline of the surface, seen along that direction, does not meet itself.
//
// The theorem as it is used here, for any set T of triangles of one object, which may be open, not manifold, wound
// either way and without common indices (positions equal bit for bit are one vertex). Let π be a linear map to the
// plane. Turn each triangle so that its image is counter-clockwise. If
//   1. each image has area,
//   2. each directed edge occurs once; edges whose reverse does not occur are the contour,
//   3. images of two contour edges meet only in the image of a common corner,
//   4. of the loops that the contour consists of, each of which passes a vertex once, one is counter-clockwise,
// then no two triangles of T are in contact (docs/definitions.md).
//
// Proof. Let m(x) be the number of images whose interior holds the point x. It is 0 far away. Across an edge with its
// reverse m does not change, so m is the sum of the winding numbers of the contour. As many edges of the contour end at
// a vertex as begin there, so it can be cut into loops that pass each vertex once. With 3 these are simple polygons,
// and with 4 one of them adds 1 inside and the others only subtract: m <= 1. So the images of triangles have no common
// interior.
// Let different points p and q of the surface (points of T where common edges and corners are identified) have the same
// image x. Around p, triangles follow each other across edges; unless p is on the contour, they go all around, and
// their images fill all directions at x. The triangles at q need a direction, too, and m <= 1: so p is on the contour,
// and likewise q. With 3, points of the contour with the same image are the same point. So π is one to one on the
// surface, a point that two triangles share is one point of it, and it lies in their common edge or corner.
//
// Rounding. π is exactly x = U1 · (p - o), y = U2 · (p - o), with U1, U2 the numbers in memory, none larger than 1.01,
// and o a corner of the patch. Let R be the largest component of the computed p - o. A computed x passes a difference,
// a product and two additions, so it is off by at most 4.01 u · 3 · 1.01 R (1 + u) < kOff R with kOff = 16 u. A turn of
// three images is (b - a) x (c - a). Each of its four differences is off by 2 kOff R and a rounding of at most u · 6.1
// R, less than d = 4 kOff R; each product then by d times the other factor and d^2, and rounding adds at most u · 6.1 R
// < d / 8 of each factor. With S the sum of the four absolute values, 2 d (S + 2 d) is more than all of that. R is
// limited to 1e-120 … 1e140: nothing overflows, and 2 d^2 is more than what underflows. A sign is used only if the
// computed turn is larger, and an order along x or y only if the computed distance is larger than d. What is not
// certain fails the proof, and so does a NaN.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "method/facing.h"
#include "method/hierarchy.h"

namespace sightline::papers::method {

/// The map π, with a bound on its rounding.
class Flattening {
 public:
  struct Point {
    double x, y;
  };
  Flattening() = default;
  /// `along` is the direction that π maps to a point, about; any length but 0. `origin` is o.
  Flattening(const Vec3d& along, const Vec3d& origin);
  /// The image of a point of the patch. All points are mapped before anything is compared.
  Point add(const Vec3d& p);
  bool in_range() const { return reach_ > 1e-120 && reach_ < 1e140; }

  double computed_turn(const Point& a, const Point& b, const Point& c) const;
  double turn_bound(const Point& a, const Point& b, const Point& c) const;
  /// 1 counter-clockwise, -1 clockwise, 0 not certain.
  int turn(const Point& a, const Point& b, const Point& c) const;
  /// True if x is less than y for certain: of images along one axis.
  bool before(double x, double y) const { return x + margin() < y; }

  const Vec3d& u1() const { return u1_; }
  const Vec3d& u2() const { return u2_; }

 private:
  double margin() const { return 4 * kOff * reach_; }  ///< d above
  static constexpr double kOff = 16 * 0x1p-53;
  Vec3d u1_ = {1, 0, 0}, u2_ = {0, 1, 0}, origin_ = {0, 0, 0};
  double reach_ = 0;  ///< R above
};

/// Keeps its memory from patch to patch.
class PatchProof {
 public:
  /// `vertex`: see welded().
  PatchProof(const Scene& scene, std::span<const std::uint32_t> vertex) : scene_(scene), vertex_(vertex) {}

  /// True if no two of these triangles of one object are in contact. May be false for such triangles, too. `along`: the
  /// direction of the projection, about.
  bool holds(std::span<const std::uint32_t> triangles, const Vec3d& along);

 private:
  using Point = Flattening::Point;
  /// A directed edge of an image, and its ends as vertices.
  struct Edge {
    std::uint32_t from, to;
    Point a, b;
  };
  struct Side {
    std::uint64_t ends;  ///< both vertices, the smaller first
    std::uint32_t slot;  ///< corner that it begins at, turned or not
    bool turned;         ///< from the larger vertex to the smaller
  };

  bool project(std::span<const std::uint32_t> triangles, const Vec3d& along);
  bool find_contour(std::span<const std::uint32_t> triangles);
  bool one_outer_loop();
  bool is_simple();

  int loop_turn(std::span<const std::size_t> loop) const;
  bool meet_only_at(const Point& b, const Point& a, const Point& c) const;
  bool meet_only_at_corners(const Edge& e, const Edge& f) const;
  bool are_apart(const Edge& e, const Edge& f) const;

  const Scene& scene_;
  std::span<const std::uint32_t> vertex_;
  std::vector<Point> images_;  ///< of the corners, three for each triangle
  std::vector<Side> sides_;
  std::vector<Edge> contour_;
  std::vector<std::size_t> path_;            ///< edges of the contour
  std::vector<std::size_t> used_, on_path_;  ///< by the first edge from a vertex: how many, and place in path_ + 1
  Flattening flat_;
};

/// Triangles in patches for which the proof holds.
struct Patches {
  std::vector<std::uint32_t> order;  ///< the triangles; those of a patch follow each other
  std::vector<Range> patches;        ///< places in the order, ascending
};
/// Patches of some triangles, ascending. A patch grows from a triangle across edges, over triangles that face nearly
/// the same way; where the proof fails for all of it, its first half is tried, and so on down to one triangle. An
/// object without `self` is one patch without a proof.
Patches patches_of(Context& context, const Facing& facing, std::span<const std::uint32_t> vertex,
                   std::span<const std::uint32_t> triangles, std::uint32_t number);

}  // namespace sightline::papers::method
