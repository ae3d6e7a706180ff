// The distance of two triangles: a double with a certificate, and an exact comparison.
#pragma once

#include <array>

#include "sightline/mesh.h"

namespace sightline::solid {

using Corners = std::array<Vec3d, 3>;

enum class Below { no, yes, unsure };

/// Distance of two triangles (degenerate ones too) and whether it is below a limit, where the certificate tells.
struct Distance {
  double value = 0;
  Below below = Below::unsure;
  Vec3d apart{};  ///< direction from the nearest point of a to that of b
};
Distance distance(const Corners& a, const Corners& b, double limit);

/// A lower bound of the distance, from the slab between them across a direction (of any length): true only if they are
/// at least the limit apart.
bool apart_along(const Corners& a, const Corners& b, const Vec3d& direction, double limit);

/// Exactly: are two triangles without common point closer than the limit?
bool closer_than(const Corners& a, const Corners& b, double limit);

}  // namespace sightline::solid
