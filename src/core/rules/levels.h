// Large triangles: levels of coarser cells.
//
// A triangle lives on the finest level on which its cell box has few cells. Level 0 is the grid itself. On the CPU the
// cell on level l is the cell of level 0 shifted right by 2 l bits, which is monotone: M1 to M3 (rules/cells.h) hold on
// each level. On the CUDA device each level is a grid of its own, for which they hold as well.
//
//   L1  Each triangle lives on one level, and there is a level on which even the largest one may live: the CPU's last
//       level has few columns in all; on the CUDA device the last level is a list that every triangle is compared with.
//   L2  A pair of two levels is tested on one of the two: the CPU takes the finer one, where the triangle of the
//       coarser level is a guest in every cell of its box on the finer level; the CUDA device takes the coarser one,
//       where the triangle of the finer level is the guest. Either way both have a cell box on one grid, and R1
//       (rules/report.h) names the one cell that reports the pair.
//
// Nothing is clipped, so no arithmetic has to be close to affine, whatever the sizes: a triangle's cell box on a level
// comes from three corners by the monotone map alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightline::rules {

/// A triangle that covers more columns (cells, on the CUDA device) of a level lives on a coarser one.
inline constexpr int kMostLevelColumns = 16;
/// Cells of the next level are this many bits wider.
inline constexpr int kLevelShift = 2;

/// The CPU's levels over an image of columns, as runs of one array of columns: level 0 first, row by row.
struct Levels {
  /// 16384 columns a side, the most that an image has, shrink to 4 x 4 on level 6, where everything fits.
  static constexpr int kMost = 8;
  int count = 1;
  std::int32_t width[kMost] = {1}, height[kMost] = {1};
  std::size_t first[kMost + 1] = {0, 1};

  Levels() = default;
  Levels(std::int32_t across, std::int32_t down) : count(0) {
    first[0] = 0;
    do {
      width[count] = ((across - 1) >> (kLevelShift * count)) + 1;
      height[count] = ((down - 1) >> (kLevelShift * count)) + 1;
      first[count + 1] = first[count] + static_cast<std::size_t>(width[count]) * height[count];
      ++count;
    } while (width[count - 1] * std::int64_t{height[count - 1]} > kMostLevelColumns && count < kMost);
  }

  std::size_t columns() const { return first[count]; }
  std::size_t column(int level, std::int32_t u, std::int32_t v) const {
    return first[level] + static_cast<std::size_t>(v) * width[level] + u;
  }
  /// The level that holds a column.
  int level_of(std::size_t column) const {
    int level = 0;
    while (column >= first[level + 1]) ++level;
    return level;
  }
};

/// The level on which a triangle with these cells of level 0 lives: the finest with few columns. It exists, since the
/// last level has few columns in all.
inline int level_for(std::int32_t u_low, std::int32_t u_high, std::int32_t v_low, std::int32_t v_high) {
  int level = 0;
  while (((u_high >> (kLevelShift * level)) - (u_low >> (kLevelShift * level)) + 1) *
             ((v_high >> (kLevelShift * level)) - (v_low >> (kLevelShift * level)) + 1) >
         kMostLevelColumns)
    ++level;
  return level;
}

}  // namespace sightline::rules
