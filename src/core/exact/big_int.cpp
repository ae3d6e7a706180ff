#include "exact/big_int.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sightline::exact {
namespace {

/// r = x << count for 0 ≤ count < 64; returns the bits that are shifted out at the top. r may be x.
std::uint64_t shift_limbs(const std::uint64_t* x, int size, int count, std::uint64_t* r) {
  std::uint64_t carry = 0;
  for (int i = 0; i < size; ++i) {
    const std::uint64_t limb = x[i];
    r[i] = (limb << count) | carry;
    carry = count == 0 ? 0 : limb >> (64 - count);
  }
  return carry;
}

/// u -= factor · v over size + 1 limbs; true if the result is negative (u is then 2^(64 (size + 1)) too large).
bool subtract_product(std::uint64_t* u, const std::uint64_t* v, int size, std::uint64_t factor) {
  std::uint64_t carry = 0, borrow = 0;
  for (int i = 0; i <= size; ++i) {
    const Uint128 product = static_cast<Uint128>(i < size ? v[i] : 0) * factor + carry;
    carry = static_cast<std::uint64_t>(product >> 64);
    const Uint128 difference = static_cast<Uint128>(u[i]) - static_cast<std::uint64_t>(product) - borrow;
    u[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  return borrow != 0;
}
void add_back(std::uint64_t* u, const std::uint64_t* v, int size) {
  std::uint64_t carry = 0;
  for (int i = 0; i <= size; ++i) {
    const Uint128 sum = static_cast<Uint128>(u[i]) + (i < size ? v[i] : 0) + carry;
    u[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

}  // namespace

BigInt& BigInt::operator=(const BigInt& other) {
  if (this == &other) return *this;
  resize(other.size_);
  std::copy_n(other.limbs(), size_, limbs());
  negative_ = other.negative_;
  return *this;
}

BigInt& BigInt::operator=(BigInt&& other) noexcept {
  if (this == &other) return *this;
  far_ = std::move(other.far_);
  size_ = other.size_;
  negative_ = other.negative_;
  if (!far_) std::copy_n(other.near_, size_, near_);
  return *this;
}

BigInt BigInt::operator-() const {
  BigInt r = *this;
  r.negative_ = !negative_;
  return r;
}

std::strong_ordering BigInt::compare_magnitudes(const BigInt& x, const BigInt& y) {
  if (x.size_ != y.size_) return x.size_ <=> y.size_;
  const std::uint64_t *a = x.limbs(), *b = y.limbs();
  for (int i = x.size_ - 1; i >= 0; --i)
    if (a[i] != b[i]) return a[i] <=> b[i];
  return std::strong_ordering::equal;
}

std::strong_ordering operator<=>(const BigInt& x, const BigInt& y) {
  if (x.sign() != y.sign()) return x.sign() <=> y.sign();
  return x.sign() < 0 ? BigInt::compare_magnitudes(y, x) : BigInt::compare_magnitudes(x, y);
}

BigInt BigInt::sum(const BigInt& x, const BigInt& y, bool y_negative) {
  const bool subtract = x.negative_ != y_negative, swap = compare_magnitudes(x, y) < 0;
  const BigInt &more = swap ? y : x, &less = swap ? x : y;
  BigInt r;
  r.resize(more.size_ + 1);
  r.negative_ = swap ? y_negative : x.negative_;
  std::uint64_t* limb = r.limbs();
  const std::uint64_t *a = more.limbs(), *b = less.limbs();
  std::uint64_t carry = 0;
  for (int i = 0; i < more.size_; ++i) {
    const std::uint64_t other = i < less.size_ ? b[i] : 0;
    const Uint128 t =
        subtract ? static_cast<Uint128>(a[i]) - other - carry : static_cast<Uint128>(a[i]) + other + carry;
    limb[i] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64) & 1;
  }
  limb[more.size_] = carry;
  r.trim();
  return r;
}

BigInt operator*(const BigInt& x, const BigInt& y) {
  BigInt r;
  if (x.size_ == 0 || y.size_ == 0) return r;
  const bool swap = x.size_ > y.size_;  // a long inner loop
  const std::uint64_t *a = swap ? y.limbs() : x.limbs(), *b = swap ? x.limbs() : y.limbs();
  const int less = swap ? y.size_ : x.size_, more = swap ? x.size_ : y.size_;
  r.resize(less + more);
  r.negative_ = x.negative_ != y.negative_;
  std::uint64_t* limb = r.limbs();
  std::uint64_t carry = 0;
  for (int j = 0; j < more; ++j) {
    const Uint128 t = static_cast<Uint128>(a[0]) * b[j] + carry;
    limb[j] = static_cast<std::uint64_t>(t);
    carry = static_cast<std::uint64_t>(t >> 64);
  }
  limb[more] = carry;
  for (int i = 1; i < less; ++i) {
    ++limb;
    carry = 0;
    for (int j = 0; j < more; ++j) {
      const Uint128 t = static_cast<Uint128>(a[i]) * b[j] + limb[j] + carry;
      limb[j] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
    limb[more] = carry;
  }
  r.trim();
  return r;
}

BigInt operator<<(const BigInt& x, int count) {
  BigInt r;
  if (x.size_ == 0) return r;
  const int words = count / 64;
  r.resize(x.size_ + words + 1);
  r.negative_ = x.negative_;
  std::fill_n(r.limbs(), words, 0);
  r.limbs()[x.size_ + words] = shift_limbs(x.limbs(), x.size_, count % 64, r.limbs() + words);
  r.trim();
  return r;
}

// Long division, limb by limb: Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D.
BigInt::Division BigInt::divide(const BigInt& numerator, const BigInt& denominator) {
  if (compare_magnitudes(numerator, denominator) < 0) return {BigInt(), numerator};
  const int size = denominator.size_, steps = numerator.size_ - size + 1;
  // The highest bit of the divisor is set: an estimate of a limb of the quotient by two limbs of the rest is at most
  // two too large.
  const int shift = std::countl_zero(denominator.limbs()[size - 1]);
  BigInt rest, divisor, quotient;
  divisor.resize(size);
  rest.resize(numerator.size_ + 1);
  quotient.resize(steps);
  shift_limbs(denominator.limbs(), size, shift, divisor.limbs());
  rest.limbs()[numerator.size_] = shift_limbs(numerator.limbs(), numerator.size_, shift, rest.limbs());
  const std::uint64_t* v = divisor.limbs();
  const std::uint64_t top = v[size - 1], next = size > 1 ? v[size - 2] : 0;
  for (int step = steps - 1; step >= 0; --step) {
    std::uint64_t* u = rest.limbs() + step;
    const Uint128 leading = (static_cast<Uint128>(u[size]) << 64) | u[size - 1];
    Uint128 estimate = leading / top, left = leading % top;
    const std::uint64_t third = size > 1 ? u[size - 2] : 0;
    while ((estimate >> 64) != 0 || estimate * next > ((left << 64) | third)) {
      --estimate;
      left += top;
      if ((left >> 64) != 0) break;
    }
    auto limb = static_cast<std::uint64_t>(estimate);
    if (subtract_product(u, v, size, limb)) {
      --limb;
      add_back(u, v, size);
    }
    quotient.limbs()[step] = limb;
  }
  quotient.negative_ = numerator.negative_ != denominator.negative_;
  rest.negative_ = numerator.negative_;
  quotient.trim();
  // Undoes the shift; the bits that go are zero.
  rest.size_ = size;
  std::uint64_t* u = rest.limbs();
  for (int i = 0; i < size && shift != 0; ++i) u[i] = (u[i] >> shift) | (i + 1 < size ? u[i + 1] << (64 - shift) : 0);
  rest.trim();
  return {std::move(quotient), std::move(rest)};
}

BigInt::Division BigInt::divide(const BigInt& numerator, const BigInt& denominator, int shift) {
  return shift > 0 ? divide(numerator << shift, denominator) : divide(numerator, denominator << -shift);
}

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

double rounded_quotient(const BigInt& numerator, const BigInt& denominator, int unit) {
  if (numerator.sign() == 0) return 0;
  const int shift = 63 - (numerator.bit_length() - denominator.bit_length());  // 63 or 64 bits of the quotient
  const auto [quotient, remainder] = BigInt::divide(numerator, denominator, shift);
  const double magnitude = rounded(quotient.limb(0), remainder.sign() != 0, unit - shift);
  return numerator.sign() < 0 ? -magnitude : magnitude;
}

}  // namespace sightline::exact
