#include "solid/squared.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "exact/points.h"

namespace sightline::solid {
namespace {

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

/// significand · 2^exponent, and a little more if `more`, rounded to the nearest double. The significand has 60 bits or
/// more: the bits that are cut off are there, or the number is a denormal or zero.
double rounded(std::uint64_t significand, bool more, int exponent) {
  constexpr int kMantissa = 53, kLeast = -1074;
  const int width = std::bit_width(significand);
  const int cut = std::max(width - kMantissa, kLeast - exponent);  // at least 7
  if (cut > width) return 0;                                       // below half of the least denormal
  const std::uint64_t kept = cut < 64 ? significand >> cut : 0;
  const std::uint64_t half = std::uint64_t{1} << (cut - 1), rest = significand - (kept << (cut - 1) << 1);
  const bool up = rest > half || (rest == half && (more || kept % 2 != 0));
  return std::ldexp(static_cast<double>(kept + up), exponent + cut);  // exact, or infinite
}

}  // namespace

Squared Squared::of(double x) {
  if (x == std::numeric_limits<double>::infinity()) return {};
  const exact::OddFloat odd = exact::odd_float(x);
  return {Integer(odd.mantissa) * odd.mantissa, 1, odd.exponent};
}

bool operator<(const Squared& x, const Squared& y) {
  Integer left = x.numerator * y.denominator, right = y.numerator * x.denominator;
  if (x.unit > y.unit) left <<= 2 * (x.unit - y.unit);
  if (x.unit < y.unit) right <<= 2 * (y.unit - x.unit);
  return left < right;
}

// The fraction is brought to an integer q of 122 to 124 bits (times a power of four, cut off), whose root has 61 or 62.
double root(const Squared& x) {
  if (x.denominator == 0) return std::numeric_limits<double>::infinity();
  if (x.numerator == 0) return 0;
  constexpr int kBits = 123;
  int shift = kBits - (static_cast<int>(msb(x.numerator)) - static_cast<int>(msb(x.denominator)));
  shift -= shift % 2 != 0;
  const Integer numerator = shift > 0 ? Integer(x.numerator << shift) : x.numerator;
  const Integer denominator = shift < 0 ? Integer(x.denominator << -shift) : x.denominator;
  Integer quotient, remainder;
  divide_qr(numerator, denominator, quotient, remainder);
  const Uint128 q = (static_cast<Uint128>(static_cast<std::uint64_t>(quotient >> 64)) << 64) |
                    static_cast<std::uint64_t>(quotient & std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t r = floor_root(q);
  return rounded(r, Uint128{r} * r != q || remainder != 0, x.unit - shift / 2);
}

}  // namespace sightline::solid
