// Scenes on a lattice, and scenes that leave it by one unit in the last place of a double somewhere: groups on a
// lattice are decided in floats, and a single position decides whether they may be.
#include <gtest/gtest.h>

#include <cmath>

#include "oracle/brute.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Mesh;
using sightline::Triangle;
using sightline::Vec3d;
using sightline::Vec3f;

/// Corners near one sloping plane: in it, or one step of the lattice beside it. Determinants are small differences of
/// large products.
std::vector<Vec3d> near_plane(Random& random, std::size_t count, int side) {
  int u[3], v[3];
  for (int axis = 0; axis < 3; ++axis)
    u[axis] = random.below(side / 6 + 2) - side / 12, v[axis] = random.below(side / 6 + 2) - side / 12;
  std::vector<Vec3d> points(count);
  for (Vec3d& p : points) {
    const int i = random.below(7), j = random.below(7);
    for (int axis = 0; axis < 3; ++axis) p[axis] = i * u[axis] + j * v[axis] + (random.chance(0.1) ? 1 : 0);
  }
  return points;
}

/// Triangles of a small grid. `off`: how many of the coordinates leave the lattice, each by one unit in the last place.
Mesh grid_soup(Random& random, int count, int side, double unit, const Vec3d& origin, int off) {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;
  const bool is_plane = random.chance(0.5);
  const std::vector<Vec3d> plane = near_plane(random, static_cast<std::size_t>(3 * count), side);
  for (int i = 0; i < count; ++i) {
    const int flat = random.chance(0.5) ? random.below(3) : 3, level = random.below(side + 1);
    for (int k = 0; k < 3; ++k) {
      Vec3d p;
      for (int axis = 0; axis < 3; ++axis)
        p[axis] = is_plane ? plane[3 * i + k][axis] : axis == flat ? level : random.below(side + 1);
      for (int axis = 0; axis < 3; ++axis) p[axis] = origin[axis] + unit * p[axis];
      points.push_back(p);
    }
    const auto n = static_cast<std::uint32_t>(3 * i);
    triangles.push_back({n, n + 1, n + 2});
  }
  for (; off > 0; --off) {
    double& x = points[static_cast<std::size_t>(random.below(3 * count))][static_cast<std::size_t>(random.below(3))];
    x = std::nextafter(x, random.chance(0.5) ? 1e300 : -1e300);
  }
  return {"grid", std::move(points), std::move(triangles)};
}

TEST(Lattice, OnItAndBesideIt) {
  Random random(5);
  constexpr Vec3d kOrigins[] = {{0, 0, 0}, {1000, -3, 0.5}, {1e15, 0, -1e15}, {0.1, 0.2, 0.3}, {0x1p60, 0, 0x1p-60}};
  for (int round = 0; round < smaller(100, 3); ++round) {
    const double unit = std::ldexp(1.0, random.below(3) == 0 ? random.below(100) - 50 : 0);
    const Vec3d& origin = kOrigins[random.below(5)];
    const int side = 1 + random.below(random.chance(0.3) ? 4 : random.chance(0.5) ? 140 : 5000);
    Mesh mesh = grid_soup(random, 220, side, unit, origin, random.chance(0.5) ? 0 : 1 + random.below(4));
    if (random.chance(0.4)) {
      std::vector<Vec3f> single;
      for (const Vec3d& p : std::get<std::vector<Vec3d>>(mesh.positions))
        single.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
      mesh.positions = std::move(single);
    }
    const auto expected = oracle::brute_contacts({mesh}, {true});
    ASSERT_EQ(sightline::self_intersections(mesh).contacts, expected) << "round " << round;
    // Half of the triangles are another object.
    Mesh other = mesh;
    other.triangles.assign(mesh.triangles.begin() + 110, mesh.triangles.end());
    mesh.triangles.resize(110);
    sightline::Scene scene;
    scene.add(mesh);
    scene.add(other);
    ASSERT_EQ(scene.collide().contacts, oracle::brute_contacts({mesh, other}, {false, false})) << "round " << round;
  }
}

}  // namespace
