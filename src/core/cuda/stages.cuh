// The stages of a query, their arguments and results. Each has a file of its own: bin.cu, visibility.cu, pair.cu,
// large.cu and settle.cu.
#pragma once

#include "cuda/state.cuh"
#include "rules/order.h"
#include "sightline/contact.h"

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

/// Some tiles of 32 entries, counted from a window of 32 entries whose rows meet them.
struct Group {
  std::uint32_t window, tile;
};

/// The cells of a triangle: the least one as a place, and how far the greatest one is from it, 8 bits an axis; ~0: it
/// has no entries.
struct PackedCells {
  std::uint32_t low, extents;
};

struct BinBuffers {
  /// Per cell and one more. First the number of its entries, then the place of its next entry; in the end, the place
  /// behind its last entry.
  std::uint32_t* end;
  PackedCells* cells;  ///< per triangle
  Entry* entries;
  std::uint32_t most_entries;
  std::uint32_t* large;  ///< triangles that cover many cells
  std::uint32_t most_large;
  void* scan_memory;
  std::size_t scan_bytes;
  Group* groups;  ///< of the pair kernel: what is left of windows with many tiles; more than there is room for: none
  std::uint32_t most_groups;
};

/// The grid over the mesh, in `state`, whose counters become 0, as do those of the cells.
template <typename T>
void choose_grid(const DeviceMesh<T>& mesh, const GridChoice& choice, const BinBuffers& buffers, State<T>* state,
                 cudaStream_t stream);

/// Bytes that the scan needs for this many cells.
std::size_t scan_bytes(std::uint32_t cells);

/// Triangles into cells: count, scan, scatter.
template <typename T>
void bin_triangles(const DeviceMesh<T>& mesh, std::uint32_t most_cells, const BinBuffers& buffers, State<T>* state,
                   cudaStream_t stream);

/// The contents of an image cell: the nearest and the farthest object, and the nearest and farthest depth of the
/// others. Depths are ordered as unsigned numbers.
struct ImageBuffers {
  unsigned long long* near;   ///< depth << 32 | object
  std::uint32_t* other_near;  ///< the nearest depth of all other objects
  unsigned long long* far;
  std::uint32_t* other_far;
  std::uint8_t* clear;  ///< per triangle; not 0: it meets no other object
};

inline constexpr std::uint32_t kMostColumns = 1 << 20;  ///< image cells

/// The visibility cull between objects: a triangle that is nearer than all other objects, or farther than all of them,
/// in every cell of the image that it covers meets none of them. Marks such triangles in `clear` and counts them in
/// state->culled; none, if a triangle covers many columns (state->wide). The image is seen along the grid's `axis`.
template <typename T>
void mark_clear(const DeviceMesh<T>& mesh, const ImageBuffers& image, int axis, State<T>* state, cudaStream_t stream);

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

/// Where findings go: contacts that are certain, and pairs for the exact decision.
struct PairOutput {
  unsigned long long* keys;
  std::uint32_t most_keys;
  Pair* survivors;
  std::uint32_t most_survivors;
  ObjectTable objects;
  KeyLayout layout;

  // The counters count all; the host repeats the query if there was no room for some.
  template <typename T>
  __device__ void add_survivor(const Pair& pair, State<T>* state) const {
    const unsigned long long at = append(&state->survivors);
    if (at < most_survivors) survivors[at] = pair;
  }
  template <typename T>
  __device__ void add_contact(const DeviceMesh<T>& mesh, const Pair& pair, Kind kind, State<T>* state) const {
    const unsigned long long at = append(&state->contacts);
    if (at >= most_keys) return;
    unsigned long long object_a = 0, object_b = 0, a = pair.a, b = pair.b;
    if (mesh.object != nullptr) {
      const std::uint32_t place_a = mesh.object[pair.a] / 2, place_b = mesh.object[pair.b] / 2;
      a -= objects.first_triangle[place_a];
      b -= objects.first_triangle[place_b];
      object_a = objects.id[place_a];
      object_b = objects.id[place_b];
    }
    keys[at] = layout.pack(object_a, object_b, a, b, static_cast<std::uint64_t>(kind));
  }
};

/// Which pairs of a cell may be in contact: boxes, then certified sign tests.
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
void find_large_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const LargeBuffers& buffers,
                      const PairOutput& output, State<T>* state, cudaStream_t stream);

/// The exact decision: decides the survivors from `first` on.
template <typename T>
void settle(const DeviceMesh<T>& mesh, const PairOutput& output, std::uint32_t first, State<T>* state,
            cudaStream_t stream);

}  // namespace sightline::cuda
