// One query of the CUDA device over objects in host memory: copy what changed, run the engine, fetch the list.
#include "cuda/scene_query.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "cuda/stats.h"
#include "cuda/tiles.h"
#include "cuda/upload.h"
#include "input/watch.h"

namespace sightline::cuda {
namespace {

/// Throws Error for options that the CUDA device does not have. Only `threads` is accepted: it affects only the
/// copying.
void check_cuda_options(const Settings& options) {
  if (options.simd != Simd::best)
    throw Error(formatted("cuda: simd {} is an option of the cpu device", to_string(options.simd)));
  if (options.axis != Axis::automatic) throw Error("cuda: the axis is an option of the cpu device");
}

}  // namespace

struct SceneQuery::Impl {
  explicit Impl(const Device& device) : home(device.number()), options(device.cuda_options()) {}

  HomeDevice home;
  CudaOptions options;
  Stream stream;
  MemoryBudget budget;
  MemoryCount memory = budget.counting([] { return MemoryCount(); });
  SceneArrays arrays{memory, stream};
  std::unique_ptr<Engine> engine;  ///< null until it is needed
  double cell = 0;                 ///< the engine's own choice
  Event begin, uploaded;

  /// Frees all memory on the device.
  void release() {
    SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    engine.reset();
    arrays.release();
  }

  void fetch(const Output& output, const Settings& options, Report& report) {
    StageClock clock(report.stats);
    report.contacts.resize(std::min<std::uint64_t>(output.count, most_contacts(options)));
    if (!report.contacts.empty()) {
      SIGHTLINE_CUDA(cudaMemcpyAsync(report.contacts.data(), output.contacts, report.contacts.size() * sizeof(Contact),
                                     cudaMemcpyDeviceToHost, stream));
      SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    }
    clock.stage("download", report.contacts.size(), "contacts");
  }

  void find(std::span<const QueryObject> objects, const Settings& options, Report& report) {
    const auto stopped = [&] {
      if (!options.cancel || !options.cancel()) return false;
      report.contacts.clear();
      finish_report(report, options, 0, true);
      return true;
    };
    if (stopped()) return;
    const std::size_t bytes_before = arrays.bytes();
    SIGHTLINE_CUDA(cudaEventRecord(begin, stream));
    Input input;
    {
      Workers workers(options.threads);
      report.stats.threads = workers.count();
      input = arrays.update(objects, workers);
    }
    SIGHTLINE_CUDA(cudaEventRecord(uploaded, stream));
    if (stopped()) return;

    if (engine == nullptr) {
      engine = budget.counting([] { return std::make_unique<Engine>(); });
      cell = engine->cell;
    }
    // Cells smaller than a hundredth of a triangle bring no gain; the engine bounds their number anyway.
    engine->cell = options.cell == 0 ? cell : std::clamp(options.cell, 0.01, 1e6);
    engine->visibility = options.visibility;
    const Output output = engine->run(input, stream, options.stages);
    float upload_ms = 0;
    SIGHTLINE_CUDA(cudaEventSynchronize(uploaded));
    SIGHTLINE_CUDA(cudaEventElapsedTime(&upload_ms, begin, uploaded));
    report.stats.stages.push_back({"upload", upload_ms, arrays.bytes() - bytes_before, "bytes"});
    fill_stats(output, input.triangle_count, memory.peak, report.stats);
    report.stats.peak_bytes = budget.peak;
    if (stopped()) return;

    fetch(output, options, report);
    if (options.progress) options.progress(1.0);
    finish_report(report, options, output.count, false);
  }

  /// Memory that earlier queries left on the device may be the reason why there is no room. So it is freed and the
  /// query is tried again before OutOfDeviceMemory is thrown.
  void answer(const Tile& tile, const Settings& options, Report& report) {
    if (!tile.whole) arrays.forget();
    const auto find_here = [&] {
      report.stats = Stats{};
      try {
        find(tile.objects, options, report);
      } catch (const OutOfDeviceMemory&) {
        release();
        throw;
      }
      if (!tile.whole) arrays.forget();
    };
    if (budget.now == 0) return find_here();
    try {
      return find_here();
    } catch (const OutOfDeviceMemory&) {
    }
    find_here();
  }
};

SceneQuery::SceneQuery(const Device& device) {
  const HomeDevice home(device.number());
  const HomeDevice::Visit visit(home);  // streams and events belong to the device that is current
  impl_ = std::make_unique<Impl>(device);
}
SceneQuery::~SceneQuery() = default;

void SceneQuery::run(std::span<const QueryObject> objects, const Settings& options, Report& report) {
  check_cuda_options(options);
  const auto start = std::chrono::steady_clock::now();
  report.stats = Stats{};
  if (pointless(objects)) {
    report.contacts.clear();
    finish_report(report, options, 0, false);
  } else {
    const HomeDevice::Visit visit(impl_->home);
    MemoryBudget& budget = impl_->budget;
    budget.limit = impl_->options.memory;
    if (!budget.allows(0)) impl_->release();
    budget.peak = budget.now;
    const TileQuery query = [this](const Tile& tile, const Settings& tile_options, Report& tile_report) {
      impl_->answer(tile, tile_options, tile_report);
    };
    try {
      query_in_tiles(objects, options, impl_->options.tiles, query, report);
    } catch (...) {
      report.contacts.clear();  // those of an earlier query, kept until now for their memory
      report.found = 0;
      report.complete = report.cancelled = false;
      throw;
    }
    report.stats.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  report.stats.simd = report.stats.device = "cuda";
  report.stats.triangles = 0;
  for (const QueryObject& object : objects) report.stats.triangles += object.mesh.triangles.size();
}

}  // namespace sightline::cuda
