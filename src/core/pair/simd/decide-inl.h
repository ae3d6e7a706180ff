// Step 4 of the kernel: certain answers for pairs that no plane of theirs separates. Included once for each target.
#include "pair/simd/records-inl.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

/// The group's contribution to the determinants' bounds (rules/bounds.h, 4): the factor of the sides, and the number
/// that is added to each norm.
struct Slop {
  VF by_sides, pad;
  explicit Slop(const rules::NormBound& bound)
      : by_sides(hn::Set(DF(), bound.by_sides)), pad(hn::Set(DF(), bound.pad)) {}
};

/// Error bound of a 3 × 3 determinant of coordinate differences with these 1-norms. The order of the products matters
/// where they overflow.
HWY_INLINE VF bound_of(VF p, VF q, VF r, const Slop& slop) {
  const DF d;
  p = hn::Add(p, slop.pad);
  q = hn::Add(q, slop.pad);
  r = hn::Add(r, slop.pad);
  const VF pq = hn::Mul(p, q);
  const VF sides = hn::MulAdd(hn::Add(p, q), r, pq);
  const VF sum = hn::MulAdd(hn::Mul(hn::Set(d, float{rules::kTerms}), pq), r, hn::Mul(slop.by_sides, sides));
  return hn::Mul(sum, hn::Set(d, kUnit));
}
/// The bound of this determinant with a vector q without error: a direction.
HWY_INLINE VF bound_along(VF p, VF q, VF r, const Slop& slop) {
  const DF d;
  p = hn::Add(p, slop.pad);
  q = hn::Add(q, slop.pad);
  r = hn::Add(r, slop.pad);
  const VF sides = hn::Mul(hn::Mul(slop.by_sides, q), hn::Add(p, r));
  const VF sum = hn::MulAdd(hn::Mul(hn::Set(d, float{rules::kTerms}), hn::Mul(p, q)), r, sides);
  return hn::Mul(sum, hn::Set(d, kUnit));
}

struct Corners {
  Vec3 p[3];
  VF index[3];
  HWY_INLINE Corners() {}  // written out, as those of Vec3
};
template <int kStep>
HWY_INLINE Corners corners_of(const Group& group, const Places<kStep>& places) {
  Quads quads[3];
  fetch<3>(group, places, 0, quads);
  Corners corners;
  for (int k = 0; k < 3; ++k) {
    corners.p[k] = quads[k].xyz();
    corners.index[k] = quads[k].w;
  }
  return corners;
}

HWY_INLINE MF two_of(MF a, MF b, MF c) { return hn::Or(hn::And(a, b), hn::And(c, hn::Or(a, b))); }
HWY_INLINE bool any(MF m) { return !hn::AllFalse(DF(), m); }

/// AVX-512: seven registers for masks. Vectors are the faster way to many conditions there.
constexpr bool kFewMasks = HWY_TARGET <= HWY_AVX3;

