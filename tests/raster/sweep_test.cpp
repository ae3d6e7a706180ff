// Raster::sweep: by hand, and every implementation against the plain one's single calls.
#include <gtest/gtest.h>

#include "support.h"

namespace sightline::papers::raster::test {
namespace {

class SweepTest : public RasterTest {};

std::vector<std::uint8_t> sweep(Raster& raster, const std::vector<std::uint32_t>& pool,
                                const std::vector<SweepElement>& elements) {
  std::vector<std::uint8_t> passed(elements.size(), 255);
  raster.reset_queries();
  raster.sweep(pool, elements, passed);
  return passed;
}

constexpr std::uint8_t kBoth = kTestForward | kDrawForward | kTestReverse | kDrawReverse;

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
    return sweep(*canvas, pool, elements);
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
  // The first two are one group: the farther one is not tested against the nearer. The third is behind the first.
  EXPECT_EQ(stack.run({kBoth, kBoth, kBoth}, {7, 7, 9}), (Bytes{0, kPassedReverse, kPassedForward}));
}

TEST_P(SweepTest, OnlyWhatIsDrawnHides) {
  Stack stack(GetParam(), {0.1, 0.5, 0.9});
  EXPECT_EQ(stack.run({kTestForward, kBoth, kBoth}, {0, 1, 2}), (Bytes{0, 0, kPassedForward}));
  EXPECT_EQ(stack.run({kDrawForward, kTestForward, kTestForward | kTestReverse}, {0, 1, 2}),
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
  // Not tested, so nothing can have passed.
  const std::uint8_t never = kDrawReverse | kIfPassed;
  EXPECT_EQ(stack.run({kBoth, never, kTestReverse, 0}, {0, 1, 2, 3}), (Bytes{0, 0, 0, 0}));
}

TEST_P(SweepTest, NothingAndEmptyElements) {
  Stack stack(GetParam(), {0.5});
  EXPECT_TRUE(sweep(*stack.canvas, stack.pool, {}).empty());
  EXPECT_EQ(sweep(*stack.canvas, stack.pool, {{0, 0, 0, kBoth}, {2, 0, 1, kBoth}}), (Bytes{0, 0}));
  EXPECT_EQ(sweep(*stack.canvas, stack.pool,
                  {{0, 0, 0, kBoth}, {0, 2, 1, kBoth}, {1, 0, 2, kBoth}, {0, 2, 3, kBoth}, {2, 0, 4, kBoth}}),
            (Bytes{0, kPassedReverse, 0, kPassedForward, 0}));
}

TEST_P(SweepTest, BetweenOtherCalls) {
  Stack stack(GetParam(), {0.9, 0.1});
  Raster& raster = *stack.canvas;
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

Camera around(const Target& target) {
  Camera camera = pixel_camera(target.width, target.height);
  camera.left -= 1, camera.right_edge += 1, camera.bottom -= 1, camera.top += 1;  // nothing to clip
  return camera;
}

/// The plain raster and the one under test, kept from case to case: nothing may be left over.
class Both {
 public:
  explicit Both(const Which& which) : workers_(which.threads), fast_(make_raster(which, workers_)) {}

  struct Case {
    Target target;
    Scene scene;
    Camera camera;
    std::vector<std::uint32_t> pool;
    std::vector<SweepElement> elements;
    std::size_t from = 0;  ///< the list of the sweep is the pool from here on
    bool pass_pool = true;
  };
  /// Twice, and once more after the first; returns the number of hits.
  std::size_t run(const Case& c) {
    std::vector<std::uint8_t> expected, got;
    for (Raster* raster : {plain_.get(), fast_.get()}) {
      raster->target(c.target);
      raster->geometry(c.scene.geometry());
      raster->pool(c.pass_pool ? std::span<const std::uint32_t>(c.pool) : std::span<const std::uint32_t>());
      raster->camera(c.camera);
      for (int again = 0; again < 2; ++again) {
        std::vector<std::uint8_t> passed(c.elements.size(), 255);
        raster->reset_queries();
        raster->sweep(std::span(c.pool).subspan(c.from), c.elements, passed);
        std::vector<std::uint8_t>& answer = raster == plain_.get() ? expected : got;
        if (again == 1) {
          EXPECT_EQ(passed, answer);
        }
        answer = passed;
      }
      raster->finish();
    }
    EXPECT_EQ(got, expected);
    const Counters &a = plain_->counters(), &b = fast_->counters();
    EXPECT_EQ(a.fragments, b.fragments);
    EXPECT_EQ(a.renders, b.renders);
    EXPECT_EQ(a.queries, b.queries);
    EXPECT_EQ(a.triangles, b.triangles);
    return static_cast<std::size_t>(std::count_if(got.begin(), got.end(), [](std::uint8_t p) { return p != 0; }));
  }

 private:
  Workers workers_;
  std::unique_ptr<Raster> plain_ = make_reference_raster(), fast_;
};

TEST_P(SweepTest, SameAsThePlainOne) {
  Both both(GetParam());
  std::size_t hits = 0;
  for (std::uint64_t seed = 0; seed < 48; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Both::Case c;
    c.target.width = 1 + random.pick(150), c.target.height = 1 + random.pick(150);
    if (seed % 16 == 5) c.target.width = kMostPixels, c.target.height = 1 + random.pick(3);
    c.target.format = static_cast<DepthFormat>(random.pick(4));
    if (!GetParam().has(c.target.format)) c.target.format = DepthFormat::float32;
    c.target.coverage = random.pick(2) == 0 ? Coverage::conservative : Coverage::image;
    const bool heap = seed % 3 == 0;  // one tile with hundreds of entries
    c.scene = random.scene(c.target, heap ? 700 : 150, heap);
    c.camera = around(c.target);
    c.pool = c.scene.all();
    std::shuffle(c.pool.begin(), c.pool.end(), std::mt19937(static_cast<unsigned>(seed)));
    c.elements = random.elements(static_cast<std::uint32_t>(c.pool.size()), seed % 2 == 0 ? 1 : 40);
    hits += both.run(c);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(hits, 1000u);
}

// What a device may do another way: views that clip, and lists that are not the pool, or not all of it.
TEST_P(SweepTest, ClippedViewsAndOtherLists) {
  Both both(GetParam());
  std::size_t hits = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 100);
    Both::Case c;
    c.target = {90, 70, static_cast<DepthFormat>(seed % 3 == 2 ? 3 : seed % 3),
                seed % 2 == 0 ? Coverage::conservative : Coverage::image};
    c.scene = random.scene(c.target, 200, false);
    c.camera = around(c.target);
    c.pool = c.scene.all();
    std::uint32_t listed = 200;
    switch (seed / 4) {
      case 0:
        c.camera = pixel_camera(90, 70);
        c.camera.near = 0.3, c.camera.far = 0.7;
        break;
      case 1:
        listed = 150;  // of its beginning
        break;
      case 2:
        c.from = 40, listed = 160;
        break;
      default:
        c.pass_pool = false;
    }
    c.elements = random.elements(listed, seed % 2 == 0 ? 1 : 20);
    hits += both.run(c);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(hits, 200u);
}

// The lengths at which a tile's list is put into order and gone through in one part more.
TEST_P(SweepTest, LengthsOfLists) {
  if (GetParam().kind == Which::gl_each) GTEST_SKIP() << "has no lists";
  Both both(GetParam());
  for (const std::uint32_t n : {1u, 32u, 33u, 127u, 128u, 129u, 255u, 256u, 257u, 258u, 511u, 512u, 513u}) {
    SCOPED_TRACE(n);
    Random random(n);
    Both::Case c;
    c.target = {16, 16, DepthFormat::fixed24, n % 2 == 0 ? Coverage::conservative : Coverage::image};
    for (std::uint32_t i = 0; i < n; ++i)  // each covers all of the tile
      c.scene.add({-20, -20, random.real(0.1, 0.9)}, {60, -20, random.real(0.1, 0.9)},
                  {-20, 60, random.real(0.1, 0.9)});
    c.camera = around(c.target);
    c.pool = c.scene.all();
    c.elements = random.elements(n, n % 3 == 0 ? 5 : 1);
    both.run(c);
    ASSERT_FALSE(HasFailure());
  }
}

// More numbers than are put into order at a time; most triangles are in one tile.
TEST_P(SweepTest, LongListsOfManyTriangles) {
  if (GetParam().kind == Which::gl_each) GTEST_SKIP() << "one query each: too slow for so many";
  Both both(GetParam());
  for (const std::uint32_t n : {32767u, 32768u, 32769u, 65536u}) {
    SCOPED_TRACE(n);
    Random random(n);
    Both::Case c;
    c.target = {40, 20, DepthFormat::fixed24};
    for (std::uint32_t i = 0; i < n; ++i) {
      const double x = i % 50 == 0 ? random.real(0, 38) : random.real(0, 12), y = random.real(0, 12);
      const double z = random.real(0.1, 0.9);
      c.scene.add({x, y, z}, {x + 1.2, y, z}, {x, y + 1.2, z});
    }
    c.camera = around(c.target);
    c.pool = c.scene.all();
    c.elements = random.elements(n, 1);
    EXPECT_GT(both.run(c), 1000u);
    ASSERT_FALSE(HasFailure());
  }
}

// Calls before it whose results were not read yet, and calls after it.
TEST_P(SweepTest, AmongCallsThatWait) {
  Random random(9);
  const Target target = {64, 64, DepthFormat::fixed24};
  const Scene scene = random.scene(target, 200, false);
  const std::vector<std::uint32_t> pool = scene.all();
  const std::span<const std::uint32_t> all = pool;
  const auto elements = random.elements(200, 1);
  Workers workers(GetParam().threads);
  const auto plain = make_reference_raster(), fast = make_raster(GetParam(), workers);
  const auto play = [&](Raster& raster) {
    const State ask = {.depth = Compare::gequal, .depth_write = false};
    raster.target(target);
    raster.geometry(scene.geometry());
    raster.pool(pool);
    raster.camera(around(target));
    raster.clear_depth(far_key(target.format));
    const Query query = raster.queries(2);
    raster.draw({}, all.first(40));
    raster.draw(ask, all.subspan(40, 60), query);
    draw_if(raster, query, {}, all.subspan(100, 10));
    std::vector<std::uint8_t> passed(elements.size());
    raster.sweep(pool, elements, passed);
    raster.clear_depth(far_key(target.format));
    raster.draw({}, all.first(50));
    draw_if(raster, query, {}, all.subspan(50, 50));
    raster.draw(ask, all.subspan(100, 50), query + 1);
    std::vector<std::uint64_t> results(passed.begin(), passed.end());
    results.push_back(raster.result(query));
    results.push_back(raster.result(query + 1));
    const auto depths = raster.read_depth();
    results.insert(results.end(), depths.begin(), depths.end());
    return results;
  };
  EXPECT_EQ(play(*fast), play(*plain));
}

// Lists that the device will not hold are drawn call by call, and the next ones as ever.
TEST_P(SweepTest, ListsThatAreTooLong) {
  if (GetParam().kind != Which::gl_batched) GTEST_SKIP() << "has no such limit";
  Random random(4);
  Both both(GetParam());
  Both::Case c;
  c.target = {kMostPixels, 1, DepthFormat::fixed24};
  // Above all samples, and in the lists of 1024 tiles each: 8.8 million entries, 35 MB, more than a quarter of
  // llvmpipe's buffers.
  for (int i = 0; i < 8600; ++i) c.scene.add({0, 0.1, 0.5}, {kMostPixels, 0.1, 0.5}, {0, 0.3, 0.5});
  for (int i = 0; i < 20; ++i) {
    const double z = random.real(0.1, 0.9);
    c.scene.add({100.0 * i, 0, z}, {100.0 * i + 300, 0, z}, {100.0 * i, 1, z});
  }
  c.camera = around(c.target);
  c.pool = c.scene.all();
  for (std::uint32_t i = 0; i < 8620; ++i) c.elements.push_back({i, 1, i, kBoth});
  EXPECT_GT(both.run(c), 10u);
  Both::Case small = c;
  small.elements.erase(small.elements.begin(), small.elements.begin() + 8600);
  EXPECT_GT(both.run(small), 10u);
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
  const auto passed = sweep(*canvas, pool, elements);
  for (std::size_t i = 0; i < passed.size(); ++i) EXPECT_EQ(passed[i], i == 0 ? 0 : kPassedForward) << i;
  EXPECT_EQ(sweep(*canvas, pool, elements), passed);
}

INSTANTIATE_TEST_SUITE_P(All, SweepTest, testing::ValuesIn(test::kAll), name_of);

}  // namespace
}  // namespace sightline::papers::raster::test
