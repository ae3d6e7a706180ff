// Which pairs of a cell may be in contact: boxes, then certified sign tests.
#pragma once

#include "rules/order.h"
#include "cuda/bin.cuh"

namespace sightline::cuda {

/// A pair for the exact decision, a < b.
struct Pair {
  std::uint32_t a, b;
};

/// First triangle of each object and its number; null for one mesh.
struct ObjectTable {
  const std::uint32_t* first_triangle = nullptr;  ///< per object with triangles
  const std::uint32_t* id = nullptr;              ///< as the caller numbers it
};

using rules::KeyLayout;

template <typename T>
__device__ inline unsigned long long key_of(const DeviceMesh<T>& mesh, const ObjectTable& objects,
                                            const KeyLayout& layout, const Pair& pair, int kind) {
  unsigned long long object_a = 0, object_b = 0, a = pair.a, b = pair.b;
  if (mesh.object != nullptr) {
    const std::uint32_t place_a = mesh.object[pair.a] / 2, place_b = mesh.object[pair.b] / 2;
    a -= objects.first_triangle[place_a];
    b -= objects.first_triangle[place_b];
    object_a = objects.id[place_a];
    object_b = objects.id[place_b];
  }
  return layout.pack(object_a, object_b, a, b, static_cast<std::uint64_t>(kind));
}

/// Where findings go: contacts that are certain, and pairs for the exact decision.
struct PairOutput {
  unsigned long long* keys;
  std::uint32_t most_keys;
  Pair* survivors;
  std::uint32_t most_survivors;
  ObjectTable objects;
  KeyLayout layout;
};

template <typename T>
void find_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const PairOutput& output, State<T>* state,
                cudaStream_t stream);

/// Large triangles against all others: coarse grids, and giants against everything.
struct LargeBuffers {
  std::uint32_t* count;  ///< per cell of all coarse grids, zero before
  std::uint32_t* start;  ///< per cell and one more
  std::uint32_t* entries;
  std::uint32_t most_entries;
  void* boxes;  ///< six numbers for each large triangle
  std::uint32_t* giants;
  void* scan_memory;
  std::size_t scan_bytes;
};

template <typename T>
void find_large_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const LargeBuffers& buffers, Pair* survivors,
                      std::uint32_t most_survivors, State<T>* state, cudaStream_t stream);

}  // namespace sightline::cuda
