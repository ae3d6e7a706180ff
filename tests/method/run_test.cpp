// What all methods over images have in common: options that are checked for every scene, a cancel that ends the query,
// queries of several threads at once, the public functions, groups of objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <variant>

#include "method/run_method.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Objects& objects, const MethodSettings& options) {
  try {
    collide(objects, options);
  } catch (const sightline::Error& error) {
    return error.what();
  }
  return "";
}

const MethodName kMethods[] = {MethodName::cullide, MethodName::quick_cullide};

/// Nothing has to be drawn: the boxes decide.
Objects apart() {
  return {"apart", {sightline::scenes::sphere(80), sightline::scenes::sphere(80, {5, 0, 0})}, Objects::none};
}

TEST(Run, ViewsAreCheckedWhereNothingIsDrawn) {
  for (const MethodName method : kMethods) {
    MethodSettings options = with(method, Precision::image, 64);
    EXPECT_TRUE(collide(apart(), options).contacts.empty());
    options.paper.views = {View{{0, 0, 0}}};
    EXPECT_THAT(error_of(apart(), options), HasSubstr("direction (0, 0, 0) is not a direction"));
    options.paper.views = {View{}, View{.direction = {0, 0, -1}, .field_of_view = 200}};
    EXPECT_THAT(error_of(apart(), options), HasSubstr("field of view of 200 degrees"));
  }
}

TEST(Run, ACancelThatSaysSoOnceIsHeard) {
  const Objects objects{"spheres", sightline::scenes::spheres(12, 320), Objects::none};
  const auto expected = collide(objects).contacts;
  ASSERT_GT(expected.size(), 0u);
  for (const MethodName method : {MethodName::cullide, MethodName::quick_cullide, MethodName::peel}) {
    std::size_t cancelled = 0;
    for (int when = 0; when < 40; ++when) {
      MethodSettings options = with(method, Precision::conservative, 64);
      int calls = 0;
      options.cancel = [&] { return calls++ == when; };
      const Report report = collide(objects, options);
      cancelled += report.cancelled ? 1 : 0;
      EXPECT_EQ(report.cancelled, calls > when) << when;
      if (report.cancelled) {
        EXPECT_FALSE(report.complete);
      } else {
        EXPECT_EQ(report.contacts, expected);
      }
    }
    EXPECT_GT(cancelled, 0u);
  }
}

