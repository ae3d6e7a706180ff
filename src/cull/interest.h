// Object cull: what lies outside every other object's box cannot meet another object.
#pragma once

#include <vector>

#include "image/bin.h"

namespace sightline {

/// A box of cells, by axes u, v, w; the fourth lane is always 0.
struct CellBox {
  using Lanes = std::int16_t __attribute__((vector_size(8)));
  Lanes low, high;
  void add(const CellBox& box) {
    low = low < box.low ? low : box.low;
    high = high > box.high ? high : box.high;
  }
  bool overlaps(Lanes other_low, Lanes other_high) const {
    const Lanes apart = (low > other_high) | (other_low > high);
    std::uint64_t bits;
    __builtin_memcpy(&bits, &apart, sizeof bits);
    return (bits & 0xFFFFFFFFFFFFu) == 0;
  }
};

/// Where an object overlaps the boxes of others: a triangle outside all of `boxes` meets no other object. Objects that
/// are checked against themselves are of interest everywhere.
struct Interest {
  bool everywhere = true;
  bool merged = false;  ///< one box stands for too many
  std::vector<CellBox> boxes;

  bool holds(CellBox::Lanes low, CellBox::Lanes high) const {
    if (everywhere) return true;
    for (const CellBox& box : boxes)
      if (box.overlaps(low, high)) return true;
    return false;
  }
};

std::vector<Interest> regions_of_interest(const TriangleTable& table, const Bins& bins, Workers& workers);

}  // namespace sightline
