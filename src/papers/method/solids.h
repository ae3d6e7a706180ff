// The objects of a scene as the method `cinder` draws them.
#pragma once

#include <cstdint>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

struct Solid {
  std::uint32_t object;                  ///< index into table.objects
  std::vector<std::uint32_t> triangles;  ///< all of them
  bool sided = true;                     ///< all triangles are wound alike: front and back faces are known
};

struct Solids {
  std::vector<Solid> solids;
  std::vector<std::uint32_t> triangles;  ///< of all solids, in order
  std::vector<std::uint32_t> faces;      ///< the same without those that have no area, where a solid is closed without
  /// 3 * triangle + i (raster/inside.h): each edge of a solid once that may lie in the box of another, wanted solid.
  std::vector<std::uint32_t> edges;
  std::vector<std::uint32_t> solid_of;  ///< by triangle of the scene: number in `solids`
  std::vector<std::int8_t> outward;     ///< by triangle of the scene: -1 if its normal points into the solid, else 1
};

/// The solids whose box meets the box of another, wanted one; the others penetrate nothing. They may be open.
Solids solids_that_meet(const Context& context);
/// All objects, wound as they are, without `edges`. Throws Error for an object that is not closed, with its first open
/// edges.
Solids all_closed_solids(const Context& context);

/// The unit normal out of the solid; 0 without area.
Vec3d normal_of(const Scene& scene, const Solids& solids, std::uint32_t triangle);

}  // namespace sightline::papers::method
