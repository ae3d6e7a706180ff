// The library's exact test, as the peers' narrow phase.
#pragma once

#include <optional>

#include "exact/tri_tri.h"
#include "sightline/mesh.h"

namespace sightline::bench {

inline std::optional<Kind> exact_test(const MeshView& a, std::uint32_t triangle_a, const MeshView& b,
                                      std::uint32_t triangle_b, bool one_object) {
  return exact::decide(a.corners(triangle_a), b.corners(triangle_b), one_object);
}

}  // namespace sightline::bench
