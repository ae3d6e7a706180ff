// Self-intersections with Cullide: its lemmas, what it may miss, and its hierarchy.
#include "method/self_cullide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "method/run_method.h"
#include "raster/setup.h"
#include "scenes/papers/papers.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using sightline::Contact;
using sightline::papers::MethodReport;
using sightline::papers::Pass;
using namespace sightline::papers::method;
namespace raster = sightline::papers::raster;

MethodSettings options_of(unsigned resolution) { return with(MethodName::self_cullide, Precision::image, resolution); }

// The bound of section 5, as it can be justified. A view can drop triangle a of a contact only if no sample shows a
// behind b by a unit of depth. The part of the image where it is behind by more is convex; if it held a disc as wide as
// a pixel's diagonal, it would hold a sample.
class Bound {
 public:
  Bound(const raster::Camera& camera, const raster::Target& target) : projection_(camera, target), target_(target) {}

  /// Does a part of `a` as large as that lie behind `b`?
  bool shows_behind(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) const {
    raster::Primitive in_a[raster::Projection::kMost], in_b[raster::Projection::kMost];
    if (projection_.triangle(a[0], a[1], a[2], in_a) != 1 || projection_.triangle(b[0], b[1], b[2], in_b) != 1)
      return false;
    if (in_a->area == 0 || in_b->area == 0) return false;
    const raster::DepthPlane deep_a(*in_a, target_.coverage), deep_b(*in_b, target_.coverage);
    // z_a - z_b > 1 as a half-plane over 1/256 pixel; a plane's `at` counts samples.
    const double zx = deep_a.zx - deep_b.zx, zy = deep_a.zy - deep_b.zy;
    const double at_origin = deep_a.at(0, 0) - deep_b.at(0, 0) - (zx + zy) / 2;
    std::vector<Half> halves = {{zx / raster::kSubpixels, zy / raster::kSubpixels, 1 - at_origin}};
    add_edges(*in_a, halves);
    add_edges(*in_b, halves);
    return holds_disc(halves);
  }

 private:
  struct Half {
    double x, y, least;  ///< x px + y py >= least
  };
  struct Point {
    double x, y;
  };

  static void add_edges(const raster::Primitive& p, std::vector<Half>& halves) {
    const double turn = p.area > 0 ? 1 : -1;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const double x = -turn * (p.y[j] - p.y[i]), y = turn * (p.x[j] - p.x[i]);
      halves.push_back({x, y, x * p.x[i] + y * p.y[i]});
    }
  }

  static bool holds_disc(const std::vector<Half>& halves) {
    const double radius = std::sqrt(0.5) * raster::kSubpixels + 1;
    constexpr double kAll = 1e7;
    std::vector<Point> polygon = {{-kAll, -kAll}, {kAll, -kAll}, {kAll, kAll}, {-kAll, kAll}};
    for (const Half& half : halves) {
      const double length = std::hypot(half.x, half.y);
      const auto inside = [&](const Point& p) { return half.x * p.x + half.y * p.y - half.least - radius * length; };
      std::vector<Point> kept;
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Point &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double in_p = inside(p), in_q = inside(q);
        if (in_p > 0) kept.push_back(p);
        if ((in_p > 0) != (in_q > 0)) {
          const double u = in_p / (in_p - in_q);
          kept.push_back({p.x + (q.x - p.x) * u, p.y + (q.y - p.y) * u});
        }
      }
      polygon.swap(kept);
      if (polygon.empty()) return false;
    }
    return true;
  }

  raster::Projection projection_;
  raster::Target target_;
};

raster::Target target_of(const MethodSettings& options) {
  return {*options.paper.resolution, *options.paper.resolution, raster::DepthFormat::fixed24, raster::Coverage::image};
}

std::vector<Vec3d> positions_of(const Objects& objects) {
  std::vector<Vec3d> positions;
  for (const Mesh& mesh : objects.meshes)
    for (std::size_t i = 0; i < mesh.view().positions.size(); ++i) positions.push_back(mesh.view().position(i));
  return positions;
}

