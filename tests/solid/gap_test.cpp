// Distances and clearances, decided exactly.
#include "solid/gap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solid/bodies.h"
#include "solid/distance.h"
#include "support/random.h"

namespace {

using namespace bodies;
using sightline::Clash;
using sightline::Relation;
using sightline::solid::Below;
using sightline::solid::closer_than;
using sightline::solid::Corners;
using sightline::solid::distance;
using testing_support::Random;

double above(double x) { return std::nextafter(x, INFINITY); }
double below(double x) { return std::nextafter(x, 0.0); }

TEST(Gap, ExactAtTheClearance) {
  const Body a = box({0, 0, 0}, {1, 1, 1});
  struct Case {
    Body b;
    double gap;
  };
  const Case cases[] = {{box({1.5, 0, 0}, {2, 1, 1}), 0.5},
                        {box({4, 5, 0}, {6, 6, 1}), 5},      // edge to edge, 3-4-5
                        {box({2, 3, 3}, {5, 5, 5}), 3},      // corner to corner, 1-2-2
                        {octahedron({4, 0.5, 0.5}, 1), 2}};  // corner to face
  for (const double scale : {1.0, 0x1p-990, 0x1p990, 0x1p-1040})
    for (const Case& c : cases) {
      const Body sa = a.scaled(scale), sb = c.b.scaled(scale);
      const double gap = c.gap * scale;
      EXPECT_EQ(relation(sa, sb, gap).relation, Relation::clear) << gap;
      EXPECT_EQ(relation(sa, sb, below(gap)).relation, Relation::clear) << gap;
      const Clash near = relation(sa, sb, above(gap));
      EXPECT_EQ(near.relation, Relation::near) << gap;
      EXPECT_NEAR(near.gap / gap, 1, 1e-12);
      EXPECT_EQ(relation(sb, sa, 10 * gap).relation, Relation::near);
      EXPECT_EQ(relation(sa, sb, 0).relation, Relation::clear);
    }
}

TEST(Gap, Contains) {
  const Body a = box({0, 0, 0}, {8, 8, 8}), b = box({1, 2, 3}, {4, 4, 4});
  const Clash with = relation(a, b, 0.125), without = relation(a, b);
  EXPECT_EQ(with.relation, Relation::contains);
  EXPECT_EQ(with.gap, 1);
  EXPECT_EQ(without.relation, Relation::contains);
  EXPECT_EQ(without.gap, INFINITY);
}

TEST(Gap, FarFromTheOrigin) {
  const double at = 0x1p30;
  const Body a = box({at, at, at}, {at + 1, at + 1, at + 1}),
             b = box({at + 1 + 0x1p-20, at, at}, {at + 2, at + 1, at + 1});
  EXPECT_EQ(relation(a, b, 0x1p-20).relation, Relation::clear);
  EXPECT_EQ(relation(a, b, above(0x1p-20)).relation, Relation::near);
}

/// The double value is close to the exact distance, and certificates do not contradict it.
TEST(Gap, DistanceOfRandomTriangles) {
  Random random(7);
  int sure = 0, unsure = 0;
  for (int round = 0; round < 400; ++round) {
    Corners a, b;
    const int style = round % 4;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        a[i][k] = style == 1 ? random.below(4) : random.in(0, 1);
        b[i][k] = style == 1 ? random.below(4) : random.in(0, 1);
        if (style == 2) a[i][k] = a[0][k] + (a[i][k] - a[0][k]) * (k == 0 ? 1 : 1e-9);  // needles
        if (style == 3 && i == 2) a[i][k] = a[1][k], b[i][k] = 2 * b[1][k] - b[0][k];   // degenerate
      }
    for (int i = 0; i < 3; ++i) b[i][2] += 4.5;
    const double d = distance(a, b, 1).value;
    EXPECT_TRUE(closer_than(a, b, d * (1 + 1e-9))) << round;
    EXPECT_FALSE(closer_than(a, b, d * (1 - 1e-9))) << round;
    for (const double limit : {d * 0.5, d * (1 - 1e-12), below(d), d, above(d), d * (1 + 1e-12), d * 2}) {
      const Below verdict = distance(a, b, limit).below;
      (verdict == Below::unsure ? unsure : sure)++;
      if (verdict != Below::unsure) {
        EXPECT_EQ(verdict == Below::yes, closer_than(a, b, limit)) << round;
      }
    }
  }
  EXPECT_GT(sure, 1500);
  EXPECT_GT(unsure, 100);
}

TEST(Gap, TreesAgainstAllPairs) {
  Random random(8);
  for (int round = 0; round < 20; ++round) {
    Body body[2];
    for (int which = 0; which < 2; ++which)
      for (std::uint32_t i = 0; i < 60; ++i) {
        const Vec3d c{random.in(0, 1), random.in(0, 1), random.in(0, 1) + 1.5 * which};
        for (int j = 0; j < 3; ++j)
          body[which].points.push_back({c[0] + random.in(0, 0.2), c[1] + random.in(0, 0.2), c[2] + random.in(0, 0.2)});
        body[which].triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      }
    double least = INFINITY;
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t j = 0; j < 60; ++j)
        least = std::min(least, distance(body[0].view().corners(i), body[1].view().corners(j), 1).value);
    const sightline::solid::Tree a(body[0].view()), b(body[1].view());
    const auto find = [&](double clearance, bool always) {
      return sightline::solid::gap(body[0].view(), a, body[1].view(), b, clearance, always);
    };
    EXPECT_NEAR(find(1e-3, true).value, least, 1e-14);
    EXPECT_FALSE(find(least * (1 - 1e-9), false).below);
    EXPECT_TRUE(find(least * (1 + 1e-9), false).below);
    EXPECT_NEAR(find(least * 3, false).value, least, 1e-14);
  }
}

}  // namespace
