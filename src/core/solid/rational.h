// Exact rationals for the rare path: values of predicates at points that are not doubles.
#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>

#include "exact/predicates.h"
#include "sightline/mesh.h"

namespace sightline::solid {

using Rational = boost::multiprecision::cpp_rational;
using RationalPoint = std::array<Rational, 3>;

/// The number that a finite double is.
inline Rational rational(double x) {
  const exact::OddFloat odd = exact::odd_float(x);
  const boost::multiprecision::cpp_int mantissa(odd.mantissa);
  if (odd.exponent >= 0) return Rational(boost::multiprecision::cpp_int(mantissa << odd.exponent));
  return Rational(mantissa, boost::multiprecision::cpp_int(1) << -odd.exponent);
}

inline RationalPoint rational(const Vec3d& p) { return {rational(p[0]), rational(p[1]), rational(p[2])}; }

inline RationalPoint operator-(const RationalPoint& p, const RationalPoint& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
inline Rational dot(const RationalPoint& p, const RationalPoint& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }
inline RationalPoint cross(const RationalPoint& p, const RationalPoint& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

/// Twice the area of a, b, c seen along an axis; its sign is exact::orient2d.
inline Rational area2(int axis, const RationalPoint& a, const RationalPoint& b, const RationalPoint& c) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
}
/// Six times the volume; its sign is exact::orient3d.
inline Rational volume6(const RationalPoint& a, const RationalPoint& b, const RationalPoint& c,
                        const RationalPoint& d) {
  return dot(cross(b - a, c - a), d - a);
}

}  // namespace sightline::solid
