// The vector kernel: included once for each target by kernel.cpp.
//
// Steps, each on the pairs that the last one left:
//   1. boxes: one triangle against 64 (or 32, or 16) quantised boxes with six byte comparisons
//   2. planes: the corners of b strictly on one side of a's plane, and the other way round -> clear. Corners that both
//      share count as on either side.
//   3. decision: with all signs certain, vertex-sharing pairs follow from four signs and disjoint pairs from two more
//      determinants; what is certain is clear or crossing, the rest is left to exact arithmetic.
//
// Error bounds. u = 2^-24; D bounds every coordinate difference in the group; slop bounds the magnitudes that were rounded
// once on the way into the frame (0 for float32 input, which is only scaled by a power of two). A difference e is off by at
// most u|e| + 2u·slop on each axis. With P the permanent of the normal (the sum of |e1y e2z| + |e1z e2y| and so on) and S the sum of
// |e1| and |e2| over the axes, n · (p - p0) is off by at most u (8.3 P D + 4.1 slop S D + 2.1 slop P); E is
// u (10 P (D + slop) + 5 slop S D), rounded, plus 2^-140 (1 + D)^2 against underflow, each at most 2^-150 before it is multiplied
// by a difference; groups with D or slop above 2^30 are not filtered at all. A NaN or an infinity fails every comparison, and
// the pair is left undecided.
#if defined(SIGHTLINE_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SIGHTLINE_KERNEL_INL_H_
#undef SIGHTLINE_KERNEL_INL_H_
#else
#define SIGHTLINE_KERNEL_INL_H_
#endif

#include <hwy/highway.h>

#include "pair/group.h"

// Without vectors the scalar kernel is the better choice.
#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DU = hn::ScalableTag<std::uint32_t>;
using Quad = hn::FixedTag<float, 4>;
using VF = hn::Vec<DF>;
using VU = hn::Vec<DU>;
using MF = hn::Mask<DF>;
constexpr int kLanes = static_cast<int>(HWY_MAX_BYTES / 4);
constexpr float kUnit = 0x1p-24f;

struct Vec3 {
  VF x, y, z;
};
HWY_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE VF dot(const Vec3& a, const Vec3& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::Mul(a.x, b.x)));
}
HWY_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
          hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}
HWY_INLINE VF norm1(const Vec3& a) { return hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z)); }
HWY_INLINE Vec3 select(MF mask, const Vec3& yes, const Vec3& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

/// One quad of each of kLanes records, one lane a record.
struct Quads {
  VF x, y, z, w;
  Vec3 xyz() const { return {x, y, z}; }
};

/// Where the records of kLanes triangles begin, in bytes from the first.
struct Places {
  alignas(64) std::uint32_t at[kLanes];
  explicit Places(VU indices) {
    const DU du;
    hn::Store(hn::Mul(indices, hn::Set(du, kRecord * sizeof(float))), du, at);
  }
};

HWY_INLINE hn::Vec<Quad> load_quad(const Group& group, const Places& places, int lane, int quad) {
  const char* records = reinterpret_cast<const char*>(group.record);
  return hn::Load(Quad(), reinterpret_cast<const float*>(records + places.at[lane]) + 4 * quad);
}

/// The quads of lanes r, 4 + r, 8 + r, … one after the other.
HWY_INLINE VF blocks(const Group& group, const Places& places, int quad, int r) {
#if HWY_MAX_BYTES == 64
  const hn::Half<DF> half;
  return hn::Combine(
      DF(), hn::Combine(half, load_quad(group, places, 12 + r, quad), load_quad(group, places, 8 + r, quad)),
      hn::Combine(half, load_quad(group, places, 4 + r, quad), load_quad(group, places, r, quad)));
#elif HWY_MAX_BYTES == 32
  return hn::Combine(DF(), load_quad(group, places, 4 + r, quad), load_quad(group, places, r, quad));
#else
  return load_quad(group, places, r, quad);
#endif
}

HWY_INLINE Quads fetch(const Group& group, const Places& places, int quad) {
  const DF d;
  const hn::Repartition<double, DF> dd;
  const VF r0 = blocks(group, places, quad, 0), r1 = blocks(group, places, quad, 1);
  const VF r2 = blocks(group, places, quad, 2), r3 = blocks(group, places, quad, 3);
  const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, r0, r1));   // x0 x1 y0 y1
  const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, r0, r1));  // z0 z1 w0 w1
  const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, r2, r3));
  const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, r2, r3));
  return {hn::BitCast(d, hn::InterleaveLower(dd, low01, low23)), hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23)),
          hn::BitCast(d, hn::InterleaveLower(dd, high01, high23)),
          hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23))};
}

