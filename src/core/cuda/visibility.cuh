// The visibility cull between objects: a triangle that is nearer than all other objects, or farther than all of them,
// in every cell of the image that it covers meets none of them.
#pragma once

#include "cuda/state.cuh"

namespace sightline::cuda {

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

/// Marks triangles in `clear` and counts them in state->culled; none, if a triangle covers many columns (state->wide).
/// The image is seen along the grid's `axis`.
template <typename T>
void mark_clear(const DeviceMesh<T>& mesh, const ImageBuffers& image, int axis, State<T>* state, cudaStream_t stream);

}  // namespace sightline::cuda
