// Which side of a triangle is outside: for the methods that take it from the winding (velocity, cinder).
#pragma once

#include <cstdint>
#include <vector>

#include "input/triangle_table.h"
#include "sightline/mesh.h"

namespace sightline::papers::method {

MeshView view_of(const TriangleTable::Object& object);

/// Per triangle, where its normal points by the right-hand rule: 1 out, -1 in, 0 not known. A component's sides are
/// known if each of its edges is run through equally often in both directions and its signed volume is certain.
struct Winding {
  std::vector<std::int8_t> of_component;  ///< out of what its own component encloses
  /// Out of the object's inside (docs/definitions.md): the inner wall of a cavity, which points out of the cavity as a
  /// component, points into the solid. 0 too where components touch or where there are too many components to decide.
  std::vector<std::int8_t> of_solid;
};
Winding winding(const MeshView& mesh, const Topology& topology);
/// The same, where `balanced` has a flag for each component whose edges are run through equally often in both
/// directions. The flags depend on the triangles and on which positions are equal, not on where these are.
Winding winding(const MeshView& mesh, const Topology& topology, const std::vector<std::uint8_t>& balanced);

}  // namespace sightline::papers::method
