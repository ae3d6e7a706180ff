// The exact decision against rationals, pair by pair.
#include "exact/tri_tri.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "oracle/rational.h"
#include "support/compare.h"
#include "support/pairs.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using oracle::Rule;
using sightline::Kind;
using sightline::Vec3d;

std::string name_of(const std::optional<Kind>& kind) { return kind ? std::string(to_string(*kind)) : "no contact"; }

testing::AssertionResult agrees(const Corners& a, const Corners& b) {
  for (const bool one_object : {false, true}) {
    const auto expected = oracle::contact(a, b, one_object ? Rule::same_object : Rule::cross_object);
    const auto actual = sightline::exact::decide(a, b, one_object);
    const auto swapped = sightline::exact::decide(b, a, one_object);
    if (actual == expected && swapped == expected) continue;
    return testing::AssertionFailure() << (one_object ? "one object" : "two objects") << ": expected "
                                       << name_of(expected) << ", got " << name_of(actual) << " and, swapped, "
                                       << name_of(swapped) << "\n  const Corners a = " << hex(a)
                                       << ";\n  const Corners b = " << hex(b) << ";";
  }
  return testing::AssertionSuccess();
}

class Families : public testing::TestWithParam<std::size_t> {};

TEST_P(Families, AgreeWithRationals) {
  const Family family = pair_families()[GetParam()];
  Random random(1000 + GetParam());
  int failures = 0;
  for (int i = 0; i < smaller(family.count) && failures < 5; ++i) {
    const Pair pair = family.draw(random);
    const auto result = agrees(pair[0], pair[1]);
    failures += !result;
    EXPECT_TRUE(result);
  }
}

INSTANTIATE_TEST_SUITE_P(Exact, Families, testing::Range<std::size_t>(0, pair_families().size()),
                         [](const auto& info) { return pair_families()[info.param].name; });

/// All pairs of triangles with corners among these points, each corner set once.
int failures_over_all_pairs(const std::vector<Vec3d>& points) {
  std::vector<Corners> triangles;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i; j < points.size(); ++j)
      for (std::size_t k = j; k < points.size(); ++k) triangles.push_back({points[i], points[j], points[k]});
  int failures = 0;
  for (std::size_t i = 0; i < triangles.size() && failures < 5; ++i)
    for (std::size_t j = i; j < triangles.size() && failures < 5; ++j) {
      const auto result = agrees(triangles[i], triangles[j]);
      failures += !result;
      EXPECT_TRUE(result);
    }
  return failures;
}

TEST(Exhaustive, CornersOfACube) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 8; ++i) points.push_back({double(i & 1), double(i >> 1 & 1), double(i >> 2)});
  EXPECT_EQ(failures_over_all_pairs(points), 0);
}

TEST(Exhaustive, PlanarLattice) {
  std::vector<Vec3d> points;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) points.push_back({double(x), double(y), double(x - 2 * y)});
  EXPECT_EQ(failures_over_all_pairs(points), 0);
}

TEST(Exhaustive, Line) {
  std::vector<Vec3d> points;
  for (int x = 0; x < 6; ++x) points.push_back({double(2 * x), double(-x), double(x)});
  EXPECT_EQ(failures_over_all_pairs(points), 0);
}

TEST(TriTri, NeitherOrderOfCornersNorAxesNorSignsOfZeroMatter) {
  Random random(3);
  for (int i = 0; i < 4000; ++i) {
    const Pair pair = lattice_pair(random, 3);
    for (const bool one_object : {false, true}) {
      const auto expected = sightline::exact::decide(pair[0], pair[1], one_object);
      Pair turned = pair;
      for (Corners& t : turned) {
        const int turn = random.below(3);
        std::rotate(t.begin(), t.begin() + turn, t.end());
        if (random.chance(0.5)) std::swap(t[0], t[1]);
        for (Vec3d& p : t)
          for (double& x : p)
            if (x == 0 && random.chance(0.5)) x = -0.0;
      }
      const int first = random.below(3);
      for (Corners& t : turned)
        for (Vec3d& p : t) std::rotate(p.begin(), p.begin() + first, p.end());
      EXPECT_EQ(sightline::exact::decide(turned[0], turned[1], one_object), expected) << hex(turned[0]) << "\n"
                                                                                      << hex(turned[1]);
    }
  }
}

}  // namespace
