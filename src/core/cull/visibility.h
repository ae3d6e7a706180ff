// The visibility cull between objects: a triangle that is nearer than all other objects in every cell that it covers,
// or farther, cannot meet any of them.
//
// After CULLIDE (Govindaraju, Redon, Lin, Manocha 2003), which asks the depth buffer whether an object is fully visible
// against all others. Where we differ, and why:
// - Depth intervals over whole cells, rounded outward (image/frame.h), in place of samples: nothing is lost.
// - Each cell keeps the two nearest near ends of distinct objects, and the two farthest far ends. The one of the two
//   that is not the asker's own is the nearest of all others: one pass tests everything against everything, in any
//   order, where CULLIDE draws all objects in order and in reverse.
// - Triangles leave in blocks of a few, by the near or the far side in each of their cells; whole objects seldom could.
#pragma once

#include <string_view>

#include "image/selection.h"
#include "image/frame.h"
#include "input/settings.h"

namespace sightline {

/// What the stage report says of the cull.
struct VisibilityOutcome {
  std::uint64_t count = 0;  ///< triangles culled beyond the object cull; where it did not run, the estimate in per cent
  std::string_view unit;    ///< says which of the two
  std::uint64_t bytes = 0;  ///< working memory
};

/// Takes from the selection what is clear of all other objects. Triangles of objects that are checked against
/// themselves stay. With `automatic`, only if a sample of the triangles says that it pays.
VisibilityOutcome cull_by_visibility(const TriangleTable& table, const Frame& frame, const Bins& bins,
                                     VisibilityCull when, Workers& workers, Watch& watch, Selection& selection);

/// Per cent of all triangles that the cull would take beyond the object cull, judged by a sample in a coarse image.
unsigned estimate_visibility(const TriangleTable& table, const Frame& frame, const Bins& bins,
                             const std::vector<Interest>& interests, Workers& workers);

}  // namespace sightline
