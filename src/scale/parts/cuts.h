// Cuts of space into leaves, by planes across the axes; which leaves a triangle belongs to, and which leaf counts what.
//
// A cut at `c` gives the left side all points whose coordinate is at most `c`, and the right side the others. So each
// point is in one leaf. A triangle belongs to every leaf that its box reaches: to the left side if its least coordinate
// is at most `c`, to the right side if its greatest coordinate is above `c`. No number is rounded in these comparisons.
// docs/completeness.md has the proof that contacts, vertices and edges are each counted once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/box.h"

namespace sightline::scale {

/// The points of a leaf: above `low` and at most `high`, on each axis.
struct Region {
  Vec3d low{-Box::kInfinity, -Box::kInfinity, -Box::kInfinity}, high{Box::kInfinity, Box::kInfinity, Box::kInfinity};

  bool holds(const Vec3d& p) const {
    for (int k = 0; k < 3; ++k)
      if (!(low[k] < p[k] && p[k] <= high[k])) return false;
    return true;
  }
  bool is_everything() const { return low == Region().low && high == Region().high; }
};

/// The low corner of the common box of two triangles whose boxes meet: it is in both boxes. The leaf that holds it
/// reports the pair.
inline Vec3d reporting_point(const Box& a, const Box& b) {
  return {std::max(a.low[0], b.low[0]), std::max(a.low[1], b.low[1]), std::max(a.low[2], b.low[2])};
}

class SIGHTLINE_API Cuts {
 public:
  /// Cuts `region` until each leaf has at most `most` of the sample, as far as cuts divide the boxes at all. The place
  /// of a cut has no influence on the answer.
  Cuts(std::vector<Box> sample, std::size_t most, const Region& region);

  std::size_t leaves() const { return regions_.size(); }
  const Region& region(std::size_t leaf) const { return regions_[leaf]; }

  /// Calls visit(leaf) for each leaf that the box reaches.
  template <typename Visit>
  void for_leaves(const Box& box, const Visit& visit) const {
    std::uint32_t stack[kMostDepth + 1];
    std::size_t size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      if (node.axis < 0) {
        visit(node.left);
        continue;
      }
      if (box.high[static_cast<std::size_t>(node.axis)] > node.at) stack[size++] = node.right;
      if (box.low[static_cast<std::size_t>(node.axis)] <= node.at) stack[size++] = node.left;
    }
  }

 private:
  static constexpr std::size_t kMostDepth = 64;
  struct Node {
    double at = 0;
    std::uint32_t left = 0, right = 0;  ///< nodes; of a leaf, `left` is its number
    int axis = -1;                      ///< -1 for a leaf
  };
  std::uint32_t add(std::vector<Box> sample, std::size_t most, const Region& region, std::size_t depth);

  std::vector<Node> nodes_;
  std::vector<Region> regions_;
};

}  // namespace sightline::scale
