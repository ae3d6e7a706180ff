// The certified filter: may two triangles be in contact? No only where rounding cannot have changed a sign.
//
// First by planes in float (LocalTriangles), u = 2^-24. float32 corners are taken as they are: with S the sum of the
// absolute products in the normal and D the largest component of corner minus origin, the bound below gives 10 u S D.
// float64 corners are first rounded in the frame of their cell, to u R: with E the largest edge component of the
// plane's triangle that adds at most 18 u E R D by the normal (E <= 2 R) and 12 u E^2 R by the corner and the origin,
// and 60 u E R (D + E) is added to the bound.
//
// Then, for what that leaves, from the corners as given in their own type (u = 2^-24 or 2^-53). Each of the six terms
// of an orientation passes at most 8 roundings (three differences, two products, a subtraction, two additions), fewer
// with fused operations, so |error| <= 9 u permanent; 10 u covers the rounding of the permanent. What underflows is
// below the least normal number times (1 + |d|), which is added.
#pragma once

#include "cuda/state.cuh"

namespace sightline::cuda {

/// What the filter can say of a pair.
enum class Finding : int { clear, crossing, open };

/// Triangles of a group in shared memory.
template <typename T, int Count>
struct LocalTriangles {
  static constexpr bool kLocal = sizeof(T) > sizeof(float);  ///< in the frame of their cell
  static constexpr float kRelative = 10 * 0x1p-24f, kTiny = 1e-36f;
  float4 corner[3][Count];           ///< x, y, z, and the vertex' key as bits
  float4 plane[Count];               ///< normal, and what is multiplied by 10 u D in the bound
  float2 reach[kLocal ? Count : 1];  ///< 6 E, R

  __device__ void set(int e, const Corners<T>& c, const T* origin, const std::uint32_t* keys) {
    float p[3][3], r = 0;
    for (int i = 0; i < 3; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        p[i][axis] = static_cast<float>(kLocal ? c.at[i][axis] - origin[axis] : c.at[i][axis]);
        r = fmaxf(r, fabsf(p[i][axis]));
      }
      corner[i][e] = make_float4(p[i][0], p[i][1], p[i][2], __uint_as_float(keys[i]));
    }
    float a[3], b[3], extent = 0;
    for (int axis = 0; axis < 3; ++axis) {
      a[axis] = p[1][axis] - p[0][axis];
      b[axis] = p[2][axis] - p[0][axis];
      extent = fmaxf(extent, fmaxf(fabsf(a[axis]), fabsf(b[axis])));
    }
    const float yz = a[1] * b[2], zy = a[2] * b[1], zx = a[2] * b[0], xz = a[0] * b[2], xy = a[0] * b[1],
                yx = a[1] * b[0];
    const float products = fabsf(yz) + fabsf(zy) + fabsf(zx) + fabsf(xz) + fabsf(xy) + fabsf(yx);
    plane[e] = make_float4(yz - zy, zx - xz, xy - yx, products + kTiny / kRelative);
    if (kLocal) reach[e] = make_float2(6 * extent, r);
  }
  __device__ std::uint32_t key(int i, int e) const { return __float_as_uint(corner[i][e].w); }

