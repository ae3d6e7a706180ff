#include "pair/divider.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline {
namespace {

/// Groups up to this size are tested as they are; larger ones are divided if that separates them.
constexpr std::size_t kGroupSize = Group::kCapacity;
/// A division pays if the parts together are not much larger than the whole.
constexpr double kMostGrowth = 1.4;

}  // namespace

Divider::Divider(DividerPool& pool)
    : pool_(pool), table_(pool.table), frame_(pool.frame), loader_(pool.loader), settler_(pool.table) {}

std::unique_ptr<Divider> DividerPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Divider> divider = std::move(idle_.back());
      idle_.pop_back();
      return divider;
    }
  }
  return std::make_unique<Divider>(*this);
}

void DividerPool::give(std::unique_ptr<Divider> divider) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(divider));
}

void Divider::column(const Entry* entries, std::size_t count, std::int32_t u, std::int32_t v) {
  if (table_.objects.size() > 1) {
    count = within_reach(entries, count);
    entries = reachable_.data();
  }
  if (count < 2) return;
  int near = kMaxSlabs, far = 0;
  for (std::size_t i = 0; i < count; ++i) {
    near = std::min<int>(near, entries[i].slab);
    far = std::max<int>(far, entries[i].slab + entries[i].span());
  }
  if (count > kGroupSize && far > near) return slices(entries, count, u, v, near, far);
  members_now_.clear();
  for (std::size_t i = 0; i < count; ++i) members_now_.push_back({entries[i].triangle, entries[i].least() | 4u});
  test(members_now_.data(), count, region_of(u, v, near, far));
}

// A column with many entries, cut in depth. Entries in order of their nearest slab; a slice takes whole slabs until it
// is full, together with those entries before it that reach into it. A pair belongs to the slice that holds the larger
// of the two nearest slabs, so the entries from before have no claim in depth.
void Divider::slices(const Entry* entries, std::size_t count, std::int32_t u, std::int32_t v, int near, int far) {
  slab_begin_.assign(static_cast<std::size_t>(far - near) + 2, 0);
  for (std::size_t i = 0; i < count; ++i) ++slab_begin_[entries[i].slab - near + 1];
  for (std::size_t s = 1; s < slab_begin_.size(); ++s) slab_begin_[s] += slab_begin_[s - 1];
  by_slab_.resize(count);
  for (std::size_t i = 0; i < count; ++i) by_slab_[slab_begin_[entries[i].slab - near]++] = entries[i];
  // Each slot now holds the end of its slab.
  open_.clear();
  std::size_t at = 0;
  int slab = near;
  while (at < count) {
    slab = by_slab_[at].slab;
    std::erase_if(open_, [slab](const Entry& e) { return e.slab + e.span() < slab; });
    int last = slab;
    std::size_t end = slab_begin_[last - near];
    while (last < far && open_.size() + (slab_begin_[last + 1 - near] - at) <= kGroupSize)
      end = slab_begin_[++last - near];
    members_now_.clear();
    for (const Entry& e : open_) members_now_.push_back({e.triangle, e.least()});
    for (std::size_t i = at; i < end; ++i) {
      members_now_.push_back({by_slab_[i].triangle, by_slab_[i].least() | 4u});
      if (by_slab_[i].slab + by_slab_[i].span() > last) open_.push_back(by_slab_[i]);
    }
    test(members_now_.data(), members_now_.size(), region_of(u, v, slab, last));
    at = end;
  }
}

/// All pairs of these members that belong to the region.
void Divider::test(const Member* members, std::size_t count, const Region& region) {
  if (count < 2 || !worth_testing(members, count)) return;
  if (count <= kGroupSize) {
    begin_group(region);
    add(members, count);
    return run();
  }
  double origin[3];
  for (int k = 0; k < 3; ++k) origin[k] = (region.low[k] + region.high[k]) / 2;
  std::vector<Boxed> boxed(count);
  for (std::size_t i = 0; i < count; ++i) {
    boxed[i].member = members[i];
    loader_.box(members[i].triangle, origin, guess_, boxed[i].low, boxed[i].high);
  }
  divide(boxed, region, origin, 0);
}

/// False if all members are of one object that is not checked against itself.
bool Divider::worth_testing(const Member* members, std::size_t count) {
  if (table_.objects.size() == 1) return true;
  const auto& first = table_.object_of(members[0].triangle, guess_);
  if (first.self) return true;
  for (std::size_t i = 1; i < count; ++i)
    if (members[i].triangle - first.first_triangle >= first.triangle_count) return true;
  return false;
}

