#include "pair/divider.h"

#include <algorithm>
#include <cmath>

namespace sightline {
namespace {

/// Groups up to this size are tested as they are; larger ones are divided if that separates them.
constexpr std::size_t kGroupSize = 128;
/// A division pays if the parts together are not much larger than the whole.
constexpr double kMostGrowth = 1.4;

}  // namespace

void Divider::column(const Entry* entries, std::size_t count, std::int32_t u, std::int32_t v) {
  if (count < 2 || !worth_testing(entries, count)) return;
  int near = kMaxSlabs, far = 0;
  for (std::size_t i = 0; i < count; ++i) {
    near = std::min<int>(near, entries[i].slab);
    far = std::max<int>(far, entries[i].slab + entries[i].span());
  }
  const Region region = region_of(u, v, near, far);
  const auto least_of = [](const Entry& e) {
    return 4u | (e.least_v() ? 2u : 0u) | (e.least_u() ? 1u : 0u);  // the column holds all depths
  };
  if (count <= kGroupSize) {
    begin_group(region);
    for (std::size_t i = 0; i < count; ++i) add(entries[i].triangle, least_of(entries[i]));
    run();
    return;
  }
  double origin[3];
  for (int k = 0; k < 3; ++k) origin[k] = (region.low[k] + region.high[k]) / 2;
  std::vector<Boxed> members(count);
  for (std::size_t i = 0; i < count; ++i) {
    members[i].triangle = entries[i].triangle;
    members[i].least = least_of(entries[i]);
    loader_.box(entries[i].triangle, origin, guess_, members[i].low, members[i].high);
  }
  divide(members, region, origin, 0);
}

/// False if all entries are of one object that is not checked against itself. Entries are in order of triangles.
bool Divider::worth_testing(const Entry* entries, std::size_t count) {
  if (table_.objects.size() == 1) return table_.objects[0].self;
  const auto& first = table_.object_of(entries[0].triangle, guess_);
  return first.self || entries[count - 1].triangle - first.first_triangle >= first.triangle_count;
}

Region Divider::region_of(std::int32_t u, std::int32_t v, std::int32_t near, std::int32_t far) const {
  Region region;
  const std::int32_t first[3] = {u, v, near}, last[3] = {u, v, far};
  const double ratio = loader_.scale() / frame_.prescale;
  for (int k = 0; k < 3; ++k) {
    region.low[frame_.axis[k]] = (frame_.origin[k] + first[k] / frame_.cells_per_unit[k]) * ratio;
    region.high[frame_.axis[k]] = (frame_.origin[k] + (last[k] + 1) / frame_.cells_per_unit[k]) * ratio;
  }
  return region;
}

// Dividing at s on one axis: what begins before s goes left, what ends at s or beyond goes right, so a triangle across s is in
// both. A pair belongs where the larger of the two least coordinates lies. On the left nothing changes; on the right a
// triangle that begins before s loses its claim on that axis. Two that both begin before s are thus tested on the left only.
void Divider::divide(std::vector<Boxed>& members, Region region, const double* origin, int depth) {
  const std::size_t count = members.size();
  if (count < 2) return;
  if (count <= kGroupSize) {
    begin_group(region);
    for (const Boxed& m : members) add(m.triangle, m.least);
    return run();
  }
  double sum[3] = {}, square[3] = {};
  for (const Boxed& m : members)
    for (int k = 0; k < 3; ++k) {
      // Clamped to the region, so that a giant does not draw the cut away from the rest.
      const double low = std::max(static_cast<double>(m.low[k]), region.low[k] - (loader_.exact() ? 0 : origin[k]));
      const double high = std::min(static_cast<double>(m.high[k]), region.high[k] - (loader_.exact() ? 0 : origin[k]));
      const double middle = (low + high) / 2;
      sum[k] += middle;
      square[k] += middle * middle;
    }
  int order[3] = {0, 1, 2};
  const auto spread = [&](int k) { return square[k] - sum[k] * sum[k] / static_cast<double>(count); };
  std::sort(order, order + 3, [&](int a, int b) { return spread(a) > spread(b); });
  for (const int k : order) {
    const float s = static_cast<float>(sum[k] / static_cast<double>(count));
    std::size_t left = 0, right = 0;
    for (const Boxed& m : members) {
      left += m.low[k] < s;
      right += !(m.low[k] < s) || m.high[k] >= s;
    }
    if (depth > 60 || left == count || right == count ||
        static_cast<double>(left + right) > kMostGrowth * static_cast<double>(count))
      continue;
    const auto claim = static_cast<std::uint32_t>(
        1u << (std::find(frame_.axis, frame_.axis + 3, k) - frame_.axis));
    std::vector<Boxed> after;
    after.reserve(right);
    std::size_t kept = 0;
    for (const Boxed& m : members) {
      if (!(m.low[k] < s) || m.high[k] >= s) {
        after.push_back(m);
        if (m.low[k] < s) after.back().least &= ~claim;
      }
      if (m.low[k] < s) members[kept++] = m;
    }
    members.resize(kept);
    const double at = static_cast<double>(s) + (loader_.exact() ? 0 : origin[k]);
    Region before_region = region, after_region = region;
    before_region.high[k] = std::min(region.high[k], at);
    after_region.low[k] = std::max(region.low[k], at);
    divide(members, before_region, origin, depth + 1);
    divide(after, after_region, origin, depth + 1);
    return;
  }
  tile(members, region);
}

/// No division separates them: every block against itself and every other.
void Divider::tile(const std::vector<Boxed>& members, const Region& region) {
  constexpr std::size_t kBlock = Group::kCapacity / 2;
  for (std::size_t a = 0; a < members.size(); a += kBlock)
    for (std::size_t b = a; b < members.size(); b += kBlock) {
      begin_group(region);
      for (std::size_t i = a; i < std::min(a + kBlock, members.size()); ++i) add(members[i].triangle, members[i].least);
      if (a != b) {
        group_.split = group_.size;
        for (std::size_t i = b; i < std::min(b + kBlock, members.size()); ++i)
          add(members[i].triangle, members[i].least);
      }
      run();
    }
}

void Divider::begin_group(const Region& region) {
  group_.size = 0;
  group_.split = 0;
  group_.slop = 0;
  for (auto& least : group_.least)
    for (std::uint64_t& word : least) word = 0;
  for (std::uint64_t& word : group_.self) word = 0;
  for (int k = 0; k < 3; ++k) {
    origin_[k] = loader_.exact() ? 0 : (region.low[k] + region.high[k]) / 2;
    group_.low[k] = static_cast<float>(region.low[k] - origin_[k]);
    group_.high[k] = static_cast<float>(region.high[k] - origin_[k]);
  }
}

void Divider::add(std::uint32_t triangle, std::uint32_t least) {
  const int at = group_.size++;
  loader_.load(group_, at, triangle, origin_, guess_);
  for (int k = 0; k < 3; ++k)
    group_.least[k][at / 64] |= static_cast<std::uint64_t>(least >> k & 1) << (at % 64);
}

void Divider::run() {
  ++groups_;
  members_ += static_cast<std::uint64_t>(group_.size);
  group_.one_object = group_.self[0] & 1;
  for (int i = 1; i < group_.size && group_.one_object; ++i) group_.one_object = group_.object[i] == group_.object[0];
  kernel_(group_, loader_.sharing(), lists_, settler_);
}

}  // namespace sightline
