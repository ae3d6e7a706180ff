#include <cmath>

#include "scenes/random.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// Random vector of a lattice point, 21 bits a component.
Vec3d lattice_value(std::int64_t i, std::int64_t j, std::int64_t k, std::uint64_t seed) {
  const std::uint64_t bits = mix(mix(mix(seed ^ static_cast<std::uint64_t>(i)) ^ static_cast<std::uint64_t>(j)) ^
                                 static_cast<std::uint64_t>(k));
  const auto component = [&](int shift) { return static_cast<double>((bits >> shift) & 0x1FFFFF) * 0x1p-20 - 1; };
  return {component(0), component(21), component(42)};
}

/// Blend from 0 to 1 whose first and second derivatives vanish at both ends.
double fade(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

Vec3d blend(const Vec3d& a, const Vec3d& b, double t) { return add(times(1 - t, a), times(t, b)); }

struct Cell {
  explicit Cell(double x) : low(static_cast<std::int64_t>(std::floor(x))), t(fade(x - std::floor(x))) {}
  std::int64_t low;
  double t;
};

Vec3d noise_on_plane(const Cell& x, const Cell& y, std::int64_t k, std::uint64_t seed) {
  const Vec3d low = blend(lattice_value(x.low, y.low, k, seed), lattice_value(x.low + 1, y.low, k, seed), x.t);
  const Vec3d high = blend(lattice_value(x.low, y.low + 1, k, seed), lattice_value(x.low + 1, y.low + 1, k, seed), x.t);
  return blend(low, high, y.t);
}

}  // namespace

Vec3d noise(double x, double y, std::uint64_t seed) { return noise_on_plane(Cell(x), Cell(y), 0, seed); }

Vec3d noise(const Vec3d& p, std::uint64_t seed) {
  const Cell x(p[0]), y(p[1]), z(p[2]);
  return blend(noise_on_plane(x, y, z.low, seed), noise_on_plane(x, y, z.low + 1, seed), z.t);
}

}  // namespace sightline::scenes
