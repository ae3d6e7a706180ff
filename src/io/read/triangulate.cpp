// Ear clipping on the projection along the dominant axis of the polygon's (Newell) normal.
//   1. Project; reverse if the projection runs clockwise. No area: a fan from the first corner.
//   2. Strictly convex: a fan from the first corner.
//   3. Else clip ears. An ear is a strictly convex corner whose closed triangle holds no other corner of the rest
//      (corners at the same position as the ear's own do not count: they are where a polygon meets itself).
//   4. No ear left (the polygon crosses itself): a fan of the rest.
#include "read/triangulate.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/format.h"
#include "base/pages.h"
#include "base/poll.h"

namespace sightline::read {
namespace {

struct Sum {
  double high, low;  // high + low is the exact result
};
Sum two_sum(double a, double b) {
  const double high = a + b;
  const double bb = high - a;
  return {high, (a - (high - bb)) + (b - bb)};
}
Sum two_product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

/// Sign of a sum of doubles, by an expansion whose components do not overlap and grow in magnitude.
int sign_of_sum(std::span<const double> terms) {
  std::array<double, 12> expansion{};
  std::size_t size = 0;
  for (const double term : terms) {
    double carry = term;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Sum sum = two_sum(carry, expansion[i]);
      if (sum.low != 0) expansion[kept++] = sum.low;
      carry = sum.high;
    }
    if (carry != 0) expansion[kept++] = carry;
    size = kept;
  }
  if (size == 0) return 0;
  return expansion[size - 1] > 0 ? 1 : -1;
}

int exact_orientation(const Point2& a, const Point2& b, const Point2& c) {
  const std::array<Sum, 6> products = {two_product(a[0], b[1]),  two_product(-a[1], b[0]), two_product(b[0], c[1]),
                                       two_product(-b[1], c[0]), two_product(c[0], a[1]),  two_product(-c[1], a[0])};
  std::array<double, 12> terms;
  for (std::size_t i = 0; i < 6; ++i) {
    terms[2 * i] = products[i].low;
    terms[2 * i + 1] = products[i].high;
  }
  return sign_of_sum(terms);
}

/// Corners projected along an axis so that the polygon runs counter-clockwise, scaled to about 1 by a power of two.
struct Projection {
  std::vector<Vec3d> scaled;
  std::vector<Point2> points;
  bool has_area = false;
};

void scale(std::span<const Vec3d> corners, std::vector<Vec3d>& out) {
  double largest = 0;
  for (const Vec3d& p : corners) largest = std::max({largest, std::fabs(p[0]), std::fabs(p[1]), std::fabs(p[2])});
  int exponent = 0;
  std::frexp(largest, &exponent);
  const double factor = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  out.clear();
  for (const Vec3d& p : corners) out.push_back({p[0] * factor, p[1] * factor, p[2] * factor});
}

/// Twice the area vector of the polygon.
Vec3d newell_normal(std::span<const Vec3d> corners) {
  const Vec3d& origin = corners[0];
  const auto from_origin = [&](const Vec3d& p) { return Vec3d{p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]}; };
  Vec3d normal = {}, p = from_origin(corners[1]);
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const Vec3d q = from_origin(corners[i]);
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      normal[axis] += p[u] * q[v] - p[v] * q[u];
    }
    p = q;
  }
  return normal;
}

void project(std::span<const Vec3d> corners, Projection& out) {
  scale(corners, out.scaled);
  const Vec3d normal = newell_normal(out.scaled);
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::fabs(normal[i]) > std::fabs(normal[axis])) axis = i;
  out.has_area = normal[axis] != 0;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(u, v);
  out.points.clear();
  for (const Vec3d& p : out.scaled) out.points.push_back({p[u], p[v]});
}

/// Every corner turns left and the boundary winds once: its direction changes between left and right only twice.
bool is_strictly_convex(std::span<const Point2> points) {
  const std::size_t n = points.size();
  int changes = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Point2 &a = points[i], &b = points[(i + 1) % n], &c = points[(i + 2) % n];
    if (orientation(a, b, c) <= 0) return false;
    // An edge straight up counts as rightward, straight down as leftward, so that each edge has one of two directions.
    const bool right_ab = b > a, right_bc = c > b;
    changes += right_ab != right_bc;
  }
  return changes == 2;
}

void fan(std::span<const std::uint32_t> corners, std::span<Triangle> out) {
  for (std::size_t i = 0; i + 2 < corners.size(); ++i) out[i] = {corners[0], corners[i + 1], corners[i + 2]};
}

class EarClipper {
 public:
  explicit EarClipper(std::span<const Point2> points)
      : points_(points), next_(points.size()), previous_(points.size()), ear_(points.size()) {
    const auto n = static_cast<std::uint32_t>(points.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      next_[i] = i + 1 == n ? 0 : i + 1;
      previous_[i] = i == 0 ? n - 1 : i - 1;
    }
    scan(0, n);
  }

