// Which columns a triangle is entered in: the one place that decides it, for binning and for culling.
#pragma once

#include <vector>

#include "image/selection.h"
#include "image/bin.h"

namespace sightline {

/// Calls emit(column, entry, cell box) for each column in which each triangle of the run is entered.
template <typename Emit>
void rasterize(const TriangleTable& table, const Frame& frame, const Bins& bins, const std::vector<Interest>& interests,
               const Run& run, const Emit& emit) {
  const TriangleTable::Object& object = *run.object;
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  const Interest& interest = interests[&object - table.objects.data()];
  for (std::uint32_t i = run.first; i < run.last; ++i) {
    const CellBox box = cell_box(cells, object.triangles[i]);
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
