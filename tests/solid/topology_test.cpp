// Topology: welding, closedness, components, degenerate and duplicate triangles.
#include "mesh/topology.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solid/bodies.h"

namespace {

using namespace bodies;
using sightline::Topology;

TEST(Topology, Box) {
  const Body cube = box({0, 0, 0}, {1, 1, 1});
  const Topology t = topology(cube.view());
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.vertices, 8u);
  EXPECT_EQ(t.components, 1u);
  EXPECT_EQ(t.nonmanifold_edges, 0u);
  EXPECT_TRUE(t.degenerate.empty());
  EXPECT_EQ(t.duplicates, 0u);
}

TEST(Topology, SoupIsWelded) {
  const Body cube = box({-1, -1, -1}, {0, 0, 0}).soup();
  const Topology t = topology(cube.view());
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.vertices, 8u);
  EXPECT_EQ(t.components, 1u);
  for (std::size_t i = 0; i < cube.points.size(); ++i) {
    std::size_t first = 0;
    while (cube.points[first] != cube.points[i]) ++first;
    EXPECT_EQ(t.vertex[i], first);
  }
}

TEST(Topology, MinusZeroIsZero) {
  Body cube = box({0, 0, 0}, {1, 1, 1}).soup();
  for (std::size_t i = 0; i < cube.points.size(); i += 2)
    for (double& x : cube.points[i])
      if (x == 0) x = -0.0;
  EXPECT_TRUE(topology(cube.view()).closed());
  EXPECT_EQ(topology(cube.view()).vertices, 8u);
}

TEST(Topology, OpenEdgesAreNamed) {
  const Body open = box({0, 0, 0}, {1, 1, 1}).without(0);
  const Topology t = topology(open.view());
  EXPECT_FALSE(t.closed());
  EXPECT_EQ(t.open_edges, 3u);
  const std::vector<std::array<std::uint32_t, 2>> all = {{0, 1}, {0, 2}, {1, 2}};
  EXPECT_EQ(open_edges(open.view(), t, 100), all);
  EXPECT_EQ(open_edges(open.view(), t, 2), (std::vector<std::array<std::uint32_t, 2>>{{0, 1}, {0, 2}}));
  EXPECT_TRUE(open_edges(open.view(), t, 0).empty());
}

TEST(Topology, ComponentsAreNumberedByFirstTriangle) {
  Body body = box({0, 0, 0}, {1, 1, 1});
  body.add(box({5, 0, 0}, {6, 1, 1})).add(box({1, 1, 1}, {2, 2, 2}));  // the third shares a corner with the first
  const Topology t = topology(body.view());
  EXPECT_EQ(t.components, 2u);
  for (int i = 0; i < 36; ++i) EXPECT_EQ(t.component[i], i / 12 == 1 ? 1u : 0u);
}

TEST(Topology, FourTrianglesAtAnEdgeAreClosedButNotManifold) {
  Body body = box({0, 0, 0}, {1, 1, 1});
  body.add(box({1, 1, 0}, {2, 2, 1}));
  const Topology t = topology(body.view());
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.nonmanifold_edges, 1u);
}

TEST(Topology, DuplicatesAreSetsOfCorners) {
  Body body{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}},
            {{0, 1, 2}, {2, 1, 0}, {1, 2, 3}, {0, 0, 1}, {1, 1, 3}, {0, 3, 0}}};
  const Topology t = topology(body.view());
  EXPECT_EQ(t.duplicates, 3u);  // two of the first, and (a, b, b) of (a, a, b)
  EXPECT_EQ(t.degenerate, (std::vector<std::uint32_t>{3, 4, 5}));
}

TEST(Topology, DegeneracyIsExact) {
  const double u = std::nextafter(1.0, 2.0) - 1.0;
  // 0.1, 0.2 and 0.3 as doubles are not collinear with their own multiples; multiples by powers of two are.
  const auto degenerate = [](const std::array<Vec3d, 3>& p) {
    const std::vector<Vec3d> points(p.begin(), p.end());
    const std::vector<Triangle> one = {{0, 1, 2}};
    return !sightline::topology(MeshView{points, one}).degenerate.empty();
  };
  EXPECT_TRUE(degenerate({{{0.1, 0.7, 0.3}, {0.2, 1.4, 0.6}, {0.4, 2.8, 1.2}}}));
  EXPECT_FALSE(degenerate({{{0.1, 0.7, 0.3}, {0.2, 1.4, 0.6}, {0.3, 2.1, 0.9}}}));
  EXPECT_TRUE(degenerate({{{1, 1, 1}, {1 + u, 1 + u, 1 + u}, {1 + 3 * u, 1 + 3 * u, 1 + 3 * u}}}));
  EXPECT_FALSE(degenerate({{{1, 1, 1}, {1 + u, 1 + u, 1 + u}, {1 + 3 * u, 1 + 3 * u, 1 + 2 * u}}}));
  EXPECT_FALSE(degenerate({{{0, 0, 0}, {1e-300, 0, 0}, {0, 1e-300, 0}}}));
  EXPECT_FALSE(degenerate({{{0, 0, 0}, {5e-324, 0, 0}, {0, 5e-324, 0}}}));
  EXPECT_FALSE(degenerate({{{-1e300, 0, 0}, {1e300, 0, 0}, {0, 1e300, 0}}}));
  EXPECT_TRUE(degenerate({{{-1e300, 0, 0}, {1e300, 0, 0}, {1e-300, 0, 0}}}));
}

TEST(Topology, DegenerateTrianglesDoNotCloseOrOpen) {
  Body body = box({0, 0, 0}, {1, 1, 1});
  body.triangles.push_back({0, 0, 7});
  EXPECT_TRUE(topology(body.view()).closed());
  body.triangles[0] = {0, 2, 2};
  EXPECT_EQ(topology(body.view()).open_edges, 3u);
}

TEST(Topology, EmptyAndBad) {
  const Topology t = sightline::topology(MeshView{});
  EXPECT_FALSE(t.closed());
  EXPECT_EQ(t.components, 0u);
  Body body = box({0, 0, 0}, {1, 1, 1});
  body.triangles.push_back({0, 1, 8});
  EXPECT_THROW(topology(body.view()), sightline::Error);
  body.triangles.pop_back();
  body.points[3][1] = NAN;
  EXPECT_THROW(topology(body.view()), sightline::Error);
}

TEST(Topology, FloatPositions) {
  const Body cube = box({0, 0, 0}, {0.1, 0.1, 0.1}).soup();
  std::vector<sightline::Vec3f> points;
  for (const Vec3d& p : cube.points) points.push_back({float(p[0]), float(p[1]), float(p[2])});
  const Topology t = topology(MeshView{points, cube.triangles});
  EXPECT_TRUE(t.closed());
  EXPECT_EQ(t.vertices, 8u);
}

}  // namespace