// The depth cull of a column, with more than one object: an entry stays if the depth range of another object in this
// column reaches it, or if its own object is checked against itself. Entries come in order of triangles, so an object's
// are together.
std::size_t Divider::within_reach(const Entry* entries, std::size_t count) {
  struct Range {
    std::size_t begin, end;
    int near, far;
    bool self;
  };
  constexpr std::size_t kMostRanges = 16;  // with more, almost nothing would go
  Range range[kMostRanges];
  std::size_t ranges = 0;
  reachable_.clear();
  for (std::size_t i = 0; i < count;) {
    const auto& object = table_.object_of(entries[i].triangle, guess_);
    Range r{i, i, kMaxSlabs, 0, object.self};
    for (; r.end < count && entries[r.end].triangle - object.first_triangle < object.triangle_count; ++r.end) {
      r.near = std::min<int>(r.near, entries[r.end].slab);
      r.far = std::max<int>(r.far, entries[r.end].slab + entries[r.end].span());
    }
    i = r.end;
    if (ranges == kMostRanges) {
      reachable_.assign(entries, entries + count);
      return count;
    }
    range[ranges++] = r;
  }
  for (std::size_t r = 0; r < ranges; ++r)
    for (std::size_t i = range[r].begin; i < range[r].end; ++i) {
      bool reached = range[r].self;
      for (std::size_t other = 0; other < ranges && !reached; ++other)
        reached = other != r && range[other].near <= entries[i].slab + entries[i].span() &&
                  range[other].far >= entries[i].slab;
      if (reached) reachable_.push_back(entries[i]);
    }
  return reachable_.size();
}

Region Divider::region_of(std::int32_t u, std::int32_t v, std::int32_t near, std::int32_t far) const {
  Region region;
  const std::int32_t first[3] = {u, v, near}, last[3] = {u, v, far};
  const double ratio = loader_.scale() / frame_.prescale;
  for (int k = 0; k < 3; ++k) {
    double low = frame_.origin[k] + first[k] / frame_.cells_per_unit[k];
    double high = frame_.origin[k] + (last[k] + 1) / frame_.cells_per_unit[k];
    // The outermost cells hold everything beyond them.
    if (first[k] == 0) low = std::min(low, frame_.low[k]);
    if (last[k] == frame_.size[k] - 1) high = std::max(high, frame_.high[k]);
    region.low[frame_.axis[k]] = low * ratio;
    region.high[frame_.axis[k]] = high * ratio;
  }
  return region;
}

/// The axis to cut on and where, or -1 if no cut separates the members well enough.
int Divider::best_cut(const std::vector<Boxed>& members, const Region& region, const double* origin, float& at) const {
  const auto count = static_cast<double>(members.size());
  double sum[3] = {}, square[3] = {};
  for (int k = 0; k < 3; ++k) {
    // Clamped to the region, so that a giant does not draw the cut away from the rest.
    const double shift = loader_.exact() ? 0 : origin[k];
    const double least = region.low[k] - shift, most = region.high[k] - shift;
    for (const Boxed& m : members) {
      const double middle = (std::max<double>(m.low[k], least) + std::min<double>(m.high[k], most)) / 2;
      sum[k] += middle;
      square[k] += middle * middle;
    }
  }
  int order[3] = {0, 1, 2};
  const auto spread = [&](int k) { return square[k] - sum[k] * sum[k] / count; };
  for (int i = 0; i < 2; ++i)
    for (int j = i + 1; j < 3; ++j)
      if (spread(order[j]) > spread(order[i])) std::swap(order[i], order[j]);
  for (const int k : order) {
    at = static_cast<float>(sum[k] / count);
    std::size_t left = 0, right = 0;
    for (const Boxed& m : members) {
      left += m.low[k] < at;
      right += !(m.low[k] < at) || m.high[k] >= at;
    }
    if (left < members.size() && right < members.size() && static_cast<double>(left + right) <= kMostGrowth * count)
      return k;
  }
  return -1;
}