HWY_INLINE MF same_bits(VF a, VF b) {
  const DU du;
  return hn::RebindMask(DF(), hn::Eq(hn::BitCast(du, a), hn::BitCast(du, b)));
}
HWY_INLINE MF same_place(const Quads& a, const Quads& b) {
  return hn::And(hn::And(hn::Eq(a.x, b.x), hn::Eq(a.y, b.y)), hn::Eq(a.z, b.z));
}

/// Both sides of kLanes pairs. Lanes past the end of a list hold anything, but always name a record.
struct Sided {
  VU pair;
  Places i, j;
  explicit Sided(VU p)
      : pair(p), i(hn::And(p, hn::Set(DU(), 0xFF))), j(hn::And(hn::ShiftRight<8>(p), hn::Set(DU(), 0xFF))) {}
};

/// Lanes of pairs in which both triangles are of one object; all if the group is of one.
HWY_INLINE MF of_one_object(const Group& group, const std::uint32_t* pairs) {
  const DU du;
  if (group.one_object) return hn::RebindMask(DF(), hn::Eq(hn::Zero(du), hn::Zero(du)));
  alignas(64) std::uint32_t same[kLanes];
  for (int k = 0; k < kLanes; ++k) same[k] = group.kind[pairs[k] & 0xFF] == group.kind[pairs[k] >> 8 & 0xFF] ? ~0u : 0u;
  return hn::RebindMask(DF(), hn::MaskFromVec(hn::Load(du, same)));
}

/// Step 2. Pairs i | j << 8 for which j's corners are not certainly on one side of i's plane, as j | i << 8.
template <Sharing kSharing>
int keep_straddling(const Group& group, const std::uint32_t* pairs, int count, std::uint32_t* out) {
  const DF d;
  const DU du;
  int kept = 0;
  for (int at = 0; at < count; at += kLanes) {
    const Sided side(hn::LoadU(du, pairs + at));
    const Quads a0 = fetch(group, side.i, 0), n = fetch(group, side.i, 3);
    const Quads b0 = fetch(group, side.j, 0), b1 = fetch(group, side.j, 1), b2 = fetch(group, side.j, 2);
    MF s0, s1, s2;  // corners of j that i has too
    if constexpr (kSharing == Sharing::by_index) {
      const Quads more = fetch(group, side.i, 4);
      s0 = hn::Or(hn::Or(same_bits(b0.w, a0.w), same_bits(b0.w, more.x)), same_bits(b0.w, more.y));
      s1 = hn::Or(hn::Or(same_bits(b1.w, a0.w), same_bits(b1.w, more.x)), same_bits(b1.w, more.y));
      s2 = hn::Or(hn::Or(same_bits(b2.w, a0.w), same_bits(b2.w, more.x)), same_bits(b2.w, more.y));
    } else {
      const Quads a1 = fetch(group, side.i, 1), a2 = fetch(group, side.i, 2);
      s0 = hn::Or(hn::Or(same_place(b0, a0), same_place(b0, a1)), same_place(b0, a2));
      s1 = hn::Or(hn::Or(same_place(b1, a0), same_place(b1, a1)), same_place(b1, a2));
      s2 = hn::Or(hn::Or(same_place(b2, a0), same_place(b2, a1)), same_place(b2, a2));
    }
    if (!group.one_object) {
      // Corners shared between different objects count like any other point.
      const MF one = of_one_object(group, pairs + at);
      s0 = hn::And(s0, one);
      s1 = hn::And(s1, one);
      s2 = hn::And(s2, one);
    }
    const VF d0 = dot(n.xyz(), b0.xyz() - a0.xyz()), d1 = dot(n.xyz(), b1.xyz() - a0.xyz()),
             d2 = dot(n.xyz(), b2.xyz() - a0.xyz());
    const VF bound = n.w, minus = hn::Neg(n.w);
    const MF above = hn::And(hn::And(hn::Or(hn::Gt(d0, bound), s0), hn::Or(hn::Gt(d1, bound), s1)),
                             hn::Or(hn::Gt(d2, bound), s2));
    const MF below = hn::And(hn::And(hn::Or(hn::Lt(d0, minus), s0), hn::Or(hn::Lt(d1, minus), s1)),
                             hn::Or(hn::Lt(d2, minus), s2));
    // All three shared: a duplicate, certainly not clear.
    const MF clear = hn::AndNot(hn::And(hn::And(s0, s1), s2), hn::Or(above, below));
    MF keep = hn::Not(clear);
    if (count - at < kLanes) keep = hn::And(keep, hn::FirstN(d, static_cast<std::size_t>(count - at)));
    const VU turned = hn::Or(hn::ShiftRight<8>(side.pair), hn::ShiftLeft<8>(hn::And(side.pair, hn::Set(du, 0xFF))));
    kept += static_cast<int>(hn::CompressStore(turned, hn::RebindMask(du, keep), du, out + kept));
  }
  return kept;
}

