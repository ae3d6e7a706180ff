// The raster's own benchmark: a Quick-CULLIDE frame, checked against the plain implementation first.
// Usage: sightline_raster_bench [side] [triangles] [threads]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/parallel.h"
#include "bench/raster_passes.h"
#include "bench/timer.h"

namespace sightline::bench {
namespace {

/// Every query of the frame at a lower resolution.
bool agrees(raster::Raster& fast, const PassScene& scene) {
  constexpr std::uint32_t kSide = 256;
  const auto plain = raster::make_reference_raster();
  plain->target(pass_target(kSide));
  fast.target(pass_target(kSide));
  const std::vector<Iteration> frame = frame_of(fast, scene);
  plain->geometry({scene.positions, scene.triangles});
  fast.geometry({scene.positions, scene.triangles});
  for (const Iteration& iteration : frame) {
    const PassResult a = run_iteration(*plain, scene, iteration), b = run_iteration(fast, scene, iteration);
    if (a.forward != b.forward || a.reverse != b.reverse) return false;
  }
  return plain->read_depth() == fast.read_depth();
}

void time_frame(raster::Raster& raster, const PassScene& scene, std::uint32_t side) {
  constexpr int kRepeats = 7;
  raster.target(pass_target(side));
  const std::vector<Iteration> frame = frame_of(raster, scene);
  double wall_sum = 0, cpu_sum = 0;
  std::uint64_t fragment_sum = 0;
  for (const Iteration& iteration : frame) {
    double wall = 1e30, cpu = 1e30;
    std::uint64_t fragments = 0;
    for (int i = 0; i < kRepeats; ++i) {
      const std::uint64_t before = raster.counters().fragments;
      const double cpu_start = cpu_milliseconds();
      const Timer timer;
      run_iteration(raster, scene, iteration);
      wall = std::min(wall, timer.milliseconds());
      cpu = std::min(cpu, cpu_milliseconds() - cpu_start);
      fragments = raster.counters().fragments - before;
    }
    fmt::print("  view {}  {:6} triangles {:8.1f} M fragments  {:7.2f} ms  {:7.2f} ms CPU  {:6.2f} G fragments/s\n",
               iteration.view, iteration.set.size(), static_cast<double>(fragments) * 1e-6, wall, cpu,
               static_cast<double>(fragments) / wall * 1e-6);
    wall_sum += wall, cpu_sum += cpu, fragment_sum += fragments;
  }
  fmt::print("{} at {}: {:.1f} ms, {:.1f} ms CPU a frame, {:.2f} G fragments/s\n", scene.name, side, wall_sum, cpu_sum,
             static_cast<double>(fragment_sum) / wall_sum * 1e-6);
}

int run(int argc, char** argv) {
  const auto argument = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const std::uint32_t side = argument(1, 4096);
  Workers workers(argument(3, 0));
  const auto raster = raster::make_cpu_raster(workers);
  for (const PassScene& scene : {cloth_scene(argument(2, 20000)), paper_scene("cloth-on-table")}) {
    if (scene.triangles.empty()) continue;
    if (!agrees(*raster, scene)) {
      fmt::print("{}: the answers differ from the plain raster's\n", scene.name);
      return 1;
    }
    fmt::print("{}: {} triangles, answers as the plain raster's\n", scene.name, scene.triangles.size());
    time_frame(*raster, scene, side);
  }
  return 0;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) { return sightline::bench::run(argc, argv); }
