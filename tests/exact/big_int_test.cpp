// Integers of any size against those of GMP.
#include "exact/big_int.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "solid/flag.h"
#include "support/random.h"

namespace {

using sightline::exact::BigInt;
using sightline::exact::WideInt;
using testing_support::Random;

constexpr int kLimbs = 48;  // more than twice what needs no allocation

mpz_class number(const BigInt& x) {
  const int size = (x.bit_length() + 63) / 64;
  mpz_class r = 0;
  for (int i = size - 1; i >= 0; --i) {
    const std::uint64_t limb = x.limb(i);
    r <<= 64;
    r += mpz_class(static_cast<unsigned long>(limb));
  }
  EXPECT_EQ(x.limb(size), 0u);
  return x.sign() < 0 ? mpz_class(-r) : r;
}

/// Any size, near the limit of the storage without allocation more often; runs of zeros and of ones, powers of two.
BigInt draw(Random& random) {
  WideInt<kLimbs> x = WideInt<kLimbs>::zero();
  const int style = random.below(6);
  const int size = style == 0 ? 19 + random.below(3) : style == 1 ? random.below(kLimbs) : random.below(7);
  for (int i = 0; i < size; ++i) {
    const std::uint64_t choice[4] = {0, ~std::uint64_t{0}, std::uint64_t{1} << random.below(64), random.bits()};
    x.limb[i] = choice[random.below(4)];
  }
  if (style == 2 && size > 0) {
    x = WideInt<kLimbs>::zero();
    x.limb[size - 1] = std::uint64_t{1} << random.below(64);
    if (random.chance(0.5)) x = x - WideInt<kLimbs>{{1}};
  }
  return BigInt(random.chance(0.5) ? -x : x);
}

TEST(BigInt, SmallIntegersAndWideOnes) {
  for (const std::int64_t x : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1234567890123456789},
                               std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(number(BigInt(x)), mpz_class(static_cast<long>(x)));
    EXPECT_EQ(BigInt(x).sign(), (x > 0) - (x < 0));
    EXPECT_EQ(BigInt(WideInt<1>{{static_cast<std::uint64_t>(x)}}), BigInt(x));
  }
  EXPECT_EQ(BigInt().sign(), 0);
  EXPECT_EQ(BigInt(), BigInt(5) - BigInt(5));
  EXPECT_EQ(-(BigInt(5) - BigInt(5)), BigInt(0));
  EXPECT_EQ((-BigInt()).sign(), 0);
}

TEST(BigInt, SumsProductsAndOrder) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const BigInt a = draw(random), b = random.chance(0.1) ? (random.chance(0.5) ? a : -a) : draw(random);
    const mpz_class x = number(a), y = number(b);
    ASSERT_EQ(number(a + b), x + y);
    ASSERT_EQ(number(a - b), x - y);
    ASSERT_EQ(number(a * b), x * y);
    ASSERT_EQ(number(-a), -x);
    ASSERT_EQ(a.sign(), sgn(x));
    ASSERT_EQ(a.bit_length(), x == 0 ? 0 : static_cast<int>(mpz_sizeinbase(x.get_mpz_t(), 2)));
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a > b, x > y);
    ASSERT_EQ(a == b, x == y);
    const int shift = random.below(300);
    ASSERT_EQ(number(a << shift), x << static_cast<mp_bitcnt_t>(shift));
  }
}

void check_division(const BigInt& a, const BigInt& b) {
  const auto [quotient, remainder] = BigInt::divide(a, b);
  mpz_class q, r;
  const mpz_class x = number(a), y = number(b);
  mpz_tdiv_qr(q.get_mpz_t(), r.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
  ASSERT_EQ(number(quotient), q) << x << " / " << y;
  ASSERT_EQ(number(remainder), r) << x << " % " << y;
}

TEST(BigInt, Divisions) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const BigInt a = draw(random), b = draw(random), c = draw(random);
    if (b.sign() == 0) continue;
    check_division(a, b);
    check_division(a * b, b);
    check_division(a * b + c, b);
    check_division(a * b - BigInt(1), b);
  }
}

// A limb of the quotient that is estimated one too large is rare: 2^-63 for random limbs. These have it.
TEST(BigInt, DivisionsThatAddBack) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63, kAll = ~std::uint64_t{0};
  for (const std::uint64_t low : {std::uint64_t{1}, std::uint64_t{2}, kTop - 1, kTop, kAll})
    for (const std::uint64_t high : {kTop, kTop + 1, kTop - 1, kAll}) {
      const BigInt d(WideInt<5>{{low, 0, high, 0, 0}});
      check_division(BigInt(WideInt<6>{{0, 0, kTop, kTop - 1, 0, 0}}), d);
      check_division(BigInt(WideInt<7>{{3, 0, kAll, high - 1, kTop, 0, 0}}), d);
      check_division(BigInt(WideInt<7>{{0, 0, 0, high, kAll, 0, 0}}), d);
      check_division(BigInt(WideInt<7>{{kAll, kAll, kAll, kAll, high - 1, 0, 0}}), d);
      check_division((d << 128) - BigInt(1), d);
    }
}

