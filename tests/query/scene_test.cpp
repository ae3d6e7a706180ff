// The scene's behaviour as query.h and options.h promise it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "oracle/rational.h"
#include "query/boxes.h"
#include "scenes/scenes.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/errors.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;
using sightline::Contact;
using sightline::Error;
using sightline::ObjectId;
using sightline::Report;
using sightline::Scene;
using sightline::Simd;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

testing::AssertionResult names(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (message.find(word) == std::string::npos)
      return testing::AssertionFailure() << "no '" << word << "' in: '" << message << "'";
  return testing::AssertionSuccess();
}

bool pair_in(const Report& report, std::uint32_t a, std::uint32_t b) {
  return std::any_of(report.contacts.begin(), report.contacts.end(),
                     [=](const Contact& c) { return c.object_a == a && c.object_b == b; });
}

TEST(SceneObjects, AnEmptySceneHasNoContacts) {
  Scene scene;
  EXPECT_EQ(scene.size(), 0u);
  const Report report = scene.collide();
  EXPECT_TRUE(report.contacts.empty());
  EXPECT_EQ(report.found, 0u);
  EXPECT_TRUE(report.complete);
  EXPECT_FALSE(report.cancelled);
}

TEST(SceneObjects, AddMoveReplaceRemove) {
  const Mesh left = box_at(0), middle = box_at(0.5), right = box_at(5);
  Scene scene;
  const ObjectId a = scene.add(left), b = scene.add(middle), c = scene.add(right);
  EXPECT_EQ(a, 0u);
  EXPECT_EQ(b, 1u);
  EXPECT_EQ(c, 2u);
  Report report;
  scene.collide(report);
  EXPECT_TRUE(pair_in(report, 0, 1));
  EXPECT_FALSE(pair_in(report, 1, 2));
  EXPECT_FALSE(pair_in(report, 0, 0));

  const Mesh near_right = box_at(5.5);
  scene.move(b, near_right.view().positions);
  scene.collide(report);
  EXPECT_FALSE(pair_in(report, 0, 1));
  EXPECT_TRUE(pair_in(report, 1, 2));

  scene.replace(c, left);
  scene.collide(report);
  EXPECT_TRUE(pair_in(report, 0, 2));  // two boxes in one place
  EXPECT_FALSE(pair_in(report, 1, 2));

  scene.remove(a);
  scene.collide(report);
  EXPECT_TRUE(report.contacts.empty());
  EXPECT_EQ(scene.size(), 3u);
  EXPECT_EQ(scene.mesh(a).triangles.size(), 0u);
  EXPECT_EQ(scene.mesh(c).triangles.size(), 12u);

  EXPECT_EQ(scene.add(left), 3u);  // ids are not reused
  scene.collide(report);
  EXPECT_TRUE(pair_in(report, 2, 3));
  EXPECT_EQ(report.contacts.front().object_a, 2u);
}

TEST(SceneObjects, FewerAndMoreTrianglesFromFrameToFrame) {
  // A body that breaks: each frame has other triangles, positions and precision, in the same scene and report.
  Scene scene;
  Report report;
  const ObjectId body = scene.add({}, {.self = true});
  const Mesh floor = corpus_item("two_triangles").make();
  scene.add(floor);
  for (const char* name :
       {"lattice", "one_triangle", "degenerates", "empty", "float_huge", "soup_dense", "float_denormals",
        "both_magnitudes", "cubes", "positions_without_triangles", "needles_float", "two_triangles"}) {
    const Mesh mesh = corpus_item(name).make();
    scene.replace(body, mesh);
    scene.collide(report);
    const std::vector<MeshView> objects{mesh, floor};
    EXPECT_EQ(difference(oracle::contacts(objects, {true, false}), report, objects), "") << name;
    scene.replace(body, {});
  }
}

TEST(SceneObjects, SelfIsAskedForPerObject) {
  const Mesh mesh = corpus_item("two_triangles").make();
  for (const bool first : {false, true})
    for (const bool second : {false, true}) {
      Scene scene;
      scene.add(mesh, {.self = first});
      scene.add(mesh, {.self = second});
      const Report report = scene.collide();
      EXPECT_EQ(pair_in(report, 0, 0), first);
      EXPECT_EQ(pair_in(report, 1, 1), second);
      EXPECT_TRUE(pair_in(report, 0, 1));
    }
}

TEST(SceneObjects, ASceneIsMovable) {
  const Mesh mesh = corpus_item("two_triangles").make();
  Scene first;
  first.add(mesh, {.self = true});
  Scene second = std::move(first);
  EXPECT_EQ(second.collide().contacts.size(), 1u);
  first = Scene();
  EXPECT_EQ(first.size(), 0u);
}

