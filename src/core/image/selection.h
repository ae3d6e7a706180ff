// The triangles that go on to binning, and the columns in which they are entered.
#pragma once

#include <algorithm>
#include <vector>

#include "image/bin.h"
#include "input/watch.h"

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

using Run = TriangleTable::Run;

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

/// All triangles, in parts of nearly equal length. Their interest is the object cull: a triangle that lies outside
/// every other object's box cannot meet another object. The vertices have been placed.
Selection select_triangles(const TriangleTable& table, const Bins& bins, Workers& workers);

/// The same triangles, again in parts of nearly equal length.
void rebalance(Selection& selection);

/// The one place that decides which columns a triangle is entered in, for binning and for culling.
/// Calls emit(column, entry, cell box) for each column in which each triangle of the run is entered.
template <typename Emit>
void rasterize(const TriangleTable& table, const Frame& frame, const Bins& bins, const std::vector<Interest>& interests,
               const Run& run, const Emit& emit) {
  const TriangleTable::Object& object = *run.object;
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  const Interest& interest = interests[&object - table.objects.data()];
  for (std::uint32_t i = run.first; i < run.last; ++i) {
    const CellBox box = cell_box(cells, object.vertices(i));
    if (!interest.holds(box.low, box.high)) continue;
    int low[2] = {box.low[0], box.low[1]}, high[2] = {box.high[0], box.high[1]};
    const std::uint32_t id = object.first_triangle + i;
    const auto slab = static_cast<std::uint16_t>(box.low[2]),
               span = static_cast<std::uint16_t>(box.high[2] - box.low[2]);
    if (low[0] == high[0] && low[1] == high[1]) {
      emit(frame.levels.column(0, low[0], low[1]), Entry{id, slab, static_cast<std::uint16_t>(span | 0xC000)}, box);
      continue;
    }
    int level = 0;
    if ((high[0] - low[0] + 1) * (high[1] - low[1] + 1) > rules::kMostLevelColumns) {
      level = rules::level_for(low[0], high[0], low[1], high[1]);
      for (int k = 0; k < 2; ++k) low[k] >>= rules::kLevelShift * level, high[k] >>= rules::kLevelShift * level;
    }
    for (int v = low[1]; v <= high[1]; ++v)
      for (int u = low[0]; u <= high[0]; ++u) {
        const int flags = (u == low[0] ? 0x4000 : 0) | (v == low[1] ? 0x8000 : 0);
        emit(frame.levels.column(level, u, v), Entry{id, slab, static_cast<std::uint16_t>(span | flags)}, box);
      }
  }
}

}  // namespace sightline
