// Raster::sweep: by hand, and every implementation against the plain one's single calls.
#include <gtest/gtest.h>

#include "support.h"

namespace sightline::raster::test {
namespace {

class SweepTest : public RasterTest {};

std::vector<std::uint8_t> sweep(Raster& raster, const std::vector<std::uint32_t>& pool,
                                const std::vector<SweepElement>& elements) {
  std::vector<std::uint8_t> passed(elements.size(), 255);
  raster.reset_queries();
  raster.sweep(pool, elements, passed);
  return passed;
}

constexpr std::uint8_t kBoth = kAskForward | kDrawForward | kAskReverse | kDrawReverse;

/// Squares over all of the image, at these depths.
struct Stack {
  Stack(const Which& which, std::vector<double> depths) : canvas(which, {20, 20, DepthFormat::fixed24}) {
    for (const double z : depths) canvas.rectangle(0, 0, 20, 20, z);
    canvas.ready();
    pool = canvas.scene().all();
    canvas->pool(pool);
  }
  std::vector<std::uint8_t> run(const std::vector<std::uint8_t>& uses, const std::vector<std::uint32_t>& groups) {
    std::vector<SweepElement> elements;
    for (std::uint32_t i = 0; i < uses.size(); ++i) elements.push_back({2 * i, 2, groups[i], uses[i]});
    return sweep(*canvas.operator->(), pool, elements);
  }
  Canvas canvas;
  std::vector<std::uint32_t> pool;
};
using Bytes = std::vector<std::uint8_t>;

TEST_P(SweepTest, FromFarToNearOnlyTheWayBackHits) {
  Stack stack(GetParam(), {0.9, 0.5, 0.1});
  // Forward each is nearer than all before it; in reverse each is farther, but for the first.
  EXPECT_EQ(stack.run({kBoth, kBoth, kBoth}, {0, 1, 2}), (Bytes{kPassedReverse, kPassedReverse, 0}));
}

TEST_P(SweepTest, EqualDepthsMeetUnlessStrictly) {
  Stack stack(GetParam(), {0.5, 0.5});
  EXPECT_EQ(stack.run({kBoth, kBoth}, {0, 1}), (Bytes{kPassedReverse, kPassedForward}));
  EXPECT_EQ(stack.run({kBoth | kStrictly, kBoth | kStrictly}, {0, 1}), (Bytes{0, 0}));
}

TEST_P(SweepTest, ElementsOfAGroupDoNotHideEachOther) {
  Stack stack(GetParam(), {0.1, 0.9, 0.5});
  // The first two are one group: the farther one is not asked against the nearer. The third is behind the first.
  EXPECT_EQ(stack.run({kBoth, kBoth, kBoth}, {7, 7, 9}), (Bytes{0, kPassedReverse, kPassedForward}));
}

TEST_P(SweepTest, OnlyWhatIsDrawnHides) {
  Stack stack(GetParam(), {0.1, 0.5, 0.9});
  EXPECT_EQ(stack.run({kAskForward, kBoth, kBoth}, {0, 1, 2}), (Bytes{0, 0, kPassedForward}));
  EXPECT_EQ(stack.run({kDrawForward, kAskForward, kAskForward | kAskReverse}, {0, 1, 2}),
            (Bytes{0, kPassedForward, kPassedForward}));
  EXPECT_EQ(stack.run({0, 0, 0}, {0, 1, 2}), (Bytes{0, 0, 0}));
}

TEST_P(SweepTest, DrawnInReverseIfItPassedForward) {
  // The second is behind the first, the third in front of both; the fourth behind all.
  Stack stack(GetParam(), {0.4, 0.6, 0.2, 0.9});
  const std::uint8_t quick = kBoth | kIfPassed;
  // Forward: 1 and 3 pass. In reverse only these are drawn: 2 is not, so nothing of it is in the way of 1 and 0; 1 is
  // farther than 0.
  EXPECT_EQ(stack.run({quick, quick, quick, quick}, {0, 1, 2, 3}), (Bytes{0, kPassedForward, 0, kPassedForward}));
  EXPECT_EQ(stack.run({kBoth, kBoth, kBoth, kBoth}, {0, 1, 2, 3}),
            (Bytes{kPassedReverse, kPassedForward | kPassedReverse, 0, kPassedForward}));
  // Not asked, so that nothing can have passed.
  const std::uint8_t never = kDrawReverse | kIfPassed;
  EXPECT_EQ(stack.run({kBoth, never, kAskReverse, 0}, {0, 1, 2, 3}), (Bytes{0, 0, 0, 0}));
}

TEST_P(SweepTest, NothingAndEmptyElements) {
  Stack stack(GetParam(), {0.5});
  EXPECT_TRUE(sweep(*stack.canvas.operator->(), stack.pool, {}).empty());
  EXPECT_EQ(sweep(*stack.canvas.operator->(), stack.pool, {{0, 0, 0, kBoth}, {2, 0, 1, kBoth}}), (Bytes{0, 0}));
  EXPECT_EQ(sweep(*stack.canvas.operator->(), stack.pool,
                  {{0, 0, 0, kBoth}, {0, 2, 1, kBoth}, {1, 0, 2, kBoth}, {0, 2, 3, kBoth}, {2, 0, 4, kBoth}}),
            (Bytes{0, kPassedReverse, 0, kPassedForward, 0}));
}

TEST_P(SweepTest, BetweenOtherCalls) {
  Stack stack(GetParam(), {0.9, 0.1});
  Raster& raster = *stack.canvas.operator->();
  const std::uint32_t far = far_key(DepthFormat::fixed24);
  raster.clear_depth(far);
  raster.draw({}, std::span(stack.pool).first(2));
  EXPECT_EQ(stack.run({kBoth, kBoth}, {0, 1}), (Bytes{kPassedReverse, 0}));
  raster.clear_depth(far);
  const Query query = raster.queries(1);
  raster.draw({}, std::span(stack.pool).subspan(2, 2));
  raster.draw({.depth = Compare::greater}, std::span(stack.pool).first(2), query);
  EXPECT_EQ(raster.result(query), 400u);
  EXPECT_EQ(stack.run({kBoth, kBoth}, {0, 0}), (Bytes{0, 0}));
}

/// Random elements of 0 to 40 triangles in random groups, for random ends; large triangles, slivers and dense heaps.
class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  Scene scene(const Target& target, std::uint32_t triangles, bool heap) {
    Scene scene;
    const double w = target.width, h = target.height;
    for (std::uint32_t i = 0; i < triangles; ++i) {
      const double size = heap ? 3 : std::pow(10.0, real(-2, 0)) * std::min(w, h);
      const Vec3d at = {heap ? w / 2 + real(-5, 5) : real(0, 1) * w, heap ? h / 2 + real(-5, 5) : real(0, 1) * h,
                        real(0.1, 0.9)};
      Vec3d corner[3];
      for (Vec3d& c : corner) {
        c = {at[0] + real(-size, size), at[1] + real(-size, size), at[2] + real(-0.05, 0.05)};
        if (i % 3 == 0) c = {std::round(c[0] * 2) / 2, std::round(c[1] * 2) / 2, std::round(c[2] * 16) / 16};
        c = {std::clamp(c[0], 0.0, w), std::clamp(c[1], 0.0, h), std::clamp(c[2], 0.01, 0.99)};
      }
      if (i % 11 == 0) corner[2] = corner[1];
      scene.add(corner[0], corner[1], corner[2]);
    }
    return scene;
  }
  std::vector<SweepElement> elements(std::uint32_t pool, std::uint32_t most) {
    std::vector<SweepElement> elements;
    std::uint32_t group = 0;
    for (std::uint32_t first = 0; first < pool;) {
      const std::uint32_t count = std::min(most == 1 ? 1 : pick(most), pool - first);
      group += pick(3) == 0 ? 1 : 0;
      const auto use = static_cast<std::uint8_t>(pick(3) == 0 ? pick(64) : kBoth | (pick(2) == 0 ? kIfPassed : 0));
      elements.push_back({first, count, group, use});
      first += count;
    }
    return elements;
  }

