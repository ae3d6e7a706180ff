#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "bench/gpu/lbvh.cuh"
#include "bench/gpu/lbvh_query.cuh"
#include "bench/gpu/lbvh_tree.cuh"
#include "cuda/current.h"
#include "cuda/order.cuh"

namespace sightline::gpu_bench {
namespace {

using cuda::DeviceBuffer;

int processors() {
  static const int count = [] {
    int device = 0, all = 0;
    SIGHTLINE_CUDA(cudaGetDevice(&device));
    SIGHTLINE_CUDA(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device));
    return all;
  }();
  return count;
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
  Tree build(const Mesh32& mesh, std::uint64_t vertices, int bits, cuda::StageTimes& times, cudaStream_t stream) {
    const std::uint32_t n = mesh.triangle_count, blocks = cuda::blocks_for(n, kThreads);
    cub::DoubleBuffer<Code> sorted(reinterpret_cast<Code*>(codes.data()), reinterpret_cast<Code*>(other_codes.data()));
    cub::DoubleBuffer<std::uint32_t> place(order.data(), other_order.data());
    cub::DoubleBuffer<Code> no_codes;
    cub::DoubleBuffer<std::uint32_t> no_places;
    std::size_t bytes = 0;
    SIGHTLINE_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, no_codes, no_places, n, 0, 3 * bits, stream));
    scratch.reserve(bytes);
    const std::uint32_t few =
        std::min(cuda::blocks_for(vertices, kThreads), static_cast<std::uint32_t>(processors()) * 4);
    cuda::launch(bounds_kernel, few, kThreads, stream, mesh.positions, vertices, work.data());
    cuda::launch(code_kernel<Code>, blocks, kThreads, stream, mesh, work.data(), bits, sorted.Current(),
                 place.Current());
    times.mark("codes");
    SIGHTLINE_CUDA(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, sorted, place, n, 0, 3 * bits, stream));
    times.mark("code sort");
    cuda::launch(build_kernel<Code>, blocks, kThreads, stream, mesh, sorted.Current(), place.Current(), met.data(),
                 halves.data(), leaves.data());
    times.mark("tree");
    return {halves.data(), leaves.data(), place.Current()};
  }

  cuda::Output run(const Mesh32& mesh, std::uint64_t vertices, int bits, cudaStream_t stream, bool timed) {
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
      cuda::StageTimes times(timed, stream);
      SIGHTLINE_CUDA(cudaMemsetAsync(work.data(), 0, sizeof(Work), stream));
      const Tree tree = bits > 10 ? build<std::uint64_t>(mesh, vertices, bits, times, stream)
                                  : build<std::uint32_t>(mesh, vertices, bits, times, stream);
      const PairOutput found{keys.data(), keys.capacity32(), survivors.data(), survivors.capacity32(), {}, layout};
      cuda::launch(query_kernel, query_blocks, kThreads, stream, mesh, tree, found, s, chunk);
      times.mark("query");
      cuda::settle(mesh, found, 0, s, stream);
      times.mark("exact");
      final_order.prepare(found, stream);
      final_order.begin(found, s, stream);
      times.mark("sort");
      SIGHTLINE_CUDA(cudaMemcpyAsync(pinned, s, sizeof(*s), cudaMemcpyDeviceToHost, stream));
      SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
      const bool grown = pinned->survivors > survivors.capacity32() || pinned->contacts > keys.capacity32();
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
};

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