/// Error bound of a 3 × 3 determinant of coordinate differences with these 1-norms. kTiny keeps it above underflow: where a
/// product underflows by 2^-150, the bound is at least 2^-81 times the third norm.
HWY_INLINE VF bound_of(VF p, VF q, VF r, VF slop) {
  const DF d;
  const VF tiny = hn::Set(d, 0x1p-30f);
  p = hn::Add(p, tiny);
  q = hn::Add(q, tiny);
  r = hn::Add(r, tiny);
  const VF pq = hn::Mul(p, q);
  const VF sides = hn::MulAdd(hn::Add(p, q), r, pq);
  const VF sum = hn::MulAdd(hn::Mul(hn::Set(d, 9.01f), pq), r, hn::Mul(hn::Mul(hn::Set(d, 5.01f), slop), sides));
  return hn::Mul(sum, hn::Set(d, kUnit));
}
/// The same with q a vector taken as it is, without error: a direction.
HWY_INLINE VF bound_along(VF p, VF q, VF r, VF slop) {
  const DF d;
  const VF tiny = hn::Set(d, 0x1p-30f);
  p = hn::Add(p, tiny);
  q = hn::Add(q, tiny);
  r = hn::Add(r, tiny);
  const VF sum = hn::MulAdd(hn::Mul(hn::Set(d, 9.01f), p), r,
                            hn::Mul(hn::Mul(hn::Set(d, 5.01f), slop), hn::Add(p, r)));
  return hn::Mul(hn::Mul(sum, q), hn::Set(d, kUnit));
}

struct Corners {
  Vec3 p[3];
  VF index[3];
};

/// Sides of one triangle's corners of the other's plane, and how they compare with their bound.
struct Sides {
  VF value[3];
  MF certain[3];
};
HWY_INLINE Sides sides_of(const Corners& corners, const Vec3& plane_point, const Quads& plane) {
  Sides sides;
  for (int k = 0; k < 3; ++k) {
    sides.value[k] = dot(plane.xyz(), corners.p[k] - plane_point);
    sides.certain[k] = hn::Gt(hn::Abs(sides.value[k]), plane.w);
  }
  return sides;
}
HWY_INLINE MF positive(VF v) { return hn::Gt(v, hn::Zero(DF())); }

/// x of the corner that `first` or `second` names (else the third).
HWY_INLINE VF pick(MF first, MF second, VF a, VF b, VF c) {
  return hn::IfThenElse(first, a, hn::IfThenElse(second, b, c));
}
HWY_INLINE Vec3 pick(MF first, MF second, const Vec3& a, const Vec3& b, const Vec3& c) {
  return select(first, a, select(second, b, c));
}

/// The corner named by first, second or neither comes first, the others follow in cyclic order.
HWY_INLINE void rotate(MF first, MF second, const Vec3* p, Vec3* out) {
  out[0] = pick(first, second, p[0], p[1], p[2]);
  out[1] = pick(first, second, p[1], p[2], p[0]);
  out[2] = pick(first, second, p[2], p[0], p[1]);
}

struct Decision {
  MF clear, crossing;
};

