// Which cells a triangle covers: the one place that says so, for binning and for culling.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "cull/selection.h"
#include "image/bin.h"
#include "image/clip.h"

namespace sightline {

inline CellBox::Lanes load_cell(const std::uint64_t* cells, std::uint32_t vertex) {
  CellBox::Lanes lanes;
  std::memcpy(&lanes, cells + vertex, sizeof lanes);
  return lanes;
}

/// The cell box of a triangle; `cells` are its object's.
inline CellBox cell_box(const std::uint64_t* cells, const Triangle& t) {
  const auto min = [](CellBox::Lanes a, CellBox::Lanes b) { return a < b ? a : b; };
  const auto max = [](CellBox::Lanes a, CellBox::Lanes b) { return a > b ? a : b; };
  const CellBox::Lanes a = load_cell(cells, t[0]), b = load_cell(cells, t[1]), c = load_cell(cells, t[2]);
  return {min(min(a, b), c), max(max(a, b), c)};
}

/// Calls emit(column, entry) for each column that each triangle of the run covers.
template <typename Emit>
std::uint64_t rasterize(const TriangleTable& table, const Frame& frame, const Bins& bins,
                        const std::vector<Interest>& interests, const Run& run, const Emit& emit) {
  const TriangleTable::Object& object = *run.object;
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  const Interest& interest = interests[&object - table.objects.data()];
  std::uint64_t clipped = 0;
  for (std::uint32_t i = run.first; i < run.last; ++i) {
    const Triangle& t = object.triangles[i];
    const auto [least, most] = cell_box(cells, t);
    if (!interest.holds(least, most)) continue;
    const int low[3] = {least[0], least[1], least[2]}, high[3] = {most[0], most[1], most[2]};
    const std::uint32_t id = object.first_triangle + i;
    const int across = high[0] - low[0] + 1, down = high[1] - low[1] + 1;
    constexpr int kMostBoxCells = 16;
    const auto slab = static_cast<std::uint16_t>(low[2]), span = static_cast<std::uint16_t>(high[2] - low[2]);
    const std::size_t corner = static_cast<std::size_t>(low[1]) * frame.size[0] + low[0];
    if (across * down == 1) {
      emit(corner, Entry{id, slab, static_cast<std::uint16_t>(span | 0xC000)});
      continue;
    }
    if (across * down <= kMostBoxCells) {
      for (int v = low[1]; v <= high[1]; ++v)
        for (int u = low[0]; u <= high[0]; ++u) {
          const int flags = (u == low[0] ? 0x4000 : 0) | (v == low[1] ? 0x8000 : 0);
          emit(corner + static_cast<std::size_t>(v - low[1]) * frame.size[0] + (u - low[0]),
               Entry{id, slab, static_cast<std::uint16_t>(span | flags)});
        }
      continue;
    }
    ++clipped;
    PlacedTriangle placed;
    for (int i = 0; i < 3; ++i) {
      const Vec3d p = object.position(t[i]);
      for (int k = 0; k < 3; ++k) placed.corner[i][k] = frame.place(k, p[frame.axis[k]]);
    }
    cover_cells(placed, frame.size, [&](std::int32_t u, std::int32_t v, std::int32_t near, std::int32_t far) {
      // The box of the corners bounds the clipped polygon too, and more tightly than its margins.
      if (u < low[0] || u > high[0] || v < low[1] || v > high[1]) return;
      near = std::max<std::int32_t>(near, low[2]);
      far = std::min<std::int32_t>(far, high[2]);
      if (near > far) return;
      emit(static_cast<std::size_t>(v) * frame.size[0] + u,
           Entry{id, static_cast<std::uint16_t>(near), static_cast<std::uint16_t>((far - near) | 0xC000)});
    });
  }
  return clipped;
}

}  // namespace sightline
