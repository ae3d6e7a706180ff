#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "bench/gpu/lbvh.cuh"
#include "bench/gpu/lbvh_query.cuh"
#include "bench/gpu/lbvh_tree.cuh"
#include "cuda/check.h"
#include "cuda/order.cuh"
#include "cuda/settle.cuh"

namespace sightline::gpu_bench {
namespace {

using cuda::DeviceBuffer;

std::uint32_t blocks(std::uint64_t n) { return static_cast<std::uint32_t>((n + kThreads - 1) / kThreads); }

int processors() {
  static const int count = [] {
    int device = 0, all = 0;
    SIGHTLINE_CUDA(cudaGetDevice(&device));
    SIGHTLINE_CUDA(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device));
    return all;
  }();
  return count;
}

/// Events between the stages, if times are measured.
class Times {
 public:
  Times(bool wanted, cudaStream_t stream) : wanted_(wanted), stream_(stream) { mark(""); }
  ~Times() {
    for (const auto& [name, event] : marks_) cudaEventDestroy(event);
  }
  void mark(std::string_view name) {
    if (!wanted_) return;
    cudaEvent_t event;
    SIGHTLINE_CUDA(cudaEventCreate(&event));
    marks_.emplace_back(name, event);
    SIGHTLINE_CUDA(cudaEventRecord(event, stream_));
  }
  std::vector<Stage> stages() const {
    std::vector<Stage> list;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      float ms = 0;
      SIGHTLINE_CUDA(cudaEventSynchronize(marks_[i].second));
      SIGHTLINE_CUDA(cudaEventElapsedTime(&ms, marks_[i - 1].second, marks_[i].second));
      list.push_back({marks_[i].first, ms, 0, ""});
    }
    return list;
  }

 private:
  bool wanted_;
  cudaStream_t stream_;
  std::vector<std::pair<std::string_view, cudaEvent_t>> marks_;
};

template <typename Buffer>
std::uint32_t size32(const Buffer& buffer) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(buffer.capacity(), ~std::uint32_t{0}));
}

}  // namespace

struct LbvhEngine::Impl {
  cuda::MemoryCount memory;
  DeviceBuffer<Work> work{memory};
  DeviceBuffer<std::uint64_t> codes{memory}, other_codes{memory};  ///< or as many 32-bit ones
  DeviceBuffer<std::uint32_t> order{memory}, other_order{memory}, met{memory};
  DeviceBuffer<Half> halves{memory};
  DeviceBuffer<Leaf> leaves{memory};
  DeviceBuffer<Pair> survivors{memory};
  DeviceBuffer<unsigned long long> keys{memory};
  cuda::Order final_order{memory};
  DeviceBuffer<std::uint8_t> scratch{memory};
  cuda::State<float>* pinned = nullptr;

  Impl() { SIGHTLINE_CUDA(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(cuda::State<float>))); }
  ~Impl() { cudaFreeHost(pinned); }

  void reserve(std::uint32_t n, cudaStream_t stream) {
    work.reserve(1);
    codes.reserve(n);
    other_codes.reserve(n);
    order.reserve(n);
    other_order.reserve(n);
    if (n > met.capacity()) {
      met.reserve(n);
      SIGHTLINE_CUDA(cudaMemsetAsync(met.data(), 0xFF, met.capacity() * sizeof(std::uint32_t), stream));
    }
    halves.reserve(std::size_t{n} * 2);
    leaves.reserve(n);
    survivors.reserve(std::size_t{n} / 4 + 65536);
    keys.reserve(std::size_t{n} / 4 + 65536);
  }

  template <typename Code>
  Tree build(const Mesh32& mesh, std::uint64_t vertices, int bits, Times& times, cudaStream_t stream);
  cuda::Output run(const Mesh32& mesh, std::uint64_t vertices, int bits, cudaStream_t stream, bool timed);
};

template <typename Code>
Tree LbvhEngine::Impl::build(const Mesh32& mesh, std::uint64_t vertices, int bits, Times& times, cudaStream_t stream) {
  const std::uint32_t n = mesh.triangle_count;
  cub::DoubleBuffer<Code> sorted(reinterpret_cast<Code*>(codes.data()), reinterpret_cast<Code*>(other_codes.data()));
  cub::DoubleBuffer<std::uint32_t> place(order.data(), other_order.data());
  cub::DoubleBuffer<Code> no_codes;
  cub::DoubleBuffer<std::uint32_t> no_places;
  std::size_t bytes = 0;
  SIGHTLINE_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, no_codes, no_places, n, 0, 3 * bits, stream));
  scratch.reserve(bytes);
  const std::uint32_t few = std::min(blocks(vertices), static_cast<std::uint32_t>(processors()) * 4);
  bounds_kernel<<<few, kThreads, 0, stream>>>(mesh.positions, vertices, work.data());
  SIGHTLINE_CUDA(cudaGetLastError());
  code_kernel<<<blocks(n), kThreads, 0, stream>>>(mesh, work.data(), bits, sorted.Current(), place.Current());
  SIGHTLINE_CUDA(cudaGetLastError());
  times.mark("codes");
  SIGHTLINE_CUDA(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, sorted, place, n, 0, 3 * bits, stream));
  times.mark("code sort");
  build_kernel<<<blocks(n), kThreads, 0, stream>>>(mesh, sorted.Current(), place.Current(), met.data(), halves.data(),
                                                   leaves.data());
  SIGHTLINE_CUDA(cudaGetLastError());
  times.mark("tree");
  return {halves.data(), leaves.data(), place.Current()};
}

cuda::Output LbvhEngine::Impl::run(const Mesh32& mesh, std::uint64_t vertices, int bits, cudaStream_t stream,
                                   bool timed) {
  static const int query_blocks = [] {
    int each = 0;
    SIGHTLINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, query_kernel, kThreads, 0));
    return processors() * std::max(each, 1);
  }();
  cuda::Output output;
  const std::uint32_t n = mesh.triangle_count;
  if (n < 2) return output;
  reserve(n, stream);
  cuda::KeyLayout layout;
  layout.triangle_bits = 32 - __builtin_clz(n - 1);
  // Eight grabs a warp, so that all end at about the same time.
  const std::uint32_t share = n / (static_cast<std::uint32_t>(query_blocks) * (kThreads / 32) * 8);
  const std::uint32_t chunk = std::clamp(share / 32 * 32, 32u, 256u);
  cuda::State<float>* const s = &work.data()->state;
  for (;; ++output.repeats) {
    Times times(timed, stream);
    SIGHTLINE_CUDA(cudaMemsetAsync(work.data(), 0, sizeof(Work), stream));
    const Tree tree = bits > 10 ? build<std::uint64_t>(mesh, vertices, bits, times, stream)
                                : build<std::uint32_t>(mesh, vertices, bits, times, stream);
    const PairOutput found{keys.data(), size32(keys), survivors.data(), size32(survivors), {}, layout};
    query_kernel<<<query_blocks, kThreads, 0, stream>>>(mesh, tree, found, s, chunk);
    SIGHTLINE_CUDA(cudaGetLastError());
    times.mark("query");
    cuda::settle(mesh, found, 0, s, stream);
    times.mark("exact");
    final_order.prepare(found, stream);
    final_order.begin(found, s, stream);
    times.mark("sort");
    SIGHTLINE_CUDA(cudaMemcpyAsync(pinned, s, sizeof(*s), cudaMemcpyDeviceToHost, stream));
    SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
    const bool grown = pinned->survivors > size32(survivors) || pinned->contacts > size32(keys);
    survivors.reserve(grown ? std::size_t{pinned->survivors} * 5 / 4 : 0);
    keys.reserve(grown ? std::size_t{pinned->contacts} * 5 / 4 : 0);
    if (grown) continue;
    final_order.finish(found, *pinned, s, stream);
    output.stages = times.stages();
    break;
  }
  output.contacts = final_order.contacts();
  output.count = static_cast<std::uint32_t>(pinned->contacts);
  output.candidates = pinned->candidates;
  output.survivors = pinned->survivors;
  output.peak_bytes = memory.peak;
  return output;
}

LbvhEngine::LbvhEngine() : impl_(std::make_unique<Impl>()) {}
LbvhEngine::~LbvhEngine() = default;

cuda::Output LbvhEngine::run(const cuda::Input& input, cudaStream_t stream, bool timed) {
  if (input.f32 == nullptr || input.object != nullptr)
    throw Error("lbvh: the input must be one mesh with float positions");
  if (input.triangle_count >= 1u << 30 || bits < 1 || bits > 21)
    throw Error("lbvh: too many triangles, or bits an axis not in 1 ... 21");
  return impl_->run({input.f32, input.triangles, input.triangle_count, nullptr}, input.vertex_count, bits, stream,
                    timed);
}

}  // namespace sightline::gpu_bench
