// A tree of boxes: over the triangles of one mesh, or over the objects of a scene.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/box.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"

namespace sightline {

/// Nodes in depth-first order. A subtree of n leaves has 2n - 1 nodes, and the number of leaves of its left child is
/// the largest power of two below n. So the places of nodes are known before the children are built, and the tree is
/// the same for any thread count.
class BoxTree {
 public:
  static constexpr std::uint32_t kLeaf = 4;  ///< items in a leaf, unless another number is given
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

  struct Item {
    Vec3d centre;
    std::uint32_t number;
  };
  /// Replaces the tree. Item i is box_at(i), which is called twice; empty boxes are no items. The storage of the tree
  /// and of `scratch` is reused.
  template <typename BoxAt>
  void assign(std::size_t count, const BoxAt& box_at, std::vector<Item>& scratch, std::uint32_t leaf = kLeaf,
              Workers& workers = Workers::none(), Poll poll = {}) {
    scratch.clear();
    scratch.reserve(count);
    poll.each(count, [&](std::size_t i) {
      if (const Box box = box_at(i); !box.empty()) scratch.push_back({box.centre(), static_cast<std::uint32_t>(i)});
    });
    order(scratch, leaf, workers, poll);
    constexpr std::size_t kBlock = 1 << 12;
    workers.for_blocks(nodes_.size(), kBlock, [&](std::size_t first, std::size_t last) {
      Poll own = poll;
      for (std::size_t at = first; at < last; ++at) {
        Node& node = nodes_[at];
        if (node.right != 0) continue;
        own(static_cast<int>(node.end - node.begin));
        for (std::uint32_t i = node.begin; i < node.end; ++i) node.box.add(box_at(items_[i]));
      }
    });
    // Children come after their parent.
    for (std::size_t at = nodes_.size(); at-- > 0;)
      if (Node& node = nodes_[at]; node.right != 0) {
        node.box = nodes_[at + 1].box;
        node.box.add(nodes_[node.right].box);
      }
  }

  bool empty() const { return nodes_.empty(); }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(Node) + items_.capacity() * sizeof(std::uint32_t); }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const std::uint32_t> items() const { return items_; }

  /// Calls visit(item) for the items of all leaves whose box passes test(box), until a call returns true. Returns true
  /// if a call did.
  template <typename Test, typename Visit>
  bool find(const Test& test, const Visit& visit) const {
    return find_leaves(test, [&](const Node& leaf) {
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i)
        if (visit(items_[i])) return true;
      return false;
    });
  }
  /// The same for whole leaves: visit(leaf).
  template <typename Test, typename Visit>
  bool find_leaves(const Test& test, const Visit& visit) const {
    return find_nodes([&](const Node& node) { return test(node.box); }, visit);
  }
  /// The same with a test of whole nodes: test(node).
  template <typename Test, typename Visit>
  bool find_nodes(const Test& test, const Visit& visit) const {
    if (nodes_.empty()) return false;
    std::uint32_t stack[64], depth = 0;  // the depth is at most 32: leaves are counted in 32 bits
    stack[depth++] = 0;
    while (depth > 0) {
      const std::uint32_t at = stack[--depth];
      const Node& node = nodes_[at];
      if (!test(node)) continue;
      if (node.right == 0) {
        if (visit(node)) return true;
      } else {
        stack[depth++] = node.right;
        stack[depth++] = at + 1;
      }
    }
    return false;
  }

 private:
  /// Nodes without their boxes, and the items in the order of the leaves.
  SIGHTLINE_API void order(std::span<Item> items, std::uint32_t leaf, Workers& workers, Poll& poll);
  struct Building;

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
  const std::span<const BoxTree::Node> nodes = tree.nodes();
  std::vector<Box> ordered;  // as the leaves have them
  ordered.reserve(tree.items().size());
  for (const std::uint32_t item : tree.items()) ordered.push_back(boxes[item]);
  // Each leaf with itself and the leaves after it.
  constexpr std::size_t kBlock = 128;
  std::vector<Pairs> found(nodes.size() / kBlock + 1);
  workers.for_blocks(nodes.size(), kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    Pairs& mine = found[first / kBlock];
    for (std::size_t at = first; at < last; ++at) {
      const BoxTree::Node& leaf = nodes[at];
      if (leaf.right != 0) continue;
      tree.find_nodes(
          [&](const BoxTree::Node& node) {
            own();
            return node.end > leaf.begin && reach(leaf.box, node.box);
          },
          [&](const BoxTree::Node& other) {
            own(static_cast<int>(BoxTree::kLeaf * BoxTree::kLeaf));
            for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
              if (!reach(ordered[i], other.box)) continue;
              for (std::uint32_t j = std::max(other.begin, i + 1); j < other.end; ++j) {
                if (!reach(ordered[i], ordered[j])) continue;
                const auto [a, b] = std::minmax(tree.items()[i], tree.items()[j]);
                mine.push_back({a, b});
              }
            }
            return false;
          });
    }
  });
  // In order by a, then by b.
  std::vector<std::size_t> begin(boxes.size() + 1, 0);
  for (const Pairs& pairs : found)
    for (const auto& [a, b] : pairs) ++begin[a + 1];
  for (std::size_t a = 0; a < boxes.size(); ++a) begin[a + 1] += begin[a];
  Pairs all = large_vector<Pairs::value_type>(begin.back());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const Pairs& pairs : found)
    for (const auto& pair : pairs) all[next[pair[0]]++] = pair;
  workers.for_blocks(boxes.size(), std::size_t{1} << 12, [&](std::size_t first, std::size_t last) {
    for (std::size_t a = first; a < last; ++a)
      std::sort(all.begin() + static_cast<std::ptrdiff_t>(begin[a]),
                all.begin() + static_cast<std::ptrdiff_t>(begin[a + 1]));
  });
  return all;
}

}  // namespace sightline
