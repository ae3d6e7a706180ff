// The engine's counts as the stats of a report.
#pragma once

#include "cuda/engine.h"

namespace sightline::cuda {

inline void fill_stats(const Output& output, std::uint32_t triangles, std::size_t other_bytes, Stats& stats) {
  stats.simd = stats.device = "cuda";
  stats.triangles = triangles;
  stats.candidates = output.candidates;
  stats.decided_exact = output.survivors;
  stats.decided_filtered =
      output.candidates - (output.survivors < output.candidates ? output.survivors : output.candidates);
  stats.peak_bytes = output.peak_bytes + other_bytes;
  const Stage counts[] = {{"visibility", 0, output.culled, "triangles culled"},
                          {"bin", 0, output.entries, "entries"},
                          {"pair", 0, output.candidates, "pairs"},
                          {"exact", 0, output.survivors, "pairs"},
                          {"large", 0, output.large, "large triangles"},
                          {"sort", 0, output.count, "contacts"}};
  for (Stage stage : output.stages) {
    for (const Stage& known : counts)
      if (stage.name == known.name) stage.count = known.count, stage.unit = known.unit;
    stats.stages.push_back(stage);
  }
  if (output.cull == Output::Cull::skipped)
    stats.stages.push_back({"visibility", 0, output.last_yield, "% culled last time, skipped"});
  if (output.cull == Output::Cull::off) stats.stages.push_back({"visibility", 0, 0, "culled, switched off"});
}

}  // namespace sightline::cuda
