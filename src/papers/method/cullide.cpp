// CULLIDE: visibility as a proof that things do not meet.
//
// N. K. Govindaraju, S. Redon, M. C. Lin, D. Manocha: CULLIDE: Interactive Collision Detection between Complex Models
// in Large Environments using Graphics Hardware. Graphics Hardware 2003. Built from its descriptions in section 3 of
// Quick-CULLIDE (Govindaraju, Lin, Manocha 2005) and section 3 of Self-intersections with Cullide (Boldt, Meyer 2005).
//
//   paper                      here
//   O1 … On, P1 … Pn           Level::order()
//   PCS                        Level: the elements that are left
//   reducePCS                  reduce
//   first pass, second pass    Level::sweep: forward and reverse
//   fully visible              no fragment passes GEQUAL when it is tested
//   object, sub-object         object_level, sub_object_level, triangle_level
//
// Steps
//   1. At a level, for one view after the other:
//      a. draw the elements in order; before each is drawn, test whether it is nearer than all before it;
//      b. the same in reverse;
//      c. an element clear both times meets nothing that is left, and leaves.
//   2. Take the parts of what is left: objects, then triangles.
//   3. What is left is paired by sweep-and-prune and tested exactly (narrow.cpp).
//
// As published (Cullide::as_published(), --as-published): these steps, one round of the views at each level. The papers
// do not give the number of rounds, nor the size of a sub-object: table 1 of Quick-CULLIDE counts triangles, so a
// sub-object is a triangle there. In one round, as in many, the order of drawing changes nothing: an element that
// leaves is clear of all others.
//
// Choices that the papers leave open, as published too
// - A group's elements are all tested before any of them is drawn, so that the parts of one object, which always touch,
//   do not keep each other (pcs.h, with the argument why nothing is lost in conservative precision).
// - Objects with `self` (contacts with themselves) take part as Quick-CULLIDE's section 3.2 extends it: only drawn at
//   the upper levels, triangle by triangle with GREATER at the last. CULLIDE itself had none.
// - Where most triangles belong to such objects, the upper levels are left out, as in Quick-CULLIDE's cloth.
//
// Where we differ by default, and why
// - The views are repeated until a whole round of them prunes nothing.
// - Patches take the place of whole objects: objects are cut into them before anything is drawn (--object-level draws
//   whole objects first, --no-patches leaves patches out). All patches of a clear object are clear, so the level of
//   objects removes nothing more, and each of its passes draws as many triangles as the first pass of patches does. It
//   was made for devices on which a query cost more than the draw that it counts.
// - Before anything is ordered or drawn, triangles leave that are away from every other object's box (boxes.h), unless
//   --object-level or --no-patches selects the published way. An element clear of a set is clear of every subset. So,
//   without a limit of rounds, no more is left in the end. The raster gets only the triangles that are left, where that
//   is fewer bytes (Hierarchy::extract).
// - Patches get one round of the views (Level::rounds_here has the reason why that loses nothing), with --object-level
//   as many as it takes: 7 passes over patches of the breaking scene become 3, and the same triangles are left at the
//   end.
#include "method/pcs.h"

namespace sightline::papers::method {
namespace {

/// Step 1 for the view of `level`.
void reduce(Level& level) {
  using namespace raster;
  const auto passed = level.sweep([&](std::uint32_t e) {  // 1a, 1b
    constexpr int kDrawn = kDrawForward | kDrawReverse;
    return level.testable(e) ? kTestForward | kTestReverse | kDrawn : kDrawn;
  });
  for (std::size_t i = 0; i < passed.size(); ++i)  // 1c
    if (level.testable(level.order()[i]) && passed[i] == 0) level.remove(level.order()[i]);
}

void prune(Level& level) {
  level.reduce_in_turn([&](std::size_t) { reduce(level); });
}

/// Step 1 for the triangles of what is left, and step 3.
Candidates prune_triangles(const Level& above) {
  Level triangles = triangle_level(above);
  prune(triangles);
  Candidates candidates;
  candidates.triangles = triangles.triangles();
  return candidates;
}

}  // namespace

Candidates cullide(Context& context) {
  Hierarchy hierarchy = first_hierarchy(context);

  Level objects = object_level(context, hierarchy);  // 1
  if (!worth_upper_levels(context.scene)) {
    hierarchy.extract(context);
    return prune_triangles(objects);
  }
  if (context.options.object_level) prune(objects);
  if (!context.options.patches) return prune_triangles(objects);

  Level patches = sub_object_level(objects, hierarchy);  // 2
  prune(patches);                                        // 1

  return prune_triangles(patches);  // 2, 1, 3
}

}  // namespace sightline::papers::method
