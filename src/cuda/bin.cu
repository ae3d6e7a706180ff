#include <thrust/iterator/transform_iterator.h>

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
  if (tid != 0) return;
  const auto place = [](double* list, int k, bool down) {  // the k-th after sorting
    for (int i = 0; i <= k; ++i)
      for (int j = i + 1; j < 32; ++j)
        if (down ? list[j] > list[i] : list[j] < list[i]) {
          const double t = list[i];
          list[i] = list[j], list[j] = t;
        }
    return list[k];
  };
  const int k = n >= 4096 ? 2 : 0;
  double range[3], base[3], width = 0;
  for (int axis = 0; axis < 3; ++axis) {
    base[axis] = place(low[axis], k, false);
    range[axis] = max(place(high[axis], k, true) - base[axis], 0.0);
    width = max(width, range[axis]);
  }
  const double typical = place(extent, 16, false);
  double cell = max(typical * choice.cell, width / 1000);
  if (!(cell > 0) || !(cell < 1e300)) cell = 1;
  const auto count = [&](double c, int axis) { return min(1023.0, floor(range[axis] / c) + 1); };
  for (int i = 0; i < 64; ++i) {
    const double cells = count(cell, 0) * count(cell, 1) * count(cell, 2);
    if (cells <= choice.most_cells) break;
    cell *= max(1.02, cbrt(cells / choice.most_cells));
  }
  const auto fill = [&](Grid<T>& grid, double c) {
    for (int axis = 0; axis < 3; ++axis) {
      grid.low[axis] = static_cast<T>(base[axis]);
      grid.size[axis] = static_cast<int>(count(c, axis));
    }
    grid.inverse = static_cast<T>(1 / c);
    if (!(grid.inverse < T(1e37))) grid.inverse = T(1e37);
  };
  fill(state->grid, cell);
  fill(state->coarse, cell * kCoarser);
  state->large = state->giant = state->next_task = state->survivors = state->contacts = state->coarse_entries = 0;
  state->totals = state->candidates = 0;
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
  for_each_cell(box, grid.size, [&](int cell) { atomicAdd(&count[cell], 1u); });
}

__host__ __device__ inline unsigned long long tasks_and_entries(std::uint32_t n) {
  const unsigned long long chunks = (n + kChunk - 1) / kChunk;
  return (n < 2 ? 0 : chunks * (chunks + 1) / 2) << 32 | n;
}

struct TasksAndEntries {
  __host__ __device__ unsigned long long operator()(std::uint32_t n) const { return tasks_and_entries(n); }
};

/// Takes the counts back to zero as it goes.
template <typename T>
__global__ void scatter_kernel(DeviceMesh<T> mesh, const State<T>* state, std::uint32_t* count,
                               const unsigned long long* start, std::uint32_t* entries, std::uint32_t most_entries) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= mesh.triangle_count) return;
  const Grid<T>& grid = state->grid;
  const CellBox box = cell_box(grid, corners_of(mesh, t));
  if (box.count() > kMostCells) return;
  for_each_cell(box, grid.size, [&](int cell) {
    const std::uint32_t at = static_cast<std::uint32_t>(start[cell]) + atomicSub(&count[cell], 1u) - 1;
    if (at < most_entries) entries[at] = t;
  });
}

template <typename T>
__global__ void tasks_kernel(State<T>* state, const unsigned long long* start, Task* tasks, std::uint32_t most_tasks) {
  const int cells = state->grid.cells();
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= cells) return;
  const unsigned long long here = start[cell], next = start[cell + 1];
  if (cell == cells - 1) state->totals = next;
  const std::uint32_t count = static_cast<std::uint32_t>(next) - static_cast<std::uint32_t>(here);
  if (count < 2) return;
  std::uint32_t at = static_cast<std::uint32_t>(here >> 32);
  const std::uint32_t chunks = (count + kChunk - 1) / kChunk;
  for (std::uint32_t i = 0; i < chunks; ++i)
    for (std::uint32_t j = i; j < chunks; ++j, ++at)
      if (at < most_tasks)
        tasks[at] = {static_cast<std::uint32_t>(here), count, static_cast<std::uint32_t>(cell),
                     static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)};
}

std::uint32_t blocks(std::uint64_t n, std::uint32_t threads) { return static_cast<std::uint32_t>((n + threads - 1) / threads); }

}  // namespace

template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, State<T>* state, cudaStream_t stream) {
  choose_grid_kernel<<<1, kSample, 0, stream>>>(mesh, choice, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

std::size_t scan_bytes(std::uint32_t cells) {
  std::size_t bytes = 0;
  const auto counts = thrust::make_transform_iterator(static_cast<const std::uint32_t*>(nullptr), TasksAndEntries{});
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, static_cast<unsigned long long*>(nullptr), cells + 1));
  return bytes;
}

template <typename T>
void bin_triangles(const DeviceMesh<T>& mesh, std::uint32_t most_cells, const BinBuffers<T>& b, State<T>* state,
                   cudaStream_t stream) {
  constexpr std::uint32_t kThreads = 256;
  const std::uint32_t n = mesh.triangle_count;
  count_kernel<<<blocks(n, kThreads), kThreads, 0, stream>>>(mesh, state, b.count, b.large, b.most_large);
  SIGHTLINE_CUDA(cudaGetLastError());
  std::size_t bytes = b.scan_bytes;
  const auto counts = thrust::make_transform_iterator(static_cast<const std::uint32_t*>(b.count), TasksAndEntries{});
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, counts, b.start, most_cells + 1, stream));
  scatter_kernel<<<blocks(n, kThreads), kThreads, 0, stream>>>(mesh, state, b.count, b.start, b.entries, b.most_entries);
  SIGHTLINE_CUDA(cudaGetLastError());
  tasks_kernel<<<blocks(most_cells, kThreads), kThreads, 0, stream>>>(state, b.start, b.tasks, b.most_tasks);
  SIGHTLINE_CUDA(cudaGetLastError());
}

template void choose_grid(const DeviceMesh<float>&, const GridChoice&, State<float>*, cudaStream_t);
template void choose_grid(const DeviceMesh<double>&, const GridChoice&, State<double>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<float>&, std::uint32_t, const BinBuffers<float>&, State<float>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<double>&, std::uint32_t, const BinBuffers<double>&, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
