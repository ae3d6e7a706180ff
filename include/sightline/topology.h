// What a mesh is: open or closed, degenerate and duplicate triangles, connected components.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/mesh.h"

namespace sightline {

/// Positions equal bit for bit (with -0 = +0) are one vertex.
struct Topology {
  std::vector<std::uint32_t> vertex;         ///< per position, the first position equal to it
  std::vector<std::uint32_t> component;      ///< per triangle, its component, numbered by first triangle
  std::uint32_t components = 0;              ///< triangles joined by shared vertices
  std::uint64_t vertices = 0;                ///< distinct positions that triangles use
  std::uint64_t open_edges = 0;              ///< edges with an odd number of (non-degenerate) triangles
  std::uint64_t nonmanifold_edges = 0;       ///< edges with more than two
  std::vector<std::uint32_t> degenerate;     ///< triangles without area (decided exactly), ascending
  std::uint64_t duplicates = 0;              ///< triangles whose three corners an earlier triangle has
  /// Has triangles with area, and no open edge (docs/definitions.md).
  bool closed() const { return degenerate.size() < component.size() && open_edges == 0; }
};

Topology topology(const MeshView& mesh);

/// Sides of a closed surface.
enum class Side : std::uint8_t { outside, inside, on };
/// Where a point lies relative to a closed mesh, decided exactly by the parity of a ray's crossings.
Side side_of(const MeshView& closed_mesh, const Vec3d& point);

}  // namespace sightline
