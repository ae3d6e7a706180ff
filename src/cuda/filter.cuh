// The certified filter: may two triangles be in contact? No only where rounding cannot have changed a sign.
//
// Differences, products and sums of the corners as given, in their own type. Each of the six terms of an orientation
// passes at most 8 roundings (three differences, two products, a subtraction, two additions), fewer with fused
// operations, so |error| <= 9 u permanent; 10 u covers the rounding of the permanent. What underflows is below the
// least normal number times (1 + |d|), which is added.
#pragma once

#include "cuda/state.cuh"

namespace sightline::cuda {

template <typename T>
struct Rounding;
template <>
struct Rounding<float> {
  static constexpr float kRelative = 10 * 0x1p-24f, kTiny = 1e-36f;
};
template <>
struct Rounding<double> {
  static constexpr double kRelative = 10 * 0x1p-53, kTiny = 1e-300;
};

template <typename T>
struct Vector {
  T x, y, z;
};

/// Corners of a group in shared memory: component c (3 corner + axis) of entry e at [c * stride + e].
template <typename T, int Stride>
struct SharedCorners {
  const T* base;
  __device__ Vector<T> get(int entry, int corner) const {
    const T* p = base + corner * 3 * Stride + entry;
    return {p[0], p[Stride], p[2 * Stride]};
  }
};

template <typename T>
__device__ inline Vector<T> minus(const Vector<T>& a, const Vector<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

/// A triangle's plane with what it takes to certify a side of it.
template <typename T>
struct Plane {
  Vector<T> origin, normal, size;
  __device__ Plane(const Vector<T>& a, const Vector<T>& b, const Vector<T>& c) : origin(a) {
    const Vector<T> p = minus(b, a), q = minus(c, a);
    const T yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x, xz = p.x * q.z, xy = p.x * q.y, yx = p.y * q.x;
    normal = {yz - zy, zx - xz, xy - yx};
    size = {abs(yz) + abs(zy), abs(zx) + abs(xz), abs(xy) + abs(yx)};
  }
  /// 1 or -1 where certain, 0 where not.
  __device__ int side(const Vector<T>& v) const {
    const Vector<T> d = minus(v, origin);
    const T det = normal.x * d.x + normal.y * d.y + normal.z * d.z;
    const T ax = abs(d.x), ay = abs(d.y), az = abs(d.z);
    const T bound = Rounding<T>::kRelative * (size.x * ax + size.y * ay + size.z * az) + Rounding<T>::kTiny * (T(1) + ax + ay + az);
    return det > bound ? 1 : det < -bound ? -1 : 0;
  }
};

template <typename T>
__device__ inline bool same(const Vector<T>& a, const Vector<T>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// False only if the triangles are certainly not in contact. `one_object`: common corners do not count.
template <typename T, int Stride>
__device__ bool may_meet(const SharedCorners<T, Stride>& rows, int r, const SharedCorners<T, Stride>& columns, int k,
                         bool one_object) {
  Vector<T> a[3], b[3];
  for (int i = 0; i < 3; ++i) a[i] = rows.get(r, i), b[i] = columns.get(k, i);
  unsigned common_a = 0, common_b = 0;
  if (one_object)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (same(a[i], b[j])) common_a |= 1u << i, common_b |= 1u << j;
  const int shared = __popc(common_a);
  if (shared != __popc(common_b) || shared == 3) return true;  // degenerate, or the same corners

  const Plane<T> plane_a(a[0], a[1], a[2]);
  int side_b[3], side_a[3];
  for (int j = 0; j < 3; ++j) side_b[j] = (common_b >> j & 1) != 0 ? 0 : plane_a.side(b[j]);
  const int sum_b = side_b[0] + side_b[1] + side_b[2], free = 3 - shared;
  if (sum_b == free || sum_b == -free) return false;  // with two common corners: different planes
  if (shared == 2) return true;
  const Plane<T> plane_b(b[0], b[1], b[2]);
  for (int i = 0; i < 3; ++i) side_a[i] = (common_a >> i & 1) != 0 ? 0 : plane_b.side(a[i]);
  const int sum_a = side_a[0] + side_a[1] + side_a[2];
  if (sum_a == free || sum_a == -free) return false;

  // All free corners have a certain side, or the exact decision has to see it.
  const auto certain = [](const int* side, unsigned common) {
    return (side[0] != 0 || (common & 1) != 0) && (side[1] != 0 || (common & 2) != 0) && (side[2] != 0 || (common & 4) != 0);
  };
  if (!certain(side_b, common_b) || !certain(side_a, common_a)) return true;
  if (shared == 1) {  // exact/tri_tri.h, decide_at_corner
    const int s_a = __ffs(common_a) - 1, s_b = __ffs(common_b) - 1;
    const auto pick = [](const int* side, int i) { return i == 0 ? side[0] : i == 1 ? side[1] : side[2]; };
    const int a1 = pick(side_a, (s_a + 1) % 3), a2 = pick(side_a, (s_a + 2) % 3);
    const int b1 = pick(side_b, (s_b + 1) % 3), b2 = pick(side_b, (s_b + 2) % 3);
    return (a1 > a2 ? 1 : -1) == (b1 > b2 ? -1 : 1);  // sides differ on both, else it would have been clear above
  }
  // exact/tri_tri.h, decide_intervals: sides are all certain, so the apex is the corner alone on its side.
  const auto apex = [](const int* side) { return side[0] == side[1] ? 2 : side[0] == side[2] ? 1 : 0; };
  const auto pick = [](const int* side, int i) { return i == 0 ? side[0] : i == 1 ? side[1] : side[2]; };
  const int i = apex(side_a), j = apex(side_b);
  int q = (i + 1) % 3, s = (i + 2) % 3, q2 = (j + 1) % 3, s2 = (j + 2) % 3;
  if (pick(side_b, j) < 0) {
    const int t = q;
    q = s, s = t;
  }
  if (pick(side_a, i) < 0) {
    const int t = q2;
    q2 = s2, s2 = t;
  }
  const Vector<T> p = rows.get(r, i), p2 = columns.get(k, j);
  if (Plane<T>(p, rows.get(r, q), p2).side(columns.get(k, q2)) > 0) return false;
  return Plane<T>(p, rows.get(r, s), columns.get(k, s2)).side(p2) <= 0;
}

}  // namespace sightline::cuda
