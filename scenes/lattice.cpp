#include <algorithm>
#include <array>
#include <string>

#include "scenes/random.h"
#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

using Corners = std::array<Vec3d, 3>;

/// Corners with coordinates in 0 … side and within 4 of each other.
Corners random_corners(Random& random, int side) {
  std::array<int, 3> base{};
  for (int& x : base) x = random.integer(0, side);
  Corners corners{};
  for (Vec3d& corner : corners)
    for (std::size_t axis = 0; axis < 3; ++axis) corner[axis] = std::clamp(base[axis] + random.integer(-2, 2), 0, side);
  return corners;
}

/// Exact for small integers.
bool has_area(const Corners& c) {
  const Vec3d normal = cross(add(c[1], times(-1, c[0])), add(c[2], times(-1, c[0])));
  return dot(normal, normal) > 0;
}

std::vector<Vec3d> lattice_positions(std::size_t n, std::uint64_t seed, bool degenerate) {
  Random random(seed);
  int side = 4;
  while (static_cast<double>(side) * side * side < 2 * static_cast<double>(n)) ++side;
  std::vector<Vec3d> positions;
  positions.reserve(3 * n);
  while (positions.size() < 3 * n) {
    const Corners corners = random_corners(random, side);
    if (degenerate || has_area(corners)) positions.insert(positions.end(), corners.begin(), corners.end());
  }
  return positions;
}

}  // namespace

Mesh lattice_soup(std::size_t n, std::uint64_t seed, bool degenerate) {
  return to_float(
      Mesh{.name = "lattice", .positions = lattice_positions(n, seed, degenerate), .triangles = separate_triangles(n)});
}

Mesh lattice_soup_tenth(std::size_t n, std::uint64_t seed, bool degenerate) {
  std::vector<Vec3d> positions = lattice_positions(n, seed, degenerate);
  for (Vec3d& p : positions) p = times(0.1, p);
  return {.name = "lattice / 10", .positions = std::move(positions), .triangles = separate_triangles(n)};
}

Mesh box(const Vec3d& low, const Vec3d& high) {
  std::vector<Vec3f> positions;
  for (unsigned corner = 0; corner < 8; ++corner)
    positions.push_back(
        to_float(Vec3d{corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1], corner & 4 ? high[2] : low[2]}));
  return {.name = "box",
          .positions = std::move(positions),
          .triangles = {{0, 2, 3},
                        {0, 3, 1},
                        {4, 5, 7},
                        {4, 7, 6},
                        {0, 1, 5},
                        {0, 5, 4},
                        {2, 6, 7},
                        {2, 7, 3},
                        {0, 4, 6},
                        {0, 6, 2},
                        {1, 3, 7},
                        {1, 7, 5}}};
}

std::vector<Mesh> cubes_in_contact(std::size_t side) {
  std::vector<Mesh> cubes;
  cubes.reserve(side * side * side);
  for (std::size_t z = 0; z < side; ++z)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        const Vec3d low = {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
        cubes.push_back(box(low, add(low, {1, 1, 1})));
        cubes.back().name = "cube " + std::to_string(cubes.size() - 1);
      }
  return cubes;
}

Mesh cubes_in_contact_mesh(std::size_t side) {
  Mesh mesh = merged(cubes_in_contact(side));
  mesh.name = "cubes";
  return mesh;
}

}  // namespace sightline::scenes