/// Corners of each triangle that are corners of the other, too. A triangle that has a vertex twice may share one corner
/// of a with two of b.
struct Shared {
  MF a[3], b[3];
  HWY_INLINE Shared() {}
  HWY_INLINE MF any() const { return hn::Or(hn::Or(a[0], a[1]), a[2]); }
  HWY_INLINE MF two_a() const { return two_of(a[0], a[1], a[2]); }
  HWY_INLINE MF two_b() const { return two_of(b[0], b[1], b[2]); }
  HWY_INLINE MF three() const { return hn::Or(hn::And(hn::And(a[0], a[1]), a[2]), hn::And(hn::And(b[0], b[1]), b[2])); }
  /// Corners of a and 4 times those of b.
  HWY_INLINE VU count() const {
    const DU du;
    VU sum = hn::Zero(du);
    const auto add = [&](MF mask, std::uint32_t n) {
      const hn::Mask<DU> m = hn::RebindMask(du, mask);
      const VU more = hn::Set(du, n);
      sum = kFewMasks ? hn::IfThenElse(m, hn::Add(sum, more), sum) : hn::Add(sum, hn::IfThenElseZero(m, more));
    };
    for (int k = 0; k < 3; ++k) add(a[k], 1), add(b[k], 4);
    return sum;
  }
  /// One corner of each.
  HWY_INLINE MF one() const { return hn::AndNot(hn::Or(two_a(), two_b()), any()); }
};
template <Sharing kSharing, int kStep>
HWY_INLINE Shared shared_corners(const Group& group, const Corners& a, const Corners& b, const LanesOf<kStep>& lanes) {
  Shared shared;
  if constexpr (kSharing == Sharing::by_index && kFewMasks) {
    const DU du;
    VU differ[3][3];  // zero where equal
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) differ[k][l] = hn::Xor(hn::BitCast(du, a.index[k]), hn::BitCast(du, b.index[l]));
    const auto has_zero = [&](VU x, VU y, VU z) {
      return hn::RebindMask(DF(), hn::Eq(hn::Min(hn::Min(x, y), z), hn::Zero(du)));
    };
    for (int k = 0; k < 3; ++k) {
      shared.a[k] = has_zero(differ[k][0], differ[k][1], differ[k][2]);
      shared.b[k] = has_zero(differ[0][k], differ[1][k], differ[2][k]);
    }
  } else {
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        MF same;
        if constexpr (kSharing == Sharing::by_index)
          same = same_bits(a.index[k], b.index[l]);
        else
          same = hn::And(hn::And(hn::Eq(a.p[k].x, b.p[l].x), hn::Eq(a.p[k].y, b.p[l].y)), hn::Eq(a.p[k].z, b.p[l].z));
        shared.a[k] = l == 0 ? same : hn::Or(shared.a[k], same);
        shared.b[l] = k == 0 ? same : hn::Or(shared.b[l], same);
      }
  }
  if (!group.one_object) {
    // Corners shared between different objects count like any other point.
    const MF one_object = of_one_object(group, lanes);
    for (int k = 0; k < 3; ++k) {
      shared.a[k] = hn::And(shared.a[k], one_object);
      shared.b[k] = hn::And(shared.b[k], one_object);
    }
  }
  return shared;
}

