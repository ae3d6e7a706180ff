// On which side of a triangle's plane does a box lie? Certain answers only.
#pragma once

#include <cstdint>
#include <cstring>

#include "rules/plane.h"

namespace sightline::rules {

inline constexpr double kTinyBox = 0x1p-1018;

/// The plane of a triangle with the numbers that certify a side of it. The edges are first scaled, each by a power of
/// two that brings its largest component to 1 … 2, so that the size of the triangle neither overflows nor underflows:
/// only the sign of the normal's products with points matters.
///
/// Bound: that of an orientation (bounds.h) at each corner p of the box. value(p) is a sum of n_k (p_k - a_k); `least`
/// takes the smaller of the two products on each axis. Rounded operations are monotone, so least <= value(p) for all
/// corners p, and with D_k >= |p_k - a_k| the bound computed here is at least the bound for p. So least > bound proves
/// n . (p - a) > 0 for all corners, and by convexity for the whole box; `most` likewise.
///
/// Underflow: in addition to that of an orientation, a scaled component is off by h, which the other edge's components,
/// below 2^4 (the scale is clamped), and |d| multiply: in all less than 2^7 h (1 + |d_x| + |d_y| + |d_z|) = 2^-1068
/// (…).
class BoxPlane {
 public:
  SIGHTLINE_HD explicit BoxPlane(const double (&t)[3][3]) {
    const Vector<double> a = vector_at(t[0]);
    plane_ = Plane<double>::spanned(a, normalized(vector_at(t[1]) - a), normalized(vector_at(t[2]) - a));
  }

  /// 1 if (b - a) x (c - a) . (p - a) > 0 for all p in the box, -1 if < 0 for all, 0 if that is not certain.
  SIGHTLINE_HD int side(const double* lo, const double* hi) const {
    const Vector<double> below = vector_at(lo) - plane_.origin, above = vector_at(hi) - plane_.origin;
    Sums sums;
    sums.add(plane_.normal.x, plane_.size.x, below.x, above.x);
    sums.add(plane_.normal.y, plane_.size.y, below.y, above.y);
    sums.add(plane_.normal.z, plane_.size.z, below.z, above.z);
    const double bound = kTerms * Unit<double>::kRoundoff * sums.permanent + kTinyBox * (1 + sums.reach);
    return sums.least > bound ? 1 : sums.most < -bound ? -1 : 0;
  }

 private:
  struct Sums {
    double least = 0, most = 0, permanent = 0, reach = 0;
    SIGHTLINE_HD void add(double normal, double size, double below, double above) {
      const double s = normal * below, t = normal * above;
      const double far = larger(std::fabs(below), std::fabs(above));
      least += s < t ? s : t;
      most += s < t ? t : s;
      permanent += size * far;
      reach += far;
    }
  };

  SIGHTLINE_HD static double larger(double x, double y) { return x < y ? y : x; }
  SIGHTLINE_HD static Vector<double> normalized(const Vector<double>& e) {
    const double most = larger(larger(std::fabs(e.x), std::fabs(e.y)), std::fabs(e.z));
    std::uint64_t bits;
    std::memcpy(&bits, &most, sizeof bits);
    // Biased exponents 3 … 2043, so that the scale 2^(1023 - e) is a normal number. An infinite edge stays infinite.
    int exponent = static_cast<int>(bits >> 52);
    exponent = exponent < 3 ? 3 : exponent > 2043 ? 2043 : exponent;
    bits = static_cast<std::uint64_t>(2046 - exponent) << 52;
    double scale;
    std::memcpy(&scale, &bits, sizeof scale);
    return {e.x * scale, e.y * scale, e.z * scale};
  }

  Plane<double> plane_;
};

/// The side of the plane through t[0], t[1], t[2] on which the box [lo, hi] lies strictly, all of it: 1 or -1 as
/// Points::orient3d has it, and 0 where that is not certain. For all finite doubles. With many boxes for one triangle,
/// use a BoxPlane.
SIGHTLINE_HD inline int box_side(const double (&t)[3][3], const double* lo, const double* hi) {
  return BoxPlane(t).side(lo, hi);
}

}  // namespace sightline::rules
