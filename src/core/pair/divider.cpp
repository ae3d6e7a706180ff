#include "pair/divider.h"

#include <algorithm>

#include "exact/points.h"

namespace sightline {
namespace {

/// Groups up to this size are tested without division; larger groups are divided if that separates them.
constexpr std::size_t kGroupSize = Group::kCapacity;
/// Two blocks of natives make a group.
constexpr std::size_t kBlock = Group::kCapacity / 2;
/// Natives that leave room for some guests.
constexpr std::size_t kHosts = Group::kCapacity - 64;
/// A division pays if the parts together are not much larger than the whole.
constexpr double kMostGrowth = 1.4;

constexpr rules::Claims kDepthClaim = 4;

/// A range of slabs.
struct Depth {
  int near, far;
  void add(const Entry& e) {
    near = std::min<int>(near, e.slab);
    far = std::max<int>(far, e.slab + e.span());
  }
};
Depth depth_of(std::span<const Entry> entries) {
  Depth depth{kMaxSlabs, 0};
  for (const Entry& e : entries) depth.add(e);
  return depth;
}

/// True if shadows prove that a triangle misses a box: along directions across its longest edge and an axis. A needle
/// whose box holds half of a model passes few of its groups.
bool beside(const double (&corner)[3][3], const Box& box) {
  double middle[3], reach = 0;
  for (int k = 0; k < 3; ++k) {
    middle[k] = box.middle(k);
    for (const auto& p : corner) reach = std::max(reach, std::fabs(p[k] - middle[k]));
    reach = std::max({reach, box.high[k] - middle[k], middle[k] - box.low[k]});
  }
  if (!(reach > 0x1p-1000 && reach < 0x1p1000)) return false;
  const double scale = exact::power_of_two(-exact::exponent_of(reach));
  double e[3][3], low[3], high[3], longest[3] = {}, most = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) e[i][k] = (corner[i][k] - middle[k]) * scale;
    low[k] = (box.low[k] - middle[k]) * scale;
    high[k] = (box.high[k] - middle[k]) * scale;
  }
  for (int i = 0; i < 3; ++i) {
    const double(&p)[3] = e[i], (&q)[3] = e[(i + 1) % 3];
    const double edge[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double length = std::max({std::fabs(edge[0]), std::fabs(edge[1]), std::fabs(edge[2])});
    if (length > most) most = length, std::copy_n(edge, 3, longest);
  }
  for (int k = 0; k < 3; ++k) {
    const int u = (k + 1) % 3, v = (k + 2) % 3;
    double d[3] = {};
    d[u] = longest[v] * 0.25;  // an edge is at most 4 long
    d[v] = -longest[u] * 0.25;
    const rules::Ends of_triangle = rules::shadow(e, d), of_box = rules::shadow(low, high, d);
    if (of_triangle.low > of_box.high || of_box.low > of_triangle.high) return true;
  }
  return false;
}

}  // namespace

Divider::Divider(DividerPool& pool)
    : pool_(pool),
      table_(pool.table),
      frame_(pool.frame),
      bins_(pool.bins),
      loader_(*pool.loader),
      settler_(pool.table) {
  begin();
}

void Divider::begin() {
  settler_.begin(pool_.rules.most_contacts, pool_.lattice, pool_.wide);
  lists_.candidate_count = 0;
  lists_.undecided_count = lists_.crossing_count = 0;
  guess_ = 0;
  runs_ = 0;
  stopped_ = false;
}

void DividerPool::begin(const std::uint32_t* welded, Simd simd, Workers& w, Rules r) {
  loader.emplace(table, frame, welded);
  kernel = group_kernel(simd);
  lattice = lattice_kernel(simd);
  wide = wide_kernel(simd);
  workers = &w;
  rules = std::move(r);
  occupied.clear();
  for (int level = 1; level < frame.levels.count; ++level)
    if (bins.column_begin[frame.levels.first[level + 1]] > bins.column_begin[frame.levels.first[level]])
      occupied.push_back(level);
  for (const std::unique_ptr<Divider>& divider : idle_) divider->begin();
}

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

