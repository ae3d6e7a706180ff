#include "solid/cells.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace sightline::solid {

Cells::Cells(const std::array<Vec3d, 3>& triangle) : t_(triangle) {
  while (axis_ < 3 && (area_ = turn(t_[0], t_[1], t_[2])) == 0) ++axis_;
  assert(area_ != 0);
}

/// The segment and the open triangle are disjoint if and only if a line along an edge of one of them separates them
/// (the edges of their Minkowski difference are edges of theirs).
void Cells::add(const Segment& s) {
  for (int i = 0; i < 3; ++i) {
    const Vec3d &a = t_[i], &b = t_[(i + 1) % 3];
    if (turn(a, b, s.p) * area_ <= 0 && turn(a, b, s.q) * area_ <= 0) return;
  }
  int least = 1, most = -1;
  for (const Vec3d& corner : t_) {
    const int side = turn(s.p, s.q, corner);
    least = std::min(least, side);
    most = std::max(most, side);
  }
  if (least < 0 && most > 0) segments_.push_back(s);
}

bool Cells::holds(const Vec3d& p) const {
  for (int i = 0; i < 3; ++i)
    if (turn(t_[i], t_[(i + 1) % 3], p) * area_ < 0) return false;
  return true;
}

bool Cells::covers(const std::array<Vec3d, 3>& triangle, const Flag& flag) const {
  const int side = flag.orient2d(axis_, triangle[0], triangle[1]);
  return side == flag.orient2d(axis_, triangle[1], triangle[2]) &&
         side == flag.orient2d(axis_, triangle[2], triangle[0]);
}

/// Strictly inside the segment.
bool Cells::between(const Segment& s, const Vec3d& p) const {
  if (p == s.p || p == s.q) return false;
  for (int k = 0; k < 3; ++k)
    if (p[k] < std::min(s.p[k], s.q[k]) || p[k] > std::max(s.p[k], s.q[k])) return false;
  return turn(s.p, s.q, p) == 0;
}

void Cells::cut(std::uint32_t i, std::uint32_t j, std::vector<Cut>& cuts) const {
  const Segment &s = segments_[i], &r = segments_[j];
  for (const Vec3d& p : {r.p, r.q})
    if (between(s, p)) cuts[i].points.push_back(p);
  for (const Vec3d& p : {s.p, s.q})
    if (between(r, p)) cuts[j].points.push_back(p);
  if (turn(s.p, s.q, r.p) * turn(s.p, s.q, r.q) < 0 && turn(r.p, r.q, s.p) * turn(r.p, r.q, s.q) < 0) {
    cuts[i].crossings.push_back(j);
    cuts[j].crossings.push_back(i);
  }
}

/// All meetings of two segments, by a sweep along one coordinate of the image.
std::vector<Cells::Cut> Cells::cuts(Poll& poll) const {
  const auto count = static_cast<std::uint32_t>(segments_.size());
  const int u = (axis_ + 1) % 3, v = (axis_ + 2) % 3;
  const auto lo = [&](std::uint32_t i, int k) { return std::min(segments_[i].p[k], segments_[i].q[k]); };
  const auto hi = [&](std::uint32_t i, int k) { return std::max(segments_[i].p[k], segments_[i].q[k]); };
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  sort_polled(
      order, [&](std::uint32_t i, std::uint32_t j) { return lo(i, u) < lo(j, u); }, poll);
  std::vector<Cut> cuts(count);
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t j = i + 1; j < count && lo(order[j], u) <= hi(order[i], u); ++j) {
      poll();
      if (lo(order[j], v) <= hi(order[i], v) && lo(order[i], v) <= hi(order[j], v)) cut(order[i], order[j], cuts);
    }
  return cuts;
}

/// The four flags at a point of the segment: towards either end, on either side. `any` is true if one of them was in
/// the triangle.
template <typename Base>
bool Cells::around(const Segment& s, const Base& base, const std::function<bool(const Flag&)>& visit, bool& any) const {
  for (const Vec3d& end : {s.p, s.q}) {
    if constexpr (std::is_same_v<Base, Vec3d>)
      if (end == base) continue;
    for (const int side : {-1, 1}) {
      const auto corner = std::find_if(t_.begin(), t_.end(), [&](const Vec3d& c) { return turn(s.p, s.q, c) == side; });
      const Flag flag = Flag::in_plane(base, end, *corner, axis_);
      if (!covers(t_, flag)) continue;
      any = true;
      if (visit(flag)) return true;
    }
  }
  return false;
}

bool Cells::along(const Segment& s, const Cut& cut, const std::function<bool(const Flag&)>& visit, Poll& poll) const {
  bool any = false;
  const bool plain = cut.points.empty() && cut.crossings.empty();
  const bool holds_p = holds(s.p), holds_q = holds(s.q);
  if (holds_p && around(s, s.p, visit, any)) return true;
  if (holds_q && !(plain && holds_p) && around(s, s.q, visit, any)) return true;
  for (const Vec3d& p : cut.points) {
    poll(4);
    if (around(s, p, visit, any)) return true;
  }
  for (const Vec3d& corner : t_)
    if (between(s, corner) && around(s, corner, visit, any)) return true;
  for (const std::uint32_t j : cut.crossings) {
    poll.now();  // rationals: 10 µs or more
    if (around(s, crossing(s, segments_[j]), visit, any)) return true;
  }
  for (int i = 0; i < 3 && !any; ++i) {
    const Vec3d &a = t_[i], &b = t_[(i + 1) % 3];
    if (turn(a, b, s.p) * turn(a, b, s.q) < 0 && turn(s.p, s.q, a) * turn(s.p, s.q, b) < 0 &&
        around(s, crossing(s, {a, b}), visit, any))
      return true;
  }
  assert(any);
  return false;
}

bool Cells::sample(const std::function<bool(const Flag&)>& visit, Poll& poll) const {
  if (segments_.empty()) return visit(Flag::in_plane(t_[0], t_[1], t_[2], axis_));
  const std::vector<Cut> all = cuts(poll);
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    poll(4);
    if (along(segments_[i], all[i], visit, poll)) return true;
  }
  return false;
}

}  // namespace sightline::solid
