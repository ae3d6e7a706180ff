// A few pairs of triangles at a time, and the intersections of those that cross in general position.
#pragma once

#include <array>

#include "sightline/mesh.h"

namespace sightline::exact {

/// The corners of a few pairs: at[9 t + 3 corner + axis][pair], where t is 0 for triangle a and 1 for b.
struct PairBlock {
  static constexpr int kSize = 8;
  alignas(64) double at[18][kSize];

  void put(std::size_t place, const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) {
    for (std::size_t corner = 0; corner < 3; ++corner)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        at[3 * corner + axis][place] = a[corner][axis];
        at[9 + 3 * corner + axis][place] = b[corner][axis];
      }
  }
};
/// The ends of segments: at[3 end + axis][pair].
struct SegmentBlock {
  alignas(64) double at[6][PairBlock::kSize];
};

/// Finds the segments of pairs that cross in general position: the same ends, in the same order and rounded in the same
/// way, as for all other pairs (exact/intersection.cpp). Returns the pairs that it could decide, as bits.
using FindSegments = unsigned (*)(const PairBlock& pairs, SegmentBlock& segments);
/// Null where the processor has no vectors with fused multiplication and addition.
FindSegments segment_finder();

}  // namespace sightline::exact
