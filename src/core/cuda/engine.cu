#include <algorithm>
#include <bit>
#include <string>

#include "cuda/current.h"
#include "cuda/engine.h"
#include "cuda/order.cuh"

namespace sightline::cuda {
namespace {

/// The arguments of a query's kernels.
template <typename T>
struct Task {
  DeviceMesh<T> mesh;
  GridChoice choice;
  PairOutput found;
  bool cull;  ///< by visibility
};

/// Decides whether the visibility cull is worth its three passes. The estimate is the share of triangles that the last
/// cull removed. If that share was small, the cull rests for a while and is then tried along the next axis.
class CullChoice {
 public:
  static constexpr unsigned kLeastPercent = 65;  ///< docs/decisions.md
  static constexpr std::uint32_t kFewestTriangles = 400'000;
  static constexpr int kRest = 31;

  bool now(VisibilityCull setting, std::uint32_t triangles) const {
    return setting == VisibilityCull::on ||
           (setting == VisibilityCull::automatic && rest_ == 0 && triangles >= kFewestTriangles);
  }
  int axis() const { return axis_; }
  unsigned last_yield() const { return yield_; }
  void record(bool culled, std::uint32_t gone, std::uint32_t of) {
    if (!culled) {
      rest_ = rest_ > 0 ? rest_ - 1 : 0;
      return;
    }
    yield_ = static_cast<unsigned>(std::uint64_t{100} * gone / of);
    if (yield_ >= kLeastPercent) return;
    rest_ = kRest;
    axis_ = (axis_ + 2) % 3;
  }

 private:
  int axis_ = 2, rest_ = 0;
  unsigned yield_ = 0;
};

}  // namespace

struct Engine::Impl {
  MemoryCount memory;
  DeviceBuffer<std::uint32_t> end{memory}, large{memory}, coarse_count{memory}, coarse_start{memory},
      coarse_entries{memory}, giants{memory};
  DeviceBuffer<double> large_boxes{memory};
  DeviceBuffer<Entry> entries{memory};
  DeviceBuffer<Pair> survivors{memory};
  DeviceBuffer<unsigned long long> keys{memory};
  DeviceBuffer<Group> groups{memory};
  DeviceBuffer<PackedCells> packed_cells{memory};
  Order order{memory};
  DeviceBuffer<std::uint8_t> scratch{memory}, state{memory}, clear{memory};
  DeviceBuffer<unsigned long long> near{memory}, far{memory};
  DeviceBuffer<std::uint32_t> other_near{memory}, other_far{memory};
  CullChoice cull_choice;
  void* pinned = nullptr;
  bool expects_large = false;  ///< there were large triangles last time
  Graph graph;
  std::vector<std::uint64_t> last_key, graph_key;

  Impl() { SIGHTLINE_CUDA(cudaMallocHost(&pinned, 4096)); }
  ~Impl() { cudaFreeHost(pinned); }

  /// First guesses; a buffer that is too small grows, and the query is run again.
  void reserve(std::uint32_t n, std::uint32_t cells) {
    end.reserve(std::size_t{cells} + 1);
    entries.reserve(std::size_t{n} * 5 / 2 + 1024);
    large.reserve(n / 8 + 1024);
    survivors.reserve(std::size_t{n} / 4 + 65536);
    keys.reserve(std::size_t{n} / 4 + 65536);
    coarse_count.reserve(kLevels * kMostCoarse + 1);
    coarse_start.reserve(kLevels * kMostCoarse + 1);
    coarse_entries.reserve(n / 2 + 65536);
    giants.reserve(large.capacity());
    large_boxes.reserve(large.capacity() * 6);
    scratch.reserve(std::max(scan_bytes(cells), scan_bytes(kLevels * kMostCoarse)));
    state.reserve(sizeof(State<double>));
    groups.reserve(n / 16 + 4096);
    packed_cells.reserve(n);
  }

  BinBuffers bins() const {
    return {end.data(),         packed_cells.data(), entries.data(),     entries.capacity32(), large.data(),
            large.capacity32(), scratch.data(),      scratch.capacity(), groups.data(),        groups.capacity32()};
  }
  ImageBuffers image() const { return {near.data(), other_near.data(), far.data(), other_far.data(), clear.data()}; }
  LargeBuffers larges() const {
    return {coarse_count.data(), coarse_start.data(), coarse_entries.data(), coarse_entries.capacity32(),
            large_boxes.data(),  giants.data(),       scratch.data(),        scratch.capacity()};
  }
  template <typename T>
  State<T>* state_of() {
    return reinterpret_cast<State<T>*>(state.data());
  }

