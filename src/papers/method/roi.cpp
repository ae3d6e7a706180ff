#include "method/roi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sightline::papers::method {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Box kEmpty{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};

std::vector<std::uint32_t> inside(const Scene& scene, std::uint32_t object, const Box& box) {
  const TriangleTable::Object& o = scene.table.objects[object];
  std::vector<std::uint32_t> found;
  for (std::uint32_t t = o.first_triangle; t < o.first_triangle + o.triangle_count; ++t)
    if (box_of(scene, t).meets(box)) found.push_back(t);
  return found;
}

/// Indices of boxes in the order of their low ends along x.
std::vector<std::uint32_t> sweep_order(const std::vector<Box>& boxes) {
  std::vector<std::uint32_t> order(boxes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&boxes](std::uint32_t i, std::uint32_t j) {
    return std::pair(boxes[i].low[0], i) < std::pair(boxes[j].low[0], j);
  });
  return order;
}

double image_area(const raster::Camera& camera) {
  return (camera.right_edge - camera.left) * (camera.top - camera.bottom);
}

}  // namespace

Box Box::cut(const Box& other) const {
  Box both;
  for (int axis = 0; axis < 3; ++axis) {
    both.low[axis] = std::max(low[axis], other.low[axis]);
    both.high[axis] = std::min(high[axis], other.high[axis]);
  }
  return both;
}

void Box::add(const Vec3d& p) {
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = std::min(low[axis], p[axis]);
    high[axis] = std::max(high[axis], p[axis]);
  }
}

std::array<Vec3d, 8> Box::corners() const {
  std::array<Vec3d, 8> all;
  for (int i = 0; i < 8; ++i)
    all[i] = {(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1], (i & 4) != 0 ? high[2] : low[2]};
  return all;
}

Box box_of(const Scene& scene, std::uint32_t triangle) {
  Box box = kEmpty;
  for (const Vec3d& p : scene.corners(triangle)) box.add(p);
  return box;
}

Box box_of(const Scene& scene, const TriangleTable::Object& object) {
  Box box = kEmpty;
  for (std::uint32_t t = 0; t < object.triangle_count; ++t)
    for (const Vec3d& p : scene.corners(object.first_triangle + t)) box.add(p);
  return box;
}

std::vector<Box> object_boxes(const Scene& scene) {
  std::vector<Box> boxes;
  for (const TriangleTable::Object& object : scene.table.objects) boxes.push_back(box_of(scene, object));
  return boxes;
}

std::vector<std::array<std::uint32_t, 2>> pairs_of_boxes(const std::vector<Box>& boxes) {
  const std::vector<std::uint32_t> order = sweep_order(boxes);
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].low[0] <= boxes[order[i]].high[0]; ++j)
      if (boxes[order[i]].meets(boxes[order[j]]))
        pairs.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<Region> regions_of_interest(const Scene& scene) {
  const std::vector<Box> boxes = object_boxes(scene);
  std::vector<Region> regions;
  for (const auto& [a, b] : pairs_of_boxes(boxes)) {
    const Box both = boxes[a].cut(boxes[b]);
    Region region{
        {a, b}, {boxes[a].center(), boxes[b].center()}, both, {inside(scene, a, both), inside(scene, b, both)}};
    if (!region.triangles[0].empty() && !region.triangles[1].empty()) regions.push_back(std::move(region));
  }
  return regions;
}

