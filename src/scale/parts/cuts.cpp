#include "parts/cuts.h"

#include <algorithm>
#include <array>

namespace sightline::scale {
namespace {

struct Choice {
  int axis = -1;
  double at = 0;
  double length = 0;
  std::size_t worst = 0;  ///< boxes on the side that has more of them
};

/// At the median of the boxes' middles, as far as they lie in the region.
Choice choose_on(int axis, std::span<const Box> sample, const Region& region, std::vector<double>& middles) {
  const auto k = static_cast<std::size_t>(axis);
  middles.clear();
  double low = Box::kInfinity, high = -Box::kInfinity;
  for (const Box& box : sample) {
    const double from = std::max(box.low[k], region.low[k]), to = std::min(box.high[k], region.high[k]);
    low = std::min(low, from), high = std::max(high, to);
    middles.push_back(std::clamp(from / 2 + to / 2, from, to));
  }
  const auto median = middles.begin() + static_cast<std::ptrdiff_t>(middles.size() / 2);
  std::nth_element(middles.begin(), median, middles.end());
  Choice choice{axis, *median, high / 2 - low / 2, 0};
  const auto count_sides = [&] {
    std::size_t below = 0, above = 0;
    for (const Box& box : sample) below += box.low[k] <= choice.at, above += box.high[k] > choice.at;
    choice.worst = std::max(below, above);
  };
  count_sides();
  if (choice.worst < sample.size()) return choice;
  // Half of the middles and more may be one number, the largest of all: then the next smaller one divides.
  double next = -Box::kInfinity;
  for (const double middle : middles)
    if (middle < choice.at) next = std::max(next, middle);
  if (next == -Box::kInfinity) return choice;
  choice.at = next;
  count_sides();
  return choice;
}

/// Across the longest axis that divides well, else across the axis that divides best. No axis if that does not help.
Choice choose(std::span<const Box> sample, const Region& region) {
  std::vector<double> middles;
  middles.reserve(sample.size());
  std::array<Choice, 3> choices;
  for (int axis = 0; axis < 3; ++axis)
    choices[static_cast<std::size_t>(axis)] = choose_on(axis, sample, region, middles);
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.length > b.length; });
  for (const Choice& choice : choices)
    if (choice.worst <= sample.size() / 8 * 5) return choice;
  const Choice best = *std::min_element(choices.begin(), choices.end(),
                                        [](const Choice& a, const Choice& b) { return a.worst < b.worst; });
  return best.worst < sample.size() - sample.size() / 16 ? best : Choice{};
}

}  // namespace

Cuts::Cuts(std::vector<Box> sample, std::size_t most, const Region& region) { add(std::move(sample), most, region, 0); }

std::uint32_t Cuts::add(std::vector<Box> sample, std::size_t most, const Region& region, std::size_t depth) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  const Choice cut = sample.size() > most && depth < kMostDepth ? choose(sample, region) : Choice{};
  if (cut.axis < 0) {
    nodes_[number].left = static_cast<std::uint32_t>(regions_.size());
    regions_.push_back(region);
    return number;
  }
  const auto k = static_cast<std::size_t>(cut.axis);
  std::vector<Box> left, right;
  for (const Box& box : sample) {
    if (box.low[k] <= cut.at) left.push_back(box);
    if (box.high[k] > cut.at) right.push_back(box);
  }
  sample = {};
  Region left_region = region, right_region = region;
  left_region.high[k] = right_region.low[k] = cut.at;
  const std::uint32_t first = add(std::move(left), most, left_region, depth + 1);
  const std::uint32_t second = add(std::move(right), most, right_region, depth + 1);
  nodes_[number] = {cut.at, first, second, cut.axis};
  return number;
}

}  // namespace sightline::scale
