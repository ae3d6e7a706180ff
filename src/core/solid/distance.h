// The distance of two triangles, degenerate ones too: bounds in double, and the exact square.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exact/big_int.h"
#include "sightline/mesh.h"

namespace sightline::solid {

using Corners = std::array<Vec3d, 3>;

/// A part of each triangle: a corner, the edge from a corner to the next, or the face. Either one of the two is a
/// corner, or both are edges: somewhere on such a pair there are nearest points of disjoint triangles (distance.cpp).
struct Feature {
  enum Size : std::int8_t { corner = 1, edge = 2, face = 3 };
  Size a_size = corner, b_size = corner;
  std::int8_t a = 0, b = 0;  ///< the (first) corner
};

/// Bounds of a distance, and where it was found.
struct Estimate {
  double lower = 0, upper = 0;  ///< certified: lower ≤ distance ≤ upper
  Feature feature;              ///< a guess
  Vec3d direction{};            ///< from a to b, of length 1; zero if unknown
};
Estimate estimate(const Corners& a, const Corners& b);

/// A certified lower bound of the distance of any triangle of a from any of b: the width of the slab between them
/// across the direction, whose length is 1 within 2^-50, or 0. Neither is empty.
double slab(std::span<const Corners> a, std::span<const Corners> b, const Vec3d& direction);

/// The features that `estimate` chooses from, the nearest first.
std::vector<Feature> ranked_features(const Corners& a, const Corners& b);

/// A squared distance: numerator / denominator · 4^unit, not negative; infinite where the denominator is zero. Not
/// reduced: comparing two costs two products, a greatest common divisor would cost more.
struct Squared {
  exact::BigInt numerator = 1, denominator = 0;
  int unit = 0;

  /// The square of a number that is not negative (infinity too).
  static Squared of(double x);
  friend bool operator<(const Squared& x, const Squared& y);
};

/// The square root, rounded once: to nearest, ties to even; denormal and infinite where it has to be.
double root(const Squared& x);

/// The exact square of the distance if it is below the limit. Features are tried until one is proved to hold nearest
/// points: first the guess.
std::optional<Squared> squared_below(const Corners& a, const Corners& b, const Feature& guess, const Squared& limit);

/// A point of a and a point of b at the distance of two disjoint triangles, each coordinate the exact one rounded to
/// nearest. The guess as above.
std::array<Vec3d, 2> nearest_points(const Corners& a, const Corners& b, const Feature& guess);

}  // namespace sightline::solid
