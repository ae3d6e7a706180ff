// Branch and bound for the deepest point of a surface inside another part.
//
// 1. Candidates (measure/sides.h): triangles inside the other part, as their three corners; and triangles with
//    contacts, as the corners that lie inside and all corners of their intersections with the other surface. The points
//    of such a triangle that lie inside are in the convex hull of these: an extreme point of them is a corner of the
//    triangle, or it lies on the other surface.
// 2. Large parts take a look at a sample of the other surface first, which drops most candidates (look()). Then there
//    is a tree of the candidates. The depth is a function with slope 1, so a node is at most as deep as its centre, plus
//    its radius. Nodes that are not deeper than the deepest point so far are dropped.
// 3. Pieces. Each piece has an upper bound from a matrix game (measure/game.h), which also has a point that would be
//    the deepest if distances were linear. The distance of this point to the other surface is a lower bound for the
//    whole, if the point is inside. Pieces that can be deeper are split: first along the seams, the segments in which
//    their triangle meets the other surface. A piece without a seam is on one side, which its middle decides; without
//    seams, pieces far outside would have to shrink below their distance from the surface.
//
// All pieces of one level are evaluated with the lower bound of the levels before, so the number of threads does not
// matter. A dropped piece has no point that is deeper than the lower bound, so the order of triangles does not matter
// either. Numbers are functions of differences of coordinates (measure/field.h).
#include "measure/protrusion.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "base/vector.h"
#include "exact/intersection.h"
#include "measure/field.h"
#include "measure/game.h"
#include "measure/sides.h"
#include "solid/distance.h"
#include "solid/relate.h"

namespace sightline::measure {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = 0xFFFFFFFFu;
constexpr double kClosed = 1 + 0x1p-41, kNarrow = 1 + 0x1p-40, kRounding = 1 + 0x1p-49;

struct PiecePoint {
  Vec3d offset;
  Index vertex = kNone;  // where the point is a vertex of the mesh, which lies inside
};
/// A segment in which a triangle meets the other surface, as offsets.
using Seam = std::array<Vec3d, 2>;
struct Piece {
  Index triangle = 0;
  bool inside = false;  // all of it; otherwise parts of it may be outside
  bool within = false;  // not crossed by a seam, and the middle is inside: see is_outside
  double upper = Box::kInfinity;
  std::vector<PiecePoint> points;
  std::uint8_t cuts = 0;    // along borders of triangles, in the making of this piece
  std::uint16_t steps = 0;  // in which its points were computed from each other
  double size = 0;          // no offset has a larger coordinate
  Index hint = kNone;       // a triangle of the other part that is near
  std::shared_ptr<const std::vector<Seam>> all_seams;
  std::vector<Index> seams;  // those that cross this piece
};
/// A point that was measured.
struct Spot {
  double lower = -1, upper = 0;
  double noise = 0;  // the bounds may be off by this
  Vec3d position{}, nearest{};
  Index triangle = 0, other = 0, vertex = kNone;
  /// The deeper one; of equals, the one that comes first.
  bool better_than(const Spot& s) const { return lower != s.lower ? lower > s.lower : position < s.position; }
};
struct Evaluation {
  double upper = 0, noise = 0;
  Spot deepest;
  Vec3d deepest_offset{};
  Spot centre;
  double radius = 0;
  std::vector<Index> columns;  // triangles of the game
  /// Of the edge from point i to the next one: how much the distances to these triangles differ at its ends.
  std::array<double, 3> change{};
  double thickness = 0;  // a lower bound of the distance of the centre from the border of the piece
};

double length_up(const Vec3d& v) { return std::sqrt(dot(v, v)) * (1 + 0x1p-49); }
double largest(const Vec3d& p) { return std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}); }

/// Two coordinates of points in a plane; the projection shortens no distance to less than half.
struct Plane {
  int u = 0, v = 1;
  explicit Plane(const Vec3d& normal) {
    int axis = 0;
    for (int k = 1; k < 3; ++k)
      if (std::abs(normal[k]) > std::abs(normal[axis])) axis = k;
    u = (axis + 1) % 3, v = (axis + 2) % 3;
  }
  double cross(const Vec3d& p, const Vec3d& q) const { return p[u] * q[v] - p[v] * q[u]; }
  double length(const Vec3d& p) const { return std::sqrt(p[u] * p[u] + p[v] * p[v]); }
};

/// The corners of the convex hull of points in a plane, in order around it; dropped points are within rounding of it.
std::vector<PiecePoint> hull(std::vector<PiecePoint> points, const Vec3d& normal) {
  const Plane plane(normal);
  const int u = plane.u, v = plane.v;
  std::sort(points.begin(), points.end(), [&](const PiecePoint& p, const PiecePoint& q) {
    const auto key = [&](const PiecePoint& x) { return std::tuple(x.offset[u], x.offset[v], x.vertex == kNone); };
    return key(p) < key(q);
  });
  points.erase(std::unique(points.begin(), points.end(),
                           [](const PiecePoint& p, const PiecePoint& q) { return p.offset == q.offset; }),
               points.end());
  if (points.size() < 4) return points;
  std::vector<PiecePoint> chain;
  const auto turn = [&](const PiecePoint& p, const PiecePoint& q, const PiecePoint& r) {
    return (q.offset[u] - p.offset[u]) * (r.offset[v] - p.offset[v]) -
           (q.offset[v] - p.offset[v]) * (r.offset[u] - p.offset[u]);
  };
  const auto add = [&](std::size_t least, const PiecePoint& p) {
    while (chain.size() >= least + 2 && turn(chain[chain.size() - 2], chain.back(), p) <= 0) chain.pop_back();
    chain.push_back(p);
  };
  for (const PiecePoint& p : points) add(0, p);
  const std::size_t lower = chain.size() - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) add(lower, points[i]);
  chain.pop_back();
  return chain;
}

