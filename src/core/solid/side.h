// Inside or outside a closed surface, by the parity of an axis ray's crossings.
//
// The ray starts at a flag (solid/flag.h), so it meets no edge, no corner and no triangle edge-on: each crossing is
// decided by three planar orientations and one in space, all of them non-zero. Single points are decided with a tree,
// many points at once in an image (solid/parity.h). Both count the same crossings, so both give the same answer.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/box_tree.h"
#include "sightline/mesh.h"
#include "solid/flag.h"

namespace sightline::solid {

/// A part with the data that several questions about it need. The data are built once and then only read. The tree is
/// built when a thread first uses it.
struct Body {
  explicit Body(const MeshView& mesh, Workers& workers = Workers::none(), Poll poll = {});
  const BoxTree& tree(const Poll& poll = {}) const;

  MeshView mesh;
  Workers& workers;  ///< for the build, and for the questions about the part
  Topology topology;
  Box box;
  bool closed = false;  ///< docs/definitions.md: every edge even, and some triangle has area
  /// Per triangle, 1 if it belongs to a closed piece (docs/definitions.md): it has area and all edges of its component
  /// are even.
  std::vector<std::uint8_t> solid;
  bool has_solid = false;  ///< some triangle belongs to a closed piece
  struct Component {
    Box box;
    std::uint32_t triangle = 0;  ///< its first
    bool closed = false;         ///< it has a closed piece
  };
  std::vector<Component> components;
  int ray = 2;  ///< axis of the rays: the shortest extent, where they cross the least

 private:
  mutable std::once_flag once_;
  mutable BoxTree tree_;
};

/// May the ray from `from` in the positive direction of the axis meet something in the box? Boxes are closed, and a
/// flag is as near to its base as need be.
bool ray_meets(const Box& box, const Box& from, int axis);
/// True if the ray from the flag in the positive direction of the axis crosses the triangle.
bool ray_crosses(const std::array<Vec3d, 3>& triangle, const Flag& flag, int axis);

/// Parity of the solid triangles above the flag: odd is inside.
bool inside(const Body& body, const Flag& flag, Poll& poll);

}  // namespace sightline::solid
