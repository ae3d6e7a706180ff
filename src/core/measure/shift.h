// Two parts in general position: part a is moved by (ε, ε², ε³), with ε > 0 smaller than every positive number.
//
// A sign that is zero for the parts as given is the sign of the first component of its derivative along the move that
// is not zero. For a corner and a plane the derivative is the plane's normal, for two edges it is the cross product of
// their directions. So a sign stays zero only for a triangle without area, or for parallel edges; an edge that crosses
// a plane is parallel to none of the edges in that plane, so no such sign is ever read.
//
// A translation was chosen because it is the same for all corners of a part: neighbours stay neighbours, a volume
// changes by an infinitesimal amount, and every piercing point has a limit (measure/points.h). A perturbation of each
// corner on its own would need signs of higher degree.
#pragma once

#include <array>

#include "exact/tri_tri.h"

namespace sightline::measure {

using Corners = std::array<Vec3d, 3>;

/// A triangle of part a, which moves, and one of part b. Both have area.
class ShiftedPair {
 public:
  ShiftedPair(const Corners& a, const Corners& b) : pair_(exact::pair_of(a, b)) {}

  exact::Points<6>& points() { return pair_.points; }

  /// The side of the plane of the other triangle on which corner i lies; 0 to 2 are of a, 3 to 5 of b.
  int side(int i) {
    const int of = i < 3 ? 3 : 0;
    const int sign = points().orient3d(of, of + 1, of + 2, i);
    return sign != 0 ? sign : (i < 3 ? 1 : -1) * normal_sign(of);
  }
  /// orient3d of the edge of a from corner i and of the edge of b from corner 3 + k.
  int turn(int i, int k) {
    const int j = (i + 1) % 3, p = 3 + k, q = 3 + (k + 1) % 3;
    if (const int sign = points().orient3d(i, j, p, q); sign != 0) return sign;
    switch (points().scale()) {
      case 1:
        return cross_sign<1>(i, j, p, q);
      case 2:
        return cross_sign<2>(i, j, p, q);
      default:
        return cross_sign<34>(i, j, p, q);
    }
  }
  /// True if the face of a moves outwards, along its normal.
  bool moves_outwards() { return normal_sign(0) > 0; }
  /// Of triangles in one plane: true if their normals are opposite.
  bool opposed() { return normal_sign(0) != normal_sign(3); }

 private:
  int normal_sign(int of) {
    for (int axis = 0; axis < 3; ++axis)
      if (const int sign = points().orient2d(axis, of, of + 1, of + 2); sign != 0) return sign;
    return 0;
  }
  template <int C>
  int cross_sign(int i, int j, int p, int q) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto value = points().value2d<C>(axis, i, j, q) - points().value2d<C>(axis, i, j, p);
      if (const int sign = value.sign(); sign != 0) return sign;
    }
    return 0;
  }

  exact::TrianglePair pair_;
};

/// By how much the triangle changes the winding number of `p`, moved by sign · (ε, ε², ε³): ±1 if the ray from there in
/// the positive direction of the axis leaves or enters through it, else 0.
inline int ray_crossing(const Corners& t, const Vec3d& p, int sign, int axis) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const auto turn = [&](const Vec3d& a, const Vec3d& b) {
    if (const int s = exact::orient2d(axis, a, b, p); s != 0) return s;
    const int along_u = sign * ((b[v] < a[v]) - (b[v] > a[v])), along_v = sign * ((b[u] > a[u]) - (b[u] < a[u]));
    const int first = u < v ? along_u : along_v;
    return first != 0 ? first : u < v ? along_v : along_u;
  };
  const int s = turn(t[0], t[1]);
  if (s == 0 || turn(t[1], t[2]) != s || turn(t[2], t[0]) != s) return 0;
  int above = exact::orient3d(t[0], t[1], t[2], p);
  for (int k = 0; k < 3 && above == 0; ++k) above = sign * exact::orient2d(k, t[0], t[1], t[2]);
  return above == -s ? s : 0;
}

}  // namespace sightline::measure
