// Gaps of whole parts, decided and rounded exactly.
#include <gtest/gtest.h>

#include <cmath>

#include "solid/bodies.h"
#include "solid/distance.h"
#include "solid/exact_gap.h"
#include "solid/relate.h"
#include "support/random.h"

namespace {

using namespace bodies;
using exact_gap::Fraction;
using sightline::BoxTree;
using sightline::PartPair;
using sightline::Poll;
using sightline::Relation;
using sightline::solid::gap;
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
  for (const double scale : {1.0, 0x1p-990, 0x1p990, 0x1p-1040, 0x1p-1072})
    for (const Case& c : cases) {
      const Body sa = a.scaled(scale), sb = c.b.scaled(scale);
      const double gap = c.gap * scale;
      EXPECT_EQ(relation(sa, sb, gap).relation, Relation::clear) << gap;
      EXPECT_EQ(relation(sa, sb, below(gap)).relation, Relation::clear) << gap;
      const PartPair near = relation(sa, sb, above(gap));
      EXPECT_EQ(near.relation, Relation::near) << gap;
      EXPECT_EQ(near.gap, gap);
      EXPECT_EQ(relation(sb, sa, 10 * gap).gap, gap);
      EXPECT_EQ(relation(sa, sb, 0).relation, Relation::clear);
    }
}

TEST(Gap, Contains) {
  const Body a = box({0, 0, 0}, {8, 8, 8}), b = box({1, 2, 3}, {4, 4, 4});
  const PartPair with = relation(a, b, 0.125), without = relation(a, b);
  EXPECT_EQ(with.relation, Relation::contains);
  EXPECT_EQ(with.gap, 1);
  EXPECT_EQ(without.relation, Relation::contains);
  EXPECT_EQ(without.gap, INFINITY);
  // The gap is far below the part's size, and no double is as near to it.
  EXPECT_EQ(relation(a.scaled(1e6), box({1e-9, 2, 3}, {4, 4, 4}), 1).gap, 1e-9);
}

TEST(Gap, NearestPoints) {
  const Body a = box({0, 0, 0}, {1, 1, 1});
  const auto points = [](const Body& one, const Body& other) { return *relation(one, other, 100).nearest; };
  using Points = std::array<Vec3d, 2>;
  EXPECT_EQ(points(a, box({2, 3, 3}, {5, 5, 5})), (Points{{{1, 1, 1}, {2, 3, 3}}}));
  EXPECT_EQ(points(octahedron({4, 0.5, 0.5}, 1), a), (Points{{{3, 0.5, 0.5}, {1, 0.5, 0.5}}}));
  const Points edges = points(a, box({4, 5, 0}, {6, 6, 1}));
  EXPECT_EQ(edges[0], (Vec3d{1, 1, edges[0][2]}));
  EXPECT_EQ(edges[1], (Vec3d{4, 5, edges[0][2]}));
  EXPECT_FALSE(relation(a, box({0.5, 0, 0}, {2, 1, 1}), 100).nearest);
}

TEST(Gap, FarFromTheOrigin) {
  const double at = 0x1p30;
  const Body a = box({at, at, at}, {at + 1, at + 1, at + 1}),
             b = box({at + 1 + 0x1p-20, at, at}, {at + 2, at + 1, at + 1});
  EXPECT_EQ(relation(a, b, 0x1p-20).relation, Relation::clear);
  EXPECT_EQ(relation(a, b, above(0x1p-20)).relation, Relation::near);
}

/// The distance is below the clearance and rounds up to it.
TEST(Gap, RoundsUpToTheClearance) {
  const Body a = box({-1, -1, -1}, {0, 0, 0}), b = box({1, 1, 1}, {2, 2, 2});
  const double root_of_three = std::sqrt(3.0),
               up = root_of_three * root_of_three > 3 ? root_of_three : above(root_of_three);
  ASSERT_FALSE(exact_gap::below({exact_gap::squared(exact_gap::integer(1)).n * 3, 1}, below(up)));
  EXPECT_EQ(relation(a, b, up).relation, Relation::near);
  EXPECT_EQ(relation(a, b, up).gap, root_of_three);
  EXPECT_EQ(relation(a, b, below(up)).relation, Relation::clear);
  // Along one axis: 1 - 2^-60.
  const Body c = box({-1, -1, -1}, {0x1p-60, 1, 1});
  EXPECT_EQ(relation(b, c, 1).relation, Relation::near);
  EXPECT_EQ(relation(b, c, 1).gap, 1);
  EXPECT_EQ(relation(b, c, below(1)).relation, Relation::clear);
}

