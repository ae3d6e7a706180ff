// Pairs of objects whose boxes overlap: the broad phase that peers between objects share.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::bench {

struct Box {
  Vec3d low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::infinity()};
  Vec3d high{-low[0], -low[1], -low[2]};

  void add(const Vec3d& p) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], p[axis]);
      high[axis] = std::max(high[axis], p[axis]);
    }
  }
  bool overlaps(const Box& other) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (low[axis] > other.high[axis] || other.low[axis] > high[axis]) return false;
    return true;
  }
};

using ObjectPair = std::pair<std::uint32_t, std::uint32_t>;

/// (a, b) with a < b. All pairs are tried: a millisecond for a thousand objects.
inline std::vector<ObjectPair> overlapping(const std::vector<Box>& boxes) {
  std::vector<ObjectPair> pairs;
  for (std::uint32_t a = 0; a < boxes.size(); ++a)
    for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
      if (boxes[a].overlaps(boxes[b])) pairs.push_back({a, b});
  return pairs;
}

inline std::vector<ObjectPair> overlapping_objects(const std::vector<Mesh>& objects) {
  std::vector<Box> boxes(objects.size());
  tbb::parallel_for(std::size_t{0}, objects.size(), [&](std::size_t i) {
    const Positions positions = objects[i].view().positions;
    for (std::size_t k = 0; k < positions.size(); ++k) boxes[i].add(positions.stored(k));
  });
  return overlapping(boxes);
}

}  // namespace sightline::bench
