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
  for (Stage stage : output.stages) {
    const auto set_count = [&stage](std::string_view name, std::uint64_t count, std::string_view unit) {
      if (stage.name != name) return;
      stage.count = count;
      stage.unit = unit;
    };
    set_count("visibility", output.culled, "triangles culled");
    set_count("bin", output.entries, "entries");
    set_count("pair", output.candidates, "pairs");
    set_count("exact", output.survivors, "pairs");
    set_count("large", output.large, "large triangles");
    set_count("sort", output.count, "contacts");
    stats.stages.push_back(stage);
  }
  if (output.cull == Output::Cull::skipped)
    stats.stages.push_back({"visibility", 0, output.last_yield, "% culled last time, skipped"});
  if (output.cull == Output::Cull::off) stats.stages.push_back({"visibility", 0, 0, "culled, switched off"});
}

}  // namespace sightline::cuda