// Memory is kept from query to query, and shared by all of them.
TEST(Run, QueriesFromManyThreads) {
  const Objects scenes[] = {{"spheres", sightline::scenes::spheres(30, 1280), Objects::none},
                            {"two objects", sightline::scenes::two_objects(9000, 400), Objects::none},
                            {"few", sightline::scenes::spheres(4, 320), Objects::none}};
  std::vector<std::vector<sightline::Contact>> expected;
  for (const Objects& scene : scenes) expected.push_back(collide(scene).contacts);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&, i] {
      for (int run = 0; run < 6; ++run) {
        const int which = (i + run) % 3;
        const MethodSettings options = with(kMethods[run % 2], Precision::conservative, 64);
        wrong += collide(scenes[which], options).contacts != expected[which] ? 1 : 0;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// ---- the public functions

namespace papers = sightline::papers;

/// The flat record and the public struct with the same options.
struct SameMethod {
  std::string name;
  papers::Method method;
  MethodSettings flat;
};

MethodSettings flat(MethodName name) {
  MethodSettings settings;
  settings.method = name;
  return settings;
}

papers::Images other_images() {
  return {.precision = Precision::image,
          .views = {View{{-1, 0, 0}}, View{{0.3, -0.5, 0.8}}},
          .resolution = 96,
          .depth = papers::DepthBits::fixed16,
          .record_dropped = true};
}
void set_other_images(MethodSettings& settings) {
  settings.paper.precision = Precision::image;
  settings.paper.views = {View{{-1, 0, 0}}, View{{0.3, -0.5, 0.8}}};
  settings.paper.resolution = 96;
  settings.paper.depth = papers::DepthBits::fixed16;
  settings.paper.record_dropped = true;
}

std::vector<std::optional<papers::Motion>> towards_each_other(std::size_t objects) {
  std::vector<std::optional<papers::Motion>> motions;
  for (std::size_t i = 0; i < objects; ++i)
    motions.push_back(papers::Motion{.velocity = {i % 2 == 0 ? 1.0 : -1.0, 0.1 * static_cast<double>(i), 0},
                                     .angular_velocity = {0, 0.1, 0}});
  return motions;
}

/// Each method with its default options.
std::vector<SameMethod> default_methods(std::size_t objects) {
  std::vector<SameMethod> all = {{"cullide", papers::Cullide{}, flat(MethodName::cullide)},
                                 {"quick_cullide", papers::QuickCullide{}, flat(MethodName::quick_cullide)},
                                 {"self_cullide", papers::SelfCullide{}, flat(MethodName::self_cullide)},
                                 {"peel", papers::Peel{}, flat(MethodName::peel)},
                                 {"cinder", papers::Cinder{}, flat(MethodName::cinder)}};
  all.push_back({"velocity", papers::Velocity{.motions = towards_each_other(objects)}, flat(MethodName::velocity)});
  all.back().flat.paper.motions = towards_each_other(objects);
  return all;
}

/// Each method with options that differ from the defaults.
std::vector<SameMethod> other_methods(std::size_t objects) {
  const papers::Pruning pruning = {
      .random_hierarchy = true, .object_level = true, .patches = false, .rounds = 2, .back_to_front = false};
  std::vector<SameMethod> all;
  const auto add = [&](const char* name, const papers::Method& method,
                       MethodName as) -> papers::method::MethodOptions& {
    all.push_back({name, method, flat(as)});
    set_other_images(all.back().flat);
    return all.back().flat.paper;
  };
  const auto set_pruning = [](papers::method::MethodOptions& paper) {
    paper.random_hierarchy = paper.object_level = true;
    paper.patches = false;
    paper.rounds = 2;
    paper.back_to_front = false;
  };
  set_pruning(add("cullide", papers::Cullide{other_images(), pruning}, MethodName::cullide));
  set_pruning(add("quick_cullide", papers::QuickCullide{other_images(), pruning}, MethodName::quick_cullide));
  auto& self_cullide = add("self_cullide",
                           papers::SelfCullide{.images = other_images(),
                                               .random_hierarchy = true,
                                               .hand_over = false,
                                               .pixel_leaves = false,
                                               .protect_steep = false,
                                               .choose_views = false},
                           MethodName::self_cullide);
  self_cullide.random_hierarchy = true;
  self_cullide.hand_over = self_cullide.pixel_leaves = self_cullide.protect_steep = self_cullide.choose_views = false;
  auto& peel = add("peel",
                   papers::Peel{.images = other_images(),
                                .epsilon = 0.05,
                                .unique_ids = true,
                                .greedy_ids = false,
                                .from_both = false,
                                .rigid = {0, 1}},
                   MethodName::peel);
  peel.epsilon = 0.05;
  peel.unique_ids = true;
  peel.greedy_ids = peel.from_both = false;
  peel.rigid = {0, 1};
  auto& cinder = add("cinder",
                     papers::Cinder{.images = other_images(),
                                    .mip_levels = 3,
                                    .filter_self = true,
                                    .one_per_pixel = true,
                                    .edge_offset = 0.01,
                                    .payloads = {7, -3}},
                     MethodName::cinder);
  cinder.mip_levels = 3;
  cinder.edge_offset = 0.01;
  cinder.payloads = {7, -3};
  cinder.filter_self = cinder.one_per_pixel = true;
  papers::Velocity velocity{
      .motions = towards_each_other(objects), .bounding_spheres = false, .face_by_face = true, .time_step = 0.25};
  const auto add_velocity = [&](const char* name, MethodName then) -> papers::method::MethodOptions& {
    auto& paper = add(name, velocity, MethodName::velocity);
    paper.motions = towards_each_other(objects);
    paper.bounding_spheres = false;
    paper.face_by_face = true;
    paper.time_step = 0.25;
    paper.then = then;
    return paper;
  };
  velocity.then = papers::Cullide{other_images(), pruning};
  set_pruning(add_velocity("velocity, then cullide", MethodName::cullide));
  velocity.then = papers::QuickCullide{other_images(), pruning};
  set_pruning(add_velocity("velocity, then quick_cullide", MethodName::quick_cullide));
  velocity.then = papers::SelfCullide{other_images()};
  add_velocity("velocity, then self_cullide", MethodName::self_cullide);
  velocity.then = papers::Peel{.images = other_images(), .epsilon = 0.05};
  add_velocity("velocity, then peel", MethodName::peel).epsilon = 0.05;
  return all;
}

void expect_same(const Report& actual, const Report& expected) {
  EXPECT_EQ(actual.contacts, expected.contacts);
  EXPECT_EQ(actual.found, expected.found);
  EXPECT_EQ(actual.complete, expected.complete);
  EXPECT_EQ(actual.stats.triangles, expected.stats.triangles);
  const papers::MethodReport &a = actual.method, &b = expected.method;
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.precision, b.precision);
  EXPECT_EQ(a.renderer, b.renderer);
  EXPECT_EQ(a.can_miss, b.can_miss);
  EXPECT_EQ(a.resolution, b.resolution);
  EXPECT_EQ(a.pcs, b.pcs);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.pairs_tested, b.pairs_tested);
  EXPECT_EQ(a.penetrations, b.penetrations);
  EXPECT_EQ(a.self_interferences, b.self_interferences);
  EXPECT_EQ(a.lost, b.lost);
  EXPECT_EQ(a.unbalanced, b.unbalanced);
  EXPECT_EQ(a.culled, b.culled);
  ASSERT_EQ(a.passes.size(), b.passes.size());
  for (std::size_t i = 0; i < a.passes.size(); ++i) {
    EXPECT_EQ(a.passes[i].level, b.passes[i].level) << i;
    EXPECT_EQ(a.passes[i].direction, b.passes[i].direction) << i;
    EXPECT_EQ(a.passes[i].iteration, b.passes[i].iteration) << i;
    EXPECT_EQ(a.passes[i].pcs_after, b.passes[i].pcs_after) << i;
    EXPECT_EQ(a.passes[i].queries, b.passes[i].queries) << i;
    EXPECT_EQ(a.passes[i].fragments, b.passes[i].fragments) << i;
  }
}

