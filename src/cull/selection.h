// The triangles that go on to binning.
#pragma once

#include <vector>

#include "cull/interest.h"

namespace sightline {

/// A contiguous run of one object's triangles.
struct Run {
  const TriangleTable::Object* object;
  std::uint32_t first, last;
};

/// For each of a few parts, worked on by one thread each: runs in ascending order, so that the parts one after the
/// other are in the order of the triangles. A triangle outside its object's interest is passed over.
struct Selection {
  std::vector<Interest> interests;  ///< per object of the table
  std::vector<std::vector<Run>> runs;
};

/// All triangles, in parts of nearly equal length, with the object cull as interest. The vertices have been placed.
Selection select_triangles(const TriangleTable& table, const Bins& bins, Workers& workers);

/// The same triangles, again in parts of nearly equal length.
void rebalance(Selection& selection);

}  // namespace sightline
