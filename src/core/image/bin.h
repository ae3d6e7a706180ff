// Binning: every triangle into the columns of its cell box, on the level on which it lives, with its depth interval.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "image/cell_box.h"
#include "image/frame.h"

namespace sightline {

class Watch;

/// A triangle in one column of its level.
struct Entry {
  std::uint32_t triangle;
  std::uint16_t slab;    ///< nearest depth slab
  std::uint16_t packed;  ///< bits 0 to 13: slabs beyond the nearest; 14: its least u cell; 15: its least v cell
  int span() const { return packed & 0x3FFF; }
  /// Claims (rules/report.h) on u and v.
  std::uint32_t least() const { return packed >> 14; }
};
static_assert(sizeof(Entry) == 8);

struct Bins {
  Buffer<Entry> entries;
  /// Per column of all levels (rules::Levels) and one more: offsets into entries.
  std::vector<std::uint64_t> column_begin;
  /// Of the entries above level 0, in their order: the cells of level 0 that the whole triangle covers.
  Buffer<CellBox> large_boxes;
  std::uint64_t first_large = 0;  ///< entry

  // Scratch kept between frames.
  Buffer<std::uint64_t> vertex_cells;  ///< u, v, w as 16-bit lanes
  std::vector<std::uint32_t> counts;
};

/// Assigns each vertex to its cell.
void place_vertices(const TriangleTable& table, const Frame& frame, Workers& workers, Watch& watch, Bins& bins);

/// Enters the selected triangles into columns; their vertices have been placed.
struct Selection;
void bin_triangles(const TriangleTable& table, const Frame& frame, const Selection& selection, Workers& workers,
                   Watch& watch, Bins& bins);

}  // namespace sightline
