// Self-visibility over a hierarchy: contacts of objects with themselves and with each other, by CULLIDE.
//
// N. Boldt, J. Meyer: Self-intersections with Cullide. Department of Computer Science, University of Copenhagen, 2005.
//
//   paper                      here
//   O = o1 … on, PCS           pcs: nodes of the hierarchy, ranges of its order
//   reducePCS (Fig. 3)         self_reduce
//   cullide (Fig. 1)           self_cullide
//   node.children              the kChildren parts of a node; leaves are Pruning::leaf
//   a pass (section 6)         Pruning::pass: reducePCS for several directions, then one step down
//   far - near, n              of the camera and the depth format
//
// Steps
//   1. A hierarchy over each object, from the connectivity of its mesh. Its roots are the PCS.
//   2. A pass: for several directions, reducePCS:
//      a. O1 … On: draw the node with LESS, then test it with GREATER: against those before it, and against itself;
//      b. On … O1: test it with GREATER, then draw it with LESS;
//      c. a node clear both times has no contact, with others or its own (lemmas 4.2 and 4.3), and leaves.
//   3. Nodes that are left are replaced by their children, and step 2 is repeated, until a pass over leaves removes
//      nothing.
//   4. What is left at the end goes to the exact test.
//
// What the paper does not state, and how it is read here
// - Hierarchy (6.1): halves of the dual graph, eight children a node (hierarchy.h).
// - "Several calls with different directions of projection" (section 6): six, both ways along the axes.
// - The end. Figure 1 leaves its loop before the last children were reduced; its text repeats the operation for them,
//   and section 6 reports models that need an extra number of passes. Here passes over the leaves are repeated until
//   one of them removes nothing.
// - Leaves: single triangles.
//
// What is added to the paper. Each is an option; `as_published()` switches all of them off.
// - choose_views: of 26 directions, those in which most of the area that is left faces the viewer (facing.h). The paper
//   names a choice of directions as future work.
// - pixel_leaves: a node of few pixels is a leaf.
// - hand_over (section 7, future work): reducePCS is called while what it is expected to spare is more than what it is
//   expected to cost (pays): counted in triangles, never in measured time, so that the answer does not depend on a
//   clock. A call that does not pay is left out; at the leaves, a pass of such calls is the end. What is left then is
//   the last entry of the report's passes, "hand-over".
// - protect_steep (sections 5 and 7): a steep triangle may fall between the samples, draw nothing and so seem visible.
//   It keeps its node in that view (protects). Nor would it hide a triangle that it crosses, so its edges are drawn as
//   lines.
// - Conservative precision, which misses nothing (section 7, open): self_conservative.cpp.
// - Contacts of an object with itself are wanted for some objects only (`self`). In the image all nodes are equal; the
//   exact test skips the contacts that are not wanted.
//
// What can be missed in image precision, and why. A contact of two triangles a, b is missed only if one of them, say a,
// left in a view while b was still drawn: at no sample of the image was a farther than b by a unit of depth or more. So
// the part of the image in which a lies behind b by more than (far - near) / 2^n holds no sample, and being convex it
// holds no disc as wide as the diagonal of a pixel: the bound of section 5. The tests check each missed contact for it.
// One such view among all calls is enough, and there is one more chance with each call: a contact of triangles that are
// many pixels wide is still lost where the part that lies behind is a sliver in one of the views (docs/papers.md counts
// the losses by calls and by resolution).
#include "method/self_cullide.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sightline::papers::method {
namespace {

constexpr std::uint32_t kChildren = 8;

class Pruning {
 public:
  Pruning(Context& context, const Hierarchy& hierarchy, std::vector<Range>& pcs)
      : context_(context), hierarchy_(hierarchy), facing_(context.scene), pcs_(pcs) {
    const raster::Camera camera = raster::fit_camera(View{}, context.scene.positions);
    pixel_ = std::max({camera.right_edge - camera.left, camera.top - camera.bottom, camera.far - camera.near}) /
             context.resolution;
  }

  /// Step 2: a pass. False if nothing left the set.
  bool pass() {
    Directions directions(facing_);
    for (const Range& node : pcs_) directions.add(hierarchy_.triangles(node));
    bool pruned = false;
    for (const View& view : views_of_pass(context_, directions)) {
      if (pcs_.empty() || (context_.stop && context_.stop())) break;
      const raster::Camera camera = raster::fit_camera(view, context_.scene.positions);
      const std::uint64_t testable = hold(camera);
      if (pays(testable)) pruned |= reduce(view, camera, testable);
    }
    ++repeats_;
    return pruned;
  }

