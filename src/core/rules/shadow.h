// Three proofs that triangles are apart although their boxes overlap: shadows along a direction, links around a common
// corner, and sights from a point. All are intervals; disjoint intervals are the proof. NaN and infinity make no
// interval disjoint from another.
//
//   S1  Shadows. The shadow of a triangle along a direction d, as seen from a point o, is an interval that holds
//       d . (x - o) for each point x of the triangle. If two triangles share a point, their shadows overlap.
//   S2  Links. Let h be a corner of two triangles of one object. The link of a triangle is the set of directions
//       (x - h) / |x - h| (in the maximum norm) of its points x other than h. If the two are in contact, then their
//       links share a direction: a contact needs a common point outside the convex hull of the common corners, so other
//       than h, or two triangles with the same set of corners, which have the same link. (A triangle that is the point
//       h alone has no link. It gets an interval that overlaps all others.)
//
//   S3  Sights. Let h be a point that a triangle does not contain. The sight of the triangle from h is the set of
//       directions (x - h) / |x - h| of its points x. If two triangles that do not contain h share a point, then their
//       sights share a direction. So do the sight of one that does not contain h and the link of one with the corner h,
//       if they share a point, which is not h. (A triangle that may contain h gets an interval that overlaps all
//       others.)
//
// Shadow bound. Coordinates e_k = (p_k - o_k) s, with s a power of two, are at most 2, and the components of d at
// most 1. Each of the three terms d_k e_k passes at most 4 roundings (difference, product, two additions), so their sum
// is off by at most 4.01 u sum |d_k e_k| <= 24.1 u. Moving the end of an interval by kShadow u, of magnitude 6 at most,
// rounds by 6.1 u more. Products that underflow, and differences that do when they are scaled, add less than 8 h.
//
// Links and sights are taken in the axes of a frame F, three rows f_j, which may be any matrix: if two triangles share
// x, they share F (x - h), and so its direction, if that is not 0. A frame that suits the triangles makes the intervals
// short. Only the roundings depend on it: F F^T is the unit matrix within 2^-20, so |F v| is |v| within a factor
// of 1.001 (2-norm), and a row is of that length.
//
// Spoke bound. A spoke is v = F (p - h), and its direction is a = v / m with m the greatest |v_j| as computed. With d =
// p - h, each of the three terms f_jk d_k passes at most 4 roundings, so v_j is off by at most 4.01 u sum |f_jk d_k| <=
// 4.02 u |d|. The greatest true |v_j| is M >= |F d| / sqrt(3) >= |d| / 1.734, so v_j and m are off by 7 u M, and a_j by
// 15.1 u from v_j / M. If m is below 2^-900, where products may underflow, or above 2^1000, the spoke is not known.
//
// Link bound. Where a second spoke has the direction b, the link is the set of w / |w| over the segment from a to b; a
// sight has a third one. Let D be the greatest |a_k - b_k| of any two.
//   Same face: all spokes have the same component at +1 or at -1, as computed, so w has it with magnitude 1 - 15.1 u at
//   least, and |w| between that and 1. The components of w / |w| are within 31 u of those of the segment or triangle.
//   Otherwise each w of a link is within D / 2 of a or of b, whose norm is 1, so |w| >= 1 - D / 2. Each w of a sight,
//   sum l_i a_i, has an l_i >= 1/3, and is within (1 - l_i) D <= 2 D / 3 of that a_i, so |w| >= 1 - 2 D / 3. The set
//   lies in the box of its spokes stretched away from 0, by f = 1 / (1 - 2 D / 3) for a sight. For D <= 1 as computed,
//   D is off by 31.3 u, 1 - 2 D / 3 >= 1/3 by 23.3 u, f <= 3 by a factor of 1 + 71 u, and a stretched component, 3 at
//   most before it is cut to 1, by 3 (15.1 + 71 + 1) u < 262 u. A link has less. For D > 1 both are taken to be
//   everything. In both cases no w is 0, so a triangle whose sight is not everything does not contain h.
// kLink u covers each case, with the rounding of the interval's end.
//
// Intervals are rounded to float at last, which is monotone: what overlaps in double overlaps in float.
#pragma once

#include <algorithm>
#include <cmath>

#include "rules/bounds.h"

namespace sightline::rules {

inline constexpr int kShadow = 32;
inline constexpr int kLink = 320;

struct Interval {
  float low, high;
};
/// True if it is proven that the intervals have no number in common.
SIGHTLINE_HD inline bool disjoint(const Interval& a, const Interval& b) { return a.low > b.high || b.low > a.high; }

/// An interval before it is rounded to float.
struct Ends {
  double low, high;
  SIGHTLINE_HD Interval rounded() const { return {static_cast<float>(low), static_cast<float>(high)}; }
};

/// The shadow along d of the triangle with scaled coordinates e.
SIGHTLINE_HD inline Ends shadow(const double (&e)[3][3], const double (&d)[3]) {
  double low = 0, high = 0;
  for (int corner = 0; corner < 3; ++corner) {
    const double x = d[0] * e[corner][0] + d[1] * e[corner][1] + d[2] * e[corner][2];
    low = corner == 0 || x < low ? x : low;
    high = corner == 0 || x > high ? x : high;
  }
  constexpr double kPadding = kShadow * Unit<double>::kRoundoff;
  return {low - kPadding, high + kPadding};
}

/// The shadow along d of a box whose scaled corners are at most 2, too: the bound is that of a triangle.
SIGHTLINE_HD inline Ends shadow(const double (&low)[3], const double (&high)[3], const double (&d)[3]) {
  double least = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    least += d[k] * (d[k] < 0 ? high[k] : low[k]);
    most += d[k] * (d[k] < 0 ? low[k] : high[k]);
  }
  constexpr double kPadding = kShadow * Unit<double>::kRoundoff;
  return {least - kPadding, most + kPadding};
}

