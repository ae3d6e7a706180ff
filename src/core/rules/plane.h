// A plane through three points, its sides, and orientations in the plane, each with its error bound (bounds.h, 1 and
// 2). The same code runs in the exact stage, in the box filter and on the GPU.
#pragma once

#include <cmath>

#include "rules/bounds.h"

namespace sightline::rules {

template <typename T>
struct Vector {
  T x, y, z;
};
template <typename T>
SIGHTLINE_HD inline Vector<T> operator-(const Vector<T>& a, const Vector<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename T>
SIGHTLINE_HD inline Vector<T> vector_at(const T* p) {
  return {p[0], p[1], p[2]};
}

/// A computed value and a bound on its error.
template <typename T>
struct Estimate {
  T value, bound;
  /// 1 or -1 where certain, 0 where not.
  SIGHTLINE_HD int sign() const { return value > bound ? 1 : value < -bound ? -1 : 0; }
};

template <typename T>
struct Plane {
  Vector<T> origin, normal, size;  ///< size: the sums of absolute products in the normal

  SIGHTLINE_HD static Plane spanned(const Vector<T>& a, const Vector<T>& p, const Vector<T>& q) {
    const T yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x, xz = p.x * q.z, xy = p.x * q.y, yx = p.y * q.x;
    return {a,
            {yz - zy, zx - xz, xy - yx},
            {std::fabs(yz) + std::fabs(zy), std::fabs(zx) + std::fabs(xz), std::fabs(xy) + std::fabs(yx)}};
  }
  SIGHTLINE_HD static Plane through(const Vector<T>& a, const Vector<T>& b, const Vector<T>& c) {
    return spanned(a, b - a, c - a);
  }
  /// (b - a) x (c - a) . (v - a)
  SIGHTLINE_HD Estimate<T> at(const Vector<T>& v) const {
    const Vector<T> d = v - origin;
    const T ax = std::fabs(d.x), ay = std::fabs(d.y), az = std::fabs(d.z);
    return {normal.x * d.x + normal.y * d.y + normal.z * d.z,
            orientation_bound(size.x * ax + size.y * ay + size.z * az, ax + ay + az)};
  }
};

/// dx ey - dy ex
template <typename T>
SIGHTLINE_HD inline Estimate<T> turn(T dx, T dy, T ex, T ey) {
  const T s = dx * ey, t = dy * ex;
  return {s - t, turn_bound(std::fabs(s) + std::fabs(t))};
}

}  // namespace sightline::rules
