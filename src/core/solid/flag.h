// Points infinitely near a given one, in exact arithmetic.
//
// A flag is a point p0 with three independent directions. It stands for p0 + ε d1 + ε² d2 + ε³ d3 with ε > 0 smaller
// than every positive number. An affine function that is not constant zero (an orientation test with the other points
// fixed) has a sign there that is never zero: the first non-zero one of f(p0), f'(d1), f'(d2), f'(d3). So no test at a
// flag meets a degenerate case, nothing is chosen at random, and no epsilon has to be found.
//
// Directions are given as further points where that keeps everything in doubles: if f(p0) = 0, then f'(p1 - p0) =
// f(p1).
#pragma once

#include <array>
#include <memory>

#include "base/box_tree.h"
#include "exact/big_int.h"
#include "exact/points.h"

namespace sightline::solid {

using IntegerPoint = std::array<exact::BigInt, 3>;

/// An exact point that is not a double, for the rare path: where two segments cross. Coordinate k is x[k] / w · 2^unit;
/// w > 0. Not reduced: only signs are computed from it.
struct QuotientPoint {
  IntegerPoint x;
  exact::BigInt w;
  int unit = 0;
};

/// The point of segment pq, strictly between p and q, where it crosses the line gh. All four lie in one plane not
/// parallel to `axis`.
QuotientPoint crossing_point(const Vec3d& p, const Vec3d& q, const Vec3d& g, const Vec3d& h, int axis);

/// Sign of the coordinate k of `point` minus x.
int compare(const QuotientPoint& point, int k, double x);
/// Coordinate k, rounded to the nearest double.
double rounded(const QuotientPoint& point, int k);

/// The sign of exact::orient2d(axis, a, b, point).
int orient2d(int axis, const Vec3d& a, const Vec3d& b, const QuotientPoint& point);
/// The sign of exact::orient3d(a, b, c, point).
int orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const QuotientPoint& point);

/// The point of segment pq with the exact coordinates `at`, strictly between p and q.
struct Split {
  Vec3d p, q;
  QuotientPoint at;
};

class Flag {
 public:
  /// Off `p` along x, then y, then z. Where p lies on no surface, this is on the same side of it as p.
  static Flag near(const Vec3d& p);
  /// Seen from p0: a little towards p1, then much less towards p2, then least along `axis`. The axis is not parallel to
  /// the plane p0 p1 p2.
  static Flag in_plane(const Vec3d& p0, const Vec3d& p1, const Vec3d& p2, int axis);
  /// A flag with these directions at a point where two segments of a plane not parallel to `axis` cross properly.
  static Flag in_plane(const Split& p0, const Vec3d& p1, const Vec3d& p2, int axis);

  /// The flag on the other side of the plane p0 p1 p2.
  Flag flipped() const;

  /// Sign of exact::orient2d(axis, a, b, here). Zero only if a and b have one image along the axis.
  int orient2d(int axis, const Vec3d& a, const Vec3d& b) const;
  /// Sign of exact::orient3d(t, here). Zero only if t is degenerate.
  int orient3d(const std::array<Vec3d, 3>& t) const;
  /// Steps of a Poll for each triangle it is compared with. If p0 is not a double, orientations may need integers of
  /// any size.
  int steps() const { return split_ != nullptr ? 64 : 1; }
  /// A box that holds p0; it is no more than an ulp or so across.
  const Box& box() const { return box_; }

 private:
  template <typename At, typename Along>
  int sign(const At& at, const Along& along) const;

  Vec3d p0_{}, p1_{}, p2_{};
  std::shared_ptr<const Split> split_;  // p0 where it is not a double
  int points_ = 1;                      // how many of p0, p1, p2 are given; the other directions are axes
  int axis_ = 0, sign_ = 1;
  Box box_;
};

}  // namespace sightline::solid
