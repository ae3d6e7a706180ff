// Overlap of two closed parts without crossing contacts.
//
// Let X and Y be the parts (triangles with area only: the others bound nothing), S(X) the surface, I(X) the inside: the
// points off S(X) of odd parity. Claim: I(X) and I(Y) meet if and only if one of the samples below is in both.
//
// If: samples are points of space off both surfaces, taken infinitely near some triangle (solid/flag.h), and being in
// both is what is asked.
//
// Only if: let O = I(X) ∩ I(Y) be non-empty. It is open and bounded, so its boundary holds a piece f of a plane, in a
// triangle T of one of the parts, with O on one side of f and not on the other. Say T is of X; every triangle of
// either part takes this role below. Two facts first.
//   (1) Let V be a triangle of Y, not in T's plane, that meets the interior of T. It meets T's plane in a corner, in an
//       edge, or in a chord through its interior; the chord would put inner points of both on each other, a crossing.
//       So edges of Y that lie in T's plane, and single points, are all that Y shows in the interior of T, besides
//       triangles of Y in T's plane. Cut T along those edges (of the triangles of Y that touch T, coplanar ones too).
//       In each cell, but for single points, T is covered by the same triangles of Y, and no other comes near: just
//       above T, and just below, the whole cell is in I(Y) or the whole cell is out.
//   (2) Where T is covered by an odd number of triangles of X (itself included), I(X) lies on exactly one side.
// Case a: f has a part off S(Y). It lies in a cell c of T that is off S(Y) and in I(Y), and exactly one side of f is in
//   I(X). The sample of c is in I(Y) on both sides. If one side of it is in I(X), it shows the overlap. Otherwise, by
//   (2), other triangles of X cover T there. Then T is cut again, along the edges of X in its plane too; on f the count
//   of (2) is odd, it is constant in the new cells, and the sample in the cell of f shows it.
// Case b: f lies in triangles of Y that are coplanar with T; let T' be one. (1) says that T' covers all of f's cell.
//   Cut T further along the edges of X in its plane. (1) with T' in the role of T and X in that of Y says that just
//   above T, and just below, the cell is wholly in I(X) or wholly out. The same holds of I(Y), so the sample of the
//   cell shows what holds at f.
// So it suffices to sample every cell of every triangle on both sides: cut along the edges of Y in its plane, and also
// along those of X where Y has a coplanar triangle in contact with it or where case a asks for it. A triangle without
// contact is one cell; those joined by corners are on one side of S(Y), which is asked once for all of them. If they
// are inside, each of them is a case a.
#include "solid/overlap.h"

#include <algorithm>
#include <unordered_map>
#include <span>
#include <utility>

#include "solid/cells.h"

namespace sightline::solid {
namespace {

using Index = std::uint32_t;
using Pairs = std::vector<std::pair<Index, Index>>;

std::span<const std::pair<Index, Index>> partners(const Pairs& sorted, Index triangle) {
  const auto less = [](const auto& p, const auto& q) { return p.first < q.first; };
  return {std::lower_bound(sorted.begin(), sorted.end(), std::pair(triangle, Index{0}), less),
          std::upper_bound(sorted.begin(), sorted.end(), std::pair(triangle, Index{0}), less)};
}

/// T runs over the triangles of x; y is the other part.
class Surface {
 public:
  /// Contacts as (triangle of x, triangle of y), sorted.
  Surface(const Body& x, const Body& y, const Pairs& contacts) : x_(x), y_(y), contacts_(contacts) {}

  bool shows_overlap() const { return touching_triangles() || free_triangles(); }

  bool triangle_shows(Index t) const;

 private:
  using Edges = std::vector<std::array<Index, 2>>;

  bool touching_triangles() const {
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      if ((i == 0 || contacts_[i].first != contacts_[i - 1].first) && triangle_shows(contacts_[i].first)) return true;
    return false;
  }

