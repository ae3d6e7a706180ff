#include "image/bin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "cull/selection.h"
#include "image/coverage.h"
#include "parallel.h"

namespace sightline {
namespace {

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

}  // namespace

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

void bin_triangles(const TriangleTable& table, const Frame& frame, const Selection& selection, Workers& workers,
                   Bins& bins) {
  // One histogram for each of a few parts, so that the order in a column is the order of the triangles.
  const std::size_t columns = frame.columns();
  const std::vector<std::vector<Run>>& runs = selection.runs;
  const std::vector<Interest>& interests = selection.interests;
  const std::size_t parts = runs.size();
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