  /// Step 3. False if there were only leaves.
  bool descend() {
    std::vector<Range> down;
    for (const Range& node : pcs_) {
      const std::uint32_t parts = leaf(node) ? 1 : kChildren;
      for (std::uint32_t i = 0; i < parts; ++i)
        if (const Range child = node.part(i, parts); child.size() > 0) down.push_back(child);
    }
    const bool deeper = down.size() > pcs_.size();
    pcs_.swap(down);
    if (!deeper) return false;
    ++depth_;
    repeats_ = 0;
    rate_ = kFirstRate;  // smaller nodes hide less of themselves: the rate of the level above does not apply
    return true;
  }

  /// Step 4: the triangles that are left for the exact test.
  std::vector<std::uint32_t> hand_over() {
    if (!pcs_.empty() && context_.options.hand_over) {
      PassClock clock(context_, "hand-over", {0, 0, 0});
      clock.pass().pcs_before = clock.pass().pcs_after = triangles();
      clock.pass().elements_before = clock.pass().elements_after = pcs_.size();
      clock.end();
    }
    return list();
  }

 private:
  /// The triangles that are in the set, ascending.
  std::vector<std::uint32_t> list() const {
    std::vector<std::uint32_t> left;
    for (const Range& node : pcs_)
      left.insert(left.end(), hierarchy_.triangles(node).begin(), hierarchy_.triangles(node).end());
    std::sort(left.begin(), left.end());
    return left;
  }
  void note_dropped(const std::vector<std::uint32_t>& before) const {
    const std::vector<std::uint32_t> after = list();
    std::vector<std::uint32_t> gone;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
    for (const std::uint32_t triangle : gone) context_.drop(triangle);
  }

  static constexpr double kFirstRate = 0.5;
  static constexpr double kLeafPixels = 32;
  /// The exact test of a triangle that is left, in drawings of a triangle: 1 to 3 µs (narrow.cpp) against 1/8 µs.
  static constexpr double kExact = 20;
  static constexpr std::array<std::string_view, 12> kDepths = {"depth 0", "depth 1", "depth 2",  "depth 3",
                                                               "depth 4", "depth 5", "depth 6",  "depth 7",
                                                               "depth 8", "depth 9", "depth 10", "depth 11"};

  /// One triangle, or so few pixels that the samples of its parts would decide nothing: alone, a part with one sample
  /// is in front or behind, and all of them would leave one after the other. (At 500², 270 000 triangles did.)
  bool leaf(const Range& node) const {
    if (node.size() == 1) return true;
    if (!context_.options.pixel_leaves) return false;
    double area = 0;
    for (const std::uint32_t t : hierarchy_.triangles(node)) area += facing_.triangles[t].area;
    return area < kLeafPixels * pixel_ * pixel_;
  }

  std::uint64_t triangles() const {
    std::uint64_t count = 0;
    for (const Range& node : pcs_) count += node.size();
    return count;
  }

  /// True if a call is expected to spare more than it costs. All that is left is drawn twice, the nodes that can leave
  /// are tested twice, and a share of these will leave, as in the calls before.
  bool pays(std::uint64_t testable) const {
    if (!context_.options.hand_over) return testable > 0;
    const double left = static_cast<double>(triangles()), tested = static_cast<double>(testable);
    return rate_ * tested * kExact > 2 * left + 2 * tested;
  }

  bool reduce(const View& view, const raster::Camera& camera, std::uint64_t testable) {
    PassClock clock(context_, kDepths[std::min(depth_, kDepths.size() - 1)], view.direction, repeats_);
    const std::uint64_t before = triangles();
    clock.pass().elements_before = pcs_.size();
    context_.raster.camera(camera);
    const std::vector<std::uint32_t> had = context_.options.record_dropped ? list() : std::vector<std::uint32_t>();
    self_reduce(context_, hierarchy_, held_, steep_, pcs_);
    if (context_.options.record_dropped) note_dropped(had);
    clock.pass().pcs_before = before;
    clock.pass().pcs_after = triangles();
    clock.pass().elements_after = pcs_.size();
    clock.end();
    const std::uint64_t pruned = before - triangles();
    rate_ = (rate_ + static_cast<double>(pruned) / static_cast<double>(testable)) / 2;
    return pruned > 0;
  }

