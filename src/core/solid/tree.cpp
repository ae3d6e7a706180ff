#include "solid/tree.h"

#include <bit>

namespace sightline::solid {

struct Tree::Item {
  Box box;
  std::uint32_t triangle;
};

namespace {

/// Half of lo + hi, without overflow.
double middle(const Box& box, int axis) { return 0.5 * box.lo[axis] + 0.5 * box.hi[axis]; }

template <typename Items>
int widest_axis(const Items& items, Poll& poll) {
  Box centres;
  poll.each(items.size(), [&](std::size_t i) {
    centres.add(Vec3d{middle(items[i].box, 0), middle(items[i].box, 1), middle(items[i].box, 2)});
  });
  int widest = 0;
  for (int k = 1; k < 3; ++k)
    if (0.5 * centres.hi[k] - 0.5 * centres.lo[k] > 0.5 * centres.hi[widest] - 0.5 * centres.lo[widest]) widest = k;
  return widest;
}

}  // namespace

Tree::Tree(const MeshView& mesh, Workers& workers, Poll poll) {
  if (mesh.triangles.empty()) return;
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  std::vector<Item> items;
  items.reserve(count);
  poll.each(count, [&](std::size_t i) { items.push_back({box_of(mesh.corners(i)), static_cast<std::uint32_t>(i)}); });
  const std::uint32_t leaves = count / kLeaf + (count % kLeaf != 0);
  nodes_.resize(2 * std::size_t{leaves} - 1);
  workers.isolated([&] { build(items, 0, 0, workers, poll); });
  triangles_.reserve(count);
  for (const Item& item : items) triangles_.push_back(item.triangle);
}

void Tree::build(std::span<Item> items, std::uint32_t begin, std::uint32_t node, Workers& workers, Poll& poll) {
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
    const double p = middle(a.box, axis), q = middle(b.box, axis);
    return p != q ? p < q : a.triangle < b.triangle;
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

}  // namespace sightline::solid
