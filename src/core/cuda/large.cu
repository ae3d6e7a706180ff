// Large triangles. Each is entered into the finest of the coarse grids of which it covers few cells; then every
// triangle is compared with the large ones in its own cells of these grids. Giants, which cover many cells of all of
// these grids, are compared with every triangle. A pair whose boxes meet is decided at once, or left to the exact
// stage.
#include <cub/device/device_scan.cuh>

#include "cuda/check.h"
#include "cuda/filter.cuh"
#include "cuda/stages.cuh"

namespace sightline::cuda {
namespace {

constexpr int kThreads = 256;

/// The rank of a triangle by its size: 0 small, 1 … kLevels entered into that coarse grid, kLevels + 1 a giant.
/// `cells`: its cells in that grid.
template <typename T>
__device__ int coarse_rank(const State<T>* state, const Box<T>& box, CellBox& cells) {
  for (int level = 0; level < kLevels; ++level) {
    cells = cell_box(state->coarse[level], box);
    if (cells.count() <= kMostCoarseCells) return level + 1;
  }
  return kLevels + 1;
}
template <typename T>
__device__ int rank_of(const State<T>* state, const Box<T>& box) {
  CellBox cells;
  return cell_box(state->grid, box).count() <= kMostCells ? 0 : coarse_rank(state, box, cells);
}

/// The number of a cell among those of all coarse grids.
template <typename T>
__device__ int coarse_number(const Grid<T>& grid, int level, const int* cell) {
  return level * kMostCoarse + (cell[2] * grid.size[1] + cell[1]) * grid.size[0] + cell[0];
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
    boxes[i] = box_of(corners_of(mesh, large[i]));
    CellBox cells;
    const int rank = coarse_rank(state, boxes[i], cells);
    if (rank > kLevels) {
      giants[append(&state->giant)] = i;  // room for as many as there are large ones
      continue;
    }
    atomicAdd(&state->coarse_entries, cells.count());
    for_each_coarse_cell(state, rank, cells, [&](int cell) { atomicAdd(&count[cell], 1u); });
  }
}

template <typename T>
__global__ void scatter_large_kernel(State<T>* state, std::uint32_t most_large, const Box<T>* boxes,
                                     std::uint32_t* count, const std::uint32_t* start, std::uint32_t* entries,
                                     std::uint32_t most_entries) {
  const std::uint32_t n = min(state->large, most_large);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    CellBox cells;
    const int rank = coarse_rank(state, boxes[i], cells);
    if (rank > kLevels) continue;
    for_each_coarse_cell(state, rank, cells, [&](int cell) {
      const std::uint32_t at = start[cell] + atomicSub(&count[cell], 1u) - 1;
      if (at < most_entries) entries[at] = i;
    });
  }
}

/// A triangle and a large one whose boxes meet, and the cell of a coarse grid where they were found; kGiants: none.
struct Met {
  std::uint32_t triangle, large;
  int cell;
};
constexpr int kGiants = -1;

/// What a warp has found, decided 32 at a time: no lane waits for another one's decision.
template <typename T>
class MetQueue {
 public:
  __device__ MetQueue(Met* queue, const DeviceMesh<T>& mesh, const std::uint32_t* large, const PairOutput& output,
                      State<T>* state)
      : queue_(queue), mesh_(mesh), large_(large), output_(output), state_(state), lane_(threadIdx.x & 31) {}
  /// Called by all lanes.
  __device__ void add(bool wanted, const Met& met) {
    append_lanes(wanted, met, queue_, queued_);
    if (queued_ >= 32) decide_some();
  }
  __device__ void decide_some() {
    __syncwarp();
    const int count = min(queued_, 32);
    queued_ -= count;
    Finding finding = Finding::clear;
    Pair pair{0, 0};
    if (lane_ < count) {
      const Met met = queue_[queued_ + lane_];
      const std::uint32_t other = large_[met.large];
      pair = {min(met.triangle, other), max(met.triangle, other)};
      const Corners<T> a = corners_of(mesh_, met.triangle), b = corners_of(mesh_, other);
      if (reported_here(met, other, box_of(a), box_of(b))) finding = decide(a, b, of_one_object(pair));
    }
    if (finding == Finding::open) output_.add_survivor(pair, state_);
    if (finding == Finding::crossing) output_.add_contact(mesh_, pair, Kind::crossing, state_);
    __syncwarp();
  }

 private:
  __device__ bool of_one_object(const Pair& pair) const {
    return mesh_.object == nullptr || mesh_.object[pair.a] == mesh_.object[pair.b];
  }
  /// R1 of rules/report.h, on the coarser level; of two triangles of one rank, from the lower number.
  __device__ bool reported_here(const Met& met, std::uint32_t other, const Box<T>& a, const Box<T>& b) const {
    if (mesh_.object != nullptr && !mesh_.wanted(mesh_.object[met.triangle], mesh_.object[other])) return false;
    const int level = met.cell == kGiants ? kLevels : met.cell / kMostCoarse;
    if (level < kLevels) {
      const Grid<T>& grid = state_->coarse[level];
      int least_cell[3];
      for (int axis = 0; axis < 3; ++axis) least_cell[axis] = cell_of(grid, axis, max(a.low[axis], b.low[axis]));
      if (met.cell != coarse_number(grid, level, least_cell)) return false;
    }
    return met.triangle < other || rank_of(state_, a) <= level;
  }

  Met* queue_;  ///< of 64
  const DeviceMesh<T>& mesh_;
  const std::uint32_t* large_;
  const PairOutput& output_;
  State<T>* state_;
  int lane_, queued_ = 0;
};

