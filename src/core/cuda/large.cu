// Large triangles. Each is entered into the finest of the coarse grids of which it covers few cells; then every
// triangle is compared with the large ones in its own cells of these grids. Giants, which cover many cells of all of
// these grids, are compared with every triangle. A pair goes on if the boxes meet.
#include <cub/device/device_scan.cuh>

#include "cuda/check.h"
#include "cuda/stages.cuh"

namespace sightline::cuda {
namespace {

constexpr int kThreads = 256;

/// The rank of a triangle by its size: 0 small, 1 … kLevels entered into that coarse grid, kLevels + 1 a giant. `box`:
/// its cells in that grid.
template <typename T>
__device__ int coarse_rank(const State<T>* state, const Corners<T>& c, CellBox& box) {
  for (int level = 0; level < kLevels; ++level) {
    box = cell_box(state->coarse[level], c);
    if (box.count() <= kMostCoarseCells) return level + 1;
  }
  return kLevels + 1;
}
template <typename T>
__device__ int rank_of(const State<T>* state, const Corners<T>& c) {
  CellBox box;
  return cell_box(state->grid, c).count() <= kMostCells ? 0 : coarse_rank(state, c, box);
}

/// Calls visit(number) for each cell of a coarse grid; numbers go on from one grid to the next.
template <typename T, typename Visit>
__device__ void for_each_coarse_cell(const State<T>* state, int rank, const CellBox& box, const Visit& visit) {
  for_each_cell(box, state->coarse[rank - 1].size,
                [&](int cell, std::uint32_t) { visit((rank - 1) * kMostCoarse + cell); });
}

template <typename T>
__global__ void count_large_kernel(DeviceMesh<T> mesh, State<T>* state, const std::uint32_t* large,
                                   std::uint32_t most_large, std::uint32_t* count, Box<T>* boxes,
                                   std::uint32_t* giants) {
  const std::uint32_t n = min(state->large, most_large);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const Corners<T> c = corners_of(mesh, large[i]);
    boxes[i] = box_of(c);
    CellBox box;
    const int rank = coarse_rank(state, c, box);
    if (rank > kLevels) {
      giants[append(&state->giant)] = i;  // room for as many as there are large ones
      continue;
    }
    atomicAdd(&state->coarse_entries, box.count());
    for_each_coarse_cell(state, rank, box, [&](int cell) { atomicAdd(&count[cell], 1u); });
  }
}

template <typename T>
__global__ void scatter_large_kernel(DeviceMesh<T> mesh, State<T>* state, const std::uint32_t* large,
                                     std::uint32_t most_large, std::uint32_t* count, const std::uint32_t* start,
                                     std::uint32_t* entries, std::uint32_t most_entries) {
  const std::uint32_t n = min(state->large, most_large);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    CellBox box;
    const int rank = coarse_rank(state, corners_of(mesh, large[i]), box);
    if (rank > kLevels) continue;
    for_each_coarse_cell(state, rank, box, [&](int cell) {
      const std::uint32_t at = start[cell] + atomicSub(&count[cell], 1u) - 1;
      if (at < most_entries) entries[at] = i;
    });
  }
}

/// Pairs of a warp on their way to the list: 32 at a time, so that few threads wait for the list's counter.
class PairQueue {
 public:
  __device__ PairQueue(Pair* queue, Pair* list, std::uint32_t most, unsigned long long* counter)
      : queue_(queue), list_(list), most_(most), counter_(counter), lane_(threadIdx.x & 31) {}
  /// Called by all lanes.
  __device__ void add(bool wanted, const Pair& pair) {
    append_lanes(wanted, pair, queue_, queued_);
    if (queued_ >= 32) flush();
  }
  __device__ void flush() {
    __syncwarp();
    const int count = min(queued_, 32);
    queued_ -= count;
    unsigned long long at = 0;
    if (lane_ == 0 && count > 0) at = atomicAdd(counter_, static_cast<unsigned long long>(count));
    at = __shfl_sync(~0u, at, 0) + lane_;
    if (static_cast<int>(lane_) < count && at < most_) list_[at] = queue_[queued_ + lane_];
    __syncwarp();
  }

 private:
  Pair* queue_;  ///< of 64
  Pair* list_;
  std::uint32_t most_;
  unsigned long long* counter_;
  std::uint32_t lane_;
  int queued_ = 0;
};

/// The large triangles that a triangle has to be compared with, one after the other: all giants, then those in its own
/// cells of the coarse grids. A pair is compared from the lower rank, so the grids below the triangle's own are left
/// out.
template <typename T>
class LargeOnes {
 public:
  __device__ LargeOnes(const State<T>* state, const Corners<T>& c, int rank, const std::uint32_t* start)
      : state_(state), corners_(c), start_(start), end_(state->giant) {
    next_ = rank > 1 ? rank : 1;
    skip();
  }
  __device__ bool done() const { return at >= end_; }
  __device__ void next() {
    ++at;
    skip();
  }
  std::uint32_t at = 0;     ///< in the list of giants, or in that of the cells
  int rank = kLevels + 1;   ///< of the large triangles that are compared now
  int cell[3] = {0, 0, 0};  ///< the current cell, unless they are giants

