#include "pair/views.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace sightline {
namespace {

constexpr int kSamples = 32;

/// Divided by its greatest component. False if it has none.
bool normalize(double (&d)[3]) {
  const double most = std::max({std::fabs(d[0]), std::fabs(d[1]), std::fabs(d[2])});
  if (!(most > 0x1p-500 && most < 0x1p500)) return false;
  for (double& component : d) component /= most;
  return true;
}

void cross(const double* a, const double* b, double (&out)[3]) {
  for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/// Which pairs i < j of a sample may be in contact: bit j of row i. If the sample is of two lists, half of it is of
/// each, and only pairs of one of each count.
struct Pairs {
  std::uint32_t row[kSamples] = {};
  static_assert(kSamples <= 32);

  template <typename May>
  Pairs(bool two_lists, const May& may) {
    for (int i = 0; i < (two_lists ? kSamples / 2 : kSamples); ++i)
      for (int j = two_lists ? kSamples / 2 : i + 1; j < kSamples; ++j) row[i] |= std::uint32_t{may(i, j)} << j;
  }
  int count(const Pairs& other) const {
    int sum = 0;
    for (int i = 0; i < kSamples; ++i) sum += __builtin_popcount(row[i] & other.row[i]);
    return sum;
  }
  int count() const { return count(*this); }
  void keep(const Pairs& other) {
    for (int i = 0; i < kSamples; ++i) row[i] &= other.row[i];
  }
  /// Compared with `all`; 1 if these are too few for an estimate.
  double share_of(const Pairs& all) const { return all.is_few() ? 1 : static_cast<double>(count()) / all.count(); }
  bool is_few() const { return count() < 16; }
};

/// Place i of a sample of lists with `first` and `second` members.
std::size_t place_of(int i, std::size_t first, std::size_t second) {
  const auto at = static_cast<std::size_t>(i);
  if (second == 0) return sampled(at, kSamples, first);
  constexpr std::size_t kHalf = kSamples / 2;
  return at < kHalf ? sampled(at, kHalf, first) : first + sampled(at - kHalf, kHalf, second);
}

using Corners = double[3][3];

/// Directions along which a triangle is short: its normal, and in its plane the direction across its longest edge.
void add_candidates(const Corners& p, std::vector<std::array<double, 3>>& out) {
  double edge[3][3], normal[3], across[3], most = -1;
  int longest = 0;
  for (int k = 0; k < 3; ++k) {
    double length = 0;
    for (int j = 0; j < 3; ++j) {
      edge[k][j] = p[(k + 1) % 3][j] - p[k][j];
      length += edge[k][j] * edge[k][j];
    }
    if (length > most) most = length, longest = k;
  }
  cross(edge[0], edge[1], normal);
  if (!normalize(normal)) return;
  out.push_back({normal[0], normal[1], normal[2]});
  cross(normal, edge[longest], across);
  if (normalize(across)) out.push_back({across[0], across[1], across[2]});
}

}  // namespace

Views::Views(const TriangleTable& table, const TwoLists& lists, std::uint32_t& guess) : table_(table) {
  if (!set_place(lists)) return;
  find_hubs(lists, guess);
  choose_directions(lists, guess);
}

bool Views::set_place(const TwoLists& lists) {
  Box bounds;
  for (std::size_t i = 0; i < lists.size(); ++i) bounds.add(lists[i].box);
  double reach = 0;
  for (int k = 0; k < 3; ++k) {
    origin_[k] = bounds.middle(k);
    reach = std::max({reach, std::fabs(bounds.low[k] - origin_[k]), std::fabs(bounds.high[k] - origin_[k])});
  }
  if (!(reach > 0x1p-1000 && reach < 0x1p1000)) return false;
  scale_ = std::ldexp(1.0, -std::ilogb(reach));
  return true;
}

void Views::scaled(std::uint32_t triangle, std::uint32_t& guess, double (&e)[3][3]) const {
  const std::array<Vec3d, 3> t = table_.object_of(triangle, guess).corners(triangle);
  for (int corner = 0; corner < 3; ++corner)
    for (int k = 0; k < 3; ++k) e[corner][k] = (t[corner][k] - origin_[k]) * scale_;
}

/// Corners that many triangles of a sample have; that of most comes first. A hub that a sample misses has few
/// triangles.
void Views::find_hubs(const TwoLists& lists, std::uint32_t& guess) {
  constexpr std::size_t kTriangles = 128, kMany = 6;  // an ordinary corner has 6 triangles, of which a sample has fewer
  const std::size_t size = std::min(kTriangles, lists.size());
  // Corners by a number that is made of the position. If it is the same for two positions, they count as one, so that
  // a hub may have fewer triangles.
  struct Corner {
    std::uint64_t number;
    std::uint32_t triangle;
    int corner;
  };
  std::vector<Corner> corners;
  corners.reserve(3 * size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t triangle = lists[sampled(i, size, lists.size())].member.triangle;
    const auto& object = table_.object_of(triangle, guess);
    if (!object.options.self) continue;
    const std::array<Vec3d, 3> t = object.corners(triangle);
    for (int k = 0; k < 3; ++k) {
      if (std::find(t.begin(), t.begin() + k, t[k]) != t.begin() + k) continue;
      std::uint64_t number = guess;
      for (const double x : t[k]) number = (number ^ std::bit_cast<std::uint64_t>(x + 0.0)) * 0x9e3779b97f4a7c15;
      corners.push_back({number, triangle, k});
    }
  }
  std::sort(corners.begin(), corners.end(), [](const Corner& a, const Corner& b) {
    return std::tie(a.number, a.triangle, a.corner) < std::tie(b.number, b.triangle, b.corner);
  });
  std::uint32_t fan = 0;
  for (std::size_t i = 0, end, most = 0; i < corners.size(); i = end) {
    for (end = i + 1; end < corners.size() && corners[end].number == corners[i].number;) ++end;
    if (end - i < kMany) continue;
    const auto& object = table_.object_of(corners[i].triangle, guess);
    hubs_.push_back({guess, object.corners(corners[i].triangle)[corners[i].corner]});
    if (end - i > most) {
      most = end - i;
      std::swap(hubs_.front(), hubs_.back());
      fan = corners[i].triangle;
    }
  }
  // The axes of links and sights suit a fan in one plane: across the plane they are all alike.
  Corners e;
  double along[3], across[3], normal[3];
  if (hubs_.empty()) return;
  scaled(fan, guess, e);
  for (int k = 0; k < 3; ++k) along[k] = e[1][k] - e[0][k], across[k] = e[2][k] - e[0][k];
  cross(along, across, normal);
  link_frame_ = normalize(normal) ? rules::LinkFrame::along(normal, scale_) : rules::LinkFrame::axes(scale_);
}

Cover Views::cover_of(std::uint32_t triangle, std::uint32_t& guess) const {
  double e[3][3];
  scaled(triangle, guess, e);
  Cover cover;
  for (int d = 0; d < directions_; ++d) cover.set(d, rules::shadow(e, direction_[d]));
  if (hubs_.empty()) return cover;
  const std::array<Vec3d, 3> t = table_.objects[guess].corners(triangle);
  rules::Ends seen[3];
  for (std::uint32_t h = 0; h < hubs_.size() && cover.hub == kNoHub; ++h)
    for (int i = 0; i < 3 && hubs_[h].object == guess; ++i)
      if (t[i] == hubs_[h].position) {
        rules::link(t[i].data(), t[(i + 1) % 3].data(), t[(i + 2) % 3].data(), link_frame_, seen);
        cover.hub = h;
        break;
      }
  if (cover.hub == kNoHub) {
    if (!rules::sight(hubs_[0].position.data(), t[0].data(), t[1].data(), t[2].data(), link_frame_, seen)) return cover;
    cover.hub = 0;
  }
  for (int k = 0; k < 3; ++k) cover.set(Cover::kLink + k, seen[k]);
  return cover;
}

/// Directions that separate the sample, one after the other: each the one that leaves the fewest pairs.
void Views::choose_directions(const TwoLists& lists, std::uint32_t& guess) {
  for (int k = 0; k < Cover::kAxes; ++k)
    for (int j = 0; j < 3; ++j) direction_[k][j] = j == k ? 1 : 0;
  Cover cover[kSamples];
  Corners corners[kSamples];
  for (int i = 0; i < kSamples; ++i) {
    const std::uint32_t triangle = lists[place_of(i, lists.first.size(), lists.second.size())].member.triangle;
    cover[i] = cover_of(triangle, guess);
    scaled(triangle, guess, corners[i]);
  }
  const bool two = !lists.second.empty();
  const Pairs boxes(two, [&](int i, int j) { return !cover[i].boxes_disjoint(cover[j]); });
  Pairs pairs(two, [&](int i, int j) { return !cover[i].apart(cover[j]); });
  constexpr int kCandidates = 8;
  std::vector<std::array<double, 3>> candidates;
  for (int i = 0; i < kSamples; i += kSamples / kCandidates) add_candidates(corners[i], candidates);
  std::vector<Pairs> left_by;
  for (const std::array<double, 3>& candidate : candidates) {
    const double d[3] = {candidate[0], candidate[1], candidate[2]};
    rules::Interval seen[kSamples];
    for (int i = 0; i < kSamples; ++i) seen[i] = rules::shadow(corners[i], d).rounded();
    left_by.emplace_back(two, [&](int i, int j) { return !rules::disjoint(seen[i], seen[j]); });
  }
  while (directions_ < Cover::kDirections && !candidates.empty()) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < candidates.size(); ++c)
      if (pairs.count(left_by[c]) < pairs.count(left_by[best])) best = c;
    if (10 * pairs.count(left_by[best]) >= 9 * pairs.count()) break;
    pairs.keep(left_by[best]);
    std::copy_n(candidates[best].data(), 3, direction_[directions_++]);
  }
  left_ = pairs.share_of(boxes);
  boxes_apart_ = boxes.is_few();
}

