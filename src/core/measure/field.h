// Distances from points to the surface of a part, with bounds.
//
// Points are given in a frame: a corner r of some triangle, and an offset from it. Differences to r are rounded once,
// so every number is a function of exact differences of coordinates: a common translation that keeps all coordinates
// exact changes no bit. Let u = 2^-53, and let `reach` bound the coordinates of an offset o and of F - r, for a
// triangle F. The corners of F relative to the point, (F - r) - o, are off by 3u reach a coordinate. The nearest point
// of F is a combination of them with weights in [0, 1] (up to 2u), each coordinate rounded at most six times on values
// below 4 reach; so its length is off by less than 80u reach. An offset is itself off by up to 7u reach for each of 96
// cuts. kError · reach = 1024u reach covers both. Nothing depends on how well the nearest point was found: a wrong one
// is too far, which an upper bound may be. A lower bound comes from a slab across its direction, and where that is not
// good enough, from the exact distance.
#pragma once

#include "base/box_tree.h"
#include "measure/shell.h"
#include "measure/shift.h"

namespace sightline::measure {

inline constexpr double kError = 0x1p-43;

/// Of a triangle: its distance from a point is in [lower, upper].
struct Distance {
  double lower = 0, upper = Box::kInfinity;
  std::uint32_t triangle = 0;
  Vec3d to{};  ///< the vector to the nearest point
  double reach = 0;
};

class Field {
 public:
  /// The triangles with area that may be the nearest ones to some point in the box.
  Field(const Shell& shell, const Box& box, Workers& workers, const Poll& poll);

  const Shell& shell() const { return shell_; }
  const BoxTree& tree() const { return tree_; }

  /// The triangle with the least upper bound. Of triangles with equal bounds, the one whose corners come first. The
  /// lower bound is 0.
  Distance nearest(const Vec3d& frame, const Vec3d& offset, Poll& poll) const;
  /// With the lower bound of the distance to the surface.
  Distance bounds(const Vec3d& frame, const Vec3d& offset, Poll& poll) const;
  /// To one triangle; the lower bound is 0.
  Distance to(std::uint32_t triangle, const Vec3d& frame, const Vec3d& offset) const;

 private:
  double lower(std::uint32_t triangle, const Vec3d& frame, const Vec3d& offset) const;
  bool is_first(std::uint32_t a, std::uint32_t b) const;

  const Shell& shell_;
  BoxTree tree_;
};

/// The corners in ascending order.
Corners sorted(Corners corners);

}  // namespace sightline::measure
