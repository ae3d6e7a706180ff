#include "oracle/rational.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace oracle {
namespace {

using sightline::Contact;
using sightline::Kind;
using sightline::MeshView;
using sightline::Vec3d;

mpq_class dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Point minus(const Point& a, const Point& b) {
  return {mpq_class(a[0] - b[0]), mpq_class(a[1] - b[1]), mpq_class(a[2] - b[2])};
}

Point cross(const Point& a, const Point& b) {
  return {mpq_class(a[1] * b[2] - a[2] * b[1]), mpq_class(a[2] * b[0] - a[0] * b[2]),
          mpq_class(a[0] * b[1] - a[1] * b[0])};
}

bool is_zero(const Point& p) { return sgn(p[0]) == 0 && sgn(p[1]) == 0 && sgn(p[2]) == 0; }

/// x with normal · (x − on) ≥ 0.
struct HalfSpace {
  Point normal;
  Point on;
  mpq_class at(const Point& x) const { return dot(normal, minus(x, on)); }
};

/// A triangle, segment or point as what it is: `corners` are its extreme points, and it is the set of x for which every
/// `flats` is zero and every `sides` is at least zero. The relative interior is where all `sides` are positive.
struct ConvexSet {
  std::vector<Point> corners;
  std::vector<HalfSpace> flats;
  std::vector<HalfSpace> sides;
};

ConvexSet point_set(const Point& p) {
  ConvexSet set{{p}, {}, {}};
  for (int k = 0; k < 3; ++k) {
    Point axis{0, 0, 0};
    axis[k] = 1;
    set.flats.push_back({axis, p});
  }
  return set;
}

ConvexSet segment_set(const Point& p, const Point& q) {
  const Point along = minus(q, p);
  ConvexSet set{{p, q}, {}, {{along, p}, {minus(p, q), q}}};
  for (int k = 0; k < 3; ++k) {
    Point axis{0, 0, 0};
    axis[k] = 1;
    const Point normal = cross(along, axis);
    if (!is_zero(normal)) set.flats.push_back({normal, p});
  }
  return set;
}

ConvexSet triangle_set(const std::array<Point, 3>& t, const Point& normal) {
  ConvexSet set{{t[0], t[1], t[2]}, {{normal, t[0]}}, {}};
  for (int i = 0; i < 3; ++i) {
    const Point inward = cross(normal, minus(t[(i + 1) % 3], t[i]));
    set.sides.push_back({inward, t[i]});
  }
  return set;
}

/// Extreme points of three points on a line: the two that are farthest apart, or one if all are equal.
ConvexSet flat_set(const std::array<Point, 3>& t) {
  const auto [first, last] = std::minmax_element(t.begin(), t.end());  // lexicographic order runs along the line
  return *first == *last ? point_set(*first) : segment_set(*first, *last);
}

ConvexSet convex_set(const std::array<Point, 3>& t) {
  const Point normal = cross(minus(t[1], t[0]), minus(t[2], t[0]));
  return is_zero(normal) ? flat_set(t) : triangle_set(t, normal);
}

std::vector<Point> without_repeats(std::vector<Point> points) {
  points.erase(std::unique(points.begin(), points.end()), points.end());
  while (points.size() > 1 && points.front() == points.back()) points.pop_back();
  return points;
}

/// The part of the convex set with these corners (in order around it) where sign * half >= 0. A segment is walked there
/// and back, which finds its cut twice; repeats are dropped.
std::vector<Point> clip(const std::vector<Point>& corners, const HalfSpace& half, int sign) {
  std::vector<mpq_class> height;
  bool all_in = true;
  for (const Point& p : corners) {
    height.push_back(half.at(p) * sign);
    all_in = all_in && sgn(height.back()) >= 0;
  }
  if (all_in) return corners;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const std::size_t j = (i + 1) % corners.size();
    if (sgn(height[i]) >= 0) kept.push_back(corners[i]);
    if (sgn(height[i]) * sgn(height[j]) < 0) {
      const mpq_class t = height[i] / (height[i] - height[j]);
      Point cut;
      for (int k = 0; k < 3; ++k) cut[k] = corners[i][k] + t * (corners[j][k] - corners[i][k]);
      kept.push_back(cut);
    }
  }
  return without_repeats(std::move(kept));
}

