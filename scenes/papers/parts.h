// Simple closed parts of any number of triangles, outward winding.
#pragma once

#include <cstddef>

#include "sightline/mesh.h"

namespace sightline::scenes {

/// Ball of radius 1 around the origin: a subdivided icosahedron where one has about n triangles, else by lathe.
Mesh ball(std::size_t n);
/// Two cones base to base, pointed at both ends: the lower one long. Within the unit ball.
Mesh shard(std::size_t n);
/// Six triangles: a triangular bipyramid within the unit ball.
Mesh flake();
/// A round table of about n triangles: its top at height 0 with this radius and rounded rim, a leg and a foot.
Mesh table(std::size_t n, double radius);

}  // namespace sightline::scenes