/// Sides of one triangle's corners of the other's plane, and how they compare with their bound.
struct Sides {
  VF value[3];
  MF certain[3];
  HWY_INLINE Sides() {}
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

/// One shared corner, all other sides certain: the two segments on the common line start at the shared corner, and four
/// signs give their directions (exact/tri_tri.h, decide_at_corner). kept: neither triangle is on one side of the other.
HWY_INLINE Decision decide_at_corner(MF sa0, MF sa1, MF sb0, MF sb1, const Sides& a, const Sides& b) {
  const VF a1 = pick(sa0, sa1, a.value[1], a.value[2], a.value[0]),
           a2 = pick(sa0, sa1, a.value[2], a.value[0], a.value[1]);
  const VF b1 = pick(sb0, sb1, b.value[1], b.value[2], b.value[0]),
           b2 = pick(sb0, sb1, b.value[2], b.value[0], b.value[1]);
  const MF a_up = positive(a1), b_up = positive(b1);
  const MF straddle = hn::And(hn::Xor(a_up, positive(a2)), hn::Xor(b_up, positive(b2)));
  const MF crossing = hn::And(straddle, hn::Xor(a_up, b_up));
  return {hn::Not(crossing), crossing};
}

/// Nothing shared, all six sides certain, both straddle: compare the intervals on the common line.
HWY_INLINE Decision decide_intervals(const Corners& a, const Corners& b, const Sides& side_a, const Sides& side_b,
                                     const Slop& slop) {
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
  const auto orient = [&slop](const Vec3& i, const Vec3& j, const Vec3& k, const Vec3& l, VF& bound) {
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

/// f(x) = | g m x | for a direction m taken as it is: its zero plane holds the origin of g and x, and g. Separates
/// exactly where signs are certain, whatever m is.
struct Separator {
  Vec3 normal;
  VF g, m;
  Separator(const Vec3& along, const Vec3& direction)
      : normal(cross(along, direction)), g(norm1(along)), m(norm1(direction)) {}
  void side(const Vec3& x, const Slop& slop, MF& plus, MF& minus) const {
    const VF value = dot(normal, x), bound = bound_along(g, m, norm1(x), slop);
    plus = hn::Gt(value, bound);
    minus = hn::Lt(value, hn::Neg(bound));
  }
};

/// One shared corner s: a plane through s and an edge of one triangle with the rest of it on one side and the other
/// triangle strictly on the other. `a` and `b` are rotated so that s comes first.
HWY_INLINE MF separated_at_corner(const Vec3* a, const Vec3* b, const Vec3& normal, const Slop& slop) {
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
HWY_INLINE MF separated_at_edge(const Vec3* a, const Vec3& b_free, const Vec3& normal, const Slop& slop) {
  const Separator plane(a[2] - a[1], normal);
  MF plus_a, minus_a, plus_b, minus_b;
  plane.side(a[0] - a[1], slop, plus_a, minus_a);
  plane.side(b_free - a[1], slop, plus_b, minus_b);
  return hn::Or(hn::And(plus_a, minus_b), hn::And(minus_a, plus_b));
}

/// Nothing shared: a plane through an edge of t with its third corner on one side and all of `other` strictly on the
/// other.
HWY_INLINE MF separated_by_edge_of(const Corners& t, const Corners& other, const Vec3& normal, const Slop& slop) {
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

/// Step 4. Certain answers from all the signs; what remains goes to `undecided`.
template <Sharing kSharing>
void decide_pairs(const Group& group, const std::uint32_t* pairs, int count, PairLists& lists) {
  const DF d;
  const DU du;
  const Slop slop(rules::NormBound::of(group.slop));
  for (int at = 0; at < count; at += kLanes) {
    const auto lanes = lanes_of(pairs + at);
    const Corners a = corners_of(group, lanes.i), b = corners_of(group, lanes.j);
    const Quads na = fetch(group, lanes.i, 3), nb = fetch(group, lanes.j, 3);
    const Shared shared = shared_corners<kSharing>(group, a, b, lanes);
    const MF* sa = shared.a;
    const MF* sb = shared.b;
    const MF shares = shared.any(), three = shared.three(), one = shared.one();
    const MF two = hn::Or(shared.two_a(), shared.two_b());

    const Sides side_a = sides_of(a, b.p[0], nb), side_b = sides_of(b, a.p[0], na);
    MF certain = hn::RebindMask(d, hn::Eq(hn::Zero(du), hn::Zero(du)));
    for (int k = 0; k < 3; ++k)
      certain = hn::And(certain, hn::And(hn::Or(side_a.certain[k], sa[k]), hn::Or(side_b.certain[k], sb[k])));

    const MF live = count - at < kLanes ? hn::FirstN(d, static_cast<std::size_t>(count - at))
                                        : hn::RebindMask(d, hn::Eq(hn::Zero(du), hn::Zero(du)));
    const MF at_corner = hn::And(hn::And(certain, one), live), apart = hn::AndNot(shares, hn::And(certain, live));
    const Decision corner = decide_at_corner(sa[0], sa[1], sb[0], sb[1], side_a, side_b);
    MF clear = hn::And(at_corner, corner.clear), crossing = hn::And(at_corner, corner.crossing);
    if (any(apart)) {
      const Decision intervals = decide_intervals(a, b, side_a, side_b, slop);
      clear = hn::Or(clear, hn::And(apart, intervals.clear));
      crossing = hn::Or(crossing, hn::And(apart, intervals.crossing));
    }
    // Uncertain sides: nearly one plane. Exact arithmetic is not needed if some plane separates them.
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
        const MF separated =
            hn::Or(separated_by_edge_of(a, b, na.xyz(), slop), separated_by_edge_of(b, a, nb.xyz(), slop));
        clear = hn::Or(clear, hn::And(flat_none, separated));
      }
    }
    const MF open = hn::AndNot(hn::Or(clear, crossing), live);
    lists.undecided_count += append(lanes.pair, hn::RebindMask(du, open), lists.undecided + lists.undecided_count);
    lists.crossing_count += append(lanes.pair, hn::RebindMask(du, crossing), lists.crossing + lists.crossing_count);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif
