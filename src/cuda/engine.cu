#include "cuda/engine.h"

#include <algorithm>
#include <string>

#include "cuda/check.h"
#include "cuda/settle.cuh"

namespace sightline::cuda {
namespace {

constexpr std::uint32_t kMostCoarse = 65 * 65 * 65;  ///< coarse cells: sides are at most 1023 / 16 + 1

/// Events between the stages, where times were asked for.
class StageTimes {
 public:
  StageTimes(bool wanted, cudaStream_t stream) : wanted_(wanted), stream_(stream) { mark(""); }
  ~StageTimes() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  void mark(std::string_view name) {
    if (!wanted_) return;
    cudaEvent_t event;
    SIGHTLINE_CUDA(cudaEventCreate(&event));
    events_.push_back(event);
    names_.push_back(name);
    SIGHTLINE_CUDA(cudaEventRecord(event, stream_));
  }
  std::vector<Stage> stages() const {
    std::vector<Stage> list;
    for (std::size_t i = 1; i < events_.size(); ++i) {
      float ms = 0;
      SIGHTLINE_CUDA(cudaEventSynchronize(events_[i]));
      SIGHTLINE_CUDA(cudaEventElapsedTime(&ms, events_[i - 1], events_[i]));
      list.push_back({names_[i], ms, 0, ""});
    }
    return list;
  }

 private:
  bool wanted_;
  cudaStream_t stream_;
  std::vector<cudaEvent_t> events_;
  std::vector<std::string_view> names_;
};

}  // namespace

struct Engine::Impl {
  MemoryCount memory;
  DeviceBuffer<std::uint32_t> count{memory}, entries{memory}, large{memory}, coarse_count{memory}, coarse_start{memory},
      coarse_entries{memory}, giants{memory};
  DeviceBuffer<unsigned long long> start{memory};
  DeviceBuffer<Task> tasks{memory};
  DeviceBuffer<Pair> survivors{memory};
  DeviceBuffer<Contact> contacts{memory};
  DeviceBuffer<std::uint8_t> scratch{memory}, state{memory};
  void* pinned = nullptr;
  std::uint32_t zeroed_cells = 0;  ///< counts known to be zero

  Impl() { SIGHTLINE_CUDA(cudaMallocHost(&pinned, 4096)); }
  ~Impl() { cudaFreeHost(pinned); }

  /// First guesses; what is too small grows and the query is run again.
  void reserve(std::uint32_t n, std::uint32_t cells) {
    count.reserve(cells + 1);
    start.reserve(cells + 1);
    entries.reserve(std::size_t{n} * 5 / 2 + 1024);
    tasks.reserve(std::size_t{n} / 4 + cells / 4 + 1024);
    large.reserve(n / 8 + 1024);
    survivors.reserve(std::size_t{n} / 2 + 65536);
    contacts.reserve(std::size_t{n} / 4 + 65536);
    coarse_count.reserve(kMostCoarse + 1);
    coarse_start.reserve(kMostCoarse + 1);
    coarse_entries.reserve(n / 4 + 65536);
    giants.reserve(large.capacity());
    scratch.reserve(std::max({scan_bytes(cells), scan_bytes(kMostCoarse)}));
    state.reserve(sizeof(State<double>));
  }

  template <typename T>
  BinBuffers<T> bins() {
    return {count.data(),  start.data(), entries.data(), size32(entries), tasks.data(), size32(tasks),
            large.data(), size32(large), scratch.data(), scratch.capacity()};
  }
  template <typename T>
  LargeBuffers<T> larges() {
    return {coarse_count.data(), coarse_start.data(), coarse_entries.data(), size32(coarse_entries), giants.data(),
            scratch.data(), scratch.capacity()};
  }
  template <typename Buffer>
  static std::uint32_t size32(const Buffer& buffer) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(buffer.capacity(), ~std::uint32_t{0}));
  }

  template <typename T>
  Output run(const DeviceMesh<T>& mesh, const ObjectTable& objects, double cell, cudaStream_t stream, bool timed);
  template <typename T>
  bool grow(const State<T>& done);
  template <typename T>
  State<T> launch(const DeviceMesh<T>& mesh, const ObjectTable& objects, const GridChoice& choice, cudaStream_t stream,
                  StageTimes& times);
};

template <typename T>
State<T> Engine::Impl::launch(const DeviceMesh<T>& mesh, const ObjectTable& objects, const GridChoice& choice,
                              cudaStream_t stream, StageTimes& times) {
  State<T>* s = reinterpret_cast<State<T>*>(state.data());
  if (zeroed_cells < choice.most_cells + 1) {
    SIGHTLINE_CUDA(cudaMemsetAsync(count.data(), 0, count.capacity() * sizeof(std::uint32_t), stream));
    SIGHTLINE_CUDA(cudaMemsetAsync(coarse_count.data(), 0, coarse_count.capacity() * sizeof(std::uint32_t), stream));
  }
  zeroed_cells = 0;
  choose_grid(mesh, choice, s, stream);
  times.mark("grid");
  bin_triangles(mesh, choice.most_cells, bins<T>(), s, stream);
  times.mark("bin");
  find_pairs(mesh, bins<T>(), survivors.data(), size32(survivors), s, stream);
  times.mark("pair");
  find_large_pairs(mesh, bins<T>(), kMostCoarse, larges<T>(), survivors.data(), size32(survivors), s, stream);
  times.mark("large");
  settle(mesh, survivors.data(), size32(survivors), objects, contacts.data(), size32(contacts), s, stream);
  times.mark("exact");
  SIGHTLINE_CUDA(cudaMemcpyAsync(pinned, s, sizeof(State<T>), cudaMemcpyDeviceToHost, stream));
  SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
  zeroed_cells = choice.most_cells + 1;  // scatter takes all counts back to zero
  return *static_cast<State<T>*>(pinned);
}

/// True if some buffer was too small: it has grown.
template <typename T>
bool Engine::Impl::grow(const State<T>& done) {
  bool grown = false;
  const auto fit = [&grown](auto& buffer, std::uint64_t needed) {
    if (needed <= buffer.capacity()) return;
    buffer.reserve(needed + needed / 4);
    grown = true;
  };
  fit(entries, static_cast<std::uint32_t>(done.totals));
  fit(tasks, done.totals >> 32);
  fit(large, done.large);
  fit(giants, done.large);
  fit(coarse_entries, done.coarse_entries);
  fit(survivors, done.survivors);
  fit(contacts, done.contacts);
  return grown;
}

template <typename T>
Output Engine::Impl::run(const DeviceMesh<T>& mesh, const ObjectTable& objects, double cell, cudaStream_t stream, bool timed) {
  Output output;
  if (mesh.triangle_count < 2) return output;
  GridChoice choice;
  choice.cell = cell;
  choice.most_cells = std::clamp<std::uint32_t>(mesh.triangle_count / 2, 4096u, 1u << 24);
  reserve(mesh.triangle_count, choice.most_cells);
  State<T> done;
  for (;; ++output.repeats) {
    StageTimes times(timed, stream);
    done = launch<T>(mesh, objects, choice, stream, times);
    if (grow(done)) continue;
    if (done.contacts > 1) {
      scratch.reserve(sort_bytes(done.contacts));
      sort_contacts(contacts.data(), done.contacts, scratch.data(), scratch.capacity(), stream);
      times.mark("sort");
    }
    output.stages = times.stages();
    break;
  }
  SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
  output.contacts = contacts.data();
  output.count = done.contacts;
  output.candidates = done.candidates;
  output.survivors = done.survivors;
  output.entries = static_cast<std::uint32_t>(done.totals);
  output.tasks = done.totals >> 32;
  output.large = done.large;
  output.giants = done.giant;
  output.peak_bytes = memory.peak;
  return output;
}

Engine::Engine() : impl_(std::make_unique<Impl>()) {}
Engine::~Engine() = default;

Output Engine::run(const Input& input, cudaStream_t stream, bool timed) {
  const ObjectTable objects{input.first_triangle, input.object_id};
  if (input.f64 != nullptr)
    return impl_->run<double>({input.f64, input.triangles, input.triangle_count, input.object}, objects, cell, stream, timed);
  return impl_->run<float>({input.f32, input.triangles, input.triangle_count, input.object}, objects, cell, stream, timed);
}

}  // namespace sightline::cuda
