// Smooth noise on a lattice of random vectors: twice continuously differentiable, one wavelength per lattice step.
#pragma once

#include <cstdint>

#include "sightline/mesh.h"

namespace sightline::scenes {

/// Each component in [-1, 1].
Vec3d noise(double x, double y, std::uint64_t seed);
Vec3d noise(const Vec3d& p, std::uint64_t seed);

}  // namespace sightline::scenes
