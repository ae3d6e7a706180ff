#include "pair/shadows.h"

#include <algorithm>
#include <numeric>

namespace sightline {
namespace {

/// Lists of fewer members are not worth another thread.
constexpr std::size_t kWorthSharing = 1 << 11;

/// The size of the left child of `count` members in the order of their hubs. Members of several hubs are cut between
/// two hubs, near the middle: links separate only members of one hub, so a leaf with two would meet most others.
/// Members of one hub are cut into whole leaves, as in a balanced tree.
template <typename HubOf>
std::uint32_t left_of(std::uint32_t count, const HubOf& hub_of) {
  if (hub_of(0) == hub_of(count - 1)) return (count + Shadows::kLeaf - 1) / Shadows::kLeaf / 2 * Shadows::kLeaf;
  const auto first_from = [&](std::uint32_t low, const auto& is_there) {
    for (std::uint32_t high = count; low < high;) {
      const std::uint32_t middle = low + (high - low) / 2;
      is_there(hub_of(middle)) ? high = middle : low = middle + 1;
    }
    return low;
  };
  const std::uint32_t hub = hub_of(count / 2);
  const std::uint32_t begin = first_from(0, [&](std::uint32_t h) { return h >= hub; });
  const std::uint32_t end = first_from(begin, [&](std::uint32_t h) { return h > hub; });
  return begin > 0 && (end == count || count / 2 - begin <= end - count / 2) ? begin : end;
}

}  // namespace

Shadows::Shadows(const TriangleTable& table, const TwoLists& lists, double most_left, std::size_t many,
                 Workers& workers, const std::function<bool()>& stop, std::uint32_t& guess)
    : views_(table, lists, guess), workers_(workers), lists_(lists) {
  if (!(views_.left() <= most_left || (views_.boxes_apart() && lists.size() >= many)) || stop()) return;
  const std::size_t count = lists.size(), first = lists.first.size();
  covers_.resize(count);
  find_covers(0, count);
  if (stop()) return;
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  const std::span<std::uint32_t> all = order_;
  for (const std::span<std::uint32_t> list : {all.first(first), all.subspan(first)}) {
    // Links of one hub can be compared only with each other, so each hub has a range of its own.
    std::stable_sort(list.begin(), list.end(), [&](auto a, auto b) { return covers_[a].hub < covers_[b].hub; });
    sort(list);
  }
  if (stop()) return;
  put_in_order();
  nodes_.reserve(2 * (count / kLeaf + 2));
  build(0, static_cast<std::uint32_t>(first));
  second_root_ = static_cast<std::uint32_t>(nodes_.size());
  if (count > first) build(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count));
}

void Shadows::find_covers(std::size_t first, std::size_t last) {
  if (last - first > kWorthSharing) {
    const std::size_t middle = first + (last - first) / 2;
    return workers_.both([&] { find_covers(first, middle); }, [&] { find_covers(middle, last); });
  }
  std::uint32_t guess = 0;
  for (std::size_t i = first; i < last; ++i) covers_[i] = views_.cover_of(lists_[i].member.triangle, guess);
}

/// Leaves of kLeaf members that are close in some view: halved again and again where they are best separated.
void Shadows::sort(std::span<std::uint32_t> order) const {
  if (order.size() <= kLeaf) return;
  const std::uint32_t left =
      left_of(static_cast<std::uint32_t>(order.size()), [&](std::uint32_t i) { return covers_[order[i]].hub; });
  if (covers_[order.front()].hub == covers_[order.back()].hub) {
    const int v = views_.best(order, covers_)[0];
    std::nth_element(order.begin(), order.begin() + left, order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const float at_a = covers_[a].low_at(v) + covers_[a].high_at(v);
      const float at_b = covers_[b].low_at(v) + covers_[b].high_at(v);
      return at_a != at_b ? at_a < at_b : a < b;
    });
  }
  const auto sort_left = [&] { sort(order.first(left)); };
  const auto sort_right = [&] { sort(order.subspan(left)); };
  if (order.size() > kWorthSharing) return workers_.both(sort_left, sort_right);
  sort_left();
  sort_right();
}

