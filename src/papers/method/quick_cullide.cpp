// Quick-CULLIDE: CULLIDE with classes of visibility, collision-free sets, and contacts of objects with themselves.
//
// N. K. Govindaraju, M. C. Lin, D. Manocha: Quick-CULLIDE: Fast Inter- and Intra-Object Collision Culling Using
// Graphics Hardware. IEEE Virtual Reality 2005.
//
//   paper                      here
//   O1 … On                    Level::order(): the order of the first pass
//   BFV, FFV, SFV, NFV         Tag: both, first, second, none
//   PCS                        Level: the elements that are left
//   S1 = FFV u NFV             what the first pass draws
//   S2 = SFV u NFV             what the second pass draws
//   fully visible              no fragment passes when it is tested (Level::sweep)
//   collision-free sets        Candidates::free_set, 1 for FFV and 2 for SFV
//
// Steps (section 4.2)
//   1. The PCS of objects by the improved culling, for one view after the other:
//      a. first pass, O1 … On: SFV and NFV are tested, FFV and NFV drawn. Clear: SFV -> BFV, NFV -> FFV;
//      b. second pass, On … O1: FFV and NFV are tested, SFV and NFV drawn. Clear: FFV -> BFV, NFV -> SFV;
//      c. BFV leaves.
//      Then sweep-and-prune: an object whose box meets no other's leaves.
//   2. The PCS of the objects' parts in the same way, and their pairs by sweep-and-prune.
//   3. The exact test of these pairs (narrow.cpp), but for pairs within FFV or within SFV.
//
// As published (QuickCullide::as_published(), --as-published): these steps, one round of the views at each level, back
// to front in each view (section 5.1.3 names this order as the best). The paper does not give the number of rounds, nor
// the size of a part: table 1 counts triangles, so a part is a triangle.
//
// The meaning of a tag, with an order O1 … On fixed. FFV: Oi is clear of every Oj that is left with j < i. SFV: Oi is
// clear of every Oj that is left with j > i. Both hold at all times, by induction over the passes:
// - Lemma 4 (and NFV -> FFV): in the first pass Oi is tested against FFV and NFV before it. Those of SFV before it are
//   not drawn, and need not be: they are clear of all behind them, Oi included.
// - Lemma 3 (and NFV -> SFV): the same in reverse. Lemma 5: an NFV element clear in both passes has both facts.
// - Lemma 2: of two elements of FFV the later is clear of the earlier; of two of SFV the earlier of the later.
// - An element that leaves takes nothing from these facts, so that tags stay valid for as long as the order does.
// In conservative precision "clear" is a fact of geometry (pcs.h); in image precision it is one of the samples.
//
// Choices that the paper leaves open, as published too
// - A tag is a statement about an order. Back to front, each view has its own order, so each keeps its own tags from
//   round to round; with one order for all views (back_to_front off) they share them. A new level starts with NFV.
// - The pass after the first uses the tags that the first just gave, as the pseudo-code of section 4.1 has it: the
//   first iteration already draws only S2 in its second pass. The second pass does not wait for the results of the
//   first: what it draws depends on them by conditional rendering (an element of SFV or NFV is drawn again only if the
//   first pass found it not clear), so a view costs one wait.
// - The free sets of the exact test are those of one view: a triangle has one byte for them. It is the view that spares
//   most pairs.
// - Where most triangles belong to objects with contacts of their own, only triangles are culled, as in section 5's
//   cloth.
// - Pairs of boxes that overlap are not kept from level to level: triangles whose boxes overlap lie in parts whose
//   boxes do, so the sweep over triangles finds no other pairs.
// - CULLIDE's PCS contains this one, pass by pass: an element clear of all that CULLIDE has left is clear of the fewer
//   that are drawn here, whatever its tag, in each pass in which it is tested.
//
// Where we differ by default, and why
// - The views are repeated until a whole round prunes nothing.
// - Patches of objects take the place of whole objects (--object-level selects these, --no-patches leaves patches out)
//   and get one round of the views (reason: cullide.cpp).
// - Boxes are swept before anything is drawn instead of after: those of objects, at the grain of triangles, as in
//   CULLIDE here (cullide.cpp), then those of patches. Of 287,376 triangles of the breaking scene 24,536 are left by
//   the first sweep and 18,469 by the second (docs/decisions.md). After the images of patches nearly all that were left
//   still met another's box (breaking 166 of 166, leaves 144 of 146); --object-level sweeps them there, too.
#include "method/quick_cullide.h"

#include <algorithm>

#include "method/boxes.h"
#include "method/pcs.h"

