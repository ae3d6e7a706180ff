// On which side of a triangle's plane does a box lie? Certain answers only.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/rules/bounds.h"

namespace sightline::rules {

/// The plane of a triangle with what it takes to certify a side of it. The edges are first scaled, each by a power of
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
    double p[3], q[3];
    for (int k = 0; k < 3; ++k) {
      origin_[k] = t[0][k];
      p[k] = t[1][k] - t[0][k];
      q[k] = t[2][k] - t[0][k];
    }
    normalize(p);
    normalize(q);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const double ij = p[i] * q[j], ji = p[j] * q[i];
      normal_[k] = ij - ji;
      size_[k] = magnitude(ij) + magnitude(ji);
    }
  }

  /// 1 if (b - a) x (c - a) . (p - a) > 0 for all p in the box, -1 if < 0 for all, 0 if that is not certain.
  SIGHTLINE_HD int side(const double* lo, const double* hi) const {
    double least = 0, most = 0, permanent = 0, reach = 0;
    for (int k = 0; k < 3; ++k) {
      const double below = lo[k] - origin_[k], above = hi[k] - origin_[k];
      const double far = larger(magnitude(below), magnitude(above));
      const double s = normal_[k] * below, t = normal_[k] * above;
      least += s < t ? s : t;
      most += s < t ? t : s;
      permanent += size_[k] * far;
      reach += far;
    }
    const double bound = kTerms * Unit<double>::kRoundoff * permanent + kTiny * (1 + reach);
    return least > bound ? 1 : most < -bound ? -1 : 0;
  }

 private:
  static constexpr double kTiny = 0x1p-1018;

  SIGHTLINE_HD static double magnitude(double x) { return x < 0 ? -x : x; }
  SIGHTLINE_HD static double larger(double x, double y) { return x < y ? y : x; }
  SIGHTLINE_HD static void normalize(double* e) {
    const double most = larger(larger(magnitude(e[0]), magnitude(e[1])), magnitude(e[2]));
    std::uint64_t bits;
    std::memcpy(&bits, &most, sizeof bits);
    // Biased exponents 3 … 2043, so that the scale 2^(1023 - e) is a normal number. An infinite edge stays infinite.
    int e2 = static_cast<int>(bits >> 52);
    e2 = e2 < 3 ? 3 : e2 > 2043 ? 2043 : e2;
    bits = static_cast<std::uint64_t>(2046 - e2) << 52;
    double scale;
    std::memcpy(&scale, &bits, sizeof scale);
    for (int k = 0; k < 3; ++k) e[k] *= scale;
  }

  double origin_[3], normal_[3], size_[3];
};

/// The side of the plane through t[0], t[1], t[2] on which the box [lo, hi] lies strictly, all of it: 1 or -1 as
/// Points::orient3d has it, and 0 where that is not certain. For all finite doubles. With many boxes for one triangle,
/// use a BoxPlane.
SIGHTLINE_HD inline int box_side(const double (&t)[3][3], const double* lo, const double* hi) {
  return BoxPlane(t).side(lo, hi);
}

}  // namespace sightline::rules
