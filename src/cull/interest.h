// Object cull: what lies outside every other object's box cannot meet another object.
#pragma once

#include <vector>

#include "image/bin.h"

namespace sightline {

/// For each object of the table, the box (in cells) around the overlaps of its own box with those of the others; empty
/// if there are none.
std::vector<Interest> regions_of_interest(const TriangleTable& table, const Bins& bins, const Frame& frame);

}  // namespace sightline
