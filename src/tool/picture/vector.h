// Small vectors for the picture. Only operations that IEEE rounds correctly: the same pixels on every machine.
#pragma once

#include <algorithm>
#include <cmath>

#include "sightline/mesh.h"

namespace sightline::picture {

inline Vec3d operator+(const Vec3d& a, const Vec3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3d operator-(const Vec3d& a, const Vec3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec3d operator*(double s, const Vec3d& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3d& a, const Vec3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3d cross(const Vec3d& a, const Vec3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// (0, 0, 0) stays what it is.
inline Vec3d normalized(const Vec3d& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? (1 / length) * a : a;
}
inline Vec3d mix(const Vec3d& a, const Vec3d& b, double share) { return (1 - share) * a + share * b; }

}  // namespace sightline::picture