TEST(SceneObjects, MoveMayChangeTheNumberOfPositions) {
  const Mesh mesh = corpus_item("two_triangles").make();
  Scene scene;
  const ObjectId id = scene.add(mesh, {.self = true});
  std::vector<Vec3d> more = std::get<1>(mesh.positions);
  more.push_back({100, 100, 100});
  scene.move(id, more);
  EXPECT_EQ(scene.collide().contacts.size(), 1u);
  const std::vector<Vec3d> fewer(more.begin(), more.begin() + 3);
  EXPECT_TRUE(names(error_of([&] { scene.move(id, fewer); }), {"object 0", "triangle 1"}));
  EXPECT_EQ(scene.collide().contacts.size(), 1u) << "a refused move changes nothing";
}

// Bad input: an Error that names the object, the element and the value.

TEST(BadInput, CoordinatesThatAreNotFinite) {
  for (const double bad : {kNan, kInfinity, -kInfinity})
    for (int axis = 0; axis < 3; ++axis)
      for (const bool single : {false, true}) {
        Mesh mesh = corpus_item("cubes").make();
        std::get<1>(mesh.positions)[17][axis] = bad;
        if (single) mesh = as_float(mesh);
        const char* value = std::isnan(bad) ? "nan" : "inf";
        EXPECT_TRUE(names(error_of([&] { sightline::self_intersections(mesh); }), {"17", value}));
        Scene scene;
        const Mesh good = box_at(0);
        scene.add(good);
        EXPECT_TRUE(names(error_of([&] { scene.add(mesh); }), {"object 1", "17", value}));
        EXPECT_EQ(scene.size(), 1u);
        EXPECT_TRUE(names(error_of([&] { scene.replace(0, mesh); }), {"object 0", "17", value}));
        EXPECT_TRUE(names(error_of([&] { scene.move(0, mesh.view().positions); }), {"object 0", "17", value}));
        EXPECT_EQ(scene.mesh(0).triangles.data(), good.triangles.data()) << "a refused change changes nothing";
      }
}

TEST(BadInput, IndicesOutOfRange) {
  for (const std::uint32_t bad : {6u, 7u, 0x7fffffffu, 0xffffffffu}) {
    Mesh mesh = corpus_item("two_triangles").make();
    mesh.triangles[1][2] = bad;
    const std::string value = std::to_string(bad);
    EXPECT_TRUE(names(error_of([&] { sightline::self_intersections(mesh); }), {"triangle 1", value.c_str(), "6"}));
    Scene scene;
    EXPECT_TRUE(names(error_of([&] { scene.add(mesh); }), {"object 0", "triangle 1", value.c_str()}));
  }
  const Mesh none{"", std::vector<Vec3f>{}, {{0, 0, 0}}};
  EXPECT_TRUE(names(error_of([&] { sightline::self_intersections(none); }), {"triangle 0", "0"}));
}

TEST(BadInput, ObjectsThatAreNotThere) {
  Scene scene;
  const Mesh mesh = box_at(0);
  scene.add(mesh);
  EXPECT_TRUE(names(error_of([&] { scene.remove(1); }), {"1"}));
  EXPECT_TRUE(names(error_of([&] { scene.move(7, mesh.view().positions); }), {"7"}));
  EXPECT_TRUE(names(error_of([&] { scene.replace(0xffffffff, mesh); }), {"4294967295"}));
  EXPECT_TRUE(names(error_of([&] { (void)scene.mesh(2); }), {"2"}));
}

TEST(BadInput, FlatArrays) {
  const std::vector<float> seven(7, 0.f);
  EXPECT_TRUE(names(error_of([&] { sightline::Positions::flat(std::span<const float>(seven)); }), {"7"}));
  const std::vector<double> nine{0, 0, 0, 1, 0, 0, 0, 1, 0};
  EXPECT_EQ(sightline::Positions::flat(std::span<const double>(nine)).size(), 3u);
}

TEST(BadInput, OptionsAreRefusedOrGiveTheAnswer) {
  const Mesh mesh = corpus_item("lattice_field").make();
  const auto expected = sightline::self_intersections(mesh).contacts;
  for (const double cell : {-1.0, kNan, kInfinity, -kInfinity, 1e-300, 1e300, 1e-9, 4.9e-324}) {
    std::vector<Contact> contacts;
    const std::string error =
        error_of([&] { contacts = sightline::self_intersections(mesh, Tuned{.cell = cell}).contacts; });
    if (error.empty()) {
      EXPECT_EQ(contacts, expected) << cell;
    } else {
      EXPECT_TRUE(names(error, {"cell"})) << cell;
    }
  }
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512})
    if (!available(simd)) {
      const std::string error = error_of([&] { sightline::self_intersections(mesh, Tuned{.simd = simd}); });
      EXPECT_TRUE(names(error, {std::string(to_string(simd)).c_str()}));
    }
  EXPECT_EQ(sightline::self_intersections(mesh, {.threads = 1000}).contacts, expected);
}

