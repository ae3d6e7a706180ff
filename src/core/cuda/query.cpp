// The public query over device pointers (sightline/cuda.h).
#include <chrono>

#include "base/float_environment.h"
#include "cuda/current.h"
#include "cuda/label.h"
#include "cuda/stats.h"
#include "cuda/validate.h"
#include "sightline/cuda.h"

namespace sightline::cuda {
namespace {

/// Memory of the host that CUDA knows (pinned, managed) is good on every GPU.
void check_device_pointer(const void* pointer, const std::string& name, int home) {
  cudaPointerAttributes attributes = {};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  if (attributes.type == cudaMemoryTypeUnregistered) throw Error("cuda: " + name + " is not memory of a CUDA device");
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != home)
    throw Error("cuda: " + name + " is in the memory of GPU " + std::to_string(attributes.device) +
                ", and the query belongs to GPU " + std::to_string(home));
}

/// The checks that the host can make, with or without `validate`.
void check_triangles(const Triangles& all) {
  if ((all.f32 == nullptr) == (all.f64 == nullptr) && (all.vertex_count > 0 || all.triangle_count > 0))
    throw Error("cuda: positions: exactly one of f32 and f64 must be given");
  if (all.triangle_count > 0 && all.triangles == nullptr)
    throw Error("cuda: " + std::to_string(all.triangle_count) + " triangles, and a null pointer to them");
  if (all.objects.empty()) return;
  std::uint64_t sum = 0;
  for (const ObjectRun& run : all.objects) sum += run.triangle_count;
  if (sum != all.triangle_count)
    throw Error("cuda: the objects have " + std::to_string(sum) + " triangles in all, the array " +
                std::to_string(all.triangle_count));
}

/// The objects with triangles; one mesh is an object with `self`.
std::vector<LabelledObject> labelled(const Triangles& all) {
  if (all.objects.empty()) return {{0, all.triangle_count, {.self = true}}};
  std::vector<LabelledObject> list;
  for (std::size_t i = 0; i < all.objects.size(); ++i)
    if (all.objects[i].triangle_count > 0)
      list.push_back({static_cast<std::uint32_t>(i), all.objects[i].triangle_count, all.objects[i].options});
  return list;
}

}  // namespace

int gpu_of(const void* pointer, const std::string& name) {
  require_gpu(0);
  cudaPointerAttributes attributes = {};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  if (attributes.type == cudaMemoryTypeUnregistered) throw Error(name + " is not memory of a CUDA device");
  return attributes.device;
}

struct Query::Impl {
  explicit Impl(const HomeDevice& gpu) : home(gpu) {}

  HomeDevice home;
  MemoryBudget budget;
  MemoryCount memory = budget.counting([] { return MemoryCount(); });
  Engine engine = budget.counting([] { return Engine(); });
  Labels labels{memory};
  Validator validator{memory};
};

Query::Query() : impl_(std::make_unique<Impl>(HomeDevice())) {}
Query::Query(int gpu) {
  const HomeDevice home(gpu);
  const HomeDevice::Visit visit(home);  // streams and events belong to the device that is current
  impl_ = std::make_unique<Impl>(home);
}
Query::~Query() = default;
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;

DeviceContacts Query::run(const Triangles& triangles, const RunOptions& options) {
  const FloatEnvironment environment;  // the host chooses the grid
  const auto start = std::chrono::steady_clock::now();
  check_triangles(triangles);
  DeviceContacts result;
  result.stats.simd = result.stats.device = "cuda";
  result.stats.triangles = triangles.triangle_count;
  if (triangles.triangle_count == 0) return result;
  const HomeDevice::Visit visit(impl_->home);
  const auto stream = static_cast<cudaStream_t>(options.stream);
  Input input{triangles.f32, triangles.f64, triangles.vertex_count, triangles.triangles, triangles.triangle_count};
  if (options.validate) {
    const void* positions = triangles.f32;
    check_device_pointer(triangles.f64 != nullptr ? triangles.f64 : positions, "positions", impl_->home.number());
    check_device_pointer(triangles.triangles, "triangles", impl_->home.number());
    impl_->validator.check(input, stream);
  }
  impl_->labels.assign(labelled(triangles), input, stream);
  const Output output = impl_->engine.run(input, stream, options.stages);
  fill_stats(output, triangles.triangle_count, impl_->memory.peak, result.stats);
  result.stats.peak_bytes = impl_->budget.peak;
  result.contacts = output.contacts;
  result.count = output.count;
  result.stats.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace sightline::cuda
