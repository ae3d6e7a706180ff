// The settings of a query: the caller's options, and settings for tests and benchmarks on which no answer depends.
#pragma once

#include "sightline/query.h"

namespace sightline {

/// Instruction sets of the CPU. `best` takes the widest that this machine has.
enum class Simd : std::uint8_t { best, scalar, sse4, avx2, avx512, neon };
inline constexpr int kSimdCount = 6;
SIGHTLINE_API std::string_view to_string(Simd simd);
/// True if this machine has it (`best` and `scalar` always).
SIGHTLINE_API bool available(Simd simd);

/// Axis along which the image is projected. `automatic` takes the shortest extent of the scene.
enum class Axis : std::uint8_t { automatic, x, y, z };

/// The visibility cull between objects (cull/visibility.h). `automatic` lets an estimate decide.
enum class VisibilityCull : std::uint8_t { automatic, on, off };

/// What a scene keeps of objects at rest (query/rest.h). `automatic` lets an estimate decide whether a query uses it.
enum class UseRest : std::uint8_t { automatic, on, off };

/// The cuda device has a grid of its own: it takes `cell` and `visibility` and refuses an instruction set and an axis.
struct Tuning {
  Simd simd = Simd::best;
  Axis axis = Axis::automatic;
  double cell = 0;  ///< image cell size in mean triangle extents; 0 chooses
  VisibilityCull visibility = VisibilityCull::automatic;
  UseRest rest = UseRest::automatic;
  bool stages = false;  ///< cuda: times of the stages, which cost it the recorded graph of its work
};

struct Settings : Options, Tuning {
  Settings() = default;
  Settings(const Options& options, const Tuning& tuning = {}) : Options(options), Tuning(tuning) {}
};

}  // namespace sightline
