// Interference of two parts without crossing contacts.
//
// Let X be the closed pieces of a part and Y a closed part (triangles with area only: the others bound nothing), S( ) a
// surface, I( ) its inside: the points off it of odd parity. There are two questions.
//   P: is a point of S(X) in I(Y)?
//   Q: do I(X) and I(Y) meet? (only where the part of X is closed: then X is all its triangles with area)
// They are answered by samples: points of space off both surfaces, infinitely near a triangle (solid/flag.h).
//
// (1) Let T be a triangle of X and V one of Y that is not in T's plane and meets the interior of T. It meets T's plane
// in a corner, in an edge, or in a chord through its interior; the chord would put inner points of both on each other,
// a crossing. So edges of Y that lie in T's plane, and single points, are all that Y shows in the interior of T,
// besides triangles of Y in T's plane. Cut T along those edges (of the triangles of Y that touch T, coplanar ones too).
// In each cell, but for single points, T is covered by the same triangles of Y, and no other comes near: just above T,
// and just below, the whole cell is in I(Y) or the whole cell is out, and these two differ if and only if the number of
// triangles of Y that cover the cell is odd.
//
// P holds if and only if a cell that no triangle of Y covers has its sample in I(Y): I(Y) is open, so if it holds a
// point of T, it holds inner points of T, and more of them than single points.
//
// Q: let P be false both ways and O = I(X) ∩ I(Y) be non-empty. O is open and bounded, so its boundary holds a piece f
// of a plane, in a triangle T of one of the parts, with O on one side of f, say above. If f had a part off the surface
// of the other part, that part of f would lie in its inside, and P would be true. So f lies in both surfaces, and T can
// be taken from X, with triangles of Y in its plane that cover f and the whole cell of f. By (1), all points just above
// the cell are in I(Y). None of them is on S(X), or P would be true. So they are all in I(X) or all out, and above f
// they are in: the sample of the cell, taken above, is in both. Conversely such a sample answers Q.
//
// So it suffices to sample every cell of every triangle. One without contact is one cell; those joined by corners are
// on one side of S(Y), which is found once for all of them. Where both parts are closed, P is decided both ways and Q
// once.
#include <algorithm>
#include <span>
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

/// T runs over the triangles of closed pieces of x; y is closed.
class Surface {
 public:
  /// Contacts as (triangle of x, triangle of y), sorted. `overlap`: decide Q too.
  Surface(const Body& x, const Body& y, const Pairs& contacts, bool overlap, Poll& poll)
      : x_(x), y_(y), contacts_(contacts), overlap_(overlap), poll_(poll) {}

  bool interferes() const { return touching_triangles() || free_triangles(); }

 private:
  using Edges = std::vector<std::array<Index, 2>>;

  bool touching_triangles() const {
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      if ((i == 0 || contacts_[i].first != contacts_[i - 1].first) && touching_triangle(contacts_[i].first))
        return true;
    return false;
  }

  bool touching_triangle(Index t) const {
    Cells cells(x_.mesh.corners(t));
    Edges edges;
    std::vector<Index> coplanar;
    for (const auto& [self, other] : partners(contacts_, t)) {
      poll_();
      if (add_edges(cells, other, edges)) coplanar.push_back(other);
    }
    cut(cells, edges);
    return cells.sample(
        [&](const Flag& above) {
          const auto covers = [&](Index u) {
            poll_(above.steps());
            return cells.covers(y_.mesh.corners(u), above);
          };
          const auto covering = std::count_if(coplanar.begin(), coplanar.end(), covers);
          if (covering == 0) return inside(y_, above, poll_);
          if (!overlap_) return false;
          const bool in_above = inside(y_, above, poll_), in_below = in_above != (covering % 2 != 0);
          return (in_above && inside(x_, above, poll_)) || (in_below && inside(x_, above.flipped(), poll_));
        },
        poll_);
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

  /// Collects the edges of a triangle of y that lie in the plane; true if the whole triangle does.
  bool add_edges(const Cells& cells, Index triangle, Edges& edges) const {
    const std::array<Vec3d, 3> corners = y_.mesh.corners(triangle);
    bool in[3];
    for (int i = 0; i < 3; ++i) in[i] = cells.in_plane(corners[i]);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const Triangle& t = y_.mesh.triangles[triangle];
      const auto [low, high] = std::minmax(y_.topology.vertex[t[i]], y_.topology.vertex[t[j]]);
      if (in[i] && in[j]) edges.push_back({low, high});
    }
    return in[0] && in[1] && in[2];
  }

  void cut(Cells& cells, Edges& edges) const {
    sort_polled(edges, std::less<>(), poll_);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [p, q] : edges) {
      poll_();
      cells.add({y_.mesh.position(p), y_.mesh.position(q)});
    }
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

}  // namespace sightline::solid