/// One for each view that was used.
std::vector<Bound> bounds_of(const Objects& objects, const MethodSettings& options, const MethodReport& report) {
  std::vector<Bound> bounds;
  std::set<Vec3d> used;
  const std::vector<Vec3d> positions = positions_of(objects);
  for (const Pass& pass : report.passes)
    if (pass.level != "hand-over" && used.insert(pass.direction).second)
      bounds.emplace_back(raster::fit_camera(View{pass.direction}, positions), target_of(options));
  return bounds;
}

std::vector<Objects> self_scenes() {
  return {{"deformed body", {sightline::scenes::deformed_body(1500)}, Objects::all},
          {"two cows", {sightline::scenes::two_cows(1500)}, Objects::all},
          {"cloth", {sightline::scenes::crumpled_cloth(1000)}, Objects::all},
          {"tube", {sightline::scenes::self_intersecting_tube(800)}, Objects::all},
          {"soup", {sightline::scenes::uniform_soup(300)}, Objects::all},
          {"spheres", sightline::scenes::spheres(10, 80), Objects::none}};
}

TEST(SelfCullide, MissesOnlyWithinTheBound) {
  std::size_t missed = 0, shown = 0;
  for (const Objects& objects : self_scenes())
    for (const unsigned resolution : {100u, 500u, 2000u}) {
      SCOPED_TRACE(objects.name + " at " + std::to_string(resolution));
      const MethodSettings options = options_of(resolution);
      const Report expected = collide(objects), report = collide(objects, options);
      EXPECT_TRUE(std::includes(expected.contacts.begin(), expected.contacts.end(), report.contacts.begin(),
                                report.contacts.end()));
      const std::vector<Bound> bounds = bounds_of(objects, options, report.method);
      for (const Contact& contact : expected.contacts) {
        const auto a = objects.meshes[contact.object_a].view().corners(contact.a);
        const auto b = objects.meshes[contact.object_b].view().corners(contact.b);
        const bool in_all = std::all_of(bounds.begin(), bounds.end(), [&](const Bound& bound) {
          return bound.shows_behind(a, b) && bound.shows_behind(b, a);
        });
        const bool found = std::binary_search(report.contacts.begin(), report.contacts.end(), contact);
        missed += found ? 0 : 1;
        shown += in_all ? 1 : 0;
        EXPECT_TRUE(found || !in_all) << "missed, though every view showed it:\n" << hex(a) << "\n" << hex(b);
      }
    }
  EXPECT_GT(missed, 0u);  // else the bound was not tried
  EXPECT_GT(shown, 0u);
}

/// The nodes that one call leaves.
std::vector<Range> left_of(Inside& inside, const Hierarchy& hierarchy, const View& view, std::vector<Range> nodes) {
  inside.raster->camera(raster::fit_camera(view, inside.scene.positions));
  self_reduce(*inside.context, hierarchy, std::vector<std::uint8_t>(nodes.size(), 0), {}, nodes);
  return nodes;
}

// Lemma 4.2: what is fully self-visible has no self-intersection (but those below the bound).
TEST(SelfCullide, AFullySelfVisibleObjectDoesNotMeetItself) {
  const MethodSettings options = options_of(400);
  std::vector<Mesh> pieces = sliced(sightline::scenes::crumpled_cloth(3000), 60);
  for (const int n : {1, 3})
    for (Mesh& piece : sliced(sightline::scenes::self_intersecting_tube(800), n)) pieces.push_back(std::move(piece));
  std::size_t visible = 0, hidden_with_contacts = 0;
  for (const Mesh& strip : pieces) {
    const Objects objects{"strip", {strip}, Objects::all};
    Inside inside(objects, options);
    Hierarchy hierarchy(inside.scene);
    const Report expected = collide(objects);
    for (const View& view : some_views(4)) {
      const bool left = !left_of(inside, hierarchy, view, {hierarchy.object(0)}).empty();
      hidden_with_contacts += left && !expected.contacts.empty() ? 1 : 0;
      if (left) continue;
      ++visible;
      const Bound bound(raster::fit_camera(view, inside.scene.positions), target_of(options));
      for (const Contact& contact : expected.contacts) {
        const auto a = strip.view().corners(contact.a), b = strip.view().corners(contact.b);
        EXPECT_FALSE(bound.shows_behind(a, b) || bound.shows_behind(b, a));
      }
    }
  }
  EXPECT_GT(visible, 0u);
  EXPECT_GT(hidden_with_contacts, 0u);
}

