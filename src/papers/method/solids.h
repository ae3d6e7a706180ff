// The closed objects of a scene as the method `cinder` draws them.
#pragma once

#include <cstdint>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

/// Triangles by how they are wound (winding.h), for drawing only those that face the viewer or face away.
struct FaceLists {
  std::vector<std::uint32_t> outward, inward;
  std::vector<std::uint32_t> unknown;  ///< components whose winding gives no inside: all their faces count

  void add(const FaceLists& other);
};

struct Solid {
  std::uint32_t object;                  ///< index into table.objects
  std::vector<std::uint32_t> triangles;  ///< all of them
  FaceLists faces;
};

struct Solids {
  std::vector<Solid> solids;             ///< those whose box meets another's; the others penetrate nothing
  std::vector<std::uint32_t> triangles;  ///< of all solids, in order
  FaceLists faces;                       ///< of all solids
  std::vector<Vec3d> normals;            ///< per triangle of the scene: unit, out of the solid; 0 without area
};

/// Throws Error for an object that is not closed, with its first open edges.
Solids make_solids(const Context& context);

}  // namespace sightline::papers::method
