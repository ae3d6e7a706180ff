#include <cub/device/device_scan.cuh>

#include "cuda/bin.cuh"
#include "cuda/check.h"

namespace sightline::cuda {
namespace {

constexpr int kSample = 1024;

/// The grid from a sample. Of the 32 warps' least (and greatest) coordinates the third is taken, so that a few far
/// points do not spoil the grid; the extent is the median of the warps' means.
template <typename T>
__global__ void choose_grid_kernel(DeviceMesh<T> mesh, GridChoice choice, State<T>* state) {
  __shared__ double low[3][32], high[3][32], extent[32];
  const std::uint32_t n = mesh.triangle_count;
  const std::uint32_t tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  // Odd steps through the list, so that every warp sees all of it.
  const std::uint32_t pick = static_cast<std::uint32_t>((std::uint64_t{lane * 32 + warp} * n) / kSample);
  const Corners<T> c = corners_of(mesh, pick < n ? pick : 0);
  double lo[3], hi[3], size = 0;
  for (int axis = 0; axis < 3; ++axis) {
    lo[axis] = least(c, axis);
    hi[axis] = most(c, axis);
    size = max(size, hi[axis] - lo[axis]);
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
    const double* list = warp < 3 ? low[warp] : warp < 6 ? high[warp - 3] : extent;
    const double mine = list[lane];
    int rank = 0;
    for (int i = 0; i < 32; ++i) {
      const double other = list[i];
      rank += (down ? other > mine : other < mine) || (other == mine && i < static_cast<int>(lane)) ? 1 : 0;
    }
    if (rank == (warp == 6 ? 16 : n >= 4096 ? 2 : 0)) chosen[warp] = mine;
  }
  __syncthreads();
  if (tid != 0) return;
  double range[3], base[3], width = 0;
  for (int axis = 0; axis < 3; ++axis) {
    base[axis] = chosen[axis];
    // Beyond 1e300 coordinates are clamped to the last cell: the difference may not even be finite.
    range[axis] = min(max(chosen[3 + axis] - base[axis], 0.0), 1e300);
    width = max(width, range[axis]);
  }
  const double typical = chosen[6];
  const auto count = [&](double c, int axis) {
    return min(axis < 2 ? double{kMostAcross} : double{kMostDeep}, floor(range[axis] / c) + 1);
  };
  const auto widened = [&](double c, double most) {  // until there are few enough cells
    for (int i = 0; i < 200; ++i) {
      const double cells = count(c, 0) * count(c, 1) * count(c, 2);
      if (cells <= most) break;
      c *= max(1.02, cbrt(cells / most));
    }
    return c;
  };
  double cell = max(min(typical * choice.cell, 1e300), width / kMostAcross);
  if (!(cell > 0)) cell = 1;
  cell = widened(cell, choice.most_cells);
  const auto fill = [&](Grid<T>& grid, double c, double most) {
    for (int axis = 0; axis < 3; ++axis) {
      grid.low[axis] = static_cast<T>(base[axis]);
      grid.size[axis] = static_cast<int>(count(c, axis));
    }
    if (count(c, 0) * count(c, 1) * count(c, 2) > most)  // not reached; it would write outside the arrays
      for (int axis = 0; axis < 3; ++axis) grid.size[axis] = 1;
    grid.inverse = static_cast<T>(1 / c);
    grid.width = static_cast<T>(c);
    if (!(grid.inverse < T(1e37))) grid.inverse = T(1e37);
  };
  fill(state->grid, cell, choice.most_cells);
  fill(state->coarse, widened(cell * kCoarser, kMostCoarse), kMostCoarse);
  state->large = state->giant = state->next_window = state->survivors = 0;
  state->contacts = state->coarse_entries = state->entries = 0;
  state->candidates = 0;
}

template <typename T>
__global__ void count_kernel(DeviceMesh<T> mesh, State<T>* state, std::uint32_t* count, std::uint32_t* large,
                             std::uint32_t most_large) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= mesh.triangle_count) return;
  const Grid<T>& grid = state->grid;
  const CellBox box = cell_box(grid, corners_of(mesh, t));
  if (box.count() > kMostCells) {
    const std::uint32_t at = append(&state->large);
    if (at < most_large) large[at] = t;
    return;
  }
  for_each_cell(box, grid.size, [&](int cell, std::uint32_t) { atomicAdd(&count[cell], 1u); });
}

/// Takes the counts back to zero as it goes.
template <typename T>
__global__ void scatter_kernel(DeviceMesh<T> mesh, State<T>* state, std::uint32_t* count, const std::uint32_t* start,
                               std::uint32_t most_cells, Entry* entries, std::uint32_t most_entries) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= mesh.triangle_count) return;
  if (t == 0) state->entries = start[most_cells];
  const Grid<T>& grid = state->grid;
  const CellBox box = cell_box(grid, corners_of(mesh, t));
  if (box.count() > kMostCells) return;
  for_each_cell(box, grid.size, [&](int cell, std::uint32_t place) {
    const std::uint32_t at = start[cell] + atomicSub(&count[cell], 1u) - 1;
    if (at < most_entries) entries[at] = {t, place};
  });
}

std::uint32_t blocks(std::uint64_t n, std::uint32_t threads) {
  return static_cast<std::uint32_t>((n + threads - 1) / threads);
}

}  // namespace

template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, State<T>* state, cudaStream_t stream) {
  choose_grid_kernel<<<1, kSample, 0, stream>>>(mesh, choice, state);
  SIGHTLINE_CUDA(cudaGetLastError());
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
  constexpr std::uint32_t kThreads = 256;
  const std::uint32_t n = mesh.triangle_count;
  count_kernel<<<blocks(n, kThreads), kThreads, 0, stream>>>(mesh, state, b.count, b.large, b.most_large);
  SIGHTLINE_CUDA(cudaGetLastError());
  std::size_t bytes = b.scan_bytes;
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, b.count, b.start, most_cells + 1, stream));
  scatter_kernel<<<blocks(n, kThreads), kThreads, 0, stream>>>(mesh, state, b.count, b.start, most_cells, b.entries,
                                                               b.most_entries);
  SIGHTLINE_CUDA(cudaGetLastError());
}

template void choose_grid(const DeviceMesh<float>&, const GridChoice&, State<float>*, cudaStream_t);
template void choose_grid(const DeviceMesh<double>&, const GridChoice&, State<double>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<float>&, std::uint32_t, const BinBuffers&, State<float>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<double>&, std::uint32_t, const BinBuffers&, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
