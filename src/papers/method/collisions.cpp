#include "method/collisions.h"

#include <algorithm>
#include <tuple>

namespace sightline::papers::method {

using raster::ColorAt;

std::uint32_t Collisions::triangle_at(std::uint32_t x, std::uint32_t y) const {
  const auto at = std::lower_bound(edges_.begin(), edges_.end(), std::pair(y, x),
                                   [](const ColorAt& e, const auto& key) { return std::pair(e.y, e.x) < key; });
  return id_of(at->color[0], at->color[1]) - 1;
}

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

void Collisions::add(std::vector<ColorAt> pixels) {
  const auto pair_of = [](const ColorAt& p) {
    return std::pair(id_of(p.color[0], p.color[1]), id_of(p.color[2], p.color[3]));
  };
  std::erase_if(pixels, [&](const ColorAt& p) { return pair_of(p).first == 0 || pair_of(p).second == 0; });
  context_.report.self_interferences +=
      std::erase_if(pixels, [&](const ColorAt& p) { return pair_of(p).first == pair_of(p).second; });
  for (const ColorAt& p : pixels) before_mip_map_.insert(pair_of(p));
  for (const ColorAt& p : mip_mapped(std::move(pixels))) {
    const auto [a, b] = pair_of(p);
    pairs_.emplace(a - 1, b - 1);
    found_.insert({a - 1, b - 1, triangle_at(p.x, p.y)});
  }
}

void Collisions::end(const std::vector<Vec3d>& normals) {
  const auto& objects = context_.scene.table.objects;
  MethodReport& report = context_.report;
  for (const auto& [a, b, triangle] : found_)
    if (wanted(objects[a].options, objects[b].options))
      report.penetrations.push_back(
          {objects[a].id, triangle - objects[a].first_triangle, objects[b].id, normals[triangle]});
  report.lost += before_mip_map_.size() - pairs_.size();
}

}  // namespace sightline::papers::method