// Lemma 4.3: an object is fully self-visible if (and, in one view, only if) its parts are, and are fully visible to
// each other.
TEST(SelfCullide, AnObjectIsSelfVisibleIffItsPartsAre) {
  const Mesh cloth = sightline::scenes::crumpled_cloth(3000);
  std::size_t visible = 0, hidden = 0;
  for (const Mesh& strip : sliced(cloth, 40)) {
    Inside inside({"strip", {strip}, Objects::all}, options_of(300));
    Hierarchy hierarchy(inside.scene);
    hierarchy.connect(0, 1, welded(inside.scene), inside.workers);
    const Range whole = hierarchy.object(0);
    for (const View& view : some_views(4)) {
      const bool leaves = left_of(inside, hierarchy, view, {whole}).empty();
      for (const std::uint32_t parts : {2u, 8u, 32u}) {
        std::vector<Range> nodes;
        for (std::uint32_t i = 0; i < parts; ++i) nodes.push_back(whole.part(i, parts));
        EXPECT_EQ(left_of(inside, hierarchy, view, nodes).empty(), leaves);
      }
      ++(leaves ? visible : hidden);
    }
  }
  EXPECT_GT(visible, 0u);
  EXPECT_GT(hidden, 0u);
}

// Section 5: a triangle seen edge-on draws nothing, and would be pruned by mistake.
TEST(SelfCullide, ATriangleSeenEdgeOnIsProtected) {
  Builder builder;
  builder.triangle({-1, -1, 0}, {1, -1, 0}, {0, 1, 0});
  builder.triangle({0, -0.5, -1}, {0, 0.5, -1}, {0, 0, 1});
  const Objects objects{"edge on", {builder.mesh()}, Objects::all};
  MethodSettings options = options_of(100);
  for (const View& view : {View{{0, 0, -1}}, View{{1e-4, 0, 1}}}) {
    options.paper.views = {view};
    EXPECT_EQ(collide(objects, options).contacts.size(), 1u);
  }
  Inside inside(objects, options);
  const Facing facing(inside.scene);
  EXPECT_TRUE(protects(facing.triangles[1], {0, 0, -1}, 0.01));
  EXPECT_FALSE(protects(facing.triangles[0], {0, 0, -1}, 0.01));
  EXPECT_FALSE(protects(facing.triangles[1], {0, 0, -1}, 10));  // too small for any view: no use to keep it
  EXPECT_FALSE(protects(facing.triangles[1], {-1, 0, 0}, 0.01));
}

TEST(SelfCullide, AFlatSheetLeavesAsOneNode) {
  Builder builder;
  for (int y = 0; y <= 10; ++y)
    for (int x = 0; x <= 10; ++x) builder.corner({double(x), double(y), 0.1 * x * y});
  for (std::uint32_t y = 0; y < 10; ++y)
    for (std::uint32_t x = 0; x < 10; ++x) {
      const std::uint32_t at = 11 * y + x;
      builder.indexed(at, at + 1, at + 12);
      builder.indexed(at, at + 12, at + 11);
    }
  const Report report = collide({"sheet", {builder.mesh()}, Objects::all}, options_of(200));
  EXPECT_TRUE(report.method.pcs.empty());
  ASSERT_EQ(report.method.passes.size(), 1u);
  EXPECT_EQ(report.method.passes[0].level, "depth 0");
  EXPECT_EQ(report.method.passes[0].elements_before, 1u);
}

