// The image: an orthographic projection along one axis onto a grid of columns, with depth in slabs, and coarser levels
// of the same columns for large triangles. The rules, and why nothing is lost, are in rules/.
#pragma once

#include <cstdint>

#include "input/settings.h"
#include "input/triangle_table.h"
#include "rules/cells.h"
#include "rules/levels.h"

namespace sightline {

class Watch;
class Workers;

struct Frame {
  int axis[3] = {0, 1, 2};           ///< u, v across the image, w in depth
  double origin[3] = {};             ///< per axis u, v, w: where the grid begins
  double low[3] = {}, high[3] = {};  ///< bounds of everything; cells at the border hold what lies beyond the grid
  double cells_per_unit[3] = {1, 1, 1};
  std::int32_t size[3] = {1, 1, 1};  ///< columns across and down, slabs in depth
  double extent = 0;                 ///< of a typical triangle
  rules::Levels levels;

  std::int32_t cell(int k, double coordinate) const {
    return rules::cell_of(coordinate, origin[k], cells_per_unit[k], size[k] - 1);
  }
};

/// Largest size on an axis: cell coordinates are signed 16-bit, depth spans 14-bit (image/bin.h).
inline constexpr std::int32_t kMaxCells = 32767;
inline constexpr std::int32_t kMaxSlabs = 16383;

/// Bounds of everything, the extent of a typical triangle of a sample, and from these the grid. Whatever is chosen here
/// changes the time of a query and never its answer.
Frame make_frame(const TriangleTable& table, const Settings& options, Workers& workers, Watch& watch);

}  // namespace sightline
