// What the paper claims of Quick-CULLIDE beside CULLIDE, and its lemmas.
#include "method/quick_cullide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "method/run_method.h"
#include "scenes/papers/papers.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using sightline::papers::MethodReport;
using sightline::papers::Pass;
using sightline::papers::TriangleRef;
using namespace sightline::papers::method;

Objects frame_of(const char* name, std::size_t triangles, int frame) {
  const auto animation = sightline::scenes::find_paper_scene(name)->make(triangles);
  for (int i = 0; i < frame; ++i) animation->advance();
  Objects objects{name, {}, Objects::none};
  for (const auto& object : animation->frame().objects) objects.meshes.push_back(object.mesh);
  if (animation->frame().objects.front().self) objects.self = Objects::first;
  return objects;
}

std::vector<Objects> some_scenes() {
  std::vector<Objects> scenes = {
      {"spheres", sightline::scenes::spheres(25, 80), Objects::none},
      {"two objects", sightline::scenes::two_objects(900, 400), Objects::none},
      {"cubes", sightline::scenes::cubes_in_contact(3), Objects::none},
      {"cloth", {sightline::scenes::crumpled_cloth(2000)}, Objects::all},
      {"spheres, one by itself", sightline::scenes::spheres(12, 80), Objects::first},
  };
  for (const int frame : {0, 20, 40}) scenes.push_back(frame_of("cloth-on-table", 1500, frame));
  for (const int frame : {10, 40}) scenes.push_back(frame_of("leaves", 3000, frame));
  return scenes;
}

std::vector<Pass> at_level(const MethodReport& report, std::string_view level) {
  std::vector<Pass> passes;
  for (const Pass& pass : report.passes)
    if (pass.level == level) passes.push_back(pass);
  return passes;
}

// Section 5.1.3: culling is always better than CULLIDE's. The lists of passes are the same views in the same order, so
// the k-th of a level can be compared with the k-th.
TEST(QuickCullide, LeavesNoMoreThanCullideWithFewerQueriesAndRenders) {
  std::size_t how = 0;
  for (const Objects& objects : some_scenes())
    for (const Precision precision : {Precision::image, Precision::conservative})
      for (const bool back_to_front : {true, false}) {
        SCOPED_TRACE(objects.name + (back_to_front ? ", back to front" : ", in order") +
                     (precision == Precision::image ? ", image" : ", conservative"));
        MethodSettings options = with(MethodName::cullide, precision, precision == Precision::image ? 512 : 128);
        options.paper.back_to_front = back_to_front;
        options.paper.views = some_views(how++);
        const MethodReport slow = collide(objects, options).method;
        options.method = MethodName::quick_cullide;
        const MethodReport quick = collide(objects, options).method;
        EXPECT_TRUE(std::includes(slow.pcs.begin(), slow.pcs.end(), quick.pcs.begin(), quick.pcs.end()))
            << quick.pcs.size() << " of " << slow.pcs.size();
        for (const std::string_view level : {"object", "sub-object", "triangle"}) {
          const auto of_slow = at_level(slow, level), of_quick = at_level(quick, level);
          for (std::size_t k = 0; k < std::min(of_slow.size(), of_quick.size()); ++k) {
            EXPECT_LE(of_quick[k].pcs_after, of_slow[k].pcs_after) << level << " " << k;
            EXPECT_LE(of_quick[k].queries, of_slow[k].queries) << level << " " << k;
            EXPECT_LE(of_quick[k].renders, of_slow[k].renders) << level << " " << k;
          }
        }
      }
}

// What the classes are for: back to front, a pile of objects that hide each other leaves at once. Their boxes meet, so
// that it takes an image.
TEST(QuickCullide, APileLeavesInOneIteration) {
  std::vector<Mesh> pile;
  for (int i = 0; i < 10; ++i) pile.push_back(sightline::scenes::sphere(80, {1.5 * i, 1.5 * i, 1.5 * i}));
  MethodSettings options = with(MethodName::quick_cullide, Precision::conservative, 64);
  options.paper.views = {View{{-1, -1, -1}}};
  const MethodReport quick = collide({"pile", pile, Objects::none}, options).method;
  EXPECT_TRUE(quick.pcs.empty());
  EXPECT_EQ(at_level(quick, "sub-object").size(), 1u);
  options.method = MethodName::cullide;
  const MethodReport slow = collide({"pile", pile, Objects::none}, options).method;
  EXPECT_TRUE(slow.pcs.empty());
  EXPECT_EQ(slow.passes.size() - at_level(slow, "boxes").size(), 10u);  // the nearest one each time
}

struct Counts {
  std::uint64_t queries, renders;
};
Counts counts(const Inside& inside) { return {inside.raster->counters().queries, inside.raster->counters().renders}; }

