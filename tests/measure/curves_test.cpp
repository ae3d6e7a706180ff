// Curves against links that are found in rationals, and against shapes whose curves are known.
#include "sightline/curves.h"

#include <cmath>
#include <numbers>

#include "measure/bodies.h"
#include "oracle/rational.h"
#include "scenes/scenes.h"
#include "support/sizes.h"

namespace {

using namespace measure_bodies;
using sightline::Contact;
using sightline::Curve;
using sightline::CurvePoint;
using sightline::Curves;
using sightline::Mesh;
using testing_support::smaller;
using LinkSet = std::multiset<std::array<Vec3d, 2>>;

std::vector<Contact> contacts_of(const MeshView& a, const MeshView& b) {
  sightline::Scene scene;
  scene.add(a);
  scene.add(b);
  return scene.collide({.threads = 1}).contacts;
}

std::array<Vec3d, 2> link(const Vec3d& p, const Vec3d& q) { return p < q ? std::array{p, q} : std::array{q, p}; }

LinkSet links_of(const Curves& all) {
  LinkSet links;
  for (const Curve& curve : all.curves)
    for (std::size_t i = 0; i + !curve.closed < curve.points.size(); ++i)
      links.insert(link(curve.points[i].position, curve.points[(i + 1) % curve.points.size()].position));
  return links;
}

/// Sides of polygons that an odd number of polygons has, and segments that are no side of a polygon; and the points
/// that are on neither. Rational points are compared as they are, and rounded at the end.
struct Expected {
  LinkSet links;
  std::multiset<Vec3d> points;
};
Expected expected(const MeshView& a, const MeshView& b, const std::vector<Contact>& contacts) {
  using oracle::Point;
  std::map<std::array<Point, 2>, int> polygons;
  std::set<std::array<Point, 2>> segments;
  std::set<Point> single, covered;
  for (const Contact& contact : contacts) {
    const std::vector<Point> common = oracle::common_points(a.corners(contact.a), b.corners(contact.b));
    const auto pair = [&](std::size_t i, std::size_t j) {
      covered.insert(common[i]);
      covered.insert(common[j]);
      return common[i] < common[j] ? std::array{common[i], common[j]} : std::array{common[j], common[i]};
    };
    if (common.size() == 1) single.insert(common[0]);
    if (common.size() == 2) segments.insert(pair(0, 1));
    for (std::size_t i = 0; common.size() > 2 && i < common.size(); ++i) ++polygons[pair(i, (i + 1) % common.size())];
  }
  const auto rounded = [](const Point& p) {
    Vec3d r;
    for (int k = 0; k < 3; ++k) r[k] = oracle::nearest_double(p[k]);
    return r;
  };
  Expected result;
  for (const auto& [ends, count] : polygons)
    if (count % 2 != 0) result.links.insert(link(rounded(ends[0]), rounded(ends[1])));
  for (const auto& ends : segments)
    if (!polygons.contains(ends)) result.links.insert(link(rounded(ends[0]), rounded(ends[1])));
  for (const Point& p : single)
    if (!covered.contains(p)) result.points.insert(rounded(p));
  return result;
}

void check(const MeshView& a, const MeshView& b, int round) {
  const std::vector<Contact> contacts = contacts_of(a, b);
  const Curves all = sightline::curves(a, b, contacts);
  const Expected truth = expected(a, b, contacts);
  ASSERT_EQ(links_of(all), truth.links) << round;
  std::multiset<Vec3d> points;  // different points may be equal when rounded
  for (const CurvePoint& point : all.points) points.insert(point.position);
  ASSERT_EQ(points, truth.points) << round;
  for (const Curve& curve : all.curves)
    for (const CurvePoint& point : curve.points) {
      const auto of_a = a.corners(contacts[point.contact].a), of_b = b.corners(contacts[point.contact].b);
      for (int k = 0; k < 3; ++k) {
        double x = 0, y = 0;
        for (int i = 0; i < 3; ++i) x += point.in_a[i] * of_a[i][k], y += point.in_b[i] * of_b[i][k];
        ASSERT_NEAR(x, point.position[k], 1e-9) << round;
        ASSERT_NEAR(y, point.position[k], 1e-9) << round;
      }
    }
}

TEST(Curves, CellSolidsAgainstRationals) {
  Random random(5);
  for (int round = 0; round < smaller(150); ++round) {
    Cells cells[2];
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k <= round % 2; ++k) cells[i].merge(random_box(random, 3));
    const Turn turn = random_turn(random);
    const Body a = solid_of(cells[0], random.below(8)).mapped(turn),
               b = solid_of(cells[1], random.below(8)).mapped(turn);
    check(a.view(), b.view(), round);
  }
}

TEST(Curves, SoupsOnALatticeAgainstRationals) {
  Random random(6);
  for (int round = 0; round < smaller(300); ++round) {
    Body parts[2];
    const double tenth = round % 2 == 0 ? 1 : 0.1;
    for (Body& part : parts)
      for (std::uint32_t i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k)
          part.points.push_back({random.below(5) * tenth, random.below(5) * tenth, random.below(3) * tenth});
        part.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      }
    check(parts[0].view(), parts[1].view(), round);
  }
}