/// One shared corner, all other sides certain: the two segments on the common line start at the shared corner, and four signs
/// tell their directions (exact/tri_tri.h, decide_at_corner). kept: neither triangle is on one side of the other.
HWY_INLINE Decision decide_at_corner(MF sa0, MF sa1, MF sb0, MF sb1, const Sides& a, const Sides& b) {
  const VF a1 = pick(sa0, sa1, a.value[1], a.value[2], a.value[0]), a2 = pick(sa0, sa1, a.value[2], a.value[0], a.value[1]);
  const VF b1 = pick(sb0, sb1, b.value[1], b.value[2], b.value[0]), b2 = pick(sb0, sb1, b.value[2], b.value[0], b.value[1]);
  const MF a_up = positive(a1), b_up = positive(b1);
  const MF straddle = hn::And(hn::Xor(a_up, positive(a2)), hn::Xor(b_up, positive(b2)));
  const MF crossing = hn::And(straddle, hn::Xor(a_up, b_up));
  return {hn::Not(crossing), crossing};
}

/// Nothing shared, all six sides certain, both straddle: compare the intervals on the common line.
HWY_INLINE Decision decide_intervals(const Corners& a, const Corners& b, const Sides& side_a, const Sides& side_b,
                                     VF slop) {
  const auto arrange = [](const Corners& t, const Sides& side, Vec3* out, MF& up) {
    const MF p0 = positive(side.value[0]), p1 = positive(side.value[1]), p2 = positive(side.value[2]);
    const MF first = hn::Not(hn::Xor(p1, p2)), second = hn::Not(hn::Xor(p0, p2));
    rotate(first, second, t.p, out);
    up = hn::Or(hn::And(first, p0), hn::AndNot(first, hn::Or(hn::And(second, p1), hn::AndNot(second, p2))));
  };
  Vec3 ta[3], tb[3];
  MF a_up, b_up;
  arrange(a, side_a, ta, a_up);
  arrange(b, side_b, tb, b_up);
  const Vec3 q = select(b_up, ta[1], ta[2]), r = select(b_up, ta[2], ta[1]);
  const Vec3 q2 = select(a_up, tb[1], tb[2]), r2 = select(a_up, tb[2], tb[1]);
  const auto orient = [slop](const Vec3& i, const Vec3& j, const Vec3& k, const Vec3& l, VF& bound) {
    const Vec3 e1 = j - i, e2 = k - i, e3 = l - i;
    bound = bound_of(norm1(e1), norm1(e2), norm1(e3), slop);
    return dot(cross(e1, e2), e3);
  };
  VF bound1, bound2;
  const VF first = orient(ta[0], q, tb[0], q2, bound1), second = orient(ta[0], r, r2, tb[0], bound2);
  const MF clear = hn::Or(hn::Gt(first, bound1), hn::Gt(second, bound2));
  const MF crossing = hn::And(hn::Lt(first, hn::Neg(bound1)), hn::Lt(second, hn::Neg(bound2)));
  return {clear, crossing};
}

/// f(x) = | g m x | for a direction m taken as it is: its zero plane holds the origin of g and x, and g. Separates exactly
/// where signs are certain, whatever m is.
struct Separator {
  Vec3 normal;
  VF g, m;
  Separator(const Vec3& along, const Vec3& direction)
      : normal(cross(along, direction)), g(norm1(along)), m(norm1(direction)) {}
  void side(const Vec3& x, VF slop, MF& plus, MF& minus) const {
    const VF value = dot(normal, x), bound = bound_along(g, m, norm1(x), slop);
    plus = hn::Gt(value, bound);
    minus = hn::Lt(value, hn::Neg(bound));
  }
};

/// One shared corner s: a plane through s and an edge of one triangle with the rest of it on one side and the other triangle
/// strictly on the other. `a` and `b` are rotated so that s comes first.
HWY_INLINE MF separated_at_corner(const Vec3* a, const Vec3* b, const Vec3& normal, VF slop) {
  const Vec3 a1 = a[1] - a[0], a2 = a[2] - a[0], b1 = b[1] - b[0], b2 = b[2] - b[0];
  const auto separates = [&](const Vec3& edge, const Vec3& own, const Vec3& other1, const Vec3& other2) {
    const Separator plane(edge, normal);
    MF own_plus, own_minus, plus1, minus1, plus2, minus2;
    plane.side(own, slop, own_plus, own_minus);
    plane.side(other1, slop, plus1, minus1);
    plane.side(other2, slop, plus2, minus2);
    return hn::Or(hn::And(own_plus, hn::And(minus1, minus2)), hn::And(own_minus, hn::And(plus1, plus2)));
  };
  return hn::Or(hn::Or(separates(a1, a2, b1, b2), separates(a2, a1, b1, b2)),
                hn::Or(separates(b1, b2, a1, a2), separates(b2, b1, a1, a2)));
}