Fraction all_pairs(const Body& a, const Body& b) {
  Fraction least{1, 0};
  for (std::size_t i = 0; i < a.triangles.size(); ++i)
    for (std::size_t j = 0; j < b.triangles.size(); ++j)
      exact_gap::lower(least, exact_gap::squared_distance(a.view().corners(i), b.view().corners(j)));
  return least;
}

void check(const Body& a, const Body& b, const Fraction& exact) {
  const BoxTree tree_a(a.view()), tree_b(b.view());
  Poll poll;
  const auto find = [&](double limit) {
    const auto found = gap(a.view(), tree_a, b.view(), tree_b, limit, poll);
    return found ? std::optional(found->distance) : std::nullopt;
  };
  const auto distance = find(INFINITY);
  ASSERT_TRUE(distance);
  ASSERT_TRUE(exact_gap::is_rounded_root(exact, *distance)) << *distance;
  EXPECT_EQ(gap(b.view(), tree_b, a.view(), tree_a, INFINITY, poll)->distance, distance);
  for (const double limit : {*distance * 0.5, below(*distance), *distance, above(*distance), *distance * 3}) {
    const bool is_below = limit > 0 && (limit == INFINITY || exact_gap::below(exact, limit));
    if (limit > 0) {
      EXPECT_EQ(find(limit), is_below ? distance : std::nullopt) << *distance << " limit " << limit;
    }
  }
}

void check(const Body& a, const Body& b) { check(a, b, all_pairs(a, b)); }

Body soup_of(Random& random, int count, double size, double z) {
  Body body;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    const Vec3d c{random.in(0, 1), random.in(0, 1), random.in(0, 1) + z};
    for (int j = 0; j < 3; ++j)
      body.points.push_back({c[0] + random.in(0, size), c[1] + random.in(0, size), c[2] + random.in(0, size)});
    body.triangles.push_back({3 * i, 3 * i + 1, random.chance(0.1) ? 3 * i : 3 * i + 2});
  }
  return body;
}

TEST(Gap, TreesAgainstAllPairs) {
  Random random(8);
  for (int round = 0; round < 12; ++round)
    ASSERT_NO_FATAL_FAILURE(check(soup_of(random, 40, 0.2, 0), soup_of(random, 40, 0.2, 1.2 + 0.1 * (round % 3))));
}

TEST(Gap, TreesAgainstAllPairsAtAllScales) {
  Random random(9);
  const int scales[] = {-1074 + 12, -1060, -1000, -500, 500, 1000, 1021};
  for (int round = 0; round < 14; ++round) {
    const Body a = soup_of(random, 12, 0.2, -1), b = soup_of(random, 12, 0.2, 0.3);
    const int scale = scales[round % 7];
    const auto scaled = [&](const Body& body, int by) {
      return body.mapped([&](const Vec3d& p) {
        return Vec3d{std::ldexp(p[0], by), std::ldexp(p[1], by), std::ldexp(p[2], by)};
      });
    };
    ASSERT_NO_FATAL_FAILURE(check(scaled(a, scale), scaled(b, scale))) << scale;
    // Parts of different scales, a small one near a corner of the other.
    const Body small = scaled(b, scale / 2 - 300);
    ASSERT_NO_FATAL_FAILURE(check(scaled(a, scale), small.moved(scaled(a, scale).points[0]))) << scale;
    ASSERT_NO_FATAL_FAILURE(check(a, small)) << scale;
  }
}

/// A sheet of n × n quads in the plane z = height, turned about y and z.
Body sheet(int n, double height, double turn) {
  Body body;
  const double c = std::cos(turn), s = std::sin(turn);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double x = double(i) / n - 0.5, y = double(j) / n - 0.5, u = c * x - s * y, v = s * x + c * y;
      body.points.push_back({c * u + s * height, v, -s * u + c * height});
    }
  const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * (n + 1) + i); };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      body.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      body.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return body;
}

