// Interference of two parts without crossing contacts.
//
// Let X be the closed pieces of a part and Y a closed part (triangles with area only: the others bound nothing), S( ) a
// surface, I( ) its inside: the points off it of odd parity. There are two questions.
//   P: is a point of S(X) in I(Y)?
//   Q: do I(X) and I(Y) meet? (only where the part of X is closed: then X is all its triangles with area)
// They are answered by samples: points of space off both surfaces, infinitely near a triangle (solid/flag.h).
//
// (1) Let F be a patch of X: triangles of one plane, joined by common edges. Let V be a triangle of Y that is not in
// F's plane and meets the interior of F. It meets the plane in a corner, in an edge, or in a chord through its
// interior. The chord has no point inside a triangle of F: that would put inner points of both on each other, a
// crossing. So it has only single points in F's interior, or it runs along edges of triangles of F, which then lie in
// V's plane. So edges of Y that lie in the plane, such edges of F, and single points, are all that Y shows in the
// interior of F, besides triangles of Y in the plane. Cut F along those edges (of the triangles of Y that touch F,
// coplanar ones too). In each cell, but for single points, F is covered by the same triangles of Y, and no other comes
// near: just above F, and just below, the whole cell is in I(Y) or the whole cell is out, and these two differ if and
// only if the number of triangles of Y that cover the cell is odd.
//
// An edge of Y cuts nothing if all triangles of Y that have it are in the plane, as many on its left as on its right:
// the same number covers both sides, and nothing leaves the plane there. (All triangles that have an edge in the
// interior of F touch F.) So where two meshes of one face lie on each other, only the borders of the faces cut.
//
// P holds if and only if a cell that no triangle of Y covers has its sample in I(Y): I(Y) is open, so if it holds a
// point of F, it holds inner points of triangles of F, and more of them than single points.
//
// Q: let P be false both ways and O = I(X) ∩ I(Y) be non-empty. O is open and bounded, so its boundary holds a piece f
// of a plane, in a triangle of one of the parts, with O on one side of f, say above. If f had a part off the surface
// of the other part, that part of f would lie in its inside, and P would be true. So f lies in both surfaces, and in a
// patch F of X, with triangles of Y in its plane that cover f and the whole cell of f. By (1), all points just above
// the cell are in I(Y). None of them is on S(X), or P would be true. So they are all in I(X) or all out, and above f
// they are in: the sample of the cell, taken above, is in both. Conversely such a sample answers Q.
//
// So it suffices to sample every cell of every patch, however the triangles are joined into patches. Those without
// contact are not cut; those joined by corners are on one side of S(Y), which is found once for all of them. Where both
// parts are closed, P is decided both ways and Q once.
#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/union_find.h"
#include "solid/cells.h"
#include "solid/relate.h"

namespace sightline::solid {
namespace {

using Index = std::uint32_t;
using Pairs = std::vector<std::pair<Index, Index>>;

std::span<const std::pair<Index, Index>> partners(const Pairs& sorted, Index triangle) {
  const auto less = [](const auto& p, const auto& q) { return p.first < q.first; };
  return {std::lower_bound(sorted.begin(), sorted.end(), std::pair(triangle, Index{0}), less),
          std::upper_bound(sorted.begin(), sorted.end(), std::pair(triangle, Index{0}), less)};
}

/// The patches are of closed pieces of x; y is closed.
class Surface {
 public:
  /// Contacts as (triangle of x, triangle of y), sorted. `overlap`: decide Q too.
  Surface(const Body& x, const Body& y, const Pairs& contacts, bool overlap, Poll& poll)
      : x_(x), y_(y), contacts_(contacts), overlap_(overlap), poll_(poll) {}

  bool interferes() const { return touching_patches() || free_triangles(); }

 private:
  bool touching_patches() const {
    std::vector<Index> touching;
    for (const auto& [t, other] : contacts_)
      if (touching.empty() || touching.back() != t) touching.push_back(t);
    UnionFind joined = patches(touching);
    std::vector<std::pair<Index, Index>> order;  // patch, triangle
    for (Index i = 0; i < touching.size(); ++i) order.emplace_back(joined.root(i), touching[i]);
    sort_polled(order, std::less<>(), poll_);
    std::vector<Index> patch;
    for (std::size_t i = 0; i < order.size(); ++i) {
      patch.push_back(order[i].second);
      if (i + 1 < order.size() && order[i + 1].first == order[i].first) continue;
      if (touching_patch(patch)) return true;
      patch.clear();
    }
    return false;
  }

