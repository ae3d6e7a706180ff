// The intersection as geometry: which kind of set it is must be exact, its corners the exact ones rounded to double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/rational.h"
#include "sightline/contact.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/pairs.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Intersection;
using sightline::Vec3d;

std::string text(const std::vector<Vec3d>& points) {
  std::string all;
  for (const Vec3d& p : points) {
    char line[128];
    std::snprintf(line, sizeof line, "    {%a, %a, %a}\n", p[0], p[1], p[2]);
    all += line;
  }
  return all;
}

/// Equal going around, whatever the start and the sense.
bool same_ring(const std::vector<Vec3d>& expected, std::vector<Vec3d> actual) {
  for (int sense = 0; sense < 2; ++sense) {
    for (std::size_t start = 0; start < actual.size(); ++start) {
      if (actual == expected) return true;
      std::rotate(actual.begin(), actual.begin() + 1, actual.end());
    }
    std::reverse(actual.begin(), actual.end());
  }
  return actual == expected;
}

testing::AssertionResult agrees(const Corners& a, const Corners& b) {
  std::vector<Vec3d> expected;
  for (const oracle::Point& p : oracle::common_points(a, b))
    expected.push_back({oracle::nearest_double(p[0]), oracle::nearest_double(p[1]), oracle::nearest_double(p[2])});
  for (const bool swapped : {false, true}) {
    const Intersection result = swapped ? sightline::intersection(b, a) : sightline::intersection(a, b);
    const std::vector<Vec3d> actual(result.points().begin(), result.points().end());
    if (same_ring(expected, actual)) continue;
    return testing::AssertionFailure() << (swapped ? "swapped: " : "") << "expected\n"
                                       << text(expected) << "  got\n"
                                       << text(actual) << "  const Corners a = " << hex(a)
                                       << ";\n  const Corners b = " << hex(b) << ";";
  }
  return testing::AssertionSuccess();
}

class IntersectionFamilies : public testing::TestWithParam<std::size_t> {};

TEST_P(IntersectionFamilies, AreTheExactCornersRounded) {
  const Family family = pair_families()[GetParam()];
  Random random(2000 + GetParam());
  int failures = 0;
  for (int i = 0; i < smaller(family.count / 4) && failures < 3; ++i) {
    const Pair pair = family.draw(random);
    const auto result = agrees(pair[0], pair[1]);
    failures += !result;
    EXPECT_TRUE(result);
  }
}

INSTANTIATE_TEST_SUITE_P(Exact, IntersectionFamilies, testing::Range<std::size_t>(0, pair_families().size()),
                         [](const auto& info) { return pair_families()[info.param].name; });

TEST(Intersection, BehindAContact) {
  const Mesh mesh = corpus_item("two_triangles").make();
  const auto report = sightline::self_intersections(mesh);
  ASSERT_EQ(report.contacts.size(), 1u);
  EXPECT_EQ(sightline::intersection(mesh, report.contacts[0]).size, 2);
  // A contact of two objects names triangles of either.
  const std::vector<Mesh> objects = dealt(mesh, 2);
  const sightline::Contact contact{0, 1, 0, 0, sightline::Kind::crossing};
  EXPECT_EQ(sightline::intersection(objects[0], objects[1], contact).size, 2);
}

TEST(Intersection, OfAContactOfAnotherMeshIsAnError) {
  Mesh mesh = corpus_item("two_triangles").make();
  const auto error = [&](const sightline::Contact& contact) -> std::string {
    try {
      sightline::intersection(mesh, contact);
    } catch (const sightline::Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error({0, 0, 0, 1}), "");
  EXPECT_EQ(error({0, 0, 0, 2}), "intersection: the contact has triangle b = 2; the mesh has 2 triangles");
  EXPECT_EQ(error({0, 0, 7, 1}), "intersection: the contact has triangle a = 7; the mesh has 2 triangles");
  mesh.triangles[1][2] = 60;
  EXPECT_EQ(error({0, 0, 0, 1}), "intersection: triangle 1 has vertex index 60; the mesh has 6 vertices");
}

TEST(Intersection, EveryContactOfTheEngineHasOne) {
  for (const char* name : {"lattice_field", "degenerates", "coplanar_tilted", "cloth", "both_magnitudes"}) {
    const Mesh mesh = mesh_of(corpus_item(name));
    for (const auto& contact : sightline::self_intersections(mesh).contacts)
      EXPECT_GE(sightline::intersection(mesh, contact).size, 1) << name << " " << contact.a << " " << contact.b;
  }
}

}  // namespace
