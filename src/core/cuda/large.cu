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

/// What a warp has found, 32 at a time: no lane waits for another one's decision. Most triangles are on one side of the
/// large one's plane; only the others are decided.
template <typename T>
class MetQueue {
 public:
  struct Memory {
    Met boxed[64], doubted[64];
  };
  __device__ MetQueue(Memory& memory, const DeviceMesh<T>& mesh, const std::uint32_t* large, const PairOutput& output,
                      State<T>* state)
      : memory_(memory), mesh_(mesh), large_(large), output_(output), state_(state), lane_(threadIdx.x & 31) {}
  /// Called by all lanes.
  __device__ void add(bool wanted, const Met& met) {
    append_lanes(wanted, met, memory_.boxed, boxed_);
    if (boxed_ >= 32) try_planes();
  }
  __device__ void finish() {
    try_planes();
    decide_some();
  }

 private:
  /// The last 32 whose boxes meet.
  __device__ void try_planes() {
    __syncwarp();
    const int count = min(boxed_, 32);
    boxed_ -= count;
    Met met{};
    bool doubted = false;
    if (lane_ < count) {
      met = memory_.boxed[boxed_ + lane_];
      const Corners<T> c = corners_of(mesh_, large_[met.large]), t = corners_of(mesh_, met.triangle);
      const Plane<T> plane = Plane<T>::through(corner(c, 0), corner(c, 1), corner(c, 2));
      int sum = 0;
      for (int i = 0; i < 3; ++i) sum += plane.at(corner(t, i)).sign();
      doubted = sum != 3 && sum != -3;
    }
    append_lanes(doubted, met, memory_.doubted, doubted_);
    __syncwarp();
    if (doubted_ >= 32) decide_some();
  }
  /// The last 32 that are not on one side.
  __device__ void decide_some() {
    __syncwarp();
    const int count = min(doubted_, 32);
    doubted_ -= count;
    Finding finding = Finding::clear;
    Pair pair{0, 0};
    if (lane_ < count) {
      const Met met = memory_.doubted[doubted_ + lane_];
      const std::uint32_t other = large_[met.large];
      pair = {min(met.triangle, other), max(met.triangle, other)};
      const Corners<T> a = corners_of(mesh_, met.triangle), b = corners_of(mesh_, other);
      if (reported_here(met, other, box_of(a), box_of(b))) finding = decide(a, b, of_one_object(pair));
    }
    if (finding == Finding::open) output_.add_survivor(pair, state_);
    if (finding == Finding::crossing) output_.add_contact(mesh_, pair, Kind::crossing, state_);
    __syncwarp();
  }

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

  Memory& memory_;
  const DeviceMesh<T>& mesh_;
  const std::uint32_t* large_;
  const PairOutput& output_;
  State<T>* state_;
  int lane_, boxed_ = 0, doubted_ = 0;
};

/// The large triangles that a triangle has to be compared with, list by list: all giants, then those of each of its
/// cells of the coarse grids. A pair is compared from the lower rank, so the grids below the triangle's own are left
/// out.
template <typename T>
class LargeOnes {
 public:
  __device__ LargeOnes(const State<T>* state, const Box<T>& box, int rank, const std::uint32_t* start)
      : end(state->giant), state_(state), box_(box), start_(start), next_(max(rank, 1)) {
    skip();
  }
  __device__ bool done() const { return at >= end; }
  /// Takes the first `count` of the list as seen, and moves on to the next list if they were all.
  __device__ void drop(std::uint32_t count) {
    at += count;
    skip();
  }
  std::uint32_t at = 0, end;  ///< of the list of giants, or of that of the cells
  int number = kGiants;       ///< of the current cell

 private:
  /// Moves on to the first cell that has large triangles.
  __device__ void skip() {
    while (at >= end) {
      if (number == kGiants || !step()) {
        if (next_ > kLevels) return;
        cells_ = cell_box(state_->coarse[next_ - 1], box_);
        for (int axis = 0; axis < 3; ++axis) cell_[axis] = cells_.low[axis];
        ++next_;
      }
      number = coarse_number(state_->coarse[next_ - 2], next_ - 2, cell_);
      at = start_[number];
      end = start_[number + 1];
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
  constexpr std::uint32_t kAtOnce = 4;  // boxes under way
  __shared__ typename MetQueue<T>::Memory queues[kWarps];
  __shared__ std::uint32_t waiting[kWarps][64];
  const std::uint32_t large = min(state->large, bins.most_large), small = state->entries;
  if (large == 0 || state->coarse_entries > most_entries || small > bins.most_entries) return;
  const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  MetQueue<T> queue(queues[warp], mesh, bins.large, output, state);

  const auto compare = [&](bool there, std::uint32_t t) {
    const Box<T> box = box_of(corners_of(mesh, t));
    LargeOnes<T> others(state, box, rank_of(state, box), start);
    // Up to 32 of a list in a row, and no step for all lanes in between; then what has been met.
    while (__any_sync(~0u, there && !others.done())) {
      const std::uint32_t* const list = (others.number == kGiants ? giants : entries) + others.at;
      const std::uint32_t some = there ? min(others.end - others.at, 32u) : 0;
      unsigned met = 0;
      for (std::uint32_t k = 0; k < some; k += kAtOnce) {
        Box<T> d[kAtOnce];
#pragma unroll
        for (std::uint32_t j = 0; j < kAtOnce; ++j) d[j] = boxes[list[min(k + j, some - 1)]];
#pragma unroll
        for (std::uint32_t j = 0; j < kAtOnce; ++j) {
          bool meets = k + j < some;
          for (int axis = 0; axis < 3; ++axis)
            meets = meets & (box.low[axis] <= d[j].high[axis]) & (d[j].low[axis] <= box.high[axis]);
          met |= meets ? 1u << (k + j) : 0u;
        }
      }
      const int number = others.number;
      if (there) others.drop(some);
      while (__any_sync(~0u, met != 0)) {
        const int k = __ffs(static_cast<int>(met)) - 1;
        queue.add(met != 0, {t, met != 0 ? list[k] : 0, number});
        met &= met - 1;
      }
    }
  };

  const std::uint32_t of_large = (large + 31) / 32, units = of_large + small / 32 + (small % 32 != 0);
  int count = 0;  // waiting
  for (bool more = true; more;) {
    std::uint32_t unit = 0;
    if (lane == 0) unit = atomicAdd(&state->next_large, 1u);
    unit = __shfl_sync(~0u, unit, 0);
    more = unit < units;
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
  }
  queue.finish();
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
