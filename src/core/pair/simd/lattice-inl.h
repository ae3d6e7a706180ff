// The exact decision on pairs of a fine lattice, in vectors of floats. Included once for each target.
//
// All corners of the group are multiples of some q, and differences of coordinates are below 2^7 q. Then every product
// and sum below is a multiple of q, q² or q³ that is smaller than 6 · 2^21 < 2^24 of them: floats hold it exactly, in
// any order of operations, fused or not. So the signs are those of exact arithmetic, zeros included, and the steps are
// those of exact/tri_tri.h. Pairs of a degenerate triangle, and coplanar ones with one common corner, are left open.
#include "exact/tri_tri.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE VF least(VF a, VF b, VF c) { return hn::Min(a, hn::Min(b, c)); }
HWY_INLINE VF greatest(VF a, VF b, VF c) { return hn::Max(a, hn::Max(b, c)); }
HWY_INLINE MF is_zero(VF v) { return hn::Eq(v, hn::Zero(DF())); }
HWY_INLINE MF negative(VF v) { return hn::Lt(v, hn::Zero(DF())); }

/// The signed volumes of p, q, r, s, exact.
HWY_INLINE VF orient(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
  return dot(cross(q - p, r - p), s - p);
}

/// The triangle rotated so that its apex comes first: apex_of() of exact/tri_tri.h. `up`: the apex counts as above.
HWY_INLINE void apex_first(const Corners& t, const VF* side, Vec3* out, MF& up) {
  const DF d;
  MF is_apex[2], above[3];
  for (int i = 0; i < 3; ++i) {
    const VF p = side[i], q = side[(i + 1) % 3], r = side[(i + 2) % 3];
    const VF low = hn::Min(q, r), high = hn::Max(q, r), zero = hn::Zero(d);
    above[i] = hn::Or(positive(p), hn::And(is_zero(p), negative(q)));
    if (i == 2) break;
    const MF over = hn::And(positive(p), hn::Le(high, zero)), under = hn::And(negative(p), hn::Ge(low, zero));
    const MF between = hn::And(is_zero(p), hn::Or(positive(low), negative(high)));
    is_apex[i] = hn::Or(hn::Or(over, under), between);
  }
  rotate(is_apex[0], is_apex[1], t.p, out);
  up = hn::Or(hn::And(is_apex[0], above[0]),
              hn::AndNot(is_apex[0], hn::Or(hn::And(is_apex[1], above[1]), hn::AndNot(is_apex[1], above[2]))));
}

/// A triangle in the projection that keeps its area: along z where `z`, else along y where `y`, else along x.
struct Flat {
  VF u[3], v[3];
  HWY_INLINE Flat(const Corners& t, MF z, MF y) {
    for (int k = 0; k < 3; ++k) {
      u[k] = pick(z, y, t.p[k].x, t.p[k].z, t.p[k].y);
      v[k] = pick(z, y, t.p[k].y, t.p[k].x, t.p[k].z);
    }
  }
};

/// separation() of exact/tri_tri.h: negative where some edge of `of` has all of `other` strictly outside, zero where
/// one has it outside or on its line. `area`: of `of`, signed.
HWY_INLINE VF separation(const Flat& of, const Flat& other, VF area) {
  VF best = area;
  for (int i = 0; i < 3; ++i) {
    const int n = (i + 1) % 3;
    const VF eu = hn::Sub(of.u[n], of.u[i]), ev = hn::Sub(of.v[n], of.v[i]);
    VF side[3];
    for (int j = 0; j < 3; ++j) {
      const VF turn = hn::MulSub(eu, hn::Sub(other.v[j], of.v[i]), hn::Mul(ev, hn::Sub(other.u[j], of.u[i])));
      side[j] = hn::IfThenElse(negative(area), hn::Neg(turn), turn);
    }
    const VF nearest = greatest(side[0], side[1], side[2]);
    best = i == 0 ? nearest : hn::Min(best, nearest);
  }
  return best;
}

