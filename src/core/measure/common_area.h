// The area that two triangles of one plane have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/box.h"
#include "exact/intersection.h"
#include "measure/shift.h"

namespace sightline::measure {

/// Twice the area of the common polygon of two triangles of one plane, with lengths in units of 2^unit, and a bound of
/// its error. The points are relative to a corner of the triangle that is the smaller one, so they are off by at most
/// u = 2^-53 of its size L. A cross product of differences of two points is off by less than 64 u L², and there are at
/// most four.
struct TwiceArea {
  double value = 0, error = 0;
};
inline TwiceArea common_area(Corners a, Corners b, int unit) {
  const double size_a = box_of(a).longest(), size_b = box_of(b).longest();
  if (size_b < size_a || (size_b == size_a && b < a)) std::swap(a, b);
  const Intersection common = exact::intersection(a, b, true);
  Vec3d p[6];
  double size = 0;
  for (int i = 0; i < common.size; ++i)
    for (int k = 0; k < 3; ++k) {
      p[i][k] = std::ldexp(common.storage[i][k], -unit);
      size = std::max(size, std::abs(p[i][k]));
    }
  double sum[3] = {};
  for (int i = 1; i + 1 < common.size; ++i)
    for (int k = 0; k < 3; ++k) {
      const int u = (k + 1) % 3, v = (k + 2) % 3;
      sum[k] += (p[i][u] - p[0][u]) * (p[i + 1][v] - p[0][v]) - (p[i][v] - p[0][v]) * (p[i + 1][u] - p[0][u]);
    }
  return {std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), 0x1p-43 * size * size};
}

}  // namespace sightline::measure
