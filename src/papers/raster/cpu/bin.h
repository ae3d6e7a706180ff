// Which tiles a draw touches: lists of parts for each tile, in the order of the calls.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.h"
#include "raster/cpu/parts.h"

namespace sightline::papers::raster::cpu {

struct Grid {
  int columns = 0, rows = 0;
  std::size_t size() const { return static_cast<std::size_t>(columns) * rows; }
};

/// Recorded draws.
struct Record {
  std::vector<Plan> plans;
  std::vector<Op> ops;
  std::vector<std::uint32_t> triangles;
  std::vector<std::uint32_t> line_parts;  ///< for ops with lines: the first part of each triangle
};

/// The op that draws a recorded triangle.
std::size_t op_of(const Record& record, std::size_t item);

class Bins {
 public:
  /// Lists for the recorded triangles first … last - 1. False if they would be too long; one triangle never is.
  bool fill(Workers& workers, const Record& record, const Parts& parts, const Grid& grid, std::size_t first,
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
