// Triangles into cells: grid, count, scan, scatter; then the tasks of the pair kernel.
#pragma once

#include "cuda/state.cuh"

namespace sightline::cuda {

/// Entries of a task's rows and columns at most.
inline constexpr int kChunk = 64;

/// A part of a cell: entries of chunk i against those of chunk j.
struct Task {
  std::uint32_t begin;  ///< first entry of the cell
  std::uint32_t count;  ///< entries of the cell
  std::uint32_t cell;
  std::uint16_t i, j;
};

struct GridChoice {
  double cell = 3;  ///< in triangle extents
  std::uint32_t most_cells = 0;
};

template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, State<T>* state, cudaStream_t stream);

template <typename T>
struct BinBuffers {
  std::uint32_t* count;        ///< per cell; zero before and after
  unsigned long long* start;   ///< per cell and one more: tasks before it in the upper half, entries in the lower
  std::uint32_t* entries;
  std::uint32_t most_entries;
  Task* tasks;
  std::uint32_t most_tasks;
  std::uint32_t* large;        ///< triangles that cover many cells
  std::uint32_t most_large;
  void* scan_memory;
  std::size_t scan_bytes;
};

/// Bytes that the scan needs for so many cells.
std::size_t scan_bytes(std::uint32_t cells);

template <typename T>
void bin_triangles(const DeviceMesh<T>& mesh, std::uint32_t most_cells, const BinBuffers<T>& buffers, State<T>* state,
                   cudaStream_t stream);

}  // namespace sightline::cuda
