// The intersection of two triangles: in the place of one of them, and its corners as exact points.
#pragma once

#include "exact/big_int.h"
#include "sightline/contact.h"

namespace sightline::exact {

/// The public intersection(), without its settings of the floating-point environment. `from_corner`: the points are
/// exact differences to corner 0 of a, rounded; so they do not depend on the place of the pair in space.
Intersection intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool from_corner);

/// The intersections of many pairs, those of a[i] and b[i]: the same as one by one, in less time. The three arrays must
/// have one size, or Error is thrown.
SIGHTLINE_API void intersections(std::span<const std::array<Vec3d, 3>> a, std::span<const std::array<Vec3d, 3>> b,
                                 std::span<Intersection> results);

/// What a corner of an intersection is. Corners 0 to 2 are of a, 3 to 5 of b: corner p (q < 0); where edge p q meets
/// the other triangle (u < 0); or where edges p q and u v cross. A point can be more than one of these.
struct CornerFeature {
  signed char p = -1, q = -1, u = -1, v = -1;
};
/// The public intersection() and the features of its points.
Intersection intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b,
                          std::array<CornerFeature, 6>& features);

/// x / w · 2^unit; w > 0. Not reduced.
struct ExactPoint {
  std::array<BigInt, 3> x;
  BigInt w;
  int unit = 0;
};
bool operator==(const ExactPoint& p, const ExactPoint& q);
/// A point of intersection(a, b), by its number there, before it is rounded.
ExactPoint intersection_corner(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, int corner);

}  // namespace sightline::exact
