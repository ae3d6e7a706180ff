// Rounding to double, in integers: the same on every platform.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace sightline::exact {

/// significand · 2^exponent, and a little more if `more`, rounded to nearest, ties to even; denormal and infinite where
/// it has to be. The significand has 60 bits or more: the bits that are cut off are there, or the number is a denormal
/// or zero.
inline double rounded(std::uint64_t significand, bool more, int exponent) {
  constexpr int kMantissa = 53, kLeast = -1074;
  const int width = std::bit_width(significand);
  const int cut = std::max(width - kMantissa, kLeast - exponent);  // at least 7
  if (cut > width) return 0;                                       // below half of the least denormal
  const std::uint64_t kept = cut < 64 ? significand >> cut : 0;
  const std::uint64_t half = std::uint64_t{1} << (cut - 1), rest = significand - (kept << (cut - 1) << 1);
  const bool up = rest > half || (rest == half && (more || kept % 2 != 0));
  return std::ldexp(static_cast<double>(kept + up), exponent + cut);  // exact, or infinite
}

}  // namespace sightline::exact
