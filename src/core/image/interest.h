// Object cull: a triangle that lies outside every other object's box cannot meet another object.
#pragma once

#include <vector>

#include "image/bin.h"

namespace sightline {

/// Where an object overlaps the boxes of others: a triangle outside all of `boxes` meets no other object. Objects that
/// are checked against themselves are of interest everywhere.
struct Interest {
  bool everywhere = true;
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
