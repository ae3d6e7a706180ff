// Checks that a driver computes doubles as the host does: once for each context, before its first query.
//
// OpenGL guarantees little: doubles need be no more precise than floats, and compilers have faults of their own
// (NVIDIA's keeps a local array of doubles that is indexed by a variable in floats). Results are the same on every
// device only if the setup of primitives and the two ends of a fragment are. So these programs are run on some
// triangles and compared with the host's code, bit by bit.
#pragma once

#include <cstdint>
#include <string>

namespace sightline::papers::gl {

class Context;

/// Runs the programs on this many triangles in each depth format and coverage. Returns the first difference in words;
/// empty if there is none.
std::string arithmetic_flaw(Context& context, std::uint32_t triangles);

inline constexpr std::uint32_t kTrustTriangles = 96;

}  // namespace sightline::papers::gl
