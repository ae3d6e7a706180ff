// Random numbers with explicit conversions, so that a seed gives the same scene with every compiler and library. Smooth
// noise on a lattice of random vectors: twice continuously differentiable, one wavelength per lattice step (noise.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "sightline/mesh.h"

namespace sightline::scenes {

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64-bit words that mixes all bits.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// splitmix64 as a sequence.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(mix(seed)) {}

  constexpr std::uint64_t bits() {
    const std::uint64_t result = mix(state_);
    state_ += 0x9E3779B97F4A7C15u;
    return result;
  }
  /// In [0, 1), a multiple of 2^-53.
  constexpr double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  constexpr double between(double low, double high) { return low + (high - low) * unit(); }
  /// In 0 … n-1; the bias is below n / 2^32.
  constexpr std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((bits() >> 32) * std::uint64_t{n}) >> 32);
  }
  constexpr int integer(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1)));
  }
  constexpr Vec3d in_cube(double half) {
    const double x = between(-half, half), y = between(-half, half), z = between(-half, half);
    return {x, y, z};
  }

 private:
  std::uint64_t state_;
};

/// Each component in [-1, 1].
Vec3d noise(double x, double y, std::uint64_t seed);
Vec3d noise(const Vec3d& p, std::uint64_t seed);

}  // namespace sightline::scenes
