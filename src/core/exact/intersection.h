// The intersection of two triangles, in the place of one of them.
#pragma once

#include "sightline/contact.h"

namespace sightline::exact {

/// The public intersection(), without its settings of the floating-point environment. `from_corner`: the points are
/// exact differences to corner 0 of a, rounded; so they do not depend on the place of the pair in space.
Intersection intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool from_corner);

}  // namespace sightline::exact
