// The distance of two triangles by another way than the library's: integers throughout, the least over all pairs of
// edges and over all corners against faces, nothing chosen by doubles. A distance is checked, not computed: a double is
// the right one if the exact square lies between the squares of the two midpoints to its neighbours.
#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sightline/mesh.h"

namespace exact_gap {

using Int = boost::multiprecision::cpp_int;
using Point = std::array<Int, 3>;
using Corners = std::array<sightline::Vec3d, 3>;

/// n / d · 4^-kShift, d > 0.
struct Fraction {
  Int n, d;
  friend bool operator<(const Fraction& x, const Fraction& y) { return x.n * y.d < y.n * x.d; }
};

/// Every double, and the middle of two neighbours, is a multiple of 2^-kShift.
constexpr int kShift = 1075;
inline Int integer(double x) {
  int exponent;
  const double mantissa = std::frexp(std::abs(x), &exponent);
  Int result(static_cast<long long>(std::ldexp(mantissa, 53)));
  const int shift = exponent - 53 + kShift;
  if (shift >= 0)
    result <<= shift;
  else
    result >>= -shift;  // exact: the bits shifted out are zero
  return x < 0 ? Int(-result) : result;
}

inline Point minus(const Point& p, const Point& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }
inline Int dot(const Point& p, const Point& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }
inline void lower(Fraction& least, const Fraction& x) {
  if (x < least) least = x;
}

inline Fraction point_segment(const Point& p, const Point& q, const Point& r) {
  const Point v = minus(r, q), w = minus(p, q);
  const Int vv = dot(v, v), vw = dot(v, w);
  if (vw <= 0) return {dot(w, w), 1};
  if (vw >= vv) return {dot(minus(p, r), minus(p, r)), 1};
  return {dot(w, w) * vv - vw * vw, vv};
}

/// |w + s u - t v|² over the unit square: at a side of the square, or where both derivatives vanish.
inline Fraction segment_segment(const Point& p, const Point& p2, const Point& q, const Point& q2) {
  Fraction least = point_segment(p, q, q2);
  lower(least, point_segment(p2, q, q2));
  lower(least, point_segment(q, p, p2));
  lower(least, point_segment(q2, p, p2));
  const Point u = minus(p2, p), v = minus(q2, q), w = minus(p, q);
  const Int uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
  const Int det = uu * vv - uv * uv, s = uv * vw - vv * uw, t = uu * vw - uv * uw;
  if (det > 0 && s >= 0 && s <= det && t >= 0 && t <= det)  // there the value is ww + s uw - t vw, over det
    lower(least, {dot(w, w) * det + s * uw - t * vw, det});
  return least;
}

/// The foot on the plane, t0 + s e + r f, by the normal equations; the edges are measured elsewhere.
inline void point_face(const Point& p, const std::array<Point, 3>& t, Fraction& least) {
  const Point e = minus(t[1], t[0]), f = minus(t[2], t[0]), w = minus(p, t[0]);
  const Int ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), ew = dot(e, w), fw = dot(f, w);
  const Int det = ee * ff - ef * ef, s = ff * ew - ef * fw, r = ee * fw - ef * ew;
  if (det > 0 && s >= 0 && r >= 0 && s + r <= det) lower(least, {dot(w, w) * det - s * ew - r * fw, det});
}

inline int volume_sign(const Point& p, const Point& q, const Point& r, const Point& s) {
  const Point u = minus(q, p), v = minus(r, p), w = minus(s, p);
  const Point normal{v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]};
  return dot(u, normal).sign();
}
/// The segment goes through the triangle; if they lie in one plane, edges that cross are found elsewhere.
inline bool pierces(const Point& p, const Point& q, const std::array<Point, 3>& t) {
  const int at_p = volume_sign(t[0], t[1], t[2], p), at_q = volume_sign(t[0], t[1], t[2], q);
  if (at_p * at_q > 0 || (at_p == 0 && at_q == 0)) return false;
  const int s[3] = {volume_sign(p, q, t[0], t[1]), volume_sign(p, q, t[1], t[2]), volume_sign(p, q, t[2], t[0])};
  return (s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0);
}

inline Fraction squared_distance(const Corners& a, const Corners& b) {
  std::array<Point, 3> x, y;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) x[i][k] = integer(a[i][k]), y[i][k] = integer(b[i][k]);
  int zeros = kShift + 2000;  // a common power of two is taken out, for speed
  for (const auto* t : {&x, &y})
    for (const Point& p : *t)
      for (const Int& c : p)
        if (c != 0) zeros = std::min(zeros, static_cast<int>(lsb(abs(c))));
  for (auto* t : {&x, &y})
    for (Point& p : *t)
      for (Int& c : p) c = c < 0 ? Int(-(-c >> zeros)) : Int(c >> zeros);
  Fraction least = point_segment(x[0], y[0], y[1]);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) lower(least, segment_segment(x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]));
    point_face(x[i], y, least);
    point_face(y[i], x, least);
    if (pierces(x[i], x[(i + 1) % 3], y) || pierces(y[i], y[(i + 1) % 3], x)) return {0, 1};
  }
  least.n <<= 2 * zeros;
  return least;
}

inline Fraction squared(const Int& x) { return {x * x, 1}; }
inline bool below(const Fraction& x, double limit) { return x < squared(integer(limit)); }

/// Is r the root of x, rounded to nearest, ties to even?
inline bool is_rounded_root(const Fraction& x, double r) {
  constexpr double kMost = std::numeric_limits<double>::max(), kInfinity = std::numeric_limits<double>::infinity();
  if (!(r >= 0)) return false;
  const auto middle = [](double p, double q) { return squared((integer(p) + integer(q)) / 2); };
  const Fraction overflow = squared(integer(kMost) + (integer(kMost) - integer(std::nextafter(kMost, 0))) / 2);
  if (r == kInfinity) return !(x < overflow);
  std::uint64_t bits;
  std::memcpy(&bits, &r, sizeof bits);
  const bool tie_is_mine = bits % 2 == 0;
  if (r > 0) {
    const Fraction low = middle(std::nextafter(r, 0), r);
    if (x < low || (!tie_is_mine && !(low < x))) return false;
  }
  const Fraction high = r == kMost ? overflow : middle(r, std::nextafter(r, kInfinity));
  return x < high || (tie_is_mine && !(high < x));
}

}  // namespace exact_gap
