#include <algorithm>
#include <string>

#include "cuda/check.h"
#include "cuda/engine.h"
#include "cuda/settle.cuh"

namespace sightline::cuda {
namespace {

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
  DeviceBuffer<std::uint32_t> count{memory}, start{memory}, large{memory}, coarse_count{memory}, coarse_start{memory},
      coarse_entries{memory}, giants{memory};
  DeviceBuffer<Entry> entries{memory};
  DeviceBuffer<Pair> survivors{memory};
  DeviceBuffer<unsigned long long> keys{memory}, other_keys{memory};
  DeviceBuffer<Contact> contacts{memory};
  DeviceBuffer<std::uint8_t> scratch{memory}, state{memory};
  void* pinned = nullptr;
  std::uint32_t last_contacts = 0;
  bool zeroed = false;  ///< all counts are known to be zero

  Impl() { SIGHTLINE_CUDA(cudaMallocHost(&pinned, 4096)); }
  ~Impl() { cudaFreeHost(pinned); }

  /// First guesses; what is too small grows and the query is run again.
  void reserve(std::uint32_t n, std::uint32_t cells) {
    zeroed &= cells + 1 <= count.capacity();
    count.reserve(cells + 1);
    start.reserve(cells + 1);
    entries.reserve(std::size_t{n} * 5 / 2 + 1024);
    large.reserve(n / 8 + 1024);
    survivors.reserve(std::size_t{n} / 4 + 65536);
    keys.reserve(std::size_t{n} / 4 + 65536);
    coarse_count.reserve(kMostCoarse + 1);
    coarse_start.reserve(kMostCoarse + 1);
    coarse_entries.reserve(n / 4 + 65536);
    giants.reserve(large.capacity());
    scratch.reserve(std::max({scan_bytes(cells), scan_bytes(kMostCoarse)}));
    state.reserve(sizeof(State<double>));
  }

  BinBuffers bins() const {
    return {count.data(), start.data(),  entries.data(), size32(entries),
            large.data(), size32(large), scratch.data(), scratch.capacity()};
  }
  LargeBuffers larges() const {
    return {coarse_count.data(), coarse_start.data(), coarse_entries.data(), size32(coarse_entries),
            giants.data(),       scratch.data(),      scratch.capacity()};
  }
  template <typename Buffer>
  static std::uint32_t size32(const Buffer& buffer) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(buffer.capacity(), ~std::uint32_t{0}));
  }

  template <typename T>
  Output run(const DeviceMesh<T>& mesh, const ObjectTable& objects, const KeyLayout& layout, double cell, double cells,
             cudaStream_t stream, bool timed);
  template <typename T>
  bool grow(const State<T>& done);
  template <typename T>
  State<T> read_state(cudaStream_t stream);
};

/// The one wait of a query.
template <typename T>
State<T> Engine::Impl::read_state(cudaStream_t stream) {
  SIGHTLINE_CUDA(cudaMemcpyAsync(pinned, state.data(), sizeof(State<T>), cudaMemcpyDeviceToHost, stream));
  SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
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
  fit(entries, done.entries);
  fit(large, done.large);
  fit(giants, done.large);
  fit(coarse_entries, done.coarse_entries);
  fit(survivors, done.survivors);
  fit(keys, done.contacts);
  return grown;
}

template <typename T>
Output Engine::Impl::run(const DeviceMesh<T>& mesh, const ObjectTable& objects, const KeyLayout& layout, double cell,
                         double cells, cudaStream_t stream, bool timed) {
  Output output;
  if (mesh.triangle_count < 2) return output;
  GridChoice choice;
  choice.cell = cell;
  choice.most_cells = static_cast<std::uint32_t>(std::clamp(mesh.triangle_count * cells, 4096.0, 67108864.0));
  reserve(mesh.triangle_count, choice.most_cells);
  State<T>* s = reinterpret_cast<State<T>*>(state.data());
  State<T> done;
  for (;; ++output.repeats) {
    StageTimes times(timed, stream);
    const PairOutput found{keys.data(), size32(keys), survivors.data(), size32(survivors), objects, layout};
    // Room for a quarter more than last time: then the one wait of the query is at its end.
    const auto sort = [&](std::uint32_t room) {
      contacts.reserve(room);
      other_keys.reserve(keys.capacity());
      scratch.reserve(sort_bytes(room, layout));
      sort_contacts(found, other_keys.data(), room, contacts.data(), scratch.data(), scratch.capacity(), s, stream);
      times.mark("sort");
    };
    if (!zeroed) SIGHTLINE_CUDA(cudaMemsetAsync(count.data(), 0, count.capacity() * sizeof(std::uint32_t), stream));
    choose_grid(mesh, choice, s, stream);
    times.mark("grid");
    bin_triangles(mesh, choice.most_cells, bins(), s, stream);
    zeroed = true;  // scatter takes all counts back to zero
    times.mark("bin");
    find_pairs(mesh, bins(), found, s, stream);
    times.mark("pair");
    settle(mesh, found, 0, s, stream);
    times.mark("exact");
    const std::uint32_t room = std::min(size32(keys), last_contacts + last_contacts / 4 + 1024);
    sort(room);
    done = read_state<T>(stream);
    if (grow(done)) continue;
    bool sorted = done.contacts <= room;
    if (done.large > 0) {  // rare: worth another wait
      SIGHTLINE_CUDA(cudaMemsetAsync(coarse_count.data(), 0, coarse_count.capacity() * sizeof(std::uint32_t), stream));
      find_large_pairs(mesh, bins(), kMostCoarse, larges(), survivors.data(), size32(survivors), s, stream);
      settle(mesh, found, done.survivors, s, stream);
      times.mark("large");
      done = read_state<T>(stream);
      if (grow(done)) continue;
      sorted = false;
    }
    if (!sorted && done.contacts > 0) {
      // The first sort left the keys it was given in some order in their buffer, the fill behind them: its keys are the
      // greatest in every digit, and each pass is stable. So the contacts are all there, and are sorted again.
      sort(done.contacts);
      SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    }
    last_contacts = done.contacts;
    output.stages = times.stages();
    break;
  }
  output.contacts = contacts.data();
  output.count = done.contacts;
  output.candidates = done.candidates;
  output.survivors = done.survivors;
  output.entries = done.entries;
  output.large = done.large;
  output.giants = done.giant;
  output.peak_bytes = memory.peak;
  return output;
}

Engine::Engine() : impl_(std::make_unique<Impl>()) {}
Engine::~Engine() = default;

Output Engine::run(const Input& input, cudaStream_t stream, bool timed) {
  const ObjectTable objects{input.first_triangle, input.object_id};
  const auto width = [](std::uint32_t x) { return x == 0 ? 0 : 32 - __builtin_clz(x); };
  KeyLayout layout;
  layout.object_bits = input.object == nullptr ? 0 : width(input.object_ids - 1);
  layout.triangle_bits = width((input.object == nullptr ? input.triangle_count : input.most_triangles) - 1);
  if (!layout.fits())
    throw Error("cuda: " + std::to_string(input.object_ids) + " objects of up to " +
                std::to_string(input.most_triangles) +
                " triangles are more than this device's engine can number; use the cpu device");
  const bool soup = input.vertex_count == std::uint64_t{3} * input.triangle_count;
  if (input.f64 != nullptr)
    return impl_->run<double>({input.f64, input.triangles, input.triangle_count, input.object, soup}, objects, layout,
                              cell, cells, stream, timed);
  return impl_->run<float>({input.f32, input.triangles, input.triangle_count, input.object, soup}, objects, layout,
                           cell, cells, stream, timed);
}

}  // namespace sightline::cuda
