// The nearest points of two disjoint triangles are on two edges, or a corner and an inner point of the other triangle.
#include "solid/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solid/rational.h"

namespace sightline::solid {
namespace {

Vec3d minus(const Vec3d& p, const Vec3d& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }
Vec3d along(const Vec3d& p, double t, const Vec3d& d) { return {p[0] + t * d[0], p[1] + t * d[1], p[2] + t * d[2]}; }
double dot3(const Vec3d& p, const Vec3d& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }
Vec3d cross3(const Vec3d& p, const Vec3d& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

/// Both triangles moved so that a[0] is the origin and scaled by a power of two so that the largest coordinate is in
/// [1, 2): nothing below overflows, and underflow is far below the error bound.
struct Local {
  Corners a, b;

  Local(const Corners& world_a, const Corners& world_b) {
    if (!fill(world_a, world_b, 1)) {
      doubled_ = true;  // a difference overflowed: take half of everything
      fill(world_a, world_b, 0.5);
    }
  }
  bool fill(const Corners& world_a, const Corners& world_b, double factor) {
    double largest = 0;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        a[i][k] = world_a[i][k] * factor - world_a[0][k] * factor;
        b[i][k] = world_b[i][k] * factor - world_a[0][k] * factor;
        largest = std::max({largest, std::abs(a[i][k]), std::abs(b[i][k])});
      }
    if (!std::isfinite(largest)) return false;
    exponent_ = largest > 0 ? std::ilogb(largest) : 0;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        a[i][k] = std::ldexp(a[i][k], -exponent_);
        b[i][k] = std::ldexp(b[i][k], -exponent_);
      }
    return true;
  }
  double to_world(double d) const { return std::ldexp(d, exponent_) * (doubled_ ? 2 : 1); }
  double to_local(double d) const { return std::ldexp(doubled_ ? 0.5 * d : d, -exponent_); }

 private:
  int exponent_ = 0;
  bool doubled_ = false;
};

/// The nearest pair so far: a point of each triangle.
struct Nearest {
  double squared = std::numeric_limits<double>::infinity();
  Vec3d apart{};  // from the point of a to the point of b

  void offer(const Vec3d& of_a, const Vec3d& of_b) {
    const Vec3d d = minus(of_b, of_a);
    const double s = dot3(d, d);
    if (s < squared) squared = s, apart = d;
  }
};

/// Minimises |p + s u - q - t v| over the square. Parallel segments take s = 0 and let the two clamps settle it.
void edge_edge(const Vec3d& p, const Vec3d& u, const Vec3d& q, const Vec3d& v, Nearest& nearest) {
  const Vec3d w = minus(p, q);
  const double uu = dot3(u, u), uv = dot3(u, v), vv = dot3(v, v), uw = dot3(u, w), vw = dot3(v, w);
  const double det = uu * vv - uv * uv;
  double s = det > 0 ? std::clamp((uv * vw - vv * uw) / det, 0.0, 1.0) : 0;
  const double t = vv > 0 ? std::clamp((uv * s + vw) / vv, 0.0, 1.0) : 0;
  s = uu > 0 ? std::clamp((uv * t - uw) / uu, 0.0, 1.0) : 0;
  nearest.offer(along(p, s, u), along(q, t, v));
}

/// The foot of p on the triangle, if it is inside; else the edges have the nearest point.
bool foot(const Vec3d& p, const Corners& t, Vec3d& on) {
  const Vec3d e = minus(t[1], t[0]), f = minus(t[2], t[0]), w = minus(p, t[0]);
  const Vec3d n = cross3(e, f);
  const double nn = dot3(n, n);
  if (!(nn > 0)) return false;
  const double s = dot3(cross3(w, f), n) / nn, r = dot3(cross3(e, w), n) / nn;
  if (!(s >= 0 && r >= 0 && s + r <= 1)) return false;
  on = along(along(t[0], s, e), r, f);
  return true;
}

Nearest nearest_points(const Corners& a, const Corners& b) {
  Nearest nearest;
  Vec3d on;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      edge_edge(a[i], minus(a[(i + 1) % 3], a[i]), b[j], minus(b[(j + 1) % 3], b[j]), nearest);
    if (foot(a[i], b, on)) nearest.offer(a[i], on);
    if (foot(b[i], a, on)) nearest.offer(on, b[i]);
  }
  return nearest;
}

/// Width of the slab between the triangles across a direction: a lower bound of their distance, whatever the direction.
double slab(const Corners& a, const Corners& b, const Vec3d& direction) {
  double last = -std::numeric_limits<double>::infinity(), first = -last;
  for (int i = 0; i < 3; ++i) {
    last = std::max(last, dot3(direction, a[i]));
    first = std::min(first, dot3(direction, b[i]));
  }
  return (first - last) / std::sqrt(dot3(direction, direction));
}

}  // namespace