  /// Joins triangles of one plane with a common edge; of several at one edge, neighbours in the order of numbers.
  UnionFind patches(std::span<const Index> triangles) const {
    struct Edge {
      std::array<Index, 2> ends;
      Index place, apex;
    };
    std::vector<Edge> edges;
    edges.reserve(3 * triangles.size());
    for (Index i = 0; i < triangles.size(); ++i)
      for (int k = 0; k < 3; ++k)
        edges.push_back({edge(x_, triangles[i], k), i, x_.mesh.triangles[triangles[i]][(k + 2) % 3]});
    sort_polled(
        edges, [](const Edge& a, const Edge& b) { return std::tie(a.ends, a.place) < std::tie(b.ends, b.place); },
        poll_);
    UnionFind joined(triangles.size());
    for (std::size_t i = 1; i < edges.size(); ++i) {
      poll_();
      const Edge &a = edges[i - 1], &b = edges[i];
      if (a.ends != b.ends || joined.root(a.place) == joined.root(b.place)) continue;
      const auto [p, q, r] = x_.mesh.corners(triangles[a.place]);
      if (exact::orient3d(p, q, r, x_.mesh.position(b.apex)) == 0) joined.join(a.place, b.place);
    }
    return joined;
  }

  bool touching_patch(std::span<const Index> patch) const {
    std::vector<Patch::Corners> corners;
    for (const Index t : patch) corners.push_back(x_.mesh.corners(t));
    Cells cells{Patch(std::move(corners))};
    const std::vector<Patch::Corners> coplanar = cut(cells, patch);
    const std::optional<Patch> cover = coplanar.empty() ? std::nullopt : std::optional<Patch>(coplanar);
    return cells.sample(
        [&](const Flag& above) {
          const std::size_t covering = cover ? cover->covering(above, poll_) : 0;
          if (covering == 0) return inside(y_, above, poll_);
          if (!overlap_) return false;
          const bool in_above = inside(y_, above, poll_), in_below = in_above != (covering % 2 != 0);
          return (in_above && inside(x_, above, poll_)) || (in_below && inside(x_, above.flipped(), poll_));
        },
        poll_);
  }

  /// Adds all edges that cut the patch. Returns the triangles of y in its plane that touch it.
  std::vector<Patch::Corners> cut(Cells& cells, std::span<const Index> patch) const {
    std::vector<Index> others;
    for (const Index t : patch)
      for (const auto& [self, other] : partners(contacts_, t)) others.push_back(other);
    sort_polled(others, std::less<>(), poll_);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    const Sides side(y_, others, cells.patch(), poll_);
    std::vector<Patch::Corners> coplanar;
    std::vector<PlaneEdge> edges;
    std::vector<Index> straddling;
    for (const Index other : others) {
      poll_();
      const std::array<int, 3> sides = side.of(other);
      const auto [least, most] = std::minmax({sides[0], sides[1], sides[2]});
      if (least < 0 && most > 0) straddling.push_back(other);
      const bool flat = least == 0 && most == 0;
      if (flat) coplanar.push_back(y_.mesh.corners(other));
      for (int k = 0; k < 3; ++k)
        if (sides[k] == 0 && sides[(k + 1) % 3] == 0) edges.push_back(plane_edge(cells.patch(), other, k, flat));
    }
    add_edges(cells, edges);
    if (!straddling.empty()) add_passed_edges(cells, patch, straddling);
    return coplanar;
  }

  /// On which side of the plane of a patch the corners of triangles of y lie: decided once for each corner.
  class Sides {
   public:
    Sides(const Body& y, std::span<const Index> triangles, const Patch& patch, Poll& poll) : y_(y) {
      for (const Index t : triangles)
        for (const Index corner : y.mesh.triangles[t]) corners_.push_back(y.topology.vertex[corner]);
      sort_polled(corners_, std::less<>(), poll);
      corners_.erase(std::unique(corners_.begin(), corners_.end()), corners_.end());
      for (const Index corner : corners_) {
        poll();
        sides_.push_back(static_cast<std::int8_t>(patch.side(y.mesh.position(corner))));
      }
    }
    std::array<int, 3> of(Index triangle) const {
      std::array<int, 3> sides;
      for (int k = 0; k < 3; ++k) {
        const Index corner = y_.topology.vertex[y_.mesh.triangles[triangle][k]];
        sides[k] = sides_[std::lower_bound(corners_.begin(), corners_.end(), corner) - corners_.begin()];
      }
      return sides;
    }

   private:
    const Body& y_;
    std::vector<Index> corners_;  // ascending
    std::vector<std::int8_t> sides_;
  };

  /// An edge of a triangle of y in the plane of a patch.
  struct PlaneEdge {
    std::array<Index, 2> ends;
    int side;  // of the triangle, seen in the plane; 0 if it leaves the plane
  };
  static std::array<Index, 2> edge(const Body& body, Index triangle, int k) {
    const Triangle& t = body.mesh.triangles[triangle];
    const auto [low, high] = std::minmax(body.topology.vertex[t[k]], body.topology.vertex[t[(k + 1) % 3]]);
    return {low, high};
  }
  PlaneEdge plane_edge(const Patch& patch, Index triangle, int k, bool flat) const {
    const std::array<Index, 2> ends = edge(y_, triangle, k);
    const Vec3d apex = y_.mesh.position(y_.mesh.triangles[triangle][(k + 2) % 3]);
    return {ends, flat ? patch.turn(y_.mesh.position(ends[0]), y_.mesh.position(ends[1]), apex) : 0};
  }

