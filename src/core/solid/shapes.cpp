#include "solid/shapes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "input/object.h"

namespace sightline::solid {
namespace {

/// Of each part the first part with this mesh: what does not depend on the place of an instance is made for that one.
std::vector<std::uint32_t> first_instances(std::span<const MeshView> parts) {
  std::vector<std::uint32_t> first_of;
  std::map<std::tuple<const void*, std::size_t, const void*, std::size_t>, std::uint32_t> first;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    const Positions& points = parts[i].positions;
    const void* const data = points.is_double() ? static_cast<const void*>(points.f64().data()) : points.f32().data();
    const std::span<const Triangle> triangles = parts[i].triangles;
    first_of.push_back(first.try_emplace({data, points.size(), triangles.data(), triangles.size()}, i).first->second);
  }
  return first_of;
}

}  // namespace

Box box_of_part(const MeshView& part, Poll poll) {
  Box box;
  poll.each(part.triangles.size(), [&](std::size_t t) { box.add(box_of(part.corners(t))); });
  return box;
}

Shapes::Shapes(std::span<const MeshView> parts, Workers& workers, const Poll& poll)
    : blocks_(parts.size()), placed_(parts.size()), boxes_(parts.size()) {
  const std::vector<std::uint32_t> first_of = first_instances(parts);
  std::vector<std::uint8_t> has_placed(parts.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) has_placed[first_of[i]] |= parts[i].is_placed();
  std::vector<Box> points(parts.size());  // at the first instance: all stored points
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t i = 0; i < parts.size(); ++i)
    if (first_of[i] == i) firsts.push_back(i);
  meshes_ = firsts.size();
  workers.for_each(firsts.size(), [&](std::size_t mesh) {
    const std::uint32_t i = firsts[mesh];
    Poll own = poll;
    own.now();
    const MeshView stored = parts[i].placed({});
    validate(stored, formatted("part {}", i), workers);
    blocks_[i] = std::make_unique<Blocks>(stored, workers, own);
    if (has_placed[i] != 0)
      own.each(stored.positions.size(), [&](std::size_t k) { points[i].add(stored.positions.stored(k)); });
  });
  constexpr std::size_t kParts = 16;  // in a task: a part has to be read only if it is turned
  workers.for_blocks(parts.size(), kParts, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      placed_[i] = PlacedBlocks(parts[i], *blocks_[first_of[i]]);
      // Finite bounds prove that all positions are finite.
      if (parts[i].is_placed() && !placed_[i].image(points[first_of[i]]).finite())
        validate(parts[i], formatted("part {}", i), workers);
      boxes_[i] = placed_[i].has_exact_bounds() ? placed_[i].bounds() : box_of_part(parts[i], poll);
    }
  });
}

}  // namespace sightline::solid
