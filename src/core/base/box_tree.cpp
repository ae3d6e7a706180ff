#include "base/box_tree.h"

#include <bit>

namespace sightline {
namespace {

template <typename Items>
int widest_axis(const Items& items, Poll& poll) {
  Box centres;
  poll.each(items.size(), [&](std::size_t i) { centres.add(items[i].box.centre()); });
  int widest = 0;
  for (int k = 1; k < 3; ++k)
    if (centres.half(k) > centres.half(widest)) widest = k;
  return widest;
}

}  // namespace

BoxTree::BoxTree(std::span<const Box> boxes, Workers& workers, Poll poll) {
  std::vector<Item> items;
  items.reserve(boxes.size());
  poll.each(boxes.size(), [&](std::size_t i) {
    if (!boxes[i].empty()) items.push_back({boxes[i], static_cast<std::uint32_t>(i)});
  });
  build(std::move(items), workers, poll);
}

BoxTree::BoxTree(const MeshView& mesh, Workers& workers, Poll poll) {
  std::vector<Item> items;
  items.reserve(mesh.triangles.size());
  poll.each(mesh.triangles.size(), [&](std::size_t i) {
    items.push_back({box_of(mesh.corners(i)), static_cast<std::uint32_t>(i)});
  });
  build(std::move(items), workers, poll);
}

void BoxTree::build(std::vector<Item> items, Workers& workers, Poll& poll) {
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
  const int axis = widest_axis(items, poll);
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
    const Poll start = poll;
    workers.both(
        [&] {
          Poll own = start;
          build_left(own);
        },
        [&] {
          Poll own = start;
          build_right(own);
        });
  }
}

}  // namespace sightline
