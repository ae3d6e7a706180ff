// Closed bodies as level sets: smooth unions of round cones, and their surface as a mesh of any size.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::scenes {

/// All points within a radius of the segment from a to b, where the radius goes from radius_a to radius_b. Distances
/// along the unit vector `thin` count `flatness` times, at least 1.
struct RoundCone {
  Vec3d a, b;
  double radius_a, radius_b;
  Vec3d thin{0, 0, 1};
  double flatness = 1;
};

/// At most 128 parts.
struct Shape {
  std::string name;
  std::vector<RoundCone> parts;
  double blend = 0.1;  ///< parts closer than this run into each other smoothly
  double bump = 0;     ///< height of the noise on the surface
  double bump_length = 1;
};

/// The level set 0 of the shape as a mesh of about n triangles: closed, outward winding, one component (small islands
/// of thin parts are dropped), and embedded: it has no contacts with itself.
Mesh surface(const Shape& shape, std::size_t n);

}  // namespace sightline::scenes
