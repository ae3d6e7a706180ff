#include "method/collisions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/vector.h"
#include "method/roi.h"

namespace sightline::papers::method {
namespace {

using raster::ColorAt;

/// The triangle of the pixel that holds an edge.
std::uint32_t triangle_at(const std::vector<ColorAt>& edges, std::uint32_t x, std::uint32_t y) {
  const auto at = std::lower_bound(edges.begin(), edges.end(), std::pair(y, x),
                                   [](const ColorAt& e, const auto& key) { return std::pair(e.y, e.x) < key; });
  return id_of(at->color[0], at->color[1]) - 1;
}

/// Scaled, so that nothing overflows.
Vec3d nearest_of_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  Vec3d along, to, point;
  double size = 0;
  for (int k = 0; k < 3; ++k) size = std::max(size, std::abs(b[k] - a[k]));
  if (!(size > 0)) return a;
  for (int k = 0; k < 3; ++k) along[k] = (b[k] - a[k]) / size, to[k] = (p[k] - a[k]) / size;
  const double u = dot(along, to) / dot(along, along);
  const double within = u > 0 ? std::min(u, 1.0) : 0;
  for (int k = 0; k < 3; ++k) point[k] = a[k] + (b[k] - a[k]) * within;
  return point;
}

double distance(const Vec3d& a, const Vec3d& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// The point of the triangle's edge (or of the nearest one) that is nearest to p.
Vec3d point_on_edge(const std::array<Vec3d, 3>& corners, std::uint32_t edge, const Vec3d& p) {
  Vec3d best = corners[0];
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (edge < 3 && i != edge) continue;
    const Vec3d point = nearest_of_segment(p, corners[i], corners[(i + 1) % 3]);
    if (distance(point, p) < least) best = point, least = distance(point, p);
  }
  return best;
}

}  // namespace

/// The highest colour of each block of 2^levels squared pixels: the highest of four, stage by stage.
std::vector<ColorAt> Collisions::mip_mapped(std::vector<ColorAt> pixels) const {
  const unsigned levels = context_.options.mip_levels;
  if (levels == 0) return pixels;
  const auto block = [levels](const ColorAt& p) { return std::pair(p.y >> levels, p.x >> levels); };
  std::sort(pixels.begin(), pixels.end(), [&](const ColorAt& p, const ColorAt& q) {
    return std::tuple(block(p), q.color) < std::tuple(block(q), p.color);
  });
  pixels.erase(std::unique(pixels.begin(), pixels.end(),
                           [&](const ColorAt& p, const ColorAt& q) { return block(p) == block(q); }),
               pixels.end());
  return pixels;
}

void Collisions::found(std::uint32_t triangle, std::uint32_t edge, std::uint32_t object_b, const Vec3d& near) {
  const Scene& scene = context_.scene;
  const std::uint32_t object_a = scene.object_of[triangle];
  pairs_.emplace(object_a, object_b);
  const auto [at, is_new] = found_.try_emplace({object_a, object_b, triangle});
  if (is_new) at->second = point_on_edge(scene.corners(triangle), edge, near);
}

void Collisions::add(const std::vector<ColorAt>& edges, std::vector<ColorAt> pixels,
                     std::span<const std::uint32_t> keys, const raster::Camera& camera) {
  const auto pair_of = [](const ColorAt& p) {
    return std::pair(id_of(p.color[0], p.color[1]), id_of(p.color[2], p.color[3]));
  };
  const auto& objects = context_.scene.table.objects;
  std::erase_if(pixels, [&](const ColorAt& p) { return pair_of(p).first == 0 || pair_of(p).second == 0; });
  context_.report.self_interferences +=
      std::erase_if(pixels, [&](const ColorAt& p) { return pair_of(p).first == pair_of(p).second; });
  for (const ColorAt& p : pixels) before_mip_map_.insert(pair_of(p));
  const raster::Target& target = context_.raster.target();
  for (const ColorAt& p : mip_mapped(std::move(pixels))) {
    const auto [a, b] = pair_of(p);
    after_mip_map_.insert({a, b});
    if (!wanted(objects[a - 1].options, objects[b - 1].options)) continue;
    const std::uint32_t key = keys[std::size_t{p.y} * target.width + p.x];
    found(triangle_at(edges, p.x, p.y), kAnyEdge, b - 1,
          raster::scene_point(camera, target, p.x + 0.5, p.y + 0.5, key));
  }
}

void Collisions::add(std::span<const raster::Inside> samples, const raster::Camera& camera) {
  const Scene& scene = context_.scene;
  for (const raster::Inside& s : samples) {
    const std::uint32_t triangle = s.edge / 3, object = solids_.solids[s.solid].object;
    if (!box_of(scene, triangle).meets(scene.boxes[object])) continue;  // then the pixel is too coarse
    if (s.open)
      ++context_.report.unbalanced;
    else
      found(triangle, s.edge % 3, object,
            raster::scene_point(camera, context_.raster.target(), s.x + 0.5, s.y + 0.5, s.key));
  }
}

void Collisions::end() {
  const auto& objects = context_.scene.table.objects;
  context_.report.lost += before_mip_map_.size() - after_mip_map_.size();
  const auto& payloads = context_.options.payloads;
  const auto payload_of = [&](std::uint32_t id) { return id < payloads.size() ? payloads[id] : 0; };
  for (const auto& [key, position] : found_) {
    const auto& [a, b, triangle] = key;
    const auto &in = objects[a], &out = objects[b];
    context_.report.penetrations.push_back({in.id, triangle - in.first_triangle, out.id,
                                            normal_of(context_.scene, solids_, triangle), position, payload_of(in.id),
                                            payload_of(out.id)});
  }
}

}  // namespace sightline::papers::method
