#include <cub/device/device_scan.cuh>

#include "cuda/check.h"
#include "cuda/stages.cuh"

namespace sightline::cuda {
namespace {

constexpr int kSample = 1024;
/// Fewer triangles cannot have 2^32 entries.
constexpr std::uint32_t kManyTriangles = (std::uint64_t{1} << 32) / kMostCells;

/// The grid from a sample. Of the 32 warps' least (and greatest) coordinates the third is taken, so that a few far
/// points do not spoil the grid; the extent is the median of the warps' means.
template <typename T>
__global__ void choose_grid_kernel(DeviceMesh<T> mesh, GridChoice choice, State<T>* state) {
  __shared__ T low[3][32], high[3][32];
  __shared__ double extent[32];
  const std::uint32_t n = mesh.triangle_count;
  const std::uint32_t tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  // Odd steps through the list, so that every warp sees all of it.
  const std::uint32_t pick = static_cast<std::uint32_t>((std::uint64_t{lane * 32 + warp} * n) / kSample);
  const Corners<T> c = corners_of(mesh, pick < n ? pick : 0);
  T lo[3], hi[3];
  double size = 0;
  for (int axis = 0; axis < 3; ++axis) {
    lo[axis] = least(c, axis);
    hi[axis] = most(c, axis);
    size = max(size, double{hi[axis]} - lo[axis]);
  }
  for (int step = 16; step > 0; step /= 2) {
    for (int axis = 0; axis < 3; ++axis) {
      lo[axis] = min(lo[axis], __shfl_xor_sync(~0u, lo[axis], step));
      hi[axis] = max(hi[axis], __shfl_xor_sync(~0u, hi[axis], step));
    }
    size += __shfl_xor_sync(~0u, size, step);
  }
  if (lane == 0) {
    for (int axis = 0; axis < 3; ++axis) low[axis][warp] = lo[axis], high[axis][warp] = hi[axis];
    extent[warp] = size / 32;
  }
  __syncthreads();
  // Warp w takes the k-th of list w: least coordinates, greatest ones, extents.
  __shared__ double chosen[7];
  if (warp < 7) {
    const bool down = warp >= 3 && warp < 6;
    const auto item = [&](std::uint32_t i) {
      return warp < 3 ? double{low[warp][i]} : warp < 6 ? double{high[warp - 3][i]} : extent[i];
    };
    const double mine = item(lane);
    int rank = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      const double other = item(i);
      rank += (down ? other > mine : other < mine) || (other == mine && i < lane) ? 1 : 0;
    }
    if (rank == (warp == 6 ? 16 : n >= 4096 ? 2 : 0)) chosen[warp] = mine;
  }
  __syncthreads();
  if (warp != 0) return;
  double range[3], base[3], width = 0;
  for (int axis = 0; axis < 3; ++axis) {
    base[axis] = chosen[axis];
    // Beyond 1e300 coordinates are clamped to the last cell: the difference may not even be finite.
    range[axis] = min(max(chosen[3 + axis] - base[axis], 0.0), 1e300);
    width = max(width, range[axis]);
  }
  const double typical = chosen[6];
  // Cells are counted by how many there are in a unit, since divisions take long.
  const auto count = [&](double per_unit, int axis) {
    return min(axis < 2 ? double{kMostAcross} : double{kMostDeep}, floor(range[axis] * per_unit) + 1);
  };
  const auto cells = [&](double per_unit) { return count(per_unit, 0) * count(per_unit, 1) * count(per_unit, 2); };
  // The cell widened until there are few enough cells: all lanes try at once, first doubling, then between the last
  // two.
  const double more = 32.0 / (33 + lane), half = 1.0 / (1u << lane);
  const auto widened = [&](double per_unit, double most) {
    const unsigned doubled = __ballot_sync(~0u, cells(per_unit * half) <= most);
    const int twice = __ffs(static_cast<int>(doubled)) - 1;
    if (twice == 0) return per_unit;
    if (twice < 0) return max(per_unit * 0x1p-31, 1e-300);  // the number is checked again
    per_unit *= 2.0 / (1u << twice);
    const unsigned between = __ballot_sync(~0u, cells(per_unit * more) <= most);
    return per_unit * __shfl_sync(~0u, more, __ffs(static_cast<int>(between)) - 1);
  };
  double cell = max(min(typical * choice.cell, 1e300), width / kMostAcross);
  if (!(cell > 0)) cell = 1;
  double per_unit = widened(min(1 / cell, 1e300), choice.most_cells);
  // Each lane keeps one grid, the finest one first, and writes it.
  double own = per_unit, most = choice.most_cells;
  for (int level = 0; level < kLevels; ++level) {
    per_unit = widened(max(per_unit / kCoarser, 1e-300), kMostCoarse);
    if (lane == level + 1) own = per_unit, most = kMostCoarse;
  }
  if (lane <= kLevels) {
    Grid<T>& grid = lane == 0 ? state->grid : state->coarse[lane - 1];
    const bool few = cells(own) <= most;  // always; otherwise it would write outside the arrays
    for (int axis = 0; axis < 3; ++axis) {
      grid.low[axis] = static_cast<T>(base[axis]);
      grid.size[axis] = few ? static_cast<int>(count(own, axis)) : 1;
    }
    grid.inverse = min(max(static_cast<T>(own), rules::kLeastCellsPerUnit<T>), rules::kMostCellsPerUnit<T>);
    grid.width = static_cast<T>(1 / own);
  }
  if (lane != 0) return;
  state->large = state->giant = state->next_unit = state->next_large = 0;
  state->groups = 0;
  state->survivors = 0;
  state->contacts = state->coarse_entries = state->all_entries = 0;
  state->entries = 0;
  state->listed = state->wide = state->culled = state->blocks_done = state->unordered = 0;
  state->candidates = 0;
}

/// Lanes next to each other that have the same cell: what they do to it is done once for all of them.
struct Run {
  int head;    ///< its first lane
  int length;  ///< 0: the lane has no more cells
};

/// The cells of a warp's triangles, kAhead of each lane at a time: take(cell, run) for all of these, then put(taken,
/// place, run) for each, so that the answers of several atomic operations are waited for at once. Called by all lanes.
template <int kAhead, typename Take, typename Put>
__device__ inline void for_each_run(const CellBox& box, bool wanted, const int* size, const Take& take,
                                    const Put& put) {
  const int lane = threadIdx.x & 31;
  int x = box.low[0], y = box.low[1], z = box.low[2];
  while (__any_sync(~0u, wanted)) {
    std::uint32_t taken[kAhead], place[kAhead];
    Run run[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::uint32_t cell = wanted ? static_cast<std::uint32_t>((z * size[1] + y) * size[0] + x) : ~0u;
      const std::uint32_t before = __shfl_up_sync(~0u, cell, 1);
      const unsigned heads = __ballot_sync(~0u, lane == 0 || cell != before), upto = (2u << lane) - 1;
      run[k] = {31 - __clz(static_cast<int>(heads & upto)), 0};
      const int behind = __ffs(static_cast<int>(heads & ~upto));
      if (wanted) run[k].length = (behind == 0 ? 32 : behind - 1) - run[k].head;
      place[k] = static_cast<std::uint32_t>(x | y << 11 | z << 22);
      taken[k] = take(cell, run[k]);
      wanted = wanted && !(x == box.high[0] && y == box.high[1] && z == box.high[2]);
      if (++x > box.high[0]) {
        x = box.low[0];
        if (++y > box.high[1]) y = box.low[1], ++z;
      }
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) put(taken[k], place[k], run[k]);
  }
}

__device__ inline PackedCells packed(const CellBox& box, bool wanted) {
  const auto extent = [&](int axis) { return static_cast<std::uint32_t>(box.high[axis] - box.low[axis]); };
  return {static_cast<std::uint32_t>(box.low[0] | box.low[1] << 11 | box.low[2] << 22),
          wanted ? extent(0) | extent(1) << 8 | extent(2) << 16 : ~0u};
}
/// False if the triangle has no entries.
__device__ inline bool unpacked(const PackedCells& cells, CellBox& box) {
  box.low[0] = static_cast<int>(cells.low & 2047);
  box.low[1] = static_cast<int>(cells.low >> 11 & 2047);
  box.low[2] = static_cast<int>(cells.low >> 22);
  for (int axis = 0; axis < 3; ++axis)
    box.high[axis] = box.low[axis] + static_cast<int>(cells.extents >> (8 * axis) & 255);
  return cells.extents != ~0u;
}

template <typename T>
__global__ void count_kernel(DeviceMesh<T> mesh, State<T>* state, std::uint32_t* count, PackedCells* cells,
                             std::uint32_t* large, std::uint32_t most_large) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  bool wanted = t < mesh.triangle_count && !mesh.is_clear(t);
  CellBox box{};
  if (wanted) {
    std::uint32_t vertices[3];
    box = cell_box(state->grid, corners_of(mesh, t, vertices));
    if (mesh.soup && (vertices[0] != 3 * t || vertices[1] != 3 * t + 1 || vertices[2] != 3 * t + 2)) state->listed = 1;
    if (box.count() > kMostCells) {
      const std::uint32_t at = append(&state->large);
      if (at < most_large) large[at] = t;
      wanted = false;
    }
  }
  if (t < mesh.triangle_count) cells[t] = packed(box, wanted);
  if (mesh.triangle_count >= kManyTriangles && wanted) atomicAdd(&state->all_entries, box.count());
  const auto add = [&](std::uint32_t cell, const Run& run) {
    if (run.length > 0 && (threadIdx.x & 31) == run.head) atomicAdd(&count[cell], static_cast<unsigned>(run.length));
    return 0u;
  };
  for_each_run<1>(box, wanted, state->grid.size, add, [](std::uint32_t, std::uint32_t, const Run&) {});
}

