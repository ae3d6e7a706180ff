// The cell map: from a coordinate to a cell of the image, alike on every device.
//
//   place = (x - origin) · cells        cell = place truncated and clamped to 0 … last
//
// Each step is monotone in floating point: if x ≤ y before a step, then also after it. The difference may overflow to
// an infinity, which is clamped like any other number. Origin and cells are finite and cells are not zero
// (kMostCellsPerUnit, kLeastCellsPerUnit), so no NaN arises from a finite x. Hence:
//
//   M1  x ≤ y implies cell(x) ≤ cell(y).
//   M2  A point of a triangle lies, on each axis, between the least and the greatest corner, so its cell lies between
//       theirs: the triangle's cell box (the cells between) holds the cell of each of its points.
//   M3  If two triangles share a point, both cell boxes hold its cell.
//
// Nothing has to be close to affine and no rounding needs a direction. Origin, cell size, extent and type of the map
// decide how much work there is, never the answer; but one grid is one map: every coordinate of a query goes through
// the same one, in the same type.
#pragma once

#include <cstdint>

#include "rules/host_device.h"

namespace sightline::rules {

/// A product that is rounded by itself, never fused with what follows: places must agree wherever they are computed.
#ifdef __CUDA_ARCH__
SIGHTLINE_HD inline float product(float a, float b) { return __fmul_rn(a, b); }
SIGHTLINE_HD inline double product(double a, double b) { return __dmul_rn(a, b); }
#else
SIGHTLINE_HD inline float product(float a, float b) { return a * b; }
SIGHTLINE_HD inline double product(double a, double b) { return a * b; }
#endif

/// Cells a unit are between these, so that they are neither infinite nor zero in either type.
template <typename T>
inline constexpr T kMostCellsPerUnit = sizeof(T) == sizeof(float) ? T(1e37) : T(1e300);
template <typename T>
inline constexpr T kLeastCellsPerUnit = sizeof(T) == sizeof(float) ? T(0x1p-149) : T(0x1p-1074);

template <typename T>
SIGHTLINE_HD inline T place_of(T x, T origin, T cells_per_unit) {
  return product(x - origin, cells_per_unit);
}

/// `last` is the greatest cell of the axis.
template <typename T>
SIGHTLINE_HD inline std::int32_t cell_at(T place, std::int32_t last) {
  return static_cast<std::int32_t>(place > T(0) ? (place < static_cast<T>(last) ? place : static_cast<T>(last)) : T(0));
}

template <typename T>
SIGHTLINE_HD inline std::int32_t cell_of(T x, T origin, T cells_per_unit, std::int32_t last) {
  return cell_at(place_of(x, origin, cells_per_unit), last);
}

}  // namespace sightline::rules
