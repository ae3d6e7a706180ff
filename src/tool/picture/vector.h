// Small vectors for the picture. Only operations that IEEE rounds correctly: the same pixels on every machine.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/vector.h"

namespace sightline::picture {

/// (0, 0, 0) stays (0, 0, 0).
inline Vec3d normalized(const Vec3d& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? (1 / length) * a : a;
}
inline Vec3d mix(const Vec3d& a, const Vec3d& b, double share) { return (1 - share) * a + share * b; }

}  // namespace sightline::picture
