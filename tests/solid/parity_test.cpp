// Containment counted in an image, in a tree and point by point: one answer.
#include "solid/parity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "assembly/classify.h"
#include "sightline/assembly.h"
#include "solid/bodies.h"
#include "support/random.h"

namespace {

using namespace bodies;
using sightline::ClashOptions;
using sightline::Containment;
using sightline::PartPair;
using sightline::Relation;
using sightline::Side;
using sightline::Stage;
using sightline::Stats;
using testing_support::Random;

/// Both ways agree on all points, and with side_of off the surface.
void expect_one_answer(const Body& body, const std::vector<Vec3d>& points) {
  const sightline::solid::Body built(body.view());
  const auto image = sightline::solid::inside_by_image(built, points);
  EXPECT_EQ(image, sightline::solid::inside_by_tree(built, points));
  if (!built.closed) return;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Side side = side_of(body.view(), points[i]);
    if (side == Side::on) continue;
    ASSERT_EQ(image[i] != 0, side == Side::inside) << points[i][0] << " " << points[i][1] << " " << points[i][2];
  }
}

std::vector<Vec3d> half_lattice(int from, int to) {
  std::vector<Vec3d> points;
  for (int x = from; x <= to; ++x)
    for (int y = from; y <= to; ++y)
      for (int z = from; z <= to; ++z) points.push_back({x / 2.0, y / 2.0, z / 2.0});
  return points;
}

// Points in the planes of triangles, above and below corners and edges, on the surface itself.
TEST(Parity, HalfLatticeOfVoxelSolids) {
  Random random(3);
  for (int round = 0; round < 16; ++round) {
    Voxels cells;
    for (int x = 0; x < 4; ++x)
      for (int y = 0; y < 3; ++y)
        for (int z = 0; z < 3; ++z)
          if (random.chance(0.6)) cells.insert({x, y, z});
    if (cells.empty()) continue;
    Body body = voxels(cells, round % 8);
    if (round % 3 == 1) body = body.soup();
    if (round % 4 == 2) body = body.inverted();
    if (round % 5 == 3) body = body.scaled(round % 2 == 0 ? 0x1p-1000 : 0x1p1000);
    std::vector<Vec3d> points = half_lattice(-1, 9);
    const double scale = round % 5 == 3 ? (round % 2 == 0 ? 0x1p-1000 : 0x1p1000) : 1;
    for (Vec3d& p : points)
      for (double& x : p) x *= scale;
    expect_one_answer(body, points);
  }
}

TEST(Parity, OpenAndDegenerateSurfaces) {
  Body body = box({0, 0, 0}, {4, 4, 4});
  body.add(octahedron({2, 2, 2}, 1).without(3));  // an open component bounds nothing
  body.points.push_back({1, 1, 1});
  body.triangles.push_back({0, 7, static_cast<std::uint32_t>(body.points.size() - 1)});  // degenerate
  expect_one_answer(body, half_lattice(-1, 9));
}

TEST(Parity, OnePointManyPointsOneColumn) {
  const Body body = octahedron({0, 0, 0}, 3);
  expect_one_answer(body, {});
  expect_one_answer(body, {{0, 0, 0}});
  std::vector<Vec3d> column;
  for (int i = -40; i <= 40; ++i) column.push_back({0, 0, i / 8.0});
  expect_one_answer(body, column);
  column.push_back({1e300, -1e300, 1e300});  // all the others in one cell
  column.push_back({-1.7e308, 1.7e308, 0});
  expect_one_answer(body, column);
}

TEST(Parity, RandomTetrahedra) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const bool lattice = round % 2 == 0;
    const auto coordinate = [&](int n) { return lattice ? random.below(2 * n) / 2.0 : random.in(0, n); };
    Body body;
    for (int i = 0; i < 8; ++i) {
      std::array<Vec3d, 4> p;
      for (Vec3d& q : p)
        for (double& x : q) x = lattice ? random.below(5) : random.in(0, 4);
      body.add(tetrahedron(p));
    }
    std::vector<Vec3d> points(80);
    for (Vec3d& p : points) p = {coordinate(4), coordinate(4), coordinate(4)};
    for (int i = 0; i < 20; ++i) points[i] = body.points[random.below(static_cast<int>(body.points.size()))];
    expect_one_answer(body, points);
  }
}

std::vector<PartPair> classified(const std::vector<Body>& bodies, Containment way, double clearance, Stats& stats) {
  sightline::Scene scene;
  std::vector<MeshView> parts;
  for (const Body& body : bodies) {
    parts.push_back(body.view());
    scene.add(parts.back());
  }
  sightline::Clashes found = sightline::classify(parts, scene.collide(), {.clearance = clearance}, way);
  stats = found.stats;
  return found.pairs;
}

std::uint64_t rays(const Stats& stats, std::string_view unit) {
  std::uint64_t count = 0;
  for (const Stage& stage : stats.stages)
    if (stage.name == "contain" && stage.unit == unit) count += stage.count;
  return count;
}

// Nested boxes and octahedra at random, some open, some of several components.
TEST(Parity, RelationsOfRandomNestedSolids) {
  Random random(5);
  for (int round = 0; round < 25; ++round) {
    std::vector<Body> parts;
    for (int i = 0; i < 30; ++i) {
      Body part;
      for (int c = 0; c < 1 + random.below(3); ++c) {
        const Vec3d at{1.0 * random.below(24), 1.0 * random.below(24), 1.0 * random.below(24)};
        const double size = 1 + random.below(random.chance(0.3) ? 16 : 3);
        part.add(random.chance(0.5) ? octahedron(at, size) : box(at, {at[0] + size, at[1] + size, at[2] + size}));
      }
      parts.push_back(random.chance(0.1) ? part.without(0) : part);
    }
    const double clearance = round % 3 == 0 ? 0.5 : 0;
    Stats by_image, by_tree, chosen;
    const auto expected = classified(parts, Containment::tree, clearance, by_tree);
    EXPECT_EQ(classified(parts, Containment::image, clearance, by_image), expected);
    EXPECT_EQ(classified(parts, Containment::automatic, clearance, chosen), expected);
    const std::uint64_t all = rays(by_tree, "rays by tree");
    EXPECT_EQ(rays(by_image, "rays by image parity"), all);
    EXPECT_EQ(rays(chosen, "rays by image parity") + rays(chosen, "rays by tree"), all);
  }
}

TEST(Parity, ManyPartsInOneAndTheStages) {
  std::vector<Body> parts{box({0, 0, 0}, {40, 40, 40})};
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 12; ++y) parts.push_back(octahedron({3.0 * x + 2, 3.0 * y + 2, 20}, 1));
  Stats stats;
  const auto found = classified(parts, Containment::automatic, 0, stats);
  ASSERT_EQ(found.size(), 144u);
  for (const PartPair& clash : found) EXPECT_EQ(clash.relation, Relation::contains);
  EXPECT_EQ(rays(stats, "rays by image parity"), 144u);
  std::vector<std::string_view> names;
  for (const Stage& stage : stats.stages) names.push_back(stage.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"pairs", "bodies", "contain", "relate"}));
  EXPECT_GT(stats.milliseconds, 0);
}

}  // namespace