  /// True if the plane of p certainly has q, but for the corners they share, on one side: then they meet in common
  /// corners and edges at most. `common`: q's corners that p has, too, as bits; only asked for with `one_object`.
  /// D is taken as the sum of the components, which is no less: additions run beside the comparisons, the kernel's
  /// busiest pipe. S D is formed before it is made small: where a product in the determinant overflows, it does, and
  /// nothing is certain.
  __device__ bool parted(int p, int q, bool one_object, unsigned& common) const {
    const float4 n = plane[p], o = corner[0][p];
    float slope = n.w, base = kTiny;
    if (kLocal) {
      const float2 own = reach[p];
      const float far = fmaxf(own.y, reach[q].y);
      slope += own.x * far;
      base += kRelative * own.x * far * (own.x * (1.0f / 6));
    }
    const std::uint32_t k0 = __float_as_uint(o.w), k1 = key(1, p), k2 = key(2, p);
    bool above = true, below = true;
    common = 0;
    for (int j = 0; j < 3; ++j) {
      const float4 v = corner[j][q];
      const std::uint32_t k = __float_as_uint(v.w);
      const bool shared = one_object & ((k == k0) | (k == k1) | (k == k2));
      const float x = v.x - o.x, y = v.y - o.y, z = v.z - o.z;
      const float det = fmaf(n.x, x, fmaf(n.y, y, n.z * z));
      const float bound = fmaf(kRelative, slope * (fabsf(x) + fabsf(y) + fabsf(z)), base);
      above = above & (shared | (det > bound));
      below = below & (shared | (det < -bound));
      common |= shared ? 1u << j : 0u;
    }
    return (above | below) & (common != 7);
  }
};

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
template <typename T>
__device__ inline Vector<T> minus(const Vector<T>& a, const Vector<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <typename T>
__device__ inline Vector<T> corner(const Corners<T>& c, int i) {
  const auto pick = [&](int axis) { return i == 0 ? c.at[0][axis] : i == 1 ? c.at[1][axis] : c.at[2][axis]; };
  return {pick(0), pick(1), pick(2)};
}
__device__ inline int pick(const int* side, int i) { return i == 0 ? side[0] : i == 1 ? side[1] : side[2]; }

/// A plane through three points with what it takes to certify a side of it.
template <typename T>
struct Plane {
  Vector<T> origin, normal, size;
  __device__ static Plane through(const Vector<T>& a, const Vector<T>& b, const Vector<T>& c) {
    const Vector<T> p = minus(b, a), q = minus(c, a);
    const T yz = p.y * q.z, zy = p.z * q.y, zx = p.z * q.x, xz = p.x * q.z, xy = p.x * q.y, yx = p.y * q.x;
    return {a, {yz - zy, zx - xz, xy - yx}, {abs(yz) + abs(zy), abs(zx) + abs(xz), abs(xy) + abs(yx)}};
  }
  /// 1 or -1 where certain, 0 where not.
  __device__ int side(const Vector<T>& v) const {
    const Vector<T> d = minus(v, origin);
    const T det = normal.x * d.x + normal.y * d.y + normal.z * d.z;
    const T ax = abs(d.x), ay = abs(d.y), az = abs(d.z);
    const T bound =
        Rounding<T>::kRelative * (size.x * ax + size.y * ay + size.z * az) + Rounding<T>::kTiny * (T(1) + ax + ay + az);
    return det > bound ? 1 : det < -bound ? -1 : 0;
  }
};

/// exact/tri_tri.h, decide_at_corner, for certain sides that differ on both triangles.
__device__ inline Finding meet_at_corner(const int* side_a, const int* side_b, unsigned common_a, unsigned common_b) {
  const int s_a = __ffs(static_cast<int>(common_a)) - 1, s_b = __ffs(static_cast<int>(common_b)) - 1;
  const int a1 = pick(side_a, (s_a + 1) % 3), a2 = pick(side_a, (s_a + 2) % 3);
  const int b1 = pick(side_b, (s_b + 1) % 3), b2 = pick(side_b, (s_b + 2) % 3);
  return (a1 > a2) == (b1 < b2) ? Finding::crossing : Finding::clear;
}

/// exact/tri_tri.h, decide_intervals, for certain sides that differ on both triangles.
template <typename T>
__device__ inline Finding meet_in_intervals(const Corners<T>& a, const Corners<T>& b, const int* side_a,
                                            const int* side_b) {
  const auto apex = [](const int* side) { return side[0] == side[1] ? 2 : side[0] == side[2] ? 1 : 0; };
  const int i = apex(side_a), j = apex(side_b);
  const bool flip_a = pick(side_b, j) < 0, flip_b = pick(side_a, i) < 0;
  const int q = (i + (flip_a ? 2 : 1)) % 3, s = (i + (flip_a ? 1 : 2)) % 3;
  const int q2 = (j + (flip_b ? 2 : 1)) % 3, s2 = (j + (flip_b ? 1 : 2)) % 3;
  const Vector<T> p = corner(a, i), p2 = corner(b, j);
  const int first = Plane<T>::through(p, corner(a, q), p2).side(corner(b, q2));
  if (first > 0) return Finding::clear;
  const int second = Plane<T>::through(p, corner(a, s), corner(b, s2)).side(p2);
  if (second > 0) return Finding::clear;
  return first < 0 && second < 0 ? Finding::crossing : Finding::open;
}

/// Two triangles with a common edge, seen along the axis that shows most of one: clear if the third corners are
/// certainly on different sides of the edge, whatever the planes.
template <typename T>
__device__ inline bool apart_at_edge(const Corners<T>& a, const Corners<T>& b, const Plane<T>& plane, unsigned common_a,
                                     unsigned common_b) {
  const T nx = abs(plane.normal.x), ny = abs(plane.normal.y), nz = abs(plane.normal.z);
  const int axis = nx >= ny && nx >= nz ? 0 : ny >= nz ? 1 : 2;
  const auto seen = [axis](const Vector<T>& v, T& x, T& y) {
    x = axis == 0 ? v.y : axis == 1 ? v.z : v.x;
    y = axis == 0 ? v.z : axis == 1 ? v.x : v.y;
  };
  const int p = common_a == 3 ? 2 : common_a == 5 ? 1 : 0, q = common_b == 3 ? 2 : common_b == 5 ? 1 : 0;
  T ux, uy, vx, vy, px, py, qx, qy;
  seen(corner(a, (p + 1) % 3), ux, uy);
  seen(corner(a, (p + 2) % 3), vx, vy);
  seen(corner(a, p), px, py);
  seen(corner(b, q), qx, qy);
  const T dx = vx - ux, dy = vy - uy;
  const auto turn = [&](T x, T y) {  // at most four roundings a term
    const T s = dx * (y - uy), t = dy * (x - ux);
    const T bound = Rounding<T>::kRelative * (abs(s) + abs(t)) + Rounding<T>::kTiny * (T(1) + abs(dx) + abs(dy));
    return s - t > bound ? 1 : s - t < -bound ? -1 : 0;
  };
  return turn(px, py) * turn(qx, qy) < 0;
}

/// The whole certified decision from the corners as given. `one_object`: common corners do not count.
template <typename T>
__device__ inline Finding decide(const Corners<T>& a, const Corners<T>& b, bool one_object) {
  unsigned common_a = 0, common_b = 0;
  if (one_object)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const bool same = (a.at[i][0] == b.at[j][0]) & (a.at[i][1] == b.at[j][1]) & (a.at[i][2] == b.at[j][2]);
        common_a |= same ? 1u << i : 0u;
        common_b |= same ? 1u << j : 0u;
      }
  const int shared = __popc(common_a), free = 3 - shared;
  if (shared != __popc(common_b) || shared == 3) return Finding::open;  // degenerate, or the same corners
  int side_a[3], side_b[3], certain_a = 0, certain_b = 0, sum = 0;
  const Plane<T> plane_a = Plane<T>::through(corner(a, 0), corner(a, 1), corner(a, 2));
  for (int j = 0; j < 3; ++j) {
    side_b[j] = (common_b >> j & 1) != 0 ? 0 : plane_a.side(corner(b, j));
    sum += side_b[j];
    certain_b += side_b[j] != 0 ? 1 : 0;
  }
  if (sum == free || sum == -free) return Finding::clear;
  if (shared == 2) return apart_at_edge(a, b, plane_a, common_a, common_b) ? Finding::clear : Finding::open;
  const Plane<T> plane_b = Plane<T>::through(corner(b, 0), corner(b, 1), corner(b, 2));
  sum = 0;
  for (int i = 0; i < 3; ++i) {
    side_a[i] = (common_a >> i & 1) != 0 ? 0 : plane_b.side(corner(a, i));
    sum += side_a[i];
    certain_a += side_a[i] != 0 ? 1 : 0;
  }
  if (sum == free || sum == -free) return Finding::clear;
  if (certain_a != free || certain_b != free) return Finding::open;
  return shared == 1 ? meet_at_corner(side_a, side_b, common_a, common_b) : meet_in_intervals(a, b, side_a, side_b);
}

}  // namespace sightline::cuda
