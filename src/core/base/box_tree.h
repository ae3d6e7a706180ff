// A tree of boxes: over the triangles of one mesh, or over the objects of a scene.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/box.h"
#include "base/parallel.h"
#include "base/poll.h"

namespace sightline {

/// Nodes in depth-first order. A subtree of n leaves has 2n - 1 nodes, and the number of leaves of its left child is
/// the largest power of two below n. So the places of nodes are known before the children are built, and the tree is
/// the same for any thread count.
class BoxTree {
 public:
  static constexpr std::uint32_t kLeaf = 4;  ///< items in a leaf
  struct Node {
    Box box;
    std::uint32_t begin = 0, end = 0;  ///< range of items()
    std::uint32_t right = 0;           ///< the right child; the left one is the next node; 0 for a leaf
  };

  BoxTree() = default;
  /// Item i is boxes[i]; empty boxes are no items.
  SIGHTLINE_API explicit BoxTree(std::span<const Box> boxes, Workers& workers = Workers::none(), Poll poll = {});
  /// Item i is triangle i.
  explicit BoxTree(const MeshView& mesh, Workers& workers = Workers::none(), Poll poll = {});

  bool empty() const { return nodes_.empty(); }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::uint32_t> items() const { return items_; }

  /// Calls visit(item) for the items of all leaves whose box passes test(box), until a call returns true. Returns true
  /// if a call did.
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
          if (visit(items_[i])) return true;
      } else {
        stack[depth++] = node.right;
        stack[depth++] = at + 1;
      }
    }
    return false;
  }

 private:
  struct Item {
    Box box;
    std::uint32_t number;
  };
  template <typename BoxAt>
  void build(std::size_t count, const BoxAt& box_at, Workers& workers, Poll& poll);
  void build(std::span<Item> items, std::uint32_t begin, std::uint32_t node, Workers& workers, Poll& poll);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> items_;
};

/// All pairs (a, b), a < b, of boxes for which reach(box a, box b) is true, in ascending order. `reach` is symmetric.
/// If it is true for two boxes, it is true for all boxes that hold them.
template <typename Reach>
std::vector<std::array<std::uint32_t, 2>> pairs_of_boxes(std::span<const Box> boxes, const Reach& reach,
                                                         Workers& workers = Workers::none(), Poll poll = {}) {
  using Pairs = std::vector<std::array<std::uint32_t, 2>>;
  const BoxTree tree(boxes, workers, poll);
  constexpr std::size_t kBlock = 64;
  std::vector<Pairs> found(boxes.size() / kBlock + 1);
  workers.for_blocks(boxes.size(), kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    Pairs& mine = found[first / kBlock];
    for (std::size_t a = first; a < last; ++a) {
      const std::size_t begin = mine.size();
      tree.find(
          [&](const Box& box) {
            own();
            return reach(boxes[a], box);
          },
          [&](std::uint32_t b) {
            own();
            if (b > a && reach(boxes[a], boxes[b])) mine.push_back({static_cast<std::uint32_t>(a), b});
            return false;
          });
      std::sort(mine.begin() + static_cast<std::ptrdiff_t>(begin), mine.end());
    }
  });
  Pairs all;
  for (const Pairs& pairs : found) all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

}  // namespace sightline
