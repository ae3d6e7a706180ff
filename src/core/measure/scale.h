// Two parts at a common scale at which no product of a few coordinates overflows or underflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/box.h"
#include "base/format.h"
#include "sightline/measure.h"

namespace sightline::measure {

/// True if all stored coordinates are below 2^60, and a triangle has one of at least 2^-60: no scale is needed then.
inline bool is_moderate(const MeshView& mesh) {
  if (mesh.is_placed()) return false;
  const auto below = [](const auto& points) {
    bool all = true;
    for (const auto& p : points)
      for (const auto x : p) all &= std::abs(x) < 0x1p60;
    return all;
  };
  if (!(mesh.positions.is_double() ? below(mesh.positions.f64()) : below(mesh.positions.f32()))) return false;
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t corner : t)
      for (const double x : mesh.position(corner))
        if (std::abs(x) >= 0x1p-60) return true;
  return false;
}

/// The exponent of the power of two by which both parts are multiplied: 0 where the largest coordinate of their
/// triangles is in [2^-60, 2^60], otherwise it comes to that range. Absent if a coordinate would lose bits: parts that
/// reach beyond 2^60 and have coordinates with bits below 2^-1134 of the largest one.
inline std::optional<int> common_scale(const MeshView& a, const MeshView& b) {
  constexpr int kMost = 60;
  if (is_moderate(a) && is_moderate(b)) return 0;
  double largest = 0;
  const auto each = [&](const auto& visit) {
    for (const MeshView* mesh : {&a, &b})
      for (const Triangle& t : mesh->triangles)
        for (const std::uint32_t corner : t)
          for (const double x : mesh->position(corner)) visit(x);
  };
  each([&](double x) { largest = std::max(largest, std::abs(x)); });
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  if (exponent >= -kMost && exponent < kMost) return 0;
  const int by = exponent < 0 ? -exponent : kMost - exponent;
  bool exact = true;
  each([&](double x) { exact = exact && std::ldexp(std::ldexp(x, by), -by) == x; });
  return exact ? std::optional(by) : std::nullopt;
}

inline int require_scale(const MeshView& a, const MeshView& b, std::string_view function) {
  if (const std::optional<int> by = common_scale(a, b)) return *by;
  throw Error(formatted("{}: the coordinates of the two parts span so many magnitudes that they have no common scale",
                        function));
}

inline std::vector<Vec3d> scaled_points(const MeshView& mesh, int by) {
  std::vector<Vec3d> points(mesh.positions.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = mesh.position(i);
    for (double& x : points[i]) x = std::ldexp(x, by);
  }
  return points;
}

inline Vec3d scaled(Vec3d p, int by) {
  for (double& x : p) x = std::ldexp(x, by);
  return p;
}
/// Rounded downwards and upwards; not negative.
inline double scaled_down(double x, int by) {
  const double y = std::ldexp(x, by);
  return std::ldexp(y, -by) > x ? std::nextafter(y, 0.0) : y;
}
inline double scaled_up(double x, int by) {
  const double y = std::ldexp(x, by);
  return std::ldexp(y, -by) < x ? std::nextafter(y, Box::kInfinity) : y;
}

}  // namespace sightline::measure
