// Cells over the box of a body, each with a bit that is set if a face may reach into it. Host and device code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rules/host_device.h"
#include "sightline/mesh.h"

namespace sightline::papers::moving {

/// Which cell a coordinate is in: relative to the centre of the box, in the body's own coordinates. The map is
/// monotonic, rounding included. So intervals that have a common point have a common cell.
class CellMap {
 public:
  static constexpr int kAcross = 32;  ///< along each axis; row y + 32 z is a word with a bit for each x
  static constexpr std::size_t kRows = std::size_t{kAcross} * kAcross;

  CellMap() = default;
  explicit CellMap(const Vec3d& half) : half_(half) {
    usable_ = true;
    for (std::size_t k = 0; k < 3; ++k) {
      usable_ = usable_ && half[k] > 1e-290 && half[k] < 1e290;
      scale_[k] = usable_ ? kAcross / 2 / half[k] : 0;
    }
  }
  /// False for a body without an extent along some axis: it has no cells.
  SIGHTLINE_HD bool usable() const { return usable_; }

  SIGHTLINE_HD int cell(std::size_t axis, double x) const {
    const double at = (x + half_[axis]) * scale_[axis];
    return at > 0 ? (at < kAcross - 1 ? static_cast<int>(at) : kAcross - 1) : 0;
  }
  /// The bits of the cells from `first` to `last` in a row.
  SIGHTLINE_HD static std::uint32_t bits(int first, int last) { return (~0u << first) & (~0u >> (kAcross - 1 - last)); }

 private:
  Vec3d half_ = {0, 0, 0}, scale_ = {0, 0, 0};
  bool usable_ = false;
};

}  // namespace sightline::papers::moving