 private:
  /// Moves on to the first cell that has large triangles.
  __device__ void skip() {
    while (at >= end_) {
      if (rank <= kLevels && step()) {
      } else if (next_ <= kLevels) {
        rank = next_++;
        box_ = cell_box(state_->coarse[rank - 1], corners_);
        for (int axis = 0; axis < 3; ++axis) cell[axis] = box_.low[axis];
      } else {
        return;
      }
      const int* size = state_->coarse[rank - 1].size;
      const int number = (rank - 1) * kMostCoarse + (cell[2] * size[1] + cell[1]) * size[0] + cell[0];
      at = start_[number];
      end_ = start_[number + 1];
    }
  }
  __device__ bool step() {
    if (++cell[0] <= box_.high[0]) return true;
    cell[0] = box_.low[0];
    if (++cell[1] <= box_.high[1]) return true;
    cell[1] = box_.low[1];
    return ++cell[2] <= box_.high[2];
  }

  const State<T>* state_;
  const Corners<T>& corners_;
  const std::uint32_t* start_;
  std::uint32_t end_;
  CellBox box_;
  int next_;  ///< rank
};

template <typename T>
__global__ void large_pairs_kernel(DeviceMesh<T> mesh, State<T>* state, const std::uint32_t* large, const Box<T>* boxes,
                                   const std::uint32_t* start, const std::uint32_t* entries, std::uint32_t most_entries,
                                   const std::uint32_t* giants, Pair* survivors, std::uint32_t most_survivors) {
  __shared__ Pair queues[kThreads / 32][64];
  if (state->large == 0 || state->coarse_entries > most_entries) return;
  PairQueue queue(queues[threadIdx.x / 32], survivors, most_survivors, &state->survivors);
  const std::uint32_t n = mesh.triangle_count;
  for (std::uint64_t first = blockIdx.x * kThreads + threadIdx.x / 32 * 32; first < n; first += gridDim.x * kThreads) {
    const std::uint32_t t = static_cast<std::uint32_t>(first) + (threadIdx.x & 31);
    const bool there = t < n && !mesh.is_clear(t);
    const Corners<T> c = corners_of(mesh, t < n ? t : 0);
    const int rank = rank_of(state, c);
    const std::uint32_t object = mesh.object == nullptr || !there ? 1 : mesh.object[t];
    const Box<T> box = box_of(c);
    LargeOnes<T> others(state, c, rank, start);
    for (;;) {
      const bool some = there && !others.done();
      if (!__any_sync(~0u, some)) break;
      bool met = some;
      Pair pair{0, 0};
      if (some) {
        const bool giant = others.rank > kLevels;
        const std::uint32_t i = giant ? giants[others.at] : entries[others.at];
        const Box<T> d = boxes[i];  // tested first, so that the corners seldom need to be fetched
        for (int axis = 0; axis < 3; ++axis)
          met = met && box.low[axis] <= d.high[axis] && d.low[axis] <= box.high[axis];
        if (met && !giant)  // R1 of rules/report.h, on the coarser level
          for (int axis = 0; axis < 3; ++axis)
            met = met &&
                  cell_of(state->coarse[others.rank - 1], axis, max(box.low[axis], d.low[axis])) == others.cell[axis];
        if (met) {
          const std::uint32_t other = large[i];
          met = rank < others.rank || t < other;  // of one rank, from the lower number
          met = met && (mesh.object == nullptr || mesh.wanted(mesh.object[other], object));
          pair = {min(t, other), max(t, other)};
        }
        others.next();
      }
      queue.add(met, pair);
    }
  }
  queue.flush();
}

}  // namespace

template <typename T>
void find_large_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const LargeBuffers& b, Pair* survivors,
                      std::uint32_t most_survivors, State<T>* state, cudaStream_t stream) {
  constexpr int kBlocks = 264;
  Box<T>* const boxes = static_cast<Box<T>*>(b.boxes);
  launch(count_large_kernel<T>, kBlocks, kThreads, stream, mesh, state, bins.large, bins.most_large, b.count, boxes,
         b.giants);
  std::size_t bytes = b.scan_bytes;
  SIGHTLINE_CUDA(
      cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, b.count, b.start, kLevels * kMostCoarse + 1, stream));
  launch(scatter_large_kernel<T>, kBlocks, kThreads, stream, mesh, state, bins.large, bins.most_large, b.count, b.start,
         b.entries, b.most_entries);
  launch(large_pairs_kernel<T>, kBlocks * 4, kThreads, stream, mesh, state, bins.large, boxes, b.start, b.entries,
         b.most_entries, b.giants, survivors, most_survivors);
}

template void find_large_pairs(const DeviceMesh<float>&, const BinBuffers&, const LargeBuffers&, Pair*, std::uint32_t,
                               State<float>*, cudaStream_t);
template void find_large_pairs(const DeviceMesh<double>&, const BinBuffers&, const LargeBuffers&, Pair*, std::uint32_t,
                               State<double>*, cudaStream_t);

}  // namespace sightline::cuda
