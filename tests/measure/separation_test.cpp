// Separations are verified again here, by a query of the test's own; normals against boxes and against all directions.
#include <gtest/gtest.h>

#include <cmath>

#include "measure/bodies.h"
#include "sightline/assembly.h"
#include "sightline/depth.h"

namespace separation_tests {
namespace {

using namespace measure_bodies;
using sightline::Contact;
using sightline::contact_normal;
using sightline::ContactNormal;
using sightline::Separation;

std::vector<Contact> contacts_of(const MeshView& a, const MeshView& b) {
  sightline::Scene scene;
  scene.add(a);
  scene.add(b);
  return scene.collide().contacts;
}
bool are_clear(const Body& a, const Body& b) {
  const MeshView parts[2] = {a.view(), b.view()};
  return contacts_of(a.view(), b.view()).empty() && sightline::relations(parts).pairs.empty();
}
Vec3d negative(const Vec3d& v) { return {-v[0], -v[1], -v[2]}; }
double length(const Vec3d& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void check(const Separation& found, const Body& a, const Body& b) {
  EXPECT_TRUE(are_clear(a.moved(found.translation), b));
  EXPECT_TRUE(are_clear(a, b.moved(negative(found.translation))));
  EXPECT_LE(found.lower_bound, found.length);
  EXPECT_NEAR(found.length, length(found.translation), 1e-12 * found.length);
}

TEST(Separation, OfSwappedAndOfMovedParts) {
  Random random(11);
  int moved_ones = 0;
  for (int round = 0; round < 40 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const Body a = solid_of(random_box(random, 3), random.below(8)).mapped(random_turn(random));
    const Body b =
        solid_of(random_box(random, 3), random.below(8)).mapped(random_turn(random)).moved({0.25, 0.5, 0.125});
    const Separation found = separation(a.view(), b.view()), swapped = separation(b.view(), a.view());
    const Vec3d by{4096, -512, 64};
    const Separation moved = separation(a.moved(by).view(), b.moved(by).view());
    check(found, a, b);
    EXPECT_EQ(swapped.length, found.length);
    EXPECT_EQ(swapped.lower_bound, found.lower_bound);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(swapped.translation[k], -found.translation[k]);
      EXPECT_NEAR(moved.translation[k], found.translation[k], 1e-9);  // a little more than the way, by the coordinates
    }
    EXPECT_EQ(moved.lower_bound, found.lower_bound);
    moved_ones += found.length > 0;
  }
  EXPECT_GT(moved_ones, 10);
}

TEST(Separation, BoxesMoveAsLittleAsPossible) {
  Random random(1);
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    Vec3d low[2], high[2];
    double least = 1e300;
    bool meet = true;
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 2; ++i) low[i][k] = random.below(6), high[i][k] = low[i][k] + 1 + random.below(6);
      const double up = high[1][k] - low[0][k], down = high[0][k] - low[1][k];
      least = std::min({least, up, down});
      meet = meet && up >= 0 && down >= 0;
    }
    const Body a = bodies::box(low[0], high[0]), b = bodies::box(low[1], high[1]);
    SCOPED_TRACE(round);
    const Separation found = separation(a.view(), b.view());
    if (!meet) {
      EXPECT_EQ(found.length, 0);
      continue;
    }
    check(found, a, b);
    EXPECT_NEAR(found.length, least, 1e-10);
    const Separation swapped = separation(b.view(), a.view());
    if (!std::equal(low[0].begin(), low[0].end(), low[1].begin()) || high[0] != high[1]) {
      EXPECT_EQ(swapped.translation, negative(found.translation));
    }
  }
}

TEST(Separation, BodiesOfCellsAndTetrahedra) {
  Random random(2);
  int moved = 0;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    const auto body = [&] {
      if (random.chance(0.5)) {
        std::array<Vec3d, 4> p;
        for (Vec3d& x : p)
          for (double& c : x) c = random.in(0, 3);
        return bodies::tetrahedron(p);
      }
      Cells cells = random_box(random, 3);
      cells.merge(random_box(random, 3));
      return solid_of(cells, 0).mapped(random_turn(random)).scaled(0.25);
    };
    const Body a = body(), b = body();
    SCOPED_TRACE(round);
    const Separation found = separation(a.view(), b.view());
    if (are_clear(a, b)) {
      EXPECT_EQ(found.length, 0);
      continue;
    }
    ++moved;
    check(found, a, b);
    const std::vector<Contact> contacts = contacts_of(a.view(), b.view());
    const Separation cluster = cluster_separation(a.view(), b.view(), contacts);
    const Body at = a.moved(cluster.translation);
    for (const Contact& c : contacts_of(at.view(), b.view())) {
      const auto has = [&](std::uint32_t Contact::*side, std::uint32_t t) {
        return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& x) { return x.*side == t; });
      };
      EXPECT_FALSE(has(&Contact::a, c.a) && has(&Contact::b, c.b));
    }
  }
  EXPECT_GT(moved, 20);
}

TEST(Separation, ContainedPartsLeave) {
  const Body outer = bodies::box({0, 0, 0}, {10, 10, 10}), inner = bodies::box({7, 4, 4}, {8, 5, 5});
  const Separation found = separation(inner.view(), outer.view());
  check(found, inner, outer);
  EXPECT_NEAR(found.length, 3, 1e-10);
  EXPECT_EQ(found.lower_bound, std::nextafter(3.0, 0.0));
}

