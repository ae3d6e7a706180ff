// Squared distances as exact fractions.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

namespace sightline::solid {

/// Of any size. The first 1280 bits need no allocation: enough for all that happens to the squared distances of
/// triangles whose coordinates are multiples of one power of two and below 2^124 of them.
using Integer = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<1280, 0, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked,
                                           std::allocator<boost::multiprecision::limb_type>>,
    boost::multiprecision::et_off>;

/// numerator / denominator · 4^unit, not negative; infinite where the denominator is zero. Not reduced: comparing two
/// costs two products, a greatest common divisor would cost more.
struct Squared {
  Integer numerator = 1, denominator = 0;
  int unit = 0;

  /// The square of a number that is not negative (infinity too).
  static Squared of(double x);
  friend bool operator<(const Squared& x, const Squared& y);
};

/// The square root, rounded once: to nearest, ties to even; denormal and infinite where it has to be.
double root(const Squared& x);

}  // namespace sightline::solid
