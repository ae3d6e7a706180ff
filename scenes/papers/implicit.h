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

struct Shape {
  std::string name;
  std::vector<RoundCone> parts;
  double blend = 0.1;  ///< parts closer than this run into each other smoothly
  double bump = 0;     ///< height of the noise on the surface
  double bump_length = 1;
};

/// Negative inside, about a distance near the surface. A shape has at most 128 parts.
double field(const Shape& shape, const Vec3d& p);
/// The most that the distance to any part changes per unit; blending keeps it.
double slope(const Shape& shape);
/// The shape with only those parts that influence its field wherever no distance differs from that at p by more than
/// `reach`. There the field is the same, bit for bit.
Shape near(const Shape& shape, const Vec3d& p, double reach);

/// The level set 0 of the shape as a mesh of about n triangles: closed, outward winding, one component (small islands
/// of thin parts are dropped), and embedded: it has no contacts with itself.
Mesh surface(const Shape& shape, std::size_t n);

}  // namespace sightline::scenes
