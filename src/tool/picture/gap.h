// Where two parts of a picture are nearest to each other.
#pragma once

#include <array>

#include "picture/model.h"

namespace sightline::picture {

/// The nearest points of the surfaces of two parts, as near as doubles have them: for a line in a picture, not for a
/// decision. Two equal points where a part has no triangle.
std::array<Vec3d, 2> nearest_points(const Model& model, std::uint32_t a, std::uint32_t b);

}  // namespace sightline::picture
