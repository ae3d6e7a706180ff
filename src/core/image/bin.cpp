#include "image/bin.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/format.h"
#include "base/parallel.h"
#include "image/selection.h"
#include "input/watch.h"

namespace sightline {
namespace {

/// Frame::cell in float, all axes at once: another map, as monotone as that in double.
struct FloatFrame {
  using Float4 = float __attribute__((vector_size(16)));
  using Int4 = std::int32_t __attribute__((vector_size(16)));
  using Short4 = std::int16_t __attribute__((vector_size(8)));
  Float4 origin{}, cells_per_unit{}, last{};
  int axis[3];
  bool usable;

  /// Not usable where cells a unit leave the range of float, or where not all positions are float32: every vertex of a
  /// query must be placed by the same map.
  FloatFrame(const Frame& frame, bool all_f32) : usable(all_f32) {
    for (int k = 0; k < 3; ++k) {
      usable = usable && frame.cells_per_unit[k] < 1e37 && frame.cells_per_unit[k] > 1e-37;
      axis[k] = frame.axis[k];
      origin[k] = static_cast<float>(frame.origin[k]);  // a coordinate, or one less a margin
      cells_per_unit[k] = usable ? static_cast<float>(frame.cells_per_unit[k]) : 1;
      last[k] = static_cast<float>(frame.size[k] - 1);
    }
  }
  std::uint64_t cell(const Vec3f& p) const {
    const Float4 point = {p[axis[0]], p[axis[1]], p[axis[2]], 0};
    Float4 c = (point - origin) * cells_per_unit;
    c = c > 0 ? c : Float4{};
    c = c < last ? c : last;
    const Short4 lanes = __builtin_convertvector(__builtin_convertvector(c, Int4), Short4);
    std::uint64_t packed;
    std::memcpy(&packed, &lanes, sizeof packed);
    return packed;
  }
};

}  // namespace

void place_vertices(const TriangleTable& table, const Frame& frame, Workers& workers, Watch& watch, Bins& bins) {
  const FloatFrame by_float(frame, table.all_f32);
  bins.vertex_cells.resize(table.vertex_count);
  const std::vector<TriangleTable::Run> pieces = table.vertex_pieces(1 << 14);
  workers.for_each(pieces.size(), [&](std::size_t i) {
    if (watch.stop()) return;
    const auto& [object, first, last] = pieces[i];
    std::uint64_t* out = bins.vertex_cells.data() + object->first_vertex;
    object->with_positions([&, first = first, last = last](const auto& at) {
      using Point = std::remove_cvref_t<decltype(at(first))>;
      if constexpr (std::is_same_v<Point, Vec3f>)
        if (by_float.usable) {
          for (std::uint32_t v = first; v < last; ++v) out[v] = by_float.cell(at(v));
          return;
        }
      for (std::uint32_t v = first; v < last; ++v) {
        const Point& p = at(v);
        std::uint64_t packed = 0;
        for (int k = 0; k < 3; ++k) packed |= static_cast<std::uint64_t>(frame.cell(k, p[frame.axis[k]])) << (16 * k);
        out[v] = packed;
      }
    });
  });
}

void bin_triangles(const TriangleTable& table, const Frame& frame, const Selection& selection, Workers& workers,
                   Watch& watch, Bins& bins) {
  // One histogram for each of a few parts, so that the order in a column is the order of the triangles.
  const std::size_t columns = frame.levels.columns();
  const std::vector<std::vector<Run>>& runs = selection.runs;
  const std::size_t parts = runs.size();
  const auto each = [&](std::size_t part, const auto& emit) {
    for (const Run& run : runs[part])
      in_pieces(run, watch, [&](const Run& piece) { rasterize(table, frame, bins, selection.interests, piece, emit); });
  };
  std::uint32_t* counts = bins.counts.resize(parts * columns);
  workers.for_each(parts, [&](std::size_t part) {
    std::uint32_t* count = counts + part * columns;
    std::fill_n(count, columns, 0);
    each(part, [count](std::size_t column, const Entry&, const CellBox&) { ++count[column]; });
  });

  // Where each part starts in each column: sums of blocks of columns, then within the blocks.
  bins.column_begin.resize(columns + 1);
  constexpr std::size_t kBlock = 1 << 13;
  std::vector<std::uint64_t> sums(columns / kBlock + 1, 0);
  workers.for_blocks(columns, kBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t part = 0; part < parts; ++part)
      for (std::size_t column = first; column < last; ++column) sums[first / kBlock] += counts[part * columns + column];
  });
  std::uint64_t total = 0;
  for (std::uint64_t& sum : sums) total += std::exchange(sum, total);
  workers.for_blocks(columns, kBlock, [&](std::size_t first, std::size_t last) {
    std::uint64_t at = sums[first / kBlock];
    for (std::size_t column = first; column < last; ++column) {
      bins.column_begin[column] = at;
      for (std::size_t part = 0; part < parts; ++part)
        at += std::exchange(counts[part * columns + column], static_cast<std::uint32_t>(at));
    }
  });
  bins.column_begin[columns] = total;
  if (watch.stop()) return;

  if (total > 0xFFFFFFFFu)
    throw Error(
        formatted("image: {} entries; at most {} can be numbered. Larger cells make fewer.", total, 0xFFFFFFFFu));
  Entry* entries = bins.entries.resize(total);
  const std::uint64_t first_large = bins.first_large = bins.column_begin[frame.levels.first[1]];
  CellBox* large = bins.large_boxes.resize(total - first_large);
  workers.for_each(parts, [&](std::size_t part) {
    std::uint32_t* next = counts + part * columns;
    each(part, [=](std::size_t column, const Entry& entry, const CellBox& box) {
      const std::uint32_t at = next[column]++;
      entries[at] = entry;
      if (at >= first_large) large[at - first_large] = box;
    });
  });
}

}  // namespace sightline
