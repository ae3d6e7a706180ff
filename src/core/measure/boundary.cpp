#include "measure/boundary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "measure/common_area.h"
#include "measure/potential.h"

namespace sightline::measure {
namespace {

constexpr std::size_t kBlock = 1024;

}  // namespace

OverlapBoundary::OverlapBoundary(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers,
                                 const Poll& poll, Density density)
    : box_(a.box.common(b.box)), grid_(box_), density_(density), sides_{Side(a), Side(b)}, workers_(workers) {
  cut(contacts, workers, poll);
  workers.for_each(2, [&](std::size_t side) {
    Poll own = poll;
    const int s = static_cast<int>(side);
    find_windings(s, own);
    make_pieces(s, own);
  });
}

OverlapBoundary::Index OverlapBoundary::vertex(int side, Index triangle, int corner) const {
  const Shell& shell = *sides_[side].shell;
  return shell.vertex(shell.mesh.triangles[triangle][static_cast<std::size_t>(corner)]);
}

// ---- 1. cuts

void OverlapBoundary::cut(std::span<const Contact> contacts, Workers& workers, const Poll& poll) {
  std::vector<Cuts> blocks(contacts.size() / kBlock + 1);
  workers.for_blocks(contacts.size(), kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    for (std::size_t i = first; i < last; ++i) {
      own(16);
      cut(contacts[i], blocks[first / kBlock]);
    }
  });
  for (Cuts& block : blocks) {
    const auto first = static_cast<Index>(piercings_.size());
    piercings_.insert(piercings_.end(), block.points.begin(), block.points.end());
    touches_.insert(touches_.end(), block.touches.begin(), block.touches.end());
    for (int side = 0; side < 2; ++side)
      for (Event event : block.events[side]) {
        event.point += first;
        event.end += first;
        sides_[side].events.push_back(event);
      }
  }
  for (Side& side : sides_) std::stable_sort(side.events.begin(), side.events.end());
}

void OverlapBoundary::cut(const Contact& contact, Cuts& cuts) const {
  const Shell &a = *sides_[0].shell, &b = *sides_[1].shell;
  if (a.flat[contact.a] || b.flat[contact.b]) return;
  ShiftedPair pair(a.mesh.corners(contact.a), b.mesh.corners(contact.b));
  if (contact.kind == Kind::coplanar || contact.kind == Kind::duplicate) {
    cuts.touches.push_back({contact.a, contact.b, pair.opposed(), pair.moves_outwards()});
    return;
  }
  int side[6];
  for (int i = 0; i < 3; ++i) side[i] = pair.side(i);
  if (side[0] == side[1] && side[1] == side[2]) return;
  for (int i = 3; i < 6; ++i) side[i] = pair.side(i);
  if (side[3] == side[4] && side[4] == side[5]) return;

  Index ends[2] = {kNone, kNone};  // of the cut on a: it runs from the first to the second
  const auto pierce = [&](int of, int edge, int step) {
    const int i = 3 * of + edge, j = 3 * of + (edge + 1) % 3;
    const Index triangle = of == 0 ? contact.a : contact.b;
    const auto point = static_cast<Index>(cuts.points.size());
    const Triangle& t = sides_[of].shell->mesh.triangles[triangle];
    cuts.points.push_back({grid_.piercing(pair, i, j, of == 0 ? 3 : 0), t[static_cast<std::size_t>(edge)],
                           t[static_cast<std::size_t>((edge + 1) % 3)], of == 0 ? contact.b : contact.a,
                           static_cast<std::uint8_t>(of)});
    cuts.events[of].push_back({triangle, point, 0, static_cast<std::int8_t>(edge), static_cast<std::int8_t>(step)});
    // Around a triangle, the winding number falls where a cut starts and rises where it ends.
    Index& end = ends[(step > 0) == (of == 0)];
    assert(end == kNone);
    end = point;
  };
  for (int edge = 0; edge < 3; ++edge) {
    const int next = (edge + 1) % 3;
    if (side[edge] != side[next]) {
      const int turn = pair.turn(edge, 0);
      if (turn == pair.turn(edge, 1) && turn == pair.turn(edge, 2)) pierce(0, edge, (side[edge] - side[next]) / 2);
    }
    if (side[3 + edge] != side[3 + next]) {
      const int turn = pair.turn(0, edge);
      if (turn == pair.turn(1, edge) && turn == pair.turn(2, edge))
        pierce(1, edge, (side[3 + edge] - side[3 + next]) / 2);
    }
  }
  assert((ends[0] == kNone) == (ends[1] == kNone));
  if (ends[0] == kNone) return;
  cuts.events[0].push_back({contact.a, ends[0], ends[1], kCut, 0});
  cuts.events[1].push_back({contact.b, ends[1], ends[0], kCut, 0});
}

