// Which pixels are drawn: the top-left rule, shared edges, slivers, clipping, lines, winding.
#include <gtest/gtest.h>

#include <cmath>

#include "support.h"
#include "support/sizes.h"

namespace sightline::papers::raster::test {
namespace {

class CoverageTest : public RasterTest {};

Target stencilled(std::uint32_t width, std::uint32_t height, Coverage coverage = Coverage::image) {
  return {width, height, DepthFormat::fixed24, coverage, true, false};
}
std::string all_ones(std::uint32_t width, std::uint32_t height) {
  std::string text;
  for (std::uint32_t y = 0; y < height; ++y) text += std::string(width, '1') + '\n';
  return text;
}

TEST_P(CoverageTest, TopLeftRuleOnPixelCentres) {
  Canvas canvas(GetParam(), stencilled(6, 6));
  const auto square = canvas.rectangle(0.5, 0.5, 4.5, 4.5, 0.5);
  canvas.ready();
  EXPECT_EQ(canvas.counts(square),
            "......\n"
            "1111..\n"
            "1111..\n"
            "1111..\n"
            "1111..\n"
            "......\n");
}

TEST_P(CoverageTest, GoldenTriangle) {
  Canvas canvas(GetParam(), stencilled(10, 8));
  const auto t = canvas.add({1, 0.5, 0}, {9.25, 3, 0.5}, {3, 7.5, 1});
  canvas.ready();
  EXPECT_EQ(canvas.counts({t}),
            "..........\n"
            "...1......\n"
            "..1111....\n"
            "..11111...\n"
            "..1111111.\n"
            "..111111..\n"
            ".111......\n"
            "..........\n");
}

TEST_P(CoverageTest, GoldenLine) {
  Canvas canvas(GetParam(), stencilled(8, 5));
  canvas.scene().positions = {{0.5, 0.5, 0.5}, {7.5, 3.5, 0.5}, {0.5, 0.5, 0.5}};
  canvas.scene().triangles = {{0, 1, 1}};
  canvas.ready();
  State state;
  state.fill = Fill::line;
  // Twice: there and back. The end is exclusive.
  EXPECT_EQ(canvas.counts({0}, state),
            "........\n"
            "......2.\n"
            "....22..\n"
            "..22....\n"
            "22......\n");
}

TEST_P(CoverageTest, LinesOfNeighboursAreTheSame) {
  Canvas canvas(GetParam(), stencilled(40, 40));
  canvas.scene().positions = {{3, 2, 0}, {37, 11, 1}, {30, 38, 0.5}, {1, 30, 0.2}};
  canvas.scene().triangles = {{0, 1, 2}, {2, 1, 0}};
  canvas.ready();
  State state;
  state.fill = Fill::line;
  const std::string one = canvas.counts({0}, state);
  EXPECT_EQ(one, canvas.counts({1}, state));
  EXPECT_NE(one.find('1'), std::string::npos);
}

TEST_P(CoverageTest, FanDrawsEachPixelOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Canvas canvas(GetParam(), stencilled(50, 50));
    // A fan around a point, out to the frame's corners and beyond, in any number of steps.
    std::uniform_real_distribution<double> near(20, 30), turn(0.05, 0.6);
    const Vec3d center = {near(random), near(random), 0.5};
    std::vector<double> angles = {0};
    while (angles.back() + 0.6 < 2 * 3.14159265) angles.push_back(angles.back() + turn(random));
    std::vector<std::uint32_t> fan;
    const auto rim = [&](std::size_t i) {
      const double a = angles[i % angles.size()];
      return Vec3d{center[0] + 90 * std::cos(a), center[1] + 90 * std::sin(a), 0.5};
    };
    for (std::size_t i = 0; i < angles.size(); ++i) fan.push_back(canvas.add(center, rim(i), rim(i + 1)));
    canvas.ready();
    ASSERT_EQ(canvas.counts(fan), all_ones(50, 50));
  }
}

TEST_P(CoverageTest, RandomMeshDrawsEachPixelOnce) {
  std::mt19937 random(2);
  for (const double cell : {0.7, 3.0, 11.0, 70.0}) {
    Canvas canvas(GetParam(), stencilled(90, 70));
    const int columns = static_cast<int>(90 / cell) + 4, rows = static_cast<int>(70 / cell) + 4;
    std::uniform_real_distribution<double> jitter(-0.3 * cell, 0.3 * cell);
    Scene& scene = canvas.scene();
    for (int y = 0; y <= rows; ++y)
      for (int x = 0; x <= columns; ++x)
        scene.positions.push_back({(x - 1.5) * cell + jitter(random), (y - 1.5) * cell + jitter(random), 0.5});
    const auto at = [&](int x, int y) { return static_cast<std::uint32_t>(y * (columns + 1) + x); };
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {  // both windings, both diagonals
        const std::uint32_t a = at(x, y), b = at(x + 1, y), c = at(x + 1, y + 1), d = at(x, y + 1);
        if (random() % 2 == 0) {
          scene.triangles.insert(scene.triangles.end(), {{a, b, c}, {a, d, c}});
        } else {
          scene.triangles.insert(scene.triangles.end(), {{d, b, a}, {d, b, c}});
        }
      }
    canvas.ready();
    ASSERT_EQ(canvas.counts(scene.all()), all_ones(90, 70)) << "cells of " << cell;
  }
}

TEST_P(CoverageTest, SliversAndEdgeOnTriangles) {
  Canvas canvas(GetParam(), stencilled(20, 4));
  const auto between = canvas.add({0, 1.6, 0}, {20, 1.9, 0}, {20, 1.7, 1});
  const auto edge_on = canvas.add({1, 1, 0}, {18, 3, 0}, {9.5, 2, 1});
  const auto point = canvas.add({3.5, 1.5, 0}, {3.5, 1.5, 0}, {3.5, 1.5, 1});
  const auto thin = canvas.add({0, 1.45, 0}, {20, 1.55, 0}, {0, 1.55, 1});
  canvas.ready();
  EXPECT_EQ(canvas.draw({}, {between}), 0u);
  EXPECT_EQ(canvas.draw({}, {edge_on, point}), 0u);
  EXPECT_EQ(canvas.draw({}, {thin}), 10u);
}

TEST_P(CoverageTest, ConservativeDrawsWhatHasNoArea) {
  Canvas canvas(GetParam(), stencilled(8, 4, Coverage::conservative));
  const auto edge_on = canvas.add({1.5, 1.5, 0}, {5.5, 1.5, 0}, {3, 1.5, 1});
  const auto point = canvas.add({6.5, 2.5, 0}, {6.5, 2.5, 0}, {6.5, 2.5, 1});
  canvas.ready();
  EXPECT_EQ(canvas.counts({edge_on, point}),
            "........\n"
            "......1.\n"
            ".11111..\n"
            "........\n");
}

TEST_P(CoverageTest, ClipsAtNearAndFar) {
  Canvas canvas(GetParam(), stencilled(30, 4));
  canvas.scene().positions = {{0, 0, -1}, {30, 0, 2}, {30, 4, 2}, {0, 4, -1}};
  canvas.scene().triangles = {{0, 1, 2}, {0, 2, 3}};
  canvas.ready();
  std::string row = std::string(10, '.') + std::string(10, '1') + std::string(10, '.') + '\n';
  EXPECT_EQ(canvas.counts({0, 1}), row + row + row + row);
}

TEST_P(CoverageTest, ClipsAtTheGuardBand) {
  Canvas canvas(GetParam(), stencilled(64, 48));
  const auto square = canvas.rectangle(-3e7, -1e8, 5e7, 2e6, 0.5);
  const auto turned = canvas.add({-1e6, -1e6, 0.5}, {1e6, -1e6, 0.2}, {20, 1e7, 0.7});
  const auto away = canvas.add({5000, 0, 0.5}, {9000, 0, 0.5}, {5000, 4000, 0.5});
  canvas.ready();
  EXPECT_EQ(canvas.counts(square), all_ones(64, 48));
  EXPECT_EQ(canvas.counts({turned}), all_ones(64, 48));
  EXPECT_EQ(canvas.draw({}, {away}), 0u);
}

TEST_P(CoverageTest, PerspectiveWithCornersBehindTheEye) {
  Canvas canvas(GetParam(), stencilled(32, 32));
  Camera camera;  // looks along -z
  camera.perspective = true;
  camera.near = 0.1, camera.far = 1e6;
  canvas->camera(camera);
  // A floor one below the eye, from far behind to the horizon.
  canvas.scene().positions = {{-1e7, -1, 50}, {1e7, -1, 50}, {1e7, -1, -1e5}, {-1e7, -1, -1e5}};
  canvas.scene().triangles = {{0, 1, 2}, {0, 2, 3}};
  canvas.ready();
  std::string expected;
  for (int y = 0; y < 16; ++y) expected += std::string(32, '.') + '\n';
  EXPECT_EQ(canvas.counts({0, 1}), expected + all_ones(32, 16));
}

TEST_P(CoverageTest, CullsByWinding) {
  Canvas canvas(GetParam(), stencilled(8, 8));
  const auto front = canvas.add({0, 0, 0.5}, {8, 0, 0.5}, {0, 8, 0.5});
  const auto back = canvas.add({0, 0, 0.5}, {0, 8, 0.5}, {8, 0, 0.5});
  canvas.ready();
  State state;
  state.depth_test = false;
  for (const Fill fill : {Fill::solid, Fill::line}) {
    state.fill = fill;
    for (const Cull cull : {Cull::none, Cull::back, Cull::front}) {
      state.cull = cull;
      EXPECT_EQ(canvas.draw(state, {front}) > 0, cull != Cull::front);
      EXPECT_EQ(canvas.draw(state, {back}) > 0, cull != Cull::back);
    }
  }
}

TEST_P(CoverageTest, SmallestAndLargestTarget) {
  const bool slow = GetParam().kind == Which::plain || testing_support::smaller_tests();
  const std::pair<std::uint32_t, std::uint32_t> sizes[] = {
      {1, 1}, {kMostPixels, 1}, {3, kMostPixels}, {4096, slow ? 2 : 4096}};
  for (const auto& [width, height] : sizes) {
    Canvas canvas(GetParam(), {width, height});
    const auto square = canvas.rectangle(0, 0, width, height, 0.5);
    canvas.ready();
    EXPECT_EQ(canvas.draw({}, square), std::uint64_t{width} * height);
    EXPECT_EQ(canvas->counters().fragments, std::uint64_t{width} * height);
  }
  EXPECT_THROW(Canvas(GetParam(), {kMostPixels + 1, 1}), Error);
  EXPECT_THROW(Canvas(GetParam(), {1, kMostPixels + 1}), Error);
  EXPECT_THROW(Canvas(GetParam(), {0, 1}), Error);
}

INSTANTIATE_TEST_SUITE_P(All, CoverageTest, testing::ValuesIn(kAll), name_of);

}  // namespace
}  // namespace sightline::papers::raster::test
