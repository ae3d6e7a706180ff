// Two passes draw: first the nearest and the farthest object of each cell, then the nearest and the farthest of the
// others. A third pass tests the triangles. Depths of double corners are rounded outwards, so that a triangle can only
// get a larger range of depths than it has.
//
// Why nothing is lost: two triangles that meet have a common point; its cell is one of both, and its depth lies between
// the ends of both. If one of them ends before the nearest other object begins there, they have no common point.
#include "cuda/check.h"
#include "cuda/stages.cuh"

namespace sightline::cuda {
namespace {

constexpr int kMostCovered = 256;  ///< cells that one thread draws; larger triangles are rare, and switch the cull off

__device__ float rounded_down(float x) { return x; }
__device__ float rounded_up(float x) { return x; }
__device__ float rounded_down(double x) { return __double2float_rd(x); }
__device__ float rounded_up(double x) { return __double2float_ru(x); }

/// A triangle in the image.
struct Seen {
  std::uint32_t object;
  std::uint32_t near, far;  ///< depths
  int low[2], high[2];      ///< cells
  int width;                ///< of the image
  __device__ int count() const { return (high[0] - low[0] + 1) * (high[1] - low[1] + 1); }
  /// Calls visit(cell) for the cells until a call returns false. Returns false if a call did.
  template <typename Visit>
  __device__ bool each_cell(const Visit& visit) const {
    for (int v = low[1]; v <= high[1]; ++v)
      for (int u = low[0]; u <= high[0]; ++u)
        if (!visit(v * width + u)) return false;
    return true;
  }
};

/// Cells of the grid, several of them in one where the image would be too large.
template <typename T>
__device__ Seen seen(const DeviceMesh<T>& mesh, std::uint32_t t, int axis, const Grid<T>& grid) {
  const Corners<T> c = corners_of(mesh, t);
  const int across[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  Seen s;
  s.object = mesh.object[t];
  s.near = ordered(rounded_down(least(c, axis)));
  s.far = ordered(rounded_up(most(c, axis)));
  int shift = 0;
  const auto cells = [&](int k) { return (grid.size[across[k]] - 1 >> shift) + 1; };
  while (static_cast<std::uint32_t>(cells(0)) * static_cast<std::uint32_t>(cells(1)) > kMostColumns) ++shift;
  s.width = cells(0);
  for (int k = 0; k < 2; ++k) {
    s.low[k] = cell_of(grid, across[k], least(c, across[k])) >> shift;
    s.high[k] = cell_of(grid, across[k], most(c, across[k])) >> shift;
  }
  return s;
}

template <typename T>
__global__ void draw_nearest_kernel(DeviceMesh<T> mesh, ImageBuffers image, int axis, State<T>* state) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= mesh.triangle_count) return;
  const Seen s = seen(mesh, t, axis, state->grid);
  if (s.count() > kMostCovered) {
    state->wide = 1;
    return;
  }
  const unsigned long long near = static_cast<unsigned long long>(s.near) << 32 | s.object;
  const unsigned long long far = static_cast<unsigned long long>(s.far) << 32 | s.object;
  s.each_cell([&](int cell) {  // most writes would change nothing, so the cell is read first
    if (near < __ldcg(&image.near[cell])) atomicMin(&image.near[cell], near);
    if (far > __ldcg(&image.far[cell])) atomicMax(&image.far[cell], far);
    return true;
  });
}

template <typename T>
__global__ void draw_others_kernel(DeviceMesh<T> mesh, ImageBuffers image, int axis, State<T>* state) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= mesh.triangle_count || state->wide != 0) return;
  const Seen s = seen(mesh, t, axis, state->grid);
  s.each_cell([&](int cell) {
    if (s.object != static_cast<std::uint32_t>(image.near[cell]) && s.near < __ldcg(&image.other_near[cell]))
      atomicMin(&image.other_near[cell], s.near);
    if (s.object != static_cast<std::uint32_t>(image.far[cell]) && s.far > __ldcg(&image.other_far[cell]))
      atomicMax(&image.other_far[cell], s.far);
    return true;
  });
}

template <typename T>
__global__ void look_kernel(DeviceMesh<T> mesh, ImageBuffers image, int axis, State<T>* state) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  bool clear = false;
  if (t < mesh.triangle_count) {
    const Seen s = seen(mesh, t, axis, state->grid);
    clear = state->wide == 0 && (s.object & 1) == 0 && s.each_cell([&](int cell) {
      const unsigned long long near = image.near[cell], far = image.far[cell];
      const bool is_near = s.object == static_cast<std::uint32_t>(near);
      const bool is_far = s.object == static_cast<std::uint32_t>(far);
      const std::uint32_t first = is_near ? image.other_near[cell] : static_cast<std::uint32_t>(near >> 32);
      const std::uint32_t last = is_far ? image.other_far[cell] : static_cast<std::uint32_t>(far >> 32);
      return s.far < first || s.near > last;
    });
    image.clear[t] = clear ? 1 : 0;
  }
  const int count = __popc(__ballot_sync(~0u, clear));
  if ((threadIdx.x & 31) == 0 && count > 0) atomicAdd(&state->culled, static_cast<std::uint32_t>(count));
}

}  // namespace

template <typename T>
void mark_clear(const DeviceMesh<T>& mesh, const ImageBuffers& image, int axis, State<T>* state, cudaStream_t stream) {
  // Nearest: the greatest numbers; farthest: zero. A depth of the greatest number would be a NaN's, and is none.
  SIGHTLINE_CUDA(cudaMemsetAsync(image.near, 0xFF, kMostColumns * sizeof(unsigned long long), stream));
  SIGHTLINE_CUDA(cudaMemsetAsync(image.other_near, 0xFF, kMostColumns * sizeof(std::uint32_t), stream));
  SIGHTLINE_CUDA(cudaMemsetAsync(image.far, 0, kMostColumns * sizeof(unsigned long long), stream));
  SIGHTLINE_CUDA(cudaMemsetAsync(image.other_far, 0, kMostColumns * sizeof(std::uint32_t), stream));
  constexpr unsigned kThreads = 256;
  for (const auto kernel : {draw_nearest_kernel<T>, draw_others_kernel<T>, look_kernel<T>})
    launch(kernel, blocks_for(mesh.triangle_count, kThreads), kThreads, stream, mesh, image, axis, state);
}

template void mark_clear(const DeviceMesh<float>&, const ImageBuffers&, int, State<float>*, cudaStream_t);
template void mark_clear(const DeviceMesh<double>&, const ImageBuffers&, int, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