/// The events of a triangle, for ascending triangles.
std::span<const OverlapBoundary::Event> OverlapBoundary::events_of(int side, Index triangle, std::size_t& from) const {
  const std::vector<Event>& all = sides_[side].events;
  while (from < all.size() && all[from].triangle < triangle) ++from;
  std::size_t end = from;
  while (end < all.size() && all[end].triangle == triangle) ++end;
  return std::span(all).subspan(from, end - from);
}

// ---- 2. windings

/// By how much the winding number changes along the first two edges of a triangle with these events. The third one adds
/// nothing: the winding numbers around a triangle come back to where they began.
std::array<int, 2> OverlapBoundary::steps_of(std::span<const Event> events) {
  std::array<int, 2> steps{};
  for (const Event& event : events)
    if (event.edge < 2) steps[static_cast<std::size_t>(event.edge)] += event.step;
  return steps;
}
std::array<int, 2> OverlapBoundary::steps_of(int side, Index triangle) const {
  const auto [first, last] =
      std::equal_range(sides_[side].events.begin(), sides_[side].events.end(), Event{.triangle = triangle});
  return steps_of({first, last});
}

void OverlapBoundary::find_windings(int side, Poll& poll) {
  Side& s = sides_[side];
  std::vector<Index> left, next;
  // Of three corners, those that are known show the others. False if none is known.
  const auto spread = [&](Index t, bool within, const auto& steps) {
    const Index v[3] = {vertex(side, t, 0), vertex(side, t, 1), vertex(side, t, 2)};
    int known = -1, unknown = 0;
    for (int k = 0; k < 3; ++k) {
      if (!s.winding.knows(v[k]) && !within && !box_.holds(position(side, v[k]))) s.winding.set(v[k], 0);
      if (s.winding.knows(v[k]))
        known = k;
      else
        ++unknown;
    }
    if (unknown == 0 || known < 0) return known >= 0;
    const auto [first, second] = steps();
    const int at[3] = {0, first, first + second}, base = s.winding.of(v[known]) - at[known];
    for (int k = 0; k < 3; ++k) s.winding.set(v[k], base + at[k]);
    return true;
  };
  std::size_t from = 0;
  reserve_large(s.near, s.shell->mesh.triangles.size());
  s.shell->each_near(box_, poll, [&](Index t, bool within) {
    s.near.push_back(t);
    if (!spread(t, within, [&] { return steps_of(events_of(side, t, from)); })) left.push_back(t);
  });
  for (bool shrinks = true; shrinks && !left.empty();) {
    next.clear();
    for (std::size_t i = left.size(); i-- > 0;) {
      poll();
      if (!spread(left[i], true, [&] { return steps_of(side, left[i]); })) next.push_back(left[i]);
    }
    shrinks = 2 * next.size() < left.size();
    left.swap(next);
  }
  if (!left.empty()) connect(side, left, poll);
}

void OverlapBoundary::connect(int side, std::span<const Index> triangles, Poll& poll) {
  Side& s = sides_[side];
  Potentials potentials(s.shell->mesh.positions.size() + 1);
  for (const Index t : triangles) {
    poll();
    const auto [first, second] = steps_of(side, t);
    const Index v[3] = {vertex(side, t, 0), vertex(side, t, 1), vertex(side, t, 2)};
    for (const Index u : v)
      if (s.winding.knows(u)) potentials.join(0, u + 1, s.winding.of(u));
    potentials.join(v[0] + 1, v[1] + 1, first);
    potentials.join(v[1] + 1, v[2] + 1, second);
  }
  const Shell& other = *sides_[1 - side].shell;
  for (const Index t : triangles)
    for (int k = 0; k < 3; ++k) {
      poll();
      const Index v = vertex(side, t, k);
      auto [root, difference] = potentials.find(v + 1);
      if (root != 0) {
        const int winding = other.winding(position(side, root - 1), side == 0 ? 1 : -1, poll);
        potentials.join(0, root, winding);
        difference += winding;
      }
      s.winding.set(v, difference);
    }
}

// ---- 3. pieces

const OverlapBoundary::Point& OverlapBoundary::point(int side, Index i) const {
  return i < piercings_.size() ? piercings_[i] : sides_[side].points[i - piercings_.size()];
}

