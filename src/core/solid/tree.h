// A tree of boxes over the triangles of one part: rays, boxes and distances descend it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mesh/poll.h"
#include "base/parallel.h"
#include "sightline/mesh.h"

namespace sightline::solid {

/// A closed box; empty as constructed.
struct Box {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3d lo{kInfinity, kInfinity, kInfinity}, hi{-kInfinity, -kInfinity, -kInfinity};

  void add(const Vec3d& p) {
    for (int k = 0; k < 3; ++k) lo[k] = std::min(lo[k], p[k]), hi[k] = std::max(hi[k], p[k]);
  }
  void add(const Box& b) { add(b.lo), add(b.hi); }
  bool holds(const Vec3d& p) const {
    return lo[0] <= p[0] && p[0] <= hi[0] && lo[1] <= p[1] && p[1] <= hi[1] && lo[2] <= p[2] && p[2] <= hi[2];
  }
  bool holds(const Box& b) const { return holds(b.lo) && holds(b.hi); }
  bool meets(const Box& b) const {
    return lo[0] <= b.hi[0] && b.lo[0] <= hi[0] && lo[1] <= b.hi[1] && b.lo[1] <= hi[1] && lo[2] <= b.hi[2] &&
           b.lo[2] <= hi[2];
  }
};

inline Box box_of(const std::array<Vec3d, 3>& corners) {
  Box box;
  for (const Vec3d& p : corners) box.add(p);
  return box;
}

/// Nodes in depth-first order. A subtree of n leaves has 2n - 1 nodes and its left child the largest power of two of
/// leaves below n, so places are known before the children are built, and the tree is the same for any thread count.
class Tree {
 public:
  static constexpr std::uint32_t kLeaf = 4;  ///< triangles in a leaf
  struct Node {
    Box box;
    std::uint32_t begin = 0, end = 0;  ///< range of triangles()
    std::uint32_t right = 0;           ///< the right child; the left one is the next node; 0 for a leaf
  };

  Tree() = default;
  explicit Tree(const MeshView& mesh, Workers& workers = Workers::none(), Poll poll = {});

  bool empty() const { return nodes_.empty(); }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::uint32_t> triangles() const { return triangles_; }

  /// visit(triangle) for the triangles of all leaves whose box passes test(box), until it returns true; true then.
  template <typename Test, typename Visit>
  bool find(const Test& test, const Visit& visit) const {
    if (nodes_.empty()) return false;
    std::uint32_t stack[64], depth = 0;  // the depth is at most 32: leaves are counted in 32 bits
    stack[depth++] = 0;
    while (depth > 0) {
      const std::uint32_t at = stack[--depth];
      const Node& node = nodes_[at];
      if (!test(node.box)) continue;
      if (node.right == 0) {
        for (std::uint32_t i = node.begin; i < node.end; ++i)
          if (visit(triangles_[i])) return true;
      } else {
        stack[depth++] = node.right;
        stack[depth++] = at + 1;
      }
    }
    return false;
  }

 private:
  struct Item;
  void build(std::span<Item> items, std::uint32_t begin, std::uint32_t node, Workers& workers, Poll& poll);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> triangles_;
};

}  // namespace sightline::solid
