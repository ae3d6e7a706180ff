// One query of the CUDA device over objects in host memory: copy what changed, run the engine, fetch the list.
#include "cuda/scene_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cuda/stats.h"
#include "cuda/upload.h"

namespace sightline::cuda {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// No option is ignored in silence but `threads`, which has nothing to do but the copying.
void check_cuda_options(const Options& options) {
  check_options(options);
  if (options.simd != Simd::best)
    throw Error(fmt::format("cuda: simd {} is an option of the cpu device", to_string(options.simd)));
  if (options.axis != Axis::automatic) throw Error("cuda: the axis is an option of the cpu device");
}

/// Nothing can be in contact with nothing.
bool pointless(std::span<const QueryObject> objects) {
  int with_triangles = 0;
  for (const QueryObject& object : objects) {
    if (object.mesh.triangles.empty()) continue;
    if (object.self || ++with_triangles > 1) return false;
  }
  return true;
}

}  // namespace

struct SceneQuery::Impl {
  HomeDevice home;
  Stream stream;
  MemoryCount memory;
  SceneArrays arrays{memory, stream};
  Engine engine;
  double cell = engine.cell;
  Event begin, uploaded;

  void find(std::span<const QueryObject> objects, const Options& options, Report& report);
  void fetch(const Output& output, const Options& options, Report& report);
};

void SceneQuery::Impl::fetch(const Output& output, const Options& options, Report& report) {
  const auto start = Clock::now();
  report.contacts.resize(std::min<std::uint64_t>(output.count, most_contacts(options)));
  if (!report.contacts.empty()) {
    SIGHTLINE_CUDA(cudaMemcpyAsync(report.contacts.data(), output.contacts, report.contacts.size() * sizeof(Contact),
                                   cudaMemcpyDeviceToHost, stream));
    SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
  }
  report.stats.stages.push_back({"download", ms_since(start), report.contacts.size(), "contacts"});
}

void SceneQuery::Impl::find(std::span<const QueryObject> objects, const Options& options, Report& report) {
  const auto stopped = [&options] { return options.cancel && options.cancel(); };
  if (stopped()) return finish_report(report, options, 0, true);
  const std::size_t bytes_before = arrays.bytes();
  SIGHTLINE_CUDA(cudaEventRecord(begin, stream));
  Input input;
  {
    Workers workers(options.threads);
    report.stats.threads = workers.count();
    input = arrays.update(objects, workers);
  }
  SIGHTLINE_CUDA(cudaEventRecord(uploaded, stream));
  if (stopped()) return finish_report(report, options, 0, true);

  // Smaller cells than a hundredth of a triangle help nobody; the engine bounds their number anyway.
  engine.cell = options.cell == 0 ? cell : std::clamp(options.cell, 0.01, 1e6);
  engine.visibility = options.visibility;
  const Output output = engine.run(input, stream, true);
  float upload_ms = 0;
  SIGHTLINE_CUDA(cudaEventSynchronize(uploaded));
  SIGHTLINE_CUDA(cudaEventElapsedTime(&upload_ms, begin, uploaded));
  report.stats.stages.push_back({"upload", upload_ms, arrays.bytes() - bytes_before, "bytes"});
  fill_stats(output, input.triangle_count, memory.peak, report.stats);
  if (stopped()) return finish_report(report, options, 0, true);

  fetch(output, options, report);
  if (options.progress) options.progress(1.0);
  finish_report(report, options, output.count, false);
}

SceneQuery::SceneQuery() : impl_(std::make_unique<Impl>()) {}
SceneQuery::~SceneQuery() = default;

void SceneQuery::run(std::span<const QueryObject> objects, const Options& options, Report& report) {
  check_cuda_options(options);
  const auto start = Clock::now();
  report.contacts.clear();
  report.stats = Stats{};
  report.stats.simd = report.stats.device = "cuda";
  for (const QueryObject& object : objects) report.stats.triangles += object.mesh.triangles.size();
  if (pointless(objects)) return finish_report(report, options, 0, false);
  const HomeDevice::Visit visit(impl_->home);
  impl_->find(objects, options, report);
  report.stats.milliseconds = ms_since(start);
}

}  // namespace sightline::cuda
