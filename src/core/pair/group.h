// A group: up to 256 triangles that are close together in the image and in depth. All its pairs are tested at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "exact/segments.h"
#include "input/settings.h"

namespace sightline {

/// How the fast filter recognises that two triangles of a group share a corner. A corner that either way recognises is
/// certainly shared; a pair with a shared corner that `by_index` does not recognise goes to the exact decision.
enum class Sharing : std::uint8_t { by_index, by_position };

using Quad4 = float __attribute__((vector_size(16)));

// Records hold a triangle as four quads of floats, in the group's own frame:
//   0  x0 y0 z0 i0      corners, with the vertex numbers as bits
//   1  x1 y1 z1 i1
//   2  x2 y2 z2 i2
//   3  nx ny nz E       (p1 - p0) × (p2 - p0), and the error bound of n · (p - p0) for p in the group
inline constexpr int kRecord = 16;

struct Group {
  static constexpr int kCapacity = 256;
  static constexpr int kWords = kCapacity / 64;

  alignas(64) float record[kCapacity][kRecord];
  /// Least x, y, z and greatest x, y, z, in 256ths of the region; or of three other views (pair/shadows.h), if
  /// `viewed`.
  alignas(64) std::uint8_t box[6][kCapacity];
  std::uint32_t triangle[kCapacity];
  alignas(64) std::uint8_t claims[kCapacity];  ///< of each member: bits for u, v, w (rules/report.h)
  std::uint32_t object[kCapacity];             ///< index in the table
  // Only if not one_object: members by object.
  std::uint8_t kind[kCapacity];          ///< which of the group's objects
  std::uint64_t kin[kCapacity][kWords];  ///< of each kind: the members, unless the object is checked against itself
  int kinds = 0;
  int size = 0;
  int split = 0;                        ///< if > 0, only pairs of one below and one from `split` on
  bool viewed = false;                  ///< the boxes are given; otherwise the kernel makes them of the corners
  bool one_object = true;               ///< all of one object, which is checked against itself
  float low[3], high[3];                ///< region, in the group's frame; boxes are clamped to it
  Quad4 least_corner, greatest_corner;  ///< bounds of all corners in x, y, z; the fourth lane means nothing
  float reach = 0;                      ///< largest coordinate difference
  float slop = 0;                       ///< largest magnitude that was rounded on the way into the frame; 0 if none was
  double scale = 1;                     ///< of the frame: differences of records are those of positions times this

  /// Sets reach and slop, which the error bounds depend on. `exact`: nothing was rounded.
  void measure(bool exact) {
    reach = slop = 0;
    for (int k = 0; k < 3; ++k) {
      const float extent = greatest_corner[k] - least_corner[k];
      const float magnitude = std::max(std::fabs(least_corner[k]), std::fabs(greatest_corner[k]));
      reach = std::max(reach, extent);
      if (!exact) slop = std::max(slop, magnitude);
    }
  }
};

/// Pairs of a group, i | j << 8 but for the candidates.
struct PairLists {
  static constexpr int kBuffer = 2048;
  static constexpr int kFlush = 1024;  ///< one row can add kCapacity, and vectors write past the end
  alignas(64) std::uint8_t first[kBuffer], second[kBuffer];  ///< of the candidates: i and j
  alignas(64) std::uint32_t unseparated[kBuffer];
  alignas(64) std::uint32_t undecided[kBuffer];  ///< to be settled exactly; a vector past them can be read
  alignas(64) std::uint32_t crossing[kBuffer];   ///< certified contacts, all of kind crossing
  int undecided_count = 0, crossing_count = 0;
  std::uint64_t candidate_count = 0;  ///< pairs whose boxes overlap
};

/// Takes the lists when they are half full, and at the end of the group.
class PairSink {
 public:
  virtual void take(const Group& group, PairLists& lists) = 0;

 protected:
  ~PairSink() = default;
};

/// Tests all pairs of the group: boxes, separating directions, planes both ways, then the full decision, each answer
/// certified by an error bound. What is certain goes to lists.crossing or is dropped; the rest goes to lists.undecided.
using GroupKernel = void (*)(Group& group, Sharing sharing, PairLists& lists, PairSink& sink);

/// The exact decision on pairs of a group on a fine lattice: all corners are multiples of some q, and differences of
/// coordinates are below 2^kLatticeBits q, with Group::reach between 2^-kLatticeReach and 2^kLatticeReach. Writes an
/// exact::Verdict for each pair, or kOpenVerdict.
using LatticeKernel = void (*)(const Group& group, const std::uint32_t* pairs, int count, std::int8_t* verdicts);
inline constexpr int kLatticeBits = 7, kLatticeReach = 30;
inline constexpr std::int8_t kOpenVerdict = 4;

/// The exact decision on any pairs, given by their corners (pair/simd/wide.cpp); bit i of `one_object`: common corners
/// of pair i do not count. Writes an exact::Verdict for each pair of the block, or kOpenVerdict.
using WideKernel = void (*)(const exact::PairBlock& pairs, unsigned one_object, std::int8_t* verdicts);

/// The kernels for an instruction set; null if this machine does not have it. `scalar` runs the box test only, and has
/// no other. `sse4` has no wide kernel, which needs fused operations.
GroupKernel group_kernel(Simd simd);
LatticeKernel lattice_kernel(Simd simd);
WideKernel wide_kernel(Simd simd);
/// The widest that this machine runs.
Simd best_simd();

}  // namespace sightline