  /// Marks the nodes that a protected triangle keeps in this view; counts the triangles of the others.
  std::uint64_t hold(const raster::Camera& camera) {
    const double pixel = std::max(camera.right_edge - camera.left, camera.top - camera.bottom) / context_.resolution;
    held_.assign(pcs_.size(), 0);
    steep_.clear();
    std::uint64_t testable = 0;
    for (std::size_t i = 0; i < pcs_.size(); ++i) {
      const std::size_t before = steep_.size();
      for (const std::uint32_t t : hierarchy_.triangles(pcs_[i]))
        if (context_.options.protect_steep && protects(facing_.triangles[t], camera.forward, pixel))
          steep_.push_back(t);
      held_[i] = steep_.size() > before ? 1 : 0;
      if (held_[i] == 0) testable += pcs_[i].size();
    }
    return testable;
  }

  Context& context_;
  const Hierarchy& hierarchy_;
  Facing facing_;
  std::vector<Range>& pcs_;
  double pixel_ = 0;  ///< along the longest side of the scene
  std::vector<std::uint8_t> held_;
  std::vector<std::uint32_t> steep_;  ///< the protected triangles
  std::size_t depth_ = 0;
  std::uint32_t repeats_ = 0;  ///< passes at this depth
  double rate_ = kFirstRate;   ///< share of the tested triangles that left, in the last calls
};

}  // namespace

bool protects(const Facing::Of& triangle, const Vec3d& forward, double pixel) {
  constexpr double kSteep = 0.1;  // within 6 degrees of the direction of view
  const Vec3f& n = triangle.normal;
  const double cosine = std::abs(n[0] * forward[0] + n[1] * forward[1] + n[2] * forward[2]);
  const double width = 2 * triangle.area / triangle.longest;
  const double least = std::sqrt(2.0) * pixel;
  return cosine < kSteep && width >= least && width * cosine < least;
}

void self_reduce(Context& context, const Hierarchy& hierarchy, const std::vector<std::uint8_t>& held,
                 std::span<const std::uint32_t> steep, std::vector<Range>& nodes) {
  constexpr raster::State kDraw = {.depth = raster::Compare::less, .depth_write = true};
  constexpr raster::State kTest = {.depth = raster::Compare::greater, .depth_write = false};
  constexpr raster::State kEdges = {.depth = raster::Compare::less, .depth_write = true, .fill = raster::Fill::line};
  raster::Raster& raster = context.raster;
  const auto begin = [&] {
    raster.clear_depth(raster::far_key(raster.target().format));
    if (!steep.empty()) raster.draw(kEdges, steep);
  };
  raster.reset_queries();
  const raster::Query first = raster.queries(nodes.size()), second = raster.queries(nodes.size());

  begin();  // 2a
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    raster.draw(kDraw, hierarchy.triangles(nodes[i]));
    if (held[i] == 0) raster.draw(kTest, hierarchy.triangles(nodes[i]), first + i);
  }
  begin();  // 2b
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i-- > 0;) {
    if (held[i] == 0) raster.draw(kTest, hierarchy.triangles(nodes[i]), second + i);
    raster.draw(kDraw, hierarchy.triangles(nodes[i]));
  }
  std::uint32_t kept = 0;  // 2c
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    if (held[i] != 0 || raster.result(first + i) + raster.result(second + i) > 0) nodes[kept++] = nodes[i];
  nodes.resize(kept);
}

Candidates self_cullide(Context& context) {
  if (context.precision == Precision::conservative) return self_conservative(context);
  context.raster.target(context.target());
  Hierarchy hierarchy(context.scene);  // 1
  const std::vector<std::uint32_t> vertex = welded(context.scene);
  std::vector<Range> pcs;
  for (std::uint32_t object = 0; object < context.scene.table.objects.size(); ++object) {
    if (context.options.random_hierarchy)
      hierarchy.shuffle(object);
    else
      hierarchy.connect(object, 1, vertex, context.workers);
    pcs.push_back(hierarchy.object(object));
  }
  context.raster.pool(hierarchy.all());
  Pruning pruning(context, hierarchy, pcs);
  while (!pcs.empty()) {
    const bool pruned = pruning.pass();     // 2
    const bool deeper = pruning.descend();  // 3
    if (!deeper && !pruned) break;
  }
  Candidates candidates;  // 4
  candidates.triangles = pruning.hand_over();
  return candidates;
}

}  // namespace sightline::papers::method