std::vector<Point> intersect(const ConvexSet& a, const ConvexSet& b) {
  std::vector<Point> common = a.corners;
  for (const HalfSpace& flat : b.flats) {
    common = clip(common, flat, +1);
    if (common.empty()) return common;
    common = clip(common, flat, -1);
    if (common.empty()) return common;
  }
  for (const HalfSpace& side : b.sides) {
    common = clip(common, side, +1);
    if (common.empty()) return common;
  }
  return common;
}

bool in_relative_interior(const Point& x, const ConvexSet& set) {
  return std::all_of(set.sides.begin(), set.sides.end(), [&](const HalfSpace& side) { return sgn(side.at(x)) > 0; });
}

/// Where ri A and ri B meet, ri(A ∩ B) is their intersection; so one point of ri(A ∩ B), the mean of its corners,
/// decides for all.
bool relative_interiors_meet(const std::vector<Point>& common, const ConvexSet& a, const ConvexSet& b) {
  Point mean{0, 0, 0};
  for (const Point& p : common)
    for (int k = 0; k < 3; ++k) mean[k] += p[k];
  for (int k = 0; k < 3; ++k) mean[k] /= static_cast<unsigned long>(common.size());
  return in_relative_interior(mean, a) && in_relative_interior(mean, b);
}

/// Dimension of the affine hull, by elimination.
int affine_dimension(const std::vector<Point>& points) {
  std::vector<Point> rows;
  for (std::size_t i = 1; i < points.size(); ++i) rows.push_back(minus(points[i], points[0]));
  int rank = 0;
  for (int column = 0; column < 3; ++column) {
    const auto pivot =
        std::find_if(rows.begin() + rank, rows.end(), [&](const Point& row) { return sgn(row[column]) != 0; });
    if (pivot == rows.end()) continue;
    std::swap(*pivot, rows[rank]);
    for (std::size_t i = rank + 1; i < rows.size(); ++i) {
      const mpq_class factor = rows[i][column] / rows[rank][column];
      for (int k = 0; k < 3; ++k) rows[i][k] -= factor * rows[rank][k];
    }
    if (++rank == static_cast<int>(rows.size())) break;
  }
  return rank;
}

bool one_plane_holds(const ConvexSet& a, const ConvexSet& b) {
  std::vector<Point> points = a.corners;
  points.insert(points.end(), b.corners.begin(), b.corners.end());
  return affine_dimension(points) < 3;
}

Point exact_point(const Vec3d& p) { return {mpq_class(p[0]), mpq_class(p[1]), mpq_class(p[2])}; }

std::array<Point, 3> exact_corners(const Corners& t) {
  return {exact_point(t[0]), exact_point(t[1]), exact_point(t[2])};  // exact, denormals included
}

/// The bits that the coordinates of both triangles need behind the binary point. Multiplied by two to this power they
/// are integers, which spares the rationals most of their greatest common divisors; no kind of contact changes.
unsigned long bits_behind_point(const Corners& a, const Corners& b) {
  std::size_t bits = 0;
  for (const Corners& t : {a, b})
    for (const Vec3d& p : t)
      for (const double x : p) bits = std::max(bits, mpz_sizeinbase(mpq_class(x).get_den_mpz_t(), 2) - 1);
  return bits;
}

Point scaled(Point p, unsigned long bits) {
  for (mpq_class& x : p) x <<= bits;
  return p;
}

std::array<Point, 3> scaled_corners(const Corners& t, unsigned long bits) {
  return {scaled(exact_point(t[0]), bits), scaled(exact_point(t[1]), bits), scaled(exact_point(t[2]), bits)};
}

/// Distinct corner positions, ascending. Double compares −0 equal to +0, as the definition requires.
std::vector<Vec3d> distinct(const Corners& t) {
  std::vector<Vec3d> set(t.begin(), t.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

bool within_hull(const Point& p, const std::vector<Point>& shared) {
  if (shared.empty()) return false;
  const std::array<Point, 3> hull{shared[0], shared[shared.size() / 2], shared.back()};
  return !intersect(point_set(p), convex_set(hull)).empty();
}

struct Box {
  Vec3d lo, hi;
};

Box box_of(const Corners& t) {
  Box box{t[0], t[0]};
  for (const Vec3d& p : t)
    for (int k = 0; k < 3; ++k) {
      box.lo[k] = std::min(box.lo[k], p[k]);
      box.hi[k] = std::max(box.hi[k], p[k]);
    }
  return box;
}

bool overlap(const Box& a, const Box& b) {
  for (int k = 0; k < 3; ++k)
    if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k]) return false;
  return true;
}

}  // namespace

