#include "measure/sum.h"

#include <algorithm>
#include <cmath>

namespace sightline::measure {
namespace {

using exact::BigInt, exact::Int128, exact::Uint128, exact::WideInt;

constexpr double kInfinity = Box::kInfinity;
constexpr double kUnit = 0x1p-60;  // of the grid, in units of its extent
constexpr double kFixed = 0x1p90;

/// x · 2^90, cut off, for |x| < 2^22: two conversions of 64 bits take a fifth of the time of one of 128.
Int128 fixed(double x) {
  const double high = x * 0x1p40;
  const auto whole = static_cast<std::int64_t>(high);
  return (static_cast<Int128>(whole) << 50) + static_cast<std::int64_t>((high - static_cast<double>(whole)) * 0x1p50);
}

std::uint64_t norm(const GridPoint& p) {
  std::uint64_t most = 0;
  for (const std::int64_t x : p) most = std::max(most, static_cast<std::uint64_t>(x < 0 ? -x : x));
  return most;
}
GridPoint operator-(const GridPoint& p, const GridPoint& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }

/// q · c, for |q| < 2^61 and |c| < 2^123.
WideInt<4> dot(const GridPoint& q, const Int128 (&c)[3]) {
  Int128 low = 0, high = 0;
  for (int k = 0; k < 3; ++k) {
    low += static_cast<Int128>(static_cast<std::uint64_t>(c[k])) * q[k];  // below 2^125 each
    high += static_cast<Int128>(static_cast<std::int64_t>(c[k] >> 64)) * q[k];
  }
  high += low >> 64;
  const std::uint64_t sign = high < 0 ? ~std::uint64_t{0} : 0;
  return {{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64),
           sign}};
}

/// x as a double, no less; x ≥ 0.
double above(Uint128 x) { return static_cast<double>(x) * (1 + 0x1p-50); }

BigInt big(Uint128 x) {
  return BigInt(WideInt<3>{{static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(x >> 64), 0}});
}
double next_below(double x) { return std::nextafter(x, -kInfinity); }
double next_above(double x) { return std::nextafter(x, kInfinity); }

/// [x - error, x + error] · 2^scale, outwards, for results of a few roundings.
Interval around(double x, double error, int scale) {
  error = error * (1 + 0x1p-48) + std::abs(x) * 0x1p-50;
  return {next_below(std::ldexp(x - error, scale)), next_above(std::ldexp(x + error, scale))};
}

}  // namespace

Interval enclose(const BigInt& low, const BigInt& high, const BigInt& divisor, int unit) {
  const double l = exact::rounded_quotient(low, divisor, unit), h = exact::rounded_quotient(high, divisor, unit);
  return {next_below(l), next_above(h)};
}