/// An octahedron whose faces are cut in four `cuts` times, on the sphere of this radius but for `bumps`.
Body ball(int cuts, double radius, double bumps = 0) {
  Body body = octahedron({0, 0, 0}, 1);
  for (int cut = 0; cut < cuts; ++cut) {
    Body finer;
    for (const auto& t : body.triangles) {
      const Vec3d p = body.points[t[0]], q = body.points[t[1]], r = body.points[t[2]];
      const auto middle = [](const Vec3d& x, const Vec3d& y) {
        return Vec3d{0.5 * (x[0] + y[0]), 0.5 * (x[1] + y[1]), 0.5 * (x[2] + y[2])};
      };
      const Vec3d c[6] = {p, middle(p, q), q, middle(q, r), r, middle(r, p)};
      const auto first = static_cast<std::uint32_t>(finer.points.size());
      finer.points.insert(finer.points.end(), c, c + 6);
      for (const auto& [i, j, k] :
           {std::array{0u, 1u, 5u}, std::array{1u, 2u, 3u}, std::array{5u, 3u, 4u}, std::array{1u, 3u, 5u}})
        finer.triangles.push_back({first + i, first + j, first + k});
    }
    body = std::move(finer);
  }
  return body.mapped([&](const Vec3d& p) {
    const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    const double r = radius * (1 + bumps * std::sin(13 * p[0] / length) * std::sin(11 * p[1] / length + p[2]));
    return Vec3d{r * p[0] / length, r * p[1] / length, r * p[2] / length};
  });
}

/// The least exact distance of those pairs that the bounds in double leave; these are tested by themselves.
Fraction nearest_pairs(const Body& a, const Body& b) {
  using sightline::solid::estimate;
  double upper = INFINITY;
  std::vector<double> lower;
  for (std::size_t i = 0; i < a.triangles.size(); ++i)
    for (std::size_t j = 0; j < b.triangles.size(); ++j) {
      const auto bounds = estimate(a.view().corners(i), b.view().corners(j));
      upper = std::min(upper, bounds.upper);
      lower.push_back(bounds.lower);
    }
  Fraction least{1, 0};
  for (std::size_t pair = 0; pair < lower.size(); ++pair)
    if (lower[pair] <= upper)
      exact_gap::lower(least, exact_gap::squared_distance(a.view().corners(pair / b.triangles.size()),
                                                          b.view().corners(pair % b.triangles.size())));
  return least;
}

/// Searches that take long, where bounds of nodes are better than boxes: surfaces around each other, side by side, and
/// crumpled, of all scales and far from the origin.
TEST(Gap, LongSearchesAgainstAllPairs) {
  const auto far = [](const Body& body, double by, double to) {
    return body.mapped([&](const Vec3d& p) { return Vec3d{by * p[0] + to, by * p[1] - to, by * p[2] + to}; });
  };
  const std::pair<Body, Body> pairs[] = {
      {ball(3, 1), ball(3, 1.5)},
      {ball(3, 1), ball(3, 1.5).moved({0.01, 0.02, 0.005})},
      {ball(3, 1), ball(3, 1.01)},
      {ball(3, 1, 0.05), ball(3, 1.3, 0.05)},
      {ball(3, 1, 0.1), ball(3, 1, 0.1).moved({1.9, 0.5, 0.9})},
      {sheet(12, 0, 0.3), sheet(7, 0.2, 0.4)},
      {sheet(16, 0, 0), ball(3, 0.3, 0.1).moved({0, 0, 0.8})},
      {ball(3, 1).soup(), ball(2, 0.2).moved({0.1, -0.1, 0.2})},
  };
  const std::pair<double, double> places[] = {{1, 0},         {1, 1e9},      {0x1p-1000, 0},     {1, 0},
                                              {0x1p-1060, 0}, {0x1p1019, 0}, {0.001, 12345.6789}};
  for (std::size_t i = 0; i < std::size(pairs); ++i)
    for (const std::size_t place : {i % 7, (i + 3) % 7}) {
      const auto [by, to] = places[place];
      const Body a = far(pairs[i].first, by, to), b = far(pairs[i].second, by, to);
      ASSERT_NO_FATAL_FAILURE(check(a, b, nearest_pairs(a, b))) << "pair " << i << ", " << by << " " << to;
    }
  // Long triangles in all directions, whose nearest points are at the rims of their nodes.
  Random random(10);
  for (int round = 0; round < 12; ++round) {
    const double size = round % 2 == 0 ? 0.7 : 0.1;
    const Body a = soup_of(random, 300, size, 0), b = soup_of(random, 300, size, 1.01 + size);
    ASSERT_NO_FATAL_FAILURE(check(a, b, nearest_pairs(a, b))) << "soup " << round;
  }
}