  /// Clipping an ear of a simple polygon changes only its neighbours' state, so that the work is corners × blockers.
  /// Other polygons may need new scans; their number is bounded, and what is left then becomes a fan.
  void clip(std::span<Triangle> out) {
    std::size_t left = points_.size(), done = 0, passed = 0;
    std::uint32_t corner = 0;
    int scans = kMostScans;
    while (left > 3) {
      if (passed == left && (scans-- == 0 || !scan(corner, left))) break;
      if (passed == left) passed = 0;
      if (!ear_[corner]) {
        corner = next_[corner];
        ++passed;
        continue;
      }
      out[done++] = {previous_[corner], corner, next_[corner]};
      corner = remove(corner);
      --left;
      passed = 0;
    }
    std::vector<std::uint32_t> rest;
    for (std::size_t i = 0; i < left; ++i, corner = next_[corner]) rest.push_back(corner);
    std::rotate(rest.begin(), std::min_element(rest.begin(), rest.end()), rest.end());
    fan(rest, out.subspan(done));
  }

 private:
  int turn(std::uint32_t i) const { return orientation(points_[previous_[i]], points_[i], points_[next_[i]]); }

  /// Only corners that are not strictly convex can be the ones nearest to an ear's tip. A corner that is convex now
  /// stays so while the polygon is simple; for others any choice is as good.
  bool is_ear(std::uint32_t i) const {
    if (turn(i) <= 0) return false;
    const Point2 &a = points_[previous_[i]], &b = points_[i], &c = points_[next_[i]];
    const Point2 low = {std::min({a[0], b[0], c[0]}), std::min({a[1], b[1], c[1]})};
    const Point2 high = {std::max({a[0], b[0], c[0]}), std::max({a[1], b[1], c[1]})};
    for (const std::uint32_t k : blockers_) {
      const Point2& p = points_[k];
      if (p[0] < low[0] || p[0] > high[0] || p[1] < low[1] || p[1] > high[1]) continue;
      if (next_[k] == k || p == a || p == b || p == c) continue;
      if (orientation(a, b, p) >= 0 && orientation(b, c, p) >= 0 && orientation(c, a, p) >= 0) return false;
    }
    return true;
  }

  /// Finds the blockers and the ears of the rest, which starts at `start`; false if it has no ear.
  bool scan(std::uint32_t start, std::size_t left) {
    blockers_.clear();
    for (std::size_t i = 0; i < left; ++i, start = next_[start])
      if (turn(start) <= 0) blockers_.push_back(start);
    bool any = false;
    for (std::size_t i = 0; i < left; ++i, start = next_[start]) any |= (ear_[start] = is_ear(start));
    return any;
  }

  /// Returns where to go on: one past the next corner, since ears that alternate make fewer thin triangles than a fan.
  std::uint32_t remove(std::uint32_t corner) {
    const std::uint32_t before = previous_[corner], after = next_[corner];
    next_[before] = after;
    previous_[after] = before;
    next_[corner] = corner;
    ear_[before] = is_ear(before);
    ear_[after] = is_ear(after);
    return next_[after];
  }

  static constexpr int kMostScans = 8;
  std::span<const Point2> points_;
  std::vector<std::uint32_t> next_, previous_;
  std::vector<std::uint32_t> blockers_;  // not strictly convex when last scanned; next_[k] == k once clipped
  std::vector<char> ear_;
};

}  // namespace

int orientation(const Point2& a, const Point2& b, const Point2& c) {
  const double left = (a[0] - c[0]) * (b[1] - c[1]);
  const double right = (a[1] - c[1]) * (b[0] - c[0]);
  const double det = left - right;
  // Each factor carries one rounding, each product and the difference one more: 4 units in 2^-53, rounded up to 8;
  // the constant covers products that underflow.
  const double bound = 8 * 0x1p-53 * (std::fabs(left) + std::fabs(right)) + 0x1p-1000;
  if (det > bound) return 1;
  if (det < -bound) return -1;
  return exact_orientation(a, b, c);
}

bool triangulate(std::span<const Vec3d> corners, std::uint64_t most, std::span<Triangle> out) {
  thread_local Projection projection;
  project(corners, projection);
  if (!projection.has_area || is_strictly_convex(projection.points)) {
    for (std::uint32_t i = 0; i + 2 < corners.size(); ++i) out[i] = {0, i + 1, i + 2};
    return true;
  }
  if (corners.size() > most) return false;
  EarClipper(projection.points).clip(out);
  return true;
}

