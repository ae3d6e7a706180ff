// Distances from points to the surface of a part, with bounds.
//
// Points are given in a frame: a corner r of some triangle, and an offset from it. Differences to r are rounded once,
// so every number is a function of exact differences of coordinates: a common translation that keeps all coordinates
// exact changes no bit. Let u = 2^-53, and let `reach` bound the coordinates of an offset o and of F - r, for a
// triangle F. The corners of F relative to the point, (F - r) - o, are off by 3u reach a coordinate. The nearest point
// of F is a combination of them with weights in [0, 1] (up to 2u), each coordinate rounded at most six times on values
// below 4 reach; so its length is off by less than 80u reach, and kError · reach = 128u reach. Errors of the offset
// itself come on top (measure/protrusion.cpp). Nothing depends on how well the nearest point was found: a wrong one is
// too far, which an upper bound may be. A lower bound comes from a slab across its direction, and where that is not
// good enough, from the exact distance. Squares that underflow put a length off by less than kLeast.
//
// A node of the tree has a slab across the mean normal of its triangles: where all triangles are about equally far, as
// from the middle of a ball, boxes alone would rule out none of them. Which nodes are dropped changes no result: a
// triangle is dropped only if it can neither be the nearest one nor lower the lower bound.
#pragma once

#include "base/box_tree.h"
#include "measure/shell.h"
#include "measure/shift.h"

namespace sightline::measure {

inline constexpr double kError = 0x1p-46, kLeast = 0x1p-500;

/// Of a triangle: its distance from a point is in [lower, upper].
struct Distance {
  double lower = 0, upper = Box::kInfinity;
  std::uint32_t triangle = 0;
  Vec3d to{};  ///< the vector to the nearest point
  double reach = 0;
};

class Field {
 public:
  /// Distances to these triangles alone; there is at least one. Such a distance is an upper bound of the distance to
  /// the surface, and the distance itself for points to which none of the others is nearer.
  Field(const Shell& shell, std::vector<std::uint32_t> triangles, Workers& workers, const Poll& poll);

  /// The triangle with the least upper bound. Of triangles with equal bounds, the one whose corners come first. The
  /// lower bound is 0.
  /// `hint`: a triangle that may be near, or kNoHint; it saves time and changes nothing.
  static constexpr std::uint32_t kNoHint = 0xFFFFFFFFu;
  Distance nearest(const Vec3d& frame, const Vec3d& offset, Poll& poll, std::uint32_t hint = kNoHint) const;
  /// With the lower bound of the distance to the surface.
  Distance bounds(const Vec3d& frame, const Vec3d& offset, Poll& poll, std::uint32_t hint = kNoHint) const;
  /// The exact distance of a point, rounded to nearest.
  double exact(const Vec3d& point, Poll& poll) const;
  /// To one triangle; the lower bound is 0.
  Distance to(std::uint32_t triangle, const Vec3d& frame, const Vec3d& offset) const;

 private:
  /// All points of the triangles of a node are in the slab: n · (x - at) is in [low, high].
  struct Slab {
    Vec3d n{}, at{};
    double low = 0, high = 0, size = -1;  // size: of the node; negative: no slab

    /// A lower bound of the distance of a point from the slab.
    double distance(const Vec3d& frame, const Vec3d& offset) const;
  };
  Distance to(std::uint32_t triangle, const Corners& corners, const Vec3d& frame, const Vec3d& offset) const;
  /// Calls visit(place in corners_) for the triangles that may have a lower bound below the upper bound of `best`,
  /// until a call returns true.
  template <typename Visit>
  void each_near(const Distance& best, const Vec3d& frame, const Vec3d& offset, Poll& poll, const Visit& visit) const;
  Slab slab_of(const BoxTree::Node& node) const;
  bool is_first(std::uint32_t a, std::uint32_t b) const;

  const Shell& shell_;
  BoxTree tree_;
  std::vector<std::uint32_t> triangles_;  // in the order of the items of the tree
  std::vector<Corners> corners_;          // likewise
  std::vector<Slab> slabs_;               // of each node
};

/// Points in a box, which are at most `distance` from the surface.
struct Vicinity {
  Box box;
  double distance = 0;
};
/// The triangles that may be the nearest ones to some point of the vicinities, ascending.
std::vector<std::uint32_t> triangles_near(const Shell& shell, std::span<const Vicinity> vicinities, Workers& workers,
                                          const Poll& poll);
/// An upper bound of the distance of a point of the box from the surface.
double most_distance(const Shell& shell, const Box& box, Workers& workers, const Poll& poll);

/// The corners in ascending order.
Corners sorted(Corners corners);

}  // namespace sightline::measure