/// A shared edge: the two other corners strictly on different sides of a plane through the edge.
HWY_INLINE MF separated_at_edge(const Vec3* a, const Vec3& b_free, const Vec3& normal, VF slop) {
  const Separator plane(a[2] - a[1], normal);
  MF plus_a, minus_a, plus_b, minus_b;
  plane.side(a[0] - a[1], slop, plus_a, minus_a);
  plane.side(b_free - a[1], slop, plus_b, minus_b);
  return hn::Or(hn::And(plus_a, minus_b), hn::And(minus_a, plus_b));
}

/// Nothing shared: a plane through an edge of t with its third corner on one side and all of `other` strictly on the other.
HWY_INLINE MF separated_by_edge_of(const Corners& t, const Corners& other, const Vec3& normal, VF slop) {
  MF separated = hn::MaskFromVec(hn::Zero(DF()));
  for (int k = 0; k < 3; ++k) {
    const Vec3 &p = t.p[k], &q = t.p[(k + 1) % 3], &r = t.p[(k + 2) % 3];
    const Separator plane(q - p, normal);
    MF own_plus, own_minus, plus, minus;
    plane.side(r - p, slop, own_plus, own_minus);
    MF all_plus = own_minus, all_minus = own_plus;
    for (int j = 0; j < 3; ++j) {
      plane.side(other.p[j] - p, slop, plus, minus);
      all_plus = hn::And(all_plus, plus);
      all_minus = hn::And(all_minus, minus);
    }
    separated = hn::Or(separated, hn::Or(all_plus, all_minus));
  }
  return separated;
}

HWY_INLINE MF two_of(MF a, MF b, MF c) { return hn::Or(hn::And(a, b), hn::And(c, hn::Or(a, b))); }
HWY_INLINE bool any(MF m) { return !hn::AllFalse(DF(), m); }

