// Affine maps in double.
#pragma once

#include <cmath>

#include "sightline/mesh.h"

namespace sightline::read {

/// p ↦ sum of columns[i] * p[i] + columns[3].
struct Affine {
  std::array<Vec3d, 4> columns = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{0, 0, 0}};

  Vec3d linear(const Vec3d& p) const {
    Vec3d out;
    for (int row = 0; row < 3; ++row) out[row] = columns[0][row] * p[0] + columns[1][row] * p[1] + columns[2][row] * p[2];
    return out;
  }
  Vec3d operator()(const Vec3d& p) const {
    const Vec3d q = linear(p);
    return {q[0] + columns[3][0], q[1] + columns[3][1], q[2] + columns[3][2]};
  }
  /// First `inner`, then this.
  Affine operator*(const Affine& inner) const {
    return {{linear(inner.columns[0]), linear(inner.columns[1]), linear(inner.columns[2]), (*this)(inner.columns[3])}};
  }
  bool is_identity() const { return columns == Affine{}.columns; }
};

inline bool is_finite(const Vec3d& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

}  // namespace sightline::read