raster::Camera region_camera(const Scene& scene, const Region& region, const View& view, double behind) {
  const Vec3d center = region.box.center();
  double reach = 0;
  for (const auto& side : region.triangles)
    for (const std::uint32_t t : side)
      for (const Vec3d& p : scene.corners(t))
        for (int axis = 0; axis < 3; ++axis) reach = std::max(reach, std::abs(p[axis] - center[axis]));
  Box shown = region.box;
  // Below 1e-250 the scale of the image would overflow.
  const double least = std::max(reach * 0x1p-16, 1e-250);
  for (int axis = 0; axis < 3; ++axis) {
    shown.low[axis] = std::min(shown.low[axis], center[axis] - least);
    shown.high[axis] = std::max(shown.high[axis], center[axis] + least);
  }
  raster::Camera camera = raster::fit_camera(view, shown.corners());
  camera.near -= behind;
  camera.far += behind;
  if (!std::isfinite(camera.far - camera.near))
    throw Error(fmt::format("peel: an epsilon of {} is too large for an image; scale the scene", behind));
  return camera;
}

std::vector<std::uint32_t> image_sides(const Scene& scene, const std::vector<Region>& regions, const View& view,
                                       std::uint32_t budget) {
  std::vector<double> area;
  double sum = 0;
  for (const Region& region : regions) {
    // Relative to its own largest extent an area may be as good as 0; no square of a tiny number then.
    area.push_back(std::max(image_area(region_camera(scene, region, view)), std::numeric_limits<double>::min()));
    sum += area.back();
  }
  std::vector<std::uint32_t> sides;
  const std::uint32_t least = std::min(budget, 8u);
  for (const double a : area) {
    const double share = budget * std::sqrt(a / sum) * (1 + 1e-12);
    std::uint32_t side = budget;
    while (side > least && !(side <= share)) side /= 2;
    sides.push_back(std::max(side, least));
  }
  return sides;
}

void deepen(std::vector<std::uint32_t>& keys, double distance, const raster::Camera& camera,
            raster::DepthFormat format) {
  const std::uint32_t cleared = raster::far_key(format), most = cleared - 1;
  const double part = distance / (camera.far - camera.near);
  if (format == raster::DepthFormat::float32) {  // Depths are in [0, 1); two ulps are more than was rounded.
    for (std::uint32_t& key : keys) {
      if (key == 0 || key == cleared) continue;
      const double z = std::min(static_cast<double>(std::bit_cast<float>(key)) + part, 1.0);
      key = std::min(std::bit_cast<std::uint32_t>(static_cast<float>(z)) + 2, most);
    }
    return;
  }
  const auto by = static_cast<std::uint64_t>(std::min(std::ceil(part * raster::units(format)), 0x1p32));
  for (std::uint32_t& key : keys)
    if (key != 0 && key != cleared) key = static_cast<std::uint32_t>(std::min<std::uint64_t>(key + by, most));
}

void pairs_of(const Scene& scene, const std::array<std::vector<std::uint32_t>, 2>& triangles,
              std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::array<std::vector<Box>, 2> boxes;
  std::array<std::vector<std::uint32_t>, 2> order;
  for (int side = 0; side < 2; ++side) {
    for (const std::uint32_t t : triangles[side]) boxes[side].push_back(box_of(scene, t));
    order[side] = sweep_order(boxes[side]);
  }
  // Each pair is met once: from the box that begins first; of two that begin together, from that of side 0.
  const auto from = [&](int side, std::uint32_t i, std::size_t first) {
    const Box& box = boxes[side][i];
    for (std::size_t k = first; k < order[1 - side].size(); ++k) {
      const std::uint32_t j = order[1 - side][k];
      if (boxes[1 - side][j].low[0] > box.high[0]) break;
      if (box.meets(boxes[1 - side][j])) pairs.push_back(std::minmax(triangles[side][i], triangles[1 - side][j]));
    }
  };
  std::array<std::size_t, 2> next = {0, 0};
  while (next[0] < order[0].size() && next[1] < order[1].size()) {
    const double low_a = boxes[0][order[0][next[0]]].low[0], low_b = boxes[1][order[1][next[1]]].low[0];
    const int side = low_a <= low_b ? 0 : 1;
    const std::uint32_t i = order[side][next[side]++];
    from(side, i, next[1 - side]);
  }
}

}  // namespace sightline::papers::method
