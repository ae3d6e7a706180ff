#include "scenes/papers/proximity.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenes/papers/placing.h"
#include "scenes/random.h"

namespace sightline::scenes {
namespace {

// In thicknesses. Two layers cross in a query when they are closer than twice this, so the query finds them before they
// meet.
constexpr double kJitter = 0.75;
constexpr int kOldest = 5;
constexpr double kSoftness = 0.4, kLayerFriction = 0.2, kObstacleFriction = 0.35;
constexpr std::uint32_t kLayerReach = 3;

Vec3d centroid(const Particles& cloth, const Triangle& t) {
  return times(1.0 / 3, add(cloth.position[t[0]], add(cloth.position[t[1]], cloth.position[t[2]])));
}
Vec3d normal(const Particles& cloth, const Triangle& t) {
  const Vec3d& p = cloth.position[t[0]];
  const Vec3d n = cross(minus(cloth.position[t[1]], p), minus(cloth.position[t[2]], p));
  return times(1 / std::sqrt(dot(n, n) + 1e-30), n);
}
double side(const Particles& cloth, const Triangle& of, const Triangle& relative_to) {
  const Vec3d d = minus(centroid(cloth, of), centroid(cloth, relative_to));
  return dot(d, normal(cloth, relative_to)) >= 0 ? 1 : -1;
}

}  // namespace

LayerKeeper::LayerKeeper(std::uint32_t rows, std::uint32_t columns, double thickness, const MeshView& obstacle)
    : rows_(rows), columns_(columns), thickness_(thickness), obstacle_(obstacle) {
  scene_.add({}, {.self = true});
  scene_.add(obstacle);
  pushes_.resize(std::size_t{rows} * columns, {0, {}});
}

bool LayerKeeper::one_layer(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t cells = columns_ - 1;
  const auto apart = [](std::uint32_t x, std::uint32_t y) { return x > y ? x - y : y - x; };
  return apart(a / 2 / cells, b / 2 / cells) < kLayerReach && apart(a / 2 % cells, b / 2 % cells) < kLayerReach;
}

void LayerKeeper::show(const Particles& cloth) {
  shown_.resize(cloth.size());
  for (std::uint32_t row = 0; row < rows_; ++row)
    for (std::uint32_t column = 0; column < columns_; ++column) {
      const std::uint32_t at = row * columns_ + column;
      const Vec3d u =
          minus(cloth.position[column + 1 < columns_ ? at + 1 : at], cloth.position[column > 0 ? at - 1 : at]);
      const Vec3d v =
          minus(cloth.position[row + 1 < rows_ ? at + columns_ : at], cloth.position[row > 0 ? at - columns_ : at]);
      const Vec3d n = cross(u, v);
      const double unit = static_cast<double>(mix(queries_ << 32 | at) >> 11) * 0x1p-52 - 1;  // in [-1, 1)
      shown_[at] = add(cloth.position[at], times(kJitter * thickness_ * unit / std::sqrt(dot(n, n) + 1e-30), n));
    }
}

void LayerKeeper::run_query(const Particles& cloth, const std::vector<Triangle>& triangles, unsigned threads) {
  ++queries_;
  show(cloth);
  scene_.replace(0, {shown_, triangles});
  scene_.collide(report_, {.threads = threads});
  renew_pairs(cloth, triangles);
  renew_touches();
}

void LayerKeeper::renew_pairs(const Particles& cloth, const std::vector<Triangle>& triangles) {
  std::vector<Pair> renewed;
  auto old = pairs_.begin();
  const auto keep_old_before = [&](std::uint32_t a, std::uint32_t b) {
    for (; old != pairs_.end() && std::tie(old->a, old->b) < std::tie(a, b); ++old)
      if (++old->age <= kOldest) renewed.push_back(*old);
  };
  for (const Contact& contact : report_.contacts) {
    if (contact.object_b != 0 || one_layer(contact.a, contact.b)) continue;
    keep_old_before(contact.a, contact.b);
    if (old != pairs_.end() && old->a == contact.a && old->b == contact.b) {
      renewed.push_back(*old++);
      renewed.back().age = 0;
      continue;
    }
    const Triangle &a = triangles[contact.a], &b = triangles[contact.b];
    renewed.push_back({contact.a, contact.b, side(cloth, a, b), side(cloth, b, a), 0});
  }
  keep_old_before(~0u, ~0u);
  pairs_ = std::move(renewed);
}

void LayerKeeper::renew_touches() {
  touches_.clear();
  for (const Contact& contact : report_.contacts) {
    if (contact.object_a != 0 || contact.object_b != 1) continue;
    const auto c = obstacle_.corners(contact.b);
    const Vec3d n = normalized(cross(minus(c[1], c[0]), minus(c[2], c[0])));
    touches_.push_back({contact.a, n, dot(n, c[0])});
  }
}

/// Each corner of a that lies over b and too close, or on the wrong side.
void LayerKeeper::push_pair(Particles& cloth, const Triangle& a, const Triangle& b, double side) const {
  const Vec3d n = times(side, normal(cloth, b));
  const Vec3d &p = cloth.position[b[0]], e1 = minus(cloth.position[b[1]], p), e2 = minus(cloth.position[b[2]], p);
  const double d11 = dot(e1, e1), d12 = dot(e1, e2), d22 = dot(e2, e2), det = d11 * d22 - d12 * d12;
  if (det <= 0) return;
  for (const std::uint32_t corner : a) {
    const Vec3d d = minus(cloth.position[corner], cloth.position[b[0]]);
    const double height = dot(d, n);
    if (height >= thickness_ || height < -2 * thickness_) continue;
    const double u = (d22 * dot(d, e1) - d12 * dot(d, e2)) / det, v = (d11 * dot(d, e2) - d12 * dot(d, e1)) / det;
    const double weights[] = {1 - u - v, u, v};
    if (std::min({weights[0], u, v}) < -0.2) continue;
    const double share = kSoftness * (thickness_ - height) /
                         (1 + weights[0] * weights[0] + weights[1] * weights[1] + weights[2] * weights[2]);
    cloth.shift(corner, times(share, n));
    cloth.rub(corner, n, kLayerFriction);
    for (std::size_t i = 0; i < 3; ++i) cloth.shift(b[i], times(-share * weights[i], n));
  }
}

void LayerKeeper::push_out(Particles& cloth, const std::vector<Triangle>& triangles) {
  touched_.clear();
  for (const Touch& touch : touches_)
    for (const std::uint32_t corner : triangles[touch.triangle]) {
      const double depth = thickness_ / 2 + touch.height - dot(touch.normal, cloth.position[corner]);
      if (depth <= 0 || depth > 8 * thickness_) continue;
      Push& push = pushes_[corner];
      if (push.depth == 0) touched_.push_back(corner);
      if (push.depth == 0 || depth < push.depth) push = {depth, touch.normal};
    }
  for (const std::uint32_t corner : touched_) {
    Push& push = pushes_[corner];
    cloth.shift(corner, times(push.depth, push.normal));
    cloth.rub(corner, push.normal, kObstacleFriction);
    push.depth = 0;
  }
}

void LayerKeeper::push(Particles& cloth, const std::vector<Triangle>& triangles) {
  for (const Pair& pair : pairs_) {
    push_pair(cloth, triangles[pair.a], triangles[pair.b], pair.side_a);
    push_pair(cloth, triangles[pair.b], triangles[pair.a], pair.side_b);
  }
  push_out(cloth, triangles);
}

}  // namespace sightline::scenes
