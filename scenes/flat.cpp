#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// Each triangle cut in four at the middles of its edges, once. A middle is exact where the coordinates have a bit to
/// spare.
void cut_in_four(std::vector<Vec3d>& points, std::vector<Triangle>& triangles) {
  std::unordered_map<std::uint64_t, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t edge = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    const auto [at, is_new] = middles.try_emplace(edge, static_cast<std::uint32_t>(points.size()));
    if (is_new) points.push_back(times(0.5, add(points[a], points[b])));
    return at->second;
  };
  std::vector<Triangle> result;
  result.reserve(4 * triangles.size());
  for (const auto& [a, b, c] : triangles) {
    const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    for (const Triangle& t : {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}})
      result.push_back(t);
  }
  triangles = std::move(result);
}

}  // namespace

Mesh flat_bodies(std::size_t n_each, FlatCoordinates coordinates, bool doubles) {
  constexpr std::size_t kFewest = 400;  // faces of a body before it is cut
  int cuts = 0;
  while (n_each >> (2 * cuts + 2) >= kFewest) ++cuts;
  const Mesh coarse = two_bodies(n_each >> 2 * cuts);
  // Coordinates are below 4. With up to 6 cuts a multiple of `step` needs 23 bits in float and 52 in double.
  const double step = doubles ? 0x1p-44 : 0x1p-15;
  std::vector<Vec3d> points;
  const MeshView view = coarse.view();
  for (std::size_t i = 0; i < view.positions.size(); ++i) {
    // The thousandth makes the doubles no floats.
    const Vec3d p = times(1.001, view.position(static_cast<std::uint32_t>(i)));
    points.push_back({std::round(p[0] / step) * step, std::round(p[1] / step) * step, std::round(p[2] / step) * step});
  }
  Mesh mesh{.name = "flat bodies", .positions = {}, .triangles = coarse.triangles};
  for (int i = 0; i < cuts; ++i) cut_in_four(points, mesh.triangles);
  if (coordinates == FlatCoordinates::rounded) {
    // A rotation that leaves no face parallel to an axis.
    const Vec3d x = normalized({0.36, 0.48, -0.8}), y = normalized(cross({0.1, 0.7, 0.3}, x)), z = cross(x, y);
    for (Vec3d& p : points) p = {dot(x, p), dot(y, p), dot(z, p)};
  }
  mesh.positions = std::move(points);
  return doubles ? mesh : to_float(mesh);
}

}  // namespace sightline::scenes
