// The intersection as geometry: which kind of set it is must be exact, its corners the exact ones rounded to double.
#include "exact/intersection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "exact/segment.h"
#include "exact/segments.h"
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

/// A triangle of floats around `center`, of about this size.
Corners drawn_floats(Random& random, const Vec3d& center, double size) {
  Corners corners;
  for (Vec3d& p : corners)
    for (int axis = 0; axis < 3; ++axis) p[axis] = static_cast<float>(center[axis] + random.in(-size, size));
  return corners;
}

// Pairs in general position, for which exact/segment.h computes the ends in doubles: at and far from the origin, at
// scales from denormal floats up, with coordinates of few bits, whose ends are doubles or lie between two.
TEST(IntersectionSegments, AreTheExactEndsRounded) {
  Random random(7);
  int crossing = 0, by_segment = 0, failures = 0;
  const int count = smaller(40'000);
  for (int i = 0; i < count && failures < 3; ++i) {
    const double scale = i % 4 == 0 ? 1 : std::ldexp(1.0, random.below(240) - 130),
                 away = i % 3 == 0 ? 0 : random.in(-50, 50);
    const Vec3d center = {scale * away, scale * away * random.unit(), i % 5 == 0 ? 0 : scale * away};
    Corners a = drawn_floats(random, center, scale), b = drawn_floats(random, center, scale);
    if (i % 7 == 0)
      for (Corners* corners : {&a, &b})
        for (Vec3d& p : *corners)
          for (double& x : p) x = scale * std::round(x / scale * 8) / 8;
    sightline::exact::TrianglePair pair = sightline::exact::pair_of(a, b);
    pair.points.scale();
    Intersection segment;
    by_segment += sightline::exact::CrossingSegment(pair).find(segment);
    const auto result = agrees(a, b);
    crossing += sightline::intersection(a, b).size == 2;
    failures += !result;
    EXPECT_TRUE(result);
  }
  EXPECT_GT(crossing, count / 10);
  EXPECT_GT(by_segment, crossing * 8 / 10);
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

// Many pairs at a time: the same points in the same order, bit for bit (a -0 would be another text in a file), and the
// exact ones.
class Batch {
 public:
  void add(const Corners& a, const Corners& b) {
    a_.push_back(a);
    b_.push_back(b);
  }
  void expect_equal() const {
    std::vector<Intersection> results(a_.size());
    for (Intersection& result : results) result.size = 6;  // an older content
    sightline::exact::intersections(a_, b_, results);
    int failures = 0;
    for (std::size_t i = 0; i < a_.size() && failures < 3; ++i) {
      const Intersection one = sightline::intersection(a_[i], b_[i]);
      bool same = one.size == results[i].size;
      for (std::size_t k = 0; k < one.size && same; ++k)
        same = std::memcmp(&one.storage[k], &results[i].storage[k], sizeof(Vec3d)) == 0;
      failures += !same;
      EXPECT_TRUE(same) << i << " of " << a_.size() << ": " << int{one.size} << " and " << int{results[i].size}
                        << " points;\n  const Corners a = " << hex(a_[i]) << ";\n  const Corners b = " << hex(b_[i])
                        << ";";
    }
  }
  std::size_t size() const { return a_.size(); }
  /// Pairs that the vectors decide; nothing where the processor has none.
  std::optional<int> by_vectors() const {
    const sightline::exact::FindSegments find = sightline::exact::segment_finder();
    if (find == nullptr) return {};
    int found = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      sightline::exact::PairBlock pairs = {};
      sightline::exact::SegmentBlock segments;
      for (int k = 0; k < 9; ++k) {
        pairs.at[k][i % 8] = a_[i][k / 3][k % 3];
        pairs.at[9 + k][i % 8] = b_[i][k / 3][k % 3];
      }
      found += find(pairs, segments) == 1u << (i % 8);
    }
    return found;
  }

 private:
  std::vector<Corners> a_, b_;
};

TEST(IntersectionBatches, GeneralPosition) {
  Random random(11);
  for (const bool floats : {true, false})
    for (const int bits : {0, 60, 79, 82, 200}) {  // scales up to 2^bits; vectors take coordinates up to 2^80
      Batch batch;
      int crossing = 0, checked = 0;
      for (int i = 0; i < smaller(8'003); ++i) {
        const double scale = std::ldexp(1.0, bits == 0 ? 0 : random.below(2 * bits) - bits),
                     away = i % 3 == 0 ? 0 : random.in(-50, 50);
        const Vec3d center = {away, away * random.unit(), i % 5 == 0 ? 0 : away};
        Corners a = drawn_floats(random, center, 1), b = drawn_floats(random, center, 1);
        for (Corners* corners : {&a, &b})
          for (Vec3d& p : *corners)
            for (double& x : p) x *= floats ? scale : scale * (1 + random.unit() * 1e-9);
        if (i % 7 == 0) a[i % 3][i % 2] = b[i % 3][i % 2];  // a coordinate in common: steps of 0, points on planes
        if (i % 11 == 0) a[1] = b[2];
        if (i % 13 == 0)
          a[0][2] = a[1][2] = a[2][2] = i % 2 == 0 ? -0.0 : scale;  // ends with a coordinate of a power of two
        batch.add(a, b);
        const bool meets = sightline::intersection(a, b).size == 2;
        crossing += meets;
        if (meets && checked++ < 200) {
          EXPECT_TRUE(agrees(a, b));
        }
      }
      batch.expect_equal();
      const std::optional<int> found = batch.by_vectors();
      if (found && bits < 80) {
        EXPECT_GT(*found, crossing * 8 / 10) << floats << " " << bits;
      }
    }
}

TEST(IntersectionBatches, Families) {
  for (const Family& family : pair_families()) {
    SCOPED_TRACE(family.name);
    Random random(77);
    Batch batch;
    for (int i = 0; i < smaller(family.count / 4) + 5; ++i) {
      const Pair pair = family.draw(random);
      batch.add(pair[0], pair[1]);
      batch.add(pair[1], pair[0]);
    }
    batch.expect_equal();
  }
}

// An axis on which all corners have one coordinate, far larger than the lattice of the others.
TEST(IntersectionBatches, LatticeFarFromTheOrigin) {
  Random random(5);
  Batch batch;
  for (int i = 0; i < smaller(3'000); ++i) {
    const double far = std::ldexp(1.0, random.below(90));
    Corners a, b;
    for (Corners* corners : {&a, &b})
      for (Vec3d& p : *corners)
        p = {random.below(5) + (i % 2) * far, static_cast<double>(random.below(4)), i % 3 == 0 ? far : random.below(3)};
    batch.add(a, b);
    const auto result = agrees(a, b);
    EXPECT_TRUE(result);
    if (!result) break;
  }
  batch.expect_equal();
}

TEST(IntersectionBatches, SizesMustAgree) {
  const std::vector<Corners> a(3), b(2);
  std::vector<Intersection> results(3);
  EXPECT_THROW(sightline::exact::intersections(a, b, results), sightline::Error);
  EXPECT_THROW(sightline::exact::intersections(a, a, std::span(results).first(2)), sightline::Error);
  sightline::exact::intersections({}, {}, {});
}

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