  /// Adds each edge once, but for those with as many triangles on the left as on the right and none off the plane.
  void add_edges(Cells& cells, std::vector<PlaneEdge>& edges) const {
    sort_polled(
        edges, [](const PlaneEdge& a, const PlaneEdge& b) { return a.ends < b.ends; }, poll_);
    for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
      int balance = 0;
      bool leaves = false;
      for (end = begin; end < edges.size() && edges[end].ends == edges[begin].ends; ++end) {
        poll_();
        balance += edges[end].side;
        leaves |= edges[end].side == 0;
      }
      const auto [p, q] = edges[begin].ends;
      if (leaves || balance != 0) cells.add({y_.mesh.position(p), y_.mesh.position(q)});
    }
  }

  /// Adds the edges of the patch along which a triangle of y may pass through the plane: those in its own plane.
  void add_passed_edges(Cells& cells, std::span<const Index> patch, std::span<const Index> straddling) const {
    for (const Index t : patch) {
      const std::array<Vec3d, 3> at = x_.mesh.corners(t);
      for (const auto& [self, other] : partners(contacts_, t)) {
        poll_(4);
        if (!std::binary_search(straddling.begin(), straddling.end(), other)) continue;
        const auto [p, q, r] = y_.mesh.corners(other);
        bool in[3];
        for (int k = 0; k < 3; ++k) in[k] = exact::orient3d(p, q, r, at[k]) == 0;
        for (int k = 0; k < 3; ++k)
          if (in[k] && in[(k + 1) % 3]) cells.add({at[k], at[(k + 1) % 3]});
      }
    }
  }

  /// Triangles without contact, in groups joined by corners. What reaches out of y's box is outside y.
  bool free_triangles() const {
    const std::vector<Index> free = triangles_without_contact();
    std::unordered_map<Index, Index> owner;  // per welded vertex, a triangle (as its place in `free`) that has it
    UnionFind groups(free.size());
    for (Index i = 0; i < free.size(); ++i) {
      poll_(4);
      for (const Index corner : x_.mesh.triangles[free[i]]) {
        const auto [it, is_new] = owner.try_emplace(x_.topology.vertex[corner], i);
        if (!is_new) groups.join(i, it->second);
      }
    }
    std::vector<std::uint8_t> outside(free.size(), 0);
    for (Index i = 0; i < free.size(); ++i) {
      poll_();
      if (!y_.box.holds(box_of(x_.mesh.corners(free[i])))) outside[groups.root(i)] = 1;
    }
    for (Index i = 0; i < free.size(); ++i)
      if (groups.root(i) == i && !outside[i] && inside(y_, Flag::near(x_.mesh.corners(free[i])[0]), poll_)) return true;
    return false;
  }

  std::vector<Index> triangles_without_contact() const {
    std::vector<Index> free;
    x_.tree(poll_).find([&](const Box& b) { return b.meets(y_.box); },
                        [&](Index t) {
                          poll_();
                          if (x_.solid[t] && partners(contacts_, t).empty()) free.push_back(t);
                          return false;
                        });
    return free;
  }

  const Body &x_, &y_;
  const Pairs& contacts_;
  const bool overlap_;
  Poll& poll_;
};

/// Contacts between triangles of closed pieces as (triangle of x, triangle of y), sorted.
Pairs solid_contacts(const Body& a, const Body& b, std::span<const Contact> contacts, bool swapped, Poll& poll) {
  Pairs pairs;
  for (const Contact& c : contacts) {
    poll();
    if (a.solid[c.a] && b.solid[c.b]) pairs.emplace_back(swapped ? c.b : c.a, swapped ? c.a : c.b);
  }
  sort_polled(pairs, std::less<>(), poll);
  return pairs;
}

}  // namespace

bool interfere(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll) {
  if (b.closed && a.has_solid &&
      Surface(a, b, solid_contacts(a, b, contacts, false, poll), a.closed, poll).interferes())
    return true;
  return a.closed && b.has_solid && Surface(b, a, solid_contacts(a, b, contacts, true, poll), false, poll).interferes();
}

bool reaches_into(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll) {
  return Surface(a, b, solid_contacts(a, b, contacts, false, poll), false, poll).interferes();
}
bool is_reached_by(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll) {
  return Surface(b, a, solid_contacts(a, b, contacts, true, poll), false, poll).interferes();
}

}  // namespace sightline::solid
