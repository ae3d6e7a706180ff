// Squared distances as exact fractions.
#pragma once

#include "exact/big_int.h"

namespace sightline::solid {

/// numerator / denominator · 4^unit, not negative; infinite where the denominator is zero. Not reduced: comparing two
/// costs two products, a greatest common divisor would cost more.
struct Squared {
  exact::BigInt numerator = 1, denominator = 0;
  int unit = 0;

  /// The square of a number that is not negative (infinity too).
  static Squared of(double x);
  friend bool operator<(const Squared& x, const Squared& y);
};

/// The square root, rounded once: to nearest, ties to even; denormal and infinite where it has to be.
double root(const Squared& x);

}  // namespace sightline::solid
