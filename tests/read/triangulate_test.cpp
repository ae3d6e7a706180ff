#include "read/triangulate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

namespace sightline::read {
namespace {

double area(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

std::vector<Triangle> triangles_of(const std::vector<Vec3d>& corners, std::uint64_t most = 10'000) {
  std::vector<Triangle> out(corners.size() - 2);
  EXPECT_TRUE(triangulate(corners, most, out));
  return out;
}

/// A simple polygon in the plane z = 0 is covered without overlap if all triangles turn its way and their areas add up.
void expect_partition(const std::vector<Vec3d>& corners, bool no_slivers = true) {
  double whole = 0, sum = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) whole += area({}, corners[i], corners[(i + 1) % corners.size()]);
  for (const Triangle& t : triangles_of(corners)) {
    const double part = area(corners[t[0]], corners[t[1]], corners[t[2]]);
    if (no_slivers) {
      EXPECT_NE(part, 0);
    }
    EXPECT_GE(part * whole, 0);
    sum += part;
  }
  EXPECT_NEAR(sum, whole, 1e-9 * std::fabs(whole));
}

TEST(Triangulate, ConvexIsAFan) {
  EXPECT_EQ(triangles_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}), (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(triangles_of({{0, 0, 5}, {0, 1, 5}, {1, 1, 5}, {1, 0, 5}}), (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Triangulate, ConcaveInEveryRotationDirectionAndPlane) {
  const std::vector<Vec3d> ell = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  for (std::size_t shift = 0; shift < ell.size(); ++shift) {
    std::vector<Vec3d> turned = ell;
    std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(shift), turned.end());
    expect_partition(turned);
    const std::vector<Triangle> flat = triangles_of(turned);
    for (Vec3d& p : turned) p = {p[2] + 7, p[0], p[1]};
    EXPECT_EQ(triangles_of(turned), flat);
    for (Vec3d& p : turned) p = {p[0] * 1e300, p[1] * 1e300, p[2] * 1e300};
    EXPECT_EQ(triangles_of(turned), flat);
    for (Vec3d& p : turned) p = {p[1] * 1e-310 * 1e-300, p[2] * 1e-310, 0};
    triangles_of(turned);
  }
  std::vector<Vec3d> reversed(ell.rbegin(), ell.rend());
  expect_partition(reversed);
}

TEST(Triangulate, CollinearCornersMakeNoSlivers) {
  expect_partition({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}});
  expect_partition({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 2, 0}});
}

TEST(Triangulate, KeyholeAroundAHole) {
  expect_partition(
      {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}});
}

TEST(Triangulate, RandomStarShapes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int n = 4 + static_cast<int>(random() % 60);
    std::vector<Vec3d> corners;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * M_PI * i / n, radius = 0.05 + (random() % 1000) / 1000.0;
      corners.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
    }
    expect_partition(corners);
  }
}

TEST(Triangulate, DegenerateAndSelfCrossingStillGiveAllTriangles) {
  triangles_of({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  triangles_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1, 0, 0}});
  triangles_of({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 0}});
  std::vector<Vec3d> star;
  for (int i = 0; i < 5; ++i) star.push_back({std::cos(4 * M_PI * i / 5), std::sin(4 * M_PI * i / 5), 0});
  triangles_of(star);
}

TEST(Triangulate, LargeSpiralIsQuickAndTheBoundHolds) {
  std::vector<Vec3d> spiral;
  const int half = 5000;
  for (int i = 0; i < half; ++i)
    spiral.push_back({(1 + i * 0.01) * std::cos(i * 0.05), (1 + i * 0.01) * std::sin(i * 0.05), 0});
  for (int i = half; i-- > 0;)
    spiral.push_back({(1.3 + i * 0.01) * std::cos(i * 0.05), (1.3 + i * 0.01) * std::sin(i * 0.05), 0});
  const auto start = std::chrono::steady_clock::now();
  expect_partition(spiral);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  std::vector<Triangle> out(spiral.size() - 2);
  EXPECT_FALSE(triangulate(spiral, 9'999, out));
}

TEST(Orientation, IsExact) {
  const double ulp = 0x1p-52;
  EXPECT_EQ(orientation({0, 0}, {1, 1}, {0.5, 0.5}), 0);
  EXPECT_EQ(orientation({0, 0}, {1, 1}, {0.5, 0.5 + ulp / 2}), 1);
  EXPECT_EQ(orientation({0, 0}, {1, 1}, {0.5 + ulp / 2, 0.5}), -1);
  EXPECT_EQ(orientation({1 + ulp, 1 + ulp}, {1e-30, 1e-30}, {3e-9, 3e-9}), 0);
  EXPECT_EQ(orientation({1e-60, 0}, {1, 1}, {2e-60, 1e-60}), -orientation({1, 1}, {1e-60, 0}, {2e-60, 1e-60}));
}

}  // namespace
}  // namespace sightline::read