sightline::Scene scene_of(const std::vector<Mesh>& meshes) {
  sightline::Scene scene;
  for (const Mesh& mesh : meshes) scene.add(mesh);
  return scene;
}

TEST(Papers, EachMethodIsItsFlatRecord) {
  const std::vector<Mesh> meshes = sightline::scenes::spheres(6, 320);
  sightline::Scene scene = scene_of(meshes);
  const auto exact = scene.collide().contacts;
  ASSERT_GT(exact.size(), 0u);
  std::set<std::size_t> alternatives;
  for (const bool defaults : {true, false})
    for (const SameMethod& same : defaults ? default_methods(meshes.size()) : other_methods(meshes.size())) {
      SCOPED_TRACE(same.name + (defaults ? ", default options" : ", other options"));
      alternatives.insert(same.method.index());
      const Report report = papers::run(scene, same.method), expected = papers::method::run(scene, same.flat);
      expect_same(report, expected);
      EXPECT_EQ(report.method.method, same.flat.method);
      EXPECT_GT(report.method.passes.size(), 0u);
      EXPECT_TRUE(std::includes(exact.begin(), exact.end(), report.contacts.begin(), report.contacts.end()));
      if (!report.method.can_miss) {
        EXPECT_EQ(report.contacts, exact);
      }
      if (!defaults) {
        EXPECT_EQ(report.method.precision, Precision::image);
        EXPECT_EQ(report.method.resolution, 96u);
      }
    }
  EXPECT_EQ(alternatives.size(), std::variant_size_v<papers::Method>);
}

