#include <algorithm>
#include <utility>

#include "base/pages.h"
#include "exact/tri_tri.h"
#include "pair/divider.h"

namespace sightline {

namespace {

/// True if all corners of the group are multiples of some q, and differences of coordinates below 2^bits q.
bool on_lattice(const Group& group, int bits) {
  // As in Points::on_lattice: adding and subtracting k rounds to multiples of q or more.
  const double k = 1.5 * exact::power_of_two(exact::exponent_of(static_cast<double>(group.reach)) + 1 - bits + 52);
  for (int i = 0; i < group.size; ++i) {
    bool multiples = true;
    for (int c = 0; c < 12; ++c) {
      if (c % 4 == 3) continue;
      const double x = group.record[i][c];
      multiples &= (x + k) - k == x;
    }
    if (!multiples) return false;
  }
  return true;
}

/// a - b, if it is a double.
bool exact_difference(double a, double b, double* difference) {
  const double d = a - b, back = d - a;
  *difference = d;
  return (a - (d - back)) - (b + back) == 0;
}

}  // namespace

/// The condition of the lattice kernel. Records that were rounded on the way into the frame are compared with the
/// positions: differences must be exact.
bool Settler::on_fine_lattice(const Group& group) const {
  const double limit = exact::power_of_two(kLatticeReach);
  if (!(group.reach > 1 / limit && group.reach < limit) || !on_lattice(group, kLatticeBits)) return false;
  if (group.slop == 0) return true;
  const Vec3d origin = table_.objects[group.object[0]].corners(group.triangle[0])[0];
  for (int i = 0; i < group.size; ++i) {
    const std::array<Vec3d, 3> corners = table_.objects[group.object[i]].corners(group.triangle[i]);
    for (int c = 0; c < 3; ++c)
      for (int axis = 0; axis < 3; ++axis) {
        double difference;
        if (!exact_difference(corners[c][axis], origin[axis], &difference)) return false;
        const double placed = static_cast<double>(group.record[i][4 * c + axis]) - group.record[0][axis];
        if (difference * group.scale != placed || (difference == 0) != (placed == 0)) return false;  // no underflow
      }
  }
  return true;
}

void Settler::record(const Group& group, std::uint32_t pair, Kind kind) {
  const auto number = [&](std::uint32_t m) {
    const auto& object = table_.objects[group.object[m]];
    return std::pair(object.id, group.triangle[m] - object.first_triangle);
  };
  auto a = number(pair & 0xFF), b = number(pair >> 8);
  if (a > b) std::swap(a, b);
  ++count;
  append_large(found, {a.first, b.first, a.second, b.second, kind});
}

std::array<std::array<Vec3d, 3>, 2> Settler::corners(const Group& group, std::uint32_t pair) const {
  const std::uint32_t i = pair & 0xFF, j = pair >> 8;
  return {table_.objects[group.object[i]].corners(group.triangle[i]),
          table_.objects[group.object[j]].corners(group.triangle[j])};
}

void Settler::decide_wide(const Group& group, const PairLists& lists, std::int8_t* verdicts) const {
  constexpr int kSize = exact::PairBlock::kSize;
  exact::PairBlock block;
  for (int first = 0; first < lists.undecided_count; first += kSize) {
    unsigned one_object = 0;
    for (int k = 0; k < kSize; ++k) {
      const std::uint32_t pair = lists.undecided[std::min(first + k, lists.undecided_count - 1)];
      const auto [a, b] = corners(group, pair);
      block.put(static_cast<std::size_t>(k), a, b);
      one_object |= unsigned{group.object[pair & 0xFF] == group.object[pair >> 8]} << k;
    }
    wide_(block, one_object, verdicts + first);
  }
}

void Settler::take(const Group& group, PairLists& lists) {
  for (int k = 0; k < lists.crossing_count; ++k) record(group, lists.crossing[k], Kind::crossing);
  // Lattices are looked for once for many pairs, and vectors decide a few; otherwise each pair is looked at by itself.
  constexpr int kWorthAsking = 32, kWorthVectors = 4;
  const bool many = lists.undecided_count >= kWorthAsking;
  std::int8_t verdicts[PairLists::kBuffer];
  bool decided = many && lattice_ != nullptr && on_fine_lattice(group);
  if (decided) {
    lattice_(group, lists.undecided, lists.undecided_count, verdicts);
  } else if (wide_ != nullptr && lists.undecided_count >= kWorthVectors) {
    decide_wide(group, lists, verdicts);
    decided = true;
  }
  const bool lattice =
      many && !decided && group.slop == 0 && group.reach > 0x1p-60f && group.reach < 0x1p60f && on_lattice(group, 14);
  for (int k = 0; k < lists.undecided_count; ++k) {
    const std::uint32_t pair = lists.undecided[k];
    auto verdict = decided ? static_cast<exact::Verdict>(verdicts[k]) : exact::Verdict::clear;
    if (!decided || verdicts[k] == kOpenVerdict) {
      const auto [a, b] = corners(group, pair);
      exact::TrianglePair triangles = exact::pair_of(a, b);
      if (lattice) triangles.points.assume_lattice();
      verdict = triangles.decide(group.object[pair & 0xFF] == group.object[pair >> 8]);
    }
    if (verdict != exact::Verdict::clear) record(group, pair, static_cast<Kind>(verdict));
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