// Section 4.1: queries and renders are fewer by |FFV u SFV| each. (Renders by as many more as the first pass itself
// tags.)
TEST(QuickCullide, SavesAQueryAndARenderForEachOfFfvAndSfv) {
  for (const Precision precision : {Precision::image, Precision::conservative}) {
    MethodSettings options = with(MethodName::quick_cullide, precision, 128);
    options.paper.views = {View{{0, 0, -1}}, View{{-1, 0, 0}}};
    const Objects objects{"spheres", sightline::scenes::spheres(30, 80), Objects::none};
    Inside inside(objects, options);
    Hierarchy hierarchy(inside.scene);
    Level level = triangle_level(object_level(*inside.context, hierarchy));
    std::vector<Tag> tags(level.elements().size(), Tag::none);
    level.look(0);
    std::uint64_t saved_in_all = 0;
    for (int iteration = 0; iteration < 4; ++iteration) {
      std::uint64_t tagged = 0;
      for (std::uint32_t e = 0; e < tags.size(); ++e)
        tagged += level.left(e) && (tags[e] == Tag::first || tags[e] == Tag::second) ? 1 : 0;
      const std::uint64_t before = level.elements_left();
      const Counts start = counts(inside);
      level.look(0);
      quick_reduce(level, tags);
      const Counts end = counts(inside);
      EXPECT_EQ(end.queries - start.queries, 2 * before - tagged);
      EXPECT_LE(end.renders - start.renders, 2 * before - tagged);
      saved_in_all += tagged;
    }
    EXPECT_GT(saved_in_all, 0u);
  }
}

// Lemma 2. In conservative precision it holds of every contact; in image precision, of those that the samples can
// show: hardly any pair differs.
TEST(QuickCullide, CollisionFreeSetsAreFreeOfCollisions) {
  for (const Objects& objects : some_scenes())
    for (const Precision precision : {Precision::conservative, Precision::image}) {
      SCOPED_TRACE(objects.name);
      MethodSettings options = with(MethodName::quick_cullide, precision, precision == Precision::image ? 1024 : 128);
      options.paper.views = {View{{0, 0, -1}}, View{{-0.3, -0.5, -0.8}}};
      Inside inside(objects, options);
      const Candidates candidates = quick_cullide(*inside.context);
      ASSERT_EQ(candidates.free_set.size(), candidates.triangles.size());
      const auto set_of = [&](std::uint32_t object, std::uint32_t triangle) -> int {
        const std::uint32_t t = inside.table.objects[object].first_triangle + triangle;
        const auto at = std::lower_bound(candidates.triangles.begin(), candidates.triangles.end(), t);
        if (at == candidates.triangles.end() || *at != t) return 0;
        return candidates.free_set[static_cast<std::size_t>(at - candidates.triangles.begin())];
      };
      std::size_t inside_a_set = 0, contacts = 0;
      for (const auto& contact : collide(objects).contacts) {
        const int a = set_of(contact.object_a, contact.a), b = set_of(contact.object_b, contact.b);
        ++contacts;
        if (a != 0 && a == b) ++inside_a_set;
      }
      if (precision == Precision::conservative)
        EXPECT_EQ(inside_a_set, 0u);
      else
        EXPECT_LE(inside_a_set, contacts / 20 + 2) << contacts;
    }
}

// A fully visible object shares no pixel with a nearer one: what is tagged in the first pass is in front of all before
// it, wherever both are.
TEST(QuickCullide, FullyVisibleMeansInFrontInEveryCommonPixel) {
  MethodSettings options = with(MethodName::quick_cullide, Precision::image, 64);
  options.paper.views = {View{{-0.3, -0.5, -0.8}}};
  const Objects objects{"spheres", sightline::scenes::spheres(20, 80), Objects::none};
  Inside inside(objects, options);
  Hierarchy hierarchy(inside.scene);
  Level level = object_level(*inside.context, hierarchy);
  level.look(0);
  const auto passed = level.sweep(
      [](std::uint32_t) { return sightline::papers::raster::kTestForward | sightline::papers::raster::kDrawForward; });
  std::vector<bool> clear(level.elements().size());
  for (std::size_t i = 0; i < passed.size(); ++i) clear[level.order()[i]] = passed[i] == 0;
  const auto depths = [&](std::uint32_t e) {
    inside.raster->clear_depth(sightline::papers::raster::far_key(inside.raster->target().format));
    inside.raster->draw({.depth = sightline::papers::raster::Compare::less}, level.triangles_of(e));
    return inside.raster->read_depth();
  };
  const auto farthest = [&](std::uint32_t e) {
    inside.raster->clear_depth(0);
    inside.raster->draw({.depth = sightline::papers::raster::Compare::greater}, level.triangles_of(e));
    return inside.raster->read_depth();
  };
  std::vector<std::uint32_t> nearest(64 * 64, ~0u);
  std::size_t visible = 0;
  for (const std::uint32_t e : level.order()) {
    const auto own = farthest(e);
    bool in_front = true;
    for (std::size_t i = 0; i < own.size(); ++i) in_front = in_front && (own[i] == 0 || own[i] < nearest[i]);
    EXPECT_EQ(in_front, clear[e]) << e;
    visible += clear[e] ? 1 : 0;
    const auto near = depths(e);
    for (std::size_t i = 0; i < near.size(); ++i) nearest[i] = std::min(nearest[i], near[i]);
  }
  EXPECT_GT(visible, 0u);
}