void throw_not_convex(const Source& source, std::uint64_t face, std::uint64_t corners) {
  throw Error(formatted("{}: face {} has {} corners and is not convex; such faces may have at most {}", source.file,
                        face, corners, source.limits.polygon_corners));
}

void FaceList::add(std::span<const std::uint32_t> corners) {
  ++faces_;
  corners_added_last_ = corners.size();
  if (corners.size() == 3) {
    triangles_.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  polygons_.push_back({triangles_.size(), corners_.size(), faces_ - 1, static_cast<std::uint32_t>(corners.size())});
  corners_.insert(corners_.end(), corners.begin(), corners.end());
  triangles_.resize(triangles_.size() + corners.size() - 2);
}

void FaceList::add(std::vector<Triangle> triangles) {
  faces_ += triangles.size();
  if (triangles_.empty())
    triangles_ = std::move(triangles);
  else
    triangles_.insert(triangles_.end(), triangles.begin(), triangles.end());
}

FaceList FaceList::joined(std::vector<FaceList> lists, Workers& workers) {
  if (lists.size() == 1) return std::move(lists.front());
  struct Begin {
    std::size_t triangle = 0, polygon = 0, corner = 0;
    std::uint64_t face = 0;
  };
  std::vector<Begin> begin(lists.size() + 1);
  for (std::size_t i = 0; i < lists.size(); ++i)
    begin[i + 1] = {begin[i].triangle + lists[i].triangles_.size(), begin[i].polygon + lists[i].polygons_.size(),
                    begin[i].corner + lists[i].corners_.size(), begin[i].face + lists[i].faces_};
  FaceList all;
  all.triangles_ = large_vector<Triangle>(begin.back().triangle);
  all.polygons_.resize(begin.back().polygon);
  all.corners_ = large_vector<std::uint32_t>(begin.back().corner);
  all.faces_ = begin.back().face;
  workers.for_each(lists.size(), [&](std::size_t i) {
    const auto to = [](auto& list, std::size_t at) { return list.begin() + static_cast<std::ptrdiff_t>(at); };
    std::ranges::copy(lists[i].triangles_, to(all.triangles_, begin[i].triangle));
    std::ranges::copy(lists[i].corners_, to(all.corners_, begin[i].corner));
    for (Polygon& polygon : lists[i].polygons_) {
      polygon.first_triangle += begin[i].triangle;
      polygon.first_corner += begin[i].corner;
      polygon.face += begin[i].face;
    }
    std::ranges::copy(lists[i].polygons_, to(all.polygons_, begin[i].polygon));
    lists[i] = {};
  });
  return all;
}

/// False if the polygon is not convex and has too many corners.
bool FaceList::triangulate_one(const Polygon& polygon, const Positions& points, std::uint64_t most) {
  thread_local std::vector<Vec3d> corners;
  const std::span indices(corners_.data() + polygon.first_corner, polygon.corner_count);
  corners.clear();
  for (const std::uint32_t index : indices) corners.push_back(points.stored(index));
  const std::span out(triangles_.data() + polygon.first_triangle, polygon.corner_count - 2);
  if (!triangulate(corners, most, out)) return false;
  for (Triangle& triangle : out)
    for (std::uint32_t& corner : triangle) corner = indices[corner];
  return true;
}

void FaceList::triangulate_all(const Positions& points, const Source& source) {
  std::atomic<std::size_t> bad{polygons_.size()};  // the first that cannot be triangulated
  Workers(source.threads, triangles_.size()).for_blocks(polygons_.size(), 1024, [&](std::size_t i, std::size_t last) {
    const Poll poll(source.cancel);
    for (; i < last; ++i) {
      if (triangulate_one(polygons_[i], points, source.limits.polygon_corners)) continue;
      std::size_t seen = bad.load();
      while (i < seen && !bad.compare_exchange_weak(seen, i)) {
      }
      return;
    }
  });
  if (bad == polygons_.size()) return;
  throw_not_convex(source, polygons_[bad].face, polygons_[bad].corner_count);
}

void FaceList::move_to(Model& model, const Source& source) {
  triangulate_all(std::visit([](const auto& p) { return Positions(p); }, model.positions), source);
  const auto add_single = [&](std::size_t end) {  // triangles between two polygons
    while (model.faces.size() < end) model.faces.push_back(model.faces.empty() ? 0 : model.faces.back() + 1);
  };
  if (!polygons_.empty()) model.faces.reserve(triangles_.size());
  for (const Polygon& polygon : polygons_) {
    add_single(polygon.first_triangle);
    model.faces.insert(model.faces.end(), polygon.corner_count - 2, static_cast<std::uint32_t>(polygon.face));
  }
  if (!polygons_.empty()) add_single(triangles_.size());
  model.triangles = std::move(triangles_);
  polygons_ = {};
  corners_ = {};
}

}  // namespace sightline::read