/// Moves cover i to the place that has i in order_: along the cycles of the permutation, without a second copy.
void Shadows::put_in_order() {
  std::vector<bool> done(covers_.size());
  for (std::uint32_t start = 0; start < covers_.size(); ++start) {
    if (done[start]) continue;
    const Cover first = covers_[start];
    std::uint32_t at = start;
    for (; order_[at] != start; at = order_[at]) {
      covers_[at] = covers_[order_[at]];
      done[at] = true;
    }
    covers_[at] = first;
    done[at] = true;
  }
}

void Shadows::build(std::uint32_t begin, std::uint32_t end) {
  const auto at = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({covers_[begin], begin, end, 0});
  if (end - begin <= kLeaf) {
    for (std::uint32_t i = begin + 1; i < end; ++i) nodes_[at].cover.add(covers_[i]);
    return;
  }
  const std::uint32_t middle = begin + left_of(end - begin, [&](std::uint32_t i) { return covers_[begin + i].hub; });
  build(begin, middle);
  nodes_[at].right = static_cast<std::uint32_t>(nodes_.size());
  build(middle, end);
  nodes_[at].cover = nodes_[at + 1].cover;
  nodes_[at].cover.add(nodes_[nodes_[at].right].cover);
}

double Shadows::left(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second) const {
  // A hundred members of each, of which the views take a sample.
  constexpr std::size_t kMost = 64;
  const Cover* some[4 * kMost];
  std::size_t count = 0, split = 0;
  for (const std::span<const std::uint32_t> list : {first, second}) {
    const std::size_t step = std::max<std::size_t>(1, list.size() / kMost);
    split = count;
    for (std::size_t i = 0; i < list.size(); i += step) some[count++] = &covers_[list[i]];
  }
  return Views::left({some, count}, second.empty() ? 0 : split);
}

void Shadows::keep_meeting(const Node& node, const Cover& other, std::vector<std::uint32_t>& kept) const {
  kept.clear();
  for (std::uint32_t i = node.begin; i < node.end; ++i)
    if (!covers_[i].apart(other)) kept.push_back(i);
}

void Shadows::keep_meeting(std::vector<std::uint32_t>& members, const Cover& other) const {
  std::erase_if(members, [&](std::uint32_t i) { return covers_[i].apart(other); });
}

Cover Shadows::cover_of(std::span<const std::uint32_t> members) const {
  Cover all = covers_[members.front()];
  for (const std::uint32_t i : members) all.add(covers_[i]);
  return all;
}

void Shadows::set_boxes(Group& group, std::span<const std::uint32_t> members) const {
  const std::array<int, 3> views = views_.best(members, covers_);
  // One vector for the three views. Monotone, as the map of the kernel.
  const auto chosen = [&](const Quad4(&ends)[3]) {
    return Quad4{ends[views[0] / 4][views[0] % 4], ends[views[1] / 4][views[1] % 4], ends[views[2] / 4][views[2] % 4],
                 0};
  };
  Quad4 low = chosen(covers_[members.front()].low), high = chosen(covers_[members.front()].high);
  for (const std::uint32_t i : members) {
    const Quad4 here_low = chosen(covers_[i].low), here_high = chosen(covers_[i].high);
    low = here_low < low ? here_low : low;
    high = here_high > high ? here_high : high;
  }
  const Quad4 extent = high - low, most = {255, 255, 255, 255}, none = {};
  const Quad4 scale = extent > 0x1p-100f ? most / extent : none;
  const auto levels = [&](const Quad4& ends) {
    const Quad4 at = (ends - low) * scale;
    return __builtin_convertvector(at < most ? at : most, std::int32_t __attribute__((vector_size(16))));
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto least = levels(chosen(covers_[members[i]].low)), greatest = levels(chosen(covers_[members[i]].high));
    for (int k = 0; k < 3; ++k) {
      group.box[k][i] = static_cast<std::uint8_t>(least[k]);
      group.box[3 + k][i] = static_cast<std::uint8_t>(greatest[k]);
    }
  }
}

}  // namespace sightline