/// What is added to the winding numbers that a triangle sees, to get its weights.
int OverlapBoundary::offset(int side, Index triangle) const {
  if (density_ == Density::product) return 0;
  const Corners t = sides_[side].shell->mesh.corners(triangle);
  int along = 0;
  for (int axis = 0; axis < 3 && along == 0; ++axis) along = exact::orient2d(axis, t[0], t[1], t[2]);
  const bool moves_inwards = (along < 0) == (side == 0);
  return (density_ == Density::reversed_layers ? 1 : 0) - (moves_inwards ? 1 : 0);
}

/// `number`: of each vertex that has a point, one more than the number of that.
OverlapBoundary::Index OverlapBoundary::corner_point(int side, Index vertex, Zeroed<Index>& number) {
  if (number[vertex] == 0) {
    Side& s = sides_[side];
    s.points.push_back({grid_.vertex(position(side, vertex)), vertex, vertex, 0, static_cast<std::uint8_t>(side)});
    number[vertex] = static_cast<Index>(piercings_.size() + s.points.size());
  }
  return number[vertex] - 1;
}

void OverlapBoundary::make_pieces(int side, Poll& poll) {
  Side& s = sides_[side];
  Zeroed<Index> number(s.shell->mesh.positions.size());
  reserve_large(s.whole, s.near.size());
  reserve_large(s.points, std::min(s.shell->mesh.positions.size(), 3 * s.near.size()));
  std::size_t from = 0;
  for (const Index t : s.near) {
    poll();
    const std::span<const Event> events = events_of(side, t, from);
    const Index v[3] = {vertex(side, t, 0), vertex(side, t, 1), vertex(side, t, 2)};
    const int more = offset(side, t);
    if (events.empty()) {
      if (const std::int32_t weight = s.winding.of(v[0]) + more; weight != 0)
        s.whole.push_back({corner_point(side, v[0], number), corner_point(side, v[1], number),
                           corner_point(side, v[2], number), weight});
      continue;
    }
    const auto less = [&](Index x, Index y) { return point(side, x).place.at < point(side, y).place.at; };
    Index q = events[0].point;
    for (const Event& event : events) {
      q = std::min(q, event.point, less);
      if (event.edge == kCut) q = std::min(q, event.end, less);
    }
    const auto add = [&](Index x, Index y, std::int32_t weight) {
      if (weight != 0) s.parts.push_back({q, x, y, weight});
    };
    for (int k = 0; k < 3; ++k) {
      const Index u = v[k], w = v[(k + 1) % 3];
      const std::int32_t of_u = s.winding.of(u) + more, of_w = s.winding.of(w) + more;
      Index r = kNone;
      for (const Event& event : events)
        if (event.edge == k) r = r == kNone ? event.point : std::min(r, event.point, less);
      if (r == kNone) {
        if (of_u != 0) add(corner_point(side, u, number), corner_point(side, w, number), of_u);
        continue;
      }
      if (of_u != 0) add(corner_point(side, u, number), r, of_u);
      if (of_w != 0) add(r, corner_point(side, w, number), of_w);
      for (const Event& event : events)
        if (event.edge == k) add(event.point, r, event.step);
    }
    for (const Event& event : events)
      if (event.edge == kCut) add(event.point, event.end, 1);
    s.ends.push_back(static_cast<Index>(s.parts.size()));
  }
}

Sum OverlapBoundary::sum(std::array<bool, 2> turned) const {
  Sum total;
  for (int side = 0; side < 2; ++side) {
    const Side& s = sides_[side];
    std::vector<Sum> sums(s.whole.size() / kBlock + s.ends.size() / kBlock + 2);
    const auto place = [&](Index i) -> const PlacedPoint& { return point(side, i).place; };
    workers_.for_blocks(s.whole.size(), kBlock, [&](std::size_t first, std::size_t last) {
      Sum& sum = sums[first / kBlock];
      for (std::size_t i = first; i < last; ++i) {
        const Piece& piece = s.whole[i];
        sum.add_face(place(piece.q), place(piece.x), place(piece.y), piece.weight);
      }
    });
    workers_.for_blocks(s.ends.size(), kBlock, [&](std::size_t first, std::size_t last) {
      Sum& sum = sums[s.whole.size() / kBlock + 1 + first / kBlock];
      for (std::size_t i = first; i < last; ++i) {
        Sum::FaceArea face{};
        for (Index p = i == 0 ? 0 : s.ends[i - 1]; p < s.ends[i]; ++p) {
          const Piece& piece = s.parts[p];
          sum.add_piece(place(piece.q), place(piece.x), place(piece.y), piece.weight, face);
        }
        sum.add_face(face);
      }
    });
    for (const Sum& sum : sums) total.add(sum);
  }
  if (density_ != Density::product) {
    total.add(touches_of_layers());
    return total;
  }
  for (const auto& [a, b, opposed, outwards] : touches_) {
    // The layer of no thickness: the outsides of both faces meet, and a moves into b.
    if (opposed != (turned[0] == turned[1]) || outwards == turned[0]) continue;
    const TwiceArea twice =
        common_area(sides_[0].shell->mesh.corners(a), sides_[1].shell->mesh.corners(b), grid_.exponent() + Grid::kBits);
    for (int side = 0; side < 2; ++side) total.remove_area(twice.value, twice.error);
  }
  return total;
}