bool Divider::ended() const { return stopped_ || (pool_.rules.first && settler_.count > 0); }

void Divider::column(std::size_t column) {
  std::span<const Entry> entries(bins_.entries.data() + bins_.column_begin[column],
                                 bins_.column_begin[column + 1] - bins_.column_begin[column]);
  if (entries.empty() || (entries.size() == 1 && pool_.occupied.empty())) return;
  const int level = frame_.levels.level_of(column);
  const std::size_t at = column - frame_.levels.first[level];
  const auto u = static_cast<std::int32_t>(at % frame_.levels.width[level]),
             v = static_cast<std::int32_t>(at / frame_.levels.width[level]);
  guests_.clear();
  if (!pool_.occupied.empty()) {
    const Depth all = depth_of(entries);
    find_guests(level, u, v, all.near, all.far);
  }
  if (table_.objects.size() > 1) entries = within_reach(entries);
  if (entries.empty() || entries.size() + guests_.size() < 2) return;
  const auto [near, far] = depth_of(entries);
  if (entries.size() > kGroupSize && far > near) {
    const int cell[3] = {level, u, v};
    return slices(entries, cell, near, far);
  }
  natives_now_.clear();
  for (const Entry& e : entries) natives_now_.push_back({e.triangle, e.least() | kDepthClaim});
  guests_now_.clear();
  for (const Guest& guest : guests_)
    guests_now_.push_back(loader_.boxed({guest.member.triangle, guest.member.claims | kDepthClaim}, guess_));
  test(level, u, v, near, far);
}

/// Triangles of coarser levels whose cell box, seen on this level, holds the column and reaches the slabs near … far.
void Divider::find_guests(int level, std::int32_t u, std::int32_t v, int near, int far) {
  const int shift = rules::kLevelShift * level;
  for (const int above : pool_.occupied) {
    if (above <= level) continue;
    const int up = rules::kLevelShift * (above - level);
    const std::size_t column = frame_.levels.column(above, u >> up, v >> up);
    for (std::uint64_t i = bins_.column_begin[column]; i < bins_.column_begin[column + 1]; ++i) {
      const CellBox& box = bins_.large_boxes[i - bins_.first_large];
      const std::int32_t u_low = box.low[0] >> shift, v_low = box.low[1] >> shift;
      if (u < u_low || u > box.high[0] >> shift || v < v_low || v > box.high[1] >> shift) continue;
      if (box.low[2] > far || box.high[2] < near) continue;
      const rules::Claims claims = (u == u_low ? 1u : 0u) | (v == v_low ? 2u : 0u);
      guests_.push_back({{bins_.entries[i].triangle, claims}, box.low[2], box.high[2]});
    }
  }
}

