// Exact predicates on points that do not belong to one pair of triangles: topology, rays, containment.
#pragma once

#include "exact/points.h"
#include "sightline/mesh.h"

namespace sightline::exact {

template <typename... Vec>
auto points_of(const Vec&... vectors) {
  Points<sizeof...(Vec)> points;
  int i = 0;
  ((points.at[i][0] = vectors[0], points.at[i][1] = vectors[1], points.at[i][2] = vectors[2], ++i), ...);
  return points;
}

/// Sign of (b - a) × (c - a) · (d - a).
inline int orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return points_of(a, b, c, d).orient3d(0, 1, 2, 3);
}
/// Orientation of a, b, c seen along an axis: coordinates (axis + 1, axis + 2) mod 3.
inline int orient2d(int axis, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return points_of(a, b, c).orient2d(axis, 0, 1, 2);
}
/// True if the three points lie on a line or coincide: the triangle is degenerate.
inline bool collinear(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return points_of(a, b, c).collinear(0, 1, 2); }

}  // namespace sightline::exact
