// Distances in double, with bounds.
//
// Nearest points of two disjoint triangles lie on two edges, or on a corner of one and anywhere on the other. (Let p
// and q be nearest points, each within the smallest feature that holds it. Both can be shifted by the same vector as
// long as they stay in these features. If both features are faces, or one a face and one an edge, or both parallel
// edges, there is such a shift, and it ends where one of the points reaches a smaller feature.)
#include "solid/distance.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "base/vector.h"
#include "exact/points.h"

namespace sightline::solid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Both triangles moved so that a[0] is the origin and scaled by a power of two so that the largest coordinate,
/// `reach`, is in [2^-75, 2^25): nothing below overflows, and underflow is far below the error bound. (It is in [1, 2)
/// but for magnitudes beyond 2^±1000.)
struct Local {
  Corners a, b;
  double reach = 0;

  Local(const Corners& world_a, const Corners& world_b) {
    if (fill(world_a, world_b, 1)) return;
    doubled_ = true;  // a difference overflowed: take half of everything
    fill(world_a, world_b, 0.5);
  }
  double to_world(double d) const { return d * unit_ * (doubled_ ? 2 : 1); }

 private:
  bool fill(const Corners& world_a, const Corners& world_b, double factor) {
    reach = 0;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        a[i][k] = world_a[i][k] * factor - world_a[0][k] * factor;
        b[i][k] = world_b[i][k] * factor - world_a[0][k] * factor;
        reach = std::max({reach, std::abs(a[i][k]), std::abs(b[i][k])});
      }
    if (!std::isfinite(reach)) return false;
    const int exponent = std::clamp(exact::exponent_of(reach), -1000, 1000);
    unit_ = exact::power_of_two(exponent);
    const double scale = exact::power_of_two(-exponent);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) a[i][k] *= scale, b[i][k] *= scale;
    reach *= scale;
    return true;
  }

  double unit_ = 1;
  bool doubled_ = false;
};

/// A point of each triangle.
struct Offer {
  double squared = kInfinity;
  Vec3d apart{};  // from the point of a to the point of b
  Feature feature;
};
Offer offer(const Vec3d& of_a, const Vec3d& of_b, const Feature& feature) {
  const Vec3d d = of_b - of_a;
  return {dot(d, d), d, feature};
}

Feature::Size part_of_edge(double t) { return t > 0 && t < 1 ? Feature::edge : Feature::corner; }

/// Minimises |p + s u - q - t v| over the square, for edge i of a and edge j of b. Parallel edges take s = 0 and let
/// the two clamps settle it.
Offer edge_edge(const Corners& a, int i, const Corners& b, int j) {
  const int next_i = (i + 1) % 3, next_j = (j + 1) % 3;
  const Vec3d &p = a[i], &q = b[j], u = a[next_i] - p, v = b[next_j] - q, w = p - q;
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
  const double det = uu * vv - uv * uv;
  double s = det > 0 ? std::clamp((uv * vw - vv * uw) / det, 0.0, 1.0) : 0;
  const double t = vv > 0 ? std::clamp((uv * s + vw) / vv, 0.0, 1.0) : 0;
  s = uu > 0 ? std::clamp((uv * t - uw) / uu, 0.0, 1.0) : 0;
  const Feature feature{part_of_edge(s), part_of_edge(t), static_cast<std::int8_t>(s >= 1 ? next_i : i),
                        static_cast<std::int8_t>(t >= 1 ? next_j : j)};
  return offer(p + s * u, q + t * v, feature);
}

/// The foot of p on the triangle, if it is inside; else the edges have the nearest point.
bool foot(const Vec3d& p, const Corners& t, Vec3d& on) {
  const Vec3d e = t[1] - t[0], f = t[2] - t[0], w = p - t[0];
  const Vec3d n = cross(e, f);
  const double nn = dot(n, n);
  if (!(nn > 0)) return false;
  const double s = dot(cross(w, f), n) / nn, r = dot(cross(e, w), n) / nn;
  if (!(s >= 0 && r >= 0 && s + r <= 1)) return false;
  on = t[0] + s * e + r * f;
  return true;
}

/// True if, up to rounding, an offer from edge i of a and edge j of b is the nearest: the opposite corners do
/// not lie between.
bool is_nearest(const Offer& offer, const Corners& a, int i, const Corners& b, int j) {
  const double beside_a = dot(offer.apart, a[(i + 2) % 3] - a[offer.feature.a]);
  const double beside_b = dot(offer.apart, b[(j + 2) % 3] - b[offer.feature.b]);
  return beside_a <= 0 && beside_b >= 0;
}