// A column with many natives, cut in depth. Natives in order of their nearest slab; a slice takes whole slabs until it
// is full, together with those natives before it that reach into it, and lasts until the next slice begins. A pair
// belongs to the slice that holds the larger of the two nearest slabs, so what begins before a slice has no claim in
// depth there. (Before the first slice only guests begin, and no pair belongs there.)
void Divider::slices(std::span<const Entry> entries, const int* cell, int near, int far) {
  const std::size_t count = entries.size();
  slab_begin_.assign(static_cast<std::size_t>(far - near) + 2, 0);
  for (const Entry& e : entries) ++slab_begin_[e.slab - near + 1];
  for (std::size_t s = 1; s < slab_begin_.size(); ++s) slab_begin_[s] += slab_begin_[s - 1];
  by_slab_.resize(count);
  for (const Entry& e : entries) by_slab_[slab_begin_[e.slab - near]++] = e;
  // Each slot now holds the end of its slab.
  const std::size_t most = guests_.empty() ? kGroupSize : kHosts;
  open_.clear();
  for (std::size_t at = 0; at < count && !ended();) {
    const int slab = by_slab_[at].slab;
    std::erase_if(open_, [slab](const Entry& e) { return e.slab + e.span() < slab; });
    int last = slab;
    std::size_t end = slab_begin_[last - near];
    while (last < far && open_.size() + (slab_begin_[last + 1 - near] - at) <= most) end = slab_begin_[++last - near];
    last = end < count ? by_slab_[end].slab - 1 : far;
    natives_now_.clear();
    for (const Entry& e : open_) natives_now_.push_back({e.triangle, e.least()});
    for (std::size_t i = at; i < end; ++i) {
      natives_now_.push_back({by_slab_[i].triangle, by_slab_[i].least() | kDepthClaim});
      if (by_slab_[i].slab + by_slab_[i].span() > last) open_.push_back(by_slab_[i]);
    }
    guests_now_.clear();
    for (const Guest& guest : guests_)
      if (guest.near <= last && guest.far >= slab)
        guests_now_.push_back(loader_.boxed(
            {guest.member.triangle, guest.member.claims | (guest.near >= slab ? kDepthClaim : 0u)}, guess_));
    test(cell[0], cell[1], cell[2], slab, last);
    at = end;
  }
}

/// All pairs of natives_now_, and of these with guests_now_, that belong to the slabs near … far of a column.
void Divider::test(int level, std::int32_t u, std::int32_t v, int near, int far) {
  if (!worth_testing()) return;
  const Box region = region_of(level, u, v, near, far);
  if (natives_now_.size() <= kGroupSize) return test_group(natives_now_, guests_now_, region);
  Part part;
  loader_.boxed(natives_now_, part.natives, guess_);
  part.guests = guests_now_;
  part.region = region;
  divide(part, 0);
}

/// False if all are of one object that is not checked against itself.
bool Divider::worth_testing() const {
  if (natives_now_.empty() || natives_now_.size() + guests_now_.size() < 2) return false;
  if (table_.objects.size() == 1) return true;
  std::uint32_t guess = guess_;
  const auto& first = table_.object_of(natives_now_[0].triangle, guess);
  if (first.options.self) return true;
  const auto is_other = [&first](std::uint32_t triangle) {
    return triangle - first.first_triangle >= first.triangle_count;
  };
  return std::any_of(natives_now_.begin(), natives_now_.end(), [&](const Member& m) { return is_other(m.triangle); }) ||
         std::any_of(guests_now_.begin(), guests_now_.end(),
                     [&](const Boxed& b) { return is_other(b.member.triangle); });
}

