// Where a transform takes a stored point: in double, then rounded to the type of the storage. For code that runs within
// a FloatEnvironment.
#pragma once

#include "sightline/mesh.h"

namespace sightline {

inline Vec3d image_of(const Vec3d& p, const Transform& transform) {
  Vec3d image;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::array<double, 4>& row = transform.rows[i];
    image[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
  }
  return image;
}
inline Vec3f image_of(const Vec3f& p, const Transform& transform) {
  const Vec3d q = image_of(Vec3d{p[0], p[1], p[2]}, transform);
  return {static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2])};
}

}  // namespace sightline
