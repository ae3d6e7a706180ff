// The exact decision: are two triangles in contact, and of what kind? (docs/definitions.md)
//
// Everything follows from orientation signs of the six corners; no point is ever constructed.
//
//   1. same corners?                                       -> duplicate
//   2. one strictly on one side of the other's plane?      -> clear
//   3. planes differ: both cut the common line of the planes in an interval. Compare the intervals' ends, each the
//      crossing of an edge with the other's plane, by the orientation of the two edges (Guigue and Devillers 2003).
//   4. same plane: separating edges in a projection that keeps the area.
//   5. a degenerate triangle: segments and points, by extreme points of the intersection.
//
// In one object, the corners that both share do not count: each step states what the intersection can be at most.
#pragma once

#include <optional>

#include "exact/points.h"
#include "sightline/contact.h"

namespace sightline::exact {

/// The relation of two triangles: a Kind, or clear.
enum class Verdict : signed char { clear = -1, touching = 0, crossing = 1, coplanar = 2, duplicate = 3 };

class TrianglePair {
 public:
  /// Corners of a at 0, 1, 2 and of b at 3, 4, 5.
  Points<6> points;

  /// `one_object`: corners that both share do not count.
  SIGHTLINE_HD Verdict decide(bool one_object) {
    int shared = 0;
    int common = match_corners(&shared);
    if (common == 63) return Verdict::duplicate;
    if (!one_object) shared = common = 0;
    common_ = common;
#ifndef __CUDA_ARCH__  // the lanes of a warp would run two copies of decide_flat, one after the other
    for (int axis = 0; axis < 3; ++axis)
      if (level(axis)) return decide_flat(shared, axis, axis);
#endif

    int side_b[3], side_a[3];  // sides of b's corners of a's plane, and the other way round
    points.sides(0, 1, 2, 3, common >> 3, side_b);
    if (one_sided(side_b)) return Verdict::clear;
    if ((side_b[0] | side_b[1] | side_b[2]) == 0) return decide_flat(shared);
    points.sides(3, 4, 5, 0, common, side_a);
    if (one_sided(side_a)) return Verdict::clear;
    if ((side_a[0] | side_a[1] | side_a[2]) == 0) return decide_flat(shared);
    if (shared >= 2) return Verdict::clear;  // different planes meet in the line of the common edge
    if (shared == 1) return decide_at_corner(side_a, side_b);
    return decide_intervals(side_a, side_b);
  }

 protected:  // the intersection as geometry is built from the same tests (exact/intersection.cpp)
  /// Which corners (bits 0 to 2 of a, 3 to 5 of b) coincide with a corner of the other; counts distinct positions.
  SIGHTLINE_HD int match_corners(int* distinct) const {
    int mask = 0;
    *distinct = 0;
    for (int i = 0; i < 3; ++i) {
      bool found = false;
      for (int j = 3; j < 6; ++j)
        if (points.equal(i, j)) {
          found = true;
          mask |= 1 << j;
        }
      if (!found) continue;
      mask |= 1 << i;
      bool repeated = false;
      for (int k = 0; k < i; ++k) repeated = repeated || points.equal(k, i);
      *distinct += !repeated;
    }
    return mask;
  }

  /// All corners have one coordinate in common: faces of boxes that touch do.
  SIGHTLINE_HD bool level(int axis) const {
    for (int i = 1; i < 6; ++i)
      if (points.at[i][axis] != points.at[0][axis]) return false;
    return true;
  }
  SIGHTLINE_HD static bool one_sided(const int* side) {
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
  }
  SIGHTLINE_HD static bool straddles(const int* side) {
    return (side[0] > 0 || side[1] > 0 || side[2] > 0) && (side[0] < 0 || side[1] < 0 || side[2] < 0);
  }

  /// The sides of line p, q on which the edges of the triangle at `base` pass it.
  SIGHTLINE_HD void sides_of_edges(int p, int q, int base, int* side) {
    for (int i = 0; i < 3; ++i) side[i] = points.orient3d(p, q, base + i, base + (i + 1) % 3);
  }

  /// Different planes, one common corner s. Each triangle cuts the planes' common line in s or in a segment that
  /// starts at s; with n the normals and α1, α2 the sides of the corners after s, a's segment runs along
  /// sign(α1 - α2) · (n_a × n_b), and b's along -sign(β1 - β2) · (n_a × n_b).
  SIGHTLINE_HD Verdict decide_at_corner(const int* side_a, const int* side_b) const {
    const int s_a = corner_of(common_), s_b = corner_of(common_ >> 3);
    const int a1 = side_a[(s_a + 1) % 3], a2 = side_a[(s_a + 2) % 3];
    const int b1 = side_b[(s_b + 1) % 3], b2 = side_b[(s_b + 2) % 3];
    if (a1 * a2 > 0 || b1 * b2 > 0) return Verdict::clear;  // only s
    const int along_a = a1 > a2 ? 1 : -1, along_b = b1 > b2 ? -1 : 1;
    if (along_a != along_b) return Verdict::clear;
    return a1 * a2 < 0 && b1 * b2 < 0 ? Verdict::crossing : Verdict::touching;
  }
  SIGHTLINE_HD static int corner_of(int mask) { return (mask & 1) != 0 ? 0 : (mask & 2) != 0 ? 1 : 2; }