TEST(BadInput, DevicesThatAreNotThere) {
  // Either there is one or it is an error; never the CPU in disguise.
  const std::string error =
      error_of([&] { EXPECT_EQ(sightline::Device::cuda().type(), sightline::Device::Type::cuda); });
  if (!error.empty()) {
    EXPECT_GT(error.size(), 10u);
  }
  EXPECT_NE(error_of([&] { sightline::Device::cuda(1000); }), "");
  EXPECT_NE(error_of([&] { sightline::Device::cuda(-1); }), "");
}

// Options.

TEST(Limits, MaxContactsKeepsTheFirst) {
  for (const char* name : {"lattice", "cubes", "soup_sparse", "one_triangle", "big_uniform"}) {
    const Mesh mesh = corpus_item(name).make();
    const auto all = sightline::self_intersections(mesh).contacts;
    for (const std::uint64_t most :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{all.size() / 2},
          std::uint64_t{all.size()}, std::uint64_t{all.size() + 1}})
      for (const unsigned threads : {1u, 3u}) {
        const Report report = sightline::self_intersections(mesh, {.threads = threads, .max_contacts = most});
        const std::vector<Contact> head(all.begin(), all.begin() + std::min<std::size_t>(most, all.size()));
        EXPECT_EQ(report.contacts, head) << name << " " << most;
        EXPECT_EQ(report.found, all.size()) << name << " " << most;
        EXPECT_EQ(report.complete, most >= all.size()) << name << " " << most;
        EXPECT_FALSE(report.cancelled);
      }
  }
}

TEST(Limits, FirstIsOneTrueContactWhateverTheThreads) {
  for (const char* name :
       {"lattice", "cloth", "cubes", "giant_among_tiny", "both_magnitudes", "big_cloth", "big_uniform"}) {
    const Mesh mesh = corpus_item(name).make();
    const auto all = sightline::self_intersections(mesh).contacts;
    ASSERT_GT(all.size(), 1u);
    const Report first = sightline::self_intersections(mesh, {.threads = 1, .first = true});
    ASSERT_EQ(first.contacts.size(), 1u) << name;
    EXPECT_TRUE(std::binary_search(all.begin(), all.end(), first.contacts[0])) << name;
    EXPECT_FALSE(first.complete) << name;
    EXPECT_GE(first.found, 1u);
    for (const unsigned threads : {1u, 2u, 3u, 8u})
      for (int run = 0; run < 5; ++run)
        EXPECT_EQ(sightline::self_intersections(mesh, {.threads = threads, .first = true}).contacts, first.contacts)
            << name << ", " << threads << " threads";
  }
}

TEST(Limits, FirstOfNoneIsComplete) {
  for (const char* name : {"empty", "one_triangle", "sphere"}) {
    const Mesh mesh = corpus_item(name).make();
    const Report report = sightline::self_intersections(mesh, {.first = true});
    EXPECT_TRUE(report.contacts.empty()) << name;
    EXPECT_EQ(report.found, 0u) << name;
    EXPECT_TRUE(report.complete) << name;
  }
}

TEST(Cancel, EndsTheQueryAndSaysSo) {
  const Mesh mesh = sightline::scenes::crumpled_cloth(300'000);
  const auto all = sightline::self_intersections(mesh).contacts;
  for (const unsigned threads : {1u, 2u, 8u})
    for (const int after : {0, 1, 3}) {
      std::atomic<int> calls = 0;
      const Report report =
          sightline::self_intersections(mesh, {.threads = threads, .cancel = [&] { return calls++ >= after; }});
      EXPECT_GT(calls, 0);
      if (calls <= after) continue;  // no call returned true
      EXPECT_TRUE(report.cancelled) << threads << " threads, after " << after;
      EXPECT_FALSE(report.complete);
      EXPECT_TRUE(std::is_sorted(report.contacts.begin(), report.contacts.end()));
      EXPECT_TRUE(std::includes(all.begin(), all.end(), report.contacts.begin(), report.contacts.end()));
    }
}

TEST(Cancel, ThatNeverSaysYesChangesNothing) {
  const Mesh mesh = corpus_item("big_uniform").make();
  const auto all = sightline::self_intersections(mesh).contacts;
  const Report report = sightline::self_intersections(mesh, {.cancel = [] { return false; }});
  EXPECT_FALSE(report.cancelled);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.contacts, all);
}

