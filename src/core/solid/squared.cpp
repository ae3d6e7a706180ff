#include "solid/squared.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "exact/points.h"
#include "exact/round.h"

namespace sightline::solid {
namespace {

using exact::BigInt;
using exact::Uint128;

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
  const auto [quotient, remainder] = shift > 0 ? BigInt::divide(x.numerator << shift, x.denominator)
                                               : BigInt::divide(x.numerator, x.denominator << -shift);
  const Uint128 q = (Uint128{quotient.limb(1)} << 64) | quotient.limb(0);
  const std::uint64_t r = floor_root(q);
  return exact::rounded(r, Uint128{r} * r != q || remainder.sign() != 0, x.unit - shift / 2);
}

}  // namespace sightline::solid
