// Inside or outside a closed surface, by the parity of an axis ray's crossings.
//
// The ray starts at a flag (solid/flag.h), so it meets no edge, no corner and no triangle edge-on: each crossing is
// decided by three planar orientations and one in space, all of them non-zero. Knott and Pai's CInDeR counts the same
// parity for many points at once in an image; here a tree answers single points, exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "sightline/topology.h"
#include "solid/flag.h"
#include "solid/tree.h"

namespace sightline::solid {

/// A part and what is asked of it again and again. Built once, then only read.
struct Body {
  explicit Body(const MeshView& mesh);

  MeshView mesh;
  Topology topology;
  Tree tree;
  bool closed = false;  ///< docs/definitions.md: every edge even, and some triangle has area
  /// Per triangle, 1 if it bounds the solid: it has area and all edges of its component are even.
  std::vector<std::uint8_t> solid;
  struct Component {
    Box box;
    std::uint32_t triangle = 0;  ///< its first
  };
  std::vector<Component> components;
  int ray = 2;  ///< axis of the rays: the shortest extent, where they cross the least
};

/// Parity of the solid triangles above the flag: odd is inside.
bool inside(const Body& body, const Flag& flag);

}  // namespace sightline::solid