// One spot holds everything, so that no outer loop gets a turn: the inner ones must ask too.
TEST(Cancel, IsPromptWhereAllPairsMeet) {
  Random random(5);
  Builder builder;
  for (int i = 0; i < 8'000; ++i) {
    Vec3d d, e;
    for (int k = 0; k < 3; ++k) {
      d[k] = random.in(-1, 1);
      e[k] = random.in(-1, 1);
    }
    builder.triangle(d, e, {-d[0] - e[0], -d[1] - e[1], -d[2] - e[2]});
  }
  const Mesh mesh = builder.mesh();
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Report report = sightline::self_intersections(
      mesh, {.cancel = [&] { return Clock::now() - start > std::chrono::milliseconds(100); }});
  const std::chrono::duration<double> spent = Clock::now() - start;
  // 32 million contacts take seconds; an answer to the cancel should not.
  EXPECT_TRUE(report.cancelled);
  EXPECT_LT(spent.count(), 1.5);
}

TEST(Cancel, TheSceneIsGoodForTheNextFrame) {
  const Mesh mesh = corpus_item("big_cloth").make();
  Scene scene;
  scene.add(mesh, {.self = true});
  Report report;
  scene.collide(report);
  const auto all = report.contacts;
  scene.collide(report, {.cancel = [] { return true; }});
  EXPECT_TRUE(report.cancelled);
  scene.collide(report);
  EXPECT_FALSE(report.cancelled);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.contacts, all);
}

TEST(Callbacks, AnExceptionPassesThroughAndTheSceneLives) {
  const Mesh mesh = corpus_item("big_cloth").make();
  Scene scene;
  scene.add(mesh, {.self = true});
  const auto all = scene.collide().contacts;
  struct Stop {};
  EXPECT_THROW(scene.collide({.threads = 2, .cancel = []() -> bool { throw Stop{}; }}), Stop);
  EXPECT_THROW(scene.collide({.threads = 2, .progress = [](double) { throw Stop{}; }}), Stop);
  EXPECT_EQ(scene.collide().contacts, all);
}

TEST(Progress, RisesWithinItsRangeFromOneThreadAtATime) {
  const Mesh mesh = corpus_item("big_cloth").make();
  for (const unsigned threads : {1u, 2u, 8u}) {
    std::atomic<int> inside = 0;
    int calls = 0;
    double last = 0;
    bool rises = true, in_range = true, alone = true;
    sightline::self_intersections(mesh, {.threads = threads, .progress = [&](double fraction) {
                                           alone = alone && inside++ == 0;
                                           rises = rises && fraction >= last;
                                           in_range = in_range && fraction >= 0 && fraction <= 1;
                                           last = fraction;
                                           ++calls;
                                           --inside;
                                         }});
    EXPECT_GT(calls, 0) << threads;
    EXPECT_TRUE(rises) << threads;
    EXPECT_TRUE(in_range) << threads;
    EXPECT_TRUE(alone) << threads;
  }
}

TEST(Statistics, AreFilled) {
  for (const char* name : {"cloth", "lattice", "big_uniform"}) {
    const Mesh mesh = corpus_item(name).make();
    const Report report = sightline::self_intersections(mesh, Tuned{.threads = 2, .simd = Simd::scalar});
    const sightline::Stats& stats = report.stats;
    EXPECT_EQ(stats.triangles, mesh.triangles.size()) << name;
    EXPECT_GE(stats.candidates, report.found) << name;
    EXPECT_EQ(stats.decided_filtered + stats.decided_exact, stats.candidates) << name;
    EXPECT_EQ(stats.simd, to_string(Simd::scalar));
    EXPECT_EQ(stats.threads, 2u);
    EXPECT_GT(stats.milliseconds, 0);
    EXPECT_GT(stats.peak_bytes, 0u);
    ASSERT_FALSE(stats.stages.empty());
    double sum = 0;
    for (const auto& stage : stats.stages) {
      EXPECT_FALSE(stage.name.empty());
      EXPECT_GE(stage.milliseconds, 0);
      sum += stage.milliseconds;
    }
    EXPECT_LE(sum, stats.milliseconds * 1.01 + 0.1) << name;
  }
}

TEST(Statistics, AreReplacedNotAdded) {
  const Mesh mesh = corpus_item("cloth").make();
  Report report;
  sightline::self_intersections(mesh, report);
  const auto stages = report.stats.stages.size();
  const auto candidates = report.stats.candidates;
  sightline::self_intersections(mesh, report);
  EXPECT_EQ(report.stats.stages.size(), stages);
  EXPECT_EQ(report.stats.candidates, candidates);
  EXPECT_EQ(report.stats.triangles, mesh.triangles.size());
}

// Queries of several threads of the caller's at once share nothing.
TEST(Concurrency, QueriesFromManyThreads) {
  const Mesh mesh = corpus_item("lattice_field").make();
  const auto expected = sightline::self_intersections(mesh).contacts;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&, i] {
      for (int run = 0; run < 5; ++run)
        wrong += sightline::self_intersections(mesh, {.threads = unsigned(1 + i)}).contacts != expected;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
