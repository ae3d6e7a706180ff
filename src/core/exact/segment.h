// The intersection of two triangles that cross in general position: a segment, in the arithmetic of doubles.
//
// Coordinates of at most 40 bits (after a move of the origin) make all determinants exact in 128 bits. An end of the
// segment is p + t (q - p), where edge p, q pierces the other triangle: t = A / W, with A the determinant of p and W
// that of p minus that of q. t is computed as a sum of two doubles, and the end as well; if all numbers within the
// error bound round to one double, that is the end, correctly rounded. Otherwise, and for every pair with a point on a
// plane or a line on a corner, exact/intersection.cpp decides as for all pairs.
//
// Errors, in units of u = 2^-53 (no overflow or underflow: see `usable`):
//   A = A1 + A2 within u² |A|, W likewise; t1 = A1 / W1 rounded is within 3.1 u of t.
//   r = A - t1 W: A1 - fl(t1 W1) is exact (both within 4 u of each other), below 4 u |A|. The other three terms are
//   below 1.1 u |A| each, their sum adds 4 roundings of numbers below 8 u |A|, and what A2 and W2 leave out is below
//   2.2 u² |A|: r is within 36 u² |A|. t2 = r / W1 adds two relative errors of 1.1 u to a number below 4.1 u t:
//   t1 + t2 is within 46 u² t.
//   d = t (q - p): d1 + e = t1 (q - p) exactly, d2 = e + t2 (q - p) has two roundings of numbers below 7 u |d|:
//   d1 + d2 is within 60 u² |d|.
//   p + d1 = s1 + s2 exactly; the rounding of s2 + d2 is below u (u |s1| + 7 u |d|). So the end is within
//   70 u² (|p| + |d|) of the sum of the last two doubles. kBound is 512 u², which also covers the rounding of the test.
#pragma once

#include <cmath>

#include "exact/tri_tri.h"

namespace sightline::exact {

struct DoubleSum {
  double high, low;  ///< the sum is exact
};
inline DoubleSum two_sum(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
/// Exact if neither overflow nor underflow occurs (Dekker: halves of 26 and 27 bits).
inline DoubleSum two_product(double a, double b) {
  const auto halved = [](double x) {
    const double scaled = 134217729.0 * x, high = scaled - (scaled - x);
    return DoubleSum{high, x - high};
  };
  const double product = a * b;
  const DoubleSum x = halved(a), y = halved(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

class CrossingSegment : public TrianglePair {
 public:
  /// `pair` after points.scale().
  explicit CrossingSegment(const TrianglePair& pair) : TrianglePair(pair) {}

  /// False if the pair is not in general position or an end cannot be rounded; `result` is not complete then.
  bool find(Intersection& result) {
    if (!points.is_narrow() || !sides(0) || !sides(3)) return false;
    result.size = 0;
    return pierce(0, 3, result) && pierce(3, 0, result) && result.size == 2;
  }

 private:
  /// The determinants of the other triangle's corners for the plane of the triangle at `base`; false if one is zero.
  /// Differences are below 2^41, so a normal is below 2^83 and a determinant below 2^126.
  bool sides(int base) {
    std::int64_t d[2][3];
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < 2; ++i) d[i][axis] = points.scaled(base + 1 + i, axis) - points.scaled(base, axis);
    Int128 normal[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      normal[axis] = static_cast<Int128>(d[0][u]) * d[1][v] - static_cast<Int128>(d[0][v]) * d[1][u];
    }
    bool clear = true;
    for (int i = 3 - base; i < 6 - base; ++i) {
      at_[i] = 0;
      for (int axis = 0; axis < 3; ++axis)
        at_[i] += normal[axis] * (points.scaled(i, axis) - points.scaled(base, axis));
      clear &= at_[i] != 0;
    }
    return clear;
  }

  /// Adds the points in which edges of the triangle at `of` pierce the other one; false if an edge meets its boundary.
  bool pierce(int of, int other, Intersection& result) {
    for (int i = 0; i < 3; ++i) {
      const int p = of + i, q = of + (i + 1) % 3;
      if ((at_[p] < 0) == (at_[q] < 0)) continue;
      int side[3];
      sides_of_edges(p, q, other, side);
      if (side[0] == 0 || side[1] == 0 || side[2] == 0) return false;
      if (straddles(side)) continue;
      if (result.size == 2 || !end_of(p, q, result.storage[result.size++])) return false;
    }
    return true;
  }

  static DoubleSum halves(Int128 x) {
    const auto high = static_cast<double>(x);
    return {high, static_cast<double>(x - static_cast<Int128>(high))};
  }
  static bool usable(double x) { return std::fabs(x) > 0x1p-400 && std::fabs(x) < 0x1p400; }

  bool end_of(int p, int q, Vec3d& end) const {
    const DoubleSum a = halves(at_[p]), w = halves(at_[p] - at_[q]);
    const double t1 = a.high / w.high;
    const DoubleSum product = two_product(t1, w.high);
    const double t2 = (((a.high - product.high) - product.low) + a.low - t1 * w.low) / w.high;
    for (int axis = 0; axis < 3; ++axis)
      if (!coordinate_of(points.at[p][axis], points.at[q][axis] - points.at[p][axis], t1, t2, end[axis])) return false;
    return true;
  }
  /// from + (t1 + t2) step, rounded.
  static bool coordinate_of(double from, double step, double t1, double t2, double& result) {
    if (step == 0) {
      result = from + 0.0;  // never -0
      return true;
    }
    if (!usable(step) || !(from == 0 || usable(from))) return false;
    constexpr double kBound = 512 * 0x1p-106;
    const DoubleSum d = two_product(t1, step), s = two_sum(from, d.high);
    const DoubleSum sum = two_sum(s.high, s.low + (d.low + t2 * step));
    result = sum.high;
    // Half of the distance to the next double; at a power of two it is less on one side.
    if (!usable(result) || result == power_of_two(exponent_of(result))) return false;
    if (-result == power_of_two(exponent_of(result))) return false;
    const double half = power_of_two(exponent_of(result) - 53);
    return std::fabs(sum.low) < half - kBound * (std::fabs(from) + std::fabs(step));
  }

  Int128 at_[6];
};

}  // namespace sightline::exact
