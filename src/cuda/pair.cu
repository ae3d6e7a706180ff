#include <cub/device/device_scan.cuh>

#include "cuda/check.h"
#include "cuda/filter.cuh"
#include "cuda/pair.cuh"

namespace sightline::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kStride = 2 * kChunk;  ///< rows, then columns

/// Boxes of two entries overlap, and this cell is the one that reports the pair: both by one subtraction. Six fields of
/// 8 bits and three of 1 bit, each below a guard bit that is 1 on the left side; a guard bit stays if its field does
/// not borrow.
///   left:  high x, y, z;  255 - low x, y, z;  flag of x, y, z
///   right: low x, y, z;   255 - high x, y, z; no flag of x, y, z
/// flag: the triangle's least cell on that axis is this one. The pair is taken where one of both has the flag, for
/// each axis: that is in one cell exactly, the one of the greater least corner.
struct Packed {
  unsigned long long left, right;
};
constexpr unsigned long long kGuards = [] {
  unsigned long long g = 0;
  for (int i = 0; i < 6; ++i) g |= 1ull << (9 * i + 8);
  for (int i = 0; i < 3; ++i) g |= 1ull << (54 + 2 * i + 1);
  return g;
}();

__device__ inline bool meets(unsigned long long left, unsigned long long right) {
  return ((left - right) & kGuards) == kGuards;
}

/// Place within a cell, in 8 bits: the cell itself is 32 … 223. Monotone and clamped.
template <typename T>
__device__ inline unsigned place(const Grid<T>& grid, int axis, T x, int cell) {
  const T t = ((x - grid.low[axis]) * grid.inverse - static_cast<T>(cell)) * T(192) + T(32);
  return static_cast<unsigned>(t > T(0) ? (t < T(255) ? t : T(255)) : T(0));
}

template <typename T>
__device__ inline Packed pack(const Grid<T>& grid, const Corners<T>& c, const int* cell) {
  Packed p{kGuards, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const T low = least(c, axis), high = most(c, axis);
    const unsigned long long lo = place(grid, axis, low, cell[axis]), hi = place(grid, axis, high, cell[axis]);
    const unsigned long long flag = cell_of(grid, axis, low) == cell[axis] ? 1 : 0;
    p.left |= hi << (9 * axis) | (255 - lo) << (9 * (axis + 3)) | flag << (54 + 2 * axis);
    p.right |= lo << (9 * axis) | (255 - hi) << (9 * (axis + 3)) | (1 - flag) << (54 + 2 * axis);
  }
  return p;
}

template <typename T>
struct WarpMemory {
  T corners[9 * kStride];
  unsigned long long right[kChunk];
  std::uint32_t id[kStride];
  std::uint16_t queue[32 + 2 * 32];
};

template <typename T>
class PairWarp {
 public:
  __device__ PairWarp(const DeviceMesh<T>& mesh, State<T>* state, Pair* survivors, std::uint32_t most, WarpMemory<T>& memory)
      : mesh_(mesh), state_(state), survivors_(survivors), most_(most), memory_(memory), lane_(threadIdx.x & 31) {}

  __device__ void run(const Task& task, const std::uint32_t* entries) {
    const Grid<T>& grid = state_->grid;
    const int cell[3] = {static_cast<int>(task.cell) % grid.size[0], static_cast<int>(task.cell) / grid.size[0] % grid.size[1],
                         static_cast<int>(task.cell) / (grid.size[0] * grid.size[1])};
    const bool same = task.i == task.j;
    const int row_count = min(kChunk, static_cast<int>(task.count - task.i * kChunk));
    const int column_count = min(kChunk, static_cast<int>(task.count - task.j * kChunk));
    unsigned long long left[2] = {0, 0};  // nothing meets 0: its guard bits are missing
    for (int half = 0; half < 2; ++half) {
      const int e = lane_ + 32 * half;
      if (e >= row_count) continue;
      const Packed p = load(entries[task.begin + task.i * kChunk + e], e, grid, cell);
      left[half] = p.left;
      if (same) memory_.right[e] = p.right;
    }
    if (!same)
      for (int e = lane_; e < column_count; e += 32)
        memory_.right[e] = load(entries[task.begin + task.j * kChunk + e], kChunk + e, grid, cell).right;
    column_base_ = same ? 0 : kChunk;
    __syncwarp();
    for (int k = same ? 1 : 0; k < column_count; ++k) {
      const unsigned long long right = memory_.right[k];
      push(meets(left[0], right) && (!same || lane_ < k), lane_, k);
      if (row_count > 32 && (!same || k > 32)) push(meets(left[1], right) && (!same || lane_ + 32 < k), lane_ + 32, k);
    }
    drain(0);
    __syncwarp();
  }

  __device__ std::uint32_t candidates() const { return candidates_; }

 private:
  __device__ Packed load(std::uint32_t triangle, int e, const Grid<T>& grid, const int* cell) {
    const Corners<T> c = corners_of(mesh_, triangle);
    for (int i = 0; i < 9; ++i) memory_.corners[i * kStride + e] = c.at[i / 3][i % 3];
    memory_.id[e] = triangle;
    return pack(grid, c, cell);
  }

  __device__ void push(bool hit, int row, int column) {
    const unsigned mask = __ballot_sync(~0u, hit);
    if (mask == 0) return;
    if (hit) memory_.queue[queued_ + __popc(mask & ((1u << lane_) - 1))] = static_cast<std::uint16_t>(row << 8 | column);
    queued_ += __popc(mask);
    drain(32);
  }

  /// Runs the queue down to fewer than `least` (all of it for 0), 32 pairs at a time.
  __device__ void drain(int least) {
    while (queued_ > 0 && queued_ >= least) {
      __syncwarp();
      const int count = min(32, queued_), first = queued_ - count;
      bool keep = false;
      std::uint32_t a = 0, b = 0;
      if (lane_ < count) {
        const unsigned item = memory_.queue[first + lane_];
        const int row = static_cast<int>(item >> 8), column = column_base_ + static_cast<int>(item & 255);
        a = memory_.id[row], b = memory_.id[column];
        keep = decide(row, column, a, b);
      }
      queued_ = first;
      candidates_ += count;
      const unsigned mask = __ballot_sync(~0u, keep);
      if (mask == 0) continue;
      std::uint32_t base = 0;
      if (lane_ == 0) base = atomicAdd(&state_->survivors, static_cast<std::uint32_t>(__popc(mask)));
      const std::uint32_t at = __shfl_sync(~0u, base, 0) + __popc(mask & ((1u << lane_) - 1));
      if (keep && at < most_) survivors_[at] = {min(a, b), max(a, b)};
    }
  }

  __device__ bool decide(int row, int column, std::uint32_t a, std::uint32_t b) {
    bool one_object = true;
    if (mesh_.object != nullptr) {
      const std::uint32_t object_a = mesh_.object[a], object_b = mesh_.object[b];
      one_object = object_a == object_b;
      if (one_object && (object_a & 1) == 0) return false;
    }
    const SharedCorners<T, kStride> corners{memory_.corners};
    return may_meet(corners, row, corners, column, one_object);
  }

  const DeviceMesh<T>& mesh_;
  State<T>* state_;
  Pair* survivors_;
  std::uint32_t most_;
  WarpMemory<T>& memory_;
  int lane_, column_base_ = 0, queued_ = 0;
  std::uint32_t candidates_ = 0;
};

template <typename T>
__global__ void __launch_bounds__(kWarps * 32) pair_kernel(DeviceMesh<T> mesh, const Task* tasks, std::uint32_t most_tasks,
                                                           const std::uint32_t* entries, std::uint32_t most_entries,
                                                           Pair* survivors, std::uint32_t most_survivors, State<T>* state) {
  __shared__ WarpMemory<T> memory[kWarps];
  const unsigned long long totals = state->totals;
  const std::uint32_t count = static_cast<std::uint32_t>(totals >> 32);
  if (count > most_tasks || static_cast<std::uint32_t>(totals) > most_entries) return;  // grown and repeated by the host
  PairWarp<T> warp(mesh, state, survivors, most_survivors, memory[threadIdx.x / 32]);
  const int lane = threadIdx.x & 31;
  constexpr std::uint32_t kBatch = 4;
  for (;;) {
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(&state->next_task, kBatch);
    first = __shfl_sync(~0u, first, 0);
    if (first >= count) break;
    for (std::uint32_t t = first; t < min(first + kBatch, count); ++t) warp.run(tasks[t], entries);
  }
  if (lane == 0 && warp.candidates() > 0) atomicAdd(&state->candidates, static_cast<unsigned long long>(warp.candidates()));
}

}  // namespace

template <typename T>
void find_pairs(const DeviceMesh<T>& mesh, const BinBuffers<T>& bins, Pair* survivors, std::uint32_t most_survivors,
                State<T>* state, cudaStream_t stream) {
  static const int blocks = [] {
    int device = 0, processors = 0, each = 0;
    SIGHTLINE_CUDA(cudaGetDevice(&device));
    SIGHTLINE_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    SIGHTLINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, pair_kernel<T>, kWarps * 32, 0));
    return processors * (each > 0 ? each : 1);
  }();
  pair_kernel<<<blocks, kWarps * 32, 0, stream>>>(mesh, bins.tasks, bins.most_tasks, bins.entries, bins.most_entries, survivors,
                                                 most_survivors, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

template void find_pairs(const DeviceMesh<float>&, const BinBuffers<float>&, Pair*, std::uint32_t, State<float>*, cudaStream_t);
template void find_pairs(const DeviceMesh<double>&, const BinBuffers<double>&, Pair*, std::uint32_t, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