  /// Corners in the order apex, left, right such that the edges from the apex both meet the plane the sides refer to,
  /// each in exactly one point: the apex is alone on its side, the plane itself counting as the other side unless both
  /// others are off it. Returns the apex' place; `positive` is true if the apex counts as above.
  SIGHTLINE_HD static int apex_of(const int* side, bool* positive) {
    for (int i = 0; i < 3; ++i) {
      const int p = side[i], q = side[(i + 1) % 3], r = side[(i + 2) % 3];
      if (p > 0 && q <= 0 && r <= 0) return *positive = true, i;
      if (p < 0 && q >= 0 && r >= 0) return *positive = false, i;
      if (p == 0 && q * r > 0) return *positive = q < 0, i;
    }
    return *positive = true, 0;  // not reached: sides are neither all of one sign nor all zero
  }

  /// Different planes, no common corner that counts.
  SIGHTLINE_HD Verdict decide_intervals(const int* side_a, const int* side_b) {
    bool above_b, above_a;  // is the apex of a above b's plane, and the other way round?
    const int i = apex_of(side_a, &above_b), j = apex_of(side_b, &above_a);
    // Each triangle is turned over where the other's apex is below it, so that both apexes are above.
    const int turn_a = above_a ? 1 : 2, turn_b = above_b ? 1 : 2;
    const int q = (i + turn_a) % 3, r = (i + 3 - turn_a) % 3, q2 = 3 + (j + turn_b) % 3, r2 = 3 + (j + 3 - turn_b) % 3;
    const int first = points.orient3d(i, q, 3 + j, q2);
    if (first > 0) return Verdict::clear;
    const int second = points.orient3d(i, r, r2, 3 + j);
    if (second > 0) return Verdict::clear;
    return first < 0 && second < 0 && straddles(side_a) && straddles(side_b) ? Verdict::crossing : Verdict::touching;
  }

  /// All in one plane, or one degenerate. An area shows along an axis from `last` down to `first`, if there is any.
  SIGHTLINE_HD Verdict decide_flat(int shared, int last = 2, int first = 0) {
    const int axis_a = area_axis(0, last, first), axis_b = area_axis(3, last, first);
    if (axis_a >= 0 && axis_b >= 0) return decide_coplanar(axis_a, shared);
    if (axis_a >= 0) return decide_thin(3, 0, axis_a);
    return decide_thin(0, 3, axis_b);
  }
  /// An axis along which the triangle at `base` shows an area; -1 if it is degenerate.
  SIGHTLINE_HD int area_axis(int base, int last = 2, int first = 0) {
    for (int axis = last; axis >= first; --axis)
      if (points.orient2d(axis, base, base + 1, base + 2) != 0) return axis;
    return -1;
  }

  /// How b's corners lie to the edges of a, as bits of the strongest separation by one edge of the triangle at `of`:
  /// 2 strictly outside an edge, 1 outside or on it, 0 neither.
  SIGHTLINE_HD int separation(int axis, int of, int other) {
    const int turn = points.orient2d(axis, of, of + 1, of + 2);
    int strongest = 0;
    for (int i = 0; i < 3; ++i) {
      int worst = 2;
      for (int j = 0; j < 3 && worst > 0; ++j) {
        const int side = turn * points.orient2d(axis, of + i, of + (i + 1) % 3, other + j);
        const int outside = side < 0 ? 2 : side == 0 ? 1 : 0;
        if (outside < worst) worst = outside;
      }
      if (worst > strongest) strongest = worst;
    }
    return strongest;
  }

  /// Two triangles with area in one plane.
  SIGHTLINE_HD Verdict decide_coplanar(int axis, int shared) {
    const int by_a = separation(axis, 0, 3);
    if (by_a == 2) return Verdict::clear;
    const int by_b = separation(axis, 3, 0);
    if (by_b == 2) return Verdict::clear;
    if (by_a == 0 && by_b == 0) return Verdict::coplanar;
    if (shared == 0) return Verdict::touching;
    if (shared == 2) return Verdict::clear;  // on different sides of the common edge
    // One common corner, the interiors apart: the intersection is that corner or a segment from it, whose other end
    // is a corner of one inside the other (two edges crossing in their interiors would make an area).
    for (int i = 0; i < 6; ++i)
      if ((common_ >> i & 1) == 0 && inside(axis, i < 3 ? 3 : 0, i)) return Verdict::touching;
    return Verdict::clear;
  }
  /// Point i (in the plane) in the closed triangle at `base`.
  SIGHTLINE_HD bool inside(int axis, int base, int i) {
    const int turn = points.orient2d(axis, base, base + 1, base + 2);
    for (int k = 0; k < 3; ++k)
      if (turn * points.orient2d(axis, base + k, base + (k + 1) % 3, i) < 0) return false;
    return true;
  }