namespace sightline::papers::method {

/// Step 1 for the view of `level`.
void quick_reduce(Level& level, std::span<Tag> tags) {
  using namespace raster;
  // Uses the tags from before both passes. An element that 1a finds clear of NFV is still tested by 1b; an element that
  // 1a finds clear of SFV or NFV is not drawn in 1b.
  const auto use = [&](std::uint32_t e) {
    const bool first = tags[e] == Tag::first || tags[e] == Tag::none;
    const bool second = tags[e] == Tag::second || tags[e] == Tag::none;
    const int drawn = (first ? kDrawForward : 0) | (second ? kDrawReverse : 0);
    return level.testable(e) ? (second ? kTestForward | kIfPassed : 0) | (first ? kTestReverse : 0) | drawn : drawn;
  };
  const auto passed = level.sweep(use);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    Tag& tag = tags[level.order()[i]];
    const int uses = use(level.order()[i]);
    if ((uses & kTestForward) != 0 && (passed[i] & kPassedForward) == 0)  // 1a
      tag = tag == Tag::second ? Tag::both : Tag::first;
    if ((uses & kTestReverse) != 0 && (passed[i] & kPassedReverse) == 0)  // 1b
      tag = tag == Tag::first ? Tag::both : Tag::second;
  }
  for (const std::uint32_t e : level.order())  // 1c
    if (tags[e] == Tag::both) level.remove(e);
}

Tags quick_prune(Level& level) {
  Tags tags(level.order_count(), std::vector<Tag>(level.elements().size(), Tag::none));
  level.reduce_in_turn([&](std::size_t view) { quick_reduce(level, tags[level.order_of(view)]); });
  return tags;
}

namespace {

ElementBox box_of(const Level& level, std::uint32_t element) {
  const Scene& scene = level.context().scene;
  ElementBox box{{}, element, level.elements()[element].group};
  for (const std::uint32_t triangle : level.triangles_of(element))
    for (const Vec3d& p : scene.corners(triangle)) box.add(p);
  return box;
}

/// Sweep-and-prune: an element whose box meets none of another group leaves. A pass of its own in the report.
void drop_lonely(Level& level) {
  Context& context = level.context();
  PassClock clock(context, "boxes", {0, 0, 0});
  clock.pass().pcs_before = level.triangles_left();
  clock.pass().elements_before = level.elements_left();
  std::vector<std::uint32_t> left;
  for (std::uint32_t e = 0; e < level.elements().size(); ++e)
    if (level.left(e)) left.push_back(e);
  std::vector<ElementBox> boxes(left.size());
  constexpr std::size_t kBlock = 32;
  context.workers.for_each((left.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, left.size()); ++i)
      boxes[i] = box_of(level, left[i]);
  });
  std::vector<std::uint8_t> met(level.elements().size(), 0);
  const auto known = [&](const ElementBox& a, const ElementBox& b) {
    return met[a.element] != 0 && met[b.element] != 0;
  };
  const auto found = [&](const ElementBox& a, const ElementBox& b) { met[a.element] = met[b.element] = 1; };
  // Where everything overlaps along every axis, all stay.
  const std::uint64_t most = 256 * std::uint64_t{boxes.size()} + 65536;
  if (sweep(boxes, context.stop, most, known, found))
    for (const std::uint32_t e : left)
      if (met[e] == 0 && level.testable(e)) level.remove(e);
  clock.pass().pcs_after = level.triangles_left();
  clock.pass().elements_after = level.elements_left();
  clock.end();
}

/// Pairs within FFV and within SFV of an order, counted on what is left.
std::uint64_t spared(const Level& level, const std::vector<Tag>& tags) {
  std::uint64_t count[4] = {0, 0, 0, 0};
  for (std::uint32_t e = 0; e < tags.size(); ++e) count[static_cast<int>(tags[e])] += level.left(e) ? 1 : 0;
  return count[1] * count[1] + count[2] * count[2];
}

/// What is left of the triangles, with the free sets (lemma 2) of the order that spares most.
Candidates candidates_of(const Level& level, const Tags& tags) {
  Candidates candidates;
  const std::vector<Tag>* best = nullptr;
  for (const std::vector<Tag>& some : tags)
    if (best == nullptr || spared(level, some) > spared(level, *best)) best = &some;
  std::vector<std::pair<std::uint32_t, Tag>> left;
  left.reserve(level.elements_left());
  for (std::uint32_t e = 0; e < level.elements().size(); ++e)
    if (level.left(e)) left.emplace_back(level.triangles_of(e)[0], best != nullptr ? (*best)[e] : Tag::none);
  std::sort(left.begin(), left.end());
  for (const auto& [triangle, tag] : left) {
    candidates.triangles.push_back(triangle);
    candidates.free_set.push_back(static_cast<std::uint8_t>(tag));
  }
  return candidates;
}

Candidates quick_prune_triangles(const Level& above) {
  Level triangles = triangle_level(above);
  const Tags tags = quick_prune(triangles);
  return candidates_of(triangles, tags);
}

}  // namespace

Candidates quick_cullide(Context& context) {
  Hierarchy hierarchy = first_hierarchy(context);

  Level objects = object_level(context, hierarchy);  // 1
  if (!worth_upper_levels(context.scene)) {
    hierarchy.extract(context);
    return quick_prune_triangles(objects);
  }
  if (context.options.object_level) {
    quick_prune(objects);
    drop_lonely(objects);
  }
  if (!context.options.patches) return quick_prune_triangles(objects);  // 2: the parts are triangles

  Level patches = sub_object_level(objects, hierarchy);  // 2
  drop_lonely(patches);
  quick_prune(patches);
  if (context.options.object_level) drop_lonely(patches);

  return quick_prune_triangles(patches);  // 3
}

}  // namespace sightline::papers::method
