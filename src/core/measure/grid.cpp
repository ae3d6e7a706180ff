#include "measure/grid.h"

#include <cmath>

namespace sightline::measure {
namespace {

using exact::BigInt, exact::WideInt;

constexpr double kFar = 0x1p61;

FinePoint operator-(const FinePoint& p, const FinePoint& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }
BigInt dot(const FinePoint& p, const FinePoint& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }
FinePoint cross(const FinePoint& p, const FinePoint& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

GridPoint narrowed(const FinePoint& p) {
  GridPoint r;
  for (int k = 0; k < 3; ++k) {
    const auto magnitude = static_cast<std::int64_t>(p[k].limb(0));
    r[k] = p[k].sign() < 0 ? -magnitude : magnitude;
  }
  return r;
}

/// (numerator / denominator) · 2^shift as an integer, for a quotient of magnitude at most 2^61, off by less than 3;
/// false if it may be larger. With the leading bits n and d, q = ⌊2^61 n / d⌋ is off by less than 2
/// (exact/intersection.cpp), and the shift to the right cuts off less than 1.
template <int N, int D>
bool divided(const WideInt<N>& numerator, const WideInt<D>& denominator, int shift, std::int64_t& result) {
  result = 0;
  if (numerator.sign() == 0) return true;
  const bool up_negative = numerator.negative(), down_negative = denominator.negative();
  int up, down;
  const std::uint64_t n = exact::leading(up_negative ? -numerator : numerator, up);
  const std::uint64_t d = exact::leading(down_negative ? -denominator : denominator, down);
  const auto q = static_cast<std::int64_t>((static_cast<exact::Uint128>(n) << 61) / d);
  const int exponent = up - down - 61 + shift;
  if (exponent > 0) return false;
  const std::int64_t magnitude = exponent > -63 ? q >> -exponent : 0;
  result = up_negative != down_negative ? -magnitude : magnitude;
  return true;
}

}  // namespace

int exponent_of(const Vec3d& p, int least) {
  for (const double x : p)
    if (x != 0) least = std::min(least, exact::odd_float(x).exponent);
  return least;
}

FinePoint integers(const Vec3d& p, int unit) {
  FinePoint r;
  for (int k = 0; k < 3; ++k) {
    const exact::OddFloat f = exact::odd_float(p[k]);
    r[k] = f.mantissa == 0 ? BigInt() : BigInt(f.mantissa) << (f.exponent - unit);
  }
  return r;
}
BigInt six_volume(const FinePoint& q, const FinePoint& x, const FinePoint& y) { return dot(q, cross(x - q, y - q)); }

Grid::Grid(const Box& box) : origin_(box.low) {
  const double half = std::max({box.half(0), box.half(1), box.half(2)});
  // Twice `half`, rounded, is at least the extent without its last bit: one bit more than it needs.
  exponent_ = half > 0 ? std::max(std::ilogb(half) + 3 - kBits, -1074) : -1074;
  const int first = -exponent_ / 2;
  factor_[0] = std::ldexp(1.0, first);
  factor_[1] = std::ldexp(1.0, -exponent_ - first);
}

// The difference to the origin is s + e exactly (Knuth's two-sum). If s is no multiple of the unit, its last bit is
// below the unit, so e is below half of it: s is cut off by less than 1, e is lost. Else only e is cut off.
bool Grid::place(const Vec3d& p, PlacedPoint& placed) const {
  bool exact = true;
  for (int k = 0; k < 3; ++k) {
    const double s = p[k] - origin_[k], b = s - p[k], e = (p[k] - (s - b)) + (-origin_[k] - b);
    const double units = s * factor_[0] * factor_[1];
    if (!(std::abs(units) < kFar)) return false;
    const auto whole = static_cast<std::int64_t>(units);
    exact = exact && e == 0 && static_cast<double>(whole) == units;
    placed.at[k] = whole + static_cast<std::int64_t>(e * factor_[0] * factor_[1]);
  }
  placed.error = exact ? 0 : kCornerError;
  return true;
}

PlacedPoint Grid::vertex(const Vec3d& p) const {
  PlacedPoint placed;
  return place(p, placed) ? placed : PlacedPoint{narrowed(fine_vertex(p, 0)), kCornerError};
}

PlacedPoint Grid::piercing(ShiftedPair& pair, int i, int j, int of) const {
  exact::Points<6>& points = pair.points();
  const auto corner = [&points](int c) { return Vec3d{points.at[c][0], points.at[c][1], points.at[c][2]}; };
  if (points.less(j, i)) std::swap(i, j);  // both triangles at the edge get the same point
  PlacedPoint placed;
  if (points.scale() == 1 && place(corner(i), placed)) {
    const WideInt<3> at_i = points.value3d<1>(of, of + 1, of + 2, i), at_j = points.value3d<1>(of, of + 1, of + 2, j);
    const WideInt<3> all = at_i - at_j;
    bool near = true;
    for (int k = 0; k < 3; ++k) {
      std::int64_t step;
      const WideInt<1> along = points.coordinate<1>(j, k) - points.coordinate<1>(i, k);
      near = near && divided(exact::multiply<4>(at_i, along), all, points.unit() - exponent_, step);
      if (near) placed.at[k] += step;
    }
    if (near) return {placed.at, kPiercingError};
  }
  return {narrowed(fine_piercing(corner(i), corner(j), {corner(of), corner(of + 1), corner(of + 2)}, 0)),
          kPiercingError};
}

FinePoint Grid::fine_vertex(const Vec3d& p, int extra_bits) const {
  const int unit = exponent_of(p, exponent_of(origin_, 2000));
  FinePoint at = integers(p, unit) - integers(origin_, unit);
  for (BigInt& x : at) x = BigInt::divide(x, 1, unit - exponent_ + extra_bits).quotient;
  return at;
}

FinePoint Grid::fine_piercing(const Vec3d& u, const Vec3d& v, const Corners& of, int extra_bits) const {
  int unit = exponent_of(u, exponent_of(v, exponent_of(origin_, 2000)));
  for (const Vec3d& p : of) unit = exponent_of(p, unit);
  const FinePoint from = integers(u, unit), to = integers(v, unit), base = integers(of[0], unit);
  const FinePoint normal = cross(integers(of[1], unit) - base, integers(of[2], unit) - base);
  const BigInt at_u = dot(normal, from - base), all = at_u - dot(normal, to - base);
  FinePoint at = from - integers(origin_, unit);
  for (int k = 0; k < 3; ++k)
    at[k] = BigInt::divide(at_u * (to[k] - from[k]) + at[k] * all, all, unit - exponent_ + extra_bits).quotient;
  return at;
}

}  // namespace sightline::measure
