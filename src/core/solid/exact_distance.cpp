// The exact distance of two triangles.
//
// A feature pair has a direction n across both (zero where it has none): between two corners their difference, across
// a corner and an edge the perpendicular, across two edges or a corner and a face the normal. All corners of a lie
// below the largest n · a_i, all corners of b above the least n · b_j. So the distance is at least
//   slab / |n|,  slab = min n · b_j - max n · a_i.
// If the feature of a lies on the upper end of a and that of b on the lower end of b, and the feet of the perpendicular
// lie within both features, then the feet are that far apart: it is the distance. Some feature of disjoint triangles
// passes (distance.cpp: p, q and n = q - p, which is across both features), so the first that does ends the search, and
// where none does, the triangles share a point.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "exact/points.h"
#include "solid/distance.h"

namespace sightline::solid {
namespace {

using exact::BigInt, exact::Uint128, exact::WideInt;

template <int L>
using Vector = std::array<WideInt<L>, 3>;

template <int L>
Vector<L> operator-(const Vector<L>& p, const Vector<L>& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
template <int A, int B>
Vector<A + B> scaled(const Vector<A>& p, const WideInt<B>& f) {
  return {exact::multiply<A + B>(p[0], f), exact::multiply<A + B>(p[1], f), exact::multiply<A + B>(p[2], f)};
}
template <int A, int B>
WideInt<A + B> dot(const Vector<A>& p, const Vector<B>& q) {
  return exact::multiply<A + B>(p[0], q[0]) + exact::multiply<A + B>(p[1], q[1]) + exact::multiply<A + B>(p[2], q[2]);
}
template <int A, int B>
Vector<A + B> cross(const Vector<A>& p, const Vector<B>& q) {
  const auto minor = [&](int i, int j) {
    return exact::multiply<A + B>(p[i], q[j]) - exact::multiply<A + B>(p[j], q[i]);
  };
  return {minor(1, 2), minor(2, 0), minor(0, 1)};
}
template <int L>
bool less(const WideInt<L>& x, const WideInt<L>& y) {
  return (x - y).negative();
}
template <int L>
bool within(const WideInt<L>& x, const WideInt<L>& most) {
  return !x.negative() && !less(most, x);
}

/// Coordinates are integers below 2^(64 C - 3) in units of 2^unit, as differences to a corner below 2^(64 C - 2): a
/// normal has components below 2^(128 C - 3), its product with a point is below 3 · 2^(192 C - 5), with a normal below
/// 3 · 2^(256 C - 6). A perpendicular has components below 2^(192 C - 3.4), its products are below 2^(256 C - 3.8) and
/// 2^(384 C - 5). All fit as many limbs as their factors have together, and so do sums of two.
template <int C>
class ExactPair {
 public:
  ExactPair(const exact::OddFloat (&f)[6][3], int unit, const Squared& limit) : unit_(unit), limit_(limit) {
    const auto coordinate = [&](int i, int k) {
      return f[i][k].mantissa == 0 ? WideInt<C>::zero() : exact::shifted<C>(f[i][k].mantissa, f[i][k].exponent - unit);
    };
    for (int k = 0; k < 3; ++k) {
      origin_[k] = coordinate(0, k);
      for (int i = 0; i < 3; ++i) {
        a_[i][k] = coordinate(i, k) - origin_[k];
        b_[i][k] = coordinate(i + 3, k) - origin_[k];
      }
    }
  }

  /// True if the feature settles the question; `result` stays empty if the distance is not below the limit.
  bool settled_by(const Feature& f) {
    const Vector<C>&p = a(f.a), &q = b(f.b), &next_p = a(f.a + 1), &next_q = b(f.b + 1);
    if (f.a_size == Feature::edge && f.b_size == Feature::edge) {
      const Vector<C> u = next_p - p, v = next_q - q;
      return settle(f, cross(u, v), [&](const Vector<2 * C>& n, const WideInt<4 * C>& nn) {
        return within(dot(cross(q - p, v), n), nn) && within(dot(cross(q - p, u), n), nn);
      });
    }
    if (f.a_size == Feature::face) return settle_face(f, q, a_);
    if (f.b_size == Feature::face) return settle_face(f, p, b_);
    if (f.a_size == Feature::edge) return settle_edge(f, q, p, next_p);
    if (f.b_size == Feature::edge) return settle_edge(f, p, q, next_q);
    return settle(f, q - p, [](const auto&, const auto&) { return true; });
  }

  std::optional<Squared> result;

  /// The feet on both features, where the feature has settled the question.
  std::array<Vec3d, 2> feet(const Feature& f) const {
    const Vector<C>&p = a(f.a), &q = b(f.b);
    if (f.a_size == Feature::edge && f.b_size == Feature::edge) {
      const Vector<C> u = a(f.a + 1) - p, v = b(f.b + 1) - q;
      const Vector<2 * C> n = cross(u, v);
      const BigInt nn(dot(n, n));
      return {at(p, {{BigInt(dot(cross(q - p, v), n)), u}}, nn), at(q, {{BigInt(dot(cross(q - p, u), n)), v}}, nn)};
    }
    if (f.a_size == Feature::face) return {on_face(q, a_), at(q, {}, 1)};
    if (f.b_size == Feature::face) return {at(p, {}, 1), on_face(p, b_)};
    if (f.a_size == Feature::edge) return {on_edge(q, p, a(f.a + 1)), at(q, {}, 1)};
    if (f.b_size == Feature::edge) return {at(p, {}, 1), on_edge(p, q, b(f.b + 1))};
    return {at(p, {}, 1), at(q, {}, 1)};
  }

 private:
  struct Step {
    BigInt weight;
    Vector<C> along;
  };
  Vec3d on_face(const Vector<C>& p, const Vector<C>* t) const {
    const Vector<C> d = t[1] - t[0], e = t[2] - t[0], w = p - t[0];
    const Vector<2 * C> n = cross(d, e);
    return at(t[0], {{BigInt(dot(cross(w, e), n)), d}, {BigInt(dot(cross(d, w), n)), e}}, BigInt(dot(n, n)));
  }
  Vec3d on_edge(const Vector<C>& p, const Vector<C>& q, const Vector<C>& r) const {
    const Vector<C> v = r - q;
    return at(q, {{BigInt(dot(v, p - q)), v}}, BigInt(dot(v, v)));
  }
  /// p + Σ weight · along / divisor, rounded.
  Vec3d at(const Vector<C>& p, std::initializer_list<Step> steps, const BigInt& divisor) const {
    Vec3d result;
    for (int k = 0; k < 3; ++k) {
      BigInt sum = (BigInt(p[k]) + BigInt(origin_[k])) * divisor;
      for (const Step& step : steps) sum = sum + step.weight * BigInt(step.along[k]);
      result[k] = exact::rounded_quotient(sum, divisor, unit_);
    }
    return result;
  }

  const Vector<C>& a(int i) const { return a_[i % 3]; }
  const Vector<C>& b(int i) const { return b_[i % 3]; }

  bool settle_face(const Feature& f, const Vector<C>& p, const Vector<C>* t) {
    const Vector<C> d = t[1] - t[0], e = t[2] - t[0];
    return settle(f, cross(d, e), [&](const Vector<2 * C>& n, const WideInt<4 * C>& nn) {
      const Vector<C> w = p - t[0];
      const WideInt<4 *C> s = dot(cross(w, e), n), r = dot(cross(d, w), n);
      return !s.negative() && !r.negative() && !less(nn, s + r);
    });
  }
  /// The perpendicular from p to the line q r, times the square of the length of q r.
  bool settle_edge(const Feature& f, const Vector<C>& p, const Vector<C>& q, const Vector<C>& r) {
    const Vector<C> v = r - q, w = p - q;
    const WideInt<2 *C> along = dot(v, w), all = dot(v, v);
    return settle(f, scaled(v, along) - scaled(w, all), [&](const auto&, const auto&) { return within(along, all); });
  }

  template <int N, typename FeetWithin>
  bool settle(const Feature& f, const Vector<N>& n, const FeetWithin& feet_within) {
    WideInt<N + C> on_a[3], on_b[3];
    for (int i = 0; i < 3; ++i) on_a[i] = dot(n, a_[i]), on_b[i] = dot(n, b_[i]);
    const WideInt<N + C>*low = on_a, *high = on_b;
    WideInt<N + C> height = on_b[f.b] - on_a[f.a];
    if (height.negative()) std::swap(low, high), height = -height;
    const WideInt<N + C> slab =
        *std::min_element(high, high + 3, less<N + C>) - *std::max_element(low, low + 3, less<N + C>);
    if (slab.sign() <= 0) return false;
    const WideInt<2 * N> nn = dot(n, n);
    const BigInt width(slab);
    Squared bound{width * width, BigInt(nn), unit_};
    if (!(bound < limit_)) return true;
    if (!(slab == height) || !feet_within(n, nn)) return false;
    result = std::move(bound);
    return true;
  }

  Vector<C> origin_;
  Vector<C> a_[3], b_[3];  // relative to the origin: corner 0 of a
  int unit_;
  const Squared& limit_;
};

/// All 42 feature pairs.
std::vector<Feature> all_features() {
  std::vector<Feature> all;
  for (const auto a_size : {Feature::corner, Feature::edge, Feature::face})
    for (const auto b_size : {Feature::corner, Feature::edge, Feature::face}) {
      if (a_size + b_size > Feature::corner + Feature::face) continue;
      for (std::int8_t i = 0; i < (a_size == Feature::face ? 1 : 3); ++i)
        for (std::int8_t j = 0; j < (b_size == Feature::face ? 1 : 3); ++j) all.push_back({a_size, b_size, i, j});
    }
  return all;
}

/// The first feature that settles the question: first the guess. None if the triangles share a point.
template <typename Pair>
std::optional<Feature> settling_feature(Pair& pair, const Corners& a, const Corners& b, const Feature& guess) {
  if (pair.settled_by(guess)) return guess;
  static const std::vector<Feature> kAll = all_features();
  for (const Feature& feature : ranked_features(a, b))
    if (pair.settled_by(feature)) return feature;
  for (const Feature& feature : kAll)
    if (pair.settled_by(feature)) return feature;
  return std::nullopt;
}

/// Calls visit(pair) with the triangles in as few limbs as hold them.
template <typename Visit>
auto with_exact_pair(const Corners& a, const Corners& b, const Squared& limit, const Visit& visit) {
  exact::OddFloat f[6][3];
  int lowest = 2000, highest = -2000;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k) {
      f[i][k] = exact::odd_float(i < 3 ? a[i][k] : b[i - 3][k]);
      if (f[i][k].mantissa == 0) continue;
      lowest = std::min(lowest, f[i][k].exponent);
      highest = std::max(highest,
                         f[i][k].exponent + exact::bit_width(static_cast<std::uint64_t>(std::abs(f[i][k].mantissa))));
    }
  // All doubles: 2098 bits.
  const int bits = highest - lowest;
  if (bits <= 61) return visit(ExactPair<1>(f, lowest, limit));
  if (bits <= 125) return visit(ExactPair<2>(f, lowest, limit));
  if (bits <= 253) return visit(ExactPair<4>(f, lowest, limit));
  return visit(ExactPair<34>(f, lowest, limit));
}

/// The largest r with r² ≤ q, for 2^121 ≤ q < 2^124. The root in double is within 2^-50 of the true one, which is below
/// 2^62: within 2^12. A step of Newton's method squares that error, over 2^61, and the division cuts off less than one:
/// r is off by one or two at most.
std::uint64_t floor_root(Uint128 q) {
  auto r =
      static_cast<std::uint64_t>(std::sqrt(std::ldexp(static_cast<double>(static_cast<std::uint64_t>(q >> 64)), 64)));
  r = static_cast<std::uint64_t>((r + q / r) / 2);
  while (Uint128{r} * r > q) --r;
  while (Uint128{r + 1} * (r + 1) <= q) ++r;
  return r;
}

}  // namespace

Squared Squared::of(double x) {
  if (x == std::numeric_limits<double>::infinity()) return {};
  const exact::OddFloat odd = exact::odd_float(x);
  return {BigInt(odd.mantissa) * odd.mantissa, 1, odd.exponent};
}

// A product of numbers of i and j bits has i + j - 1 or i + j bits: sizes decide most comparisons.
bool operator<(const Squared& x, const Squared& y) {
  const int shift = 2 * (x.unit - y.unit);
  if (x.numerator.sign() * x.denominator.sign() * y.numerator.sign() * y.denominator.sign() != 0) {
    const int left = x.numerator.bit_length() + y.denominator.bit_length() + shift;
    const int right = y.numerator.bit_length() + x.denominator.bit_length();
    if (left < right - 1 || left > right + 1) return left < right;
  }
  const BigInt left = x.numerator * y.denominator, right = y.numerator * x.denominator;
  return shift > 0 ? left << shift < right : shift < 0 ? left < right << -shift : left < right;
}

// The fraction is brought to an integer q of 122 to 124 bits (times a power of four, cut off), whose root has 61 or 62.
double root(const Squared& x) {
  if (x.denominator.sign() == 0) return std::numeric_limits<double>::infinity();
  if (x.numerator.sign() == 0) return 0;
  constexpr int kBits = 123;
  int shift = kBits - (x.numerator.bit_length() - x.denominator.bit_length());
  shift -= shift % 2 != 0;
  const auto [quotient, remainder] = BigInt::divide(x.numerator, x.denominator, shift);
  const Uint128 q = (Uint128{quotient.limb(1)} << 64) | quotient.limb(0);
  const std::uint64_t r = floor_root(q);
  return exact::rounded(r, Uint128{r} * r != q || remainder.sign() != 0, x.unit - shift / 2);
}

std::optional<Squared> squared_below(const Corners& a, const Corners& b, const Feature& guess, const Squared& limit) {
  return with_exact_pair(a, b, limit, [&](auto pair) -> std::optional<Squared> {
    if (!settling_feature(pair, a, b, guess))
      if (Squared zero{0, 1, 0}; zero < limit) return zero;
    return std::move(pair.result);
  });
}

std::array<Vec3d, 2> nearest_points(const Corners& a, const Corners& b, const Feature& guess) {
  const Squared limit;
  return with_exact_pair(a, b, limit,
                         [&](auto pair) { return pair.feet(settling_feature(pair, a, b, guess).value_or(Feature{})); });
}

}  // namespace sightline::solid
