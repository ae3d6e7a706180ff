#include "solid/flag.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightline::solid {
namespace {

using exact::BigInt;

/// The largest exponent up to `unit` of which all coordinates of p are multiples: p / 2^exponent is in integers.
int common_unit(const Vec3d& p, int unit) {
  for (const double x : p)
    if (x != 0) unit = std::min(unit, exact::odd_float(x).exponent);
  return unit;
}

/// p / 2^unit, where all coordinates are multiples of 2^unit.
IntegerPoint integer_point(const Vec3d& p, int unit) {
  IntegerPoint result;
  for (int k = 0; k < 3; ++k)
    if (const exact::OddFloat odd = exact::odd_float(p[k]); odd.mantissa != 0)
      result[k] = BigInt(odd.mantissa) << (odd.exponent - unit);
  return result;
}

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

/// Derivative of orient2d(axis, a, b, ·) along a coordinate axis.
int orient2d_along(int axis, const Vec3d& a, const Vec3d& b, int direction) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (direction == u) return (a[v] > b[v]) - (a[v] < b[v]);
  if (direction == v) return (b[u] > a[u]) - (b[u] < a[u]);
  return 0;
}

/// The doubles on both sides of a coordinate, or the coordinate itself. It lies between finite doubles: it rounds to
/// one.
void enclose(const QuotientPoint& point, int k, double& lo, double& hi) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nearest = rounded(point, k);
  const int side = compare(point, k, nearest);
  lo = side < 0 ? std::nextafter(nearest, -kInfinity) : nearest;
  hi = side > 0 ? std::nextafter(nearest, kInfinity) : nearest;
}

}  // namespace

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

double rounded(const QuotientPoint& point, int k) { return exact::rounded_quotient(point.x[k], point.w, point.unit); }

int orient2d(int axis, const Vec3d& a, const Vec3d& b, const QuotientPoint& point) {
  const int unit = common_unit(a, common_unit(b, point.unit));
  const IntegerPoint origin = integer_point(a, unit);
  return cross(integer_point(b, unit) - origin, scaled_difference(point, origin, unit), axis).sign();
}

int orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const QuotientPoint& point) {
  const int unit = common_unit(a, common_unit(b, common_unit(c, point.unit)));
  const IntegerPoint origin = integer_point(a, unit);
  const IntegerPoint d = integer_point(b, unit) - origin, e = integer_point(c, unit) - origin,
                     f = scaled_difference(point, origin, unit);
  return (cross(d, e, 0) * f[0] + cross(d, e, 1) * f[1] + cross(d, e, 2) * f[2]).sign();
}

Flag Flag::near(const Vec3d& p) {
  Flag flag;
  flag.p0_ = p;
  flag.box_ = {p, p};
  return flag;
}

Flag Flag::in_plane(const Vec3d& p0, const Vec3d& p1, const Vec3d& p2, int axis) {
  Flag flag = near(p0);
  flag.p1_ = p1;
  flag.p2_ = p2;
  flag.points_ = 3;
  flag.axis_ = axis;
  return flag;
}

Flag Flag::in_plane(const Split& p0, const Vec3d& p1, const Vec3d& p2, int axis) {
  Flag flag = in_plane(p0.p, p1, p2, axis);
  flag.split_ = std::make_shared<const Split>(p0);
  for (int k = 0; k < 3; ++k) enclose(p0.at, k, flag.box_.low[k], flag.box_.high[k]);
  return flag;
}

Flag Flag::flipped() const {
  Flag flag = *this;
  flag.sign_ = -sign_;
  return flag;
}

// The first sign that is not zero of at(p0), at(p1), … or along(axis), …. Between the ends p and q of a split segment,
// an affine function has the sign of both if they agree; only opposite signs need its value.
template <typename At, typename Along>
int Flag::sign(const At& at, const Along& along) const {
  int sign = at(p0_);
  if (split_ != nullptr) {
    const int at_q = at(split_->q);
    sign = sign * at_q < 0 ? at(split_->at) : sign != 0 ? sign : at_q;
  }
  if (points_ == 3) {
    if (sign == 0) sign = at(p1_);
    if (sign == 0) sign = at(p2_);
    if (sign == 0) sign = sign_ * along(axis_);
  } else {
    for (int k = 0; k < 3 && sign == 0; ++k) sign = along(k);
  }
  return sign;
}

int Flag::orient2d(int axis, const Vec3d& a, const Vec3d& b) const {
  using exact::orient2d, solid::orient2d;
  return sign([&](const auto& p) { return orient2d(axis, a, b, p); },
              [&](int k) { return orient2d_along(axis, a, b, k); });
}

int Flag::orient3d(const std::array<Vec3d, 3>& t) const {
  using exact::orient3d, solid::orient3d;
  return sign([&](const auto& p) { return orient3d(t[0], t[1], t[2], p); },
              [&](int k) { return exact::orient2d(k, t[0], t[1], t[2]); });
}

}  // namespace sightline::solid
