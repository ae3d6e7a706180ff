// Signed integers of any size, for values whose width depends on the data: squared distances and points that are
// quotients. Where a width is known when the code is compiled, exact/wide_int.h is faster.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "exact/wide_int.h"

namespace sightline::exact {

/// Sign and magnitude in 64-bit limbs, least significant limb first. The first 1280 bits need no allocation: enough for
/// all values in the computation of squared distances of triangles whose coordinates are multiples of one power of two
/// and below 2^124 of them. A moved-from number may only be assigned or destroyed.
class BigInt {
 public:
  BigInt() = default;
  BigInt(std::int64_t value) : size_(value != 0), negative_(value < 0) {  // NOLINT: not explicit
    near_[0] = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  }
  template <int Limbs>
  explicit BigInt(const WideInt<Limbs>& value) : negative_(value.negative()) {
    const WideInt<Limbs> magnitude = negative_ ? -value : value;
    int size = Limbs;
    while (size > 0 && magnitude.limb[size - 1] == 0) --size;
    resize(size);
    std::copy_n(magnitude.limb, size, limbs());
  }
  BigInt(const BigInt& other) { *this = other; }
  BigInt(BigInt&& other) noexcept { *this = std::move(other); }
  BigInt& operator=(const BigInt& other);
  BigInt& operator=(BigInt&& other) noexcept;
  ~BigInt() = default;

  int sign() const { return size_ == 0 ? 0 : negative_ ? -1 : 1; }
  /// Of the magnitude; 0 for zero.
  int bit_length() const { return size_ == 0 ? 0 : 64 * size_ - std::countl_zero(limbs()[size_ - 1]); }
  /// Limb i of the magnitude, which has zeros above its highest limb.
  std::uint64_t limb(int i) const { return i < size_ ? limbs()[i] : 0; }

  BigInt operator-() const;
  friend BigInt operator+(const BigInt& x, const BigInt& y) { return sum(x, y, y.negative_); }
  friend BigInt operator-(const BigInt& x, const BigInt& y) { return sum(x, y, !y.negative_); }
  friend BigInt operator*(const BigInt& x, const BigInt& y);
  friend BigInt operator<<(const BigInt& x, int count);  // count ≥ 0
  friend std::strong_ordering operator<=>(const BigInt& x, const BigInt& y);
  friend bool operator==(const BigInt& x, const BigInt& y) { return (x <=> y) == 0; }

  struct Division;
  /// numerator = quotient · denominator + remainder. The quotient is cut off towards zero; the remainder has the sign
  /// of the numerator. The denominator is not zero.
  static Division divide(const BigInt& numerator, const BigInt& denominator);
  /// The same for numerator · 2^shift, or for denominator · 2^-shift where the shift is negative.
  static Division divide(const BigInt& numerator, const BigInt& denominator, int shift);

 private:
  static constexpr int kNear = 20;

  std::uint64_t* limbs() { return far_ ? far_.get() : near_; }
  const std::uint64_t* limbs() const { return far_ ? far_.get() : near_; }
  /// Makes room for `size` limbs, of any content; trim() follows once they are written.
  void resize(int size) {
    if (size > kNear || far_) far_.reset(size > kNear ? new std::uint64_t[static_cast<std::size_t>(size)] : nullptr);
    size_ = size;
  }
  void trim() {
    const std::uint64_t* limb = limbs();
    while (size_ > 0 && limb[size_ - 1] == 0) --size_;
  }
  static std::strong_ordering compare_magnitudes(const BigInt& x, const BigInt& y);
  /// x plus the number with the magnitude of y and the given sign.
  static BigInt sum(const BigInt& x, const BigInt& y, bool y_negative);

  std::unique_ptr<std::uint64_t[]> far_;  // null if near_ holds the limbs
  int size_ = 0;                          // the highest limb is not zero
  bool negative_ = false;                 // of any value for zero
  std::uint64_t near_[kNear];
};

struct BigInt::Division {
  BigInt quotient, remainder;
};

/// The leading 64 bits of a positive number: x / 2^exponent is at least that, and less than one more.
template <int L>
std::uint64_t leading(const WideInt<L>& x, int& exponent) {
  int top = L - 1;
  while (x.limb[top] == 0) --top;
  const int width = std::bit_width(x.limb[top]);
  std::uint64_t bits = x.limb[top] << (64 - width);
  if (width < 64 && top > 0) bits |= x.limb[top - 1] >> width;
  exponent = 64 * (top - 1) + width;
  return bits;
}

/// significand · 2^exponent, and a little more if `more`, rounded to nearest, ties to even, in integers: the same on
/// every platform. Denormal and infinite where it has to be. The significand has 60 bits or more: the bits that are cut
/// off are there, or the number is a denormal or zero.
double rounded(std::uint64_t significand, bool more, int exponent);
/// (numerator / denominator) · 2^unit, rounded likewise; denominator > 0.
double rounded_quotient(const BigInt& numerator, const BigInt& denominator, int unit);

}  // namespace sightline::exact
