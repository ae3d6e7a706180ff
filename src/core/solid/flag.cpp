#include "solid/flag.h"

#include <cmath>
#include <limits>

namespace sightline::solid {
namespace {

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

Split Flag::crossing(const Vec3d& p, const Vec3d& q, const Vec3d& g, const Vec3d& h, int axis) {
  return {p, q, crossing_point(p, q, g, h, axis)};
}

Flag Flag::flipped() const {
  Flag flag = *this;
  flag.sign_ = -sign_;
  return flag;
}

// Between p and q an affine function has the sign of both, if they agree; only opposite signs need its value.
int Flag::base_orient2d(int axis, const Vec3d& a, const Vec3d& b) const {
  const int at_p = exact::orient2d(axis, a, b, p0_);
  if (!split_) return at_p;
  const int at_q = exact::orient2d(axis, a, b, split_->q);
  if (at_p * at_q >= 0) return at_p != 0 ? at_p : at_q;
  return solid::orient2d(axis, a, b, split_->at);
}

int Flag::base_orient3d(const std::array<Vec3d, 3>& t) const {
  const int at_p = exact::orient3d(t[0], t[1], t[2], p0_);
  if (!split_) return at_p;
  const int at_q = exact::orient3d(t[0], t[1], t[2], split_->q);
  if (at_p * at_q >= 0) return at_p != 0 ? at_p : at_q;
  return solid::orient3d(t, split_->at);
}

int Flag::orient2d(int axis, const Vec3d& a, const Vec3d& b) const {
  int sign = base_orient2d(axis, a, b);
  if (points_ == 3) {
    if (sign == 0) sign = exact::orient2d(axis, a, b, p1_);
    if (sign == 0) sign = exact::orient2d(axis, a, b, p2_);
    if (sign == 0) sign = sign_ * orient2d_along(axis, a, b, axis_);
  } else {
    for (int k = 0; k < 3 && sign == 0; ++k) sign = orient2d_along(axis, a, b, k);
  }
  return sign;
}

int Flag::orient3d(const std::array<Vec3d, 3>& t) const {
  int sign = base_orient3d(t);
  if (points_ == 3) {
    if (sign == 0) sign = exact::orient3d(t[0], t[1], t[2], p1_);
    if (sign == 0) sign = exact::orient3d(t[0], t[1], t[2], p2_);
    if (sign == 0) sign = sign_ * exact::orient2d(axis_, t[0], t[1], t[2]);
  } else {
    for (int k = 0; k < 3 && sign == 0; ++k) sign = exact::orient2d(k, t[0], t[1], t[2]);
  }
  return sign;
}

}  // namespace sightline::solid
