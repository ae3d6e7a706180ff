#include <algorithm>
#include <cmath>

#include "scenes/random.h"
#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

// Octaves run from a third of the sheet down to this many grid steps, so that small and large sheets are crumpled alike
// where it counts, at the scale of a few triangles.
constexpr double kShortestWavelength = 12;
// Displacement per wavelength of all octaves together. Folds need a slope above 1, which the tails of this reach.
constexpr double kSteepness = 0.75;

struct Octave {
  double frequency;
  double amplitude;
  std::uint64_t seed;
};

std::vector<Octave> octaves(double side, std::uint64_t seed) {
  std::vector<Octave> result;
  for (double wavelength = std::max(side / 3, kShortestWavelength); wavelength >= kShortestWavelength; wavelength /= 2)
    result.push_back({1 / wavelength, wavelength, mix(seed + result.size())});
  const double share = kSteepness / std::sqrt(static_cast<double>(result.size()));
  for (Octave& octave : result) octave.amplitude *= share;
  return result;
}

Vec3d crumple(double x, double y, const std::vector<Octave>& octaves) {
  Vec3d p = {x, y, 0};
  double u = x, v = y;
  for (const Octave& octave : octaves) {
    p = add(p, times(octave.amplitude, noise(u * octave.frequency, v * octave.frequency, octave.seed)));
    // Turn by the angle of the 3-4-5 triangle, so that the lattices of the octaves do not line up.
    const double turned = 0.6 * u - 0.8 * v;
    v = 0.8 * u + 0.6 * v;
    u = turned;
  }
  return p;
}

}  // namespace

Mesh crumpled_cloth(std::size_t n, std::uint64_t seed) {
  const double side = std::max(1.0, std::round(std::sqrt(static_cast<double>(n) / 2)));
  const auto rows = static_cast<std::uint32_t>(side);
  const auto columns = static_cast<std::uint32_t>(std::max(1.0, std::round(static_cast<double>(n) / (2 * side))));
  const std::vector<Octave> noise_octaves = octaves(side, seed);

  std::vector<Vec3f> positions;
  positions.reserve(std::size_t{rows + 1} * (columns + 1));
  for (std::uint32_t row = 0; row <= rows; ++row)
    for (std::uint32_t column = 0; column <= columns; ++column)
      positions.push_back(to_float(crumple(column, row, noise_octaves)));

  return {.name = "cloth", .positions = std::move(positions), .triangles = grid_triangles(rows, columns)};
}

}  // namespace sightline::scenes