/// Writes a Verdict (exact/tri_tri.h), or kOpenVerdict, for each pair.
void settle_on_lattice(const Group& group, const std::uint32_t* pairs, int count, std::int8_t* verdicts) {
  const DF d;
  const hn::ScalableTag<std::int32_t> di;
  const VF zero = hn::Zero(d);
  for (int at = 0; at < count; at += kLanes) {
    const auto lanes = lanes_of(pairs + at);
    const Corners a = corners_of(group, lanes.i), b = corners_of(group, lanes.j);

    MF same_a[3], same_b[3];  // corners that the other triangle has, too
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        const MF same =
            hn::And(hn::And(hn::Eq(a.p[k].x, b.p[l].x), hn::Eq(a.p[k].y, b.p[l].y)), hn::Eq(a.p[k].z, b.p[l].z));
        same_a[k] = l == 0 ? same : hn::Or(same_a[k], same);
        same_b[l] = k == 0 ? same : hn::Or(same_b[l], same);
      }
    const MF duplicate =
        hn::And(hn::And(hn::And(same_a[0], same_a[1]), same_a[2]), hn::And(hn::And(same_b[0], same_b[1]), same_b[2]));
    const MF one_object = of_one_object(group, lanes);
    for (int k = 0; k < 3; ++k) same_a[k] = hn::And(same_a[k], one_object), same_b[k] = hn::And(same_b[k], one_object);
    const MF two = two_of(same_a[0], same_a[1], same_a[2]);
    const MF shares = hn::Or(hn::Or(same_a[0], same_a[1]), same_a[2]);
    const MF one = hn::AndNot(two, shares);

    const Vec3 na = cross(a.p[1] - a.p[0], a.p[2] - a.p[0]), nb = cross(b.p[1] - b.p[0], b.p[2] - b.p[0]);
    const MF thin = hn::Or(is_zero(norm1(na)), is_zero(norm1(nb)));
    VF of_a[3], of_b[3];  // sides of a's corners of b's plane, and the other way round
    for (int k = 0; k < 3; ++k) of_a[k] = dot(nb, a.p[k] - b.p[0]), of_b[k] = dot(na, b.p[k] - a.p[0]);
    const VF low_a = least(of_a[0], of_a[1], of_a[2]), high_a = greatest(of_a[0], of_a[1], of_a[2]);
    const VF low_b = least(of_b[0], of_b[1], of_b[2]), high_b = greatest(of_b[0], of_b[1], of_b[2]);
    const MF flat = hn::And(is_zero(low_b), is_zero(high_b));
    MF clear = hn::Or(hn::Or(positive(low_a), negative(high_a)), hn::Or(positive(low_b), negative(high_b)));
    clear = hn::Or(clear, hn::AndNot(flat, two));  // different planes meet in the line of the common edge
    MF open = thin;
    MF crossing = hn::MaskFromVec(zero), coplanar = crossing;

    const MF corner = hn::AndNot(hn::Or(clear, flat), one);
    if (any(corner)) {
      const VF a1 = pick(same_a[0], same_a[1], of_a[1], of_a[2], of_a[0]),
               a2 = pick(same_a[0], same_a[1], of_a[2], of_a[0], of_a[1]);
      const VF b1 = pick(same_b[0], same_b[1], of_b[1], of_b[2], of_b[0]),
               b2 = pick(same_b[0], same_b[1], of_b[2], of_b[0], of_b[1]);
      const VF most_a = hn::Max(a1, a2), least_a = hn::Min(a1, a2), most_b = hn::Max(b1, b2), least_b = hn::Min(b1, b2);
      const MF beside =
          hn::Or(hn::Or(positive(least_a), negative(most_a)), hn::Or(positive(least_b), negative(most_b)));
      const MF opposite = hn::Not(hn::Xor(hn::Gt(a1, a2), hn::Gt(b1, b2)));
      clear = hn::Or(clear, hn::And(corner, hn::Or(beside, opposite)));
      const MF through =
          hn::And(hn::And(negative(least_a), positive(most_a)), hn::And(negative(least_b), positive(most_b)));
      crossing = hn::Or(crossing, hn::And(corner, through));
    }
    const MF apart = hn::AndNot(hn::Or(hn::Or(clear, flat), shares), hn::Eq(zero, zero));
    if (any(apart)) {
      Vec3 ta[3], tb[3];
      MF a_up, b_up;
      apex_first(a, of_a, ta, a_up);
      apex_first(b, of_b, tb, b_up);
      const Vec3 q = select(b_up, ta[1], ta[2]), r = select(b_up, ta[2], ta[1]);
      const Vec3 q2 = select(a_up, tb[1], tb[2]), r2 = select(a_up, tb[2], tb[1]);
      const VF first = orient(ta[0], q, tb[0], q2), second = orient(ta[0], r, r2, tb[0]);
      clear = hn::Or(clear, hn::And(apart, hn::Or(positive(first), positive(second))));
      const MF straddle =
          hn::And(hn::And(negative(low_a), positive(high_a)), hn::And(negative(low_b), positive(high_b)));
      crossing = hn::Or(crossing, hn::And(hn::And(apart, straddle), hn::And(negative(first), negative(second))));
    }
    if (any(flat)) {
      const MF z = hn::Not(is_zero(na.z)), y = hn::Not(is_zero(na.y));
      const Flat fa(a, z, y), fb(b, z, y);
      const VF by_a = separation(fa, fb, pick(z, y, na.z, na.y, na.x)),
               by_b = separation(fb, fa, pick(z, y, nb.z, nb.y, nb.x));
      const VF by = hn::Min(by_a, by_b);
      clear = hn::Or(clear, hn::And(flat, hn::Or(negative(by), hn::And(two, is_zero(by)))));
      open = hn::Or(open, hn::And(hn::And(flat, one), is_zero(by)));
      // Neither separates, not even along an edge.
      coplanar = hn::And(flat, hn::And(positive(by_a), positive(by_b)));
    }
    const auto code = [&](exact::Verdict v) { return hn::Set(di, static_cast<std::int32_t>(v)); };
    auto verdict = code(exact::Verdict::touching);
    verdict = hn::IfThenElse(hn::RebindMask(di, coplanar), code(exact::Verdict::coplanar), verdict);
    verdict = hn::IfThenElse(hn::RebindMask(di, crossing), code(exact::Verdict::crossing), verdict);
    verdict = hn::IfThenElse(hn::RebindMask(di, clear), code(exact::Verdict::clear), verdict);
    verdict = hn::IfThenElse(hn::RebindMask(di, open), hn::Set(di, std::int32_t{kOpenVerdict}), verdict);
    verdict = hn::IfThenElse(hn::RebindMask(di, duplicate), code(exact::Verdict::duplicate), verdict);
    alignas(64) std::int32_t lane[kLanes];
    hn::Store(verdict, di, lane);
    for (int k = 0; k < kLanes && at + k < count; ++k) verdicts[at + k] = static_cast<std::int8_t>(lane[k]);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif
