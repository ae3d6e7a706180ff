// Inside or outside a closed surface, by the parity of an axis ray's crossings.
//
// The ray starts at a flag (solid/flag.h), so it meets no edge, no corner and no triangle edge-on: each crossing is
// decided by three planar orientations and one in space, all of them non-zero. A tree answers single points; many at
// once are counted in an image (solid/parity.h). Both ask the same crossings, so they say the same.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/box_tree.h"
#include "sightline/mesh.h"
#include "solid/flag.h"

namespace sightline::solid {

/// A part and what is asked of it again and again. Built once, then only read; the tree when it is first asked for,
/// by any thread.
struct Body {
  explicit Body(const MeshView& mesh, Workers& workers = Workers::none(), Poll poll = {});
  const BoxTree& tree(const Poll& poll = {}) const;

  MeshView mesh;
  Workers& workers;  ///< for what is asked of it, too
  Topology topology;
  Box box;
  bool closed = false;  ///< docs/definitions.md: every edge even, and some triangle has area
  /// Per triangle, 1 if it belongs to a closed piece (docs/definitions.md): it has area and all edges of its component
  /// are even.
  std::vector<std::uint8_t> solid;
  bool has_solid = false;  ///< some triangle is
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
