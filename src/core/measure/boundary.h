// The boundary of the overlap of two shells, in pieces.
//
// Let w( ) be winding numbers. The overlap has the volume ∫ w(a) w(b), and its boundary is the surface of a, weighted
// by w(b), and the surface of b, weighted by w(a). Part a is moved by an infinitesimal translation (measure/shift.h),
// so that edges meet faces in inner points only. Then:
//
// 1. Cuts. Two triangles that meet do so in a segment. Its ends are piercings: an edge of one goes through the other.
//    Triangles that meet after the move share a point before it, so contacts are all that can be cut.
// 2. Windings. Along an edge, the winding number changes by ±1 at each piercing. So it is known for all corners that
//    edges connect to a corner outside the box of the other part, and for the others after one ray for each connected
//    set. They spread from triangle to triangle, forwards and backwards through the list; what is left after a few
//    passes, in a list without order, is connected by measure/potential.h.
// 3. Pieces. On a triangle T, w is constant but for steps at cuts. By Green's theorem, the weighted area of T is an
//    integral over its edges and cuts. With any point q of its plane, a cut from s to e (the side of larger w on its
//    left) is a piece (q, s, e). An edge from u to v with steps d at piercings p is, for any point r on it,
//      w(u) (q, u, r) + w(v) (q, r, v) + Σ d (q, p, r).
//    Only points inside the other part or on its surface have a weight, so all points lie in the common box: the errors
//    do not grow with triangles that are larger than that. q and r are the least piercings in the order of coordinates,
//    which no order of triangles changes.
//
// Layers of one part: the part is both a and b. A face with w inside and w - 1 outside is a boundary of w (w - 1) / 2
// with the weight w - 1. Where a face of the moved copy sees w - 1, it is outside of its twin, else it sees w: so what
// it sees, less 1 if it moves inwards, is the weight. Both copies of a face see it, and the sum of both is twice what
// is wanted, also where faces coincide.
//
// The volume is a continuous function of the translation, and every point has a limit: the sums of pieces at the points
// before the move are those of the parts as given. The area is not continuous: where faces of opposite orientation
// coincide, the move may open a layer of no thickness between them, which has to be taken off (Touch).
#pragma once

#include <span>
#include <vector>

#include "base/zeroed.h"
#include "measure/grid.h"
#include "measure/shell.h"
#include "measure/sum.h"

namespace sightline::measure {

class OverlapBoundary {
 public:
  /// The density whose boundary is found. For one part with itself, a and b are this part: w (w - 1) / 2 for the
  /// winding number w of a part with a positive volume, and for its reverse.
  enum class Density : std::uint8_t { product, layers, reversed_layers };
  /// Part a moves. The boxes meet.
  OverlapBoundary(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers, const Poll& poll,
                  Density density = Density::product);

  const Grid& grid() const { return grid_; }
  /// `turned`: of each part, whether it is inside out as a whole. Only the area needs it, where faces coincide.
  /// For one part with itself, the sum is twice that of the density.
  Sum sum(std::array<bool, 2> turned = {}) const;
  /// True if faces of the two parts coincide.
  bool has_touches() const { return !touches_.empty(); }
  /// Σ q · (X × Y) with points in units 2^-extra_bits of the grid's.
  exact::BigInt fine_six_volume(int extra_bits) const;
  /// All corners of one part with a winding number of the other that is not zero.
  Box corners() const;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xFFFFFFFFu;

  /// A corner (u = v), or where the edge u v of part `side` goes through a triangle of the other part.
  struct Point {
    PlacedPoint place;
    Index u = 0, v = 0, triangle = 0;
    std::uint8_t side = 0;
  };
  struct Piece {
    Index q, x, y;
    std::int32_t weight;
  };
  /// Triangle `triangle`: its edge from corner `edge` has a piercing `point`, at which the winding number changes by
  /// `step`; or (edge = kCut) it has a cut from `point` to `end`.
  struct Event {
    Index triangle = 0, point = 0, end = 0;
    std::int8_t edge = 0, step = 0;
    friend bool operator<(const Event& x, const Event& y) { return x.triangle < y.triangle; }
  };
  static constexpr std::int8_t kCut = 3;
  /// Triangles of one plane with a common area.
  struct Touch {
    Index a, b;
    bool opposed;   ///< their normals are opposite
    bool outwards;  ///< a moves to the side of its normal
  };
  /// What a contact gives: points, and events of both parts.
  struct Cuts {
    std::vector<Point> points;
    std::vector<Event> events[2];
    std::vector<Touch> touches;
  };
  /// Of each vertex a winding number, once it is known.
  class Windings {
   public:
    explicit Windings(std::size_t count) : code_(count) {}
    bool knows(Index v) const { return code_[v] != 0; }
    std::int32_t of(Index v) const { return code_[v] >> 1; }
    void set(Index v, std::int32_t winding) { code_[v] = winding * 2 + 1; }

   private:
    Zeroed<std::int32_t> code_;
  };
  struct Side {
    explicit Side(const Shell& s) : shell(&s), winding(s.mesh.positions.size()) {}
    const Shell* shell;
    std::vector<Event> events;        ///< sorted by triangle
    std::vector<Index> near;          ///< triangles whose boxes meet the other part's
    Windings winding;                 ///< of each vertex of these triangles
    std::vector<Point> points;        ///< corners that pieces use
    std::vector<Piece> whole, parts;  ///< triangles without cut; pieces of triangles with cuts
    std::vector<Index> ends;          ///< of the pieces of each triangle with cuts
  };

  void cut(std::span<const Contact> contacts, Workers& workers, const Poll& poll);
  void cut(const Contact& contact, Cuts& cuts) const;
  void find_windings(int side, Poll& poll);
  void connect(int side, std::span<const Index> triangles, Poll& poll);
  void make_pieces(int side, Poll& poll);
  int offset(int side, Index triangle) const;
  Sum touches_of_layers() const;
  Index corner_point(int side, Index vertex, Zeroed<Index>& number);
  Vec3d position(int side, Index vertex) const { return sides_[side].shell->mesh.position(vertex); }
  Index vertex(int side, Index triangle, int corner) const;
  std::span<const Event> events_of(int side, Index triangle, std::size_t& from) const;
  static std::array<int, 2> steps_of(std::span<const Event> events);
  std::array<int, 2> steps_of(int side, Index triangle) const;
  const Point& point(int side, Index i) const;
  FinePoint fine(const Point& point, int extra_bits) const;

  Box box_;
  Grid grid_;
  Density density_;
  Side sides_[2];
  std::vector<Point> piercings_;
  std::vector<Touch> touches_;
  Workers& workers_;
};

}  // namespace sightline::measure