TEST(BigInt, CopiesAndMoves) {
  Random random(3);
  BigInt kept;
  for (int i = 0; i < 2000; ++i) {
    const BigInt a = draw(random);
    kept = a;
    ASSERT_EQ(kept, a);
    const BigInt& itself = kept;
    kept = itself;
    ASSERT_EQ(kept, a);
    BigInt moved = std::move(kept);
    ASSERT_EQ(moved, a);
    kept = std::move(moved);
    ASSERT_EQ(kept, a);
  }
}

TEST(Rounded, NearestByExactDistances) {
  using sightline::exact::rounded;
  Random random(4);
  for (int i = 0; i < 50000; ++i) {
    std::uint64_t significand = random.bits() | std::uint64_t{1} << (60 + random.below(4));
    if (random.chance(0.5)) significand &= ~std::uint64_t{0} << random.below(14);  // ties
    const bool more = random.chance(0.3);
    const int exponent = random.chance(0.5) ? -1140 + random.below(80) : random.below(1100) - 100;
    // Nearest by the exact distances to the two neighbours of the value that is cut off.
    mpq_class value(mpz_class(static_cast<unsigned long>(significand)) * 8 + (more ? 1 : 0), 8);
    value.canonicalize();
    const double r = rounded(significand, more, exponent);
    const auto scaled = [&](double x) {  // x / 2^exponent
      mpq_class q(x);
      if (exponent >= 0)
        q >>= static_cast<mp_bitcnt_t>(exponent);
      else
        q <<= static_cast<mp_bitcnt_t>(-exponent);
      return q;
    };
    if (std::isinf(r)) {
      ASSERT_GE(value, scaled(std::numeric_limits<double>::max()));
      continue;
    }
    const mpq_class error = abs(value - scaled(r));
    for (const double next : {std::nextafter(r, INFINITY), std::nextafter(r, -INFINITY)}) {
      if (std::isinf(next)) continue;
      const mpq_class other = abs(value - scaled(next));
      ASSERT_LE(error, other);
      if (error == other) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(r) % 2, 0u);
      }
    }
  }
}

TEST(QuotientPoint, SignsAndRoundingAgreeWithRationals) {
  using sightline::Vec3d;
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    const double scale = std::ldexp(1.0, random.chance(0.5) ? 0 : random.below(1900) - 1000);
    const auto draw = [&] { return (random.chance(0.3) ? random.below(9) - 4 : random.in(-1, 1)) * scale; };
    const Vec3d g{draw(), draw(), draw()}, h{draw(), draw(), draw()}, p{draw(), draw(), draw()},
        q{draw(), draw(), draw()};
    const int axis = random.below(3), u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto area = [&](const mpq_class* c) -> mpq_class {
      return (mpq_class(h[u]) - mpq_class(g[u])) * (c[v] - mpq_class(g[v])) -
             (mpq_class(h[v]) - mpq_class(g[v])) * (c[u] - mpq_class(g[u]));
    };
    const mpq_class ep[3] = {mpq_class(p[0]), mpq_class(p[1]), mpq_class(p[2])};
    const mpq_class eq[3] = {mpq_class(q[0]), mpq_class(q[1]), mpq_class(q[2])};
    const mpq_class at_p = area(ep), at_q = area(eq);
    if (sgn(at_p) * sgn(at_q) >= 0) continue;
    const auto point = sightline::solid::crossing_point(p, q, g, h, axis);
    const mpq_class t = at_p / (at_p - at_q);
    mpq_class x[3];
    for (int k = 0; k < 3; ++k) x[k] = ep[k] + t * (eq[k] - ep[k]);
    ASSERT_EQ(sightline::solid::orient2d(axis, g, h, point), 0);
    for (int k = 0; k < 3; ++k) {
      const double nearest = sightline::solid::rounded(point, k);
      ASSERT_EQ(sightline::solid::compare(point, k, nearest), sgn(x[k] - mpq_class(nearest)));
      ASSERT_EQ(sightline::solid::compare(point, k, p[k]), sgn(x[k] - ep[k]));
      const mpq_class error = abs(x[k] - mpq_class(nearest));
      ASSERT_LE(error, abs(x[k] - mpq_class(std::nextafter(nearest, INFINITY))));
      ASSERT_LE(error, abs(x[k] - mpq_class(std::nextafter(nearest, -INFINITY))));
    }
    const Vec3d a{draw(), draw(), draw()}, b{draw(), draw(), draw()}, c{draw(), draw(), draw()};
    const int w = random.below(3), wu = (w + 1) % 3, wv = (w + 2) % 3;
    const auto difference = [](double s, double r) -> mpq_class { return mpq_class(s) - mpq_class(r); };
    ASSERT_EQ(sightline::solid::orient2d(w, a, b, point), sgn(difference(b[wu], a[wu]) * (x[wv] - mpq_class(a[wv])) -
                                                              difference(b[wv], a[wv]) * (x[wu] - mpq_class(a[wu]))));
    mpq_class volume = 0;
    for (int k = 0; k < 3; ++k) {
      const int m = (k + 1) % 3, n = (k + 2) % 3;
      volume += (difference(b[m], a[m]) * difference(c[n], a[n]) - difference(b[n], a[n]) * difference(c[m], a[m])) *
                (x[k] - mpq_class(a[k]));
    }
    ASSERT_EQ(sightline::solid::orient3d(a, b, c, point), sgn(volume));
  }
}

}  // namespace
