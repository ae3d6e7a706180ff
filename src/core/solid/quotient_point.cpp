#include "solid/quotient_point.h"

#include <algorithm>

#include "exact/points.h"
#include "exact/round.h"

namespace sightline::solid {
namespace {

using exact::BigInt;

IntegerPoint operator-(const IntegerPoint& p, const IntegerPoint& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }

/// p × q, component k.
BigInt cross(const IntegerPoint& p, const IntegerPoint& q, int k) {
  const int u = (k + 1) % 3, v = (k + 2) % 3;
  return p[u] * q[v] - p[v] * q[u];
}

/// (point - a) · w in units of 2^unit, which divides that of the point.
IntegerPoint scaled_difference(const QuotientPoint& point, const IntegerPoint& a, int unit) {
  const int shift = point.unit - unit;
  IntegerPoint d;
  for (int k = 0; k < 3; ++k) d[k] = (point.x[k] << shift) - a[k] * point.w;
  return d;
}

}  // namespace

int common_unit(const Vec3d& p, int unit) {
  for (const double x : p)
    if (x != 0) unit = std::min(unit, exact::odd_float(x).exponent);
  return unit;
}

IntegerPoint integer_point(const Vec3d& p, int unit) {
  IntegerPoint result;
  for (int k = 0; k < 3; ++k)
    if (const exact::OddFloat odd = exact::odd_float(p[k]); odd.mantissa != 0)
      result[k] = BigInt(odd.mantissa) << (odd.exponent - unit);
  return result;
}

// An affine function that vanishes on gh has opposite signs at p and q; it is zero at (f(p) q - f(q) p) / (f(p) -
// f(q)).
QuotientPoint crossing_point(const Vec3d& p, const Vec3d& q, const Vec3d& g, const Vec3d& h, int axis) {
  QuotientPoint result;
  result.unit = 1024;  // no double has a larger exponent
  for (const Vec3d& point : {p, q, g, h}) result.unit = common_unit(point, result.unit);
  const IntegerPoint ip = integer_point(p, result.unit), iq = integer_point(q, result.unit),
                     ig = integer_point(g, result.unit), line = integer_point(h, result.unit) - ig;
  const BigInt at_p = cross(line, ip - ig, axis), at_q = cross(line, iq - ig, axis);
  const bool falling = at_p.sign() > 0;  // makes w positive
  const BigInt weight_q = falling ? at_p : -at_p, weight_p = falling ? -at_q : at_q;
  for (int k = 0; k < 3; ++k) result.x[k] = weight_q * iq[k] + weight_p * ip[k];
  result.w = weight_q + weight_p;
  return result;
}

int compare(const QuotientPoint& point, int k, double x) {
  const int unit = common_unit({x, 0, 0}, point.unit);
  const BigInt left = point.x[k] << (point.unit - unit), right = integer_point({x, 0, 0}, unit)[0] * point.w;
  return (left > right) - (left < right);
}

double rounded(const QuotientPoint& point, int k) {
  const BigInt& x = point.x[k];
  if (x.sign() == 0) return 0;
  const int shift = 63 - (x.bit_length() - point.w.bit_length());  // 63 or 64 bits of the quotient
  const auto [quotient, remainder] =
      shift > 0 ? BigInt::divide(x << shift, point.w) : BigInt::divide(x, point.w << -shift);
  const double magnitude = exact::rounded(quotient.limb(0), remainder.sign() != 0, point.unit - shift);
  return x.sign() < 0 ? -magnitude : magnitude;
}

int orient2d(int axis, const Vec3d& a, const Vec3d& b, const QuotientPoint& point) {
  const int unit = common_unit(a, common_unit(b, point.unit));
  const IntegerPoint origin = integer_point(a, unit);
  return cross(integer_point(b, unit) - origin, scaled_difference(point, origin, unit), axis).sign();
}

int orient3d(const std::array<Vec3d, 3>& t, const QuotientPoint& point) {
  const int unit = common_unit(t[0], common_unit(t[1], common_unit(t[2], point.unit)));
  const IntegerPoint origin = integer_point(t[0], unit);
  const IntegerPoint d = integer_point(t[1], unit) - origin, e = integer_point(t[2], unit) - origin,
                     f = scaled_difference(point, origin, unit);
  return (cross(d, e, 0) * f[0] + cross(d, e, 1) * f[1] + cross(d, e, 2) * f[2]).sign();
}

}  // namespace sightline::solid