 private:
  std::mt19937_64 random_;
};

TEST_P(SweepTest, SameAsThePlainOne) {
  Workers workers(GetParam().threads);
  const auto plain = make_reference_raster();
  const auto fast = make_raster(GetParam(), workers);
  std::size_t hits = 0;
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Target target;
    target.width = 1 + random.pick(150), target.height = 1 + random.pick(150);
    if (seed % 16 == 5) target.width = kMostPixels, target.height = 1 + random.pick(3);
    target.format = static_cast<DepthFormat>(random.pick(4));
    if (!GetParam().has(target.format)) target.format = DepthFormat::float32;
    target.coverage = random.pick(2) == 0 ? Coverage::conservative : Coverage::image;
    const bool heap = seed % 3 == 0;  // one tile with hundreds of entries
    const Scene scene = random.scene(target, heap ? 700 : 150, heap);
    std::vector<std::uint32_t> pool = scene.all();
    std::shuffle(pool.begin(), pool.end(), std::mt19937(static_cast<unsigned>(seed)));
    const auto elements = random.elements(static_cast<std::uint32_t>(pool.size()), seed % 2 == 0 ? 1 : 40);
    std::vector<std::uint8_t> expected, got;
    for (Raster* raster : {plain.get(), fast.get()}) {
      raster->target(target);
      raster->geometry(scene.geometry());
      raster->pool(pool);
      Camera camera = pixel_camera(target.width, target.height);
      camera.left -= 1, camera.right_edge += 1, camera.bottom -= 1, camera.top += 1;  // nothing to clip
      raster->camera(camera);
      for (int again = 0; again < 2; ++again) {  // nothing may be left over from the first time
        std::vector<std::uint8_t>& answer = raster == plain.get() ? expected : got;
        const auto passed = sweep(*raster, pool, elements);
        if (again == 1) {
          ASSERT_EQ(passed, answer);
        }
        answer = passed;
      }
      raster->finish();
    }
    ASSERT_EQ(got, expected);
    for (const std::uint8_t passed : got) hits += passed != 0 ? 1 : 0;
    const Counters &a = plain->counters(), &b = fast->counters();
    ASSERT_EQ(a.fragments, b.fragments);
    ASSERT_EQ(a.renders, b.renders);
    ASSERT_EQ(a.queries, b.queries);
    ASSERT_EQ(a.triangles, b.triangles);
  }
  EXPECT_GT(hits, 1000u);
}