TEST(SelfCullide, SameAnswerWithAnyNumberOfThreadsAndTheGivenViewsOnly) {
  for (const Objects& objects : self_scenes()) {
    MethodSettings options = options_of(300);
    const Report one = collide(objects, options);
    options.threads = 3;
    const Report more = collide(objects, options);
    EXPECT_EQ(one.contacts, more.contacts);
    EXPECT_EQ(one.method.pcs, more.method.pcs);
    options.paper.views = {View{{0, 0, -1}}, View{{1, 2, 3}}};
    for (const Pass& pass : collide(objects, options).method.passes)
      EXPECT_TRUE(pass.level == "hand-over" || pass.direction == options.paper.views[0].direction ||
                  pass.direction == options.paper.views[1].direction);
  }
}

TEST(SelfCullide, ConnectivityBeatsARandomHierarchy) {
  const Objects objects{"cows", {sightline::scenes::two_cows(3000)}, Objects::all};
  MethodSettings options = options_of(500);
  const auto cost = [&] {
    const MethodReport report = collide(objects, options).method;
    return std::accumulate(report.passes.begin(), report.passes.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Pass& pass) { return sum + pass.queries + pass.renders; });
  };
  const std::uint64_t connected = cost();
  options.paper.random_hierarchy = true;
  EXPECT_LT(connected, cost());
}

/// What the paper does.
MethodSettings published(unsigned resolution) {
  MethodSettings options = options_of(resolution);
  options.paper = as_published(MethodName::self_cullide);
  options.paper.resolution = resolution;
  return options;
}

// Figure 1: every pass calls reducePCS for each direction, each pass is one step down, and passes over the leaves are
// repeated until one of them removes nothing.
TEST(SelfCullide, AsPublishedIsFigureOne) {
  for (const Objects& objects : self_scenes()) {
    SCOPED_TRACE(objects.name);
    const Report report = collide(objects, published(200));
    const std::vector<Pass>& calls = report.method.passes;
    ASSERT_FALSE(calls.empty());
    EXPECT_EQ(report.method.precision, Precision::image);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      EXPECT_EQ(calls[i].queries, 2 * calls[i].elements_before);  // nothing is held back
      EXPECT_EQ(calls[i].renders, 2 * calls[i].elements_before);  // and no edges are drawn
      const Vec3d& d = calls[i].direction;
      EXPECT_EQ(std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]), 1);
      if (i == 0) continue;
      EXPECT_EQ(calls[i].pcs_before, calls[i - 1].pcs_after);
      if (i % 6 != 0) {  // the same pass
        EXPECT_EQ(calls[i].level, calls[i - 1].level);
        EXPECT_EQ(calls[i].iteration, calls[i - 1].iteration);
        EXPECT_NE(d, calls[i - 1].direction);
      } else if (calls[i].iteration == 0) {
        EXPECT_EQ(calls[i].level, "depth " + std::to_string(i / 6));
      } else {
        EXPECT_EQ(calls[i].iteration, calls[i - 1].iteration + 1);
        EXPECT_EQ(calls[i].level, calls[i - 1].level);
        EXPECT_EQ(calls[i].elements_before, calls[i].pcs_before);  // leaves are triangles
      }
    }
    if (calls.back().pcs_after > 0) {
      ASSERT_EQ(calls.size() % 6, 0u);
      EXPECT_EQ(calls.back().elements_after, calls.back().pcs_after);
      EXPECT_EQ(calls.back().pcs_after, calls[calls.size() - 6].pcs_before);
    }
    EXPECT_EQ(report.method.pcs.size(), calls.back().pcs_after);
  }
}

// Each option of the preset alone makes a difference.
TEST(SelfCullide, TheOptionsOfAsPublished) {
  const Objects objects{"two cows", {sightline::scenes::two_cows(3000)}, Objects::all};
  const MethodSettings improved = options_of(300);
  const auto calls = [&](const MethodSettings& options) { return collide(objects, options).method; };
  MethodSettings options = improved;
  options.paper.hand_over = false;
  const MethodReport to_the_end = calls(options);
  EXPECT_NE(to_the_end.passes.back().level, "hand-over");
  EXPECT_EQ(calls(improved).passes.back().level, "hand-over");
  options.paper.pixel_leaves = false;
  const MethodReport triangles = calls(options);
  EXPECT_EQ(triangles.passes.back().elements_after, triangles.passes.back().pcs_after);
  EXPECT_LT(to_the_end.passes.back().elements_after, to_the_end.passes.back().pcs_after);
  options.paper.protect_steep = false;
  const MethodReport unprotected = calls(options);
  for (const Pass& pass : unprotected.passes) EXPECT_EQ(pass.queries, 2 * pass.elements_before);
  EXPECT_TRUE(std::any_of(triangles.passes.begin(), triangles.passes.end(),
                          [](const Pass& pass) { return pass.queries < 2 * pass.elements_before; }));
  options.paper.choose_views = false;
  const MethodReport axes = calls(options), all = calls(published(300));
  EXPECT_EQ(axes.pcs, all.pcs);
  ASSERT_EQ(axes.passes.size(), all.passes.size());
  EXPECT_EQ(axes.passes[0].direction, (Vec3d{-1, 0, 0}));
}

// Passes of the paper are several calls: calls with the same level and iteration.
TEST(SelfCullide, CallsOfAPassHaveItsDepthAndNumber) {
  for (const Objects& objects : self_scenes()) {
    const std::vector<Pass> calls = collide(objects, options_of(300)).method.passes;
    std::set<std::pair<std::string_view, std::uint32_t>> seen;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const bool same = i > 0 && calls[i].level == calls[i - 1].level && calls[i].iteration == calls[i - 1].iteration;
      if (!same) {
        EXPECT_TRUE(seen.insert({calls[i].level, calls[i].iteration}).second);
      }
    }
  }
}

TEST(SelfCullide, EdgesOfScenes) {
  const MethodSettings options = options_of(64);
  EXPECT_TRUE(collide({"nothing", {}, Objects::none}, options).contacts.empty());
  Builder builder;
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  EXPECT_TRUE(collide({"one", {builder.mesh()}, Objects::all}, options).contacts.empty());
  builder.triangle({0, 0, 0}, {0, 0, 0}, {0, 0, 0});
  EXPECT_LE(collide({"a point", {builder.mesh()}, Objects::all}, options).contacts.size(), 1u);
  MethodSettings conservative = options;
  conservative.paper.precision = Precision::conservative;
  EXPECT_TRUE(collide({"nothing", {}, Objects::none}, conservative).contacts.empty());
  const Objects both{"both", {builder.mesh()}, Objects::all};
  EXPECT_EQ(collide(both, conservative).contacts, collide(both).contacts);
}

TEST(Hierarchy, IsAPermutationWhosePartsAreConnected) {
  for (const Mesh& mesh : {sightline::scenes::torus(2000), unindexed(sightline::scenes::sphere(500)),
                           sightline::scenes::uniform_soup(100)}) {
    Inside inside({"mesh", {mesh}, Objects::all}, options_of(64), 2);
    Hierarchy hierarchy(inside.scene);
    hierarchy.connect(0, 1, welded(inside.scene), inside.workers);
    const Range whole = hierarchy.object(0);
    std::vector<std::uint32_t> order(hierarchy.triangles(whole).begin(), hierarchy.triangles(whole).end());
    std::sort(order.begin(), order.end());
    for (std::uint32_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
    // Corners of a part, counted once: fewer than for triangles picked at random.
    std::set<Vec3d> corners;
    const Range part = whole.part(3, 8);
    for (const std::uint32_t t : hierarchy.triangles(part))
      for (const Vec3d& p : inside.scene.corners(t)) corners.insert(p);
    if (mesh.triangles.size() > 100) {
      EXPECT_LT(corners.size(), part.size());
    }
  }
}

}  // namespace
}  // namespace testing_support