/// The published round: each view draws from the farthest triangle to the nearest.
TEST(QuickCullide, OneRoundAsPublishedIsBackToFront) {
  MethodSettings options = with(MethodName::quick_cullide, Precision::image, 256);
  options.paper = as_published(MethodName::quick_cullide);
  options.paper.resolution = 256;
  options.paper.views = {View{{-1, 0, 0}}, View{{0, 0, -1}}};
  const Objects objects{"cloth", {sightline::scenes::crumpled_cloth(2000)}, Objects::all};
  Inside inside(objects, options);
  Hierarchy hierarchy(inside.scene);
  Level level = triangle_level(object_level(*inside.context, hierarchy));
  for (std::size_t view = 0; view < 2; ++view) {
    level.look(view);
    const std::size_t axis = view == 0 ? 0 : 2;  // the view looks against it, so that small is far
    double last = -1e300;
    for (const std::uint32_t e : level.order()) {
      const auto corners = inside.scene.corners(level.triangles_of(e)[0]);
      const double depth = corners[0][axis] + corners[1][axis] + corners[2][axis];
      EXPECT_GE(depth, last - 1e-5);  // sorted as floats
      last = depth;
    }
  }
  const Tags tags = quick_prune(level);
  EXPECT_EQ(tags.size(), 2u);
  EXPECT_EQ(inside.report.passes.size(), 2u);
}

TEST(QuickCullide, BackToFrontLeavesFewerAfterTheFirstPass) {
  const Objects objects = frame_of("cloth-on-table", 4000, 40);
  MethodSettings options = with(MethodName::quick_cullide, Precision::image, 1024);
  const Report ordered = collide(objects, options);
  options.paper.back_to_front = false;
  const Report unordered = collide(objects, options);
  EXPECT_LT(at_level(ordered.method, "triangle").front().pcs_after,
            at_level(unordered.method, "triangle").front().pcs_after);
}

}  // namespace
/// A session ends pruning where a frame before ended. In conservative precision the contacts stay the exact ones, and
/// less is drawn; in image precision nothing is taken over.
TEST(QuickCullide, ASessionKeepsTheContacts) {
  using sightline::Scene;
  namespace scenes = sightline::scenes;
  using namespace sightline::papers;
  const Images coarse{.precision = Precision::conservative, .resolution = 128},
      sampled{.precision = Precision::image, .resolution = 512};
  const auto animation = scenes::cloth_on_table(1500);
  for (int i = 0; i < 60; ++i) animation->advance();
  Session session;
  std::uint64_t alone_drawn = 0, session_drawn = 0, contacts = 0;
  for (int frame = 0; frame < 18; ++frame, animation->advance()) {
    Scene scene;
    for (const scenes::AnimatedObject& object : animation->frame().objects)
      scene.add(object.mesh, {.self = object.self});
    const auto exact = scene.collide().contacts;
    contacts += exact.size();
    for (const Method& method : {Method{QuickCullide{.images = coarse}}, Method{Cullide{.images = coarse}}}) {
      const auto alone = run(scene, method), in_session = session.run(scene, method);
      EXPECT_EQ(alone.contacts, exact) << frame;
      EXPECT_EQ(in_session.contacts, exact) << frame;
      EXPECT_LE(in_session.method.pcs.size(), alone.method.pcs.size() * 3 / 2 + 20) << frame;
      for (const Pass& pass : alone.method.passes) alone_drawn += pass.fragments;
      for (const Pass& pass : in_session.method.passes) session_drawn += pass.fragments;
    }
    const Method image = QuickCullide{.images = sampled};
    const auto alone = run(scene, image), in_session = session.run(scene, image);
    EXPECT_EQ(in_session.contacts, alone.contacts) << frame;
    EXPECT_EQ(in_session.method.pcs, alone.method.pcs) << frame;
  }
  EXPECT_GT(contacts, 0u);
  EXPECT_LT(session_drawn, alone_drawn);
}

}  // namespace testing_support
