// A cloth whose triangles can be split and torn apart. Vertices keep their place in the uncut cloth, so that the length
// of each edge at rest is known whatever was cut.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenes/papers/verlet.h"

namespace sightline::scenes {

class TearableCloth {
 public:
  /// A square of cells × cells cells around the origin, pinned at its border.
  TearableCloth(std::uint32_t cells, double side);

  const std::vector<Triangle>& triangles() const { return triangles_; }
  Particles& particles() { return particles_; }
  const Particles& particles() const { return particles_; }
  const std::vector<Link>& links();

  /// Cuts the longest edge of the triangle, and with it the triangle beyond, unless it is shorter than `least`.
  void split(std::uint32_t triangle, double least);
  /// Parts the triangles around the vertex along a line through it in the uncut cloth. False if all lie on one side,
  /// or the vertex is pinned.
  bool tear(std::uint32_t vertex, const std::array<double, 2>& line);

 private:
  std::vector<Triangle> triangles_;
  Particles particles_;
  std::vector<std::array<double, 2>> place_;  ///< in the uncut cloth
  std::vector<Link> links_;
  bool changed_ = true;  ///< links_ are of an earlier cloth
};

}  // namespace sightline::scenes
