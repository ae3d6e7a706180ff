// The tile kernel without vectors: for machines without vector units, and as the reference of the vector kernels.
#pragma once

#include <atomic>

#include "raster/cpu/tile.h"

namespace sightline::papers::raster::cpu {

inline void count(const TileJob& job, Query query, std::uint64_t passed) {
  if (query != kNoQuery && passed != 0 && job.queries != nullptr)
    std::atomic_ref<std::uint64_t>(job.queries[query]).fetch_add(passed, std::memory_order_relaxed);
}

/// One fragment of a state; `at` counts within the tile.
inline bool shade_at(const Surface& s, const State& state, const Ends& ends, const Color& color, int at) {
  const auto image = [&](Image i) { return i == kNoImage ? 0 : s.images[i][at]; };
  const Pixel pixel{s.depth + at, s.stencil == nullptr ? nullptr : s.stencil + at,
                    s.color == nullptr ? nullptr : s.color + at, image(state.floor), image(state.ceiling)};
  return shade(state, ends, color, pixel);
}

/// Lines in `image` coverage.
inline std::uint64_t draw_line(const TileJob& job, const Entry& entry) {
  const Op& op = job.ops[entry.op];
  const State& state = job.plans[op.plan].state;
  const Part& part = job.parts[entry.part];
  std::uint64_t fragments = 0, passed = 0;
  for_each_line_pixel(segment(part), job.pixels, [&](std::int32_t x, std::int32_t y, double z) {
    const std::uint32_t key = nearest_key(z, job.target.format);
    ++fragments;
    const int at = (y - job.pixels.y0) * kTile + (x - job.pixels.x0);
    passed += shade_at(job.surface, state, {key, key}, state.color_of(part.triangle), at) ? 1 : 0;
  });
  count(job, op.query, passed);
  return fragments;
}

inline bool inside(const Part& part, int x, int y) {
  for (int i = 0; i < 3; ++i)
    if (part.edge[i] + static_cast<double>(part.dx[i]) * x + static_cast<double>(part.dy[i]) * y < 0) return false;
  return true;
}

/// A filled part with one state; the query may be kNoQuery.
inline std::uint64_t fill_plain(const TileJob& job, const Part& part, const PartBox& box, const State& state,
                                Query query) {
  std::uint64_t fragments = 0, passed = 0;
  for (int y = std::max<int>(box.y0, job.pixels.y0); y < std::min<int>(box.y1, job.pixels.y1); ++y)
    for (int x = std::max<int>(box.x0, job.pixels.x0); x < std::min<int>(box.x1, job.pixels.x1); ++x) {
      if (!inside(part, x, y)) continue;
      ++fragments;
      const int at = (y - job.pixels.y0) * kTile + (x - job.pixels.x0);
      const double z = depth_at(part.z, part.zx, part.zy, x - part.x0, y - part.y0);
      const Ends ends = ends_of(z, part.low, part.high, part.half, job.target);
      passed += shade_at(job.surface, state, ends, state.color_of(part.triangle), at) ? 1 : 0;
    }
  count(job, query, passed);
  return fragments;
}

inline std::uint64_t run_tile_plain(const TileJob& job) {
  std::uint64_t fragments = 0;
  for (const Entry& entry : job.entries) {
    const Op& op = job.ops[entry.op];
    const Plan& plan = job.plans[op.plan];
    if (op.lines != kNone && job.target.coverage == Coverage::image) {
      fragments += draw_line(job, entry);
      continue;
    }
    const Half half = static_cast<Half>(entry.half);
    if (half != Half::second)
      fragments += fill_plain(job, job.parts[entry.part], job.boxes[entry.part], plan.state, op.query);
    if (plan.kind != Kind::fused || half == Half::first) continue;
    State second;
    second.depth = plan.second;
    fragments += fill_plain(job, job.parts[entry.part], job.boxes[entry.part], second, kNoQuery);
  }
  return fragments;
}

}  // namespace sightline::papers::raster::cpu
