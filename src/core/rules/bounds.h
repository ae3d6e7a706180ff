// Error bounds of the floating-point filters: every constant that an answer depends on, with its derivation.
// docs/bounds.md has them in a table. The parts that a machine can prove are in Gappa scripts that
// tests/rules/gappa_test.cpp writes from these constants; the rest is argued here and tested against exact arithmetic
// (tests/rules).
//
// Arithmetic is IEEE: round to nearest, gradual underflow, no reassociation; a product and a sum may be fused. u is the
// unit roundoff (2^-24, 2^-53) and h half of the least subnormal number (2^-150, 2^-1075). An operation with the exact
// result x returns x (1 + d) with |d| <= u / (1 + u) where x is normal or the operation is an addition, otherwise x + e
// with |e| <= h. A filter's answer is certain if a computed value is larger than its bound. Comparisons with a NaN are
// false, and nothing is larger than an infinite bound.
//
// Terms. A computed determinant is a sum of products ("terms"). By linearity each rounding multiplies the terms that
// pass it by 1 + d, whatever is added to them. A term that passes k roundings is off by at most (1 + u)^k - 1 of
// itself. Differences of coordinates count as roundings; what they are off by is at most u times the computed
// difference, too. P stands for the sum of the absolute values of the terms, as computed.
#pragma once

#include <cmath>

#include "rules/host_device.h"

