// Step 2 of the kernel: neighbours and what lies beside each other. Included once for each target.
//
// Most candidates of a mesh share a corner or an edge, and in flat parts of it no plane of a triangle separates them.
// But some plane does: one across the line between the middles of the two triangles, or one through the common edge.
//
// Least and greatest values are safe although they would hide a NaN: in a group that is filtered, all are finite
// (rules/bounds.h, 7); in others the bound is infinite.
#include "pair/simd/decide-inl.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

/// Bounds of the group for step 2: |m| times `factor` plus `constant` for m · (x - o), and the norm of any difference.
struct Across {
  VF factor, constant, reach;
  explicit Across(const Group& group) {
    const rules::DirectionBound bound = rules::DirectionBound::of(group.reach, group.slop);
    factor = hn::Set(DF(), bound.by_norm);
    constant = hn::Set(DF(), bound.constant);
    reach = hn::Set(DF(), 3 * group.reach);
  }
  HWY_INLINE VF bound(const Vec3& m) const { return hn::MulAdd(factor, norm1(m), constant); }
};

/// The corners as differences from `o`.
struct Fan {
  Vec3 d[3];
  HWY_INLINE Fan(const Corners& t, const Vec3& o) {
    for (int k = 0; k < 3; ++k) d[k] = t.p[k] - o;
  }
  HWY_INLINE Vec3 sum() const { return d[0] + d[1] + d[2]; }
  HWY_INLINE Vec3 free(const MF* shared) const {
    return pick(hn::Not(shared[0]), hn::Not(shared[1]), d[0], d[1], d[2]);
  }
};

/// Values of m at the corners that are not shared: the least and the greatest.
HWY_INLINE VF least_along(const Vec3& m, const Fan& fan, const MF* shared) {
  const VF none = hn::Set(DF(), __builtin_inff());
  const auto value = [&](int k) { return hn::IfThenElse(shared[k], none, dot(m, fan.d[k])); };
  return hn::Min(hn::Min(value(0), value(1)), value(2));
}
HWY_INLINE VF greatest_along(const Vec3& m, const Fan& fan, const MF* shared) {
  const VF none = hn::Set(DF(), -__builtin_inff());
  const auto value = [&](int k) { return hn::IfThenElse(shared[k], none, dot(m, fan.d[k])); };
  return hn::Max(hn::Max(value(0), value(1)), value(2));
}

/// From the middle of a to that of b, given as sums of differences from the origin. At a common corner, where wedges
/// meet, from a direction of a to one of b: both are brought to one length, unless they are `apart`.
HWY_INLINE Vec3 between(const Vec3& a, const Vec3& b, MF apart) {
  const VF one = hn::Set(DF(), 1.0f);
  const VF by_a = hn::IfThenElse(apart, one, norm1(b)), by_b = hn::IfThenElse(apart, one, norm1(a));
  return {hn::NegMulAdd(a.x, by_a, hn::Mul(b.x, by_b)), hn::NegMulAdd(a.y, by_a, hn::Mul(b.y, by_b)),
          hn::NegMulAdd(a.z, by_a, hn::Mul(b.z, by_b))};
}

/// The common edge e from the origin, the other corners at x and y: are these strictly on different sides of the plane
/// through e and the direction e × x?
HWY_INLINE MF across_edge(const Vec3& e, const Vec3& x, const Vec3& y, const Across& across, const Slop& slop) {
  const Separator plane(e, cross(e, x));
  const VF bound = bound_along(plane.g, plane.m, across.reach, slop), minus = hn::Neg(bound);
  // e × (e × x) is directed away from x.
  return hn::And(hn::Lt(dot(plane.normal, x), minus), hn::Gt(dot(plane.normal, y), bound));
}

/// Step 2. Keeps the candidates that are not certainly separated.
template <Sharing kSharing>
int keep_unseparated(const Group& group, const PairLists& lists, int count, std::uint32_t* out) {
  const DF d;
  const DU du;
  const Slop slop(rules::NormBound::of(group.slop));
  const Across across(group);
  int kept = 0;
  for (int at = 0; at < count; at += kLanes) {
    const auto lanes = lanes_of(lists.first + at, lists.second + at);
    const Corners a = corners_of(group, lanes.i), b = corners_of(group, lanes.j);
    const Shared shared = shared_corners<kSharing>(group, a, b, lanes);
    const VU common = shared.count();
    const auto has = [&](std::uint32_t each) {
      return hn::RebindMask(d, hn::Eq(common, hn::Set(du, 5 * each)));  // of both
    };
    const MF none = has(0), one = has(1), two = has(2);
    const Vec3 o = pick(shared.a[0], shared.a[1], a.p[0], a.p[1], a.p[2]);  // the first shared corner, or any
    const Fan fan_a(a, o), fan_b(b, o);
    const Vec3 m = between(fan_a.sum(), fan_b.sum(), none);
    const VF bound = across.bound(m);
    const VF from = greatest_along(m, fan_a, shared.a), to = least_along(m, fan_b, shared.b);
    const MF beyond = hn::And(hn::Lt(from, hn::Neg(bound)), hn::Gt(to, bound));
    const MF apart = hn::Gt(hn::Sub(to, from), hn::Add(bound, bound));
    MF clear = hn::Or(hn::And(one, beyond), hn::And(none, apart));
    if (any(two)) {
      const Vec3 edge = select(shared.a[2], fan_a.d[2], fan_a.d[1]);
      const MF sides = across_edge(edge, fan_a.free(shared.a), fan_b.free(shared.b), across, slop);
      clear = hn::Or(clear, hn::And(two, sides));
    }
    MF keep = hn::Not(clear);
    if (count - at < kLanes) keep = hn::And(keep, hn::FirstN(d, static_cast<std::size_t>(count - at)));
    kept += append(lanes.pair, hn::RebindMask(du, keep), out + kept);
  }
  return kept;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif
