#include <algorithm>
#include <bit>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "cuda/check.h"
#include "cuda/order.cuh"

namespace sightline::cuda {
namespace {

constexpr std::uint32_t kLeastBuckets = 256, kMostBuckets = 1 << 16;
constexpr std::uint32_t kInBucket = 16;       ///< contacts, as a rule
constexpr int kSpan = 7;                      ///< and contacts of 2^kSpan triangles: they come in clusters
constexpr std::uint32_t kMostInBucket = 512;  ///< each is compared with all others
constexpr std::uint32_t kTogether = 16, kMostTogether = 4096, kOrderThreads = 256;  ///< buckets and contacts of a block
constexpr std::uint32_t kFew = 4096;                                                ///< contacts that need no buckets
constexpr int kScanThreads = 1024;

struct Buckets {
  std::uint32_t count;
  int shift;  ///< of a key
  __device__ std::uint32_t of(unsigned long long key) const { return static_cast<std::uint32_t>(key >> shift); }
};

Buckets buckets_for(std::uint32_t room, const KeyLayout& layout) {
  Buckets buckets{kLeastBuckets, 0};
  int bits = 8;
  const int leading = 2 * layout.object_bits + layout.triangle_bits;  // of the objects and of a
  while (buckets.count < kMostBuckets && (buckets.count * kInBucket < room || bits + kSpan < leading))
    buckets.count *= 2, ++bits;
  buckets.shift = layout.bits() > bits ? layout.bits() - bits : 0;
  return buckets;
}

__device__ Contact unpacked(unsigned long long key, const KeyLayout& layout) {
  const KeyLayout::Fields f = layout.unpack(key);
  return {f.object_a, f.object_b, f.a, f.b, static_cast<Kind>(f.kind)};
}

/// The number of contacts in the list: as many as there is room for. state->contacts counts all.
template <typename T>
__device__ std::uint32_t keys_of(const PairOutput& output, const State<T>* state) {
  return static_cast<std::uint32_t>(min(state->contacts, static_cast<unsigned long long>(output.most_keys)));
}

/// start[i] = sum of count[0 … i); by one block.
__device__ void scan(const std::uint32_t* count, std::uint32_t* start, std::uint32_t buckets) {
  using Scan = cub::BlockScan<std::uint32_t, kScanThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage memory;
  std::uint32_t base = 0;
  for (std::uint32_t first = 0; first < buckets; first += kScanThreads * 4) {
    const std::uint32_t at = first + threadIdx.x * 4;
    const uint4 c = at < buckets ? __ldcg(reinterpret_cast<const uint4*>(count + at)) : make_uint4(0, 0, 0, 0);
    std::uint32_t sums[4] = {c.x, c.y, c.z, c.w}, all;
    Scan(memory).ExclusiveSum(sums, sums, all);
    if (at < buckets)
      *reinterpret_cast<uint4*>(start + at) =
          make_uint4(base + sums[0], base + sums[1], base + sums[2], base + sums[3]);
    base += all;
    __syncthreads();
  }
  if (threadIdx.x == 0) start[buckets] = base;
}

/// Contacts in each bucket; the block that is done last adds them up.
template <typename T>
__global__ void __launch_bounds__(kScanThreads)
    count_kernel(PairOutput output, Buckets buckets, std::uint32_t* count, std::uint32_t* start, State<T>* state) {
  const std::uint32_t keys = keys_of(output, state);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < keys; i += gridDim.x * blockDim.x)
    atomicAdd(&count[buckets.of(output.keys[i])], 1u);
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&state->blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 0) state->blocks_done = state->unordered = 0;
  __threadfence();
  scan(count, start, buckets.count);
}

template <typename T>
__global__ void scatter_kernel(PairOutput output, Buckets buckets, std::uint32_t* count, const std::uint32_t* start,
                               unsigned long long* other, const State<T>* state) {
  const std::uint32_t keys = keys_of(output, state);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < keys; i += gridDim.x * blockDim.x) {
    const unsigned long long key = output.keys[i];
    const std::uint32_t bucket = buckets.of(key);
    other[start[bucket] + atomicSub(&count[bucket], 1u) - 1] = key;
  }
}

/// One block for kTogether buckets, a thread for each of their keys at a time. No two keys are the same: the number of
/// lesser ones in its bucket is a key's place.
template <typename T>
__global__ void __launch_bounds__(kOrderThreads)
    order_kernel(const unsigned long long* keys, const std::uint32_t* start, Buckets buckets, KeyLayout layout,
                 std::uint32_t room, Contact* contacts, State<T>* state) {
  __shared__ unsigned long long own[kMostTogether];
  __shared__ std::uint32_t starts[kTogether + 1];
  const std::uint32_t bucket = blockIdx.x * kTogether;
  if (threadIdx.x <= kTogether) starts[threadIdx.x] = start[bucket + threadIdx.x];
  __syncthreads();
  const std::uint32_t first = starts[0], count = starts[kTogether] - first;
  bool fits = count <= kMostTogether && first + count <= room;
  for (std::uint32_t i = 0; i < kTogether; ++i) fits = fits && starts[i + 1] - starts[i] <= kMostInBucket;
  if (!fits) {
    if (threadIdx.x == 0) state->unordered = 1;
    return;
  }
  for (std::uint32_t i = threadIdx.x; i < count; i += kOrderThreads) own[i] = keys[first + i];
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += kOrderThreads) {
    const unsigned long long key = own[i];
    const std::uint32_t of = buckets.of(key) - bucket, begin = starts[of] - first, end = starts[of + 1] - first;
    std::uint32_t less = begin;
#pragma unroll 8
    for (std::uint32_t k = begin; k < end; ++k) less += own[k] < key ? 1 : 0;
    contacts[first + less] = unpacked(key, layout);
  }
}

/// All contacts, if they are few, in one step: each is compared with all others.
template <typename T>
__global__ void __launch_bounds__(kOrderThreads)
    order_few_kernel(PairOutput output, std::uint32_t room, Contact* contacts, State<T>* state) {
  __shared__ unsigned long long all[kFew];
  const std::uint32_t count = keys_of(output, state), mine = blockIdx.x * kOrderThreads + threadIdx.x;
  if (mine == 0) state->unordered = state->contacts > room ? 1 : 0;
  if (count > room || blockIdx.x * kOrderThreads >= count) return;
  for (std::uint32_t i = threadIdx.x; i < count; i += kOrderThreads) all[i] = output.keys[i];
  __syncthreads();
  if (mine >= count) return;
  const unsigned long long key = all[mine];
  std::uint32_t less = 0;
#pragma unroll 8
  for (std::uint32_t k = 0; k < count; ++k) less += all[k] < key ? 1 : 0;
  contacts[less] = unpacked(key, output.layout);
}

/// Fills the list behind the contacts, up to `room`, with keys that sort last.
template <typename T>
__global__ void fill_kernel(PairOutput output, std::uint32_t room, State<T>* state) {
  if (blockIdx.x == 0 && threadIdx.x == 0) state->unordered = state->contacts > room ? 1 : 0;
  for (std::uint32_t i = keys_of(output, state) + blockIdx.x * blockDim.x + threadIdx.x; i < room;
       i += gridDim.x * blockDim.x)
    output.keys[i] = ~0ull;
}

__global__ void unpack_kernel(const unsigned long long* keys, std::uint32_t room, KeyLayout layout,
                              const unsigned long long* count, Contact* contacts) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < room && i < *count) contacts[i] = unpacked(keys[i], layout);
}

std::size_t digits_bytes(std::uint32_t count, const KeyLayout& layout) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<unsigned long long> keys;
  SIGHTLINE_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, count, 0, layout.bits()));
  return bytes;
}

}  // namespace

Order::Order(MemoryCount& memory)
    : other_(memory), count_(memory), start_(memory), contacts_(memory), scratch_(memory) {}

void Order::by_digits(const PairOutput& found, std::uint32_t room, const unsigned long long* count,
                      cudaStream_t stream) {
  std::size_t bytes = scratch_.capacity();
  cub::DoubleBuffer<unsigned long long> both(found.keys, other_.data());
  SIGHTLINE_CUDA(cub::DeviceRadixSort::SortKeys(scratch_.data(), bytes, both, room, 0, found.layout.bits(), stream));
  constexpr unsigned kThreads = 256;
  launch(unpack_kernel, blocks_for(room, kThreads), kThreads, stream, both.Current(), room, found.layout, count,
         contacts_.data());
}

void Order::prepare(const PairOutput& found, cudaStream_t stream) {
  room_ = min(found.most_keys, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                   std::bit_ceil(std::uint64_t{last_} + last_ / 4 + 1024), ~std::uint32_t{0})));
  contacts_.reserve(room_);
  other_.reserve(found.most_keys);
  start_.reserve(kMostBuckets + 4);
  if (crowded_ > 0) scratch_.reserve(digits_bytes(room_, found.layout));
  if (count_.capacity() > 0) return;
  count_.reserve(kMostBuckets);
  SIGHTLINE_CUDA(cudaMemsetAsync(count_.data(), 0, kMostBuckets * sizeof(std::uint32_t), stream));
}

template <typename T>
void Order::begin(const PairOutput& found, State<T>* state, cudaStream_t stream) {
  constexpr std::uint32_t kThreads = 256, kMostBlocks = 528;
  if (crowded_ > 0) {
    launch(fill_kernel<T>, 64, kThreads, stream, found, room_, state);
    return by_digits(found, room_, &state->contacts, stream);
  }
  if (room_ <= kFew)
    return launch(order_few_kernel<T>, blocks_for(room_, kOrderThreads), kOrderThreads, stream, found, room_,
                  contacts_.data(), state);
  const Buckets buckets = buckets_for(room_, found.layout);
  launch(count_kernel<T>, min(room_ / kScanThreads + 1, kMostBlocks / 4), kScanThreads, stream, found, buckets,
         count_.data(), start_.data(), state);
  launch(scatter_kernel<T>, min(room_ / kThreads + 1, kMostBlocks), kThreads, stream, found, buckets, count_.data(),
         start_.data(), other_.data(), state);
  launch(order_kernel<T>, buckets.count / kTogether, kOrderThreads, stream, other_.data(), start_.data(), buckets,
         found.layout, room_, contacts_.data(), state);
}

template <typename T>
void Order::finish(const PairOutput& found, const State<T>& done, const State<T>* state, cudaStream_t stream) {
  constexpr int kWhile = 32;
  const std::uint32_t count = static_cast<std::uint32_t>(done.contacts);
  if (done.unordered != 0 && count > 0) {
    // A first sort by digits left its keys in some order in their buffer, with the fill keys behind them: the fill keys
    // are the greatest in every digit, and each pass is stable. So all contacts are there, and they are sorted again.
    contacts_.reserve(count);
    scratch_.reserve(digits_bytes(count, found.layout));
    by_digits(found, count, &state->contacts, stream);
    SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
  }
  if (crowded_ > 0)
    --crowded_;
  else if (done.unordered != 0 && count <= room_)
    crowded_ = kWhile;
  last_ = count;  // set only once there was memory for them: otherwise the next query would request more
}

#define SIGHTLINE_ORDER(T)                                                \
  template void Order::begin(const PairOutput&, State<T>*, cudaStream_t); \
  template void Order::finish(const PairOutput&, const State<T>&, const State<T>*, cudaStream_t);
SIGHTLINE_ORDER(float)
SIGHTLINE_ORDER(double)

}  // namespace sightline::cuda
