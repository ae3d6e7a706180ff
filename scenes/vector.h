// The vector algebra of the generators, and lists of triangles that several of them have.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::scenes {

constexpr Vec3d add(const Vec3d& a, const Vec3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
constexpr Vec3d minus(const Vec3d& a, const Vec3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
constexpr Vec3d times(double s, const Vec3d& a) { return {s * a[0], s * a[1], s * a[2]}; }
constexpr double dot(const Vec3d& a, const Vec3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
constexpr Vec3d cross(const Vec3d& a, const Vec3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec3d normalized(const Vec3d& a) { return times(1 / std::sqrt(dot(a, a)), a); }

constexpr Vec3f to_float(const Vec3d& a) {
  return {static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])};
}

/// n triangles with three vertices of their own each, in order.
inline std::vector<Triangle> separate_triangles(std::size_t n) {
  std::vector<Triangle> triangles(n);
  for (std::uint32_t i = 0; i < n; ++i) triangles[i] = {3 * i, 3 * i + 1, 3 * i + 2};
  return triangles;
}

/// Two triangles for each cell of a grid of rows × columns cells, whose vertices are numbered row by row.
inline std::vector<Triangle> grid_triangles(std::uint32_t rows, std::uint32_t columns, bool mirrored = false) {
  std::vector<Triangle> triangles;
  triangles.reserve(std::size_t{2} * rows * columns);
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::uint32_t at = row * (columns + 1) + column, next = at + columns + 1;
      triangles.push_back({at, at + 1, next + 1});
      triangles.push_back({at, next + 1, next});
    }
  if (mirrored)
    for (Triangle& t : triangles) std::swap(t[1], t[2]);
  return triangles;
}

struct CirclePoint {
  double cos, sin;
};

/// Point k of n evenly spaced on the unit circle. Taylor series on an eighth of the circle, so that the result does not
/// depend on libm.
constexpr CirclePoint circle_point(std::uint64_t k, std::uint64_t n) {
  const double turns = static_cast<double>(k % n) / static_cast<double>(n);
  const int quarter = static_cast<int>(turns * 4 + 0.5);
  const double x = (turns - quarter * 0.25) * 6.283185307179586;
  double cosine = 0, sine = 0;
  for (int i = 20; i >= 2; i -= 2) cosine = (1 - cosine) * (x * x / ((i - 1) * i));
  for (int i = 21; i >= 3; i -= 2) sine = (1 - sine) * (x * x / ((i - 1) * i));
  const double c = 1 - cosine, s = x * (1 - sine);
  switch (quarter & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

}  // namespace sightline::scenes
