// Triangles into cells: grid, count, scan, scatter.
#pragma once

#include "cuda/state.cuh"

namespace sightline::cuda {

/// A triangle in one of its cells. Entries of a cell follow each other.
struct Entry {
  std::uint32_t triangle;
  std::uint32_t place;  ///< of the cell: x | y << 11 | z << 22
};

struct GridChoice {
  double cell = 3;  ///< in triangle extents
  std::uint32_t most_cells = 0;
};

template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, State<T>* state, cudaStream_t stream);

struct BinBuffers {
  /// Per cell and one more. First the number of its entries, then the place of its next entry; in the end, the place
  /// behind its last entry.
  std::uint32_t* end;
  Entry* entries;
  std::uint32_t most_entries;
  std::uint32_t* large;  ///< triangles that cover many cells
  std::uint32_t most_large;
  void* scan_memory;
  std::size_t scan_bytes;
};

/// Bytes that the scan needs for this many cells.
std::size_t scan_bytes(std::uint32_t cells);

template <typename T>
void bin_triangles(const DeviceMesh<T>& mesh, std::uint32_t most_cells, const BinBuffers& buffers, State<T>* state,
                   cudaStream_t stream);

}  // namespace sightline::cuda
