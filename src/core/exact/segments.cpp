// Segments of crossing pairs in vectors of double-doubles (Highway compiles this file once for each target).
//
// A pair is in general position if no corner lies on the other's plane and no edge meets an edge. The corners of a lie
// on both sides of b's plane: one of them, the apex, is alone on its side, and two edges from it pierce the plane. The
// same holds for b. All four piercing points lie on the common line of the planes, and the segment runs from the second
// to the third of them. Their order is found by orientations of two edges each (exact/tri_tri.h, decide_intervals).
//
// Errors. u = 2^-53; h and l are the parts of a double-double. Coordinates are 0 or between 2^-80 and 2^80, so
// everything below is a multiple of 2^-880 and smaller than 2^250: nothing underflows or overflows.
//   Differences of coordinates are exact, with |l| <= u |h|.
//   A product of two of them drops l l and rounds two sums, of at most 2 u and 3 u of it: it is within 7 u² of p q.
//   A sum rounds x.l + y.l and the sum of that and the error of x.h + y.h. For a component of a normal, n = p q - r s
//   and N = |p q| + |r s|: |n.l| <= 4.1 u N, and n is within (7 + 3.1 + 4.1) u² N < 16 u² N.
//   A determinant D = Σ n_k d_k has T = Σ N_k |d_k|. A product n d drops n.l d.l (4.1 u²), rounds sums of at most 2 u
//   and 6.1 u and has the error of n: together less than 29 u² N |d|, with |l| < 6.2 u N |d|. The two additions round
//   sums of at most 6.2 u, 7.3 u, 13.6 u and 14.7 u of T. So D is within 71 u² T < kSide u² T.
//   The sign is certain if |D.h| > 8 kSide u² T. Then D is also within an eighth of itself.
//   t = A / W with A = D at p and W = D at p - D at q, whose signs differ: |W| = |D(p)| + |D(q)|. t is in [0, 1] and is
//   off by at most 3 kSide u² (T(p) + T(q)) / |W| because of the errors of D, and 10 u² because of the subtraction.
//   The quotient: t1 = A.h / W.h rounded, A.h - t1 W.h is a double, A.l - t1 W.l rounds a number below 2 u |A|, their
//   sum one below 3 u |A|, and t2 = that / W.h has two relative errors of u: t1 + t2 is within 12 u² t.
//   The step s = q - p is exact. t s drops t2 s.l (3.1 u²) and rounds sums of at most 2 u and 5.2 u of s; p + t s
//   rounds one of at most 6.2 u (|p| + |s|).
// Altogether an end is within (kEnd u² + 3 kSide u² (T(p) + T(q)) / |W|) (|p| + |s|) of the sum of the last two
// doubles, with 10 + 12 + 11 + 7 < kEnd. The code takes 4 kSide for 3, which covers the roundings of the bound itself.
#include "exact/segments.h"

