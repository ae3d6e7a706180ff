// Boxes of cells: of a triangle, a block, an object.
#pragma once

#include <cstdint>
#include <cstring>

#include "sightline/mesh.h"

namespace sightline {

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

}  // namespace sightline
