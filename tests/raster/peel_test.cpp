// Raster::peel: by hand, and every implementation against the plain one's single calls.
#include "raster/peel.h"

#include <gtest/gtest.h>

#include "support.h"

namespace sightline::papers::raster::test {
namespace {

class PeelTest : public RasterTest {};

constexpr DepthFormat kFormats[] = {DepthFormat::fixed16, DepthFormat::fixed24, DepthFormat::fixed32,
                                    DepthFormat::float32};
constexpr std::uint8_t kFirst = 1, kSecond = 2, kEither = 3;

/// Squares over an image of 20 x 20 pixels at these depths; the id of a square is its number, from 1.
struct Stacks {
  Stacks(const Which& which, DepthFormat format, const std::vector<double>& first, const std::vector<double>& second)
      : canvas(which, {20, 20, format}) {
    for (const auto& [depths, list] : {std::pair(&first, &lists[0]), std::pair(&second, &lists[1])})
      for (const double z : *depths) {
        const auto made = canvas.rectangle(0, 0, 20, 20, z);
        list->insert(list->end(), made.begin(), made.end());
        ids.insert(ids.end(), 2, static_cast<std::uint32_t>(ids.size() / 2 + 1));
      }
    canvas.ready();
  }
  Peeled peel(std::uint8_t starts, double distance) {
    PeelRegion region;
    region.camera = pixel_camera(20, 20);
    region.side = 20;
    region.triangles = {lists[0], lists[1]};
    region.starts = starts;
    region.reach = reach_of(distance, region.camera, canvas->target().format);
    Peeled found;
    canvas->peel({&region, 1}, ids, found);
    return found;
  }
  Canvas canvas;
  std::array<std::vector<std::uint32_t>, 2> lists;
  std::vector<std::uint32_t> ids;
};
using IdPairs = std::vector<IdPair>;

TEST_P(PeelTest, LayersAlternate) {
  for (const DepthFormat format : kFormats) {
    if (!GetParam().has(format)) continue;
    // Squares 1 and 2 of the first object, 3 and 4 of the second one: 1, 3, 2, 4 from near to far.
    const auto peel = [&](std::uint8_t starts, double distance) {
      return Stacks(GetParam(), format, {0.2, 0.6}, {0.4, 0.8}).peel(starts, distance);
    };
    EXPECT_EQ(peel(kFirst, 0.3).pairs, (IdPairs{{0, 1, 3}, {0, 2, 3}, {0, 2, 4}}));
    EXPECT_EQ(peel(kSecond, 0.3).pairs, (IdPairs{{0, 2, 3}, {0, 2, 4}}));
    EXPECT_EQ(peel(kEither, 0.3).pairs, (IdPairs{{0, 1, 3}, {0, 2, 3}, {0, 2, 4}}));
    EXPECT_TRUE(peel(kEither, 0.1).pairs.empty());
    EXPECT_TRUE(peel(kEither, 0).pairs.empty());
    EXPECT_TRUE(peel(0, 0.3).pairs.empty());
    const Peeled both = peel(kEither, 0.3);
    EXPECT_EQ(both.layers,
              (std::vector<PeelLayer>{{2, 0, 800, 0}, {2, 2, 800, 800}, {2, 2, 800, 800}, {1, 1, 400, 400}}));
  }
}

TEST_P(PeelTest, ALayerOfTheSameObjectHidesWhatIsBehindIt) {
  // 1 and 2 of the first object lie before 3 of the second: from the first object 2 is never a layer.
  Stacks stacks(GetParam(), DepthFormat::fixed24, {0.1, 0.3}, {0.4});
  EXPECT_EQ(stacks.peel(kFirst, 1).pairs, (IdPairs{{0, 1, 3}}));
}

TEST_P(PeelTest, OnlyDeeperLayersFollow) {
  Stacks stacks(GetParam(), DepthFormat::fixed24, {0.5}, {0.5});
  const Peeled found = stacks.peel(kEither, 1);
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_EQ(found.layers, (std::vector<PeelLayer>{{2, 0, 800, 0}}));
}

TEST_P(PeelTest, OfEqualDepthsTheLastDrawnGivesTheId) {
  Stacks stacks(GetParam(), DepthFormat::fixed24, {0.2, 0.2}, {0.5, 0.5, 0.5});
  EXPECT_EQ(stacks.peel(kFirst, 1).pairs, (IdPairs{{0, 2, 5}}));
}

TEST_P(PeelTest, NothingAndEmptyObjects) {
  Stacks stacks(GetParam(), DepthFormat::fixed24, {0.2}, {});
  EXPECT_EQ(stacks.peel(kEither, 1).layers, (std::vector<PeelLayer>{{1, 0, 400, 0}}));
  Peeled found;
  found.pairs.push_back({1, 2, 3});
  stacks.canvas->target({20, 20, DepthFormat::fixed24});
  stacks.canvas->peel({}, stacks.ids, found);
  EXPECT_TRUE(found.pairs.empty());
  EXPECT_TRUE(found.layers.empty());
}

TEST_P(PeelTest, RefusesWhatItCannotDo) {
  Stacks stacks(GetParam(), DepthFormat::fixed24, {0.2}, {0.3});
  Peeled found;
  PeelRegion region;
  region.side = 0;
  EXPECT_THROW(stacks.canvas->peel({&region, 1}, stacks.ids, found), Error);
  region.side = 20;
  region.camera.perspective = true;
  EXPECT_THROW(stacks.canvas->peel({&region, 1}, stacks.ids, found), Error);
  region.camera.perspective = false;
  stacks.canvas->target({20, 20, DepthFormat::fixed24, Coverage::conservative});
  EXPECT_THROW(stacks.canvas->peel({&region, 1}, stacks.ids, found), Error);
}

/// Random triangles, in part outside of the images, with ids that several share.
struct Heap {
  explicit Heap(std::uint64_t seed) : random(seed) {
    const std::uint32_t count = 1 + pick(200);
    for (std::uint32_t i = 0; i < count; ++i) {
      const double size = std::pow(10.0, real(-0.5, 2));
      const Vec3d at = {real(-10, 80), real(-10, 80), real(-0.1, 1.1)};
      Vec3d corner[3];
      for (Vec3d& c : corner) {
        c = {at[0] + real(-size, size), at[1] + real(-size, size), at[2] + real(-0.3, 0.3)};
        if (i % 3 == 0) c = {std::round(c[0] * 2) / 2, std::round(c[1] * 2) / 2, std::round(c[2] * 8) / 8};
      }
      scene.add(corner[0], corner[1], corner[2]);
      ids.push_back(1 + pick(count / 3 + 1) * 70'001);
    }
    const DepthFormat formats[] = {DepthFormat::fixed16, DepthFormat::fixed24, DepthFormat::float32};
    format = formats[pick(3)];
    for (std::uint32_t i = 0; i < 1 + pick(5); ++i) {
      for (auto& list : lists.emplace_back())
        for (std::uint32_t t = 0; t < count; ++t)
          if (pick(2) == 0) list.push_back(t);
    }
    for (const auto& pair : lists) {
      PeelRegion& region = regions.emplace_back();
      region.side = 1 + pick(90);
      region.camera = pixel_camera(real(5, 80), real(5, 80));
      region.camera.near = real(-0.2, 0.3), region.camera.far = real(0.6, 1.2);
      region.triangles = {pair[0], pair[1]};
      region.starts = static_cast<std::uint8_t>(pick(4));
      region.reach = reach_of(std::pow(10.0, real(-4, 0.3)), region.camera, format);
    }
  }
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  Peeled peel(const Which& which, Counters& counters) const {
    Workers workers(which.threads);
    const auto raster = make_raster(which, workers);
    raster->target({8, 8, format});
    raster->geometry(scene.geometry());
    Peeled found;
    raster->peel(regions, ids, found);
    raster->target({8, 8, format});
    raster->finish();
    counters = raster->counters();
    return found;
  }

  std::mt19937_64 random;
  Scene scene;
  DepthFormat format;
  std::vector<std::uint32_t> ids;
  std::vector<std::array<std::vector<std::uint32_t>, 2>> lists;
  std::vector<PeelRegion> regions;
};

TEST_P(PeelTest, SameAsSingleCalls) {
  std::size_t pairs = 0, deepest = 0;
  for (std::uint64_t seed = 0; seed < (GetParam().on_gl() ? 40 : 300); ++seed) {
    const Heap heap(seed);
    Counters expected_counters, counters;
    const Peeled expected = heap.peel(kAll[0], expected_counters), found = heap.peel(GetParam(), counters);
    ASSERT_EQ(found.pairs, expected.pairs) << seed;
    ASSERT_EQ(found.layers, expected.layers) << seed;
    ASSERT_EQ(counters.renders, expected_counters.renders) << seed;
    ASSERT_EQ(counters.queries, expected_counters.queries) << seed;
    ASSERT_EQ(counters.triangles, expected_counters.triangles) << seed;
    ASSERT_EQ(counters.fragments, expected_counters.fragments) << seed;
    ASSERT_EQ(counters.renders, 2 * heap.regions.size()) << seed;
    pairs += found.pairs.size();
    deepest = std::max(deepest, found.layers.size());
  }
  EXPECT_GT(pairs, GetParam().on_gl() ? 200u : 1000u);
  EXPECT_GT(deepest, 5u);
}

/// Thousands of regions, and one with many layers.
TEST_P(PeelTest, ManyRegionsAndManyLayers) {
  std::vector<double> even, odd;
  for (int i = 0; i < 60; ++i) (i % 2 == 0 ? even : odd).push_back(0.01 + 0.016 * i);
  Stacks stacks(GetParam(), DepthFormat::fixed24, even, odd);
  const Peeled deep = stacks.peel(kFirst, 1);
  EXPECT_EQ(deep.layers.size(), 60u);
  EXPECT_EQ(deep.pairs.size(), 59u);
  std::vector<PeelRegion> regions(GetParam().kind == Which::gl_each ? 20 : 1000);
  for (PeelRegion& region : regions) {
    region.camera = pixel_camera(20, 20);
    region.side = 4;
    region.triangles = {std::span(stacks.lists[0]).first(4), std::span(stacks.lists[1]).first(4)};
    region.starts = kEither;
    region.reach = 1u << 24;
  }
  Peeled found;
  stacks.canvas->target({20, 20, DepthFormat::fixed24});
  stacks.canvas->peel(regions, stacks.ids, found);
  EXPECT_EQ(found.pairs.size(), 3 * regions.size());
}

INSTANTIATE_TEST_SUITE_P(All, PeelTest, testing::ValuesIn(kAll), name_of);

}  // namespace
}  // namespace sightline::papers::raster::test
