#include "pair/shadows.h"

#include <algorithm>
#include <numeric>

namespace sightline {
namespace {

/// Lists of fewer members are not worth another thread.
constexpr std::size_t kWorthSharing = 1 << 13;

/// The size of the left child: whole leaves, as in a balanced tree.
std::uint32_t left_of(std::size_t count) {
  return static_cast<std::uint32_t>((count + Shadows::kLeaf - 1) / Shadows::kLeaf / 2 * Shadows::kLeaf);
}

}  // namespace

Shadows::Shadows(const TriangleTable& table, const TwoLists& lists, double most_left, Workers& workers,
                 const std::function<bool()>& stop, std::uint32_t& guess)
    : views_(table, lists, guess), workers_(workers) {
  if (!(views_.left() <= most_left) || stop()) return;
  const std::size_t count = lists.size(), first = lists.first.size();
  std::vector<Cover> covers(count);
  find_covers(lists, 0, count, covers);
  if (stop()) return;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  const std::span<std::uint32_t> all = order;
  for (const std::span<std::uint32_t> list : {all.first(first), all.subspan(first)}) {
    // Links of one hub can be compared only with each other, so each hub has a range of its own.
    std::stable_sort(list.begin(), list.end(), [&](auto a, auto b) { return covers[a].hub < covers[b].hub; });
    sort(list, covers);
  }
  if (stop()) return;
  covers_.reserve(count);
  members_.reserve(count);
  for (const std::uint32_t i : order) {
    covers_.push_back(covers[i]);
    members_.push_back(lists[i]);
  }
  nodes_.reserve(2 * (count / kLeaf + 2));
  build(0, static_cast<std::uint32_t>(first));
  second_root_ = static_cast<std::uint32_t>(nodes_.size());
  if (count > first) build(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count));
}

void Shadows::find_covers(const TwoLists& lists, std::size_t first, std::size_t last, std::span<Cover> out) const {
  if (last - first > kWorthSharing) {
    const std::size_t middle = first + (last - first) / 2;
    return workers_.both([&] { find_covers(lists, first, middle, out); },
                         [&] { find_covers(lists, middle, last, out); });
  }
  std::uint32_t guess = 0;
  for (std::size_t i = first; i < last; ++i) out[i] = views_.cover_of(lists[i].member.triangle, guess);
}

/// Leaves of kLeaf members that are close in some view: halved again and again where they are best separated.
void Shadows::sort(std::span<std::uint32_t> order, const std::vector<Cover>& covers) const {
  if (order.size() <= kLeaf) return;
  const std::size_t left = left_of(order.size());
  if (covers[order.front()].hub == covers[order.back()].hub) {
    const int v = views_.best(order, covers)[0];
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const rules::Interval &x = covers[a].view[v], &y = covers[b].view[v];
                       const float at_a = x.low + x.high, at_b = y.low + y.high;
                       return at_a != at_b ? at_a < at_b : a < b;
                     });
  }
  const auto sort_left = [&] { sort(order.first(left), covers); };
  const auto sort_right = [&] { sort(order.subspan(left), covers); };
  if (order.size() > kWorthSharing) return workers_.both(sort_left, sort_right);
  sort_left();
  sort_right();
}

void Shadows::build(std::uint32_t begin, std::uint32_t end) {
  const auto at = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({covers_[begin], begin, end, 0});
  if (end - begin <= kLeaf) {
    for (std::uint32_t i = begin + 1; i < end; ++i) nodes_[at].cover.add(covers_[i]);
    return;
  }
  const std::uint32_t middle = begin + left_of(end - begin);
  build(begin, middle);
  nodes_[at].right = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end);
  nodes_[at].cover = nodes_[at + 1].cover;
  nodes_[at].cover.add(nodes_[nodes_[at].right].cover);
}

double Shadows::left(const Node& first, const Node& second) const {
  // A few hundred members of each, of which the views take a sample.
  constexpr std::uint32_t kMost = 64;
  std::vector<const Cover*> some;
  const auto take = [&](const Node& node) {
    const std::uint32_t step = std::max(1u, (node.end - node.begin) / kMost);
    for (std::uint32_t i = node.begin; i < node.end; i += step) some.push_back(&covers_[i]);
    return some.size();
  };
  const std::size_t split = take(first);
  if (&first == &second) return views_.left(some, 0);
  take(second);
  return views_.left(some, split);
}

void Shadows::set_boxes(Group& group, std::span<const std::uint32_t> members) const {
  const std::array<int, 3> views = views_.best(members, covers_);
  for (int k = 0; k < 3; ++k) {
    float low = 4, high = -4;
    for (const std::uint32_t i : members) {
      low = std::min(low, covers_[i].view[views[k]].low);
      high = std::max(high, covers_[i].view[views[k]].high);
    }
    // Monotone, as the map of the kernel.
    const float scale = high - low > 0x1p-100f ? 255.0f / (high - low) : 0.0f;
    const auto level = [&](float x) {
      return static_cast<std::uint8_t>(std::clamp((x - low) * scale, 0.0f, 255.0f));
    };
    for (std::size_t i = 0; i < members.size(); ++i) {
      const rules::Interval& seen = covers_[members[i]].view[views[k]];
      group.box[k][i] = level(seen.low);
      group.box[3 + k][i] = level(seen.high);
    }
  }
}

}  // namespace sightline