template <typename T>
__global__ void scatter_kernel(std::uint32_t triangles, State<T>* state, const PackedCells* cells, std::uint32_t* end,
                               std::uint32_t most_cells, Entry* entries, std::uint32_t most_entries) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t == 0) state->entries = end[most_cells];
  CellBox box{};
  const bool wanted = t < triangles && unpacked(cells[t], box);
  const int lane = threadIdx.x & 31;
  const auto take = [&](std::uint32_t cell, const Run& run) {
    return run.length > 0 && lane == run.head ? atomicAdd(&end[cell], static_cast<unsigned>(run.length)) : 0u;
  };
  const auto put = [&](std::uint32_t taken, std::uint32_t place, const Run& run) {
    const std::uint32_t at = __shfl_sync(~0u, taken, run.head) + (lane - run.head);
    if (run.length > 0 && at < most_entries) entries[at] = {t, place};
  };
  for_each_run<4>(box, wanted, state->grid.size, take, put);
}

}  // namespace

template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, const BinBuffers& b, State<T>* state,
                 cudaStream_t stream) {
  SIGHTLINE_CUDA(cudaMemsetAsync(b.end, 0, (std::size_t{choice.most_cells} + 1) * sizeof(std::uint32_t), stream));
  launch(choose_grid_kernel<T>, 1, kSample, stream, mesh, choice, state);
}

std::size_t scan_bytes(std::uint32_t cells) {
  std::size_t bytes = 0;
  std::uint32_t* none = nullptr;
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, cells + 1));
  return bytes;
}

template <typename T>
void bin_triangles(const DeviceMesh<T>& mesh, std::uint32_t most_cells, const BinBuffers& b, State<T>* state,
                   cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  const unsigned blocks = blocks_for(mesh.triangle_count, kThreads);
  launch(count_kernel<T>, blocks, kThreads, stream, mesh, state, b.end, b.cells, b.large, b.most_large);
  std::size_t bytes = b.scan_bytes;
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, b.end, b.end, most_cells + 1, stream));
  launch(scatter_kernel<T>, blocks, kThreads, stream, mesh.triangle_count, state, b.cells, b.end, most_cells, b.entries,
         b.most_entries);
}

template void choose_grid(const DeviceMesh<float>&, const GridChoice&, const BinBuffers&, State<float>*, cudaStream_t);
template void choose_grid(const DeviceMesh<double>&, const GridChoice&, const BinBuffers&, State<double>*,
                          cudaStream_t);
template void bin_triangles(const DeviceMesh<float>&, std::uint32_t, const BinBuffers&, State<float>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<double>&, std::uint32_t, const BinBuffers&, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