TEST(Papers, DefaultPrecisionsAndResolutions) {
  const std::vector<Mesh> meshes = sightline::scenes::spheres(3, 80);
  sightline::Scene scene = scene_of(meshes);
  const std::pair<Precision, unsigned> expected[] = {{Precision::conservative, 1024}, {Precision::conservative, 1024},
                                                     {Precision::conservative, 500},  {Precision::conservative, 512},
                                                     {Precision::image, 1024},        {Precision::conservative, 0}};
  for (const SameMethod& same : default_methods(meshes.size())) {
    const Report report = papers::run(scene, same.method);
    EXPECT_EQ(std::pair(report.method.precision, report.method.resolution), expected[same.method.index()]) << same.name;
  }
}

TEST(Papers, OneMeshIsASceneOfAnObjectWithSelf) {
  const Mesh mesh = sightline::scenes::self_intersecting_tube(1000);
  const auto exact = sightline::self_intersections(mesh).contacts;
  ASSERT_GT(exact.size(), 0u);
  for (const SameMethod& same : default_methods(1)) {
    SCOPED_TRACE(same.name);
    if (same.flat.method == MethodName::cullide || same.flat.method == MethodName::quick_cullide ||
        same.flat.method == MethodName::self_cullide || same.flat.method == MethodName::peel) {
      const Report report = papers::run(mesh, same.method);
      expect_same(report, papers::method::run(mesh, same.flat));
      EXPECT_TRUE(std::includes(exact.begin(), exact.end(), report.contacts.begin(), report.contacts.end()));
      EXPECT_EQ(report.contacts == exact, !report.method.can_miss);
    } else {
      EXPECT_THROW(papers::run(mesh, same.method), sightline::Error);
      EXPECT_THROW(papers::method::run(mesh, same.flat), sightline::Error);
    }
  }
}

TEST(Papers, OptionsOfTheQueryAreKept) {
  const std::vector<Mesh> meshes = sightline::scenes::spheres(6, 80);
  sightline::Scene scene = scene_of(meshes);
  const auto exact = scene.collide().contacts;
  ASSERT_GT(exact.size(), 3u);
  const papers::Method method = papers::QuickCullide{.images = {.resolution = 64}};
  const Report three = papers::run(scene, method, {.threads = 2, .max_contacts = 3});
  EXPECT_EQ(three.contacts, std::vector(exact.begin(), exact.begin() + 3));
  EXPECT_EQ(three.found, exact.size());
  EXPECT_FALSE(three.complete);
  EXPECT_EQ(three.stats.threads, 2u);
  EXPECT_EQ(papers::run(scene, method, {.first = true}).contacts.size(), 1u);
  EXPECT_TRUE(papers::run(scene, method, {.cancel = [] { return true; }}).cancelled);
  double last = 0;
  papers::run(scene, method, {.progress = [&](double done) { last = done; }});
  EXPECT_EQ(last, 1.0);
}

// ---- groups

using ObjectPair = std::pair<std::uint32_t, std::uint32_t>;
std::set<ObjectPair> pairs_of(const std::vector<sightline::Contact>& contacts) {
  std::set<ObjectPair> pairs;
  for (const sightline::Contact& c : contacts) pairs.emplace(c.object_a, c.object_b);
  return pairs;
}

/// Balls that all meet each other, in three groups. `self` for the first, if the method takes it.
std::vector<sightline::ObjectOptions> in_groups(std::size_t objects, bool self) {
  std::vector<sightline::ObjectOptions> options(objects);
  for (std::size_t i = 0; i < objects; ++i) switch (i % 3) {
      case 0:  // meets only the second group
        options[i] = {.groups = 1, .collides_with = 2};
        break;
      case 1:  // meets all groups, but the third does not want it
        options[i] = {.groups = 2, .collides_with = 7};
        break;
      default:  // meets only itself
        options[i] = {.groups = 4, .collides_with = 4};
    }
  options[0].self = self;
  return options;
}

