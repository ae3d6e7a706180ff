// Points in the place that a file's transforms give them.
#pragma once

#include <cmath>
#include <optional>

#include "input/image_of.h"

namespace sightline::read {

inline bool is_finite(const Vec3d& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

/// The first point that the transform moves out of the range of doubles.
inline std::optional<std::size_t> first_not_finite(std::span<const Vec3d> points, const Transform& transform) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_finite(image_of(points[i], transform))) return i;
  return std::nullopt;
}

}  // namespace sightline::read
