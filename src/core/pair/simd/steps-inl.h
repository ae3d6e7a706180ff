// The steps of exact/tri_tri.h for a vector of pairs. Included once for each target.
//
// An arithmetic A has
//   Value, Mask       a vector of floating-point numbers, and its masks
//   Coordinate, Step  a coordinate, and the difference of two
//   Point             three coordinates x, y, z, without a constructor of its own
//   open              lanes in which a sign is not known
// and, as members: step(p, q) = p - q, equal(p, q), select(mask, p, q), minor(p, q, r, s) = p q - r s of steps, and a
// Plane through three points, which has a normal x(), y(), z() and side_of(point, on_it), which is 0 where `on_it`.
// Each of these values has the sign of the exact one, zeros included, but in lanes that are open. Nothing else than the
// sign is used.
//
// Pairs of a degenerate triangle, and coplanar ones with one common corner, are left open, too.
#include <hwy/highway.h>

#include "exact/tri_tri.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

namespace steps {

template <class V>
HWY_INLINE V zero_of(V) {
  return hn::Zero(hn::DFromV<V>());
}
template <class V>
HWY_INLINE auto positive(V v) {
  return hn::Gt(v, zero_of(v));
}
template <class V>
HWY_INLINE auto negative(V v) {
  return hn::Lt(v, zero_of(v));
}
template <class V>
HWY_INLINE auto is_zero(V v) {
  return hn::Eq(v, zero_of(v));
}
template <class V>
HWY_INLINE V least(V a, V b, V c) {
  return hn::Min(a, hn::Min(b, c));
}
template <class V>
HWY_INLINE V greatest(V a, V b, V c) {
  return hn::Max(a, hn::Max(b, c));
}
template <class M>
HWY_INLINE M two_of(M a, M b, M c) {
  return hn::Or(hn::And(a, b), hn::And(c, hn::Or(a, b)));
}

}  // namespace steps

template <class A>
class Steps {
 public:
  using V = typename A::Value;
  using M = typename A::Mask;
  using Point = typename A::Point;

  /// Verdicts (exact/tri_tri.h) as masks; `touching` where none of them is set. `duplicate` comes before `open`, and
  /// `open` before all others.
  M clear, crossing, coplanar, duplicate, open;

  /// `one_object`: common corners do not count.
  HWY_INLINE Steps(A& arithmetic, const Point* corners_a, const Point* corners_b, M one_object)
      : arithmetic_(arithmetic), a_(corners_a), b_(corners_b) {
    using namespace steps;
    M on_a[3], on_b[3];  // corners that the other triangle has, too
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        const M same = equal(a_[k], b_[l]);
        on_a[k] = l == 0 ? same : hn::Or(on_a[k], same);
        on_b[l] = k == 0 ? same : hn::Or(on_b[l], same);
      }
    duplicate = hn::And(hn::And(hn::And(on_a[0], on_a[1]), on_a[2]), hn::And(hn::And(on_b[0], on_b[1]), on_b[2]));
    M same_a[3], same_b[3];  // those that do not count
    for (int k = 0; k < 3; ++k) same_a[k] = hn::And(on_a[k], one_object), same_b[k] = hn::And(on_b[k], one_object);
    const M two = two_of(same_a[0], same_a[1], same_a[2]);
    const M shares = hn::Or(hn::Or(same_a[0], same_a[1]), same_a[2]);
    const M one = hn::AndNot(two, shares);

    const typename A::Plane plane_a(arithmetic_, a_), plane_b(arithmetic_, b_);
    const M thin = hn::Or(plane_a.is_degenerate(), plane_b.is_degenerate());
    for (int k = 0; k < 3; ++k) {
      side_a_[k] = plane_b.side_of(arithmetic_, a_[k], on_a[k]);
      side_b_[k] = plane_a.side_of(arithmetic_, b_[k], on_b[k]);
    }
    const V low_a = least(side_a_[0], side_a_[1], side_a_[2]), high_a = greatest(side_a_[0], side_a_[1], side_a_[2]);
    const V low_b = least(side_b_[0], side_b_[1], side_b_[2]), high_b = greatest(side_b_[0], side_b_[1], side_b_[2]);
    const M flat = hn::And(is_zero(low_b), is_zero(high_b));
    clear = hn::Or(hn::Or(positive(low_a), negative(high_a)), hn::Or(positive(low_b), negative(high_b)));
    clear = hn::Or(clear, hn::AndNot(flat, two));  // different planes meet in the line of the common edge
    crossing = coplanar = hn::MaskFromVec(zero_of(low_a));
    open = hn::Or(thin, arithmetic_.open);
    const M straddle = hn::And(hn::And(negative(low_a), positive(high_a)), hn::And(negative(low_b), positive(high_b)));