// Where faces of one part coincide, the area of the boundary is less than the sum of their areas. Let n faces and one
// of opposite orientation coincide, with w outside of the n. The density steps from w to w + n - 1.
//
// n = 1: there is no boundary. But the moved copy of the one that moves outwards sees c = w + 1, and all four copies
// have weights of the magnitudes |c|, |c - 1|, |c - 1| and |c|, which the interval loses here. More of them: every copy
// sees at most C and has a weight of at most C + N, with N faces in contact; the interval gets that much wider, for
// each pair of opposite faces. Faces of one orientation alone add up, if no winding number is negative.
Sum OverlapBoundary::touches_of_layers() const {
  Sum total;
  const Shell& shell = *sides_[0].shell;
  const bool reversed = density_ == Density::reversed_layers;
  std::vector<Index> touching;  // triangles in contact with others, once for each of these
  std::vector<Index> doubled;   // those in contact with some of their orientation
  for (const Touch& touch : touches_) {
    if (touch.a == touch.b) continue;
    touching.push_back(touch.a);
    if (!touch.opposed) doubled.push_back(touch.a);
  }
  std::sort(touching.begin(), touching.end());
  std::sort(doubled.begin(), doubled.end());
  for (const Touch& touch : touches_) {
    if (touch.a == touch.b || (touch.opposed && touch.outwards == reversed)) continue;
    int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
    for (int k = 0; k < 3; ++k) {
      const int seen = sides_[0].winding.of(vertex(0, touch.a, k)) * (reversed ? -1 : 1);
      low = std::min(low, seen), high = std::max(high, seen);
    }
    const auto [first, last] =
        std::equal_range(sides_[0].events.begin(), sides_[0].events.end(), Event{.triangle = touch.a});
    const auto events = static_cast<int>(last - first);
    const auto is_doubled = [&](Index t) { return std::binary_search(doubled.begin(), doubled.end(), t); };
    if (!touch.opposed && low - events >= 0) continue;
    const TwiceArea twice =
        common_area(shell.mesh.corners(touch.a), shell.mesh.corners(touch.b), grid_.exponent() + Grid::kBits);
    const auto remove = [&](double times, double widen) {
      total.remove_area(times * twice.value, times * twice.error + widen * (twice.value + twice.error));
    };
    if (touch.opposed && events == 0 && !is_doubled(touch.a) && !is_doubled(touch.b)) {
      remove(2 * (std::abs(low) + std::abs(low - 1)), 0);
      continue;
    }
    const auto [from, to] = std::equal_range(touching.begin(), touching.end(), touch.a);
    const int most = std::max(std::abs(low), std::abs(high)) + events + static_cast<int>(to - from);
    remove(touch.opposed ? 2 : 0, 4 * (most + 2));
  }
  return total;
}

FinePoint OverlapBoundary::fine(const Point& point, int extra_bits) const {
  const Vec3d u = position(point.side, point.u);
  if (point.u == point.v) return grid_.fine_vertex(u, extra_bits);
  return grid_.fine_piercing(u, position(point.side, point.v),
                             sides_[1 - point.side].shell->mesh.corners(point.triangle), extra_bits);
}

exact::BigInt OverlapBoundary::fine_six_volume(int extra_bits) const {
  exact::BigInt sum;
  for (int side = 0; side < 2; ++side)
    for (const std::vector<Piece>* pieces : {&sides_[side].whole, &sides_[side].parts})
      for (const Piece& piece : *pieces) {
        const FinePoint q = fine(point(side, piece.q), extra_bits), x = fine(point(side, piece.x), extra_bits),
                        y = fine(point(side, piece.y), extra_bits);
        sum = sum + six_volume(q, x, y) * piece.weight;
      }
  return sum;
}

Box OverlapBoundary::corners() const {
  Box box;
  for (int side = 0; side < 2; ++side)
    for (const Point& p : sides_[side].points) box.add(position(side, p.u));
  return box;
}

}  // namespace sightline::measure