std::vector<Point> common_points(const Corners& a, const Corners& b) {
  return intersect(convex_set(exact_corners(a)), convex_set(exact_corners(b)));
}

bool has_area(const Corners& triangle) { return convex_set(exact_corners(triangle)).corners.size() == 3; }

std::optional<Kind> contact(const Corners& a, const Corners& b, Rule rule) {
  const std::vector<Vec3d> corners_a = distinct(a);
  const std::vector<Vec3d> corners_b = distinct(b);
  if (corners_a == corners_b) return Kind::duplicate;

  const unsigned long bits = bits_behind_point(a, b);
  const ConvexSet set_a = convex_set(scaled_corners(a, bits));
  const ConvexSet set_b = convex_set(scaled_corners(b, bits));
  const std::vector<Point> common = intersect(set_a, set_b);
  if (common.empty()) return std::nullopt;

  if (rule == Rule::same_object) {
    std::vector<Point> shared;
    for (const Vec3d& p : corners_a)
      if (std::find(corners_b.begin(), corners_b.end(), p) != corners_b.end())
        shared.push_back(scaled(exact_point(p), bits));
    const bool nothing_else =
        std::all_of(common.begin(), common.end(), [&](const Point& p) { return within_hull(p, shared); });
    if (nothing_else) return std::nullopt;
  }

  const bool interiors_meet = relative_interiors_meet(common, set_a, set_b);
  const bool in_one_plane = one_plane_holds(set_a, set_b);
  if (set_a.corners.size() == 3 && set_b.corners.size() == 3 && in_one_plane && interiors_meet) return Kind::coplanar;
  if (!in_one_plane && interiors_meet) return Kind::crossing;
  return Kind::touching;
}

std::vector<Contact> contacts(const std::vector<MeshView>& objects, const std::vector<bool>& self) {
  struct Item {
    Box box;
    std::uint32_t object, triangle;
  };
  std::vector<Item> items;
  for (std::uint32_t o = 0; o < objects.size(); ++o)
    for (std::uint32_t t = 0; t < objects[o].triangles.size(); ++t)
      items.push_back({box_of(objects[o].corners(t)), o, t});
  // In order of the lower x, the partners of an item are those behind it that begin before it ends.
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.box.lo[0] < b.box.lo[0]; });

  std::vector<Contact> found;
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = i + 1; j < items.size() && items[j].box.lo[0] <= items[i].box.hi[0]; ++j) {
      if (!overlap(items[i].box, items[j].box)) continue;
      const bool in_order =
          std::pair(items[i].object, items[i].triangle) < std::pair(items[j].object, items[j].triangle);
      const Item& a = in_order ? items[i] : items[j];
      const Item& b = in_order ? items[j] : items[i];
      if (a.object == b.object && !self[a.object]) continue;
      const Rule rule = a.object == b.object ? Rule::same_object : Rule::cross_object;
      const auto kind = contact(objects[a.object].corners(a.triangle), objects[b.object].corners(b.triangle), rule);
      if (kind) found.push_back({a.object, b.object, a.triangle, b.triangle, *kind});
    }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Contact> self_contacts(const MeshView& mesh) { return contacts({mesh}, {true}); }

double nearest_double(const mpq_class& q) {
  const double towards_zero = q.get_d();  // GMP truncates, also into the denormals
  const double outward = std::copysign(std::numeric_limits<double>::infinity(), sgn(q));
  const double step_out = std::nextafter(towards_zero, outward);
  if (!std::isfinite(towards_zero) || !std::isfinite(step_out)) return towards_zero;
  const mpq_class below = abs(q - mpq_class(towards_zero));
  const mpq_class above = abs(mpq_class(step_out) - q);
  if (below != above) return below < above ? towards_zero : step_out;
  return (std::bit_cast<std::uint64_t>(towards_zero) & 1) == 0 ? towards_zero : step_out;
}

}  // namespace oracle