// More numbers in the list of one tile than are put into order at a time, and lists that do not fit at first.
TEST_P(SweepTest, LongListsOfManyTriangles) {
  if (GetParam().kind == Which::gl_each) GTEST_SKIP() << "one query each: too slow for so many";
  constexpr std::uint32_t kMany = 40000;
  Random random(5);
  const Target target = {160, 160, DepthFormat::fixed24};
  Scene scene = random.scene(target, kMany, true);
  for (std::uint32_t i = 0; i < kMany; ++i)
    if (i % 50 != 0)  // most lie in a corner far from the heap, in the image's first tile
      for (const std::uint32_t v : scene.triangles[i]) {
        scene.positions[v][0] = scene.positions[v][0] / 40 + 1;
        scene.positions[v][1] = scene.positions[v][1] / 40 + 1;
      }
  const std::vector<std::uint32_t> pool = scene.all();
  const auto elements = random.elements(kMany, 1);
  Workers workers(GetParam().threads);
  const auto plain = make_reference_raster();
  const auto fast = make_raster(GetParam(), workers);
  std::vector<std::uint8_t> expected;
  for (Raster* raster : {plain.get(), fast.get()}) {
    raster->target(target);
    raster->geometry(scene.geometry());
    raster->pool(pool);
    Camera camera = pixel_camera(target.width, target.height);
    camera.left -= 1, camera.right_edge += 1, camera.bottom -= 1, camera.top += 1;
    raster->camera(camera);
    const auto passed = sweep(*raster, pool, elements);
    if (raster == plain.get())
      expected = passed;
    else
      EXPECT_EQ(passed, expected);
  }
  EXPECT_EQ(plain->counters().fragments, fast->counters().fragments);
}

// Large triangles have more tiles than lists begin with room for.
TEST_P(SweepTest, ListsThatDoNotFitAtFirst) {
  const Target target = {320, 320, DepthFormat::fixed24};
  Canvas canvas(GetParam(), target);
  std::vector<SweepElement> elements;
  for (std::uint32_t i = 0; i < 40; ++i) {
    canvas.rectangle(0, 0, 320, 320, 0.1 + 0.02 * i);
    elements.push_back({2 * i, 2, i, kBoth});
  }
  canvas.ready();
  const std::vector<std::uint32_t> pool = canvas.scene().all();
  canvas->pool(pool);
  const auto passed = sweep(*canvas.operator->(), pool, elements);
  for (std::size_t i = 0; i < passed.size(); ++i) EXPECT_EQ(passed[i], i == 0 ? 0 : kPassedForward) << i;
  EXPECT_EQ(sweep(*canvas.operator->(), pool, elements), passed);
}

INSTANTIATE_TEST_SUITE_P(All, SweepTest, testing::ValuesIn(test::kAll), name_of);

}  // namespace
}  // namespace sightline::raster::test
