// Large triangles. They are entered into a coarse grid; then every triangle looks through the large ones in its coarse
// cells. Those that cover many coarse cells, too, are looked at by every triangle. Their pairs go on if the boxes meet.
#include <cub/device/device_scan.cuh>

#include "cuda/check.h"
#include "cuda/pair.cuh"

namespace sightline::cuda {
namespace {

template <typename T>
__global__ void count_large_kernel(DeviceMesh<T> mesh, State<T>* state, const std::uint32_t* large,
                                   std::uint32_t most_large, std::uint32_t* count, std::uint32_t* giants) {
  const std::uint32_t n = min(state->large, most_large);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const CellBox box = cell_box(state->coarse, corners_of(mesh, large[i]));
    if (box.count() > kMostCoarseCells) {
      giants[append(&state->giant)] = large[i];  // room for as many as there are large ones
      continue;
    }
    atomicAdd(&state->coarse_entries, static_cast<std::uint32_t>(box.count()));
    for_each_cell(box, state->coarse.size, [&](int cell, std::uint32_t) { atomicAdd(&count[cell], 1u); });
  }
}

template <typename T>
__global__ void scatter_large_kernel(DeviceMesh<T> mesh, State<T>* state, const std::uint32_t* large,
                                     std::uint32_t most_large, std::uint32_t* count, const std::uint32_t* start,
                                     std::uint32_t* entries, std::uint32_t most_entries) {
  const std::uint32_t n = min(state->large, most_large);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const CellBox box = cell_box(state->coarse, corners_of(mesh, large[i]));
    if (box.count() > kMostCoarseCells) continue;
    for_each_cell(box, state->coarse.size, [&](int cell, std::uint32_t) {
      const std::uint32_t at = start[cell] + atomicSub(&count[cell], 1u) - 1;
      if (at < most_entries) entries[at] = large[i];
    });
  }
}

/// How large a triangle counts: 0 small, 1 large, 2 giant.
template <typename T>
__device__ int rank_of(const State<T>* state, const Corners<T>& c) {
  if (cell_box(state->grid, c).count() <= kMostCells) return 0;
  return cell_box(state->coarse, c).count() <= kMostCoarseCells ? 1 : 2;
}

template <typename T>
__global__ void large_pairs_kernel(DeviceMesh<T> mesh, State<T>* state, const std::uint32_t* start,
                                   const std::uint32_t* entries, std::uint32_t most_entries,
                                   const std::uint32_t* giants, Pair* survivors, std::uint32_t most_survivors) {
  if (state->large == 0 || state->coarse_entries > most_entries) return;
  const std::uint32_t giant_count = state->giant;
  for (std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < mesh.triangle_count; t += gridDim.x * blockDim.x) {
    const Corners<T> c = corners_of(mesh, t);
    const int rank = rank_of(state, c);
    const std::uint32_t object = mesh.object == nullptr ? 1 : mesh.object[t];
    const auto test = [&](std::uint32_t other, const int* cell) {
      const Corners<T> d = corners_of(mesh, other);
      for (int axis = 0; axis < 3; ++axis) {
        if (least(c, axis) > most(d, axis) || least(d, axis) > most(c, axis)) return;
        // Once: in the cell of the greater least corner.
        if (cell != nullptr && cell_of(state->coarse, axis, max(least(c, axis), least(d, axis))) != cell[axis]) return;
      }
      if (mesh.object != nullptr && mesh.object[other] == object && (object & 1) == 0) return;
      const std::uint32_t at = append(&state->survivors);
      if (at < most_survivors) survivors[at] = {min(t, other), max(t, other)};
    };
    // A pair is looked at from the lower rank; of one rank, from the lower number.
    for (std::uint32_t i = 0; i < giant_count; ++i)
      if (rank < 2 || t < giants[i]) test(giants[i], nullptr);
    if (rank == 2) continue;
    const CellBox box = cell_box(state->coarse, c);
    const int* size = state->coarse.size;
    for (int z = box.low[2]; z <= box.high[2]; ++z)
      for (int y = box.low[1]; y <= box.high[1]; ++y)
        for (int x = box.low[0]; x <= box.high[0]; ++x) {
          const int cell[3] = {x, y, z}, number = (z * size[1] + y) * size[0] + x;
          for (std::uint32_t i = start[number]; i < start[number + 1]; ++i)
            if (rank < 1 || t < entries[i]) test(entries[i], cell);
        }
  }
}

}  // namespace

template <typename T>
void find_large_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, std::uint32_t most_coarse_cells,
                      const LargeBuffers& b, Pair* survivors, std::uint32_t most_survivors, State<T>* state,
                      cudaStream_t stream) {
  constexpr int kBlocks = 264, kThreads = 256;
  count_large_kernel<<<kBlocks, kThreads, 0, stream>>>(mesh, state, bins.large, bins.most_large, b.count, b.giants);
  SIGHTLINE_CUDA(cudaGetLastError());
  std::size_t bytes = b.scan_bytes;
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, b.count, b.start, most_coarse_cells + 1, stream));
  scatter_large_kernel<<<kBlocks, kThreads, 0, stream>>>(mesh, state, bins.large, bins.most_large, b.count, b.start,
                                                         b.entries, b.most_entries);
  SIGHTLINE_CUDA(cudaGetLastError());
  large_pairs_kernel<<<kBlocks * 4, kThreads, 0, stream>>>(mesh, state, b.start, b.entries, b.most_entries, b.giants,
                                                           survivors, most_survivors);
  SIGHTLINE_CUDA(cudaGetLastError());
}

template void find_large_pairs(const DeviceMesh<float>&, const BinBuffers&, std::uint32_t, const LargeBuffers&, Pair*,
                               std::uint32_t, State<float>*, cudaStream_t);
template void find_large_pairs(const DeviceMesh<double>&, const BinBuffers&, std::uint32_t, const LargeBuffers&, Pair*,
                               std::uint32_t, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
