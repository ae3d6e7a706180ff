// Our raster beside OpenGL on llvmpipe: the same passes, the same image.
// Usage: sightline_llvmpipe_bench [side] [triangles] [repeats]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "bench/llvmpipe.h"
#include "bench/timer.h"
#include "base/parallel.h"

namespace sightline::bench {
namespace {

struct Times {
  double wall = 1e30, cpu = 1e30;
};

/// The best of several runs, ours and theirs in turn.
template <typename Run>
void add_run(Times& times, const Run& run) {
  const double cpu = cpu_milliseconds();
  const Timer timer;
  run();
  times.wall = std::min(times.wall, timer.milliseconds());
  times.cpu = std::min(times.cpu, cpu_milliseconds() - cpu);
}

std::size_t differing(const PassResult& a, const PassResult& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.forward.size(); ++i)
    count += (a.forward[i] != 0) != (b.forward[i] != 0) || (a.reverse[i] != 0) != (b.reverse[i] != 0) ? 1 : 0;
  return count;
}

void render_ours(raster::Raster& raster, const PassScene& scene, const Iteration& iteration) {
  raster.camera(scene.cameras[iteration.view]);
  for (int direction = 0; direction < 2; ++direction) {
    raster.clear_depth(raster::far_key(raster.target().format));
    raster.draw({}, iteration.set);
  }
  raster.finish();
}

void print(const char* what, const Times& ours, const Times& theirs) {
  fmt::print("  {:34} ours {:8.1f} ms ({:8.1f} CPU)  llvmpipe {:9.1f} ms ({:9.1f} CPU)  ratio {:6.1f} ({:.1f} CPU)\n",
             what, ours.wall, ours.cpu, theirs.wall, theirs.cpu, theirs.wall / ours.wall, theirs.cpu / ours.cpu);
}

int run(int argc, char** argv) {
  const auto argument = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const std::uint32_t side = argument(1, 4096);
  const unsigned repeats = argument(3, 2);
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  setenv("GALLIUM_DRIVER", "llvmpipe", 1);
  OpenGl gl(side);
  Workers workers(0);
  const auto raster = raster::make_cpu_raster(workers);
  raster->target(pass_target(side));
  const PassScene scene = cloth_scene(argument(2, 20000));
  const std::vector<Iteration> frame = frame_of(*raster, scene);
  gl.scene(scene);
  fmt::print("{}: {} triangles at {}; {}\n", scene.name, scene.triangles.size(), side, gl.renderer());
  for (const Iteration& iteration : frame) {
    Times ours, samples, any, none, our_render, render;
    PassResult a, b, c;
    for (unsigned i = 0; i < repeats; ++i) {
      add_run(ours, [&] { a = run_iteration(*raster, scene, iteration); });
      add_run(samples, [&] { b = gl.run_iteration(scene, iteration, Counting::samples); });
      add_run(any, [&] { c = gl.run_iteration(scene, iteration, Counting::any); });
      add_run(none, [&] { gl.run_iteration(scene, iteration, Counting::none); });
      add_run(our_render, [&] { render_ours(*raster, scene, iteration); });
      add_run(render, [&] { gl.render(scene, iteration); });
    }
    fmt::print(" view {}, {} triangles; answers differ on {} (samples), {} (any)\n", iteration.view,
               iteration.set.size(), differing(a, b), differing(a, c));
    print("queries (samples) and renders", ours, samples);
    print("queries (any sample) and renders", ours, any);
    print("ours as above, theirs no queries", ours, none);
    print("renders only, one call", our_render, render);
  }
  return 0;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) try { return sightline::bench::run(argc, argv); } catch (const std::exception& error) {
  fmt::print("{}\n", error.what());
  return 1;
}
