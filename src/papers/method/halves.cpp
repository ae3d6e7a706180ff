#include "method/halves.h"

#include <algorithm>

namespace sightline::papers::method {
namespace {

/// A region costs some dozens of draws, a pair of boxes some nanoseconds: smaller parts are not worth an image.
constexpr std::size_t kLeaf = 64;

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Item {
  Box box;
  Vec3d centre;
  std::uint32_t triangle;
};

Box box_of_all(std::span<const Item> items) {
  Box box;
  for (const Item& item : items) box.add(item.box);
  return box;
}

/// The axis along which the centres are spread widest.
int widest(std::span<const Item> items) {
  Box centres;
  for (const Item& item : items) centres.add(item.centre);
  int axis = 0;
  for (const int other : {1, 2})
    if (centres.high[other] - centres.low[other] > centres.high[axis] - centres.low[axis]) axis = other;
  return axis;
}

void add_leaf(std::span<const Item> items, Pairs& pairs) {
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = i + 1; j < items.size(); ++j)
      if (items[i].box.meets(items[j].box)) pairs.push_back(std::minmax(items[i].triangle, items[j].triangle));
}

void add_region(const Scene& scene, std::uint32_t object, std::span<const Item> first, std::span<const Item> second,
                std::vector<Region>& regions, Pairs& pairs) {
  const Box a = box_of_all(first), b = box_of_all(second);
  if (!a.meets(b)) return;
  Region region{{object, object}, {a.centre(), b.centre()}, a.common(b), {}};
  for (const int side : {0, 1})
    for (const Item& item : side == 0 ? first : second)
      if (item.box.meets(region.box)) region.triangles[side].push_back(item.triangle);
  if (region.triangles[0].empty() || region.triangles[1].empty()) return;
  if (region.triangles[0].size() + region.triangles[1].size() <= kLeaf) return pairs_of(scene, region.triangles, pairs);
  for (auto& triangles : region.triangles) std::sort(triangles.begin(), triangles.end());
  regions.push_back(std::move(region));
}

}  // namespace

void halve(const Scene& scene, std::uint32_t object, std::vector<Region>& regions,
           std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  const TriangleTable::Object& whole = scene.table.objects[object];
  std::vector<Item> items;
  items.reserve(whole.triangle_count);
  for (std::uint32_t t = whole.first_triangle; t < whole.first_triangle + whole.triangle_count; ++t) {
    const Box box = box_of(scene, t);
    items.push_back({box, box.centre(), t});
  }
  std::vector<std::span<Item>> left = {items};
  while (!left.empty()) {
    const std::span<Item> part = left.back();
    left.pop_back();
    if (part.size() <= kLeaf) {
      add_leaf(part, pairs);
      continue;
    }
    const std::size_t half = part.size() / 2;
    const int axis = widest(part);
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(half), part.end(),
                     [axis](const Item& a, const Item& b) {
                       return std::pair(a.centre[axis], a.triangle) < std::pair(b.centre[axis], b.triangle);
                     });
    add_region(scene, object, part.first(half), part.subspan(half), regions, pairs);
    left.push_back(part.first(half));
    left.push_back(part.subspan(half));
  }
}

}  // namespace sightline::papers::method
