// Fixed-width signed integers, two's complement in 64-bit limbs, least significant limb first. The caller chooses a
// width that holds the result; there is no overflow check here, the bounds are argued where the widths are chosen
// (exact/points.h). No allocation, no exceptions, so that host and device can run the same code.
#pragma once

#include <cstdint>

#include "rules/host_device.h"

namespace sightline::exact {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

template <int Limbs>
struct WideInt {
  std::uint64_t limb[Limbs];

  SIGHTLINE_HD static WideInt zero() {
    WideInt r;
    SIGHTLINE_ROLLED
    for (int i = 0; i < Limbs; ++i) r.limb[i] = 0;
    return r;
  }
  SIGHTLINE_HD bool negative() const { return static_cast<std::int64_t>(limb[Limbs - 1]) < 0; }
  SIGHTLINE_HD int sign() const {
    if (negative()) return -1;
    SIGHTLINE_ROLLED
    for (int i = 0; i < Limbs; ++i)
      if (limb[i] != 0) return 1;
    return 0;
  }
  /// Limb i of the number as if it were infinitely wide.
  SIGHTLINE_HD std::uint64_t extended(int i) const {
    return i < Limbs ? limb[i] : (negative() ? ~std::uint64_t{0} : std::uint64_t{0});
  }

  SIGHTLINE_HD friend WideInt operator+(const WideInt& a, const WideInt& b) {
    WideInt r;
    std::uint64_t carry = 0;
    SIGHTLINE_ROLLED
    for (int i = 0; i < Limbs; ++i) {
      const Uint128 sum = static_cast<Uint128>(a.limb[i]) + b.limb[i] + carry;
      r.limb[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    return r;
  }
  SIGHTLINE_HD WideInt operator-() const {
    WideInt r;
    std::uint64_t carry = 1;
    SIGHTLINE_ROLLED
    for (int i = 0; i < Limbs; ++i) {
      r.limb[i] = ~limb[i] + carry;
      carry = carry != 0 && r.limb[i] == 0;
    }
    return r;
  }
  SIGHTLINE_HD friend WideInt operator-(const WideInt& a, const WideInt& b) {
    WideInt r;
    std::uint64_t borrow = 0;
    SIGHTLINE_ROLLED
    for (int i = 0; i < Limbs; ++i) {
      const Uint128 difference = static_cast<Uint128>(a.limb[i]) - b.limb[i] - borrow;
      r.limb[i] = static_cast<std::uint64_t>(difference);
      borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
    }
    return r;
  }
  SIGHTLINE_HD friend bool operator==(const WideInt& a, const WideInt& b) { return (a - b).sign() == 0; }
};

/// The product modulo 2^(64 Result), which is the product where it fits.
template <int Result, int A, int B>
SIGHTLINE_HD_COLD WideInt<Result> multiply(const WideInt<A>& a, const WideInt<B>& b) {
  WideInt<Result> r = WideInt<Result>::zero();
  // Sign extension is folded in as a correction: -2^(64 A) b if a is negative, and the other way round.
  SIGHTLINE_ROLLED
  for (int i = 0; i < A && i < Result; ++i) {
    if (a.limb[i] == 0) continue;
    std::uint64_t carry = 0;
    int j = 0;
    SIGHTLINE_ROLLED
    for (; j < B && i + j < Result; ++j) {
      const Uint128 t = static_cast<Uint128>(a.limb[i]) * b.limb[j] + r.limb[i + j] + carry;
      r.limb[i + j] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
    SIGHTLINE_ROLLED
    for (int k = i + j; k < Result && carry != 0; ++k) {
      r.limb[k] += carry;
      carry = r.limb[k] < carry;
    }
  }
  const auto subtract_shifted = [&r](const auto& x, int count, int shift) {
    std::uint64_t borrow = 0;
    SIGHTLINE_ROLLED
    for (int k = shift; k < Result; ++k) {
      const std::uint64_t limb = k - shift < count ? x.limb[k - shift] : 0;
      const Uint128 t = static_cast<Uint128>(r.limb[k]) - limb - borrow;
      r.limb[k] = static_cast<std::uint64_t>(t);
      borrow = static_cast<std::uint64_t>(t >> 64) & 1;
    }
  };
  if (a.negative()) subtract_shifted(b, B, A);
  if (b.negative()) subtract_shifted(a, A, B);
  if (a.negative() && b.negative() && A + B < Result) {
    // Both corrections together took 2^(64 (A + B)) too little out.
    SIGHTLINE_ROLLED
    for (int k = A + B; k < Result; ++k)
      if (++r.limb[k] != 0) break;
  }
  return r;
}

template <int Wide, int Limbs>
SIGHTLINE_HD WideInt<Wide> widen(const WideInt<Limbs>& a) {
  static_assert(Wide >= Limbs);
  WideInt<Wide> r;
  SIGHTLINE_ROLLED
  for (int i = 0; i < Wide; ++i) r.limb[i] = a.extended(i);
  return r;
}

}  // namespace sightline::exact
