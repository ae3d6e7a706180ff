// Points as integers: multiples of a power of two, counted from a corner of the box in which two parts can overlap.
//
// Sums over integers do not depend on their order, so neither the order of triangles nor the number of threads changes
// a bit of a result. Differences to the corner are computed exactly before they are rounded, so a common translation
// that keeps all coordinates exact changes nothing either.
#pragma once

#include <array>
#include <cstdint>

#include "base/box.h"
#include "exact/big_int.h"
#include "measure/shift.h"

namespace sightline::measure {

using GridPoint = std::array<std::int64_t, 3>;
/// A point, each coordinate of which is off by less than `error`, or exact if that is 0.
struct PlacedPoint {
  GridPoint at;
  int error = 0;
};
using FinePoint = std::array<exact::BigInt, 3>;

/// The largest exponent up to `least` of which all coordinates are multiples.
int exponent_of(const Vec3d& p, int least);
/// In units of 2^unit, which divides the coordinates.
FinePoint integers(const Vec3d& p, int unit);
/// q · ((x - q) × (y - q)).
exact::BigInt six_volume(const FinePoint& q, const FinePoint& x, const FinePoint& y);

class Grid {
 public:
  /// The box has at most 2^kBits units along each axis.
  static constexpr int kBits = 60;
  /// Errors of corners that are not on the grid, and of piercings, in units.
  static constexpr int kCornerError = 2, kPiercingError = 6;

  /// The box is not empty.
  explicit Grid(const Box& box);

  /// A unit is 2^exponent().
  int exponent() const { return exponent_; }
  const Vec3d& origin() const { return origin_; }

  /// A point in the box.
  PlacedPoint vertex(const Vec3d& p) const;
  /// The point at which the edge from corner i to corner j crosses the plane of the triangle at `of` (0 or 3). It lies
  /// in the box, and i and j are at different distances from the plane.
  PlacedPoint piercing(ShiftedPair& pair, int i, int j, int of) const;

  /// The same points in units of 2^(exponent() - extra_bits), off by less than one unit. `of` is the plane.
  FinePoint fine_vertex(const Vec3d& p, int extra_bits) const;
  FinePoint fine_piercing(const Vec3d& u, const Vec3d& v, const Corners& of, int extra_bits) const;

 private:
  bool place(const Vec3d& p, PlacedPoint& placed) const;

  Vec3d origin_;
  int exponent_ = 0;
  double factor_[2];  // their product is 2^-exponent
};

}  // namespace sightline::measure