/// The large triangles that a triangle has to be compared with, one after the other: all giants, then those in its own
/// cells of the coarse grids. A pair is compared from the lower rank, so the grids below the triangle's own are left
/// out.
template <typename T>
class LargeOnes {
 public:
  __device__ LargeOnes(const State<T>* state, const Box<T>& box, int rank, const std::uint32_t* start)
      : state_(state), box_(box), start_(start), end_(state->giant), next_(max(rank, 1)) {
    skip();
  }
  __device__ bool done() const { return at >= end_; }
  __device__ void next() {
    ++at;
    skip();
  }
  std::uint32_t at = 0;  ///< in the list of giants, or in that of the cells
  int number = kGiants;  ///< of the current cell

 private:
  /// Moves on to the first cell that has large triangles.
  __device__ void skip() {
    while (at >= end_) {
      if (number == kGiants || !step()) {
        if (next_ > kLevels) return;
        cells_ = cell_box(state_->coarse[next_ - 1], box_);
        for (int axis = 0; axis < 3; ++axis) cell_[axis] = cells_.low[axis];
        ++next_;
      }
      number = coarse_number(state_->coarse[next_ - 2], next_ - 2, cell_);
      at = start_[number];
      end_ = start_[number + 1];
    }
  }
  __device__ bool step() {
    if (++cell_[0] <= cells_.high[0]) return true;
    cell_[0] = cells_.low[0];
    if (++cell_[1] <= cells_.high[1]) return true;
    cell_[1] = cells_.low[1];
    return ++cell_[2] <= cells_.high[2];
  }

  const State<T>* state_;
  const Box<T>& box_;
  const std::uint32_t* start_;
  std::uint32_t end_;
  CellBox cells_;
  int cell_[3] = {0, 0, 0};
  int next_;  ///< rank
};

/// Each triangle once: the large ones, then the others at the entry of their least cell, so that the triangles of a
/// warp are in the same coarse cells and are compared with the same large ones.
template <typename T>
__global__ void large_pairs_kernel(DeviceMesh<T> mesh, State<T>* state, BinBuffers bins, const Box<T>* boxes,
                                   const std::uint32_t* start, const std::uint32_t* entries, std::uint32_t most_entries,
                                   const std::uint32_t* giants, PairOutput output) {
  constexpr int kWarps = kThreads / 32;
  __shared__ Met queues[kWarps][64];
  __shared__ std::uint32_t waiting[kWarps][64];
  const std::uint32_t large = min(state->large, bins.most_large), small = state->entries;
  if (large == 0 || state->coarse_entries > most_entries || small > bins.most_entries) return;
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  MetQueue<T> queue(queues[warp], mesh, bins.large, output, state);

  const auto compare = [&](bool there, std::uint32_t t) {
    const Box<T> box = box_of(corners_of(mesh, t));
    LargeOnes<T> others(state, box, rank_of(state, box), start);
    for (;;) {
      bool met = there && !others.done();
      if (!__any_sync(~0u, met)) break;
      Met found{};
      if (met) {
        found = {t, others.number == kGiants ? giants[others.at] : entries[others.at], others.number};
        const Box<T> d = boxes[found.large];
        for (int axis = 0; axis < 3; ++axis)
          met = met && box.low[axis] <= d.high[axis] && d.low[axis] <= box.high[axis];
        others.next();
      }
      queue.add(met, found);
    }
  };

  const std::uint32_t of_large = (large + 31) / 32, units = of_large + small / 32 + (small % 32 != 0);
  int count = 0;  // waiting
  for (std::uint32_t unit = blockIdx.x * kWarps + warp;; unit += gridDim.x * kWarps) {
    const bool more = unit < units;
    if (more) {
      std::uint32_t t = 0, i = unit * 32 + lane;
      bool wanted = false;
      if (unit < of_large) {
        wanted = i < large;
        if (wanted) t = bins.large[i];
      } else if (i -= of_large * 32; i < small) {
        const Entry entry = bins.entries[i];
        t = entry.triangle;
        wanted = bins.cells[t].low == entry.place;
      }
      append_lanes(wanted, t, waiting[warp], count);
    }
    if (count >= 32 || (!more && count > 0)) {
      __syncwarp();
      const int some = min(count, 32);
      count -= some;
      const std::uint32_t t = waiting[warp][lane < some ? count + lane : 0];
      __syncwarp();
      compare(lane < some, t);
    }
    if (!more) break;
  }
  queue.decide_some();
}

}  // namespace

template <typename T>
void find_large_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const LargeBuffers& b,
                      const PairOutput& output, State<T>* state, cudaStream_t stream) {
  constexpr int kBlocks = 264;
  Box<T>* const boxes = static_cast<Box<T>*>(b.boxes);
  launch(count_large_kernel<T>, kBlocks, kThreads, stream, mesh, state, bins.large, bins.most_large, b.count, boxes,
         b.giants);
  std::size_t bytes = b.scan_bytes;
  SIGHTLINE_CUDA(
      cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, b.count, b.start, kLevels * kMostCoarse + 1, stream));
  launch(scatter_large_kernel<T>, kBlocks, kThreads, stream, state, bins.most_large, boxes, b.count, b.start, b.entries,
         b.most_entries);
  launch(large_pairs_kernel<T>, kBlocks * 4, kThreads, stream, mesh, state, bins, boxes, b.start, b.entries,
         b.most_entries, b.giants, output);
}

template void find_large_pairs(const DeviceMesh<float>&, const BinBuffers&, const LargeBuffers&, const PairOutput&,
                               State<float>*, cudaStream_t);
template void find_large_pairs(const DeviceMesh<double>&, const BinBuffers&, const LargeBuffers&, const PairOutput&,
                               State<double>*, cudaStream_t);

}  // namespace sightline::cuda
