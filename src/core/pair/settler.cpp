#include <algorithm>
#include <utility>

#include "exact/tri_tri.h"
#include "pair/divider.h"

namespace sightline {

namespace {

/// True if all corners of the group lie on one lattice in the sense of Points::assume_lattice. It is tested once for
/// many pairs; otherwise each pair would be tested by itself. The answer is true only for frames that rounded nothing.
bool on_lattice(const Group& group) {
  if (group.slop != 0 || !(group.reach > 0x1p-60f && group.reach < 0x1p60f)) return false;
  // As in Points::on_lattice: adding and subtracting k rounds to multiples of q or more.
  const double k = 1.5 * exact::power_of_two(exact::exponent_of(static_cast<double>(group.reach)) - 13 + 52);
  bool multiples = true;
  for (int i = 0; i < group.size; ++i)
    for (int c = 0; c < 12; ++c) {
      if (c % 4 == 3) continue;
      const double x = group.record[i][c];
      multiples &= (x + k) - k == x;
    }
  return multiples;
}

}  // namespace

void Settler::take(const Group& group, PairLists& lists) {
  const auto record = [&](std::uint32_t pair, Kind kind) {
    const std::uint32_t i = pair & 0xFF, j = pair >> 8;
    const auto number = [&](std::uint32_t m) {
      const auto& object = table_.objects[group.object[m]];
      return std::pair(object.id, group.triangle[m] - object.first_triangle);
    };
    auto a = number(i), b = number(j);
    if (a > b) std::swap(a, b);
    ++count;
    found.push_back({a.first, b.first, a.second, b.second, kind});
  };
  for (int k = 0; k < lists.crossing_count; ++k) record(lists.crossing[k], Kind::crossing);
  constexpr int kWorthAsking = 32;
  const bool lattice = lists.undecided_count >= kWorthAsking && on_lattice(group);
  for (int k = 0; k < lists.undecided_count; ++k) {
    const std::uint32_t pair = lists.undecided[k];
    const std::uint32_t i = pair & 0xFF, j = pair >> 8;
    exact::TrianglePair triangles = exact::pair_of(table_.objects[group.object[i]].corners(group.triangle[i]),
                                                   table_.objects[group.object[j]].corners(group.triangle[j]));
    if (lattice) triangles.points.assume_lattice();
    const exact::Verdict verdict = triangles.decide(group.object[i] == group.object[j]);
    if (verdict != exact::Verdict::clear) record(pair, static_cast<Kind>(verdict));
  }
  exact_count += static_cast<std::uint64_t>(lists.undecided_count);
  lists.crossing_count = lists.undecided_count = 0;
  constexpr std::uint64_t kFew = 1 << 16;  // cutting again after fewer would cost more than it frees
  if (found.size() / 2 >= std::max(most_, kFew)) cut();
}

void Settler::cut() {
  if (found.size() <= most_) return;
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(most_);
  std::nth_element(found.begin(), end, found.end());
  found.erase(end, found.end());
}

}  // namespace sightline