// Bounds, in the local frame, where coordinates are below 2 and u = 2^-53. A local corner is within 2u a coordinate of
// the true one. A point offered by edge_edge or foot is a combination of corners with weights in [0, 1] (up to 2u),
// each coordinate rounded at most six times on values below 6: it is within 60 u of a point of the true triangle, so
// the true distance is at most sqrt(squared) + 200 u. In slab, a dot product of values below 2 and a direction of
// length |d| is within 3u · 2√3 |d| + 2u√3 |d| < 16 u |d|, two of them are subtracted, and the division and the root
// add four roundings of a value below 7: the true distance is at least the result less 100 u. kError = 2^-44 = 512 u
// covers both. Nothing here depends on how well the nearest points were found.
Distance distance(const Corners& a, const Corners& b, double limit) {
  constexpr double kError = 0x1p-44;
  const Local local(a, b);
  const Nearest nearest = nearest_points(local.a, local.b);
  const double d = std::sqrt(nearest.squared), local_limit = local.to_local(limit);
  Distance result{local.to_world(d), Below::unsure, nearest.apart};
  if (d + kError < local_limit)
    result.below = Below::yes;
  else if (nearest.squared > 0 && slab(local.a, local.b, nearest.apart) - kError > local_limit)
    result.below = Below::no;
  return result;
}

// Differences to a[0] are rounded once, products and sums add three roundings: each dot product is within 8u of the
// length of the direction times the reach. Where something may have overflowed, the answer is no.
bool apart_along(const Corners& a, const Corners& b, const Vec3d& direction, double limit) {
  double last = 0, first = std::numeric_limits<double>::infinity(), reach = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3d p = minus(a[i], a[0]), q = minus(b[i], a[0]);
    last = std::max(last, dot3(direction, p));
    first = std::min(first, dot3(direction, q));
    for (int k = 0; k < 3; ++k) reach = std::max({reach, std::abs(p[k]), std::abs(q[k])});
  }
  const double length = std::sqrt(dot3(direction, direction));
  return first < 1e300 && first - last > (limit * (1 + 1e-14) + 1e-14 * reach) * length;
}

namespace {

using Exact = std::array<RationalPoint, 3>;

/// Is the point p closer than √squared to segment qr?
bool point_segment(const RationalPoint& p, const RationalPoint& q, const RationalPoint& r, const Rational& squared) {
  const RationalPoint v = r - q, w = p - q;
  const Rational vv = dot(v, v), vw = dot(v, w), ww = dot(w, w);
  if (vw <= 0) return ww < squared;
  if (vw >= vv) return dot(p - r, p - r) < squared;
  return ww * vv - vw * vw < squared * vv;
}

/// Where the nearest points are inside both edges, their distance is that of the lines.
bool edge_edge_inside(const RationalPoint& p, const RationalPoint& u, const RationalPoint& q, const RationalPoint& v,
                      const Rational& squared) {
  const RationalPoint n = cross(u, v), w = q - p;
  const Rational nn = dot(n, n);
  if (nn == 0) return false;
  const Rational s = dot(cross(w, v), n), t = dot(cross(w, u), n), height = dot(n, w);
  return s >= 0 && s <= nn && t >= 0 && t <= nn && height * height < squared * nn;
}

bool point_face_inside(const RationalPoint& p, const Exact& t, const Rational& squared) {
  const RationalPoint e = t[1] - t[0], f = t[2] - t[0], w = p - t[0], n = cross(e, f);
  const Rational nn = dot(n, n);
  if (nn == 0) return false;
  const Rational s = dot(cross(w, f), n), r = dot(cross(e, w), n), height = dot(n, w);
  return s >= 0 && r >= 0 && s + r <= nn && height * height < squared * nn;
}

}  // namespace

bool closer_than(const Corners& a, const Corners& b, double limit) {
  const Exact x{rational(a[0]), rational(a[1]), rational(a[2])}, y{rational(b[0]), rational(b[1]), rational(b[2])};
  const Rational squared = rational(limit) * rational(limit);
  for (int i = 0; i < 3; ++i) {
    if (point_face_inside(x[i], y, squared) || point_face_inside(y[i], x, squared)) return true;
    for (int j = 0; j < 3; ++j) {
      const RationalPoint &p = x[i], &p2 = x[(i + 1) % 3], &q = y[j], &q2 = y[(j + 1) % 3];
      if (point_segment(p, q, q2, squared) || point_segment(q, p, p2, squared) ||
          edge_edge_inside(p, p2 - p, q, q2 - q, squared))
        return true;
    }
  }
  return false;
}

}  // namespace sightline::solid