/// Step 3. Certain answers from all the signs; what remains goes to `undecided`.
template <Sharing kSharing>
void decide_pairs(const Group& group, const std::uint32_t* pairs, int count, PairLists& lists) {
  const DF d;
  const DU du;
  const VF slop = hn::Set(d, group.slop);
  for (int at = 0; at < count; at += kLanes) {
    const Sided side(hn::LoadU(du, pairs + at));
    Corners a, b;
    for (int k = 0; k < 3; ++k) {
      const Quads qa = fetch(group, side.i, k), qb = fetch(group, side.j, k);
      a.p[k] = qa.xyz();
      b.p[k] = qb.xyz();
      a.index[k] = qa.w;
      b.index[k] = qb.w;
    }
    const Quads na = fetch(group, side.i, 3), nb = fetch(group, side.j, 3);
    const MF one_object = of_one_object(group, pairs + at);
    MF sa[3], sb[3];
    for (int k = 0; k < 3; ++k) sa[k] = sb[k] = hn::MaskFromVec(hn::Zero(d));
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        MF same;
        if constexpr (kSharing == Sharing::by_index)
          same = same_bits(a.index[k], b.index[l]);
        else
          same = hn::And(hn::And(hn::Eq(a.p[k].x, b.p[l].x), hn::Eq(a.p[k].y, b.p[l].y)), hn::Eq(a.p[k].z, b.p[l].z));
        same = hn::And(same, one_object);
        sa[k] = hn::Or(sa[k], same);
        sb[l] = hn::Or(sb[l], same);
      }
    const MF shares = hn::Or(hn::Or(sa[0], sa[1]), sa[2]);
    const MF two = hn::Or(two_of(sa[0], sa[1], sa[2]), two_of(sb[0], sb[1], sb[2]));
    const MF three = hn::Or(hn::And(hn::And(sa[0], sa[1]), sa[2]), hn::And(hn::And(sb[0], sb[1]), sb[2]));
    const MF one = hn::AndNot(two, shares);

    const Sides side_a = sides_of(a, b.p[0], nb), side_b = sides_of(b, a.p[0], na);
    MF certain = hn::RebindMask(d, hn::Eq(hn::Zero(du), hn::Zero(du)));
    for (int k = 0; k < 3; ++k)
      certain = hn::And(certain, hn::And(hn::Or(side_a.certain[k], sa[k]), hn::Or(side_b.certain[k], sb[k])));

    const MF live = count - at < kLanes ? hn::FirstN(d, static_cast<std::size_t>(count - at)) : hn::RebindMask(d, hn::Eq(hn::Zero(du), hn::Zero(du)));
    const MF at_corner = hn::And(hn::And(certain, one), live), apart = hn::AndNot(shares, hn::And(certain, live));
    const Decision corner = decide_at_corner(sa[0], sa[1], sb[0], sb[1], side_a, side_b);
    MF clear = hn::And(at_corner, corner.clear), crossing = hn::And(at_corner, corner.crossing);
    if (any(apart)) {
      const Decision intervals = decide_intervals(a, b, side_a, side_b, slop);
      clear = hn::Or(clear, hn::And(apart, intervals.clear));
      crossing = hn::Or(crossing, hn::And(apart, intervals.crossing));
    }
    // Uncertain sides: nearly one plane. Never a matter for exact arithmetic while some plane separates them.
    const MF flat = hn::AndNot(certain, hn::AndNot(three, live));
    if (any(flat)) {
      Vec3 ta[3], tb[3];
      const MF flat_one = hn::And(flat, one), flat_two = hn::And(flat, two), flat_none = hn::AndNot(shares, flat);
      if (any(flat_one)) {
        rotate(sa[0], sa[1], a.p, ta);
        rotate(sb[0], sb[1], b.p, tb);
        clear = hn::Or(clear, hn::And(flat_one, separated_at_corner(ta, tb, na.xyz(), slop)));
      }
      if (any(flat_two)) {
        rotate(hn::Not(sa[0]), hn::Not(sa[1]), a.p, ta);  // the corner that is not shared comes first
        const Vec3 b_free = pick(hn::Not(sb[0]), hn::Not(sb[1]), b.p[0], b.p[1], b.p[2]);
        clear = hn::Or(clear, hn::And(flat_two, separated_at_edge(ta, b_free, na.xyz(), slop)));
      }
      if (any(flat_none)) {
        const MF separated = hn::Or(separated_by_edge_of(a, b, na.xyz(), slop), separated_by_edge_of(b, a, nb.xyz(), slop));
        clear = hn::Or(clear, hn::And(flat_none, separated));
      }
    }
    const MF open = hn::AndNot(hn::Or(clear, crossing), live);
    lists.undecided_count += static_cast<int>(
        hn::CompressStore(side.pair, hn::RebindMask(du, open), du, lists.undecided + lists.undecided_count));
    lists.crossing_count += static_cast<int>(
        hn::CompressStore(side.pair, hn::RebindMask(du, crossing), du, lists.crossing + lists.crossing_count));
  }
}

/// Puts one quad into each of kLanes records: the other way round than fetch.
HWY_INLINE void put(Group& group, int first, int quad, VF x, VF y, VF z, VF w) {
  const DF d;
  const hn::Repartition<double, DF> dd;
  const auto xy_low = hn::BitCast(dd, hn::InterleaveLower(d, x, y)), xy_high = hn::BitCast(dd, hn::InterleaveUpper(d, x, y));
  const auto zw_low = hn::BitCast(dd, hn::InterleaveLower(d, z, w)), zw_high = hn::BitCast(dd, hn::InterleaveUpper(d, z, w));
  alignas(64) float lane[4][kLanes];
  hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, xy_low, zw_low)), d, lane[0]);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, xy_low, zw_low)), d, lane[1]);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, xy_high, zw_high)), d, lane[2]);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, xy_high, zw_high)), d, lane[3]);
  for (int k = 0; k < kLanes; ++k)
    hn::Store(hn::Load(Quad(), lane[k % 4] + k / 4 * 4), Quad(), group.record[first + k] + 4 * quad);
}

