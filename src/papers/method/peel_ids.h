// Triangle ids of the method `peel` (section 5 of the paper): one id for several triangles around a vertex.
#pragma once

#include "method/roi.h"

namespace sightline::papers::method {

/// How many triangles an id stands for.
enum class IdScheme : std::uint8_t {
  unique,       ///< one
  last_vertex,  ///< all that have the same last vertex, as published
  /// All that have the same last vertex after their corners were rotated, which keeps the winding. The vertex with the
  /// most triangles that have no id yet takes all of these, again and again: one id then covers about five triangles
  /// instead of three.
  greedy_vertex,
};

/// Per triangle of the scene, its id from 1 on; 0 for triangles that are in no region. Triangles of different objects
/// have different ids. Vertices are welded (docs/definitions.md).
std::vector<std::uint32_t> triangle_ids(const Scene& scene, const std::vector<Region>& regions, IdScheme scheme,
                                        Workers& workers);

}  // namespace sightline::papers::method
