// The visibility cull between objects: a triangle that is nearer than all other objects in every cell that it covers,
// or farther, cannot meet any of them.
//
// After CULLIDE (Govindaraju, Redon, Lin, Manocha 2003), which tests with the depth buffer whether an object is fully
// visible against all others. Where we differ, and why:
// - Depth intervals over whole cells, rounded outward (image/frame.h), in place of samples: nothing is lost.
// - Each cell keeps the two nearest near ends of distinct objects, and the two farthest far ends. The one of the two
//   that does not belong to the tested object is the nearest of all others: one pass tests everything against
//   everything, in any order, where CULLIDE draws all objects in order and in reverse.
// - Triangles leave in blocks of a few, by the near or the far side in each of their cells; whole objects seldom could.
#pragma once

#include <string_view>

#include "image/frame.h"
#include "image/selection.h"
#include "input/settings.h"

namespace sightline {

/// The numbers of the cull in the stage report.
struct VisibilityOutcome {
  std::uint64_t count = 0;  ///< triangles culled beyond the object cull; where it did not run, the estimate in per cent
  std::string_view unit;    ///< names which of the two `count` is
  std::uint64_t bytes = 0;  ///< working memory
};

/// Removes from the selection the triangles that are clear of all other objects. Triangles of objects that are checked
/// against themselves stay. With `automatic`, the cull runs only if a sample of the triangles predicts that it pays.
VisibilityOutcome cull_by_visibility(const TriangleTable& table, const Frame& frame, const Bins& bins,
                                     VisibilityCull when, Workers& workers, Watch& watch, Selection& selection);

}  // namespace sightline
