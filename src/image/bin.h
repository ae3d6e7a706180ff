// Binning: every triangle into each image cell that it covers, with its depth interval there.
#pragma once

#include <cstdint>
#include <vector>

#include "buffer.h"
#include "image/frame.h"

namespace sightline {

/// A triangle in one column of the image.
struct Entry {
  std::uint32_t triangle;
  std::uint16_t slab;    ///< nearest depth slab
  std::uint16_t packed;  ///< bits 0 to 13: slabs beyond the nearest; 14: its least u cell; 15: its least v cell
  int span() const { return packed & 0x3FFF; }
  /// Bit 0: this is its least u cell; bit 1: its least v cell.
  std::uint32_t least() const { return packed >> 14; }
};
static_assert(sizeof(Entry) == 8);

// A pair is looked at in one column only, the one that holds the larger of the two least cells on either axis: there,
// and only there, on each axis at least one of the two has its least cell. Triangles over many cells are clipped to the
// cells that they really cover; the larger least cell may not be among those, so clipped entries claim every cell as
// their least. Their pairs can be found more than once, and the report removes the repeats.

struct Bins {
  Buffer<Entry> entries;
  std::vector<std::uint64_t> column_begin;  ///< columns + 1 offsets into entries; row by row, u fastest
  std::uint64_t clipped = 0;                ///< triangles that were clipped

  // Scratch kept between frames.
  Buffer<std::uint64_t> vertex_cells;  ///< u, v, w as 16-bit lanes
  std::vector<std::uint32_t> counts;
};

/// Each vertex to its cell.
void place_vertices(const TriangleTable& table, const Frame& frame, Workers& workers, Bins& bins);

/// The selected triangles into columns; their vertices have been placed.
struct Selection;
void bin_triangles(const TriangleTable& table, const Frame& frame, const Selection& selection, Workers& workers,
                   Bins& bins);

}  // namespace sightline
