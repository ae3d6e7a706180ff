// Bounds of small sets of triangles that are better than boxes. Between curved or oblique surfaces, boxes are nearer to
// each other than what is in them, by about their size: of two concentric spheres, each triangle would be compared with
// hundreds. A lens has a normal n, a half thickness e and a radius r around the centre c of a box, so that |n . (x -
// c)|
// <= e and |x - c| <= r for all points x in it. For any d, d . (x - c) = (d . n) n . (x - c) + d' . (x - c) with d' = d
// - (d . n) n, and so at most |d . n| e + |d'| r. Between two lenses, this is off by about the square of their size.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/box_tree.h"
#include "base/vector.h"
#include "solid/distance.h"

namespace sightline::solid {

// Other files of this namespace have operators of their own, which would hide these.
using sightline::cross, sightline::dot, sightline::operator+, sightline::operator-, sightline::operator*;

/// Lengths are scaled so that all of both parts is below 2^25.
struct Lens {
  Vec3d normal{};  ///< of length 1 or 0
  double half = -1, radius = 0;
};

/// A lower bound of the distance of what is in two lenses, whose centres are `between` apart; or less than 0. The slab
/// between them is taken across the direction from one centre to the other, and along both normals. With lengths below
/// 2^26, each of some twenty roundings is off by at most u times the distance of the centres and the radii, and
/// underflow by 2^-500: 2^-44 and 2^-490 are more than all of it.
inline double slab(const Lens& a, const Lens& b, const Vec3d& between) {
  const double distance = std::sqrt(dot(between, between));
  if (!(distance > 0x1p-400 && distance < 0x1p400)) return -1;
  double width = -1;
  const auto reach = [](const Lens& lens, const Vec3d& d) {
    const double along = dot(d, lens.normal);
    const Vec3d across = d - along * lens.normal;
    return std::abs(along) * lens.half + std::sqrt(dot(across, across)) * lens.radius;
  };
  for (const Vec3d& d :
       {Vec3d{between[0] / distance, between[1] / distance, between[2] / distance}, a.normal, b.normal})
    width = std::max(width, std::abs(dot(d, between)) - reach(a, d) - reach(b, d));
  return width - 0x1p-44 * (distance + a.radius + b.radius) - 0x1p-490;
}

/// From the centre of one box to that of another.
inline Vec3d scaled_between(const Box& a, const Box& b, double scale) { return scale * (b.centre() - a.centre()); }

/// A lower bound of the distance of a triangle from others: the width of the slab between its plane and all of them.
/// Nothing is lost where surfaces are convex towards each other, whatever lies beside the triangle. 0 if it is
/// degenerate.
inline double slab_at_plane(const Corners& t, std::span<const Corners> others, double scale) {
  const Vec3d n = cross(scale * t[1] - scale * t[0], scale * t[2] - scale * t[0]);
  const double length = std::sqrt(dot(n, n));
  if (!(length > 0x1p-400 && length < 0x1p400)) return 0;
  const double side = dot(n, others[0][0] - t[0]) < 0 ? -1 : 1;
  return slab({&t, 1}, others, {side * n[0] / length, side * n[1] / length, side * n[2] / length});
}

/// The lenses of small nodes, made when they are needed. Lengths are scaled.
class Lenses {
 public:
  static constexpr std::uint32_t kMost = 1 << 12;  ///< triangles of a node

  Lenses(const MeshView& mesh, const BoxTree& tree, double scale) : mesh_(mesh), tree_(tree), scale_(scale) {}
  /// Null for a large node.
  const Lens* of(std::uint32_t at, Poll& poll) {
    const BoxTree::Node& node = tree_.nodes()[at];
    if (node.end - node.begin > kMost) return nullptr;
    if (lenses_.empty()) lenses_.resize(tree_.nodes().size());
    if (lenses_[at].half < 0) make(node, lenses_[at], poll);
    return &lenses_[at];
  }

 private:
  template <typename Visit>
  void each(const BoxTree::Node& node, const Visit& visit) const {
    const Vec3d centre = node.box.centre();
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const Corners t = mesh_.corners(tree_.items()[i]);
      Corners from_centre;
      for (int corner = 0; corner < 3; ++corner)
        for (int k = 0; k < 3; ++k) from_centre[corner][k] = (t[corner][k] - centre[k]) * scale_;
      visit(from_centre);
    }
  }
  void make(const BoxTree::Node& node, Lens& lens, Poll& poll) const {
    poll(static_cast<int>(node.end - node.begin));
    Vec3d sum{};
    each(node, [&](const Corners& t) { sum = sum + cross(t[1] - t[0], t[2] - t[0]); });
    const double length = std::sqrt(dot(sum, sum));
    if (length > 0x1p-400 && length < 0x1p400)
      for (int k = 0; k < 3; ++k) lens.normal[k] = sum[k] / length;
    double half = 0, squared = 0;
    each(node, [&](const Corners& t) {
      for (const Vec3d& v : t) {
        half = std::max(half, std::abs(dot(lens.normal, v)));
        squared = std::max(squared, dot(v, v));
      }
    });
    lens.radius = std::sqrt(squared);
    lens.half = half;
  }

  const MeshView& mesh_;
  const BoxTree& tree_;
  const double scale_;
  std::vector<Lens> lenses_;
};

}  // namespace sightline::solid
