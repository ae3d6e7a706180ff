// Transforms, and the positions of placed meshes. The code is in the library and not in the public header, because a
// compiler that contracts to fused operations gives other positions.
#include "base/float_environment.h"
#include "base/image_of.h"

namespace sightline {

Vec3d Transform::operator()(const Vec3d& p) const {
  const FloatEnvironment environment;
  return image_of(p, *this);
}

Vec3d MeshView::placed_position(std::size_t vertex) const {
  const FloatEnvironment environment;
  if (positions.is_double()) return image_of(positions.f64()[vertex], transform_);
  const Vec3f p = image_of(positions.f32()[vertex], transform_);
  return {p[0], p[1], p[2]};
}

Transform Transform::operator*(const Transform& inner) const {
  const FloatEnvironment environment;
  Transform product;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      product.rows[i][j] = rows[i][0] * inner.rows[0][j] + rows[i][1] * inner.rows[1][j] +
                           rows[i][2] * inner.rows[2][j] + (j == 3 ? rows[i][3] : 0);
  return product;
}

}  // namespace sightline
