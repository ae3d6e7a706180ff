// Integers of fixed width against those of GMP.
#include "exact/wide_int.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/points.h"
#include "support/random.h"

namespace {

using sightline::exact::Determinant;
using sightline::exact::shifted;
using sightline::exact::WideInt;
using testing_support::Random;

template <int Limbs>
mpz_class number(const WideInt<Limbs>& x) {
  mpz_class r = 0;
  for (int i = Limbs - 1; i >= 0; --i) r = (r << 64) + static_cast<unsigned long>(x.limb[i]);
  return x.negative() ? mpz_class(r - (mpz_class(1) << (64 * Limbs))) : r;
}

/// x modulo 2^(64 Limbs), as two's complement has it.
template <int Limbs>
mpz_class wrapped(const mpz_class& x) {
  const mpz_class modulus = mpz_class(1) << (64 * Limbs);
  mpz_class r = x % modulus;
  if (r < 0) r += modulus;
  return r >= modulus / 2 ? mpz_class(r - modulus) : r;
}

/// Any bits; often runs of zeros and of ones, the least and the greatest numbers, and few low limbs.
template <int Limbs>
WideInt<Limbs> draw(Random& random) {
  WideInt<Limbs> x;
  const int style = random.below(5), used = 1 + random.below(Limbs);
  for (int i = 0; i < Limbs; ++i) {
    const std::uint64_t choice[4] = {0, ~std::uint64_t{0}, std::uint64_t{1} << random.below(64), random.bits()};
    x.limb[i] = style == 0 ? choice[3] : choice[random.below(4)];
    if (style == 1 && i >= used) x.limb[i] = 0;
    if (style == 2 && i >= used) x.limb[i] = ~std::uint64_t{0};
  }
  if (style == 3) {
    std::fill(x.limb, x.limb + Limbs, 0);
    x.limb[Limbs - 1] = std::uint64_t{1} << 63;
    if (random.chance(0.5)) x = x - shifted<Limbs>(1, 0);  // the greatest
  }
  return x;
}

template <int Limbs>
void check_sums(Random& random) {
  const WideInt<Limbs> a = draw<Limbs>(random), b = random.chance(0.1) ? a : draw<Limbs>(random);
  const mpz_class x = number(a), y = number(b);
  EXPECT_EQ(number(a + b), wrapped<Limbs>(x + y));
  EXPECT_EQ(number(a - b), wrapped<Limbs>(x - y));
  EXPECT_EQ(number(-a), wrapped<Limbs>(-x));
  EXPECT_EQ(a.sign(), sgn(x));
  EXPECT_EQ(a.negative(), x < 0);
  EXPECT_EQ(a == b, x == y);
  EXPECT_EQ(number(sightline::exact::widen<Limbs + 3>(a)), x);
  for (int i = Limbs; i < Limbs + 2; ++i) EXPECT_EQ(a.extended(i), x < 0 ? ~std::uint64_t{0} : 0);
}

template <int Result, int A, int B>
void check_product(Random& random) {
  const WideInt<A> a = draw<A>(random);
  const WideInt<B> b = draw<B>(random);
  EXPECT_EQ(number(sightline::exact::multiply<Result>(a, b)), wrapped<Result>(number(a) * number(b)))
      << Result << " limbs of " << A << " times " << B;
}

template <int Limbs>
void check_shift(Random& random) {
  const auto mantissa = static_cast<std::int64_t>(random.bits()) >> (1 + random.below(63));
  const int shift = random.below(64 * Limbs + 80);
  EXPECT_EQ(number(shifted<Limbs>(mantissa, shift)),
            wrapped<Limbs>(mpz_class(static_cast<long>(mantissa)) << static_cast<mp_bitcnt_t>(shift)))
      << shift;
}

TEST(WideInt, SumsDifferencesAndSigns) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    check_sums<1>(random);
    check_sums<2>(random);
    check_sums<3>(random);
    check_sums<6>(random);
    if (i % 8 == 0) check_sums<34>(random);
    if (i % 8 == 0) check_sums<102>(random);
  }
}

