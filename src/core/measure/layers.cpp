// The overlap of a part with itself: the density is w (w - 1) / 2, for the winding number w.
//
// The surface sum is that of measure/boundary.h. Bounds: the box of the density and of all contacts has its extreme
// points at contacts or at corners without contact. Around such a corner there are only the triangles at it. A triangle
// without contact has one winding number on each side, and so have all that are joined to it by edges of two such
// triangles: one ray decides for them. For a triangle with contacts, each corner has its own ray. Corners within the
// box so far need none. If there is no contact at all and no triangle has such a density at its sides, there is none
// anywhere.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/union_find.h"
#include "exact/intersection.h"
#include "exact/points.h"
#include "measure/boundary.h"
#include "measure/overlap.h"
#include "mesh/weld.h"
#include "solid/flag.h"

namespace sightline::measure {
namespace {

using Index = std::uint32_t;

class Layers {
 public:
  Layers(const Shell& shell, bool reversed, std::span<const Contact> contacts, const Poll& poll)
      : shell_(shell), reversed_(reversed), poll_(poll), touched_(shell.mesh.triangles.size(), 0) {
    for (const Contact& c : contacts) {
      poll_(4);
      touched_[c.a] = touched_[c.b] = 1;
      const Corners t = shell.mesh.corners(c.a), u = shell.mesh.corners(c.b);
      if (box_.holds(box_of(t).common(box_of(u)))) continue;
      const Intersection common = exact::intersection(t, u, false);
      for (const Vec3d& p : common.points()) box_.add(p);
    }
    for (Index t = 0; t < touched_.size(); ++t)
      if (touched_[t] && !shell.flat[t])
        for (int corner = 0; corner < 3; ++corner) {
          const Vec3d p = shell.mesh.corners(t)[static_cast<std::size_t>(corner)];
          if (!box_.holds(p) && has_density(t, corner)) box_.add(p);
        }
    add_patches();
  }
  /// Empty if there is neither a contact nor a density.
  const Box& box() const { return box_; }

 private:
  /// True if the density is not 0 on both sides of the triangle, near this corner of it.
  bool has_density(Index triangle, int corner) {
    const Corners t = shell_.mesh.corners(triangle);
    int axis = 0, along = 0;
    while ((along = exact::orient2d(axis, t[0], t[1], t[2])) == 0) ++axis;
    const auto at = [&](int k) { return t[static_cast<std::size_t>((corner + k) % 3)]; };
    const int here = shell_.winding(solid::Flag::in_plane(at(0), at(1), at(2), axis), poll_);
    const int there = along > 0 ? here + 1 : here - 1;
    const auto density = [&](int w) { return reversed_ ? w != 0 && w != -1 : w != 0 && w != 1; };
    return density(here) || density(there);
  }

  void add_patches() {
    UnionFind patches(touched_.size());
    const std::size_t count = touched_.size();
    // By positions, also where the edges of the shell cancel without: triangles that share an edge share no contact.
    const std::vector<Index> vertex = weld(shell_.mesh, Workers::none(), poll_);
    struct Edge {
      Index p, q, triangle;
    };
    std::vector<Edge> all;
    for (Index t = 0; t < count; ++t) {
      poll_(3);
      if (shell_.flat[t]) continue;
      const Triangle& v = shell_.mesh.triangles[t];
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [p, q] = std::minmax({vertex[v[k]], vertex[v[(k + 1) % 3]]});
        all.push_back({p, q, t});
      }
    }
    sort_polled(
        all, [](const Edge& x, const Edge& y) { return std::tie(x.p, x.q) < std::tie(y.p, y.q); }, poll_);
    for (std::size_t i = 0, end; i < all.size(); i = end) {
      for (end = i; end < all.size() && all[end].p == all[i].p && all[end].q == all[i].q;) ++end;
      if (end - i == 2 && !touched_[all[i].triangle] && !touched_[all[i + 1].triangle])
        patches.join(all[i].triangle, all[i + 1].triangle);
    }
    std::vector<Box> boxes(count);
    for (Index t = 0; t < count; ++t)
      if (!touched_[t] && !shell_.flat[t]) boxes[patches.root(t)].add(box_of(shell_.mesh.corners(t)));
    for (Index t = 0; t < count; ++t)
      if (!boxes[t].empty() && !box_.holds(boxes[t]) && has_density(t, 0)) box_.add(boxes[t]);
  }

  const Shell& shell_;
  const bool reversed_;
  Poll poll_;
  std::vector<std::uint8_t> touched_;
  Box box_;
};

/// Exact but for numbers below 2^-1021, of which the least ones are rounded outwards.
double halved(double x, double way) {
  const double half = 0.5 * x;
  return 2 * half == x ? half : std::nextafter(half, way * Box::kInfinity);
}
Interval halved(const Interval& x) { return {std::max(0.0, halved(x.low, -1)), halved(x.high, 1)}; }

}  // namespace

Extent self_overlap(const Shell& shell, std::span<const Contact> with_itself, std::span<const Contact> contacts,
                    Workers& workers, const Poll& poll) {
  const bool reversed = is_reversed(shell, workers, poll);
  const Box box = Layers(shell, reversed, contacts, poll).box();
  Extent extent{{}, {}, {}, box.low, box.high};
  if (box.empty()) return extent;
  using Density = OverlapBoundary::Density;
  const OverlapBoundary boundary(shell, shell, with_itself, workers, poll,
                                 reversed ? Density::reversed_layers : Density::layers);
  const Sum sum = boundary.sum();
  extent.volume = halved(volume_of(boundary, sum, shell, shell, workers, poll));
  extent.area = halved(sum.area(boundary.grid()));
  if (!sum.empty()) extent.centroid = sum.centroid(boundary.grid(), box);
  return extent;
}

}  // namespace sightline::measure
