#include "solid/cells.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>

#include "base/union_find.h"

namespace sightline::solid {
namespace {

Segment ordered(const Vec3d& p, const Vec3d& q) { return p < q ? Segment{p, q} : Segment{q, p}; }

}  // namespace

Patch::Patch(std::vector<Corners> triangles) : triangles_(std::move(triangles)) {
  const Corners& t = triangles_[0];
  while (axis_ < 3 && turn(t[0], t[1], t[2]) == 0) ++axis_;
  assert(axis_ < 3);
  constexpr std::size_t kFew = 8;
  if (triangles_.size() <= kFew) return;
  std::vector<Box> boxes;
  for (const Corners& corners : triangles_) boxes.push_back(box_of(corners));
  tree_ = BoxTree(boxes);
}

std::size_t Patch::covering(const Flag& flag, Poll& poll, std::size_t most) const {
  std::size_t count = 0;
  find(flag.box(), [&](const Corners& t) {
    poll(flag.steps());
    const int side = flag.orient2d(axis_, t[0], t[1]);
    count += side == flag.orient2d(axis_, t[1], t[2]) && side == flag.orient2d(axis_, t[2], t[0]);
    return count == most;
  });
  return count;
}

Cells::Cells(Patch patch) : patch_(std::move(patch)) {
  struct Edge {
    Segment at;
    int side;  // of the triangle
  };
  std::vector<Edge> edges;
  for (const Patch::Corners& t : patch_.triangles())
    for (int i = 0; i < 3; ++i) {
      const Segment at = ordered(t[i], t[(i + 1) % 3]);
      edges.push_back({at, patch_.turn(at.p, at.q, t[(i + 2) % 3])});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
    bool one_sided = true;
    for (end = begin; end < edges.size() && edges[end].at == edges[begin].at; ++end)
      one_sided &= edges[end].side == edges[begin].side;
    if (one_sided) border_.push_back(edges[begin].at);
  }
}

void Cells::add(const Segment& s) { segments_.push_back(ordered(s.p, s.q)); }

/// The segments with the border, and where they meet.
class Cells::Arrangement {
 public:
  using Visit = std::function<bool(const Flag&)>;
  Arrangement(const Cells& cells, const Visit& visit, Poll& poll)
      : patch_(cells.patch_), visit_(visit), poll_(poll), all_(cells.segments_) {
    sort_polled(all_, std::less<>(), poll_);
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    cutting_ = static_cast<Index>(all_.size());
    // A segment along a border edge stands for it.
    const auto end = all_.begin() + cutting_;
    std::vector<Segment> border;
    std::copy_if(cells.border_.begin(), cells.border_.end(), std::back_inserter(border),
                 [&](const Segment& s) { return !std::binary_search(all_.begin(), end, s); });
    all_.insert(all_.end(), border.begin(), border.end());
    cuts_.resize(cutting_);
    sweep();
  }

  bool sample() {
    const std::vector<std::uint8_t> left_out = chained();
    for (Index i = 0; i < cutting_; ++i) {
      poll_(4);
      if (!cuts_[i].plain() ? along(i) : left_out[i] == 0 && around(all_[i], all_[i].p)) return true;
    }
    const Patch::Corners& t = patch_.triangles()[0];
    return !any_ && visit_(Flag::in_plane(t[0], t[1], t[2], patch_.axis()));
  }

 private:
  using Index = std::uint32_t;
  /// What meets an end of a segment.
  struct End {
    Index ends = 0;       // how many ends of others
    Index partner = 0;    // one of these
    bool passed = false;  // another one passes through it
  };
  struct Cut {
    std::vector<Vec3d> points;     // ends of others strictly inside this segment
    std::vector<Index> crossings;  // others that cross it properly
    End end[2];
    bool plain() const { return points.empty() && crossings.empty(); }
  };

  Split crossing(const Segment& s, const Segment& r) const {
    return {s.p, s.q, crossing_point(s.p, s.q, r.p, r.q, patch_.axis())};
  }

  /// Strictly inside the segment.
  bool between(const Segment& s, const Vec3d& p) const {
    if (p == s.p || p == s.q) return false;
    for (int k = 0; k < 3; ++k)
      if (p[k] < std::min(s.p[k], s.q[k]) || p[k] > std::max(s.p[k], s.q[k])) return false;
    return patch_.turn(s.p, s.q, p) == 0;
  }

  void ends_of(Index i, Index j) {
    for (int e = 0; e < 2; ++e) {
      const Vec3d& end = e == 0 ? all_[j].p : all_[j].q;
      if (between(all_[i], end)) {
        if (i < cutting_) cuts_[i].points.push_back(end);
        if (j < cutting_) cuts_[j].end[e].passed = true;
      } else if (j < cutting_ && (end == all_[i].p || end == all_[i].q)) {
        ++cuts_[j].end[e].ends;
        cuts_[j].end[e].partner = i;
      }
    }
  }