TEST(WideInt, ProductsOfMixedWidths) {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    check_product<2, 1, 1>(random);
    check_product<3, 2, 1>(random);
    check_product<4, 2, 2>(random);
    check_product<6, 4, 2>(random);
    check_product<1, 1, 1>(random);  // the product modulo the width
    check_product<3, 4, 2>(random);
    check_product<2, 1, 5>(random);
    check_product<5, 1, 2>(random);  // wider than the two together: the sign is extended
    check_product<9, 3, 3>(random);
    if (i % 16 != 0) continue;
    check_product<68, 34, 34>(random);
    check_product<102, 68, 34>(random);
    check_product<102, 34, 34>(random);
  }
}

TEST(WideInt, Shifts) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    check_shift<1>(random);
    check_shift<2>(random);
    check_shift<34>(random);
  }
  EXPECT_EQ(number(shifted<2>(-1, 127)), -(mpz_class(1) << 127));
  EXPECT_EQ(number(shifted<2>(1, 126)), mpz_class(1) << 126);
}

/// Coordinates of as many bits as the tier allows, at its extreme points: the determinant must fit its width.
template <int C>
void check_determinants(Random& random, int bits, int count) {
  for (int i = 0; i < count; ++i) {
    WideInt<C> v[3][3];
    mpz_class x[3][3];
    for (int row = 0; row < 3; ++row)
      for (int k = 0; k < 3; ++k) {
        mpz_class value = (mpz_class(1) << static_cast<mp_bitcnt_t>(bits)) - 1;
        if (random.chance(0.3)) value -= random.below(1000);
        if (random.chance(0.1)) value = random.below(1000);
        if (random.chance(0.5)) value = -value;
        x[row][k] = value;
        WideInt<C> limbs = WideInt<C>::zero();
        mpz_class rest = abs(value);
        for (std::uint64_t& limb : limbs.limb) {
          limb = rest.get_ui();  // the lowest 64 bits
          rest >>= 64;
        }
        v[row][k] = value < 0 ? -limbs : limbs;
        ASSERT_EQ(number(v[row][k]), value);
      }
    const auto two = [&x](int p, int q, int a, int b) -> mpz_class { return x[p][a] * x[q][b] - x[p][b] * x[q][a]; };
    EXPECT_EQ(number(Determinant<C>::two(v[0][0], v[0][1], v[1][0], v[1][1])), two(0, 1, 0, 1));
    EXPECT_EQ(number(Determinant<C>::three(v[0], v[1], v[2])),
              x[0][0] * two(1, 2, 1, 2) + x[0][1] * two(1, 2, 2, 0) + x[0][2] * two(1, 2, 0, 1));
  }
}

TEST(WideInt, DeterminantsAtTheWidthOfEachTier) {
  Random random(4);
  check_determinants<1>(random, 62, 2000);    // 61 bits a coordinate, one more for a difference
  check_determinants<2>(random, 125, 2000);   // 124 and one
  check_determinants<34>(random, 2101, 100);  // 2100 and one: all doubles
}

TEST(WideInt, DoublesTakenApart) {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::bit_cast<double>(random.chance(0.2) ? random.bits() & 0x800FFFFFFFFFFFFFu : random.bits());
    if (!std::isfinite(x)) continue;
    const auto odd = sightline::exact::odd_float(x);
    EXPECT_EQ(std::ldexp(static_cast<double>(odd.mantissa), odd.exponent), x);
    if (x == 0) {
      EXPECT_EQ(odd.mantissa, 0);
    } else {
      EXPECT_EQ(std::abs(odd.mantissa) % 2, 1);
    }
  }
  for (const double x : {0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp1023}) {
    const auto odd = sightline::exact::odd_float(x);
    EXPECT_EQ(std::ldexp(static_cast<double>(odd.mantissa), odd.exponent), x);
  }
}

}  // namespace