/// Axes of directions, as rows of the length `scale`, a power of two that brings differences of positions to about 1.
struct LinkFrame {
  double row[3][3];

  static LinkFrame axes(double scale) { return {{{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}}}; }
  /// The first one along n. Plain axes if the others cannot be computed well from it.
  static LinkFrame along(const double (&n)[3], double scale) {
    double f[3][3], plain[3] = {0, 0, 0};
    const auto set = [](double(&row)[3], const double(&v)[3]) {
      const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      for (int k = 0; k < 3; ++k) row[k] = v[k] / length;
    };
    const auto set_across = [&](double(&row)[3], const double(&v)[3], const double(&w)[3]) {
      set(row, {v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]});
    };
    const double least = std::min({std::fabs(n[0]), std::fabs(n[1]), std::fabs(n[2])});
    plain[std::fabs(n[0]) == least ? 0 : std::fabs(n[1]) == least ? 1 : 2] = 1;
    set(f[0], n);
    set_across(f[1], f[0], plain);
    set_across(f[2], f[0], f[1]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        const double product = f[i][0] * f[j][0] + f[i][1] * f[j][1] + f[i][2] * f[j][2];
        if (!(std::fabs(product - (i == j ? 1 : 0)) < 0x1p-30)) return axes(scale);
      }
    for (double(&row)[3] : f)
      for (double& component : row) component *= scale;
    return {{{f[0][0], f[0][1], f[0][2]}, {f[1][0], f[1][1], f[1][2]}, {f[2][0], f[2][1], f[2][2]}}};
  }
};

/// The direction of p from h.
struct Spoke {
  double a[3];
  bool exists;  ///< p is not h
  bool known;
  SIGHTLINE_HD Spoke(const double* h, const double* p, const LinkFrame& frame) {
    const double d[3] = {p[0] - h[0], p[1] - h[1], p[2] - h[2]};
    double most = 0, sum = 0;
    for (int j = 0; j < 3; ++j) {
      const double(&f)[3] = frame.row[j];
      a[j] = f[0] * d[0] + f[1] * d[1] + f[2] * d[2];
      most = std::fabs(a[j]) > most ? std::fabs(a[j]) : most;
      sum += std::fabs(a[j]);
    }
    exists = d[0] != 0 || d[1] != 0 || d[2] != 0;
    known = most > 0x1p-900 && sum < 0x1p1000;  // neither if one is not a number
    for (double& component : a) component = known ? component / most : 0;
  }
};

/// The directions between spokes, as an interval of each component; everything if they differ too much.
template <int kSpokes>
SIGHTLINE_HD inline void directions(const Spoke (&spoke)[kSpokes], Ends (&out)[3]) {
  bool same_face = false;
  double low[3], high[3], distance = 0;
  for (int k = 0; k < 3; ++k) {
    low[k] = high[k] = spoke[0].a[k];
    for (int i = 1; i < kSpokes; ++i) {
      low[k] = spoke[i].a[k] < low[k] ? spoke[i].a[k] : low[k];
      high[k] = spoke[i].a[k] > high[k] ? spoke[i].a[k] : high[k];
    }
    same_face = same_face || (low[k] == high[k] && std::fabs(low[k]) == 1);
    distance = high[k] - low[k] > distance ? high[k] - low[k] : distance;
  }
  for (Ends& all : out) all = {-2, 2};
  if (!same_face && !(distance <= 1)) return;
  constexpr double kFarthest = kSpokes == 2 ? 1.0 / 2 : 2.0 / 3;  // of a direction from a spoke, compared with D
  const double stretch = same_face ? 1 : 1 / (1 - kFarthest * distance);
  constexpr double kPadding = kLink * Unit<double>::kRoundoff;
  for (int k = 0; k < 3; ++k) {
    if (low[k] < 0) low[k] *= stretch;
    if (high[k] > 0) high[k] *= stretch;
    out[k] = {(low[k] < -1 ? -1 : low[k]) - kPadding, (high[k] > 1 ? 1 : high[k]) + kPadding};
  }
}

/// The link of the triangle h, p, q, as an interval of each component.
SIGHTLINE_HD inline void link(const double* h, const double* p, const double* q, const LinkFrame& frame,
                              Ends (&out)[3]) {
  for (Ends& all : out) all = {-2, 2};
  Spoke spoke[2] = {{h, p, frame}, {h, q, frame}};
  for (const Spoke& s : spoke)
    if (s.exists && !s.known) return;
  if (!spoke[0].exists && !spoke[1].exists) return;
  if (!spoke[0].exists) spoke[0] = spoke[1];
  if (!spoke[1].exists) spoke[1] = spoke[0];
  directions(spoke, out);
}

/// The sight of the triangle p, q, r from h, as an interval of each component. False if it is everything.
SIGHTLINE_HD inline bool sight(const double* h, const double* p, const double* q, const double* r,
                               const LinkFrame& frame, Ends (&out)[3]) {
  for (Ends& all : out) all = {-2, 2};
  const Spoke spoke[3] = {{h, p, frame}, {h, q, frame}, {h, r, frame}};
  for (const Spoke& s : spoke)
    if (!s.known) return false;
  directions(spoke, out);
  return out[0].low > -2;
}

}  // namespace sightline::rules