TEST(Curves, SpheresCrossInOneLoop) {
  const Mesh a = sightline::scenes::sphere(4500), b = sightline::scenes::sphere(4500, {1.01, 0.02, 0.03});
  const std::vector<Contact> contacts = contacts_of(a, b);
  const Curves all = sightline::curves(a, b, contacts);
  ASSERT_EQ(all.curves.size(), 1u);
  EXPECT_TRUE(all.curves[0].closed);
  EXPECT_TRUE(all.curves[0].crossing);
  EXPECT_EQ(all.curves[0].points.size(), contacts.size());
  EXPECT_TRUE(all.areas.empty());
  EXPECT_TRUE(all.points.empty());
  const double radius = std::sqrt(1 - (1.01 * 1.01 + 0.02 * 0.02 + 0.03 * 0.03) / 4);
  EXPECT_NEAR(all.curves[0].length.middle(), 2 * std::numbers::pi * radius, 0.02);
  EXPECT_LT(all.curves[0].length.width(), 1e-10);
}

TEST(Curves, BoxesFaceToFaceShareAnArea) {
  const Body a = bodies::box({0, 0, 0}, {2, 2, 2}), b = bodies::box({0.5, 0.5, 2}, {1.5, 3, 3});
  const Curves all = sightline::curves(a.view(), b.view(), contacts_of(a.view(), b.view()));
  ASSERT_EQ(all.areas.size(), 1u);
  EXPECT_TRUE(holds(all.areas[0].area, 1.5));
  EXPECT_LT(all.areas[0].area.width(), 1e-10);
  int boundaries = 0;
  for (const Curve& curve : all.curves) {
    if (curve.area != 0) continue;
    ++boundaries;
    EXPECT_TRUE(curve.closed);
    EXPECT_FALSE(curve.crossing);
    EXPECT_TRUE(holds(curve.length, 5));
  }
  EXPECT_EQ(boundaries, 1);
}

// Of one mesh: two bodies in general position, and a tube through itself, whose curves cross each other.
TEST(Curves, OfOneMesh) {
  const Mesh bodies = sightline::scenes::two_bodies(4000);
  const auto contacts = sightline::self_intersections(bodies).contacts;
  const Curves all = sightline::curves(bodies, contacts);
  std::size_t points = 0;
  for (const Curve& curve : all.curves) {
    EXPECT_TRUE(curve.closed);
    EXPECT_TRUE(curve.crossing);
    points += curve.points.size();
  }
  EXPECT_EQ(points, contacts.size());
  EXPECT_GE(points, 100u);

  const Mesh tube = sightline::scenes::self_intersecting_tube();
  const auto of_tube = sightline::self_intersections(tube).contacts;
  EXPECT_EQ(links_of(sightline::curves(tube, of_tube)), expected(tube, tube, of_tube).links);
}

TEST(Curves, DoNotDependOnTheOrderOfTriangles) {
  Random random(7);
  const Body a = solid_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, 3), b = solid_of({{1, 0, 0}, {1, 0, 1}, {0, 1, 0}}, 5);
  const Curves one = sightline::curves(a.view(), b.view(), contacts_of(a.view(), b.view()));
  for (int round = 0; round < 20; ++round) {
    const Body c = shuffled(a, random), d = shuffled(b, random);
    const Curves other = sightline::curves(c.view(), d.view(), contacts_of(c.view(), d.view()));
    ASSERT_EQ(other.curves.size(), one.curves.size());
    ASSERT_EQ(links_of(other), links_of(one));
    for (std::size_t i = 0; i < one.curves.size(); ++i) {
      ASSERT_EQ(other.curves[i].closed, one.curves[i].closed);
      ASSERT_EQ(other.curves[i].points.size(), one.curves[i].points.size());
      ASSERT_EQ(other.curves[i].points[0].position, one.curves[i].points[0].position);
    }
  }
}

// Swapped parts have the same curves, and so do parts that moved by integers, but for the rounding of their places.
TEST(Curves, OfSwappedAndOfMovedParts) {
  Random random(9);
  int curves_in_all = 0;
  for (int round = 0; round < smaller(120, 5); ++round) {
    const Body a = solid_of(random_box(random, 4), random.below(8)).mapped(random_turn(random));
    const Body b = solid_of(random_box(random, 4), random.below(8)).mapped(random_turn(random)).moved({1, 2, 0});
    const auto of = [](const Body& p, const Body& q) {
      return sightline::curves(p.view(), q.view(), contacts_of(p.view(), q.view()));
    };
    const auto summary = [](const Curves& all) {
      std::multiset<std::tuple<bool, bool, bool, std::size_t>> kinds;
      for (const Curve& c : all.curves) kinds.emplace(c.closed, c.crossing, c.area != Curve::kNone, c.points.size());
      return std::tuple(kinds, all.areas.size(), all.points.size());
    };
    const auto length = [](const Curves& all) {
      double sum = 0;
      for (const Curve& c : all.curves) sum += c.length.middle();
      return sum;
    };
    const Curves found = of(a, b), swapped = of(b, a), moved = of(a.moved({1024, -512, 64}), b.moved({1024, -512, 64}));
    ASSERT_EQ(links_of(swapped), links_of(found)) << round;
    ASSERT_EQ(summary(swapped), summary(found)) << round;
    ASSERT_EQ(summary(moved), summary(found)) << round;
    ASSERT_NEAR(length(moved), length(found), 1e-9) << round;
    curves_in_all += static_cast<int>(found.curves.size());
  }
  EXPECT_GT(curves_in_all, smaller(40));
}

TEST(Curves, RefusesContactsOfOtherMeshes) {
  const Body a = bodies::box({0, 0, 0}, {1, 1, 1});
  const Contact wrong{0, 1, 3, 12, sightline::Kind::touching};
  EXPECT_THROW(sightline::curves(a.view(), a.view(), std::span(&wrong, 1)), sightline::Error);
}

}  // namespace