// The depth cull of a column, with more than one object: a native stays if the depth range of another object in this
// column reaches it, or if its own object is checked against itself. Entries come in order of triangles, so an object's
// are together; each guest is a range of its own.
std::span<const Entry> Divider::within_reach(std::span<const Entry> entries) {
  struct Range {
    std::size_t begin, end;
    Depth depth;
    std::uint32_t object;
  };
  constexpr std::size_t kMostRanges = 16;  // with more, almost nothing would go
  Range range[kMostRanges];
  std::size_t ranges = 0;
  if (guests_.size() >= kMostRanges) return entries;
  for (const Guest& guest : guests_) {
    table_.object_of(guest.member.triangle, guess_);
    range[ranges++] = {0, 0, {guest.near, guest.far}, guess_};
  }
  for (std::size_t i = 0; i < entries.size();) {
    if (ranges == kMostRanges) return entries;
    const auto& object = table_.object_of(entries[i].triangle, guess_);
    Range r{i, i, {kMaxSlabs, 0}, guess_};
    for (; r.end < entries.size() && entries[r.end].triangle - object.first_triangle < object.triangle_count; ++r.end)
      r.depth.add(entries[r.end]);
    i = r.end;
    range[ranges++] = r;
  }
  // Without branches, which would not be predictable.
  using Depths = std::int16_t __attribute__((vector_size(16)));
  using Words = std::uint64_t __attribute__((vector_size(16)));
  static_assert(kMostRanges == 16);
  if (reachable_.size() < entries.size()) reachable_.resize(entries.size());
  std::size_t count = 0;
  for (std::size_t r = guests_.size(); r < ranges; ++r) {
    Depths near[2], far[2];  // of the ranges that matter to this one
    for (std::size_t other = 0; other < kMostRanges; ++other) {
      const bool matters = other < ranges && is_wanted(range[other].object, range[r].object);
      near[other / 8][other % 8] = static_cast<std::int16_t>(matters ? range[other].depth.near : kMaxSlabs + 1);
      far[other / 8][other % 8] = static_cast<std::int16_t>(matters ? range[other].depth.far : -1);
    }
    const bool always = table_.objects[range[r].object].options.self;
    for (std::size_t i = range[r].begin; i < range[r].end; ++i) {
      const Entry& entry = entries[i];
      const auto first = static_cast<std::int16_t>(entry.slab), last = static_cast<std::int16_t>(first + entry.span());
      const auto met =
          reinterpret_cast<Words>(((near[0] <= last) & (far[0] >= first)) | ((near[1] <= last) & (far[1] >= first)));
      reachable_[count] = entry;
      count += always || (met[0] | met[1]) != 0;
    }
  }
  return std::span(reachable_).first(count);
}

/// The approximate region of the members of a column; boxes are clamped to it.
Box Divider::region_of(int level, std::int32_t u, std::int32_t v, std::int32_t near, std::int32_t far) const {
  Box region;
  const int shift = rules::kLevelShift * level;
  const std::int32_t first[3] = {u << shift, v << shift, near};
  const std::int32_t last[3] = {std::min((u + 1) << shift, frame_.size[0]) - 1,
                                std::min((v + 1) << shift, frame_.size[1]) - 1, far};
  for (int k = 0; k < 3; ++k) {
    // The outermost cells hold everything beyond them.
    region.low[frame_.axis[k]] = first[k] == 0 ? frame_.low[k] : frame_.origin[k] + first[k] / frame_.cells_per_unit[k];
    region.high[frame_.axis[k]] =
        last[k] == frame_.size[k] - 1 ? frame_.high[k] : frame_.origin[k] + (last[k] + 1) / frame_.cells_per_unit[k];
  }
  return region;
}

/// Cuts are medians of a sample: triangles that are far away or large would shift a mean.
Divider::Cut Divider::best_cut(const std::vector<Boxed>& natives) const {
  constexpr std::size_t kSamples = 63;
  const std::size_t count = natives.size();
  std::size_t place[kSamples];
  for (std::size_t i = 0; i < kSamples; ++i) place[i] = sampled(i, kSamples, count);
  Cut best;
  std::size_t least = static_cast<std::size_t>(kMostGrowth * static_cast<double>(count)) + 1;
  for (int k = 0; k < 3; ++k) {
    double middle[kSamples];
    for (std::size_t i = 0; i < kSamples; ++i) middle[i] = natives[place[i]].box.middle(k);
    std::nth_element(middle, middle + kSamples / 2, middle + kSamples);
    const double cut = middle[kSamples / 2];
    std::size_t left = 0, right = 0;
    for (const Boxed& b : natives) {
      left += b.box.low[k] < cut;
      right += b.box.high[k] >= cut;
    }
    if (left < count && right < count && left + right < least) {
      least = left + right;
      best = {k, cut, static_cast<double>(least) / static_cast<double>(count)};
    }
  }
  return best;
}