void Sum::add_face(const PlacedPoint& q, const PlacedPoint& x, const PlacedPoint& y, int weight) {
  const Vec3d n = add(q, x, y, weight, nullptr);
  area_ += fixed(std::abs(weight) * std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
}

void Sum::add_piece(const PlacedPoint& q, const PlacedPoint& x, const PlacedPoint& y, int weight, FaceArea& face) {
  add(q, x, y, weight, &face);
}

Vec3d Sum::add(const PlacedPoint& placed_q, const PlacedPoint& placed_x, const PlacedPoint& placed_y, int weight,
               FaceArea* face) {
  const GridPoint &q = placed_q.at, &x = placed_x.at, &y = placed_y.at;
  const GridPoint X = x - q, Y = y - q;
  const auto minor = [&](int i, int j) { return static_cast<Int128>(X[i]) * Y[j] - static_cast<Int128>(X[j]) * Y[i]; };
  const Int128 c[3] = {minor(1, 2), minor(2, 0), minor(0, 1)};
  if (face != nullptr)
    for (int k = 0; k < 3; ++k) (*face)[k] += weight * (c[k] >> 30);
  WideInt<4> volume = dot(q, c);
  if (weight != 1) volume = exact::multiply<4>(volume, exact::shifted<1>(weight, 0));
  six_volume_ = six_volume_ + volume;

  double a[3], b[3];
  for (int k = 0; k < 3; ++k) a[k] = static_cast<double>(X[k]) * kUnit, b[k] = static_cast<double>(Y[k]) * kUnit;
  const Vec3d n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  double d = 0;
  for (int k = 0; k < 3; ++k) d += static_cast<double>(q[k]) * kUnit * n[k];
  for (int k = 0; k < 3; ++k) moment_[k] += weight * fixed(d * (static_cast<double>(q[k] + x[k] + y[k]) * kUnit));

  const std::uint64_t times = static_cast<std::uint64_t>(weight < 0 ? -weight : weight);
  const std::uint64_t of_x = norm(X), of_y = norm(Y);
  const auto error = static_cast<unsigned>(std::max({placed_q.error, placed_x.error, placed_y.error}));
  const Uint128 product = static_cast<Uint128>((of_x >> 30) + 1) * ((of_y >> 30) + 1) * times;
  products_ += product;
  if (error != 0) {
    off_products_ += product * error;
    off_lengths_ += static_cast<Uint128>(of_x + of_y + 16) * times * error;
  }
  pieces_ += times;
  return n;
}

void Sum::add_face(const FaceArea& face) {
  double square = 0;
  for (const Int128 c : face) {
    const double x = static_cast<double>(c) * 0x1p-90;
    square += x * x;
  }
  area_ += fixed(std::sqrt(square));
}

void Sum::remove_area(double twice, double error) {
  area_ -= fixed(twice);
  removed_error_ += static_cast<Uint128>(error * kFixed) + 2;
}

void Sum::add(const Sum& other) {
  six_volume_ = six_volume_ + other.six_volume_;
  for (int k = 0; k < 3; ++k) moment_[k] += other.moment_[k];
  area_ += other.area_;
  products_ += other.products_;
  off_products_ += other.off_products_;
  off_lengths_ += other.off_lengths_;
  removed_error_ += other.removed_error_;
  pieces_ += other.pieces_;
}

BigInt Sum::volume_error() const { return (big(off_products_) * 7 + big(off_lengths_) * 15) << Grid::kBits; }

Interval Sum::volume(const Grid& grid) const { return fine_volume(grid, BigInt(six_volume_), 0); }

// On a grid that is finer by a factor f, the bound in its units is at most f² times the bound here: lengths grow by f,
// and e does not grow.
Interval Sum::fine_volume(const Grid& grid, const BigInt& six, int extra_bits) const {
  if (empty()) return {};
  const BigInt error = volume_error() << 2 * extra_bits;
  return enclose(six - error, six + error, 6, 3 * (grid.exponent() - extra_bits));
}

Interval Sum::area(const Grid& grid) const {
  if (empty()) return {};
  const double twice = static_cast<double>(area_) * 0x1p-90;
  const double error = 7 * kUnit * above(off_lengths_) * kUnit + 0x1p-49 * above(products_) * kUnit * 4 +
                       (above(removed_error_) + 4 * static_cast<double>(pieces_ + 4)) * 0x1p-90;
  Interval area = around(twice, error, 2 * (grid.exponent() + Grid::kBits) - 1);
  area.low = std::max(area.low, 0.0);
  return area;
}

std::array<Interval, 3> Sum::centroid(const Grid& grid, const Box& box) const {
  const double off = (above(off_products_) + above(off_lengths_)) * kUnit;
  const Interval six =
      enclose(BigInt(six_volume_) - volume_error(), BigInt(six_volume_) + volume_error(), 1, -3 * Grid::kBits);
  const double error = 0x1p-45 * above(products_) * kUnit + 0x1p-54 * off + 4 * static_cast<double>(pieces_) / kFixed;
  std::array<Interval, 3> centroid;
  for (int k = 0; k < 3; ++k) {
    const Interval all{next_below(box.low[k]), next_above(box.high[k])};  // the box is rounded to nearest
    centroid[k] = all;
    if (!(six.low > 0 || six.high < 0)) continue;
    // moment / volume = (24 moment) / (4 · 6 volume), from the ends of both intervals.
    const double moment = static_cast<double>(moment_[k]) / kFixed;
    const double wide = error * (1 + 0x1p-48) + std::abs(moment) * 0x1p-50;
    double low = kInfinity, high = -kInfinity;
    for (const double m : {moment - wide, moment + wide})
      for (const double v : {six.low, six.high}) {
        const double x = m / (4 * v);
        low = std::min(low, x - std::abs(x) * 0x1p-50);
        high = std::max(high, x + std::abs(x) * 0x1p-50);
      }
    const int scale = grid.exponent() + Grid::kBits;
    low = next_below(grid.origin()[k] + next_below(std::ldexp(low, scale)));
    high = next_above(grid.origin()[k] + next_above(std::ldexp(high, scale)));
    if (low <= all.high && high >= all.low) centroid[k] = {std::max(low, all.low), std::min(high, all.high)};
  }
  return centroid;
}

}  // namespace sightline::measure