class Search {
 public:
  Search(const Shell& part, const Shell& other, std::span<const Contact> contacts, bool first, Workers& workers,
         const Poll& poll)
      : part_(part), other_(other), workers_(workers), poll_(poll) {
    if (!part.box.meets(other.box)) return;
    make_candidates(contacts, first);
  }

  Protrusion run() {
    if (boxes_.empty()) return {};
    look();
    Box all;
    for (const Box& box : boxes_) all.add(box);
    above_ = triangles_above(other_, all, workers_, poll_);
    prune();
    for (int level = 0; level < kLevels && !pieces_.empty(); ++level) refine(level == 0);
    for (Piece& piece : pieces_) closed_.push_back(std::move(piece));
    return result();
  }

 private:
  static constexpr int kLevels = 96, kMostCuts = 6;

  Corners frame_corners(Index triangle) const { return sorted(part_.mesh.corners(triangle)); }
  Vec3d frame_of(Index triangle) const { return frame_corners(triangle)[0]; }

  void make_candidates(std::span<const Contact> contacts, bool first) {
    const std::size_t count = part_.mesh.triangles.size();
    std::vector<std::uint8_t> touched(count, 0);
    std::vector<std::pair<Index, Index>> pairs;
    for (const Contact& c : contacts) {
      const Index mine = first ? c.a : c.b, others = first ? c.b : c.a;
      touched[mine] = 1;
      if (!part_.flat[mine] && !other_.flat[others]) pairs.emplace_back(mine, others);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs_ = std::move(pairs);
    sides_.emplace(part_, other_, std::move(touched), workers_, poll_);
    candidates_ = sides_->candidates();
    boxes_.resize(candidates_.size());
    constexpr std::size_t kBlock = 512;
    workers_.for_blocks(candidates_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      Poll own = poll_;
      for (std::size_t i = begin; i < end; ++i) {
        own(2);
        boxes_[i] = box_of_candidate(candidates_[i]);
      }
    });
  }

  /// A box of all points of the triangle that are inside: of the corners inside, and of all points with contact.
  Box box_of_candidate(Index triangle) const {
    const Box whole = box_of(part_.mesh.corners(triangle));
    if (!sides_->touched(triangle)) return whole;
    Box box;
    for (const Index v : part_.mesh.triangles[triangle])
      if (sides_->inside(v)) box.add(part_.mesh.position(v));
    auto pair = std::lower_bound(pairs_.begin(), pairs_.end(), std::pair<Index, Index>(triangle, 0));
    for (; pair != pairs_.end() && pair->first == triangle; ++pair)
      box.add(whole.common(box_of(other_.mesh.corners(pair->second))));
    return box;
  }

  Vec3d normal_of(Index triangle) const {
    const Corners t = frame_corners(triangle);
    return cross(t[1] - t[0], t[2] - t[0]);
  }

  Piece candidate(Index triangle, Poll& poll) const {
    const Sides& sides = *sides_;
    Piece piece;
    piece.triangle = triangle;
    piece.inside = !sides.touched(triangle);
    const Corners corners = frame_corners(triangle);
    for (const Vec3d& corner : corners) piece.size = std::max(piece.size, largest(corner - corners[0]));
    for (const Index v : part_.mesh.triangles[triangle])
      if (sides.inside(v)) piece.points.push_back({part_.mesh.position(v) - corners[0], part_.vertex(v)});
    std::sort(piece.points.begin(), piece.points.end(),
              [](const PiecePoint& p, const PiecePoint& q) { return p.offset < q.offset; });
    if (piece.inside) return piece;
    std::vector<Seam> seams;
    auto pair = std::lower_bound(pairs_.begin(), pairs_.end(), std::pair<Index, Index>(triangle, 0));
    for (; pair != pairs_.end() && pair->first == triangle; ++pair) {
      poll(64);
      const Intersection common =
          exact::intersection(corners, sorted(other_.mesh.corners(pair->second)), /*from_corner=*/true);
      const auto points = common.points();
      for (const Vec3d& p : points) piece.points.push_back({p, kNone});
      for (std::size_t i = 0; points.size() > 1 && i < (points.size() == 2 ? 1 : points.size()); ++i)
        seams.push_back({points[i], points[(i + 1) % points.size()]});
    }
    piece.points = hull(std::move(piece.points), normal_of(triangle));
    piece.all_seams = std::make_shared<const std::vector<Seam>>(std::move(seams));
    for (Index i = 0; i < piece.all_seams->size(); ++i) piece.seams.push_back(i);
    keep_crossing(piece);
    return piece;
  }

