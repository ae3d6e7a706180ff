// Which pairs of a cell may be in contact: boxes, then certified sign tests.
#pragma once

#include "cuda/bin.cuh"

namespace sightline::cuda {

/// A pair for the exact decision, a < b.
struct Pair {
  std::uint32_t a, b;
};

template <typename T>
void find_pairs(const DeviceMesh<T>& mesh, const BinBuffers<T>& bins, Pair* survivors, std::uint32_t most_survivors,
                State<T>* state, cudaStream_t stream);

/// Large triangles against all others: a coarse grid, and giants against everything.
template <typename T>
struct LargeBuffers {
  std::uint32_t* count;  ///< per coarse cell, zero before
  std::uint32_t* start;  ///< per coarse cell and one more
  std::uint32_t* entries;
  std::uint32_t most_entries;
  std::uint32_t* giants;
  void* scan_memory;
  std::size_t scan_bytes;
};

template <typename T>
void find_large_pairs(const DeviceMesh<T>& mesh, const BinBuffers<T>& bins, std::uint32_t most_coarse_cells,
                      const LargeBuffers<T>& buffers, Pair* survivors, std::uint32_t most_survivors, State<T>* state,
                      cudaStream_t stream);

}  // namespace sightline::cuda