  /// Triangles without contact, in groups joined by corners. What reaches out of y's box is outside y.
  bool free_triangles() const {
    const Box& box = y_.box;
    std::vector<Index> free;
    x_.tree().find([&](const Box& b) { return b.meets(box); },
                 [&](Index t) {
                   if (x_.solid[t] && partners(contacts_, t).empty()) free.push_back(t);
                   return false;
                 });
    std::unordered_map<Index, Index> owner;  // per welded vertex, a triangle (as its place in `free`) that has it
    std::vector<Index> parent(free.size());
    const auto root = [&](Index i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (Index i = 0; i < free.size(); ++i) {
      parent[i] = i;
      for (const Index corner : x_.mesh.triangles[free[i]]) {
        const auto [it, is_new] = owner.try_emplace(x_.topology.vertex[corner], i);
        if (!is_new) parent[std::max(root(i), root(it->second))] = std::min(root(i), root(it->second));
      }
    }
    std::vector<std::uint8_t> outside(free.size(), 0);
    for (Index i = 0; i < free.size(); ++i)
      if (!box.holds(box_of(x_.mesh.corners(free[i])))) outside[root(i)] = 1;
    for (Index i = 0; i < free.size(); ++i)
      if (root(i) == i && !outside[i]) outside[i] = !inside(y_, Flag::near(x_.mesh.corners(free[i])[0]));
    for (Index i = 0; i < free.size(); ++i)
      if (!outside[root(i)] && triangle_shows(free[i])) return true;
    return false;
  }

  /// Collects the edges of a triangle that lie in the plane; true if the whole triangle does.
  static bool add_edges(const Cells& cells, const Body& body, Index triangle, Edges& edges) {
    const std::array<Vec3d, 3> corners = body.mesh.corners(triangle);
    bool in[3];
    for (int i = 0; i < 3; ++i) in[i] = cells.in_plane(corners[i]);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const Triangle& t = body.mesh.triangles[triangle];
      const auto [low, high] = std::minmax(body.topology.vertex[t[i]], body.topology.vertex[t[j]]);
      if (in[i] && in[j]) edges.push_back({low, high});
    }
    return in[0] && in[1] && in[2];
  }

  static void cut(Cells& cells, const Body& body, Edges& edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [p, q] : edges) cells.add({body.mesh.positions[p], body.mesh.positions[q]});
  }

  /// Cuts along the edges of x itself that lie in the plane of t.
  void cut_along_own_edges(Cells& cells, Index t) const {
    const Box box = box_of(x_.mesh.corners(t));
    Edges edges;
    x_.tree().find([&](const Box& b) { return b.meets(box); },
                 [&](Index u) {
                   if (u != t && x_.solid[u]) add_edges(cells, x_, u, edges);
                   return false;
                 });
    cut(cells, x_, edges);
  }

  /// `covered`: some sample is in I(y) on both sides and in I(x) on neither. Without a coplanar triangle of y there is
  /// no need to ask y on both sides.
  bool sample(const Cells& cells, bool coplanar, bool& covered) const {
    return cells.sample([&](const Flag& above) {
      const Flag below = above.flipped();
      const bool in_above = inside(y_, above), in_below = coplanar ? inside(y_, below) : in_above;
      if ((in_above && inside(x_, above)) || (in_below && inside(x_, below))) return true;
      covered |= in_above && in_below;
      return false;
    });
  }

  const Body &x_, &y_;
  const Pairs& contacts_;
};

bool Surface::triangle_shows(Index t) const {
  Cells cells(x_.mesh.corners(t));
  Edges edges;
  bool coplanar = false;
  for (const auto& [self, other] : partners(contacts_, t)) coplanar |= add_edges(cells, y_, other, edges);
  cut(cells, y_, edges);
  if (coplanar) cut_along_own_edges(cells, t);
  bool covered = false;
  if (sample(cells, coplanar, covered)) return true;
  if (!covered || coplanar) return false;
  cut_along_own_edges(cells, t);
  return sample(cells, coplanar, covered);
}

/// Contacts between solid triangles as (triangle of x, triangle of y), sorted.
Pairs solid_contacts(const Body& a, const Body& b, std::span<const Contact> contacts, bool swapped) {
  Pairs pairs;
  for (const Contact& c : contacts)
    if (a.solid[c.a] && b.solid[c.b]) pairs.emplace_back(swapped ? c.b : c.a, swapped ? c.a : c.b);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

bool insides_overlap(const Body& a, const Body& b, std::span<const Contact> contacts) {
  if (a.mesh.triangles.empty() || b.mesh.triangles.empty()) return false;
  return Surface(a, b, solid_contacts(a, b, contacts, false)).shows_overlap() ||
         Surface(b, a, solid_contacts(a, b, contacts, true)).shows_overlap();
}

bool triangle_shows_overlap(const Body& a, const Body& b, std::span<const Contact> contacts, std::uint32_t triangle) {
  return Surface(a, b, solid_contacts(a, b, contacts, false)).triangle_shows(triangle);
}

}  // namespace sightline::solid