  /// A point of a piece is off by less than this. A point between two others, p + t (q - p), is off by at most 5u of
  /// the largest coordinate along each axis, whatever t is, so by less than 9u as a length; the first points are
  /// rounded once, and weighted sums of three points are rounded five times.
  static double error_of(const Piece& piece) { return (9 * piece.steps + 32) * 0x1p-53 * piece.size; }
  /// The same for any piece: kLevels times three steps and more.
  static double most_error(const Piece& piece) { return 0x1p-41 * piece.size; }

  /// Drops the seams that do not reach deeper into the piece than the offsets may be off.
  void keep_crossing(Piece& piece) const {
    const auto& p = piece.points;
    if (p.size() < 3 || piece.seams.empty()) return;
    const Plane plane(normal_of(piece.triangle));
    const double off = most_error(piece), turn = turn_of(piece, plane);
    std::erase_if(piece.seams, [&](Index i) {
      const Seam& seam = (*piece.all_seams)[i];
      double from = 0, to = 1;
      for (std::size_t j = 0; j < p.size() && from <= to; ++j) {
        const Vec3d &q = p[j].offset, edge = p[(j + 1) % p.size()].offset - q;
        const double least = off * plane.length(edge);
        const double at_from = turn * plane.cross(edge, seam[0] - q) - least;
        const double at_to = turn * plane.cross(edge, seam[1] - q) - least;
        if (at_from <= 0 && at_to <= 0) return true;
        const double t = at_from / (at_from - at_to);
        if (at_from < 0) from = std::max(from, t - 0x1p-30);
        if (at_to < 0) to = std::min(to, t + 0x1p-30);
      }
      return from > to;
    });
  }
  static double turn_of(const Piece& piece, const Plane& plane) {
    const auto& p = piece.points;
    double sum = 0;
    for (std::size_t i = 2; i < p.size(); ++i)
      sum += plane.cross(p[i - 1].offset - p[0].offset, p[i].offset - p[0].offset);
    return sum < 0 ? -1 : 1;
  }

  /// `error`: of the offset.
  Spot measure(Index triangle, const Vec3d& offset, Index vertex, double error, bool with_lower, Poll& poll,
               Index hint = Field::kNoHint) const {
    const Vec3d frame = vertex == kNone ? frame_of(triangle) : part_.mesh.position(vertex);
    const Vec3d from = vertex == kNone ? offset : Vec3d{};
    const Distance d = with_lower ? field_->bounds(frame, from, poll, hint) : field_->nearest(frame, from, poll, hint);
    Spot spot;
    // A point that is computed from the corners of a piece is as far from the surface as an offset may be off.
    spot.lower = vertex == kNone ? std::max(0.0, d.lower - error) : d.lower;
    spot.upper = d.upper;
    spot.noise = kError * d.reach + error;
    spot.position = frame + from;
    spot.nearest = frame + (from + d.to);
    spot.triangle = triangle;
    spot.other = d.triangle;
    spot.vertex = vertex;
    return spot;
  }

  void take(const Spot& spot) {
    if (spot.vertex != kNone) vertices_.push_back(spot);
    if (spot.better_than(best_)) best_ = spot;
  }

