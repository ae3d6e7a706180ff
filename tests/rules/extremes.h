// Searches for inputs that bring a filter's error close to its bound. Errors are exact: coordinates are integers times
// a power of two, and determinants are computed in integers that hold them.
#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/random.h"

namespace extremes {

using testing_support::Random;
namespace mp = boost::multiprecision;
using Integer = mp::number<mp::cpp_int_backend<1024, 1024, mp::signed_magnitude, mp::unchecked, void>, mp::et_off>;

/// x · 2^shift, which must be an integer.
template <typename I = Integer>
I integer(double x, int shift) {
  int exponent = 0;
  const auto mantissa = static_cast<long long>(std::ldexp(std::frexp(x, &exponent), 53));
  exponent += shift - 53;
  const I m = mantissa;
  return exponent >= 0 ? I(m << exponent) : I(m / (I(1) << -exponent));
}

/// Four points, as they are before any rounding.
using Sample = std::array<double, 12>;

struct Result {
  double value = 0, bound = 0;
};

/// det(b - a, c - a, d - a) · 2^(3 shift); with `direction` the third vector of a sample is not a point but c itself.
template <typename I = Integer>
I determinant(const Sample& s, int shift, bool direction = false) {
  I e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      e[i][k] = integer<I>(s[3 * (i + 1) + k], shift);
      if (i != 1 || !direction) e[i][k] -= integer<I>(s[k], shift);
    }
  return (e[0][1] * e[1][2] - e[0][2] * e[1][1]) * e[2][0] + (e[0][2] * e[1][0] - e[0][0] * e[1][2]) * e[2][1] +
         (e[0][0] * e[1][1] - e[0][1] * e[1][0]) * e[2][2];
}

/// |value - exact| / bound, for an exact value in units of 2^-shift.
inline double ratio(const Result& r, const Integer& exact, int shift) {
  const Integer error = integer(r.value, shift) - exact;
  return std::fabs(static_cast<double>(error)) / static_cast<double>(integer(r.bound, shift));
}

/// 1 or -1 where the filter is certain.
inline int certain_sign(const Result& r) { return r.value > r.bound ? 1 : r.value < -r.bound ? -1 : 0; }
template <typename I>
int sign_of(const I& x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

struct Search {
  std::function<Sample(Random&)> draw;
  std::function<void(Random&, Sample&)> mutate;
  std::function<void(const std::vector<Sample>&, std::vector<Result>&)> evaluate;  ///< the code under test
  std::function<double(const Sample&, const Result&)> ratio;
  int generations = 400;
};

/// The largest ratio that is found by changing each of a population of samples as long as that helps.
inline double worst(const Search& search, std::uint64_t seed, std::size_t population = 128) {
  Random random(seed);
  std::vector<Sample> best(population), tried(population);
  std::vector<double> record(population, -1);
  std::vector<Result> results(population);
  double most = 0;
  for (int generation = 0; generation < search.generations; ++generation) {
    for (std::size_t i = 0; i < population; ++i) {
      if (generation < 8) {
        tried[i] = search.draw(random);
      } else {
        tried[i] = best[i];
        search.mutate(random, tried[i]);
      }
    }
    search.evaluate(tried, results);
    for (std::size_t i = 0; i < population; ++i) {
      const double r = search.ratio(tried[i], results[i]);
      if (!(r >= record[i])) continue;
      record[i] = r;
      best[i] = tried[i];
      most = r > most ? r : most;
    }
  }
  return most;
}
inline double report(const std::string& name, double most) {
  std::printf("[ extreme  ] %s: %.3f of the bound\n", name.c_str(), most);
  return most;
}

inline double next(double x, int steps, bool single);

/// Coordinates of T, some of them equal: fewer terms, larger shares of each.
template <typename T>
Sample draw_plain(Random& random) {
  Sample s;
  const int scale = -random.below(sizeof(T) == 4 ? 8 : 20);
  for (double& x : s) x = static_cast<double>(static_cast<T>(std::ldexp(random.in(-1, 1), random.below(3) + scale)));
  if (random.chance(0.7))
    for (int i = 1; i < 4; ++i)
      for (int k = 0; k < 3; ++k)
        if (random.chance(0.3)) s[3 * i + k] = s[k];
  return s;
}
template <typename T>
void mutate_plain(Random& random, Sample& s) {
  double& x = s[random.below(12)];
  if (random.chance(0.5))
    x = next(x, random.below(17) - 8, sizeof(T) == 4);
  else
    x = static_cast<double>(static_cast<T>(x * random.in(0.9, 1.1)));
}

/// A double that rounds to the float nearest to x, and is almost half a unit in its last place away from it, or not at
/// all.
inline double almost_half(Random& random, double x) {
  const float f = static_cast<float>(x);
  const int side = random.below(5) - 2;
  const double other = next(f, side > 0 ? 1 : -1, true);
  return side == 0 ? f : f + (other - f) * (0.5 - 0x1p-20);
}
/// Coordinates just above 1, where a float's rounding error is largest; edges b - a, c - a of any size down to some
/// units in the last place; d at any distance.
inline Sample draw_rounded(Random& random, double size, double away) {
  Sample s;
  for (int k = 0; k < 3; ++k) {
    s[k] = random.chance(0.5) ? 1 : -1;
    for (int i = 1; i < 3; ++i) s[3 * i + k] = s[k] + (random.chance(0.8) ? size * random.in(-1, 1) : 0);
    s[9 + k] = s[k] + (random.chance(0.8) ? (s[k] > 0 ? -away : away) : 0);
    for (int i = 0; i < 4; ++i) s[3 * i + k] = almost_half(random, s[3 * i + k]);
  }
  return s;
}
inline Sample draw_rounded(Random& random) {
  const double size = std::ldexp(1, -random.below(23));
  return draw_rounded(random, size, random.chance(0.7) ? 2 : size);
}
inline void mutate_rounded(Random& random, Sample& s) {
  double& x = s[random.below(12)];
  const double f = static_cast<float>(x);
  x = almost_half(random, random.chance(0.5) ? f : next(f, random.below(9) - 4, true));
}
inline float largest(const Sample& s) {
  float most = 0;
  for (const double x : s) most = std::fmax(most, std::fabs(static_cast<float>(x)));
  return most;
}

inline double next(double x, int steps, bool single) {
  for (; steps > 0; --steps)
    x = single ? static_cast<double>(std::nextafterf(static_cast<float>(x), std::numeric_limits<float>::infinity()))
               : std::nextafter(x, std::numeric_limits<double>::infinity());
  for (; steps < 0; ++steps)
    x = single ? static_cast<double>(std::nextafterf(static_cast<float>(x), -std::numeric_limits<float>::infinity()))
               : std::nextafter(x, -std::numeric_limits<double>::infinity());
  return x;
}

}  // namespace extremes