namespace sightline::rules {

template <typename T>
struct Unit;
template <>
struct Unit<float> {
  static constexpr float kRoundoff = 0x1p-24f;
};
template <>
struct Unit<double> {
  static constexpr double kRoundoff = 0x1p-53;
};

// 1. Orientation: det(p, q, d) of three differences, as n_x d_x + n_y d_y + n_z d_z with n_x = p_y q_z - p_z q_y, ….
//
// Each of the six terms passes at most 8 roundings: three differences, a product, a subtraction, a product and two
// additions; fused operations save some. So the error is at most 8.01 u times the sum of |p q d| over the six terms. P
// as computed passes 5 roundings after the differences, and the bound two more, all of them downwards at worst.
// kTerms = 9 covers that.
//
// Underflow: each of the two products in n_k is off by h, and n_k d_k by h; the same in P; the bound's last product by
// h. Together that is less than 5 h (1 + |d_x| + |d_y| + |d_z|), and kTiny is more than 2^30 h.
//
// Overflow: |n_k d_k| and their partial sums, as computed, are at most their counterparts in P. Where one of them is
// infinite or not a number, so is P, and nothing is certain. (Where the two are fused differently, the determinant can
// be infinite while P is finite by a few u; then cancellation of a few u of the greatest number at most is left to
// come, and the sign is right.)
inline constexpr int kTerms = 9;

// 2. Orientation in the plane: dx ey - dy ex. Each term passes at most 4 roundings: two differences, a product, the
// subtraction. P passes 2 after the differences, the bound two more. Underflow is at most 4 h.
inline constexpr int kTurns = 5;

template <typename T>
struct Tiny;
template <>
struct Tiny<float> {
  static constexpr float kTiny = 1e-36f;
};
template <>
struct Tiny<double> {
  static constexpr double kTiny = 1e-300;
};

/// `reach` is |d_x| + |d_y| + |d_z|.
template <typename T>
SIGHTLINE_HD inline T orientation_bound(T permanent, T reach) {
  return kTerms * Unit<T>::kRoundoff * permanent + Tiny<T>::kTiny * (T(1) + reach);
}
template <typename T>
SIGHTLINE_HD inline T turn_bound(T permanent) {
  return kTurns * Unit<T>::kRoundoff * permanent + Tiny<T>::kTiny;
}

// Rounded frames. Coordinates are moved to a common origin in double and rounded to float: each by v = u R at most,
// where R bounds the rounded coordinates ("slop" on the CPU). (The double operation adds 2^-53 R and an underflow h,
// which the fractions of the constants below cover many times.) So an edge component e as computed is off by a <= u |e|
// + 2 v, and likewise another one f by b and a difference d by c. With D' = D + 2 v >= |d| + 2 v,
//   (|e| + a) (|f| + b) (|d| + c) - |e f d|
// summed over the six terms is at most the sum of
//   3 u P                                    which term roundings have counted,
//   2 v Q                                    Q = sum of |e f| over the six pairs,
//   4 v S D' (1 + 2 u)                       S = sum of all |e| and |f|: each meets two components of d,
//   24 v^2 D' (1 + 2 u).
// The last one is of second order, but no other term covers it where edges are only some v long.

// 3. The plane filter of the CPU kernel, float: det(e, f, d) for the edges e, f of a plane's triangle and any d of its
// group, |d_k| <= D = reach. The bound is by_permanent Q + by_edges S + constant with
//   by_permanent = kTerms u (D + slop)       8 u Q D for the terms, 2 v Q from above
//   by_edges     = kEdges u slop D'          4 v S D'
//   constant     = kCorners (u slop)^2 D' + kTinyPlane (1 + D + slop)^2
// Underflow: n_k is off by 2 h and n_k d_k by h; rounding a coordinate by h, which adds 36 h D^2; Q is too small by
// 6 h, which by_permanent multiplies, and the three factors by some h, which Q <= 6 D^2 and S <= 6 D multiply: less
// than 2^9 h (1 + D + slop)^2 in all, and kTinyPlane is 2^10 h. Groups with D or slop of 2^30 and more are not
// filtered: their bound is infinite. Below that nothing overflows.
inline constexpr float kEdges = 4.125f;
inline constexpr float kCorners = 25.0f;
inline constexpr float kTinyPlane = 0x1p-140f;
inline constexpr float kMostReach = 0x1p30f;

struct PlaneBound {
  float by_permanent, by_edges, constant;
  SIGHTLINE_HD static PlaneBound of(float reach, float slop) {
    if (!(reach < kMostReach && slop < kMostReach)) return {0, 0, __builtin_inff()};  // or NaN
    const float u = Unit<float>::kRoundoff, v = u * slop, wide = reach + 2 * v, all = 1 + (reach + slop);
    return {kTerms * u * (reach + slop), kEdges * v * wide, kCorners * v * (v * wide) + kTinyPlane * all * all};
  }
};

// 4. Determinants of the CPU kernel, float: det(e, f, d) by 1-norms p, q, r of e, f, d (as computed). |e f d| summed
// over the six terms is at most p q r, and what rounded coordinates add is at most
//   2 v (p q + q r + r p) + 8 v^2 (p + q + r) + 48 v^3.
// With p' = p + kPad v, and q', r' likewise, the bound is
//   kTerms u p' q' r' + kSides v (p' q' + q' r' + r' p'):
// kPad = 3 gives kSides v (… + 6 v (p + q + r) + 27 v^2), which is enough for kSides >= 2.
// If the second vector is a direction that is taken as it is, without error, what is added is
//   2 v q (p + r) + 8 v^2 q, and the bound kTerms u p' q' r' + kSides v q' (p' + r').
// Underflow: kTinyNorm is added to each norm, too. All products of the bound are then normal numbers, and
// u p' q' r' is at least 2^-84 r' and 2^-114, while products that underflow add 2 h r + 3 h and rounded coordinates
// 2 h (p q + q r + r p) <= 6 h 2^30 p' q' r'.
// Overflow: p' q' is formed first, then times kTerms, then times r', and u comes last. Products |e f| are at most p q,
// and sums of |e f d| at most p q r, but for some u; so where the determinant or a part of it overflows, the bound is
// infinite or not a number. (With p' r' formed first, p' q' r' may be finite where p' q' is not.)
inline constexpr float kSides = 2.125f;
inline constexpr float kPad = 3.0f;
inline constexpr float kTinyNorm = 0x1p-30f;

struct NormBound {
  float by_sides, pad;
  SIGHTLINE_HD static NormBound of(float slop) {
    return {kSides * slop, kTinyNorm + kPad * Unit<float>::kRoundoff * slop};
  }
};

// 5. The plane filter of the CUDA kernel, float: det(e, f, d) with |d|, the sum of d's components. For float32 corners
// as they are, the bound is kTerms u (Q |d|) + kTiny (1 + |d|): P <= Q |d|.
// float64 corners are rounded in the frame of their cell. R bounds the coordinates of both triangles, v = u R, and E
// the components of e and f. What rounding adds is at most
//   8 v E |d| + 8 v^2 |d| + 12 v E^2 + 48 v^2 E + 48 v^3
// (each component of d meets four products of an a and an edge component; Q <= 6 E^2). The bound adds
//   kTerms v (kLocalEdges E |d| + kLocalAreas E^2).
// If the answer is certain, then |det| <= max |n_k| |d| <= 2 E^2 |d| (1 + 5 u) exceeds kTerms kLocalEdges v E |d|, so
// E > 5.6 v, and 8 v^2 < 1.43 v E, 48 v^2 E + 48 v^3 < 10.2 v E^2: 9.43 and 22.2 are needed, kTerms times the
// constants are 11.25 and 22.5.
// Overflow: Q |d| is formed before it is multiplied by u.
inline constexpr float kLocalEdges = 1.25f;
inline constexpr float kLocalAreas = 2.5f;

/// What the plane's triangle contributes to the bound, and what a pair adds.
struct LocalBound {
  static constexpr float kRelative = kTerms * Unit<float>::kRoundoff;
  float slope, base;
  SIGHTLINE_HD static float weight(float products) { return products + Tiny<float>::kTiny / kRelative; }
  SIGHTLINE_HD static LocalBound of(float weight) { return {weight, Tiny<float>::kTiny}; }
  /// `edge` is kLocalEdges E.
  SIGHTLINE_HD void widen(float edge, float far) {
    const float wide = edge * far;
    slope += wide;
    base += kRelative * wide * (edge * (kLocalAreas / (kLocalEdges * kLocalEdges)));
  }
  SIGHTLINE_HD float at(float reach) const { return std::fma(kRelative, slope * reach, base); }
};

// 6. The conservative raster, double, without perspective. Pixels are 256 subpixels wide. All triangles are mapped by
// one affine map, with the camera's numbers as they are; a corner is then off by what its own operations round.
//
// Coverage and depth of a corner. A term of the map passes at most 6 roundings (difference, product, two additions,
// scale, offset), and as many again where a triangle is clipped. Where the terms' sum is at most kMostScaled, in
// subpixels or in units of depth, a corner is off by 12.01 u kMostScaled < 3/8. Cameras guarantee that: on each axis
// the window is at least 2 kFlattest of the farthest distance of a point from the camera's origin (set_window in
// raster/camera.cpp, region_camera in method/roi.cpp); the terms' sum is at most 3/2 of that distance, and the window
// is at most 16384 pixels wide and 2^32 units deep.
// Snapping moves a corner by half a subpixel, so with the above a point of the triangle moves by less than kGrow = 1:
// a pixel is covered if the snapped triangle meets the pixel grown by kGrow on each side, which is tested in integers.
//
// Depth of a plane. With Z the range of the corners' depths, L the largest extent in subpixels, A twice the area and
// X = L + 2 pixels, the depth at a sample is a sum of four terms (z y x / A) of at most Z L |x| / A each, |x| <= X
// being what separates corner 0 from the anchor and the anchor from the sample. A term passes at most 9 roundings: a
// difference, a product, a subtraction, a quotient, a product, and up to four additions. That is 36 u Z L X / A, and
// half of what depth changes over a pixel, 129 subpixels <= X / 3, adds 4 terms of 7 roundings: 10 u Z L X / A more.
// kDepthTerms u Z X^2 / A bounds both. Where that is less than kDepthError of a unit, the plane is used; otherwise the
// corners bound the depth. The ends of a fragment are then moved outwards by kDepthSpare units, more than kDepthError,
// the corners' 3/8 and the rounding of sums of at most 2^33 units together.
inline constexpr double kMostScaled = 0x1p48;
inline constexpr double kFlattest = 0x1p-16;
inline constexpr int kGrow = 1;
inline constexpr int kDepthTerms = 64;
inline constexpr double kDepthError = 0.25;
inline constexpr double kDepthSpare = 1;
inline constexpr double kDepthUnitFloat = 0x1p-24;  ///< a unit of depths in float32, which are below 1
inline constexpr double kDepthSpareFloat = kDepthSpare * kDepthUnitFloat;

SIGHTLINE_HD inline double depth_error(double range, double extent, double area) {
  return kDepthTerms * Unit<double>::kRoundoff * range * extent * extent / area;
}

// 7. Directions of the CPU kernel, float: m . (x - o) for a direction m that is taken as it is and two corners of the
// group, as m_z d_z + (m_y d_y + m_x d_x). A term passes at most 4 roundings: the difference, the product, two
// additions. Rounded coordinates add 2 v to a difference. With |d_k| <= D = reach and |m| the sum of m's components, the
// bound is |m| by_norm + constant:
//   by_norm  = u (kAcross D + kMoved slop)   4 u D for the terms, and 2 v
//   constant = kTinyPlane (1 + D + slop)^2
// The kernel also compares the difference of two such values with twice the bound; kAcross and kMoved cover the
// rounding of that difference.
// Underflow: the three products are off by h each and the bound's product by h; rounded coordinates by h, which adds
// 2 h |m|. The kernel's m is a difference of two sums of three differences, each times 1 or the norm of the other sum:
// |m| is at most 18 D or 162 D^2, so all of it is less than 2^9 h (1 + D)^2, and kTinyPlane is 2^10 h.
// Overflow: |m . d| is less than 2^100, since groups with D or slop of 2^30 and more are not filtered.
inline constexpr float kAcross = 5.0f;
inline constexpr float kMoved = 2.25f;

struct DirectionBound {
  float by_norm, constant;
  SIGHTLINE_HD static DirectionBound of(float reach, float slop) {
    if (!(reach < kMostReach && slop < kMostReach)) return {0, __builtin_inff()};  // or NaN
    const float u = Unit<float>::kRoundoff;
    const float all = 1 + (reach + slop);
    return {u * (kAcross * reach + kMoved * slop), kTinyPlane * all * all};
  }
};

}  // namespace sightline::rules