  // Degenerate triangles. The intersection K is a point or a segment; conv(S), S the common corners, is part of it.
  // K reaches past conv(S) exactly if one of its end points is not in conv(S), and an end point of K is a corner of
  // one triangle that lies in the other, or the proper crossing of the thin one with the other or an edge of it.

  /// The thin triangle at `thin` against the one at `other`, which has an area seen along `axis`, or axis < 0 if not.
  SIGHTLINE_HD_COLD Verdict decide_thin(int thin, int other, int axis) {
    int p, q;
    ends(thin, &p, &q);
    if (axis < 0) return decide_segments(p, q, other);
    const int side_p = points.orient3d(other, other + 1, other + 2, p);
    const int side_q = points.orient3d(other, other + 1, other + 2, q);
    if (side_p * side_q > 0) return Verdict::clear;
    if (side_p * side_q < 0) {
      int side[3];
      sides_of_edges(p, q, other, side);
      if (straddles(side)) return Verdict::clear;
      if (common_ != 0) return Verdict::clear;  // the thin one's middle corner is the piercing point
      return side[0] * side[1] * side[2] != 0 ? Verdict::crossing : Verdict::touching;
    }
    if (side_p == 0 && inside(axis, other, p) && past_common(p)) return Verdict::touching;
    if (side_q == 0 && inside(axis, other, q) && past_common(q)) return Verdict::touching;
    if (side_p != 0 || side_q != 0) return Verdict::clear;
    for (int i = 0; i < 3; ++i) {
      const int u = other + i, v = other + (i + 1) % 3;
      if (between(u, p, q) && past_common(u)) return Verdict::touching;
      if (properly_cross(axis, p, q, u, v)) return Verdict::touching;
    }
    return Verdict::clear;
  }

  /// Two thin triangles: the segment p, q against the one at `other`.
  SIGHTLINE_HD_COLD Verdict decide_segments(int p, int q, int other) {
    int u, v;
    ends(other, &u, &v);
    if ((between(p, u, v) && past_common(p)) || (between(q, u, v) && past_common(q)) ||
        (between(u, p, q) && past_common(u)) || (between(v, p, q) && past_common(v)))
      return Verdict::touching;
    if (points.orient3d(p, q, u, v) != 0 || common_ != 0) return Verdict::clear;
    for (int axis = 0; axis < 3; ++axis) {
      if (points.orient2d(axis, p, q, u) == 0 && points.orient2d(axis, p, q, v) == 0) continue;
      return properly_cross(axis, p, q, u, v) ? Verdict::touching : Verdict::clear;
    }
    return Verdict::clear;
  }

  /// The extreme corners of a degenerate triangle; equal if it is a point.
  SIGHTLINE_HD void ends(int base, int* low, int* high) const {
    *low = *high = base;
    for (int i = base + 1; i < base + 3; ++i) {
      if (points.less(i, *low)) *low = i;
      if (points.less(*high, i)) *high = i;
    }
  }
  /// Point i on the closed segment p, q.
  SIGHTLINE_HD_COLD bool between(int i, int p, int q) {
    if (points.equal(i, p) || points.equal(i, q)) return true;
    return ordered(p, i, q) && points.collinear(p, q, i);
  }
  SIGHTLINE_HD bool ordered(int p, int i, int q) const {
    return (points.less(p, i) && points.less(i, q)) || (points.less(q, i) && points.less(i, p));
  }
  /// Segments of one plane cross in a point interior to both.
  SIGHTLINE_HD_COLD bool properly_cross(int axis, int p, int q, int u, int v) {
    return points.orient2d(axis, p, q, u) * points.orient2d(axis, p, q, v) < 0 &&
           points.orient2d(axis, u, v, p) * points.orient2d(axis, u, v, q) < 0;
  }
  /// Point i, which lies in both triangles, is not in the convex hull of the common corners (a point or a segment).
  SIGHTLINE_HD_COLD bool past_common(int i) const {
    if (common_ == 0) return true;
    int low = -1, high = -1;
    for (int k = 0; k < 6; ++k) {
      if ((common_ >> k & 1) == 0) continue;
      if (points.equal(k, i)) return false;
      if (low < 0 || points.less(k, low)) low = k;
      if (high < 0 || points.less(high, k)) high = k;
    }
    return !ordered(low, i, high);  // i, low and high lie on the thin triangle's line
  }

  int common_ = 0;
};

/// The pair of two triangles given by their corners, on the host.
inline TrianglePair pair_of(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) {
  TrianglePair pair;
  for (int i = 0; i < 3; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      pair.points.at[i][axis] = a[i][axis];
      pair.points.at[3 + i][axis] = b[i][axis];
    }
  return pair;
}

/// The contact of two triangles, or nothing. `one_object`: common corners do not count.
inline std::optional<Kind> decide(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool one_object) {
  const Verdict verdict = pair_of(a, b).decide(one_object);
  if (verdict == Verdict::clear) return std::nullopt;
  return static_cast<Kind>(verdict);
}

}  // namespace sightline::exact
