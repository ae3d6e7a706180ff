// self-cullide in conservative precision: no contact is lost, at any resolution.
//
// Boldt and Meyer leave this open (section 7). With conservative coverage triangles that share a corner share a pixel
// with overlapping depths, so that visibility alone keeps them both for ever. Here a patch, whose triangles are proven
// not to meet each other by the outline of the patch (Volino and Magnenat-Thalmann; patch.h), takes the place of the
// node: its triangles are tested against everything but the patch.
//
// Steps
//   1. Patches of what is left of each object: connected triangles that face nearly the same way.
//   2. Each is cut down until it has a proof. An object without `self` is one patch, and needs none.
//   3. A pass: for several directions, reducePCS with patches as groups (Raster::sweep):
//      a. P1 … Pn: test each triangle of the patch by itself with GEQUAL, against the patches before it; then draw the
//         patch with LESS;
//      b. the same from Pn to P1;
//      c. a triangle clear both times leaves.
//   4. Again from step 1: patches of what is left have their borders elsewhere, so triangles at a border, which share
//      pixels with the next patch, are inside one now.
//   5. Until a pass removes little: the rest goes to the exact test.
//
// Why nothing is lost. Let triangles a and b be in contact, and let the contact be wanted. Consider the first call in
// which one of them leaves, say a, of patch P. Before it both were in the set.
// - b is in P. Then P belongs to an object with `self`, or the contact would not be wanted, and P has a proof for all
//   its triangles, of which those in the set are some: a and b are not in contact.
// - b is not in P. Then b was drawn before a was tested, in one of the two sweeps. Both cover a pixel that holds the
//   image of a common point; there the near end of b is not deeper than the far end of a, so GEQUAL counts a fragment,
//   and a does not leave (pcs.h has the argument with its rounding).
// So a and b are both in the set at the end, and the exact test of all pairs of that set whose boxes meet finds them.
// This holds for any patches, views and resolution, and in whatever order triangles leave.
#include <algorithm>
#include <numeric>

#include "method/patch.h"
#include "method/self_cullide.h"

namespace sightline::papers::method {
namespace {

/// Triangles that are left, in patches, for one pass.
class PatchPass {
 public:
  /// Steps 1 and 2. `left` is ascending.
  PatchPass(Context& context, const Facing& facing, std::span<const std::uint32_t> vertex,
            const std::vector<std::uint32_t>& left, std::uint32_t number)
      : context_(context),
        patches_(patches_of(context, facing, vertex, left, number)),
        number_(number),
        gone_(left.size(), 0),
        elements_left_(patches_.patches.size()),
        triangles_left_(left.size()) {
    context_.raster.pool(all());
  }

  std::span<const std::uint32_t> all() const { return patches_.order; }
  std::uint64_t triangles_left() const { return triangles_left_; }

  /// Step 3 for one view: returns how many triangles left.
  std::uint64_t reduce(const View& view) {
    PassClock clock(context_, "patches", view.direction, number_);
    clock.pass().pcs_before = triangles_left_;
    clock.pass().elements_before = elements_left_;
    context_.raster.camera(raster::fit_camera(view, context_.scene.positions));
    sweep();
    clock.pass().pcs_after = triangles_left_;
    clock.pass().elements_after = elements_left_;
    clock.end();
    return clock.pass().pcs_before - triangles_left_;
  }

  /// Ascending.
  std::vector<std::uint32_t> left() const {
    std::vector<std::uint32_t> triangles;
    for (std::uint32_t i = 0; i < gone_.size(); ++i)
      if (gone_[i] == 0) triangles.push_back(all()[i]);
    std::sort(triangles.begin(), triangles.end());
    return triangles;
  }

 private:
  void sweep() {
    using namespace raster;
    elements_.clear();
    const std::vector<Range>& patches = patches_.patches;
    for (std::uint32_t patch = 0; patch < patches.size(); ++patch)
      for (std::uint32_t i = patches[patch].first; i < patches[patch].last; ++i)
        if (gone_[i] == 0)
          elements_.push_back({i, 1, patch, kTestForward | kDrawForward | kTestReverse | kDrawReverse});
    passed_.resize(elements_.size());
    context_.raster.reset_queries();
    context_.raster.sweep(all(), elements_, passed_);  // 3a, 3b
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      if (passed_[e] != 0) continue;
      gone_[elements_[e].first] = 1;  // 3c
      context_.drop(all()[elements_[e].first]);
      --triangles_left_;
    }
    elements_left_ = 0;
    for (std::size_t e = 0, last = patches.size(); e < elements_.size(); ++e) {
      if (passed_[e] == 0 || elements_[e].group == last) continue;
      last = elements_[e].group;
      ++elements_left_;
    }
  }

  Context& context_;
  Patches patches_;
  std::uint32_t number_;
  std::vector<std::uint8_t> gone_;  ///< by place in the patches' order
  std::uint64_t elements_left_ = 0, triangles_left_ = 0;
  std::vector<raster::SweepElement> elements_;  ///< kept from sweep to sweep for its memory
  std::vector<std::uint8_t> passed_;
};

/// Step 3, and whether step 4 is worth it.
bool prune(Context& context, const Facing& facing, PatchPass& pass) {
  // Of the triangles that it began with. Of two cows of 20 256 triangles these leave 3003 in 29 calls, 5 and 10 per
  // cent 3599 in 18, and pruning to the end 2589 in 114.
  constexpr double kLeastOfCall = 0.02, kLeastOfPass = 0.05;
  const bool to_the_end = !context.options.hand_over;
  Directions directions(facing);
  directions.add(pass.all());
  const std::uint64_t before = pass.triangles_left();
  for (const View& view : views_of_pass(context, directions)) {
    const std::uint64_t had = pass.triangles_left();
    if (had == 0 || (context.stop && context.stop())) return false;
    const std::uint64_t removed = pass.reduce(view);
    if (!to_the_end && static_cast<double>(removed) < kLeastOfCall * static_cast<double>(had)) break;
  }
  const std::uint64_t removed = before - pass.triangles_left();
  return removed > 0 && (to_the_end || static_cast<double>(removed) >= kLeastOfPass * static_cast<double>(before));
}

}  // namespace

Candidates self_conservative(Context& context) {
  context.raster.target(context.target());
  const Facing facing(context.scene);
  const std::vector<std::uint32_t> vertex = welded(context.scene);
  Candidates candidates;
  std::vector<std::uint32_t>& left = candidates.triangles;
  left.resize(context.scene.triangles.size());
  std::iota(left.begin(), left.end(), 0u);
  bool again = true;
  for (std::uint32_t i = 0; again && !left.empty(); ++i) {
    PatchPass pass(context, facing, vertex, left, i);  // 1, 2
    again = prune(context, facing, pass);              // 3
    left = pass.left();                                // 4
    context.raster.finish();
  }
  return candidates;  // 5
}

}  // namespace sightline::papers::method
