// Which tiles a draw touches: lists of parts for each tile, in the order of the calls.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "raster/cpu/parts.h"

namespace sightline::papers::raster::cpu {

struct Grid {
  int columns = 0, rows = 0;
  std::size_t size() const { return tile(0, rows); }
  std::size_t tile(int column, int row) const { return static_cast<std::size_t>(row) * columns + column; }
};

enum class Buffer : std::uint8_t { depth, stencil, color };

struct Clear {
  std::size_t before;  ///< the op that first sees it
  Buffer buffer;
  std::uint32_t depth = 0;
  std::uint8_t stencil = 0;
  Color color = {};
};

/// Recorded calls, in order.
struct Calls {
  std::vector<Plan> plans;
  std::vector<Op> ops;
  std::vector<std::uint32_t> triangles;
  std::vector<std::uint32_t> line_parts;  ///< for ops with lines: the first part of each triangle
  std::vector<Clear> clears;
  bool writes_depth = false;

  bool empty() const { return ops.empty() && clears.empty(); }
  void reset() {
    plans.clear();
    ops.clear();
    triangles.clear();
    line_parts.clear();
    clears.clear();
    writes_depth = false;
  }
  /// The op that draws a recorded triangle.
  std::size_t op_of(std::size_t item) const {
    const auto after =
        std::upper_bound(ops.begin(), ops.end(), item, [](std::size_t at, const Op& op) { return at < op.first; });
    return static_cast<std::size_t>(after - ops.begin()) - 1;
  }
};

class Bins {
 public:
  /// Lists for the recorded triangles first … last - 1. False if they would be too long; one triangle never is.
  bool fill(Workers& workers, const Calls& calls, const Parts& parts, const Grid& grid, std::size_t first,
            std::size_t last);
  std::span<const Entry> of(std::size_t tile) const {
    return {entries_.data() + start_[tile], start_[tile + 1] - start_[tile]};
  }

 private:
  std::vector<std::uint32_t> start_;  ///< per tile, and the end
  std::vector<std::uint32_t> counts_;
  std::vector<Entry> entries_;
};

}  // namespace sightline::papers::raster::cpu