// R3 of rules/report.h, for natives and guests alike. Boxes are exact, so the rounding there is none.
void Divider::divide(Part& part, int depth) {
  constexpr int kMostDepth = 60;  // each cut takes something from both sides, but maybe not much
  if (ended()) return;
  if (part.natives.size() <= kGroupSize) {
    Member list[kGroupSize];
    for (std::size_t i = 0; i < part.natives.size(); ++i) list[i] = part.natives[i].member;
    return test_group({list, part.natives.size()}, part.guests, part.region);
  }
  const Cut best = depth < kMostDepth ? best_cut(part.natives) : Cut{};
  if (divide_by_shadows(part, best)) return;
  if (best.axis < 0) return tile(part);

  const int k = best.axis;
  const double s = best.at;
  const rules::Claims claim = 1u << (std::find(frame_.axis, frame_.axis + 3, k) - frame_.axis);
  Part after;
  const auto cut = [&](std::vector<Boxed>& members, std::vector<Boxed>& behind) {
    std::size_t kept = 0;
    for (const Boxed& m : members) {
      const bool before = m.box.low[k] < s;
      if (m.box.high[k] >= s) {
        behind.push_back(m);
        if (before) behind.back().member.claims &= ~claim;
      }
      if (before) members[kept++] = m;
    }
    members.resize(kept);
  };
  cut(part.natives, after.natives);
  cut(part.guests, after.guests);
  after.region = part.region;
  after.attempted = part.attempted;
  part.region.high[k] = std::min(part.region.high[k], s);
  after.region.low[k] = std::max(after.region.low[k], s);

  constexpr std::size_t kWorthSharing = 1 << 12;
  // One after the other, so that the first contact is the same one each time.
  if (pool_.rules.first || part.natives.size() + after.natives.size() < kWorthSharing) {
    divide(part, depth + 1);
    divide(after, depth + 1);
    return;
  }
  std::unique_ptr<Divider> other = pool_.take();
  pool_.workers->both([&] { divide(part, depth + 1); }, [&] { other->divide(after, depth + 1); });
  pool_.give(std::move(other));
}

/// No cut separates the natives: every block against itself and every other.
void Divider::tile(const Part& part) {
  std::vector<Member> natives;
  for (const Boxed& m : part.natives) natives.push_back(m.member);
  for (std::size_t a = 0; a < natives.size(); a += kBlock) {
    const std::span<const Member> block(natives.data() + a, std::min(kBlock, natives.size() - a));
    test_group(block, part.guests, part.region);
    for (std::size_t b = a + kBlock; b < natives.size() && !ended(); b += kBlock)
      test_two(block, {natives.data() + b, std::min(kBlock, natives.size() - b)}, part.region);
    if (ended()) return;
  }
}

/// Pairs of one of each list, which fit into a group together.
void Divider::test_two(std::span<const Member> first, std::span<const Member> second, const Box& region,
                       const Shadows* shadows) {
  group_frame_ = loader_.begin(group_, first.data(), static_cast<int>(first.size()), region, guess_);
  group_.split = group_.size;
  loader_.append(group_, group_frame_, second.data(), static_cast<int>(second.size()), guess_);
  run(shadows);
}

void Divider::test_group(std::span<const Member> natives, std::span<const Boxed> guests, const Box& region, bool among,
                         const Shadows* shadows) {
  if (ended() || natives.empty()) return;
  const auto load = [&](std::span<const Member> block) {
    group_frame_ = loader_.begin(group_, block.data(), static_cast<int>(block.size()), region, guess_);
  };
  load(natives);
  if (among && natives.size() > 1) run(shadows);
  near_.clear();
  const double most = among ? 0 : group_frame_.bounds.longest();
  for (const Boxed& guest : guests)
    if ((!among && guest.box.longest() < most) || !apart(guest)) near_.push_back(guest);
  guests = near_;
  if (guests.empty()) return;
  if (natives.size() > kHosts) {
    meet(kBlock, guests);
    load(natives.subspan(kBlock));
  }
  meet(group_.size, guests);
}

