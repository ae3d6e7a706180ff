// The samples themselves: every cell of a cut triangle, and triangles on their own. Whole bodies show that they clash
// in many places at once, which would hide a sample that is never taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "solid/bodies.h"
#include "solid/cells.h"
#include "support/random.h"

namespace {

using namespace bodies;
using sightline::Kind;
using sightline::Poll;
using sightline::Relation;
using sightline::solid::Cells;
using sightline::solid::Flag;
using testing_support::Random;

using Flat = std::array<std::array<int, 2>, 3>;
int turn(const std::array<int, 2>& a, const std::array<int, 2>& b, const std::array<int, 2>& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
Flat random_flat(Random& random, int n) {
  Flat t;
  do {
    for (auto& p : t) p = {random.below(n), random.below(n)};
  } while (turn(t[0], t[1], t[2]) == 0);
  return t;
}
/// -1 outside, 0 on the boundary, 1 inside, for a point in units of 1 / unit.
int place(const Flat& t, const std::array<int, 2>& p, int unit) {
  const int area = turn(t[0], t[1], t[2]) > 0 ? 1 : -1;
  int least = 1;
  for (int i = 0; i < 3; ++i) {
    const auto &a = t[i], &b = t[(i + 1) % 3];
    const int s = (turn({a[0] * unit, a[1] * unit}, {b[0] * unit, b[1] * unit}, p) > 0) -
                  (turn({a[0] * unit, a[1] * unit}, {b[0] * unit, b[1] * unit}, p) < 0);
    least = std::min(least, s * area);
  }
  return least;
}
/// A slanted plane, so that no coordinate is special.
Vec3d lift(const std::array<int, 2>& p) { return {double(p[0]), double(p[1]), 2.0 * p[0] - p[1] + 1}; }
Vec3d turned(const Vec3d& p, int by) { return {p[by % 3], p[(by + 1) % 3], p[(by + 2) % 3]}; }

/// Cells are distinguished by which of the cutting triangles hold them.
TEST(Samples, EveryCellOfACutTriangle) {
  Random random(9);
  constexpr int kUnit = 24;
  for (int round = 0; round < 4000; ++round) {
    const int n = 3 + round % 4, by = random.below(3);
    const Flat t = random_flat(random, n);
    std::vector<Flat> cutters;
    for (int i = 0, count = 1 + random.below(3); i < count; ++i) {
      cutters.push_back(random_flat(random, n));
      if (round % 2 == 0)  // some reach far beyond the triangle
        for (auto& p : cutters.back()) p = {3 * p[0] - n, 3 * p[1] - n};
    }
    const auto corners = [&](const Flat& f) {
      return std::array<Vec3d, 3>{turned(lift(f[0]), by), turned(lift(f[1]), by), turned(lift(f[2]), by)};
    };
    Cells cells(corners(t));
    for (const Flat& cutter : cutters)
      for (int i = 0; i < 3; ++i) cells.add({corners(cutter)[i], corners(cutter)[(i + 1) % 3]});
    const auto in = [&](const Flag& flag, const Flat& f) {  // seen along the axis that lift() adds
      const int axis = (2 - by + 3) % 3;
      const std::array<Vec3d, 3> c = corners(f);
      const int s = flag.orient2d(axis, c[0], c[1]);
      return s == flag.orient2d(axis, c[1], c[2]) && s == flag.orient2d(axis, c[2], c[0]);
    };
    std::set<std::vector<bool>> sampled, expected;
    Poll poll;
    const auto visit = [&](const Flag& flag) {
      EXPECT_TRUE(in(flag, t));
      std::vector<bool> held;
      for (const Flat& cutter : cutters) held.push_back(in(flag, cutter));
      sampled.insert(held);
      return false;
    };
    cells.sample(visit, poll);
    for (int x = 0; x < n * kUnit; ++x)
      for (int y = 0; y < n * kUnit; ++y) {
        std::vector<bool> held;
        bool generic = place(t, {x, y}, kUnit) == 1;
        for (std::size_t i = 0; generic && i < cutters.size(); ++i) {
          const int p = place(cutters[i], {x, y}, kUnit);
          generic = p != 0;
          held.push_back(p == 1);
        }
        if (generic) expected.insert(held);
      }
    ASSERT_TRUE(std::ranges::includes(sampled, expected))
        << round << ": " << sampled.size() << " of " << expected.size();
  }
}

/// A triangle of a box mesh covers the square [u, u + 1] × [v, v + 1] of its plane in part.
bool covers(const std::array<Vec3d, 3>& t, int axis, int u, int v) {
  Flat flat;
  for (int i = 0; i < 3; ++i) flat[i] = {int(t[i][(axis + 1) % 3]), int(t[i][(axis + 2) % 3])};
  const int area = turn(flat[0], flat[1], flat[2]) > 0 ? 1 : -1;
  for (int i = 0; i < 3; ++i) {
    bool inner = false;
    for (int c = 0; c < 4; ++c) inner |= turn(flat[i], flat[(i + 1) % 3], {u + (c & 1), v + (c >> 1)}) * area > 0;
    if (!inner) return false;
  }
  for (int k = 0; k < 2; ++k) {
    const auto [lo, hi] = std::minmax({flat[0][k], flat[1][k], flat[2][k]});
    const int at = k == 0 ? u : v;
    if (hi <= at || lo >= at + 1) return false;
  }
  return true;
}

/// One triangle, there twice: a closed piece without inside, so that nothing but its own samples shows where it lies.
TEST(Samples, EachTriangleOnItsOwn) {
  constexpr int n = 3;
  Random random(10);
  int shown = 0, hidden = 0;
  for (int round = 0; round < 4000; ++round) {
    const BoxSum boxes = random_boxes(random, n, 1 + random.below(2));
    const int axis = random.below(3), height = 1 + random.below(n - 1);
    const Flat flat = random_flat(random, n + 1);
    Body flap;
    for (const auto& p : flat) {
      Vec3d q;
      q[axis] = height;
      q[(axis + 1) % 3] = p[0];
      q[(axis + 2) % 3] = p[1];
      flap.points.push_back(q);
    }
    flap.triangles = {{0, 1, 2}, {0, 1, 2}};
    bool reaches = false;
    for (int u = 0; u < n; ++u)
      for (int v = 0; v < n; ++v)
        reaches |= covers(flap.view().corners(0), axis, u, v) && boxes.square_is_inside(axis, height, u, v);
    const bool first = random.chance(0.5);
    const auto clash = first ? relation(flap, boxes.body) : relation(boxes.body, flap);
    if (clash.contacts[static_cast<int>(Kind::crossing)] > 0) continue;
    const bool is_in = clash.relation == Relation::clash || clash.relation == Relation::contains;
    (is_in ? shown : hidden)++;
    ASSERT_EQ(is_in, reaches) << round;
  }
  EXPECT_GT(shown, 200);
  EXPECT_GT(hidden, 1000);
}

}  // namespace
