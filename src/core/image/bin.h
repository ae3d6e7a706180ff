// Binning: every triangle into the columns of its cell box, on the level on which it lives, with its depth interval.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/buffer.h"
#include "image/frame.h"

namespace sightline {

class Watch;

/// A box of cells, by axes u, v, w; the fourth lane is always 0.
struct CellBox {
  using Lanes = std::int16_t __attribute__((vector_size(8)));
  Lanes low, high;
  static Lanes min(Lanes a, Lanes b) { return a < b ? a : b; }
  static Lanes max(Lanes a, Lanes b) { return a > b ? a : b; }
  void add(const CellBox& box) {
    low = min(low, box.low);
    high = max(high, box.high);
  }
  bool overlaps(Lanes other_low, Lanes other_high) const {
    const Lanes apart = (low > other_high) | (other_low > high);
    std::uint64_t bits;
    std::memcpy(&bits, &apart, sizeof bits);
    return (bits & 0xFFFFFFFFFFFFu) == 0;
  }
};

inline CellBox::Lanes load_cell(const std::uint64_t* cells, std::uint32_t vertex) {
  CellBox::Lanes lanes;
  std::memcpy(&lanes, cells + vertex, sizeof lanes);
  return lanes;
}

/// The cell box of a triangle; `cells` are its object's (Bins::vertex_cells).
inline CellBox cell_box(const std::uint64_t* cells, const Triangle& t) {
  const CellBox::Lanes a = load_cell(cells, t[0]), b = load_cell(cells, t[1]), c = load_cell(cells, t[2]);
  return {CellBox::min(CellBox::min(a, b), c), CellBox::max(CellBox::max(a, b), c)};
}

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
  Buffer<std::uint32_t> counts;
};

/// Assigns each vertex to its cell.
void place_vertices(const TriangleTable& table, const Frame& frame, Workers& workers, Watch& watch, Bins& bins);

/// Enters the selected triangles into columns; their vertices have been placed.
struct Selection;
void bin_triangles(const TriangleTable& table, const Frame& frame, const Selection& selection, Workers& workers,
                   Watch& watch, Bins& bins);

}  // namespace sightline