double Views::left(std::span<const Cover* const> members, std::size_t split) {
  const Cover* cover[kSamples];
  const bool two = split > 0;
  for (int i = 0; i < kSamples; ++i)
    cover[i] = members[two ? place_of(i, split, members.size() - split) : place_of(i, members.size(), 0)];
  const Pairs boxes(two, [&](int i, int j) { return !cover[i]->boxes_disjoint(*cover[j]); });
  return Pairs(two, [&](int i, int j) { return !cover[i]->apart(*cover[j]); }).share_of(boxes);
}

std::array<int, 3> Views::best(std::span<const std::uint32_t> some, const std::vector<Cover>& covers) const {
  const std::size_t step = std::max<std::size_t>(1, some.size() / kSamples);
  // Links count only where all members have the same hub.
  const std::uint32_t hub = covers[some.front()].hub;
  const bool linked = hub != kNoHub && hub == covers[some.back()].hub &&
                      std::all_of(some.begin(), some.end(), [&](std::uint32_t i) { return covers[i].hub == hub; });
  std::array<int, 3> best = {0, 1, 2};
  float ratio[3] = {-1, -1, -1};
  for (int quad = 0; quad < (linked ? 3 : 2); ++quad) {
    Quad4 low = {4, 4, 4, 4}, high = -low, width = {1e-30f, 1e-30f, 1e-30f, 1e-30f};
    for (std::size_t i = 0; i < some.size(); i += step) {
      const Cover& cover = covers[some[i]];
      const Quad4 middle = 0.5f * (cover.low[quad] + cover.high[quad]);
      low = middle < low ? middle : low;
      high = middle > high ? middle : high;
      width += cover.high[quad] - cover.low[quad];
    }
    const Quad4 spread = (high - low) / width;
    for (int v = 4 * quad; v < std::min(4 * quad + 4, quad < 2 ? directions_ : Cover::kViews); ++v) {
      const float here = spread[v % 4];
      for (int k = 0; k < 3; ++k)
        if (here > ratio[k]) {
          for (int j = 2; j > k; --j) ratio[j] = ratio[j - 1], best[j] = best[j - 1];
          ratio[k] = here, best[k] = v;
          break;
        }
    }
  }
  return best;
}

}  // namespace sightline
