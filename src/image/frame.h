// The image: an orthographic projection along one axis onto a grid of cells, with depth in slabs.
//
// A position maps to a cell on each axis by operations that are monotone in floating point (multiply by a positive
// power of two, subtract, multiply by a positive number, truncate). So a triangle lies within the cell box of its
// corners, and a common point of two triangles lies in a cell that both boxes hold: nothing else is needed for the
// image to be conservative, and no rounding has to be directed.
#pragma once

#include <cstdint>

#include "scene/triangle_table.h"
#include "sightline/options.h"

namespace sightline {

class Workers;

struct Frame {
  int axis[3] = {0, 1, 2};           ///< u, v across the image, w in depth
  double prescale = 1;               ///< power of two that brings the scene's extent near 1
  double origin[3] = {};             ///< prescaled, per axis u, v, w: where the grid begins
  double low[3] = {}, high[3] = {};  ///< prescaled bounds of everything; cells at the border hold what lies beyond
  double cells_per_unit[3] = {};
  std::int32_t size[3] = {1, 1, 1};  ///< cells across, slabs in depth
  double mean_extent = 0;            ///< of the sampled triangles, prescaled
  std::size_t columns() const { return static_cast<std::size_t>(size[0]) * size[1]; }

  std::int32_t cell(int k, double coordinate) const {
    const double c = (coordinate * prescale - origin[k]) * cells_per_unit[k];
    const std::int32_t last = size[k] - 1;
    return c >= last ? last : c > 0 ? static_cast<std::int32_t>(c) : 0;
  }
  /// The cell coordinate before truncation and clamping; for geometry that keeps a margin (image/clip.h).
  double place(int k, double coordinate) const { return (coordinate * prescale - origin[k]) * cells_per_unit[k]; }
};

/// Largest size on an axis: cell coordinates are signed 16-bit, depth spans 14-bit (image/bin.h).
inline constexpr std::int32_t kMaxCells = 32767;
inline constexpr std::int32_t kMaxSlabs = 16383;

/// Bounds of everything, the mean extent of a sample of the triangles, and from these the grid.
Frame make_frame(const TriangleTable& table, const Options& options, Workers& workers);

}  // namespace sightline
