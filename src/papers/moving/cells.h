// Cells over the box of a body, each with a bit that is set if a face may reach into it. Host and device code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rules/host_device.h"
#include "sightline/mesh.h"

namespace sightline::papers::moving {

/// The cells: `kAcross` along each axis, relative to the centre of the box, in the body's own coordinates. The map from
/// coordinates to cells is monotonic, rounding included. So intervals with a common point have a common cell.
class CellMap {
 public:
  static constexpr int kAcross = 32;  ///< row y + 32 z is a word with a bit for each x
  static constexpr std::size_t kRows = std::size_t{kAcross} * kAcross;

  CellMap() = default;
  /// An axis along which the body has almost no extent gets a larger box.
  explicit CellMap(const Vec3d& half) {
    const double largest = std::max({half[0], half[1], half[2]});
    usable_ = largest > 1e-280 && largest < 1e280;
    for (std::size_t k = 0; k < 3 && usable_; ++k) scale_[k] = kAcross / 2 / std::max(half[k], 1e-6 * largest);
  }
  bool usable() const { return usable_; }
  double scale(std::size_t axis) const { return scale_[axis]; }

  int cell(std::size_t axis, double x) const { return cell(x * scale_[axis] + kAcross / 2); }
  /// Of a coordinate in cells from the least corner of the box.
  template <typename T>
  SIGHTLINE_HD static int cell(T x) {
    return x > 0 ? (x < kAcross - 1 ? static_cast<int>(x) : kAcross - 1) : 0;
  }
  /// The bits of the cells from `first` to `last` in a row.
  SIGHTLINE_HD static std::uint32_t bits(int first, int last) { return (~0u << first) & (~0u >> (kAcross - 1 - last)); }

 private:
  Vec3d scale_ = {0, 0, 0};
  bool usable_ = false;
};

}  // namespace sightline::papers::moving
