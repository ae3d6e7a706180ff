// Does a driver compute doubles as the host does? Asked once of every context, before its first query.
//
// OpenGL promises little: doubles need be no more precise than floats, and compilers have faults of their own (NVIDIA's
// keeps a local array of doubles that is indexed by a variable in floats). The promise that answers are the same on
// every device rests on the setup of primitives and on the two ends of a fragment, so these programs are run on some
// triangles and compared with the host's code, bit by bit.
#pragma once

#include <cstdint>
#include <string>

namespace sightline::papers::gl {

class Context;

/// Runs the programs on so many triangles in each depth format and coverage. What is wrong first, in words; empty if
/// nothing is.
std::string arithmetic_flaw(Context& context, std::uint32_t triangles);

inline constexpr std::uint32_t kTrustTriangles = 96;

}  // namespace sightline::papers::gl
