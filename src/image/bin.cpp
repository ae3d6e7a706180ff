#include "image/bin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "cull/interest.h"
#include "image/clip.h"
#include "parallel.h"

namespace sightline {
namespace {

using Lanes = CellBox::Lanes;

Lanes load_cell(const std::uint64_t* cells, std::uint32_t vertex) {
  Lanes lanes;
  std::memcpy(&lanes, cells + vertex, sizeof lanes);
  return lanes;
}
Lanes min_lanes(Lanes a, Lanes b) { return a < b ? a : b; }
Lanes max_lanes(Lanes a, Lanes b) { return a > b ? a : b; }

/// A contiguous run of one object's triangles.
struct Run {
  const TriangleTable::Object* object;
  std::uint32_t first, last;
};

/// The triangles cut into `parts` runs of nearly equal length, each within objects: the same for count and scatter.
std::vector<std::vector<Run>> cut_runs(const TriangleTable& table, std::size_t parts) {
  std::vector<std::vector<Run>> runs(parts);
  const std::uint64_t total = table.triangle_count;
  for (const auto& object : table.objects) {
    std::uint64_t at = object.first_triangle;
    const std::uint64_t end = at + object.triangle_count;
    while (at < end) {
      std::size_t part = static_cast<std::size_t>(at * parts / total);
      std::uint64_t stop = std::min(end, (total * (part + 1) + parts - 1) / parts);
      if (stop <= at) stop = at + 1;
      runs[part].push_back({&object, static_cast<std::uint32_t>(at - object.first_triangle),
                            static_cast<std::uint32_t>(stop - object.first_triangle)});
      at = stop;
    }
  }
  return runs;
}

/// Frame::cell in float, all axes at once; as monotone as in double, and off by less than 3 · 2^-24 · 2^15 cells, a
/// third of the margin of clipped triangles (image/clip.h).
struct FloatFrame {
  using Float4 = float __attribute__((vector_size(16)));
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  using Short4 = std::int16_t __attribute__((vector_size(8)));
  Float4 prescale, origin{}, cells_per_unit{}, last{};
  int axis[3];
  bool usable;

  /// Not usable where a constant leaves the range of float, or where not all positions are float32: every vertex of a
  /// query must be placed by the same function.
  FloatFrame(const Frame& frame, bool all_f32) {
    usable = all_f32 && frame.prescale > 0x1p-100 && frame.prescale < 0x1p100;
    const auto scale = static_cast<float>(usable ? frame.prescale : 1);
    prescale = Float4{scale, scale, scale, 0};
    for (int k = 0; k < 3; ++k) {
      axis[k] = frame.axis[k];
      origin[k] = static_cast<float>(frame.origin[k]);
      cells_per_unit[k] = static_cast<float>(frame.cells_per_unit[k]);
      last[k] = static_cast<float>(frame.size[k] - 1);
    }
  }
  std::uint64_t cell(const Vec3f& p) const {
    const Float4 point = {p[axis[0]], p[axis[1]], p[axis[2]], 0};
    Float4 c = (point * prescale - origin) * cells_per_unit;
    c = c > 0 ? c : Float4{};
    c = c < last ? c : last;
    const Short4 lanes = __builtin_convertvector(__builtin_convertvector(c, Int4), Short4);
    std::uint64_t packed;
    std::memcpy(&packed, &lanes, sizeof packed);
    return packed;
  }
};

void place_vertices(const TriangleTable& table, const Frame& frame, Workers& workers, Bins& bins) {
  const FloatFrame by_float(frame, table.all_f32);
  bins.vertex_cells.resize(table.vertex_count);
  const std::vector<TriangleTable::VertexPiece> pieces = table.vertex_pieces(1 << 14);
  workers.for_each(pieces.size(), [&](std::size_t i) {
    const auto& [object, first, last] = pieces[i];
    std::uint64_t* out = bins.vertex_cells.data() + object->first_vertex;
    if (object->f32 != nullptr && by_float.usable) {
      for (std::uint32_t v = first; v < last; ++v) out[v] = by_float.cell(object->f32[v]);
      return;
    }
    for (std::uint32_t v = first; v < last; ++v) {
      const Vec3d p = object->position(v);
      std::uint64_t packed = 0;
      for (int k = 0; k < 3; ++k) packed |= static_cast<std::uint64_t>(frame.cell(k, p[frame.axis[k]])) << (16 * k);
      out[v] = packed;
    }
  });
}

/// Calls emit(column, entry) for each column that each triangle of the run covers.
template <typename Emit>
std::uint64_t rasterize(const TriangleTable& table, const Frame& frame, const Bins& bins,
                        const std::vector<Interest>& interests, const Run& run, const Emit& emit) {
  const TriangleTable::Object& object = *run.object;
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  const Interest& interest = interests[&object - table.objects.data()];
  const auto of_interest = [&interest](Lanes low, Lanes high) {
    for (const CellBox& box : interest.boxes)
      if (box.overlaps(low, high)) return true;
    return interest.everywhere;
  };
  std::uint64_t clipped = 0;
  for (std::uint32_t i = run.first; i < run.last; ++i) {
    const Triangle& t = object.triangles[i];
    const Lanes a = load_cell(cells, t[0]), b = load_cell(cells, t[1]), c = load_cell(cells, t[2]);
    const Lanes least = min_lanes(min_lanes(a, b), c), most = max_lanes(max_lanes(a, b), c);
    if (!interest.everywhere && !of_interest(least, most)) continue;
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

}  // namespace

void bin_triangles(const TriangleTable& table, const Frame& frame, Workers& workers, Bins& bins) {
  place_vertices(table, frame, workers, bins);
  const std::vector<Interest> interests = regions_of_interest(table, bins, workers);

  // One histogram for each of a few parts, so that the order in a column is the order of the triangles.
  const std::size_t columns = frame.columns();
  const std::size_t parts = std::clamp<std::size_t>(workers.count(), 1, 16);
  const std::vector<std::vector<Run>> runs = cut_runs(table, parts);
  bins.counts.assign(parts * columns, 0);
  std::vector<std::uint64_t> clipped(parts, 0);
  workers.for_each(parts, [&](std::size_t part) {
    std::uint32_t* count = bins.counts.data() + part * columns;
    for (const Run& run : runs[part])
      clipped[part] +=
          rasterize(table, frame, bins, interests, run, [count](std::size_t column, const Entry&) { ++count[column]; });
  });
  bins.clipped = std::accumulate(clipped.begin(), clipped.end(), std::uint64_t{0});

  bins.column_begin.resize(columns + 1);
  std::uint64_t total = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    bins.column_begin[column] = total;
    // Where each part starts.
    for (std::size_t part = 0; part < parts; ++part)
      total += std::exchange(bins.counts[part * columns + column], static_cast<std::uint32_t>(total));
  }
  bins.column_begin[columns] = total;

  if (total > 0xFFFFFFFFu)
    throw Error(
        fmt::format("image: {} entries; at most {} can be numbered. Larger cells make fewer.", total, 0xFFFFFFFFu));
  Entry* entries = bins.entries.resize(total);
  workers.for_each(parts, [&](std::size_t part) {
    std::uint32_t* next = bins.counts.data() + part * columns;
    for (const Run& run : runs[part])
      rasterize(table, frame, bins, interests, run,
                [entries, next](std::size_t column, const Entry& entry) { entries[next[column]++] = entry; });
  });
}

}  // namespace sightline
