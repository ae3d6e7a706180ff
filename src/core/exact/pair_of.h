// Host-side entry to the exact decision, from corners.
#pragma once

#include <array>
#include <optional>

#include "exact/tri_tri.h"
#include "sightline/mesh.h"

namespace sightline::exact {

inline TrianglePair pair_of(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) {
  TrianglePair pair;
  for (int i = 0; i < 3; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      pair.points.at[i][axis] = a[i][axis];
      pair.points.at[3 + i][axis] = b[i][axis];
    }
  return pair;
}

/// The contact of two triangles, or nothing. `one_object`: common corners do not count.
inline std::optional<Kind> decide(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool one_object) {
  const Verdict verdict = pair_of(a, b).decide(one_object);
  if (verdict == Verdict::clear) return std::nullopt;
  return static_cast<Kind>(verdict);
}

}  // namespace sightline::exact
