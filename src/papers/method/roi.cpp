#include "method/roi.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "base/box_tree.h"
#include "base/format.h"
#include "base/vector.h"

namespace sightline::papers::method {
namespace {

std::vector<std::uint32_t> inside(const Scene& scene, std::uint32_t object, const Box& box) {
  const TriangleTable::Object& o = scene.table.objects[object];
  std::vector<std::uint32_t> found;
  for (std::uint32_t t = o.first_triangle; t < o.first_triangle + o.triangle_count; ++t)
    if (box_of(scene, t).meets(box)) found.push_back(t);
  return found;
}

std::array<Vec3d, 8> corners(const Box& box) {
  std::array<Vec3d, 8> all;
  for (int i = 0; i < 8; ++i)
    for (int axis = 0; axis < 3; ++axis) all[i][axis] = ((i >> axis) & 1) != 0 ? box.high[axis] : box.low[axis];
  return all;
}

double image_area(const raster::Camera& camera) {
  return (camera.right_edge - camera.left) * (camera.top - camera.bottom);
}

}  // namespace

Box box_of(const Scene& scene, std::uint32_t triangle) { return sightline::box_of(scene.corners(triangle)); }

Box box_of(const Scene& scene, const TriangleTable::Object& object) {
  Box box;
  for (std::uint32_t t = 0; t < object.triangle_count; ++t)
    for (const Vec3d& p : scene.corners(object.first_triangle + t)) box.add(p);
  return box;
}

std::vector<Box> object_boxes(const Scene& scene) {
  std::vector<Box> boxes;
  for (const TriangleTable::Object& object : scene.table.objects) boxes.push_back(box_of(scene, object));
  return boxes;
}

std::vector<Region> regions_of_interest(const Scene& scene) {
  const std::vector<Box> boxes = object_boxes(scene);
  return regions_of_interest(scene, boxes, pairs_of_boxes(boxes, std::mem_fn(&Box::meets)));
}

std::vector<Region> regions_of_interest(const Scene& scene, const std::vector<Box>& boxes,
                                        std::span<const std::array<std::uint32_t, 2>> pairs, Workers& workers) {
  std::vector<Region> regions(pairs.size());
  workers.for_each(pairs.size(), [&](std::size_t i) {
    const auto [a, b] = pairs[i];
    const Box both = boxes[a].common(boxes[b]);
    regions[i] = {
        {a, b}, {boxes[a].centre(), boxes[b].centre()}, both, {inside(scene, a, both), inside(scene, b, both)}};
  });
  std::erase_if(regions, [](const Region& r) { return r.triangles[0].empty() || r.triangles[1].empty(); });
  return regions;
}

namespace {

/// Sums of normals: which part of an object's area is seen from a direction.
class SeenArea {
 public:
  SeenArea(const Scene& scene, std::span<const std::uint32_t> triangles, double unit) {
    constexpr std::size_t kMost = 64;  // a sample of the triangles is enough
    const std::size_t step = triangles.size() / kMost + 1;
    for (std::size_t i = 0; i < triangles.size(); i += step) {
      const auto c = scene.corners(triangles[i]);
      Vec3d u, v;
      for (int axis = 0; axis < 3; ++axis) {
        u[axis] = (c[1][axis] - c[0][axis]) / unit;
        v[axis] = (c[2][axis] - c[0][axis]) / unit;
      }
      normals_.push_back(cross(u, v));
      area_ += std::sqrt(dot(normals_.back(), normals_.back()));
    }
  }
  double seen_from(const Vec3d& direction) const {
    double sum = 0;
    for (const Vec3d& n : normals_) sum += std::abs(dot(n, direction));
    return sum / area_;
  }

 private:
  std::vector<Vec3d> normals_;
  double area_ = 0;
};

}  // namespace

View clearest_view(const Scene& scene, const Region& region) {
  // Axes come first, z before all: of equal directions the first is taken.
  static const std::vector<Vec3d> kDirections = [] {
    std::vector<Vec3d> all = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}};
    for (const double sign : {-1.0, 1.0}) {
      all.insert(all.end(), {{0, sign, -1}, {sign, 0, -1}, {sign, -1, 0}});
      for (const double other : {-1.0, 1.0}) all.push_back({sign, other, -1});
    }
    for (Vec3d& d : all) {
      const double length = std::sqrt(dot(d, d));
      for (double& x : d) x /= length;
    }
    return all;
  }();
  double unit = 0;
  for (int axis = 0; axis < 3; ++axis) unit = std::max(unit, region.box.high[axis] - region.box.low[axis]);
  View view;
  if (!(unit > 0)) return view;
  const SeenArea first(scene, region.triangles[0], unit), second(scene, region.triangles[1], unit);
  double best = 0;
  for (const Vec3d& d : kDirections) {
    const double seen = std::min(first.seen_from(d), second.seen_from(d));
    if (seen > best * (1 + 1e-9)) best = seen, view.direction = d;  // false for what is not a number
  }
  return view;
}

raster::Camera region_camera(const Scene& scene, const Region& region, const View& view, double behind) {
  const Vec3d center = region.box.centre();
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
  raster::Camera camera = raster::fit_camera(view, corners(shown));
  camera.near -= behind;
  camera.far += behind;
  if (!std::isfinite(camera.far - camera.near))
    throw Error(formatted("peel: an epsilon of {} is too large for an image; scale the scene", behind));
  return camera;
}

std::vector<std::uint32_t> image_sides(const Scene& scene, const std::vector<Region>& regions,
                                       std::span<const View> views, std::uint32_t budget) {
  std::vector<double> area;
  double sum = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    // Relative to its own largest extent an area may be as good as 0; no square of a tiny number then.
    area.push_back(
        std::max(image_area(region_camera(scene, regions[i], views[i])), std::numeric_limits<double>::min()));
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
  std::vector<Box> boxes;
  for (const std::uint32_t t : triangles[1]) boxes.push_back(box_of(scene, t));
  const BoxTree tree(boxes);
  for (const std::uint32_t t : triangles[0]) {
    const Box box = box_of(scene, t);
    tree.find([&](const Box& other) { return box.meets(other); },
              [&](std::uint32_t i) {
                if (box.meets(boxes[i])) pairs.push_back(std::minmax(t, triangles[1][i]));
                return false;
              });
  }
}

}  // namespace sightline::papers::method