/// All pairs are at one distance, exactly or but for the rounding of the corners.
TEST(Gap, Ties) {
  for (const double gap : {0.25, 0x1p-20, 1e-12}) {
    ASSERT_NO_FATAL_FAILURE(check(sheet(4, 0, 0), sheet(4, gap, 0)));
    ASSERT_NO_FATAL_FAILURE(check(sheet(4, 0, 0.7), sheet(4, gap, 0.7)));
    ASSERT_NO_FATAL_FAILURE(check(sheet(5, 0, 0.7), sheet(3, gap, 0.7)));
  }
  // Boxes corner to corner and edge to edge: every triangle at the corner has the least distance, a root.
  for (const Vec3d& step : {Vec3d{0.1, 0.1, 0.1}, Vec3d{0.1, 0.1, -0.3}, Vec3d{0.1, 0.2, 0.3}, Vec3d{1e-9, 1e-9, 1e-9}})
    for (const double scale : {1.0, 0x1p-1000, 0x1p1000, 1e-318})
      ASSERT_NO_FATAL_FAILURE(check(box({0, 0, 0}, {0.7, 0.7, 0.7}).scaled(scale),
                                    box({0.7 + step[0], 0.7 + step[1], 0.7 + step[2]}, {1.9, 1.9, 1.9}).scaled(scale)))
          << scale;
}

/// A box in the middle and boxes around it, corner to corner or edge to edge, at distances that differ by few units in
/// the last place.
TEST(Gap, NearTies) {
  Random random(10);
  const double half = 0x1p-4;
  for (int round = 0; round < 40; ++round) {
    Body around;
    for (int i = 0; i < 3; ++i) {
      const double size = std::ldexp(1 + random.unit(), -random.below(8));
      Vec3d lo, hi;
      for (int k = 0; k < 3; ++k) {
        lo[k] = half + 0.1 + random.below(4) * 0x1p-55;
        hi[k] = lo[k] + size;
        if (round % 2 == 0 && k == round % 3) lo[k] = -0.125 * size;  // edge to edge
      }
      Body one = box(lo, hi);
      for (int k = 0; k < 3; ++k)
        if ((i + 1) >> (k % 2) & 1)
          for (Vec3d& p : one.points) p[k] = -p[k];
      around.add(one);
    }
    ASSERT_NO_FATAL_FAILURE(check(box({-half, -half, -half}, {half, half, half}), around)) << round;
  }
}

/// Gaps that are tiny against the triangles.
TEST(Gap, OfSingleTriangles) {
  const auto triangle = [](const Vec3d& p, const Vec3d& q, const Vec3d& r) { return Body{{p, q, r}, {{0, 1, 2}}}; };
  const Body unit = triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  EXPECT_EQ(relation(unit, triangle({0.25, 0.25, 1e-12}, {1.3, 0.7, 0.9}, {0.1, 0.8, 1.1}), 1).gap, 1e-12);
  EXPECT_EQ(relation(unit.scaled(1e6), triangle({3, 5, 1e-9}, {1e6, 0, 1}, {0, 1e6, 1}), 1).gap, 1e-9);
  EXPECT_EQ(relation(unit.scaled(1e300), triangle({1, 1, 1e-300}, {2, 1, 1}, {1, 2, 1}), 1).gap, 1e-300);
}

/// Large parts without brute force: many ties must cost few exact measurements, which are polled one by one.
TEST(Gap, TiesAreCheap) {
  // Most of these differences are rounded, some of them up.
  for (const auto& [low, high] :
       {std::pair(0.0, 0.01), std::pair(-0.1, 0.7), std::pair(-0.3, 0.6), std::pair(-0.1, 0.2)}) {
    const Body a = sheet(40, low, 0), b = sheet(40, high, 0);
    const BoxTree tree_a(a.view()), tree_b(b.view());
    int polls = 0;
    const std::function<bool()> count = [&] { return ++polls, false; };
    Poll poll(count);
    EXPECT_EQ(gap(a.view(), tree_a, b.view(), tree_b, 1, poll)->distance, high - low);
    EXPECT_LT(polls, 20);
  }
}

/// Of one sphere around another, each triangle was compared with a hundred: boxes of oblique triangles are nearer to
/// each other than the triangles. A step is a pair of nodes or a quarter of a pair of triangles.
TEST(Gap, ConcentricSpheresTakeFewSteps) {
  for (const double radius : {1.02, 1.5, 3.0}) {
    const Body a = ball(5, 1), b = ball(5, radius);
    const BoxTree tree_a(a.view()), tree_b(b.view());
    int polls = 0;
    const std::function<bool()> count = [&] { return ++polls, false; };
    Poll poll(count);
    ASSERT_TRUE(gap(a.view(), tree_a, b.view(), tree_b, INFINITY, poll));
    EXPECT_LT(1024.0 * polls, 100.0 * static_cast<double>(a.triangles.size())) << radius;
  }
}

}  // namespace
