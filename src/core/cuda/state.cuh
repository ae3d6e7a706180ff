// The data that the kernels share: the mesh, the grid over it, and the counters that decide whether a step must be
// repeated.
#pragma once

#include <cstdint>

#include "rules/cells.h"

namespace sightline::cuda {

/// Cells along an axis: a cell's place is packed into 11, 11 and 10 bits.
inline constexpr int kMostAcross = 2047, kMostDeep = 1023;
inline constexpr int kMostCells = 32;        ///< a triangle that covers more is large
inline constexpr int kLevels = 4;            ///< coarse grids
inline constexpr int kCoarser = 4;           ///< each one's cells are so many times as wide as those before
inline constexpr int kMostCoarse = 1 << 18;  ///< cells of a coarse grid
inline constexpr int kMostCoarseCells = 64;  ///< a large triangle is entered where it covers no more

/// All triangles of a query in device memory, under one numbering.
template <typename T>
struct DeviceMesh {
  const T* positions;              ///< x y z of each vertex
  const std::uint32_t* triangles;  ///< three vertices of each triangle
  std::uint32_t triangle_count;
  /// Per triangle, twice its object's number plus 1 if contacts within the object are wanted; null for one mesh against
  /// itself.
  const std::uint32_t* object;
  const std::uint64_t* groups = nullptr;  ///< per object, groups and above them collides_with; null: all are wanted
  bool soup = false;                      ///< three vertices of its own for each triangle
  const std::uint8_t* clear = nullptr;    ///< per triangle: not 0, it meets nothing (visibility.cu); null: no cull
  /// Whether contacts of two triangles with these entries of `object` are reported.
  __device__ bool wanted(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return (a & 1) != 0;
    if (groups == nullptr) return true;
    const std::uint64_t of_a = groups[a / 2], of_b = groups[b / 2];
    return (static_cast<std::uint32_t>(of_a) & of_b >> 32) != 0 && (static_cast<std::uint32_t>(of_b) & of_a >> 32) != 0;
  }
  __device__ bool is_clear(std::uint32_t triangle) const { return clear != nullptr && clear[triangle] != 0; }
};

/// Cells of equal size over most of the mesh, by the map of rules/cells.h.
template <typename T>
struct Grid {
  T low[3];
  T inverse;  ///< cells a unit
  T width;    ///< of a cell
  int size[3];
};

/// Counters and grids, in device memory; read back once at the end of a query.
template <typename T>
struct State {
  Grid<T> grid;              ///< for most triangles
  Grid<T> coarse[kLevels];   ///< for large ones, each coarser than the one before
  std::uint32_t large;       ///< triangles that cover many cells
  std::uint32_t giant;       ///< large triangles that cover many cells of every coarse grid, too
  std::uint32_t next_unit;   ///< of the pair kernel's work, but for the first one of each warp
  std::uint32_t next_large;  ///< of the work of the kernel that compares large triangles
  // More of these than 32 bits can count are an error, not a smaller number.
  unsigned long long survivors;  ///< pairs for the exact decision
  unsigned long long contacts;
  unsigned long long coarse_entries;
  unsigned long long groups;       ///< of tiles, for the pair kernel
  unsigned long long all_entries;  ///< counted only where there could be too many
  std::uint32_t entries;
  std::uint32_t listed;  ///< not 0: a soup whose vertices are not simply three for each triangle, one after the other
  std::uint32_t wide;    ///< not 0: a triangle covers too many image cells for the visibility cull
  std::uint32_t culled;  ///< triangles that the visibility cull removed
  std::uint32_t blocks_done;  ///< of the kernel whose last block goes on
  std::uint32_t unordered;    ///< not 0: the contacts have to be put in order another way
  unsigned long long candidates;
};

template <typename T>
__device__ inline T place_of(const Grid<T>& grid, int axis, T x) {
  return rules::place_of(x, grid.low[axis], grid.inverse);
}
template <typename T>
__device__ inline int cell_of(const Grid<T>& grid, int axis, T x) {
  return rules::cell_at(place_of(grid, axis, x), grid.size[axis] - 1);
}

/// A triangle's corners.
template <typename T>
struct Corners {
  T at[3][3];
};

template <typename T>
__device__ inline Corners<T> corners_of(const DeviceMesh<T>& mesh, std::uint32_t triangle, std::uint32_t* vertices) {
  Corners<T> c;
  for (int i = 0; i < 3; ++i) vertices[i] = __ldg(&mesh.triangles[std::size_t{triangle} * 3 + i]);
  for (int i = 0; i < 3; ++i)
    for (int axis = 0; axis < 3; ++axis) c.at[i][axis] = __ldg(&mesh.positions[std::size_t{vertices[i]} * 3 + axis]);
  return c;
}
template <typename T>
__device__ inline Corners<T> corners_of(const DeviceMesh<T>& mesh, std::uint32_t triangle) {
  std::uint32_t vertices[3];
  return corners_of(mesh, triangle, vertices);
}

/// The corners of a triangle of a soup whose vertices are listed in order.
template <typename T>
__device__ inline Corners<T> corners_in_order(const DeviceMesh<T>& mesh, std::uint32_t triangle) {
  Corners<T> c;
  const T* at = mesh.positions + std::size_t{triangle} * 9;
  for (int i = 0; i < 3; ++i)
    for (int axis = 0; axis < 3; ++axis) c.at[i][axis] = __ldg(at + 3 * i + axis);
  return c;
}

template <typename T>
__device__ inline T least(const Corners<T>& c, int axis) {
  return min(min(c.at[0][axis], c.at[1][axis]), c.at[2][axis]);
}
template <typename T>
__device__ inline T most(const Corners<T>& c, int axis) {
  return max(max(c.at[0][axis], c.at[1][axis]), c.at[2][axis]);
}

template <typename T>
struct Box {
  T low[3], high[3];
};
template <typename T>
__device__ inline Box<T> box_of(const Corners<T>& c) {
  Box<T> box;
  for (int axis = 0; axis < 3; ++axis) box.low[axis] = least(c, axis), box.high[axis] = most(c, axis);
  return box;
}

struct CellBox {
  int low[3], high[3];
  __device__ unsigned long long count() const {
    return static_cast<unsigned long long>(high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1);
  }
};

template <typename T>
__device__ inline CellBox cell_box(const Grid<T>& grid, const Box<T>& box) {
  CellBox cells;
  for (int axis = 0; axis < 3; ++axis) {
    cells.low[axis] = cell_of(grid, axis, box.low[axis]);
    cells.high[axis] = cell_of(grid, axis, box.high[axis]);
  }
  return cells;
}
template <typename T>
__device__ inline CellBox cell_box(const Grid<T>& grid, const Corners<T>& c) {
  return cell_box(grid, box_of(c));
}

/// Calls visit(number, place) for each cell; see kMostAcross for a place.
template <typename Visit>
__device__ inline void for_each_cell(const CellBox& box, const int* size, const Visit& visit) {
  for (int z = box.low[2]; z <= box.high[2]; ++z)
    for (int y = box.low[1]; y <= box.high[1]; ++y)
      for (int x = box.low[0]; x <= box.high[0]; ++x)
        visit((z * size[1] + y) * size[0] + x, static_cast<std::uint32_t>(x | y << 11 | z << 22));
}

/// Ordered as the numbers are; -0 is 0.
__device__ inline std::uint32_t ordered(float x) {
  const std::uint32_t bits = __float_as_uint(x + 0.0f);
  return bits ^ ((bits >> 31) != 0 ? ~0u : 0x80000000u);
}

/// The number of lanes below this one whose bits are set.
__device__ inline int lanes_below(unsigned mask) { return __popc(mask & ((1u << (threadIdx.x & 31)) - 1)); }

/// The items of the lanes with `wanted` to the end of a warp's queue. Called by all lanes.
template <typename Item>
__device__ inline void append_lanes(bool wanted, const Item& item, Item* queue, int& queued) {
  const unsigned mask = __ballot_sync(~0u, wanted);
  if (wanted) queue[queued + lanes_below(mask)] = item;
  queued += __popc(mask);
}

/// One place in a list for each lane that calls it.
template <typename Counter>
__device__ inline Counter append(Counter* counter) {
  const unsigned active = __activemask();
  const int lane = threadIdx.x & 31, leader = __ffs(static_cast<int>(active)) - 1;
  Counter base = 0;
  if (lane == leader) base = atomicAdd(counter, static_cast<Counter>(__popc(active)));
  return __shfl_sync(active, base, leader) + lanes_below(active);
}

}  // namespace sightline::cuda
