// Cancelling classify: polls are dense in every long loop, and the first one that is answered by true ends it.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "assembly/classify.h"
#include "solid/bodies.h"

namespace {

using namespace bodies;
using sightline::PartPair;
using sightline::ClashOptions;
using sightline::Containment;
using sightline::Relation;
using sightline::Report;

/// Both faces meshed n × n, turned about the vertical.
Body plate(int n, double bottom, double top, double turn) {
  Body body;
  const double c = std::cos(turn), s = std::sin(turn);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      for (const double z : {bottom, top}) {
        const double x = double(i) / n - 0.5, y = double(j) / n - 0.5;
        body.points.push_back({c * x - s * y, s * x + c * y, z});
      }
  const auto low = [&](int i, int j) { return static_cast<std::uint32_t>(2 * (j * (n + 1) + i)); };
  const auto quad = [&](std::uint32_t p, std::uint32_t q, std::uint32_t r, std::uint32_t t) {
    body.triangles.push_back({p, q, r});
    body.triangles.push_back({p, r, t});
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      for (const std::uint32_t up : {0u, 1u})
        quad(low(i, j) + up, low(i + 1, j) + up, low(i + 1, j + 1) + up, low(i, j + 1) + up);
  const auto wall = [&](std::uint32_t p, std::uint32_t q) { quad(p, q, q + 1, p + 1); };
  for (int i = 0; i < n; ++i) {
    wall(low(i, 0), low(i + 1, 0));
    wall(low(n, i), low(n, i + 1));
    wall(low(i + 1, n), low(i, n));
    wall(low(0, i + 1), low(0, i));
  }
  return body;
}

struct Scene {
  explicit Scene(std::vector<Body> all) : bodies(std::move(all)) {
    sightline::Scene scene;
    for (const Body& body : bodies) {
      parts.push_back(body.view());
      scene.add(body.view());
    }
    contacts = scene.collide({.threads = 1});
  }
  std::vector<Body> bodies;
  std::vector<MeshView> parts;
  Report contacts;
};

/// How many polls a classification makes, if the one with this number (and all later ones) is answered by true.
std::uint64_t polls(const Scene& scene, ClashOptions options, Containment way, std::uint64_t last,
                    unsigned threads = 1) {
  std::atomic<std::uint64_t> count{0};
  options.query.threads = threads;
  options.query.cancel = [&] { return ++count >= last; };
  if (last == ~std::uint64_t{0}) {
    classify(scene.parts, scene.contacts, options, way);
  } else {
    EXPECT_THROW(classify(scene.parts, scene.contacts, options, way), sightline::Error) << last;
  }
  return count;
}

/// At least `expected` polls, about one for each 1024 steps of work; each of them can be the last.
void check(const Scene& scene, const ClashOptions& options, std::uint64_t expected,
           Containment way = Containment::automatic) {
  const std::uint64_t all = polls(scene, options, way, ~std::uint64_t{0});
  EXPECT_GE(all, expected);
  for (const std::uint64_t last : {std::uint64_t{1}, std::uint64_t{2}, all / 3, all / 2, all - 1, all})
    EXPECT_EQ(polls(scene, options, way, last), last) << "of " << all;
  // Tasks that run at the same time may poll once more each.
  EXPECT_LE(polls(scene, options, way, all / 2, 4), all / 2 + 8);
}

/// n × n bricks with gaps between them, turned about the vertical, and a tower that makes the boxes of two such parts
/// overlap. Where bricks stand on bricks, their edges cross.
Body bricks(int n, double bottom, double top, double turn, double tower) {
  Body body;
  const double c = std::cos(turn), s = std::sin(turn);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      body.add(box({i - 0.5 * n, j - 0.5 * n, bottom}, {i + 0.75 - 0.5 * n, j + 0.75 - 0.5 * n, top})
                   .mapped([&](const Vec3d& p) {
                     return Vec3d{c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
                   }));
  return body.add(box({tower, 0, -9}, {tower + 1, 1, 9}));
}

TEST(Cancel, OverlapOfBricks) {
  const Scene small({bricks(8, 0, 1, 0, 20), bricks(8, 1, 2, 0.3, 30)});
  ASSERT_GT(small.contacts.contacts.size(), 500u);
  check(small, {}, small.contacts.contacts.size() / 4);
  const Scene large({bricks(60, 0, 1, 0, 100), bricks(60, 1, 2, 0.3, 120)});
  ASSERT_GT(large.contacts.contacts.size(), 10000u);
  for (const std::uint64_t last : {10, 100, 1000}) EXPECT_EQ(polls(large, {}, Containment::automatic, last), last);
}

/// Plates that no box separates: the edges within a face cost a step or two each.
TEST(Cancel, OverlapOfPlates) {
  Body low = plate(60, 0, 1, 0), high = plate(60, 1, 2, 0.3);
  low.add(box({2, 0, -9}, {3, 1, 9}));
  high.add(box({4, 0, -9}, {5, 1, 9}));
  const Scene scene({low, high});
  ASSERT_GT(scene.contacts.contacts.size(), 10000u);
  check(scene, {}, scene.contacts.contacts.size() * 8 / 1024);
}

/// The search of a pair without a list of contacts.
TEST(Cancel, RelationsOnly) {
  const Scene scene({bricks(30, 0, 1, 0, 100), bricks(30, 1, 2, 0.3, 120)});
  const auto polls_of = [&](std::uint64_t last) {
    std::atomic<std::uint64_t> count{0};
    const ClashOptions options{.query = {.threads = 1, .cancel = [&] { return ++count >= last; }}};
    if (last == ~std::uint64_t{0})
      EXPECT_EQ(relations(scene.parts, options).pairs.size(), 1u);
    else
      EXPECT_THROW(relations(scene.parts, options), sightline::Error) << last;
    return count.load();
  };
  const std::uint64_t all = polls_of(~std::uint64_t{0});
  EXPECT_GE(all, scene.contacts.contacts.size() / 4);
  for (const std::uint64_t last : {std::uint64_t{1}, std::uint64_t{5}, all / 2, all}) EXPECT_EQ(polls_of(last), last);
}

TEST(Cancel, GapOfPlates) {
  // Turned about all axes, many pairs of triangles at about the least distance have to be measured.
  const auto turned = [](const Body& body) {
    return body.mapped([](const Vec3d& p) {
      return Vec3d{0.8 * p[0] + 0.36 * p[1] + 0.48 * p[2], 0.8 * p[1] - 0.6 * p[2],
                   -0.6 * p[0] + 0.48 * p[1] + 0.64 * p[2]};
    });
  };
  const Scene scene({turned(plate(12, 0, 1, 0)), turned(plate(12, 1.01, 2, 0))});
  check(scene, {.clearance = 1}, 500);
}

/// One large part: its body, its tree, rays through many of its triangles.
TEST(Cancel, LargeParts) {
  Body tower;  // all of it lies above the small part, or around it
  for (int i = 0; i < 4000; ++i) tower.add(box({-1.0 - i, -1, -1.0 - i}, {1.0 + i, 1, 1.0 + i}));
  const std::size_t triangles = tower.triangles.size();
  const Scene scene({tower.mapped([](const Vec3d& p) {
                       return Vec3d{p[0], p[1] * (2 + std::abs(p[0])), p[2]};
                     }),
                     box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5})});
  ASSERT_TRUE(scene.contacts.contacts.empty());
  check(scene, {}, triangles * 7 / 1024, Containment::image);
  check(scene, {}, triangles * 30 / 1024, Containment::tree);
}

/// Triangles below many points, and above one of them: all points are looked at for each triangle.
TEST(Cancel, ManyRaysInAnImage) {
  Body floors = box({-9, -9, -2}, {9, 9, 2}), points;
  for (int i = 0; i < 1000; ++i) floors.add(box({-8, -8, -1 + i * 1e-3}, {8, 8, -1 + i * 1e-3 + 5e-4}));
  const auto add_point = [&](const Vec3d& p) {
    const auto at = static_cast<std::uint32_t>(points.points.size());
    points.points.push_back(p);
    points.triangles.push_back({at, at, at});
  };
  add_point({0, 0, -1.5});
  for (int i = 0; i < 4000; ++i) add_point({std::cos(i), std::sin(i), 1.5});
  const Scene scene({floors, points});
  ASSERT_TRUE(scene.contacts.contacts.empty());
  // The tops and bottoms of the floors lie over and under all points.
  check(scene, {}, 1000 * 4 * 4000 / 20 / 1024, Containment::image);
}

/// Parts in a square: along either side, each one overlaps as many others as there are in a row.
TEST(Cancel, SweepOfManyParts) {
  constexpr int n = 60;
  std::vector<Body> parts;
  for (int y = 0; y < n; ++y)
    for (int z = 0; z < n; ++z)
      parts.push_back({{{0, 2.0 * y, 2.0 * z}, {9, 2.0 * y + 1, 2.0 * z}, {0, 2.0 * y, 2.0 * z + 1}}, {{0, 1, 2}}});
  const Scene scene(std::move(parts));
  ASSERT_TRUE(scene.contacts.contacts.empty());
  // One for each part, and the sweep.
  check(scene, {}, n * n + n * n * n / 2 / 4 / 1024);
}

TEST(Cancel, NoCancelIsNoDifference) {
  const Scene scene({plate(4, 0, 1, 0), plate(4, 1, 2, 0.3)});
  const auto with = classify(scene.parts, scene.contacts, {.query = {.threads = 1, .cancel = [] { return false; }}}).pairs;
  EXPECT_EQ(with, classify(scene.parts, scene.contacts, {}).pairs);
  ASSERT_EQ(with.size(), 1u);
  EXPECT_EQ(with[0].relation, Relation::touch);
}

}  // namespace
