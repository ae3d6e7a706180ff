#include "base/box_tree.h"

#include <bit>

namespace sightline {

BoxTree::BoxTree(std::span<const Box> boxes, Workers& workers, Poll poll) {
  build(
      boxes.size(), [&](std::size_t i) { return boxes[i]; }, workers, poll);
}

BoxTree::BoxTree(const MeshView& mesh, Workers& workers, Poll poll) {
  build(
      mesh.triangles.size(), [&](std::size_t i) { return box_of(mesh.corners(i)); }, workers, poll);
}

template <typename BoxAt>
void BoxTree::build(std::size_t count, const BoxAt& box_at, Workers& workers, Poll& poll) {
  std::vector<Item> items;
  items.reserve(count);
  poll.each(count, [&](std::size_t i) {
    if (const Box box = box_at(i); !box.empty()) items.push_back({box, static_cast<std::uint32_t>(i)});
  });
  if (items.empty()) return;
  const std::size_t leaves = items.size() / kLeaf + (items.size() % kLeaf != 0);
  nodes_.resize(2 * leaves - 1);
  workers.isolated([&] { build(items, 0, 0, workers, poll); });
  items_.reserve(items.size());
  for (const Item& item : items) items_.push_back(item.number);
}

void BoxTree::build(std::span<Item> items, std::uint32_t begin, std::uint32_t node, Workers& workers, Poll& poll) {
  Node& mine = nodes_[node];
  const auto count = static_cast<std::uint32_t>(items.size());
  mine.begin = begin;
  mine.end = begin + count;
  poll.each(count, [&](std::size_t i) { mine.box.add(items[i].box); });
  if (count <= kLeaf) return;
  const std::uint32_t leaves = count / kLeaf + (count % kLeaf != 0);
  const std::uint32_t left_leaves = std::bit_ceil(leaves) / 2, left = left_leaves * kLeaf;
  Box centres;
  poll.each(count, [&](std::size_t i) { centres.add(items[i].box.centre()); });
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (centres.half(k) > centres.half(axis)) axis = k;
  const auto before = [axis, &poll](const Item& a, const Item& b) {
    poll();
    const double p = a.box.middle(axis), q = b.box.middle(axis);
    return p != q ? p < q : a.number < b.number;
  };
  std::nth_element(items.begin(), items.begin() + left, items.end(), before);
  mine.right = node + 2 * left_leaves;
  const auto build_left = [&](Poll& own) { build(items.first(left), begin, node + 1, workers, own); };
  const auto build_right = [&](Poll& own) { build(items.subspan(left), begin + left, mine.right, workers, own); };
  constexpr std::uint32_t kParallel = 8192;  // smaller subtrees are not worth a task
  if (count < kParallel) {
    build_left(poll);
    build_right(poll);
  } else {
    Poll left_poll = poll, right_poll = poll;
    workers.both([&] { build_left(left_poll); }, [&] { build_right(right_poll); });
  }
}

}  // namespace sightline