/// Boxes, normals and error bounds of all records, kLanes at a time. Records past the end are read (they hold something
/// from before) and their results are never used.
void prepare(Group& group) {
  const DF d;
  const DU du;
  const hn::Rebind<std::int32_t, DF> di;
  const hn::Rebind<std::int8_t, DF> d8;
  VF low[3], scale[3];
  for (int k = 0; k < 3; ++k) {
    const float extent = group.high[k] - group.low[k];
    low[k] = hn::Set(d, group.low[k]);
    scale[k] = hn::Set(d, extent > 0 ? 255.0f / extent : 0.0f);
  }
  const VF zero = hn::Zero(d), top = hn::Set(d, 255.0f);
  const bool filter = group.reach < 0x1p30f && group.slop < 0x1p30f;  // false for NaN too
  const VF by_permanent = hn::Set(d, 10.01f * kUnit * (group.reach + group.slop));
  const VF by_edges = hn::Set(d, 5.01f * kUnit * group.slop * group.reach);
  const VF tiny = hn::Set(d, filter ? 0x1p-140f * (1 + group.reach) * (1 + group.reach) : __builtin_inff());
  for (int at = 0; at < group.size; at += kLanes) {
    const Places places(hn::Iota(du, static_cast<std::uint32_t>(at)));
    const Quads p = fetch(group, places, 0), q = fetch(group, places, 1), r = fetch(group, places, 2);
    const VF px[3] = {p.x, p.y, p.z}, qx[3] = {q.x, q.y, q.z}, rx[3] = {r.x, r.y, r.z};
    for (int k = 0; k < 3; ++k) {
      const VF lo = hn::Min(hn::Min(px[k], qx[k]), rx[k]), hi = hn::Max(hn::Max(px[k], qx[k]), rx[k]);
      const auto level = [&](VF x) {
        const VF l = hn::Min(hn::Max(hn::Mul(hn::Sub(x, low[k]), scale[k]), zero), top);
        return hn::DemoteTo(d8, hn::Sub(hn::ConvertTo(di, l), hn::Set(di, 128)));
      };
      hn::StoreU(level(lo), d8, group.box[k] + at);
      hn::StoreU(level(hi), d8, group.box[3 + k] + at);
    }
    const Vec3 e1 = q.xyz() - p.xyz(), e2 = r.xyz() - p.xyz();
    const VF yz = hn::Mul(e1.y, e2.z), zy = hn::Mul(e1.z, e2.y), zx = hn::Mul(e1.z, e2.x), xz = hn::Mul(e1.x, e2.z),
             xy = hn::Mul(e1.x, e2.y), yx = hn::Mul(e1.y, e2.x);
    const VF permanent = hn::Add(hn::Add(hn::Add(hn::Abs(yz), hn::Abs(zy)), hn::Add(hn::Abs(zx), hn::Abs(xz))),
                                 hn::Add(hn::Abs(xy), hn::Abs(yx)));
    const VF edges = hn::Add(norm1(e1), norm1(e2));
    const VF bound = hn::MulAdd(by_permanent, permanent, hn::MulAdd(by_edges, edges, tiny));
    put(group, at, 3, hn::Sub(yz, zy), hn::Sub(zx, xz), hn::Sub(xy, yx), bound);
  }
}

template <class M>
HWY_INLINE std::uint64_t mask_bits(M mask) {
#if HWY_TARGET <= HWY_AVX3
  return mask.raw;
#else
  return hn::detail::BitsFromMask(mask);
#endif
}

/// Step 1 for row i: bits of the 64 boxes from column 64 · word on that overlap its own.
HWY_INLINE std::uint64_t overlapping(const Group& group, int i, int word) {
  const hn::ScalableTag<std::int8_t> d;
  constexpr int kBytes = static_cast<int>(HWY_MAX_BYTES);
  const auto lx = hn::Set(d, group.box[0][i]), ly = hn::Set(d, group.box[1][i]), lz = hn::Set(d, group.box[2][i]);
  const auto hx = hn::Set(d, group.box[3][i]), hy = hn::Set(d, group.box[4][i]), hz = hn::Set(d, group.box[5][i]);
  std::uint64_t bits = 0;
  for (int part = 0; part < 64; part += kBytes) {
    const int at = 64 * word + part;
    const auto apart_x = hn::Or(hn::Gt(lx, hn::Load(d, group.box[3] + at)), hn::Gt(hn::Load(d, group.box[0] + at), hx));
    const auto apart_y = hn::Or(hn::Gt(ly, hn::Load(d, group.box[4] + at)), hn::Gt(hn::Load(d, group.box[1] + at), hy));
    const auto apart_z = hn::Or(hn::Gt(lz, hn::Load(d, group.box[5] + at)), hn::Gt(hn::Load(d, group.box[2] + at), hz));
    const std::uint64_t apart = mask_bits(hn::Or(hn::Or(apart_x, apart_y), apart_z));
    bits |= (kBytes == 64 ? ~apart : ~apart & ((std::uint64_t{1} << (kBytes & 63)) - 1)) << part;
  }
  return bits;
}