  void cut(Index i, Index j) {
    ends_of(i, j);
    ends_of(j, i);
    const Segment &s = all_[i], &r = all_[j];
    if (patch_.turn(s.p, s.q, r.p) * patch_.turn(s.p, s.q, r.q) < 0 &&
        patch_.turn(r.p, r.q, s.p) * patch_.turn(r.p, r.q, s.q) < 0) {
      if (i < cutting_) cuts_[i].crossings.push_back(j);
      if (j < cutting_) cuts_[j].crossings.push_back(i);
    }
  }

  /// All meetings of two, along one coordinate of the image.
  void sweep() {
    const int u = (patch_.axis() + 1) % 3, v = (patch_.axis() + 2) % 3;
    const auto lo = [&](Index i, int k) { return std::min(all_[i].p[k], all_[i].q[k]); };
    const auto hi = [&](Index i, int k) { return std::max(all_[i].p[k], all_[i].q[k]); };
    const auto count = static_cast<Index>(all_.size());
    std::vector<Index> order(count);
    std::iota(order.begin(), order.end(), 0u);
    sort_polled(
        order, [&](Index i, Index j) { return lo(i, u) < lo(j, u); }, poll_);
    for (Index i = 0; i < count; ++i)
      for (Index j = i + 1; j < count && lo(order[j], u) <= hi(order[i], u); ++j) {
        poll_();
        const Index s = order[i], r = order[j];
        if ((s < cutting_ || r < cutting_) && lo(r, v) <= hi(s, v) && lo(s, v) <= hi(r, v)) cut(s, r);
      }
  }

  /// Marks the plain segments that need no sample of their own.
  std::vector<std::uint8_t> chained() const {
    UnionFind chains(cutting_);
    std::vector<Index> beside_cut;
    for (Index i = 0; i < cutting_; ++i)
      for (const End& end : cuts_[i].end) {
        if (!cuts_[i].plain() || end.ends != 1 || end.passed || end.partner >= cutting_) continue;
        if (cuts_[end.partner].plain())
          chains.join(i, end.partner);
        else
          beside_cut.push_back(i);
      }
    std::vector<std::uint8_t> left_out(cutting_, 0);
    for (const Index i : beside_cut) left_out[chains.root(i)] = 1;
    for (Index i = 0; i < cutting_; ++i) left_out[i] |= chains.root(i) != i;
    return left_out;
  }

  Box box_at(const Segment&, const Vec3d& base) const { return {base, base}; }
  Box box_at(const Segment& s, const Split& base) const { return Flag::in_plane(base, s.p, s.q, patch_.axis()).box(); }

  /// A corner on this side of the segment's line, of a triangle that may hold the box. A triangle that covers points
  /// there has one.
  std::optional<Vec3d> corner_beside(const Segment& s, int side, const Box& box) const {
    std::optional<Vec3d> found;
    patch_.find(box, [&](const Patch::Corners& t) {
      poll_(4);
      const auto corner =
          std::find_if(t.begin(), t.end(), [&](const Vec3d& c) { return patch_.turn(s.p, s.q, c) == side; });
      if (corner != t.end()) found = *corner;
      return found.has_value();
    });
    return found;
  }

  /// The flags at a point of the segment: towards either end, on either side, as far as they are in the patch.
  template <typename Base>
  bool around(const Segment& s, const Base& base) {
    const Box box = box_at(s, base);
    for (const int side : {-1, 1}) {
      const std::optional<Vec3d> corner = corner_beside(s, side, box);
      if (!corner) continue;
      for (const Vec3d& end : {s.p, s.q}) {
        if constexpr (std::is_same_v<Base, Vec3d>)
          if (end == base) continue;
        const Flag flag = Flag::in_plane(base, end, *corner, patch_.axis());
        if (patch_.covering(flag, poll_, 1) == 0) continue;
        any_ = true;
        if (visit_(flag)) return true;
      }
    }
    return false;
  }

  bool along(Index i) {
    const Segment& s = all_[i];
    const Cut& cut = cuts_[i];
    if (around(s, s.p) || around(s, s.q)) return true;
    for (const Vec3d& p : cut.points) {
      poll_(4);
      if (around(s, p)) return true;
    }
    for (std::size_t k = 1; k < cut.crossings.size(); ++k) {
      poll_.now();  // rationals: 10 µs or more
      if (around(s, crossing(s, all_[cut.crossings[k]]))) return true;
    }
    return false;
  }

  const Patch& patch_;
  const Visit& visit_;
  Poll& poll_;
  std::vector<Segment> all_;  // the segments, each once, then the border
  Index cutting_ = 0;         // how many of these are segments
  std::vector<Cut> cuts_;
  bool any_ = false;  // a flag at a segment was in the patch
};

bool Cells::sample(const std::function<bool(const Flag&)>& visit, Poll& poll) const {
  return Arrangement(*this, visit, poll).sample();
}

}  // namespace sightline::solid