// Dividing at s on one axis: what begins before s goes left, what ends at s or beyond goes right, so a triangle across
// s is in both. A pair belongs where the larger of the two least coordinates lies. On the left nothing changes; on the
// right a triangle that begins before s loses its claim on that axis. Two that both begin before s are thus tested on
// the left only.
void Divider::divide(std::vector<Boxed>& members, const Region& region, const double* origin, int depth) {
  constexpr int kMostDepth = 60;  // each cut takes something from both sides, but maybe not much
  if (members.size() <= kGroupSize) return test_boxed(members, region);
  float s = 0;
  const int k = depth < kMostDepth ? best_cut(members, region, origin, s) : -1;
  if (k < 0) return tile(members, region);

  const auto claim = static_cast<std::uint32_t>(1u << (std::find(frame_.axis, frame_.axis + 3, k) - frame_.axis));
  std::vector<Boxed> after;
  std::size_t kept = 0;
  for (const Boxed& m : members) {
    const bool before = m.low[k] < s;
    if (!before || m.high[k] >= s) {
      after.push_back(m);
      if (before) after.back().member.least &= ~claim;
    }
    if (before) members[kept++] = m;
  }
  members.resize(kept);
  Region before_region = region, after_region = region;
  const double at = static_cast<double>(s) + (loader_.exact() ? 0 : origin[k]);
  before_region.high[k] = std::min(region.high[k], at);
  after_region.low[k] = std::max(region.low[k], at);

  constexpr std::size_t kWorthSharing = 1 << 14;
  if (kept + after.size() < kWorthSharing) {
    divide(members, before_region, origin, depth + 1);
    divide(after, after_region, origin, depth + 1);
    return;
  }
  std::unique_ptr<Divider> other = pool_.take();
  pool_.workers.both([&] { divide(members, before_region, origin, depth + 1); },
                     [&] { other->divide(after, after_region, origin, depth + 1); });
  auto& found = other->settler_.found;
  settler_.found.insert(settler_.found.end(), found.begin(), found.end());
  found.clear();
  pool_.give(std::move(other));
}

/// No more than a group holds.
void Divider::test_boxed(const std::vector<Boxed>& members, const Region& region) {
  if (members.size() < 2) return;
  Member list[Group::kCapacity];
  for (std::size_t i = 0; i < members.size(); ++i) list[i] = members[i].member;
  begin_group(region);
  add(list, members.size());
  run();
}

/// No cut separates them: every block against itself and every other.
void Divider::tile(const std::vector<Boxed>& members, const Region& region) {
  constexpr std::size_t kBlock = Group::kCapacity / 2;
  std::vector<Member> list;
  for (const Boxed& m : members) list.push_back(m.member);
  for (std::size_t a = 0; a < list.size(); a += kBlock)
    for (std::size_t b = a; b < list.size(); b += kBlock) {
      begin_group(region);
      add(list.data() + a, std::min(kBlock, list.size() - a));
      if (a != b) {
        group_.split = group_.size;
        add(list.data() + b, std::min(kBlock, list.size() - b));
      }
      run();
    }
}

void Divider::begin_group(const Region& region) {
  group_.size = 0;
  group_.split = 0;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  group_.least_corner = Quad4{kInfinity, kInfinity, kInfinity, kInfinity};
  group_.greatest_corner = -group_.least_corner;
  for (auto& least : group_.least)
    for (std::uint64_t& word : least) word = 0;
  for (int k = 0; k < 3; ++k) {
    origin_[k] = loader_.exact() ? 0 : (region.low[k] + region.high[k]) / 2;
    group_.low[k] = static_cast<float>(region.low[k] - origin_[k]);
    group_.high[k] = static_cast<float>(region.high[k] - origin_[k]);
  }
}

void Divider::add(const Member* members, std::size_t count) {
  if (stopped_) return;
  loader_.append(group_, members, static_cast<int>(count), origin_, guess_);
}

/// Bounds of the coordinates, which the error bounds depend on. A NaN or an infinity stays in them.
void Divider::measure() {
  group_.reach = group_.slop = 0;
  for (int k = 0; k < 3; ++k) {
    const float low = group_.least_corner[k], high = group_.greatest_corner[k];
    const float extent = high - low, magnitude = std::max(std::fabs(low), std::fabs(high));
    if (!(extent <= group_.reach)) group_.reach = extent;
    if (!loader_.exact() && !(magnitude <= group_.slop)) group_.slop = magnitude;
  }
}

void Divider::run() {
  constexpr std::uint64_t kAskEvery = 64;
  if (++groups_ % kAskEvery == 0) stopped_ = stopped_ || pool_.stop();
  if (stopped_) return;
  members_ += static_cast<std::uint64_t>(group_.size);
  find_kin();
  if (group_.one_object && !table_.objects[group_.object[0]].self) return;
  measure();
  pool_.kernel(group_, loader_.sharing(), lists_, settler_);
}

/// For each member the mask of those of its own object, where they are not to be tested against each other.
void Divider::find_kin() {
  group_.one_object = true;
  if (table_.objects.size() == 1) return;
  group_.kinds = 0;
  std::uint32_t object[Group::kCapacity];
  for (int i = 0; i < group_.size; ++i) {
    int kind = group_.kinds - 1;
    while (kind >= 0 && object[kind] != group_.object[i]) --kind;
    if (kind < 0) {
      kind = group_.kinds++;
      object[kind] = group_.object[i];
      for (std::uint64_t& word : group_.kin[kind]) word = 0;
    }
    group_.kind[i] = static_cast<std::uint8_t>(kind);
    if (!table_.objects[group_.object[i]].self) group_.kin[kind][i / 64] |= std::uint64_t{1} << (i % 64);
  }
  group_.one_object = group_.kinds == 1;
}

}  // namespace sightline
