// Sides of closed surfaces: every degenerate position of point and ray, and random bodies against another method.
#include "solid/side.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>

#include "solid/bodies.h"
#include "support/random.h"

namespace {

using namespace bodies;
using sightline::Side;
using sightline::side_of;
using testing_support::Random;

/// Calls both the function and the reusable structure, which must agree off the surface.
Side both(const Body& body, const sightline::solid::Body& built, const Vec3d& p) {
  const Side side = side_of(body.view(), p);
  if (side == Side::on) return side;
  sightline::Poll poll;
  EXPECT_EQ(sightline::solid::inside(built, sightline::solid::Flag::near(p), poll), side == Side::inside);
  return side;
}

/// Where a point with coordinates in halves lies relative to a voxel solid.
Side voxel_side(const Voxels& cells, const std::array<int, 3>& twice) {
  int in = 0, all = 0;  // of the cells whose closure holds the point
  for (int i = 0; i < 8; ++i) {
    std::array<int, 3> cell;
    bool holds = true;
    for (int k = 0; k < 3; ++k) {
      const int shift = i >> k & 1;
      if (twice[k] % 2 != 0 && shift == 1) holds = false;
      cell[k] = (twice[k] - (twice[k] % 2 != 0 ? 1 : 0)) / 2 - shift;
    }
    if (!holds) continue;
    ++all;
    in += static_cast<int>(cells.count(cell));
  }
  return in == all ? Side::inside : in == 0 ? Side::outside : Side::on;
}

TEST(Side, EveryHalfLatticePointOfVoxelSolids) {
  Random random(1);
  for (int round = 0; round < 24; ++round) {
    Voxels cells;
    for (int x = 0; x < 3; ++x)
      for (int y = 0; y < 3; ++y)
        for (int z = 0; z < 3; ++z)
          if (random.chance(round < 12 ? 0.5 : 0.8)) cells.insert({x, y, z});
    if (cells.empty()) continue;
    Body body = voxels(cells, round % 8);
    if (round % 3 == 1) body = body.soup();
    if (round % 4 == 2) body = body.inverted();
    const sightline::solid::Body built(body.view());
    ASSERT_TRUE(built.closed);
    for (int x = -1; x <= 7; ++x)
      for (int y = -1; y <= 7; ++y)
        for (int z = -1; z <= 7; ++z)
          ASSERT_EQ(both(body, built, {x / 2.0, y / 2.0, z / 2.0}), voxel_side(cells, {x, y, z}))
              << round << ": " << x << " " << y << " " << z;
  }
}

TEST(Side, CornersEdgesAndFaces) {
  const Body body = octahedron({0, 0, 0}, 1);
  const sightline::solid::Body built(body.view());
  EXPECT_EQ(both(body, built, {0, 0, 0}), Side::inside);  // the ray meets a corner, the point is in three edge planes
  EXPECT_EQ(both(body, built, {0, 0, -2}), Side::outside);
  EXPECT_EQ(both(body, built, {1, 0, -1}), Side::outside);      // through a corner from outside
  EXPECT_EQ(both(body, built, {0.5, 0, -3}), Side::outside);    // through two edges
  EXPECT_EQ(both(body, built, {0.5, 0.5, -3}), Side::outside);  // through the equator's edge, grazing
  EXPECT_EQ(both(body, built, {1, 0, 0}), Side::on);
  EXPECT_EQ(both(body, built, {0.5, 0.5, 0}), Side::on);
  EXPECT_EQ(both(body, built, {0.25, 0.25, 0.5}), Side::on);
  EXPECT_EQ(both(body, built, {0.25, 0.25, std::nextafter(0.5, 0)}), Side::inside);
  EXPECT_EQ(both(body, built, {0.25, 0.25, std::nextafter(0.5, 1)}), Side::outside);
}

TEST(Side, DegenerateTrianglesCountAsSurfaceOnly) {
  Body body = box({0, 0, 0}, {4, 4, 4});
  body.points.push_back({1, 1, 1});
  body.points.push_back({2, 2, 2});
  body.points.push_back({3, 3, 3});
  body.triangles.push_back({8, 10, 9});
  EXPECT_EQ(side_of(body.view(), {2.5, 2.5, 2.5}), Side::on);
  EXPECT_EQ(side_of(body.view(), {3.5, 3.5, 3.5}), Side::inside);
  EXPECT_EQ(side_of(body.view(), {1, 1, 0.5}), Side::inside);
}

TEST(Side, MixedOrientationAndCavities) {
  Body body = box({0, 0, 0}, {9, 9, 9});
  body.add(box({1, 1, 1}, {8, 8, 8})).add(box({2, 2, 2}, {7, 7, 7}));
  for (std::size_t i = 0; i < body.triangles.size(); i += 3) std::swap(body.triangles[i][0], body.triangles[i][1]);
  for (const auto& [depth, side] : {std::pair(-0.5, Side::outside), std::pair(0.5, Side::inside),
                                    std::pair(1.5, Side::outside), std::pair(2.5, Side::inside)})
    EXPECT_EQ(side_of(body.view(), {depth, 4.5, 4.5}), side) << depth;
}

TEST(Side, Magnitudes) {
  for (const double scale : {1e-300, 1e-310, 1e300, 1.7e308, 1.0}) {
    const Body body = box({-1, -1, -1}, {1, 1, 1}).scaled(scale);
    EXPECT_EQ(side_of(body.view(), {0, 0, 0}), Side::inside) << scale;
    EXPECT_EQ(side_of(body.view(), {scale, 0, 0}), Side::on) << scale;
    EXPECT_EQ(side_of(body.view(), {0, 0, std::nextafter(scale, 0)}), Side::inside) << scale;
    EXPECT_EQ(side_of(body.view(), {0, 0, std::nextafter(scale, INFINITY)}),
              std::isfinite(std::nextafter(scale, INFINITY)) ? Side::outside : Side::on);
  }
  const Body far = box({1e9, 1e9, 1e9}, {1e9 + 1e-6, 1e9 + 1e-6, 1e9 + 1e-6});
  EXPECT_EQ(side_of(far.view(), {1e9 + 5e-7, 1e9 + 5e-7, 1e9 + 5e-7}), Side::inside);
  EXPECT_EQ(side_of(far.view(), {1e9 + 2e-6, 1e9 + 5e-7, 1e9 + 5e-7}), Side::outside);
}

TEST(Side, BadPoint) {
  const Body body = box({0, 0, 0}, {1, 1, 1});
  EXPECT_THROW(side_of(body.view(), {0, NAN, 0}), sightline::Error);
  EXPECT_THROW(side_of(body.view(), {INFINITY, 0, 0}), sightline::Error);
}

/// Another method: a ray in a random rational direction, in rationals; nothing if it meets an edge.
using Rational = boost::multiprecision::cpp_rational;
using Point = std::array<Rational, 3>;
Rational det(const Point& p, const Point& q, const Point& r) {
  return p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
}
bool is_degenerate(const Body& body, const Triangle& t) {
  return !topology(MeshView{body.points, {&t, 1}}).degenerate.empty();
}
std::optional<bool> ray_parity(const Body& body, const Vec3d& from, const Point& direction) {
  const Point p{Rational(from[0]), Rational(from[1]), Rational(from[2])};
  bool odd = false;
  for (const Triangle& t : body.triangles) {
    if (is_degenerate(body, t)) continue;
    Point c[3];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) c[i][k] = Rational(body.points[t[i]][k]) - p[k];
    const int s[3] = {det(direction, c[0], c[1]).sign(), det(direction, c[1], c[2]).sign(),
                      det(direction, c[2], c[0]).sign()};
    if ((s[0] < 0 || s[1] < 0 || s[2] < 0) && (s[0] > 0 || s[1] > 0 || s[2] > 0)) continue;
    if (s[0] == 0 || s[1] == 0 || s[2] == 0) return std::nullopt;
    const int side = det(c[0], c[1], c[2]).sign();  // the point against the plane; s against the direction
    if (side == 0) return std::nullopt;
    odd ^= side == s[0];
  }
  return odd;
}

TEST(Side, RandomBodiesAgainstRationalRays) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    Body body;
    const bool lattice = round % 2 == 0;
    for (int i = 0; i < 6; ++i) {
      std::array<Vec3d, 4> p;
      for (Vec3d& q : p)
        for (double& x : q) x = lattice ? random.below(5) : random.in(0, 4);
      body.add(tetrahedron(p));
    }
    const sightline::solid::Body built(body.view());
    if (!built.closed) continue;  // a flat tetrahedron may have both kinds of faces
    for (int i = 0; i < 20; ++i) {
      Vec3d p;
      for (double& x : p) x = lattice ? random.below(9) / 2.0 : random.in(0, 4);
      const Side side = both(body, built, p);
      if (side == Side::on) continue;
      std::optional<bool> odd;
      while (!odd)
        odd = ray_parity(body, p, {random.below(1000) - 500, random.below(1000) - 500, random.below(1000) + 1});
      ASSERT_EQ(side == Side::inside, *odd) << round << " " << p[0] << " " << p[1] << " " << p[2];
    }
  }
}

}  // namespace