#include "base/instructions.h"
#include "rules/bounds.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exact/segments.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exact/sums-inl.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_NATIVE_FMA
HWY_BEFORE_NAMESPACE();
namespace sightline::exact {
namespace HWY_NAMESPACE {
namespace {

constexpr double kEnd = 64;
constexpr double kLeast = 0x1p-80, kMost = 0x1p80;

struct Point {
  V x, y, z;
  HWY_INLINE Point() {}
  HWY_INLINE Point(V a, V b, V c) : x(a), y(b), z(c) {}
};
HWY_INLINE Point operator-(const Point& a, const Point& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Point select(M mask, const Point& yes, const Point& no) {
  return {select(mask, yes.x, no.x), select(mask, yes.y, no.y), select(mask, yes.z, no.z)};
}

struct ExactVector {
  Sum x, y, z;
  HWY_INLINE ExactVector() {}
  HWY_INLINE ExactVector(const Sum& a, const Sum& b, const Sum& c) : x(a), y(b), z(c) {}
};
HWY_INLINE ExactVector difference(const Point& a, const Point& b) {
  return {difference(a.x, b.x), difference(a.y, b.y), difference(a.z, b.z)};
}

/// A corner, and its side of the other triangle's plane.
struct Corner {
  Point at;
  Sum side;  ///< the determinant D
  V size;    ///< T
  HWY_INLINE Corner() {}
};
HWY_INLINE Corner select(M mask, const Corner& yes, const Corner& no) {
  Corner corner;
  corner.at = select(mask, yes.at, no.at);
  corner.side = Sum(select(mask, yes.side.h, no.side.h), select(mask, yes.side.l, no.side.l));
  corner.size = select(mask, yes.size, no.size);
  return corner;
}

struct Plane {
  ExactVector normal;
  Point size;  ///< N
  HWY_INLINE explicit Plane(const Corner* corners) {
    const ExactVector p = difference(corners[1].at, corners[0].at), q = difference(corners[2].at, corners[0].at);
    minor(p.y, q.z, p.z, q.y, normal.x, size.x);
    minor(p.z, q.x, p.x, q.z, normal.y, size.y);
    minor(p.x, q.y, p.y, q.x, normal.z, size.z);
  }
  /// p q - r s
  HWY_INLINE static void minor(const Sum& p, const Sum& q, const Sum& r, const Sum& s, Sum& value, V& size) {
    const Sum plus = p * q, minus = r * s;
    size = hn::Add(hn::Abs(plus.h), hn::Abs(minus.h));
    value = plus + -minus;
  }
  HWY_INLINE void side_of(Corner& corner, const Point& origin) const {
    const ExactVector d = difference(corner.at, origin);
    const Sum value = normal.x * d.x + normal.y * d.y + normal.z * d.z;
    corner.side = exact_sum(value.h, value.l);
    corner.size =
        hn::MulAdd(size.x, hn::Abs(d.x.h), hn::MulAdd(size.y, hn::Abs(d.y.h), hn::Mul(size.z, hn::Abs(d.z.h))));
  }
};

/// A triangle that the other's plane cuts: `apex` is alone on its side; `start` and `end` are the other two.
struct Cut {
  Corner apex, start, end;
  M found;          ///< the plane cuts it, and all sides are certain
  M above;          ///< the apex is above the plane
  M in_order;       ///< the edge of `start` comes before that of `end` in the triangle
  M apex_is_first;  ///< the apex is corner 0
  HWY_INLINE Cut() {}

  HWY_INLINE Cut(const Corner* c) {
    const Tag d;
    const V zero = hn::Zero(d);
    const auto certain = [&](const Corner& corner) {
      return hn::Gt(hn::Abs(corner.side.h), hn::Mul(hn::Set(d, 8 * kSide * kUnit * kUnit), corner.size));
    };
    const M s0 = hn::Lt(c[0].side.h, zero), s1 = hn::Lt(c[1].side.h, zero), s2 = hn::Lt(c[2].side.h, zero);
    const M d01 = hn::Xor(s0, s1), d02 = hn::Xor(s0, s2), d12 = hn::Xor(s1, s2);
    const M first = hn::And(d01, d02), second = hn::And(d01, d12);
    found = hn::And(hn::Or(d01, d02), hn::And(certain(c[0]), hn::And(certain(c[1]), certain(c[2]))));
    apex = select(first, c[0], select(second, c[1], c[2]));
    start = select(first, c[1], select(second, c[2], c[0]));
    end = select(first, c[2], select(second, c[0], c[1]));
    above = hn::Gt(apex.side.h, zero);
    apex_is_first = first;
  }
  /// Swaps `start` and `end` where `turned`.
  HWY_INLINE void turn(M turned) {
    const Corner old = start;
    start = select(turned, end, start);
    end = select(turned, old, end);
    // Edges from corner 0 are 0 and 2; from corner 1 they are 1 and 0, from corner 2 they are 2 and 1.
    in_order = hn::Xor(turned, apex_is_first);
  }
};

/// Orientations of the edge from p to q and edges from r, in doubles.
struct EdgeOrder {
  Point origin, normal, size;
  HWY_INLINE EdgeOrder(const Point& p, const Point& q, const Point& r) : origin(p) {
    const Point e = q - p, f = r - p;
    minor(e.y, f.z, e.z, f.y, normal.x, size.x);
    minor(e.z, f.x, e.x, f.z, normal.y, size.y);
    minor(e.x, f.y, e.y, f.x, normal.z, size.z);
  }
  HWY_INLINE static void minor(V p, V q, V r, V s, V& value, V& size) {
    const V plus = hn::Mul(p, q), minus = hn::Mul(r, s);
    value = hn::Sub(plus, minus);
    size = hn::Add(hn::Abs(plus), hn::Abs(minus));
  }
  /// The edge from r to s. rules/bounds.h, 1; nothing underflows here.
  HWY_INLINE V at(const Point& s, V& bound) const {
    const Point e = s - origin;
    bound = hn::Mul(hn::Set(Tag(), rules::kTerms * kUnit),
                    hn::MulAdd(size.x, hn::Abs(e.x), hn::MulAdd(size.y, hn::Abs(e.y), hn::Mul(size.z, hn::Abs(e.z)))));
    return hn::MulAdd(normal.x, e.x, hn::MulAdd(normal.y, e.y, hn::Mul(normal.z, e.z)));
  }
};

/// The point of the edge from p to q in the plane, along one axis; returns where it is correctly rounded.
struct Piercing {
  V t1, t2, bound;
  HWY_INLINE Piercing(const Corner& p, const Corner& q) {
    const Tag d;
    const Sum all = p.side + -q.side, w = exact_sum(all.h, all.l), &a = p.side;
    t1 = hn::Div(a.h, w.h);
    t2 = hn::Div(hn::Add(hn::NegMulAdd(t1, w.h, a.h), hn::NegMulAdd(t1, w.l, a.l)), w.h);
    const V errors = hn::Div(hn::Mul(hn::Set(d, 4 * kSide * kUnit * kUnit), hn::Add(p.size, q.size)), hn::Abs(w.h));
    bound = hn::Add(hn::Set(d, kEnd * kUnit * kUnit), errors);
  }
  HWY_INLINE V along(V from, V to, M& found) const {
    const Tag d;
    const Sum step = difference(to, from);
    const V high = hn::Mul(t1, step.h), error = hn::MulSub(t1, step.h, high);
    const V low = hn::MulAdd(t2, step.h, hn::MulAdd(t1, step.l, error));
    const Sum s = exact_sum(from, high), end = exact_sum(s.h, hn::Add(s.l, low));
    // Half of the distance to the next double; at a power of two it is less on one side.
    const auto bits = hn::BitCast(Bits(), end.h);
    const auto fraction = hn::And(bits, hn::Set(Bits(), 0x000FFFFFFFFFFFFFu));
    const V power = hn::BitCast(d, hn::And(bits, hn::Set(Bits(), 0x7FF0000000000000u)));
    const V reach = hn::Add(hn::Abs(from), hn::Abs(step.h));
    const V most = hn::NegMulAdd(bound, reach, hn::Mul(power, hn::Set(d, kUnit)));
    const M rounded = hn::And(hn::Lt(hn::Abs(end.l), most), hn::RebindMask(d, hn::Ne(fraction, hn::Zero(Bits()))));
    found = hn::And(found, hn::Or(rounded, hn::Eq(step.h, hn::Zero(d))));
    return end.h;
  }
};

HWY_INLINE M within_range(V x) {
  const Tag d;
  const V size = hn::Abs(x);
  return hn::And(hn::Le(size, hn::Set(d, kMost)), hn::Or(hn::Ge(size, hn::Set(d, kLeast)), hn::Eq(size, hn::Zero(d))));
}

HWY_INLINE Corner load(const double (*at)[PairBlock::kSize], int first, M& usable) {
  const Tag d;
  Corner corner;
  corner.at = Point(hn::Load(d, at[0] + first), hn::Load(d, at[1] + first), hn::Load(d, at[2] + first));
  usable = hn::And(usable,
                   hn::And(within_range(corner.at.x), hn::And(within_range(corner.at.y), within_range(corner.at.z))));
  return corner;
}

/// Lanes from `first` on.
HWY_INLINE unsigned find_lanes(const PairBlock& pairs, int first, SegmentBlock& segments) {
  const Tag d;
  M found = hn::FirstN(d, hn::Lanes(d));
  Corner ca[3], cb[3];
  for (int i = 0; i < 3; ++i) {
    ca[i] = load(pairs.at + 3 * i, first, found);
    cb[i] = load(pairs.at + 9 + 3 * i, first, found);
  }
  const Plane plane_a(ca), plane_b(cb);
  const Point origin_a = ca[0].at, origin_b = cb[0].at;
  for (int i = 0; i < 3; ++i) {
    plane_b.side_of(ca[i], origin_b);
    plane_a.side_of(cb[i], origin_a);
  }
  Cut a(ca), b(cb);
  found = hn::And(found, hn::And(a.found, b.found));
  if (hn::AllFalse(d, found)) return 0;
  // Each triangle is turned over where the other's apex is below it. Then a's interval begins at `start`, b's at `end`.
  a.turn(hn::Not(b.above));
  b.turn(hn::Not(a.above));

  const EdgeOrder from_start(a.apex.at, a.start.at, b.apex.at), from_end(a.apex.at, a.end.at, b.apex.at);
  V bound_ss, bound_se, bound_es, bound_ee;
  const V ss = from_start.at(b.start.at, bound_ss), se = from_start.at(b.end.at, bound_se);
  const V es = from_end.at(b.start.at, bound_es), ee = from_end.at(b.end.at, bound_ee);
  const M overlap = hn::And(hn::Lt(ss, hn::Neg(bound_ss)), hn::Gt(ee, bound_ee));
  const M certain = hn::And(hn::Gt(hn::Abs(se), bound_se), hn::Gt(hn::Abs(es), bound_es));
  found = hn::And(found, hn::And(overlap, certain));
  // The later of the two beginnings, and the earlier of the two ends.
  const M first_of_a = hn::Gt(se, hn::Zero(d)), last_of_a = hn::Lt(es, hn::Zero(d));
  const Corner p0 = select(first_of_a, a.apex, b.apex), q0 = select(first_of_a, a.start, b.end);
  const Corner p1 = select(last_of_a, a.apex, b.apex), q1 = select(last_of_a, a.end, b.start);
  const Piercing begin(p0, q0), end(p1, q1);
  const Point x = {begin.along(p0.at.x, q0.at.x, found), begin.along(p0.at.y, q0.at.y, found),
                   begin.along(p0.at.z, q0.at.z, found)};
  const Point y = {end.along(p1.at.x, q1.at.x, found), end.along(p1.at.y, q1.at.y, found),
                   end.along(p1.at.z, q1.at.z, found)};
  // Points on edges of a come first, in the order of the edges; then those on edges of b.
  const M in_order = hn::Or(hn::And(first_of_a, hn::Or(hn::Not(last_of_a), a.in_order)),
                            hn::And(hn::Not(last_of_a), hn::Not(b.in_order)));
  const Point ends[2] = {select(in_order, x, y), select(in_order, y, x)};
  for (int i = 0; i < 2; ++i) {
    hn::Store(ends[i].x, d, segments.at[3 * i] + first);
    hn::Store(ends[i].y, d, segments.at[3 * i + 1] + first);
    hn::Store(ends[i].z, d, segments.at[3 * i + 2] + first);
  }
  unsigned char bits[8] = {};
  hn::StoreMaskBits(d, found, bits);
  return bits[0];
}

unsigned find_segments(const PairBlock& pairs, SegmentBlock& segments) {
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
  unsigned found = 0;
  for (int first = 0; first < PairBlock::kSize; first += kLanes) found |= find_lanes(pairs, first, segments) << first;
  return found;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline::exact
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE

namespace sightline::exact {

FindSegments segment_finder() {
  [[maybe_unused]] static const Instructions supported = find_instructions();
#if HWY_TARGETS & HWY_AVX3
  if (supported.avx512) return N_AVX3::find_segments;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (supported.avx2) return N_AVX2::find_segments;
#endif
#if HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
  return N_NEON::find_segments;  // every aarch64 has it; Highway's test is for AES, too
#endif
  return nullptr;
}

}  // namespace sightline::exact

#endif  // HWY_ONCE
