// Motions, transforms and a body with large faces, for tests of velocity culling.
#pragma once

#include <cmath>

#include "base/vector.h"
#include "support/corpus.h"
#include "support/random.h"

namespace testing_support {

inline Vec3d random_vector(Random& random, double size) {
  return {random.in(-size, size), random.in(-size, size), random.in(-size, size)};
}
inline Vec3d unit(const Vec3d& v) {
  using sightline::operator*;
  return (1 / std::sqrt(sightline::dot(v, v))) * v;
}
inline Vec3d random_direction(Random& random) {
  for (;;) {
    const Vec3d v = random_vector(random, 1);
    const double size = std::sqrt(sightline::dot(v, v));
    if (size > 0.1 && size < 1) return unit(v);
  }
}

/// A transform of one of four kinds: a rotation, with a scale, with a reflection, neither.
inline sightline::Transform random_transform(Random& random, int kind) {
  const Vec3d x = random_direction(random);
  const Vec3d y = unit(sightline::cross(x, random_direction(random)));
  const Vec3d z = sightline::cross(x, y), t = random_vector(random, 3);
  const double scale = kind == 0 ? 1 : random.in(0.2, 3), flip = kind == 2 ? -1 : 1, shear = kind == 3 ? 0.4 : 0;
  sightline::Transform transform;
  for (std::size_t i = 0; i < 3; ++i)
    transform.rows[i] = {scale * x[i], scale * (y[i] + shear * x[i]), scale * flip * z[i], t[i]};
  return transform;
}

/// A box whose sides are squares of `cells` x `cells` x 2 triangles.
inline Mesh grid_box(int cells, const Vec3d& low, const Vec3d& high) {
  Builder builder;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const bool top : {false, true})
      for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
          const auto at = [&](int a, int b) {
            Vec3d p;
            const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
            p[axis] = top ? high[axis] : low[axis];
            p[u] = low[u] + (high[u] - low[u]) * a / cells;
            p[v] = low[v] + (high[v] - low[v]) * b / cells;
            return p;
          };
          const Vec3d p = at(i, j), q = at(i + 1, j), r = at(i + 1, j + 1), s = at(i, j + 1);
          if (top) {
            builder.triangle(p, q, r);
            builder.triangle(p, r, s);
          } else {
            builder.triangle(p, r, q);
            builder.triangle(p, s, r);
          }
        }
  return builder.mesh();
}

}  // namespace testing_support
