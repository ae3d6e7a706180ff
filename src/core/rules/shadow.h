// Two proofs that triangles are apart although their boxes overlap: shadows along a direction, and links around a
// common corner. Both are intervals; disjoint intervals are the proof. NaN and infinity make no interval disjoint from
// another.
//
//   S1  Shadows. The shadow of a triangle along a direction d, as seen from a point o, is an interval that holds
//       d . (x - o) for each point x of the triangle. If two triangles share a point, their shadows overlap.
//   S2  Links. Let h be a corner of two triangles of one object. The link of a triangle is the set of directions
//       (x - h) / |x - h| (in the maximum norm) of its points x other than h. If the two are in contact, then their
//       links share a direction: a contact needs a common point outside the convex hull of the common corners, so other
//       than h, or two triangles with the same set of corners, which have the same link. (A triangle that is the point
//       h alone has no link. It gets an interval that overlaps all others.)
//
// Shadow bound. Coordinates e_k = (p_k - o_k) s, with s a power of two, are at most 2, and the components of d at
// most 1. Each of the three terms d_k e_k passes at most 4 roundings (difference, product, two additions), so their sum
// is off by at most 4.01 u sum |d_k e_k| <= 24.1 u. Moving the end of an interval by kShadow u, of magnitude 6 at most,
// rounds by 6.1 u more. Products that underflow, and differences that do when they are scaled, add less than 8 h.
//
// Link bound. A spoke is v = p - h, and its direction is a = v / m with m the greatest |v_k| as computed. A component
// of a passes 2 roundings and m one more: it is off by at most 3.01 u. Where a second spoke has the direction b, the
// link is the set of w / |w| over the segment from a to b.
//   Same face: a and b have the same component at +1 or at -1, as computed, so w has it with magnitude 1 - 3.01 u at
//   least, and |w| between that and 1. The components of w / |w| are within 7 u of those of the segment.
//   Otherwise, with D the greatest |a_k - b_k|, each w is within D / 2 of a or of b, whose norm is 1, so |w| >= 1 - D
//   / 2. The link lies in the segment's box stretched by f = 1 / (1 - D / 2) away from 0. For D <= 1 as computed, D is
//   off by 7.1 u, 1 - D / 2 >= 1/2 by 4.7 u, f <= 2 by a factor of 1 + 11 u, and a stretched component, 2 at most
//   before it is cut to 1, by 2 (3.01 + 11 + 1) u < 31 u. For D > 1 the link is taken to be everything.
// kLink u covers each case, with the rounding of the interval's end.
//
// Intervals are rounded to float at last, which is monotone: what overlaps in double overlaps in float.
#pragma once

#include "rules/bounds.h"

namespace sightline::rules {

inline constexpr int kShadow = 32;
inline constexpr int kLink = 48;

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

/// The direction of p from h. Nothing if p is h.
struct Spoke {
  double a[3];
  bool exists, overflows;
  SIGHTLINE_HD Spoke(const double* h, const double* p) {
    double most = 0;
    for (int k = 0; k < 3; ++k) {
      a[k] = p[k] - h[k];
      most = std::fabs(a[k]) > most ? std::fabs(a[k]) : most;
    }
    overflows = !(most <= 0x1.fffffffffffffp1023);
    exists = most > 0;
    for (double& component : a) component = exists ? component / most : 0;
  }
};

/// The link of the triangle h, p, q, as an interval of each component.
SIGHTLINE_HD inline void link(const double* h, const double* p, const double* q, Ends (&out)[3]) {
  for (Ends& all : out) all = {-2, 2};
  Spoke first(h, p), second(h, q);
  if (first.overflows || second.overflows || (!first.exists && !second.exists)) return;
  if (!first.exists) first = second;
  if (!second.exists) second = first;
  bool same_face = false;
  double distance = 0;
  for (int k = 0; k < 3; ++k) {
    same_face = same_face || (first.a[k] == second.a[k] && std::fabs(first.a[k]) == 1);
    const double d = std::fabs(first.a[k] - second.a[k]);
    distance = d > distance ? d : distance;
  }
  if (!same_face && !(distance <= 1)) return;
  const double stretch = same_face ? 1 : 1 / (1 - 0.5 * distance);
  constexpr double kPadding = kLink * Unit<double>::kRoundoff;
  for (int k = 0; k < 3; ++k) {
    const bool ascending = first.a[k] < second.a[k];
    double low = ascending ? first.a[k] : second.a[k], high = ascending ? second.a[k] : first.a[k];
    low = low < 0 ? low * stretch : low;
    high = high > 0 ? high * stretch : high;
    out[k] = {(low < -1 ? -1 : low) - kPadding, (high > 1 ? 1 : high) + kPadding};
  }
}

}  // namespace sightline::rules
