// A tree over members of one region that views separate better than boxes do (pair/views.h).
#pragma once

#include <functional>

#include "base/parallel.h"
#include "pair/views.h"

namespace sightline {

/// Each member is in one leaf, so a pair of members is in one leaf or in one pair of leaves, and no pair is found
/// twice.
class Shadows {
 public:
  static constexpr std::uint32_t kLeaf = Group::kCapacity / 2;  ///< two leaves make a group
  struct Node {
    Cover cover;
    std::uint32_t begin, end;  ///< members
    std::uint32_t right;       ///< the right child; the left one is the next node; 0 for a leaf
  };

  /// For pairs within the first list, or of one of each. If views leave more than `most_left` of a sample's pairs of
  /// overlapping boxes, or if stop() is true, the tree stays empty. To be called from within a task of the workers.
  Shadows(const TriangleTable& table, const TwoLists& lists, double most_left, Workers& workers,
          const std::function<bool()>& stop, std::uint32_t& guess);

  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return members_.size(); }
  const Node& node(std::uint32_t at) const { return nodes_[at]; }
  /// The root of the second list's tree; that of the first is 0.
  std::uint32_t second_root() const { return second_root_; }
  const Boxed& member(std::uint32_t at) const { return members_[at]; }
  bool apart(const Node& a, const Node& b) const { return views_.apart(a.cover, b.cover); }
  /// A member, and all members of a node.
  bool apart(std::uint32_t member, const Node& node) const { return views_.apart(covers_[member], node.cover); }
  /// The share of a sample's pairs of overlapping boxes that are not apart: within a node (second = first), or of one
  /// of each of two nodes.
  double left(const Node& first, const Node& second) const;

  /// The members of a group are these members of the tree, in this order. Their boxes become intervals of the three
  /// views that separate them best.
  void set_boxes(Group& group, std::span<const std::uint32_t> members) const;

 private:
  void find_covers(const TwoLists& lists, std::size_t first, std::size_t last, std::span<Cover> out) const;
  void sort(std::span<std::uint32_t> order, const std::vector<Cover>& covers) const;
  void build(std::uint32_t begin, std::uint32_t end);

  const Views views_;
  Workers& workers_;
  std::vector<Node> nodes_;
  std::vector<Cover> covers_;  ///< of the members
  std::vector<Boxed> members_;
  std::uint32_t second_root_ = 0;
};

}  // namespace sightline