  /// Candidates that are neighbours in the list, none of which is deeper than `upper`.
  struct Group {
    Box box;
    double upper = Box::kInfinity;
    double middle = Box::kInfinity;  // the same for the middle of the box
    std::size_t begin = 0, end = 0;
  };
  static double radius_of(const Box& box, const Vec3d& centre) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double half = std::max(centre[k] - box.low[k], box.high[k] - centre[k]);
      sum += half * half;
    }
    return std::sqrt(sum);
  }

  /// A first look at large parts, without a tree of all triangles: a sample of the other surface bounds the depths of
  /// groups of candidates from above, and corners in the groups that look deepest show how deep the deepest point is at
  /// least. Most groups are dropped. Those that are left are near few triangles of the other surface as a rule: these
  /// are the field.
  void look() {
    constexpr std::size_t kLeastCandidates = 256, kLeastTriangles = 2048, kMostClusters = 64;
    Box all;
    for (const Box& box : boxes_) all.add(box);
    std::vector<Group> groups{{.box = all}};
    std::vector<Index> sample;
    if (boxes_.size() >= kLeastCandidates && other_.mesh.triangles.size() >= kLeastTriangles)
      sample = sample_of_other();
    if (!sample.empty()) {
      const Field coarse(other_, std::move(sample), workers_, poll_);
      groups = bounded_groups(coarse, 32);
      measure_deepest(coarse, groups);
      keep(groups);
      sort_candidates();  // neighbours in the list need not be neighbours in space
      for (const std::size_t size : {8, 1}) {
        groups = bounded_groups(coarse, size);
        keep(groups);
      }
    } else {
      groups[0].upper = most_distance(other_, all, workers_, poll_);
    }
    std::vector<Vicinity> near;
    const std::size_t step = groups.size() / kMostClusters + 1;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (i % step == 0) near.emplace_back();
      near.back().box.add(groups[i].box);
      near.back().distance = std::max(near.back().distance, groups[i].upper);
    }
    field_.emplace(other_, triangles_near(other_, near, workers_, poll_), workers_, poll_);
  }

  std::vector<Index> sample_of_other() const {
    constexpr std::size_t kStep = 16, kMost = 4096;
    std::vector<Index> sample;
    const std::size_t count = other_.mesh.triangles.size(), step = std::max(kStep, count / kMost);
    for (std::size_t i = 0; i < count; i += step)
      if (!other_.flat[i]) sample.push_back(static_cast<Index>(i));
    return sample;
  }

  std::vector<Group> bounded_groups(const Field& coarse, std::size_t size) const {
    constexpr std::size_t kBlock = 16;
    std::vector<Group> groups((boxes_.size() + size - 1) / size);
    workers_.for_blocks(groups.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      Poll own = poll_;
      Index hint = Field::kNoHint;
      for (std::size_t i = begin; i < end; ++i) {
        Group& g = groups[i];
        g.begin = i * size;
        g.end = std::min(boxes_.size(), g.begin + size);
        for (std::size_t j = g.begin; j < g.end; ++j) g.box.add(boxes_[j]);
        const Vec3d centre = g.box.centre();
        const Distance d = coarse.nearest(centre, {}, own, hint);
        g.upper = (d.upper + radius_of(g.box, centre)) * kRounding;
        g.middle = d.upper;
        hint = d.triangle;
      }
    });
    return groups;
  }

  /// Measures some corners that may be the deepest ones.
  void measure_deepest(const Field& coarse, const std::vector<Group>& groups) {
    constexpr std::size_t kMostGroups = 64, kMost = 8;
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.resize(first_of(order, kMostGroups, [&](std::size_t i) { return groups[i].middle; }));
    struct Corner {
      Index triangle, vertex;
      Vicinity near;
    };
    std::vector<Corner> corners;
    for (const std::size_t i : order)
      for (std::size_t j = groups[i].begin; j < groups[i].end; ++j) {
        const Index vertex = part_.vertex(part_.mesh.triangles[candidates_[j]][0]);
        if (!sides_->inside(vertex)) continue;
        const Vec3d p = part_.mesh.position(vertex);
        corners.push_back({candidates_[j], vertex, {{p, p}, coarse.nearest(p, {}, poll_).upper}});
        break;
      }
    if (corners.empty()) return;
    corners.resize(first_of(corners, kMost, [](const Corner& c) { return c.near.distance; }));
    std::vector<Vicinity> near;
    for (const Corner& c : corners) near.push_back(c.near);
    field_.emplace(other_, triangles_near(other_, near, workers_, poll_), workers_, poll_);
    for (const Corner& c : corners)
      if (const Spot spot = measure(c.triangle, {}, c.vertex, 0, true, poll_); spot.better_than(best_)) take(spot);
  }
  /// Moves those with the greatest values to the front; returns how many.
  template <typename Item, typename Value>
  static std::size_t first_of(std::vector<Item>& items, std::size_t most, const Value& value) {
    most = std::min(most, items.size());
    std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most), items.end(),
                      [&](const Item& x, const Item& y) { return value(x) > value(y); });
    return most;
  }

  void sort_candidates() {
    BoxTree tree;
    std::vector<BoxTree::Item> scratch;
    workers_.isolated([&] {
      tree.assign(
          boxes_.size(), [&](std::size_t i) { return boxes_[i]; }, scratch, 1, workers_, poll_);
    });
    std::vector<Index> candidates;
    std::vector<Box> boxes;
    for (const std::uint32_t i : tree.items()) {
      candidates.push_back(candidates_[i]);
      boxes.push_back(boxes_[i]);
    }
    candidates_ = std::move(candidates);
    boxes_ = std::move(boxes);
  }

  /// Drops the groups that are not deeper than the deepest corner so far, and their candidates.
  void keep(std::vector<Group>& groups) {
    std::erase_if(groups, [&](const Group& g) { return !(g.upper > best_.lower); });
    std::vector<Index> candidates;
    std::vector<Box> boxes;
    for (const Group& g : groups)
      for (std::size_t i = g.begin; i < g.end; ++i) {
        candidates.push_back(candidates_[i]);
        boxes.push_back(boxes_[i]);
      }
    candidates_ = std::move(candidates);
    boxes_ = std::move(boxes);
  }

  /// Drops the candidates of nodes that are not deeper than the deepest corner so far.
  void prune() {
    constexpr std::uint32_t kLeaf = 16;
    BoxTree tree;
    std::vector<BoxTree::Item> scratch;
    workers_.isolated([&] {
      tree.assign(
          boxes_.size(), [&](std::size_t i) { return boxes_[i]; }, scratch, kLeaf, workers_, poll_);
    });
    if (tree.empty()) return;
    std::vector<std::uint32_t> level{0}, next;
    std::vector<Index> kept;
    while (!level.empty()) {
      std::vector<double> upper(level.size());
      std::vector<Spot> samples(level.size());
      constexpr std::size_t kBlock = 16;
      workers_.for_blocks(level.size(), kBlock, [&](std::size_t begin, std::size_t end) {
        Poll own = poll_;
        for (std::size_t i = begin; i < end; ++i) {
          const BoxTree::Node& node = tree.nodes()[level[i]];
          const Vec3d centre = node.box.centre();
          upper[i] = (field_->nearest(centre, {}, own).upper + radius_of(node.box, centre)) * kRounding;
          const Index sample = candidates_[tree.items()[node.begin]];
          const Index vertex = part_.vertex(part_.mesh.triangles[sample][0]);
          if (sides_->inside(vertex) && upper[i] > best_.lower) samples[i] = measure(sample, {}, vertex, 0, true, own);
        }
      });
      for (const Spot& sample : samples)
        if (sample.vertex != kNone && sample.better_than(best_)) take(sample);
      next.clear();
      for (std::size_t i = 0; i < level.size(); ++i) {
        if (!(upper[i] > best_.lower)) continue;
        const BoxTree::Node& node = tree.nodes()[level[i]];
        if (node.right != 0) {
          next.push_back(level[i] + 1);
          next.push_back(node.right);
        } else {
          for (Index j = node.begin; j < node.end; ++j) kept.push_back(candidates_[tree.items()[j]]);
        }
      }
      level.swap(next);
    }
    pieces_.resize(kept.size());
    most_pieces_ = kept.size() * 8 + (1 << 17);
    constexpr std::size_t kBlock = 64;
    workers_.for_blocks(kept.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      Poll own = poll_;
      for (std::size_t i = begin; i < end; ++i) pieces_[i] = candidate(kept[i], own);
    });
  }

  std::vector<double> column(const Piece& piece, Index other, bool precise, double& reach) const {
    std::vector<double> result;
    const Vec3d frame = frame_of(piece.triangle);
    for (const PiecePoint& p : piece.points) {
      const bool exact = precise && p.vertex != kNone;
      const Distance d = field_->to(other, frame, p.offset);
      result.push_back(exact ? exact_distance(p.vertex, other) : d.upper + error_of(piece));
      reach = std::max(reach, d.reach);
    }
    return result;
  }
  double exact_distance(Index vertex, Index other) const {
    const Vec3d p = part_.mesh.position(vertex);
    const solid::Corners point{p, p, p}, corners = other_.mesh.corners(other);
    const auto squared = solid::squared_below(point, corners, {}, solid::Squared{});
    return std::nextafter(solid::root(*squared), Box::kInfinity);
  }

  Evaluation evaluate(const Piece& piece, bool precise, Poll& poll) const {
    Evaluation result;
    if (piece.points.empty()) return result;
    Vec3d centre{};
    for (const PiecePoint& p : piece.points) centre = centre + p.offset;
    centre = (1.0 / static_cast<double>(piece.points.size())) * centre;
    for (const PiecePoint& p : piece.points) result.radius = std::max(result.radius, length_up(p.offset - centre));
    const bool has_side = !piece.inside && !piece.within && (piece.seams.empty() || piece.points.size() < 3);
    result.centre = measure(piece.triangle, centre, kNone, error_of(piece), has_side && !precise, poll, piece.hint);
    if (has_side && piece.points.size() > 2) {
      const Plane plane(normal_of(piece.triangle));
      const double turn = turn_of(piece, plane);
      result.thickness = Box::kInfinity;
      for (std::size_t i = 0; i < piece.points.size(); ++i) {
        const Vec3d &p = piece.points[i].offset, edge = piece.points[(i + 1) % piece.points.size()].offset - p;
        if (const double length = plane.length(edge); length > 0)
          result.thickness = std::min(result.thickness, turn * plane.cross(edge, centre - p) / length);
      }
    }
    result.upper = std::min(piece.upper, (result.centre.upper + result.radius) * kRounding + error_of(piece));
    Game game(piece.points.size());
    std::vector<Index>& columns = result.columns;
    double reach = 0;
    for (Index next = result.centre.other;;) {
      columns.push_back(next);
      std::vector<double> distances = column(piece, next, precise, reach);
      for (std::size_t i = 0; i < 3 && piece.points.size() == 3; ++i)
        result.change[i] = std::max(result.change[i], std::abs(distances[i] - distances[i == 2 ? 0 : i + 1]));
      game.add(std::move(distances));
      game.solve();
      result.upper = std::min(result.upper, game.value);
      if (!precise && result.upper <= best_.lower) return result;
      result.deepest = deepest(piece, game.weights, next, poll);
      next = result.deepest.other;
      if (columns.size() == Game::kMostColumns || std::find(columns.begin(), columns.end(), next) != columns.end())
        break;
    }
    result.noise = 4 * (std::max(kError * reach, result.centre.noise) + error_of(piece));
    if (precise) return result;
    result.deepest_offset = mixed(piece, game.weights);
    return result;
  }

  static Index pure_vertex(const Piece& piece, std::span<const double> weights) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] == 1) return piece.points[i].vertex;
    return kNone;
  }
  static Vec3d mixed(const Piece& piece, std::span<const double> weights) {
    Vec3d x{};
    for (std::size_t i = 0; i < weights.size(); ++i) x = x + weights[i] * piece.points[i].offset;
    return x;
  }
  Spot deepest(const Piece& piece, std::span<const double> weights, Index hint, Poll& poll) const {
    return measure(piece.triangle, mixed(piece, weights), pure_vertex(piece, weights), error_of(piece), false, poll,
                   hint);
  }

  /// The position that a spot has as doubles is off by less than this.
  static double off(const Spot& spot) { return 0x1p-51 * largest(spot.position) + spot.noise; }

  /// Lower bounds of the spots with the greatest upper bounds; the others have no part in this level.
  struct Wanted {
    Spot* spot;
    Vec3d offset;
    double error;
  };
  void find_lower(std::vector<Wanted> spots) {
    constexpr std::size_t kMost = 24;
    std::erase_if(spots, [&](const Wanted& item) { return !(item.spot->upper > best_.lower); });
    std::sort(spots.begin(), spots.end(), [](const Wanted& x, const Wanted& y) {
      return std::tuple(-x.spot->upper, x.spot->position) < std::tuple(-y.spot->upper, y.spot->position);
    });
    workers_.for_each(std::min(kMost, spots.size()), [&](std::size_t i) {
      Poll own = poll_;
      auto& [spot, offset, error] = spots[i];
      *spot = measure(spot->triangle, offset, spot->vertex, error, true, own, spot->other);
    });
  }

  /// Corners of the pieces that are vertices inside.
  void measure_vertices() {
    std::vector<std::pair<Index, Index>> all;  // vertex, triangle
    for (const Piece& piece : pieces_)
      for (const PiecePoint& p : piece.points)
        if (p.vertex != kNone) all.emplace_back(p.vertex, piece.triangle);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first == y.first; }),
              all.end());
    std::vector<Spot> spots(all.size());
    constexpr std::size_t kBlock = 16;
    workers_.for_blocks(all.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      Poll own = poll_;
      for (std::size_t i = begin; i < end; ++i) spots[i] = measure(all[i].second, {}, all[i].first, 0, false, own);
    });
    std::vector<Wanted> wanted;
    for (Spot& spot : spots) wanted.push_back({&spot, {}, 0});
    find_lower(std::move(wanted));
    for (const Spot& spot : spots) take(spot);
  }

  void refine(bool is_first) {
    if (is_first) measure_vertices();
    std::vector<Evaluation> found(pieces_.size());
    constexpr std::size_t kBlock = 8;
    workers_.for_blocks(pieces_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      Poll own = poll_;
      for (std::size_t i = begin; i < end; ++i) found[i] = evaluate(pieces_[i], false, own);
    });
    for (const bool known : {true, false}) {
      std::vector<Wanted> spots;
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        if ((pieces_[i].inside || pieces_[i].within) == known && found[i].upper > best_.lower)
          spots.push_back({&found[i].deepest, found[i].deepest_offset, error_of(pieces_[i])});
      find_lower(std::move(spots));
    }
    // Sides of points in pieces that may be partly outside. A point that is near the surface has no certain side.
    std::vector<Vec3d> points;
    const auto wants = [&](const Spot& spot, double least) {
      return spot.lower > std::max(least, 2 * off(spot)) && spot.lower >= 0;
    };
    // What the middle of a piece shows for all of it. A piece that no seam crosses may hold points of the other side
    // along its border, as the seams are off. Let p be such a point, farther from the surface than L, the greatest
    // depth so far; let r be the distance of the middle from the border. On the way from p to the middle, a point
    // within L of p is at least r L / (2 radius) from the border. If that is more than the seams are off, no seam is
    // between it and the middle, and none between it and p. So p is on the side of the middle.
    const double old = best_.lower;
    const auto least_of_centre = [&](std::size_t i) { return found[i].thickness > 0 ? 0 : found[i].radius; };
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].inside || !(found[i].upper > best_.lower)) continue;
      if (wants(found[i].deepest, best_.lower)) points.push_back(found[i].deepest.position);
      if (wants(found[i].centre, least_of_centre(i))) points.push_back(found[i].centre.position);
    }
    const std::vector<std::uint8_t> inside = inside_of(other_, above_, points, workers_, poll_);
    std::size_t at = 0;
    enum : std::uint8_t { kInside, kOutside, kThickness };
    std::vector<std::uint8_t> outside(pieces_.size(), kInside);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const bool was_inside = pieces_[i].inside;
      if (was_inside && found[i].deepest.lower >= 0) take(found[i].deepest);
      if (was_inside || !(found[i].upper > old)) continue;
      if (wants(found[i].deepest, old) && inside[at++]) take(found[i].deepest);
      if (!wants(found[i].centre, least_of_centre(i))) continue;
      const bool is_whole = found[i].centre.lower > found[i].radius;
      (is_whole ? pieces_[i].inside : pieces_[i].within) = inside[at] != 0;
      outside[i] = inside[at++] != 0 ? kInside : is_whole ? kOutside : kThickness;
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (outside[i] == kThickness)
        outside[i] = found[i].thickness * best_.lower > 16 * found[i].radius * most_error(pieces_[i]);
    split(found, outside);
  }

  void split(const std::vector<Evaluation>& found, const std::vector<std::uint8_t>& outside) {
    std::vector<Piece> next;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Piece& piece = pieces_[i];
      piece.upper = found[i].upper;
      if (outside[i] || !(piece.upper > best_.lower)) continue;
      if (piece.upper <= std::max(0.0, best_.lower) * kClosed + found[i].noise || piece.points.size() < 2)
        closed_.push_back(std::move(piece));
      else
        add_parts(piece, found[i], next);
    }
    evaluated_ += pieces_.size();
    if (evaluated_ + next.size() > most_pieces_) {
      for (Piece& piece : next) closed_.push_back(std::move(piece));
      next.clear();
    }
    pieces_ = std::move(next);
  }

  /// Splits a piece along the borders of a triangle near it, so that one part lies in front of that triangle, where the
  /// distance is linear. False if this does not cut the piece, or if the piece is so large that it lies in front of
  /// many triangles.
  bool add_clipped(const Piece& piece, const Evaluation& found, Index other, const auto& add) const {
    const Vec3d frame = frame_of(piece.triangle);
    const Corners f = sorted(other_.mesh.corners(other));
    const Vec3d local[3] = {f[0] - frame, f[1] - frame, f[2] - frame};
    const Vec3d normal = cross(local[1] - local[0], local[2] - local[0]);
    double size = 0;
    std::vector<PiecePoint> rest = piece.points;
    std::vector<std::vector<PiecePoint>> parts;
    for (int i = 0; i < 3; ++i) {
      const Vec3d edge = local[(i + 1) % 3] - local[i], across = cross(normal, edge);
      size = std::max(size, length_up(edge));
      std::vector<PiecePoint> in, out;
      double most_in = 0, most_out = 0;
      for (const PiecePoint& p : rest) {
        most_in = std::max(most_in, dot(across, p.offset - local[i]));
        most_out = std::max(most_out, -dot(across, p.offset - local[i]));
      }
      // Parts that are as thin as rounding would be cut off without end. After a few cuts, only thick parts are cut
      // off.
      const double thin = piece.cuts < kMostCuts ? 8 * most_error(piece) : 0.0625 * found.radius;
      const double least = thin * std::sqrt(dot(across, across));
      if (most_in <= least) return false;
      if (most_out <= least) continue;
      for (std::size_t j = 0; j < rest.size(); ++j) {
        const PiecePoint &p = rest[j], &q = rest[(j + 1) % rest.size()];
        const double at_p = dot(across, p.offset - local[i]), at_q = dot(across, q.offset - local[i]);
        if (at_p >= 0) in.push_back(p);
        if (at_p <= 0) out.push_back(p);
        if (!(at_p * at_q < 0)) continue;
        const double t = at_p / (at_p - at_q);
        const PiecePoint cut{p.offset + t * (q.offset - p.offset), kNone};
        in.push_back(cut);
        out.push_back(cut);
      }
      parts.push_back(std::move(out));
      rest = std::move(in);
    }
    if (parts.empty() || found.radius > 4 * size) return false;
    add(std::move(rest));
    for (std::vector<PiecePoint>& part : parts) add(std::move(part));
    return true;
  }

  /// Splits a piece along the line of its longest seam. False if that does not cut the piece.
  bool add_halves(const Piece& piece, const auto& add) const {
    const Plane plane(normal_of(piece.triangle));
    const auto key = [&](Index i) {
      const Seam& seam = (*piece.all_seams)[i];
      return std::pair(plane.length(seam[1] - seam[0]), seam);
    };
    const Index longest =
        *std::max_element(piece.seams.begin(), piece.seams.end(), [&](Index i, Index j) { return key(i) < key(j); });
    const Seam& seam = (*piece.all_seams)[longest];
    const Vec3d along = seam[1] - seam[0];
    const double least = most_error(piece) * plane.length(along);
    std::vector<PiecePoint> halves[2];
    double most[2] = {0, 0};
    const auto& p = piece.points;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const std::size_t next = (j + 1) % p.size();
      const double at = plane.cross(along, p[j].offset - seam[0]), to = plane.cross(along, p[next].offset - seam[0]);
      most[at > 0] = std::max(most[at > 0], std::abs(at));
      if (at >= 0) halves[1].push_back(p[j]);
      if (at <= 0) halves[0].push_back(p[j]);
      if (!(at * to < 0)) continue;
      const PiecePoint cut{p[j].offset + at / (at - to) * (p[next].offset - p[j].offset), kNone};
      for (std::vector<PiecePoint>& half : halves) half.push_back(cut);
    }
    if (!(least > 0) || most[0] <= least || most[1] <= least) return false;
    for (std::vector<PiecePoint>& half : halves) add(std::move(half));
    return true;
  }

  void add_parts(const Piece& piece, const Evaluation& found, std::vector<Piece>& next) const {
    const auto& p = piece.points;
    const auto add = [&](std::vector<PiecePoint> points) {
      next.push_back({piece.triangle, piece.inside, piece.within, piece.upper, std::move(points), piece.cuts,
                      static_cast<std::uint16_t>(piece.steps + 3), piece.size, found.centre.other, piece.all_seams,
                      piece.seams});
      keep_crossing(next.back());
    };
    constexpr std::size_t kFewSeams = 8;
    if (!piece.inside && !piece.seams.empty() && piece.seams.size() <= kFewSeams && p.size() > 2 &&
        add_halves(piece, add))
      return;
    const auto add_cut = [&](std::vector<PiecePoint> points) {
      add(std::move(points));
      next.back().cuts = static_cast<std::uint8_t>(std::min(piece.cuts + 1, 100));
    };
    for (const Index other : found.columns)
      if (p.size() > 2 && add_clipped(piece, found, other, add_cut)) return;
    const auto middle = [&](std::size_t i, std::size_t j) {
      return PiecePoint{0.5 * (p[i].offset + p[j].offset), kNone};
    };
    if (p.size() == 2) {
      add({p[0], middle(0, 1)});
      add({middle(0, 1), p[1]});
    } else if (p.size() == 3) {
      // Where the deepest points are a curve along which no distance changes, pieces become long and narrow.
      std::size_t i = 0;
      double most = -1;
      for (std::size_t j = 0; j < 3; ++j) {
        const double weight = found.change[j] + 0x1p-16 * length_up(p[j].offset - p[j == 2 ? 0 : j + 1].offset);
        if (weight > most) most = weight, i = j;
      }
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      add({p[i], middle(i, j), p[k]});
      add({middle(i, j), p[j], p[k]});
    } else {
      for (std::size_t i = 2; i < p.size(); ++i) add({p[0], p[i - 1], p[i]});
    }
  }

  /// The exact distance of the deepest vertices, rounded to nearest; the deepest one becomes the best spot.
  std::optional<double> exact_best() {
    constexpr std::size_t kMost = 256;
    std::erase_if(vertices_, [&](const Spot& spot) { return spot.upper < best_.lower; });
    std::sort(vertices_.begin(), vertices_.end(), [](const Spot& s, const Spot& t) {
      return std::tuple(-s.upper, s.position) < std::tuple(-t.upper, t.position);
    });
    std::optional<double> most;
    for (std::size_t i = 0; i < std::min(kMost, vertices_.size()); ++i) {
      if (i > 0 && vertices_[i].position == vertices_[i - 1].position) continue;
      if (most && vertices_[i].upper < *most) break;
      const double d = field_->exact(vertices_[i].position, poll_);
      if (most && (d < *most || (d == *most && best_.position < vertices_[i].position))) continue;
      most = d;
      exact_spot_ = vertices_[i];
    }
    return most;
  }

  Protrusion result() {
    double high = std::max(0.0, best_.lower);
    for (const Piece& piece : closed_) high = std::max(high, piece.upper);
    if (high == 0) return {};
    if (best_.lower < 0) {  // no point has a certain side: all of them are within rounding of the surface
      const Piece& piece = closed_.front();
      best_ = measure(piece.triangle, piece.points.front().offset, kNone, error_of(piece), false, poll_);
    }
    Interval depth{std::max(0.0, best_.lower), high};
    const std::optional<double> exact = exact_best();
    if (exact && *exact > 0 && std::nextafter(*exact, 0.0) >= best_.lower) {
      best_ = exact_spot_;
      depth.low = std::nextafter(*exact, 0.0);
      const double nearest = std::nextafter(*exact, Box::kInfinity), near = *exact * (1 + 0x1p-47);
      if (closed_within(nearest)) return found({depth.low, nearest});
      if (closed_within(near)) return found({depth.low, near});
    }
    // The pieces that are left may depend on which nodes were dropped, within the errors of their bounds.
    if (!(depth.low > 0))
      depth.high = std::max(high, 0x1p-40 * std::max(part_.box.longest(), other_.box.longest()));
    else
      depth.high = std::max(high, next_step(depth.low, high));
    return found(depth);
  }
  /// The first of a few bounds that is not below `high`.
  double next_step(double low, double high) const {
    double bound = low * kNarrow;
    for (double step = 8; bound < high && step <= 128; step *= 4) bound = std::max(bound, low + step * best_.noise);
    return bound;
  }
  Protrusion found(const Interval& depth) const {
    return {depth, best_.position, best_.nearest, best_.triangle, best_.other};
  }

  /// True if no piece is deeper than `most`, with the exact distances of vertices.
  bool closed_within(double most) {
    constexpr std::size_t kMost = 1024;
    std::erase_if(closed_, [&](const Piece& piece) { return piece.upper <= most; });
    if (closed_.size() > kMost) return false;
    std::vector<std::uint8_t> within(closed_.size(), 0);
    workers_.for_each(closed_.size(), [&](std::size_t i) {
      Poll own = poll_;
      within[i] = evaluate(closed_[i], true, own).upper <= most;
    });
    return std::all_of(within.begin(), within.end(), [](std::uint8_t x) { return x != 0; });
  }

  const Shell &part_, &other_;
  Workers& workers_;
  Poll poll_;
  std::vector<Piece> pieces_, closed_;
  std::optional<Sides> sides_;
  std::vector<std::pair<Index, Index>> pairs_;   // triangles with area in contact, sorted
  std::vector<Index> candidates_;                // triangles
  std::vector<Box> boxes_;                       // of the candidates
  std::size_t evaluated_ = 0, most_pieces_ = 0;  // the search ends with what it has proven by then
  std::optional<Field> field_;
  std::vector<Index> above_;
  Spot best_, exact_spot_;
  std::vector<Spot> vertices_;
};

}  // namespace

Protrusion protrusion(const Shell& part, const Shell& other, std::span<const Contact> contacts, bool first,
                      Workers& workers, const Poll& poll) {
  return Search(part, other, contacts, first, workers, poll).run();
}

}  // namespace sightline::measure
