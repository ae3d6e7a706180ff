// Exact points that are not doubles, for the rare path: where two segments cross.
#pragma once

#include <array>

#include "exact/big_int.h"
#include "exact/predicates.h"
#include "sightline/mesh.h"

namespace sightline::solid {

using IntegerPoint = std::array<exact::BigInt, 3>;

/// Coordinate k is x[k] / w · 2^unit; w > 0. Not reduced: only signs are computed from it.
struct QuotientPoint {
  IntegerPoint x;
  exact::BigInt w;
  int unit = 0;
};

/// The largest exponent up to `unit` of which all coordinates of p are multiples: p / 2^exponent is in integers.
int common_unit(const Vec3d& p, int unit);
/// p / 2^unit, where all coordinates are multiples of 2^unit.
IntegerPoint integer_point(const Vec3d& p, int unit);

/// The point of segment pq, strictly between p and q, where it crosses the line gh. All four lie in one plane not
/// parallel to `axis`.
QuotientPoint crossing_point(const Vec3d& p, const Vec3d& q, const Vec3d& g, const Vec3d& h, int axis);

/// Sign of the coordinate k of `point` minus x.
int compare(const QuotientPoint& point, int k, double x);
/// Coordinate k, rounded to the nearest double.
double rounded(const QuotientPoint& point, int k);

/// The sign of exact::orient2d(axis, a, b, point).
int orient2d(int axis, const Vec3d& a, const Vec3d& b, const QuotientPoint& point);
/// The sign of exact::orient3d(t, point).
int orient3d(const std::array<Vec3d, 3>& t, const QuotientPoint& point);

}  // namespace sightline::solid