/// Writes base + (bit << 8) for each set bit; returns how many. May write a vector past them.
HWY_INLINE int expand(std::uint64_t bits, std::uint32_t base, std::uint32_t* out) {
  int count = 0;
#if HWY_TARGET <= HWY_AVX3_DL
  const DU du;
  const __m512i iota = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43,
                                       42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
                                       21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m512i columns = _mm512_maskz_compress_epi8(bits, iota);
  count = __builtin_popcountll(bits);
  for (int at = 0; at < count; at += 16) {
    const VU column{_mm512_cvtepu8_epi32(_mm512_castsi512_si128(columns))};
    hn::StoreU(hn::Add(hn::ShiftLeft<8>(column), hn::Set(du, base)), du, out + at);
    columns = _mm512_alignr_epi64(columns, columns, 2);
  }
#elif HWY_TARGET <= HWY_AVX3
  const DU du;
  const VU lane = hn::ShiftLeft<8>(hn::Iota(du, 0));
  for (; bits != 0; bits >>= 16, base += 16 << 8) {
    const std::uint32_t part = bits & 0xFFFF;
    const hn::Mask<DU> mask{static_cast<__mmask16>(part)};
    hn::StoreU(hn::Compress(hn::Add(lane, hn::Set(du, base)), mask), du, out + count);
    count += __builtin_popcount(part);
  }
#else
  for (; bits != 0; bits &= bits - 1) out[count++] = base + (static_cast<std::uint32_t>(__builtin_ctzll(bits)) << 8);
#endif
  return count;
}

HWY_INLINE std::uint64_t from_bit(int n) { return n >= 64 ? 0 : ~std::uint64_t{0} << n; }
HWY_INLINE std::uint64_t below_bit(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

template <Sharing kSharing>
void run_steps(Group& group, PairLists& lists, PairSink& sink) {
  prepare(group);
  int count = 0;
  const auto flush = [&] {
    lists.candidate_count += static_cast<std::uint64_t>(count);
    const int once = keep_straddling<kSharing>(group, lists.candidates, count, lists.straddling);
    const int twice = keep_straddling<kSharing>(group, lists.straddling, once, lists.candidates);
    decide_pairs<kSharing>(group, lists.candidates, twice, lists);
    if (lists.undecided_count + lists.crossing_count > 0) sink.take(group, lists);
    count = 0;
  };
  const int rows = group.split > 0 ? group.split : group.size - 1;
  for (int i = 0; i < rows; ++i) {
    const int first = group.split > 0 ? group.split : i + 1;
    for (int word = first / 64; 64 * word < group.size; ++word) {
      std::uint64_t bits = overlapping(group, i, word);
      bits &= below_bit(group.size - 64 * word);
      if (first > 64 * word) bits &= from_bit(first - 64 * word);
      for (const auto& least : group.least)
        if ((least[i / 64] >> (i % 64) & 1) == 0) bits &= least[word];
      if (!group.one_object) bits &= ~group.kin[group.kind[i]][word];
      count += expand(bits, static_cast<std::uint32_t>(i | word << 14), lists.candidates + count);
    }
    if (count >= PairLists::kFlush) flush();
  }
  if (count > 0) flush();
}

void run_group(Group& group, Sharing sharing, PairLists& lists, PairSink& sink) {
  if (sharing == Sharing::by_index)
    run_steps<Sharing::by_index>(group, lists, sink);
  else
    run_steps<Sharing::by_position>(group, lists, sink);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard for each target