/// The first natives of the group against guests. Guests much larger than the group come apart from the others, since
/// the largest one decides how certain the float filter is.
void Divider::meet(int natives, std::span<const Boxed> guests) {
  comparable_.clear();
  giant_.clear();
  constexpr double kComparable = 32;
  const double most = kComparable * group_frame_.bounds.longest();
  for (const Boxed& guest : guests) (guest.box.longest() < most ? comparable_ : giant_).push_back(guest.member);
  const Quad4 least = group_.least_corner, greatest = group_.greatest_corner;
  const std::size_t room = Group::kCapacity - static_cast<std::size_t>(natives);
  for (const std::vector<Member>* list : {&comparable_, &giant_})
    for (std::size_t first = 0; first < list->size() && !ended(); first += room) {
      group_.size = group_.split = natives;
      group_.least_corner = least;
      group_.greatest_corner = greatest;
      loader_.append(group_, group_frame_, list->data() + first, static_cast<int>(std::min(room, list->size() - first)),
                     guess_);
      run();
    }
}

/// True only if the guest meets none of the loaded natives: their box is beyond the guest's box, or strictly on one
/// side of its plane, decided in double where that is certain and exactly where it is not.
bool Divider::apart(const Boxed& guest) {
  const Box& bounds = group_frame_.bounds;
  if (!guest.box.meets(bounds)) return true;
  const std::array<Vec3d, 3> t = table_.object_of(guest.member.triangle, guess_).corners(guest.member.triangle);
  double corner[3][3];
  for (int i = 0; i < 3; ++i) std::copy_n(t[i].data(), 3, corner[i]);
  if (rules::box_side(corner, bounds.low.data(), bounds.high.data()) != 0) return true;
  constexpr int kWorthIt = 16;  // natives: each costs about as much as a corner of the box
  if (group_.size < kWorthIt) return false;
  if (beside(corner, bounds)) return true;
  int side = 0;
  for (int i = 0; i < 8; ++i) {
    Vec3d p;
    for (int k = 0; k < 3; ++k) p[k] = (i >> k & 1) != 0 ? bounds.high[k] : bounds.low[k];
    const int here = exact::orient3d(t[0], t[1], t[2], p);
    if (here == 0 || here == -side) return false;
    side = here;
  }
  return true;
}

/// Tests the group. With `shadows`, its members are those of block_places_.
void Divider::run(const Shadows* shadows) {
  constexpr std::uint64_t kPollEvery = 64;
  if (++runs_ % kPollEvery == 0) stopped_ = stopped_ || pool_.rules.stop();
  if (stopped_) return;
  find_kin();
  if (group_.one_object && !table_.objects[group_.object[0]].options.self) return;
  group_.viewed = shadows != nullptr;
  if (group_.viewed) shadows->set_boxes(group_, block_places_);
  group_.measure(group_frame_.exact);
  group_.scale = group_frame_.exact ? 1 : group_frame_.half * group_frame_.scale;
  pool_.kernel(group_, group_frame_.sharing, lists_, settler_);
}

/// True if contacts of two distinct objects of the table are to be found.
bool Divider::is_wanted(std::uint32_t a, std::uint32_t b) const {
  return a != b && (table_.all_wanted || wanted(table_.objects[a].options, table_.objects[b].options));
}

/// For each member the mask of those that are not to be tested against it: of its own object, unless that has `self`,
/// and of objects whose contacts with its own are not wanted.
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
    if (!table_.objects[group_.object[i]].options.self) group_.kin[kind][i / 64] |= std::uint64_t{1} << (i % 64);
  }
  if (!table_.all_wanted)
    for (int kind = 0; kind < group_.kinds; ++kind)
      for (int i = 0; i < group_.size; ++i)
        if (object[kind] != group_.object[i] && !is_wanted(object[kind], group_.object[i]))
          group_.kin[kind][i / 64] |= std::uint64_t{1} << (i % 64);
  group_.one_object = group_.kinds == 1;
}

}  // namespace sightline
