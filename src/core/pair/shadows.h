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
  static constexpr std::uint32_t kLeaf = Group::kCapacity;  ///< a leaf makes a group
  struct Node {
    Cover cover;
    std::uint32_t begin, end;  ///< members
    std::uint32_t right;       ///< the right child; the left one is the next node; 0 for a leaf
  };

  /// For pairs within the first list, or of one of each. If views leave more than `most_left` of a sample's pairs of
  /// overlapping boxes, or if stop() is true, the tree stays empty; unless almost no boxes of the sample overlap, and
  /// there are `many` members. The lists outlive the tree. To be called from within a task of the workers.
  Shadows(const TriangleTable& table, const TwoLists& lists, double most_left, std::size_t many, Workers& workers,
          const std::function<bool()>& stop, std::uint32_t& guess);

  bool empty() const { return nodes_.empty(); }
  const Node& node(std::uint32_t at) const { return nodes_[at]; }
  /// The root of the second list's tree; that of the first is 0.
  std::uint32_t second_root() const { return second_root_; }
  const Boxed& member(std::uint32_t at) const { return lists_[order_[at]]; }
  /// The members of a node that may be in contact with one of those that `other` covers.
  void keep_meeting(const Node& node, const Cover& other, std::vector<std::uint32_t>& kept) const;
  void keep_meeting(std::vector<std::uint32_t>& members, const Cover& other) const;
  Cover cover_of(std::span<const std::uint32_t> members) const;
  /// The share of a sample's pairs of overlapping boxes that are not apart: of these members with each other or, if
  /// there are two lists, of one of each.
  double left(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second) const;

  /// The members of a group are these members of the tree, in this order. Their boxes become intervals of the three
  /// views that separate them best.
  void set_boxes(Group& group, std::span<const std::uint32_t> members) const;

 private:
  void find_covers(std::size_t first, std::size_t last);
  void sort(std::span<std::uint32_t> order) const;
  void put_in_order();
  void build(std::uint32_t begin, std::uint32_t end);

  const Views views_;
  Workers& workers_;
  std::vector<Node> nodes_;
  const TwoLists lists_;
  std::vector<std::uint32_t> order_;  ///< places in the lists
  std::vector<Cover> covers_;         ///< of the members
  std::uint32_t second_root_ = 0;
};

}  // namespace sightline