  /// True if some buffer was too small: it has grown.
  template <typename T>
  bool grow(const State<T>& done) {
    const auto countable = [](std::uint64_t count, const char* what, std::uint64_t most = 0xFFFF'FFFF) {
      if (count > most)
        throw Error("cuda: " + std::to_string(count) + " " + what +
                    " are more than this device's engine can count; use the cpu device");
    };
    // The pair kernel counts two windows of 32 entries farther.
    countable(std::max<std::uint64_t>(done.all_entries, done.entries), "entries of triangles in cells", 0xFFFF'FFBF);
    countable(done.coarse_entries, "entries of large triangles in cells");
    countable(done.survivors, "pairs for the exact decision");
    countable(done.contacts, "contacts");
    bool grown = false;
    const auto fit = [&grown](auto& buffer, std::uint64_t needed) {
      if (needed <= buffer.capacity()) return;
      buffer.reserve(needed + needed / 4);
      grown = true;
    };
    fit(entries, done.entries);
    fit(large, done.large);
    fit(giants, done.large);
    fit(large_boxes, std::uint64_t{done.large} * 6);
    fit(coarse_entries, done.coarse_entries);
    fit(survivors, done.survivors);
    fit(keys, done.contacts);
    return grown;
  }

  /// All kernels, up to the copy of the state to the host. Large triangles are searched for if the last query had some.
  template <typename T>
  void enqueue(const Task<T>& task, StageTimes& times, cudaStream_t stream) {
    State<T>* s = state_of<T>();
    choose_grid(task.mesh, task.choice, bins(), s, stream);
    times.mark("grid");
    if (task.cull) {
      mark_clear(task.mesh, image(), cull_choice.axis(), s, stream);
      times.mark("visibility");
    }
    bin_triangles(task.mesh, task.choice.most_cells, bins(), s, stream);
    times.mark("bin");
    find_pairs(task.mesh, bins(), task.found, s, stream);
    times.mark("pair");
    if (expects_large) find_large(task, times, stream);
    decide(task, 0, times, stream);
  }

  /// Decides the survivors from `first` on, sorts the contacts and copies the state to the host.
  template <typename T>
  void decide(const Task<T>& task, std::uint32_t first, StageTimes& times, cudaStream_t stream) {
    State<T>* s = state_of<T>();
    settle(task.mesh, task.found, first, s, stream);
    times.mark("exact");
    order.begin(task.found, s, stream);
    times.mark("sort");
    SIGHTLINE_CUDA(cudaMemcpyAsync(pinned, s, sizeof(State<T>), cudaMemcpyDeviceToHost, stream));
  }

  template <typename T>
  void find_large(const Task<T>& task, StageTimes& times, cudaStream_t stream) {
    SIGHTLINE_CUDA(cudaMemsetAsync(coarse_count.data(), 0, coarse_count.capacity() * sizeof(std::uint32_t), stream));
    find_large_pairs(task.mesh, bins(), larges(), task.found, state_of<T>(), stream);
    times.mark("large");
  }

  /// Everything that the kernels' arguments depend on.
  template <typename T>
  std::vector<std::uint64_t> key_of(const Task<T>& task) const {
    std::vector<std::uint64_t> key;
    const auto add = [&key](auto... values) { (key.push_back(static_cast<std::uint64_t>(values)), ...); };
    const auto at = [&key](const auto*... pointers) {
      (key.push_back(reinterpret_cast<std::uint64_t>(pointers)), ...);
    };
    // A buffer that grew may have the same address as before.
    const auto hold = [&](const auto&... buffers) { (at(buffers.data()), ...), (add(buffers.capacity()), ...); };
    add(sizeof(T), task.mesh.triangle_count, task.mesh.soup, task.choice.most_cells, expects_large);
    add(task.cull, cull_choice.axis(), std::bit_cast<std::uint64_t>(task.choice.cell));
    add(task.found.layout.object_bits, task.found.layout.triangle_bits);
    at(task.mesh.positions, task.mesh.triangles, task.mesh.object, task.mesh.groups, task.found.objects.first_triangle,
       task.found.objects.id);
    hold(end, large, coarse_entries, giants, large_boxes, entries, survivors, keys, groups, packed_cells, scratch, near,
         clear);
    for (const std::uint64_t word : order.version()) key.push_back(word);
    return key;
  }

  /// All these kernels, as one graph if the last query was the same but for the coordinates: then recording pays.
  template <typename T>
  State<T> first_try(const Task<T>& task, StageTimes& times, cudaStream_t stream) {
    order.prepare(task.found, stream);
    if (times.wanted()) {
      enqueue(task, times, stream);
    } else {
      const std::vector<std::uint64_t> now = key_of(task);
      if (now != last_key) {
        enqueue(task, times, stream);
      } else {
        if (now != graph_key) {
          graph_key.clear();  // if recording fails there is none
          graph.record([&](cudaStream_t into) { enqueue(task, times, into); });
          graph_key = now;
        }
        graph.launch(stream);
      }
      last_key = now;
    }
    SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    return *static_cast<State<T>*>(pinned);
  }

  template <typename T>
  Output run(DeviceMesh<T> mesh, const ObjectTable& objects, const KeyLayout& layout, const Engine& engine,
             cudaStream_t stream, bool timed) {
    Output output;
    const GridChoice choice{
        engine.cell, static_cast<std::uint32_t>(std::clamp(mesh.triangle_count * engine.cells, 4096.0, 67108864.0))};
    reserve(mesh.triangle_count, choice.most_cells);
    // Contacts of an object with itself are not seen from outside: with one object there is nothing to cull.
    const bool cull = mesh.object != nullptr && cull_choice.now(engine.visibility, mesh.triangle_count);
    if (mesh.object != nullptr)
      output.cull = cull                                       ? Output::Cull::done
                    : engine.visibility == VisibilityCull::off ? Output::Cull::off
                                                               : Output::Cull::skipped;
    output.last_yield = cull_choice.last_yield();
    if (cull) {
      for (auto* buffer : {&near, &far}) buffer->reserve(kMostColumns);
      for (auto* buffer : {&other_near, &other_far}) buffer->reserve(kMostColumns);
      mesh.clear = clear.reserve(mesh.triangle_count);
    }
    State<T> done;
    for (;; ++output.repeats) {
      StageTimes times(timed, stream);
      const Task<T> task{mesh,
                         choice,
                         {keys.data(), keys.capacity32(), survivors.data(), survivors.capacity32(), objects, layout},
                         cull};
      const bool searched = expects_large;
      done = first_try(task, times, stream);
      expects_large = done.large > 0;
      if (expects_large && !searched && done.large <= large.capacity() &&
          done.survivors <= survivors.capacity()) {  // not expected: another wait
        find_large(task, times, stream);
        decide(task, static_cast<std::uint32_t>(done.survivors), times, stream);
        SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
        done = *static_cast<State<T>*>(pinned);
      }
      if (grow(done)) continue;
      order.finish(task.found, done, state_of<T>(), stream);
      if (done.unordered != 0) times.mark("sort");
      output.stages = times.stages();
      break;
    }
    if (mesh.object != nullptr) cull_choice.record(cull, done.culled, mesh.triangle_count);
    output.culled = done.culled;
    output.contacts = order.contacts();
    output.count = static_cast<std::uint32_t>(done.contacts);
    output.candidates = done.candidates;
    output.survivors = done.survivors;
    output.entries = done.entries;
    output.large = done.large;
    output.giants = done.giant;
    output.peak_bytes = memory.peak;
    return output;
  }
};

Engine::Engine() : impl_(std::make_unique<Impl>()) {}
Engine::~Engine() = default;

Output Engine::run(const Input& input, cudaStream_t stream, bool timed) {
  if (input.triangle_count < 2) return {};
  const ObjectTable objects{input.first_triangle, input.object_id};
  KeyLayout layout;
  layout.object_bits = input.object == nullptr ? 0 : rules::bits_for(input.object_ids - 1);
  layout.triangle_bits = rules::bits_for((input.object == nullptr ? input.triangle_count : input.most_triangles) - 1);
  if (!layout.fits())
    throw Error("cuda: " + std::to_string(input.object_ids) + " objects of up to " +
                std::to_string(input.most_triangles) +
                " triangles are more than this device's engine can number; use the cpu device");
  const bool soup = input.vertex_count == std::uint64_t{3} * input.triangle_count && input.vertex_count <= 0xFFFF'FFFFu;
  const auto run_on = [&]<typename T>(const T* positions) {
    const DeviceMesh<T> mesh{positions, input.triangles, input.triangle_count, input.object, input.groups, soup};
    return impl_->run(mesh, objects, layout, *this, stream, timed);
  };
  return input.f64 != nullptr ? run_on(input.f64) : run_on(input.f32);
}

}  // namespace sightline::cuda