/// Calls visit(offer, is_nearest) for one offer from each pair of edges, until a call returns true, and from each foot.
template <typename Visit>
void each_offer(const Corners& a, const Corners& b, const Visit& visit) {
  Vec3d on;
  for (std::int8_t i = 0; i < 3; ++i)
    for (std::int8_t j = 0; j < 3; ++j) {
      const Offer found = edge_edge(a, i, b, j);
      if (visit(found, [&] { return is_nearest(found, a, i, b, j); })) return;
    }
  for (std::int8_t i = 0; i < 3; ++i) {
    if (foot(a[i], b, on)) visit(offer(a[i], on, {Feature::corner, Feature::face, i, 0}), [] { return false; });
    if (foot(b[i], a, on)) visit(offer(on, b[i], {Feature::face, Feature::corner, 0, i}), [] { return false; });
  }
}

/// The direction across two edges, or across a face: where the distance is tiny it is known better than the difference
/// of two points. Zero for other features.
Vec3d across(const Offer& offer, const Corners& a, const Corners& b) {
  const Feature& f = offer.feature;
  Vec3d n{};
  if (f.a_size == Feature::edge && f.b_size == Feature::edge)
    n = cross(a[(f.a + 1) % 3] - a[f.a], b[(f.b + 1) % 3] - b[f.b]);
  else if (f.a_size == Feature::face || f.b_size == Feature::face) {
    const Corners& t = f.a_size == Feature::face ? a : b;
    n = cross(t[1] - t[0], t[2] - t[0]);
  }
  return dot(n, offer.apart) < 0 ? -1.0 * n : n;
}

}  // namespace

// The upper bound, in the local frame, in units in which reach is in [1, 2), with u = 2^-53: a local corner is within
// 2u a coordinate of the true one. An offered point is a combination of corners with weights in [0, 1] (up to 2u), each
// coordinate rounded at most six times on values below 6: it is within 60 u of a point of the true triangle, so the
// true distance is at most sqrt(squared) + 200 u. Squares that underflow (reach is at least 2^-75) add 2^-536 to the
// root. 2^-44 = 512 u covers all of it. Back in the world, only a denormal is rounded.
// Nothing here depends on how well the nearest points were found.
Estimate estimate(const Corners& a, const Corners& b) {
  const Local local(a, b);
  Offer best;
  each_offer(local.a, local.b, [&](const Offer& offer, const auto& is_nearest) {
    if (!(offer.squared < best.squared)) return false;
    best = offer;
    return is_nearest();
  });
  Estimate result;
  result.feature = best.feature;
  result.upper = local.to_world(std::sqrt(best.squared) + 0x1p-44 * local.reach);
  if (result.upper < DBL_MIN) result.upper += DBL_TRUE_MIN;
  for (const Vec3d& direction : {best.apart, across(best, local.a, local.b)}) {
    const double squared = dot(direction, direction);
    if (!(squared > 0x1p-900)) continue;  // the root is not known well
    const double length = std::sqrt(squared);
    const Vec3d unit{direction[0] / length, direction[1] / length, direction[2] / length};
    const double lower = slab({&a, 1}, {&b, 1}, unit);
    if (lower >= result.lower) result.lower = lower, result.direction = unit;
  }
  return result;
}

std::vector<Feature> ranked_features(const Corners& a, const Corners& b) {
  const Local local(a, b);
  std::vector<Offer> offers;
  each_offer(local.a, local.b, [&](const Offer& offer, const auto&) {
    offers.push_back(offer);
    return false;
  });
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& x, const Offer& y) { return x.squared < y.squared; });
  std::vector<Feature> features;
  for (const Offer& offer : offers) features.push_back(offer.feature);
  return features;
}

// Let n be the direction, | |n| - 1 | ≤ 8u. A difference to the origin is rounded once; products and sums add three
// roundings: a dot product is within 4.01u |n| √3 reach < 7u reach of the true one, and within 3 · 2^-1075 more for
// underflow. The distance is at least S / |n| for the true difference S of two of them: the computed one less 14u reach
// and 10u S (its own rounding, the length of n, the last rounding). 16u of both is taken off. Where something may have
// overflowed, the bound is 0.
double slab(std::span<const Corners> a, std::span<const Corners> b, const Vec3d& n) {
  const Vec3d& origin = a[0][0];
  double last = 0, first = kInfinity, reach = 0;
  const auto each = [&](std::span<const Corners> triangles, const auto& take) {
    for (const Corners& t : triangles)
      for (const Vec3d& corner : t) {
        const Vec3d p = corner - origin;
        take(dot(n, p));
        for (int k = 0; k < 3; ++k) reach = std::max(reach, std::abs(p[k]));
      }
  };
  each(a, [&](double at) { last = std::max(last, at); });
  each(b, [&](double at) { first = std::min(first, at); });
  const double width = first - last;
  return reach < 0x1p1020 ? std::max(0.0, width - 0x1p-49 * (reach + width) - 0x1p-1060) : 0;
}

}  // namespace sightline::solid
