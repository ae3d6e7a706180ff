// Simple closed parts of any number of triangles, outward winding.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::scenes {

/// Distance from the y axis and height; the outline of a body of revolution from its lower end to its upper end, both
/// on the axis.
using Outline = std::vector<std::array<double, 2>>;

Mesh lathe(const std::string& name, const Outline& outline, std::size_t segments);
/// Ball of radius 1 around the origin: a subdivided icosahedron where one has about n triangles, else by lathe.
Mesh ball(std::size_t n);
/// Two cones base to base, pointed at both ends: the lower one long. Within the unit ball.
Mesh shard(std::size_t n);
/// Six triangles: a triangular bipyramid within the unit ball.
Mesh flake();
/// A round table of about n triangles: its top at height 0 with this radius and rounded rim, a leg and a foot.
Mesh table(std::size_t n, double radius);

}  // namespace sightline::scenes
