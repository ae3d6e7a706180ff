// Volume, first moments and area of a body from its boundary in pieces, with bounds of the error.
//
// A piece is a triangle (q, x, y) in the plane of a face, with a weight; the weighted pieces of a face add up to the
// part of the face that bounds the body (measure/overlap.cpp). With X = x - q, Y = y - q and all points relative to the
// origin of the grid, the divergence theorem gives
//   6 volume  = Σ weight · q · (X × Y),      24 moment = Σ weight · q · (X × Y) (q + x + y),
//   2 area    = Σ over faces |Σ weight · X × Y|.
//
// Volume: the integers are multiplied and added without rounding. If all points of a piece are on the grid, as most
// corners of most files are, so is its volume. Else a coordinate is off by less than e, so X and Y by 2e. A product a ·
// (b × c) is at most 6 |a| |b| |c| in maximum norms; |q| < G = 2^60 + 2^10. So a piece is off by less than
//   6 e |X| |Y| + 12 e G (|X| + |Y|) + terms of order e², e³  <  2^60 e (7 |X| |Y| / 2^60 + 15 (|X| + |Y| + 16)):
// the terms of higher order are below 24 e² G + 24 e² (|X| + |Y|) + 48 e³ < 240 · e · 2^60 for e ≤ 7 (|X|, |Y| ≤ 2^61).
//
// Moments and area: in double, in units of 2^60, and added as integers of 2^-90. With u = 2^-53, X and Y have relative
// errors u, X × Y is off by 8 u |X| |Y|, and q · (X × Y) by 48 u |X| |Y|. The last factor is below 3: a term is off by
// less than 2^-45 |X| |Y| by rounding. By the grid it is off by less than 2^-54 e (|X| |Y| + |X| + |Y|): three times
// the bound above, and 18 e |X| |Y| / 2^60 for the last factor. Twice the area of a face is off by at most 7 e (|X| +
// |Y|) by the grid, and by 2^-49 of itself.
#pragma once

#include <cstdint>

#include "measure/grid.h"
#include "sightline/measure.h"

namespace sightline::measure {

class Sum {
 public:
  /// Twice the vector area of pieces of one face, in units of 2^30 squared grid units.
  using FaceArea = std::array<exact::Int128, 3>;

  /// A piece that is a whole face.
  void add_face(const PlacedPoint& q, const PlacedPoint& x, const PlacedPoint& y, int weight);
  /// A piece of a face; add_face follows when the face is complete.
  void add_piece(const PlacedPoint& q, const PlacedPoint& x, const PlacedPoint& y, int weight, FaceArea& face);
  void add_face(const FaceArea& face);
  /// Takes off a part of a face. Twice its area is `twice`, off by at most `error`, in units of the extent of the grid.
  void remove_area(double twice, double error);
  void add(const Sum& other);

  bool empty() const { return pieces_ == 0; }
  Interval volume(const Grid& grid) const;
  /// The volume from a sum of q · (X × Y) in units 2^-extra_bits of the grid's.
  Interval fine_volume(const Grid& grid, const exact::BigInt& six, int extra_bits) const;
  Interval area(const Grid& grid) const;
  /// Within the box if the volume may be zero.
  std::array<Interval, 3> centroid(const Grid& grid, const Box& box) const;

 private:
  /// X × Y in units of the extent of the grid.
  Vec3d add(const PlacedPoint& q, const PlacedPoint& x, const PlacedPoint& y, int weight, FaceArea* face);
  exact::BigInt volume_error() const;

  exact::WideInt<4> six_volume_ = exact::WideInt<4>::zero();
  std::array<exact::Int128, 3> moment_{};  // 24 times, in 2^-90
  exact::Int128 area_ = 0;                 // twice, in 2^-90
  exact::Uint128 products_ = 0;            // Σ |weight| |X| |Y| / 2^60, rounded up
  exact::Uint128 off_products_ = 0;        // Σ e |weight| |X| |Y| / 2^60, rounded up
  exact::Uint128 off_lengths_ = 0;         // Σ e |weight| (|X| + |Y| + 16)
  exact::Uint128 removed_error_ = 0;       // of twice the areas that were taken off, in 2^-90, rounded up
  std::uint64_t pieces_ = 0;               // by weight
};

/// The integer as an interval of doubles: x · 2^unit / divisor.
Interval enclose(const exact::BigInt& low, const exact::BigInt& high, const exact::BigInt& divisor, int unit);

}  // namespace sightline::measure
