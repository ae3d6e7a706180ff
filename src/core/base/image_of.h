// The image of a stored point under a transform: in double, then rounded to the type of the storage. For code that runs
// within a FloatEnvironment. The image in double is constexpr so that device code may call it (nvcc's
// --expt-relaxed-constexpr).
#pragma once

#include "sightline/mesh.h"

namespace sightline {

constexpr Vec3d image_of(const Vec3d& p, const Transform& transform) {
  Vec3d image = {0, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::array<double, 4>& row = transform.rows[i];
    image[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
  }
  return image;
}

/// The nearest float. g++ 12 with -O2 drops a pair of conversions, double to float to double, if it vectorises them
/// (seen in 12.2; tests/query/instances_test.cpp). The empty assembly hides the second conversion from the first.
inline float nearest_float(double x) {
  float y = static_cast<float>(x);
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+x"(y));
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
  asm("" : "+w"(y));
#endif
  return y;
}
inline Vec3f image_of(const Vec3f& p, const Transform& transform) {
  const Vec3d q = image_of(Vec3d{p[0], p[1], p[2]}, transform);
  return {nearest_float(q[0]), nearest_float(q[1]), nearest_float(q[2])};
}

}  // namespace sightline
