#include "base/box_tree.h"

#include <bit>

namespace sightline {

BoxTree::BoxTree(std::span<const Box> boxes, Workers& workers, Poll poll) {
  std::vector<Item> items;
  assign(
      boxes.size(), [&](std::size_t i) { return boxes[i]; }, items, kLeaf, workers, poll);
}

BoxTree::BoxTree(const MeshView& mesh, Workers& workers, Poll poll) {
  std::vector<Item> items;
  assign(
      mesh.triangles.size(), [&](std::size_t i) { return box_of(mesh.corners(i)); }, items, kLeaf, workers, poll);
}

struct BoxTree::Building {
  std::vector<Node>& nodes;
  const std::uint32_t leaf;
  Workers& workers;

  void build(std::span<Item> items, std::uint32_t begin, std::uint32_t node, Poll& poll) {
    Node& mine = nodes[node];
    const auto count = static_cast<std::uint32_t>(items.size());
    mine = Node{{}, begin, begin + count, 0};
    if (count <= leaf) return;
    const std::uint32_t leaves = count / leaf + (count % leaf != 0);
    const std::uint32_t left_leaves = std::bit_ceil(leaves) / 2, left = left_leaves * leaf;
    Box centres;
    poll.each(count, [&](std::size_t i) { centres.add(items[i].centre); });
    int axis = 0;
    for (int k = 1; k < 3; ++k)
      if (centres.half(k) > centres.half(axis)) axis = k;
    const auto before = [axis, &poll](const Item& a, const Item& b) {
      poll();
      const double p = a.centre[axis], q = b.centre[axis];
      return p != q ? p < q : a.number < b.number;
    };
    std::nth_element(items.begin(), items.begin() + left, items.end(), before);
    mine.right = node + 2 * left_leaves;
    const auto build_left = [&](Poll& own) { build(items.first(left), begin, node + 1, own); };
    const auto build_right = [&](Poll& own) { build(items.subspan(left), begin + left, mine.right, own); };
    constexpr std::uint32_t kParallel = 8192;  // smaller subtrees are not worth a task
    if (count < kParallel) {
      build_left(poll);
      build_right(poll);
    } else {
      Poll left_poll = poll, right_poll = poll;
      workers.both([&] { build_left(left_poll); }, [&] { build_right(right_poll); });
    }
  }
};

void BoxTree::order(std::span<Item> items, std::uint32_t leaf, Workers& workers, Poll& poll) {
  items_.clear();
  const std::size_t leaves = items.size() / leaf + (items.size() % leaf != 0);
  nodes_.resize(leaves == 0 ? 0 : 2 * leaves - 1);
  if (items.empty()) return;
  workers.isolated([&] { Building{nodes_, leaf, workers}.build(items, 0, 0, poll); });
  items_.reserve(items.size());
  for (const Item& item : items) items_.push_back(item.number);
}

}  // namespace sightline