// Triangles bound the separation of open parts and of clusters.
TEST(Separation, OpenPartsHaveABoundByTheirTriangles) {
  const Body a = bodies::box({0, 0, 0}, {2, 2, 2}).without(0), b = bodies::box({1, 1, 1}, {3, 3, 3});
  const Separation found = separation(a.view(), b.view());
  check(found, a, b);
  EXPECT_NEAR(found.lower_bound, 1 / std::sqrt(3.0), 1e-12) << "the best direction is a diagonal of the boxes";
  // A needle through a large triangle: 3 of it are above, 5 below.
  const Body plate{{{-40, -40, 0}, {40, -40, 0}, {0, 40, 0}}, {{0, 1, 2}}},
      needle{{{1, -1, -5}, {1, -1, 3}, {1.25, -1, 3}}, {{0, 1, 2}}};
  const Separation up = separation(needle.view(), plate.view());
  check(up, needle, plate);
  EXPECT_NEAR(up.length, 3, 1e-10);
  EXPECT_NEAR(up.lower_bound, 3, 1e-12);
}

// Against the least of many directions: a translation that is shorter than the bound ends no contact of one pair.
TEST(Separation, BoundsOfClustersHold) {
  Random random(21);
  int bounded = 0;
  for (int round = 0; round < 400; ++round) {
    Body parts[2];
    const bool lattice = round % 2 == 0;
    for (Body& part : parts)
      for (int i = 0; i < 3; ++i) {
        const auto base = static_cast<std::uint32_t>(part.points.size());
        for (int k = 0; k < 3; ++k) {
          Vec3d p;
          for (double& x : p) x = lattice ? random.below(5) : random.in(0, 4);
          part.points.push_back(p);
        }
        part.triangles.push_back({base, base + 1, base + 2});
      }
    const std::vector<Contact> contacts = contacts_of(parts[0].view(), parts[1].view());
    if (contacts.empty()) continue;
    const Separation found = cluster_separation(parts[0].view(), parts[1].view(), contacts);
    EXPECT_LE(found.lower_bound, found.length) << round;
    double deepest = 0;
    for (const Contact& c : contacts)
      deepest = std::max(deepest, contact_normal(parts[0].view().corners(c.a), parts[1].view().corners(c.b)).depth);
    EXPECT_NEAR(found.lower_bound, deepest, 1e-12) << round;
    if (found.lower_bound == 0) continue;
    ++bounded;
    for (int i = 0; i < 50; ++i) {
      Vec3d way;
      for (double& x : way) x = random.in(-1, 1);
      if (!(length(way) > 1e-3)) continue;
      const double shorter = found.lower_bound * 0.999 / length(way);
      for (double& x : way) x *= shorter;
      bool meets = false;
      for (const Contact& moved : contacts_of(parts[0].moved(way).view(), parts[1].view()))
        meets = meets || std::any_of(contacts.begin(), contacts.end(),
                                     [&](const Contact& c) { return c.a == moved.a && c.b == moved.b; });
      EXPECT_TRUE(meets) << round;
    }
  }
  EXPECT_GT(bounded, 100);
}

/// No direction of many is better than the normal, and a triangle that moves along it leaves the other one.
TEST(Normals, NoDirectionIsShorter) {
  Random random(3);
  int found = 0;
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    const bool lattice = random.chance(0.3);
    std::array<Vec3d, 3> t[2];
    for (auto& corners : t)
      for (Vec3d& p : corners)
        for (double& x : p) x = lattice ? random.below(4) : random.in(0, 3);
    if (sightline::intersection(t[0], t[1]).size == 0) continue;
    ++found;
    SCOPED_TRACE(round);
    const ContactNormal normal = contact_normal(t[0], t[1]), swapped = contact_normal(t[1], t[0]);
    EXPECT_EQ(swapped.depth, normal.depth);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(swapped.direction[k], -normal.direction[k]);
    EXPECT_NEAR(length(normal.direction), 1, 1e-14);
    const auto way = [&](const Vec3d& n) {
      const auto along = [&](const Vec3d& p) { return n[0] * p[0] + n[1] * p[1] + n[2] * p[2]; };
      double low = 1e300, high = -1e300;
      for (int i = 0; i < 3; ++i) low = std::min(low, along(t[0][i])), high = std::max(high, along(t[1][i]));
      return high - low;
    };
    EXPECT_NEAR(way(normal.direction), normal.depth, 1e-13);
    for (int i = 0; i < 300; ++i) {
      Vec3d n{random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)};
      const double all = length(n);
      for (double& x : n) x /= all;
      EXPECT_GE(way(n), normal.depth - 1e-13);
    }
    auto moved = t[0];
    for (Vec3d& p : moved)
      for (int k = 0; k < 3; ++k) p[k] += normal.direction[k] * (normal.depth + 1e-12);
    EXPECT_EQ(sightline::intersection(moved, t[1]).size, 0u);
  }
  EXPECT_GT(found, 300);
}

TEST(Normals, StackedBoxesPushApart) {
  for (const double sunk : {0.0, 0.125}) {
    const Body floor = bodies::box({0, 0, 0}, {4, 4, 1}), top = bodies::box({1, 1, 1 - sunk}, {2, 3, 2});
    const std::vector<Contact> contacts = contacts_of(top.view(), floor.view());
    const sightline::Manifold found = manifold(top.view(), floor.view(), contacts);
    EXPECT_EQ(found.normal.direction, (Vec3d{0, 0, 1}));
    EXPECT_NEAR(found.normal.depth, sunk, 1e-15);
    EXPECT_EQ(found.points, (std::vector<Vec3d>{{1, 1, 1}, {1, 3, 1}, {2, 1, 1}, {2, 3, 1}}));
    std::vector<Contact> swapped = contacts;
    for (Contact& c : swapped) std::swap(c.a, c.b);
    EXPECT_EQ(manifold(floor.view(), top.view(), swapped).normal.direction, (Vec3d{-0.0, -0.0, -1}));
  }
}

}  // namespace
}  // namespace separation_tests