TEST(Papers, GroupsAreHonoured) {
  std::vector<Mesh> balls;
  for (int i = 0; i < 7; ++i)
    balls.push_back(sightline::scenes::sphere(320, {0.21 * i, 0.13 * (i % 3), 0.17 * (i % 2)}));
  balls[0] = sightline::scenes::merged(std::vector<Mesh>{balls[0], sightline::scenes::sphere(80, {0.1, 0.2, 0.9})});
  for (const bool self : {false, true}) {
    const std::vector<sightline::ObjectOptions> options = in_groups(balls.size(), self);
    sightline::Scene scene, all;
    for (std::size_t i = 0; i < balls.size(); ++i) {
      scene.add(balls[i], options[i]);
      all.add(balls[i], {.self = self && i == 0});
    }
    const auto exact = scene.collide().contacts;
    std::vector<sightline::Contact> expected;  // the wanted ones of all
    std::set<ObjectPair> unwanted;
    for (const sightline::Contact& c : all.collide().contacts)
      if (c.object_a == c.object_b || wanted(options[c.object_a], options[c.object_b]))
        expected.push_back(c);
      else
        unwanted.emplace(c.object_a, c.object_b);
    ASSERT_EQ(exact, expected);
    ASSERT_GE(unwanted.size(), 5u);
    ASSERT_GE(pairs_of(exact).size(), 5u);
    ASSERT_EQ(pairs_of(exact).contains({0, 0}), self);

    for (const unsigned resolution : {16u, 128u, 512u})
      for (const Precision precision : {Precision::conservative, Precision::image}) {
        const papers::Images images = {.precision = precision, .resolution = resolution};
        for (const papers::Method& method :
             {papers::Method(papers::Cullide{images}), papers::Method(papers::QuickCullide{images}),
              papers::Method(papers::Peel{images})}) {
          const Report report = papers::run(scene, method);
          SCOPED_TRACE(std::string(to_string(report.method.method)) + ", " + std::string(to_string(precision)) +
                       " at " + std::to_string(resolution) + (self ? ", with self" : ""));
          for (const ObjectPair& pair : pairs_of(report.contacts)) EXPECT_FALSE(unwanted.contains(pair));
          if (precision == Precision::conservative) {
            EXPECT_EQ(difference(exact, report, views(balls)), "");
          } else {
            EXPECT_TRUE(std::includes(exact.begin(), exact.end(), report.contacts.begin(), report.contacts.end()));
            if (resolution == 512) {
              EXPECT_EQ(pairs_of(report.contacts), pairs_of(exact));
            }
          }
        }
      }
  }
}

TEST(Papers, PenetrationsAreThoseOfWantedPairs) {
  std::vector<Mesh> balls;
  for (int i = 0; i < 3; ++i) balls.push_back(sightline::scenes::sphere(320, {0.9 * i, 0, 0}));
  sightline::Scene scene;
  for (const Mesh& ball : balls) scene.add(ball);
  const auto pairs = [&] {
    std::set<ObjectPair> found;
    for (const papers::Penetration& p : papers::run(scene, papers::Cinder{}).method.penetrations)
      found.insert(std::minmax(p.object_a, p.object_b));
    return found;
  };
  EXPECT_EQ(pairs(), (std::set<ObjectPair>{{0, 1}, {0, 2}, {1, 2}}));
  scene.set_options(2, {.groups = 2, .collides_with = 2});
  EXPECT_EQ(pairs(), (std::set<ObjectPair>{{0, 1}}));
}

/// Groups of an object that change between two runs.
TEST(Papers, GroupsCanChange) {
  const std::vector<Mesh> balls = {sightline::scenes::sphere(320), sightline::scenes::sphere(320, {0.5, 0.2, 0.1})};
  sightline::Scene scene = scene_of(balls);
  const papers::Images images = {.resolution = 64};
  for (const papers::Method& method :
       {papers::Method(papers::Cullide{images}), papers::Method(papers::QuickCullide{images}),
        papers::Method(papers::Peel{images})}) {
    scene.set_options(1, {});
    EXPECT_GT(papers::run(scene, method).contacts.size(), 0u);
    EXPECT_EQ(papers::run(scene, method).contacts, scene.collide().contacts);
    scene.set_options(1, {.groups = 2, .collides_with = 2});
    EXPECT_TRUE(papers::run(scene, method).contacts.empty());
    EXPECT_TRUE(scene.collide().contacts.empty());
  }
}

}  // namespace
}  // namespace testing_support
