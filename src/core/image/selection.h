// The triangles that go on to binning.
#pragma once

#include <algorithm>
#include <vector>

#include "image/interest.h"
#include "input/watch.h"

namespace sightline {

/// A contiguous run of one object's triangles.
struct Run {
  const TriangleTable::Object* object;
  std::uint32_t first, last;
};

/// Calls visit(piece) for pieces of a run that are short enough to poll a cancel between them. Pieces are whole blocks
/// of triangles (cull/cell_depth.h). Ends early if the query is cancelled.
template <typename Visit>
void in_pieces(const Run& run, Watch& watch, const Visit& visit) {
  constexpr std::uint32_t kPiece = 1 << 16;
  for (std::uint32_t first = run.first; first < run.last && !watch.stop();) {
    const std::uint32_t last = first + std::min(kPiece, run.last - first);
    visit(Run{run.object, first, last});
    first = last;
  }
}

/// For each of a few parts, worked on by one thread each: runs in ascending order, so that the parts one after the
/// other are in the order of the triangles. A triangle outside its object's interest is skipped.
struct Selection {
  std::vector<Interest> interests;  ///< per object of the table
  std::vector<std::vector<Run>> runs;
};

/// All triangles, in parts of nearly equal length, with the object cull as interest. The vertices have been placed.
Selection select_triangles(const TriangleTable& table, const Bins& bins, Workers& workers);

/// The same triangles, again in parts of nearly equal length.
void rebalance(Selection& selection);

}  // namespace sightline
