// Count, scan, fill: chunks of the recorded triangles in parallel, each with its own counters, so that every tile's
// list is in the order of the calls.
#include "raster/cpu/bin.h"

#include <algorithm>

namespace sightline::papers::raster::cpu {
namespace {

/// False if the part certainly covers no pixel of the tile.
bool may_cover(const Part& part, int column, int row) {
  for (int i = 0; i < 3; ++i) {
    const double x = column * kTile + (part.dx[i] > 0 ? kTile - 1 : 0);
    const double y = row * kTile + (part.dy[i] > 0 ? kTile - 1 : 0);
    if (part.edge[i] + part.dx[i] * x + part.dy[i] * y < 0) return false;
  }
  return true;
}

/// Calls visit(tile) for the tiles of a part.
template <typename Visit>
void for_each_tile(const Part& part, const PartBox& box, bool thin, const Grid& grid, const Visit& visit) {
  if (box.x0 >= box.x1 || box.y0 >= box.y1) return;
  const int c0 = box.x0 / kTile, c1 = (box.x1 - 1) / kTile, r0 = box.y0 / kTile, r1 = (box.y1 - 1) / kTile;
  const bool test = !thin && c1 > c0 && r1 > r0;
  for (int row = r0; row <= r1; ++row)
    for (int column = c0; column <= c1; ++column)
      if (!test || may_cover(part, column, row)) visit(grid.tile(column, row));
}

/// Calls visit(tile, entry) for recorded triangles first … last - 1.
template <typename Visit>
void for_each_entry(const Calls& calls, const Parts& parts, const Grid& grid, std::size_t first, std::size_t last,
                    const Visit& visit) {
  const PartBox* boxes = parts.boxes();
  if (first == last) return;
  std::size_t op = calls.op_of(first);
  for (std::size_t i = first; i < last; ++i) {
    while (i >= std::size_t{calls.ops[op].first} + calls.ops[op].count) ++op;
    const Op& o = calls.ops[op];
    const Plan& plan = calls.plans[o.plan];
    const bool line = o.lines != kNone;
    const Cull cull = line ? Cull::none : plan.state.cull;
    const std::uint32_t begin = line ? calls.line_parts[o.lines + (i - o.first)] : parts.first(calls.triangles[i]);
    if (begin == kNone) continue;
    const auto list = [&](Half half) {
      for (std::uint32_t at = begin; at != kNone; at = boxes[at].next) {
        if (culled(cull, boxes[at].facing)) continue;
        for_each_tile(parts.parts()[at], boxes[at], line, grid, [&](std::size_t tile) {
          visit(tile, Entry{static_cast<std::uint32_t>(op), at, static_cast<std::uint32_t>(half)});
        });
      }
    };
    if (plan.kind == Kind::fused && boxes[begin].next != kNone) {
      list(Half::first);
      list(Half::second);
    } else {
      list(Half::both);
    }
  }
}

}  // namespace

bool Bins::fill(Workers& workers, const Calls& calls, const Parts& parts, const Grid& grid, std::size_t first,
                std::size_t last) {
  const std::size_t items = last - first, tiles = grid.size();
  constexpr std::size_t kLeast = 2048, kMostEntries = std::size_t{1} << 24;
  // Each chunk has a counter for each tile, and all of them are added up by one thread.
  constexpr std::size_t kMostCounts = std::size_t{1} << 19;
  const std::size_t most = std::clamp<std::size_t>(kMostCounts / tiles, 1, std::size_t{4} * workers.count());
  const std::size_t chunks = std::clamp<std::size_t>(items / kLeast, 1, most);
  counts_.assign(chunks * tiles, 0);
  const auto chunk = [&](std::size_t c, const auto& visit) {
    for_each_entry(calls, parts, grid, first + items * c / chunks, first + items * (c + 1) / chunks, visit);
  };
  workers.for_each(chunks, [&](std::size_t c) {
    std::uint32_t* counts = counts_.data() + c * tiles;
    chunk(c, [&](std::size_t tile, const Entry&) { ++counts[tile]; });
  });
  std::size_t entries = 0;
  for (const std::uint32_t count : counts_) entries += count;
  if (entries > kMostEntries && items > 1) return false;
  start_.resize(tiles + 1);
  std::uint32_t sum = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    start_[tile] = sum;
    for (std::size_t c = 0; c < chunks; ++c) {
      const std::uint32_t count = counts_[c * tiles + tile];
      counts_[c * tiles + tile] = sum;
      sum += count;
    }
  }
  start_[tiles] = sum;
  entries_.resize(sum);
  workers.for_each(chunks, [&](std::size_t c) {
    std::uint32_t* next = counts_.data() + c * tiles;
    chunk(c, [&](std::size_t tile, const Entry& entry) { entries_[next[tile]++] = entry; });
  });
  return true;
}

}  // namespace sightline::papers::raster::cpu
