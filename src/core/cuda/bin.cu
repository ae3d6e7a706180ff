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
  if (warp != 0) return;
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
  const auto cells = [&](double c) { return count(c, 0) * count(c, 1) * count(c, 2); };
  // The cell widened until there are few enough cells: all lanes try at once, first doubling, then between the last
  // two.
  const auto widened = [&](double c, double most) {
    const unsigned doubled = __ballot_sync(~0u, cells(ldexp(c, static_cast<int>(lane))) <= most);
    const int twice = __ffs(static_cast<int>(doubled)) - 1;
    if (twice == 0) return c;
    if (twice < 0) return min(ldexp(c, 31), 1e300);  // `fill` checks this again
    c = ldexp(c, twice - 1);
    const unsigned between = __ballot_sync(~0u, cells(c * (1 + (lane + 1) / 32.0)) <= most);
    return c * (1 + __ffs(static_cast<int>(between)) / 32.0);
  };
  double cell = max(min(typical * choice.cell, 1e300), width / kMostAcross);
  if (!(cell > 0)) cell = 1;
  cell = widened(cell, choice.most_cells);
  double coarse[kLevels];
  for (int level = 0; level < kLevels; ++level)
    coarse[level] = widened(min((level == 0 ? cell : coarse[level - 1]) * kCoarser, 1e300), kMostCoarse);
  if (lane != 0) return;
  const auto fill = [&](Grid<T>& grid, double c, double most) {
    for (int axis = 0; axis < 3; ++axis) {
      grid.low[axis] = static_cast<T>(base[axis]);
      grid.size[axis] = static_cast<int>(count(c, axis));
    }
    if (cells(c) > most)  // not reached; it would write outside the arrays
      for (int axis = 0; axis < 3; ++axis) grid.size[axis] = 1;
    grid.inverse = static_cast<T>(1 / c);
    grid.width = static_cast<T>(c);
    if (!(grid.inverse < rules::kMostCellsPerUnit<T>)) grid.inverse = rules::kMostCellsPerUnit<T>;
    if (!(grid.inverse > rules::kLeastCellsPerUnit<T>)) grid.inverse = rules::kLeastCellsPerUnit<T>;
  };
  fill(state->grid, cell, choice.most_cells);
  for (int level = 0; level < kLevels; ++level) fill(state->coarse[level], coarse[level], kMostCoarse);
  state->large = state->giant = state->next_window = 0;
  state->survivors = 0;
  state->contacts = state->coarse_entries = state->all_entries = 0;
  state->entries = 0;
  state->listed = state->wide = state->culled = state->blocks_done = state->unordered = 0;
  state->candidates = 0;
}

/// The cells of a warp's triangles, one of each lane at a time: visit(cell, place, run) is called by all lanes. Lanes
/// next to each other often have the same cell, so what they do to it is done once for a run of them.
struct Run {
  int head;    ///< its first lane
  int length;  ///< 0: the lane has no more cells
};
template <typename Visit>
__device__ inline void for_each_run(const CellBox& box, bool wanted, const int* size, const Visit& visit) {
  const int lane = threadIdx.x & 31;
  int x = box.low[0], y = box.low[1], z = box.low[2];
  while (__any_sync(~0u, wanted)) {
    const std::uint32_t cell = wanted ? static_cast<std::uint32_t>((z * size[1] + y) * size[0] + x) : ~0u;
    const std::uint32_t before = __shfl_up_sync(~0u, cell, 1);
    const unsigned heads = __ballot_sync(~0u, lane == 0 || cell != before), upto = (2u << lane) - 1;
    Run run{31 - __clz(static_cast<int>(heads & upto)), 0};
    const int behind = __ffs(static_cast<int>(heads & ~upto));
    if (wanted) run.length = (behind == 0 ? 32 : behind - 1) - run.head;
    visit(cell, static_cast<std::uint32_t>(x | y << 11 | z << 22), run);
    wanted = wanted && !(x == box.high[0] && y == box.high[1] && z == box.high[2]);
    if (++x > box.high[0]) {
      x = box.low[0];
      if (++y > box.high[1]) y = box.low[1], ++z;
    }
  }
}

template <typename T>
__global__ void count_kernel(DeviceMesh<T> mesh, State<T>* state, std::uint32_t* count, std::uint32_t* large,
                             std::uint32_t most_large) {
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
  if (mesh.triangle_count >= kManyTriangles && wanted) atomicAdd(&state->all_entries, box.count());
  for_each_run(box, wanted, state->grid.size, [&](std::uint32_t cell, std::uint32_t, const Run& run) {
    if (run.length > 0 && (threadIdx.x & 31) == run.head) atomicAdd(&count[cell], static_cast<unsigned>(run.length));
  });
}

template <typename T>
__global__ void scatter_kernel(DeviceMesh<T> mesh, State<T>* state, std::uint32_t* end, std::uint32_t most_cells,
                               Entry* entries, std::uint32_t most_entries) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t == 0) state->entries = end[most_cells];
  bool wanted = t < mesh.triangle_count && !mesh.is_clear(t);
  CellBox box{};
  if (wanted) {
    box = cell_box(state->grid, corners_of(mesh, t));
    wanted = box.count() <= kMostCells;
  }
  for_each_run(box, wanted, state->grid.size, [&](std::uint32_t cell, std::uint32_t place, const Run& run) {
    const int lane = threadIdx.x & 31;
    std::uint32_t at = 0;
    if (run.length > 0 && lane == run.head) at = atomicAdd(&end[cell], static_cast<unsigned>(run.length));
    at = __shfl_sync(~0u, at, run.head) + (lane - run.head);
    if (run.length > 0 && at < most_entries) entries[at] = {t, place};
  });
}

}  // namespace

template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, State<T>* state, cudaStream_t stream) {
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
  SIGHTLINE_CUDA(cudaMemsetAsync(b.end, 0, (std::size_t{most_cells} + 1) * sizeof(std::uint32_t), stream));
  launch(count_kernel<T>, blocks, kThreads, stream, mesh, state, b.end, b.large, b.most_large);
  std::size_t bytes = b.scan_bytes;
  SIGHTLINE_CUDA(cub::DeviceScan::ExclusiveSum(b.scan_memory, bytes, b.end, b.end, most_cells + 1, stream));
  launch(scatter_kernel<T>, blocks, kThreads, stream, mesh, state, b.end, most_cells, b.entries, b.most_entries);
}

template void choose_grid(const DeviceMesh<float>&, const GridChoice&, State<float>*, cudaStream_t);
template void choose_grid(const DeviceMesh<double>&, const GridChoice&, State<double>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<float>&, std::uint32_t, const BinBuffers&, State<float>*, cudaStream_t);
template void bin_triangles(const DeviceMesh<double>&, std::uint32_t, const BinBuffers&, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