    const M corner = hn::AndNot(hn::Or(clear, flat), one);
    if (any(corner)) at_corner(corner, same_a, same_b);
    const M apart = hn::AndNot(hn::Or(hn::Or(clear, flat), shares), hn::Eq(low_a, low_a));
    if (any(apart)) intervals(apart, straddle);
    if (any(flat)) in_one_plane(flat, one, two, plane_a, plane_b);
  }

 private:
  HWY_INLINE static bool any(M m) { return !hn::AllFalse(hn::DFromV<V>(), m); }
  HWY_INLINE static V pick(M first, M second, V a, V b, V c) {
    return hn::IfThenElse(first, a, hn::IfThenElse(second, b, c));
  }
  HWY_INLINE M equal(const Point& p, const Point& q) const {
    return hn::And(hn::And(A::equal(p.x, q.x), A::equal(p.y, q.y)), A::equal(p.z, q.z));
  }
  HWY_INLINE static void select(M mask, const Point& yes, const Point& no, Point& result) {
    const auto x = A::select(mask, yes.x, no.x), y = A::select(mask, yes.y, no.y), z = A::select(mask, yes.z, no.z);
    result.x = x, result.y = y, result.z = z;
  }

  /// decide_at_corner().
  HWY_INLINE void at_corner(M corner, const M* same_a, const M* same_b) {
    using namespace steps;
    const V *a = side_a_, *b = side_b_;
    const V a1 = pick(same_a[0], same_a[1], a[1], a[2], a[0]), a2 = pick(same_a[0], same_a[1], a[2], a[0], a[1]);
    const V b1 = pick(same_b[0], same_b[1], b[1], b[2], b[0]), b2 = pick(same_b[0], same_b[1], b[2], b[0], b[1]);
    const V most_a = hn::Max(a1, a2), least_a = hn::Min(a1, a2), most_b = hn::Max(b1, b2), least_b = hn::Min(b1, b2);
    const M beside = hn::Or(hn::Or(positive(least_a), negative(most_a)), hn::Or(positive(least_b), negative(most_b)));
    // a1 and a2 do not have one sign, nor are both zero: their order is that of the signs.
    const M opposite = hn::Not(hn::Xor(hn::Gt(a1, a2), hn::Gt(b1, b2)));
    clear = hn::Or(clear, hn::And(corner, hn::Or(beside, opposite)));
    const M through =
        hn::And(hn::And(negative(least_a), positive(most_a)), hn::And(negative(least_b), positive(most_b)));
    crossing = hn::Or(crossing, hn::And(corner, through));
  }

  /// The triangle rotated so that its apex comes first: apex_of(). `up`: the apex counts as above.
  HWY_INLINE static void apex_first(const Point* t, const V* side, Point* out, M& up) {
    using namespace steps;
    M is_apex[2], above[3];
    for (int i = 0; i < 3; ++i) {
      const V p = side[i], q = side[(i + 1) % 3], r = side[(i + 2) % 3], low = hn::Min(q, r), high = hn::Max(q, r);
      above[i] = hn::Or(positive(p), hn::And(is_zero(p), negative(q)));
      if (i == 2) break;
      const M over = hn::AndNot(positive(high), positive(p)), under = hn::AndNot(negative(low), negative(p));
      const M between = hn::And(is_zero(p), hn::Or(positive(low), negative(high)));
      is_apex[i] = hn::Or(hn::Or(over, under), between);
    }
    for (int i = 0; i < 3; ++i) {
      select(is_apex[1], t[(i + 1) % 3], t[(i + 2) % 3], out[i]);
      select(is_apex[0], t[i], out[i], out[i]);
    }
    up = hn::Or(hn::And(is_apex[0], above[0]),
                hn::AndNot(is_apex[0], hn::Or(hn::And(is_apex[1], above[1]), hn::AndNot(is_apex[1], above[2]))));
  }

  /// The sign of the volume of four points.
  HWY_INLINE V orient(const Point& p, const Point& q, const Point& r, const Point& s) {
    const Point corners[3] = {p, q, r};
    const typename A::Plane plane(arithmetic_, corners);
    return plane.side_of(arithmetic_, s, hn::MaskFromVec(hn::Zero(hn::DFromV<V>())));
  }

  /// decide_intervals().
  HWY_INLINE void intervals(M apart, M straddle) {
    using namespace steps;
    Point ta[3], tb[3], q, r, q2, r2;
    M a_up, b_up;
    apex_first(a_, side_a_, ta, a_up);
    apex_first(b_, side_b_, tb, b_up);
    select(b_up, ta[1], ta[2], q);
    select(b_up, ta[2], ta[1], r);
    select(a_up, tb[1], tb[2], q2);
    select(a_up, tb[2], tb[1], r2);
    const V first = orient(ta[0], q, tb[0], q2), second = orient(ta[0], r, r2, tb[0]);
    clear = hn::Or(clear, hn::And(apart, hn::Or(positive(first), positive(second))));
    crossing = hn::Or(crossing, hn::And(hn::And(apart, straddle), hn::And(negative(first), negative(second))));
    open = hn::Or(open, hn::And(apart, arithmetic_.open));
  }

  /// A triangle in the projection that keeps its area: along z where `z`, else along y where `y`, else along x.
  struct Flat {
    typename A::Coordinate u[3], v[3];
    HWY_INLINE Flat(const Point* t, M z, M y) {
      for (int k = 0; k < 3; ++k) {
        u[k] = A::select(z, t[k].x, A::select(y, t[k].z, t[k].y));
        v[k] = A::select(z, t[k].y, A::select(y, t[k].x, t[k].z));
      }
    }
  };

  /// separation(): negative where some edge of `of` has all of `other` strictly outside, zero where one has it outside
  /// or on its line. `area`: of `of`, signed.
  HWY_INLINE V separation(const Flat& of, const Flat& other, V area) {
    using namespace steps;
    V best = area;
    for (int i = 0; i < 3; ++i) {
      const int n = (i + 1) % 3;
      const auto eu = A::step(of.u[n], of.u[i]), ev = A::step(of.v[n], of.v[i]);
      V side[3];
      for (int j = 0; j < 3; ++j) {
        const V turn = arithmetic_.minor(eu, A::step(other.v[j], of.v[i]), ev, A::step(other.u[j], of.u[i]));
        side[j] = hn::IfThenElse(negative(area), hn::Neg(turn), turn);
      }
      const V nearest = greatest(side[0], side[1], side[2]);
      best = i == 0 ? nearest : hn::Min(best, nearest);
    }
    return best;
  }

  /// decide_coplanar().
  HWY_INLINE void in_one_plane(M flat, M one, M two, const typename A::Plane& plane_a,
                               const typename A::Plane& plane_b) {
    using namespace steps;
    const M z = hn::Not(is_zero(plane_a.z())), y = hn::Not(is_zero(plane_a.y()));
    const Flat a(a_, z, y), b(b_, z, y);
    const V by_a = separation(a, b, pick(z, y, plane_a.z(), plane_a.y(), plane_a.x())),
            by_b = separation(b, a, pick(z, y, plane_b.z(), plane_b.y(), plane_b.x()));
    const V by = hn::Min(by_a, by_b);
    clear = hn::Or(clear, hn::And(flat, hn::Or(negative(by), hn::And(two, is_zero(by)))));
    open = hn::Or(open, hn::And(flat, hn::Or(arithmetic_.open, hn::And(one, is_zero(by)))));
    coplanar = hn::And(flat, hn::And(positive(by_a), positive(by_b)));  // neither separates, not even along an edge
  }

  A& arithmetic_;
  const Point *a_, *b_;
  V side_a_[3], side_b_[3];  // sides of a's corners of b's plane, and the other way round
};

/// Writes a Verdict (exact/tri_tri.h), or kOpenVerdict, for each of `count` lanes.
template <class A>
HWY_INLINE void write_verdicts(const Steps<A>& found, int count, std::int8_t* verdicts) {
  using exact::Verdict;
  const hn::DFromV<typename A::Value> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Int = hn::TFromD<decltype(di)>;
  const auto code = [&](Verdict v) { return hn::Set(di, static_cast<Int>(v)); };
  auto verdict = code(Verdict::touching);
  const auto put = [&](const typename A::Mask& mask, Int value) {
    verdict = hn::IfThenElse(hn::RebindMask(di, mask), hn::Set(di, value), verdict);
  };
  put(found.coplanar, static_cast<Int>(Verdict::coplanar));
  put(found.crossing, static_cast<Int>(Verdict::crossing));
  put(found.clear, static_cast<Int>(Verdict::clear));
  put(found.open, kOpenVerdict);
  put(found.duplicate, static_cast<Int>(Verdict::duplicate));
  alignas(64) Int lane[hn::MaxLanes(d)];
  hn::Store(verdict, di, lane);
  for (int k = 0; k < count; ++k) verdicts[k] = static_cast<std::int8_t>(lane[k]);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif
