// The certified filter: can two triangles be in contact? The answer is no only where rounding cannot have changed a
// sign. The filter first tests planes in float (LocalTriangles): float32 corners are used without rounding, float64
// corners are rounded in the frame of their cell. Then it tests the remaining pairs with the corners as given, in their
// own type. The bounds are those of rules/bounds.h: 5 for the planes in float, 1 and 2 for the rest.
#pragma once

#include "cuda/state.cuh"
#include "rules/plane.h"

namespace sightline::cuda {

/// The filter's answers for a pair.
enum class Finding : int { clear, crossing, open };

/// Triangles of a group in shared memory.
template <typename T, int Count>
struct LocalTriangles {
  static constexpr bool kLocal = sizeof(T) > sizeof(float);  ///< in the frame of their cell
  float4 corner[3][Count];                                   ///< x, y, z, and the vertex' key as bits
  float4 plane[Count];                                       ///< normal, and the weight in the bound
  float2 reach[kLocal ? Count : 1];                          ///< kLocalEdges E, R

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
    plane[e] = make_float4(yz - zy, zx - xz, xy - yx, rules::LocalBound::weight(products));
    if (kLocal) reach[e] = make_float2(rules::kLocalEdges * extent, r);
  }
  __device__ std::uint32_t key(int i, int e) const { return __float_as_uint(corner[i][e].w); }

  /// True if the plane of p certainly has q, but for the corners they share, on one side: then they meet in common
  /// corners and edges at most. `common`: q's corners that p has, too, as bits; 0 without `one_object`. The bound takes
  /// the sum of the components of a difference where the largest would do: additions run beside the comparisons, the
  /// kernel's busiest pipe.
  __device__ bool parted(int p, int q, bool one_object, unsigned& common) const {
    const float4 n = plane[p], o = corner[0][p];
    rules::LocalBound bounds = rules::LocalBound::of(n.w);
    if (kLocal) bounds.widen(reach[p].x, fmaxf(reach[p].y, reach[q].y));
    const std::uint32_t k0 = __float_as_uint(o.w), k1 = key(1, p), k2 = key(2, p);
    bool above = true, below = true;
    common = 0;
    for (int j = 0; j < 3; ++j) {
      const float4 v = corner[j][q];
      const std::uint32_t k = __float_as_uint(v.w);
      const bool shared = one_object & ((k == k0) | (k == k1) | (k == k2));
      const float x = v.x - o.x, y = v.y - o.y, z = v.z - o.z;
      const float det = fmaf(n.x, x, fmaf(n.y, y, n.z * z));
      const float bound = bounds.at(fabsf(x) + fabsf(y) + fabsf(z));
      above = above & (shared | (det > bound));
      below = below & (shared | (det < -bound));
      common |= shared ? 1u << j : 0u;
    }
    return (above | below) & (common != 7);
  }
};

using rules::Plane;
using rules::Vector;

template <typename T>
__device__ inline Vector<T> corner(const Corners<T>& c, int i) {
  const auto pick = [&](int axis) { return i == 0 ? c.at[0][axis] : i == 1 ? c.at[1][axis] : c.at[2][axis]; };
  return {pick(0), pick(1), pick(2)};
}
__device__ inline int pick(const int* side, int i) { return i == 0 ? side[0] : i == 1 ? side[1] : side[2]; }

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
  const int first = Plane<T>::through(p, corner(a, q), p2).at(corner(b, q2)).sign();
  if (first > 0) return Finding::clear;
  const int second = Plane<T>::through(p, corner(a, s), corner(b, s2)).at(p2).sign();
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
  return rules::turn(dx, dy, px - ux, py - uy).sign() * rules::turn(dx, dy, qx - ux, qy - uy).sign() < 0;
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
    side_b[j] = (common_b >> j & 1) != 0 ? 0 : plane_a.at(corner(b, j)).sign();
    sum += side_b[j];
    certain_b += side_b[j] != 0 ? 1 : 0;
  }
  if (sum == free || sum == -free) return Finding::clear;
  if (shared == 2) return apart_at_edge(a, b, plane_a, common_a, common_b) ? Finding::clear : Finding::open;
  const Plane<T> plane_b = Plane<T>::through(corner(b, 0), corner(b, 1), corner(b, 2));
  sum = 0;
  for (int i = 0; i < 3; ++i) {
    side_a[i] = (common_a >> i & 1) != 0 ? 0 : plane_b.at(corner(a, i)).sign();
    sum += side_a[i];
    certain_a += side_a[i] != 0 ? 1 : 0;
  }
  if (sum == free || sum == -free) return Finding::clear;
  if (certain_a != free || certain_b != free) return Finding::open;
  return shared == 1 ? meet_at_corner(side_a, side_b, common_a, common_b) : meet_in_intervals(a, b, side_a, side_b);
}

}  // namespace sightline::cuda
