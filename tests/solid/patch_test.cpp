// Overlap decided per patch: faces of many triangles, of other triangles than the face they lie on, turned out of the
// axes, doubled, and passed through along their inner edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "solid/bodies.h"
#include "solid/cells.h"
#include "support/random.h"
#include "support/sizes.h"

namespace {

using namespace bodies;
using sightline::Kind;
using sightline::PartPair;
using sightline::Poll;
using sightline::Relation;
using sightline::solid::Cells;
using sightline::solid::Flag;
using sightline::solid::Patch;
using testing_support::Random;
using testing_support::smaller;

/// A linear map with determinant 1 in small integers: faces are slanted, so that no box separates the parts, and
/// everything stays exact.
Body slanted(const Body& body) {
  return body.mapped([](const Vec3d& p) {
    return Vec3d{p[0] + 2 * p[1] + 5 * p[2], 3 * p[0] + 7 * p[1] + 17 * p[2], p[0] + 3 * p[1] + 8 * p[2]};
  });
}
/// Each triangle in three around a point of the lattice inside it, or in four at the middles of its edges, which
/// neighbours have too. Coordinates are multiplied by 6.
Body refined(const Body& body, Random& random, int rounds) {
  Body result = body;
  for (int round = 0; round < rounds; ++round) {
    const Body old = result.scaled(6);
    result = {old.points, {}};
    const bool middles = random.chance(0.5);
    for (const Triangle& t : old.triangles) {
      const auto add = [&](std::initializer_list<std::uint32_t> corners) {
        Vec3d sum{0, 0, 0};
        for (const std::uint32_t i : corners)
          for (int k = 0; k < 3; ++k) sum[k] += old.points[i][k] / double(corners.size());
        result.points.push_back(sum);
        return static_cast<std::uint32_t>(result.points.size() - 1);
      };
      if (middles) {
        const auto p = add({t[0], t[1]}), q = add({t[1], t[2]}), r = add({t[2], t[0]});
        for (const Triangle& part : {Triangle{t[0], p, r}, {t[1], q, p}, {t[2], r, q}, {p, q, r}})
          result.triangles.push_back(part);
      } else {
        const auto c = add({t[0], t[1], t[2]});
        for (int i = 0; i < 3; ++i) result.triangles.push_back({t[i], t[(i + 1) % 3], c});
      }
    }
  }
  return result;
}

Voxels random_cells(Random& random, int n) {
  Voxels cells;
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < n; ++y)
      for (int z = 0; z < n; ++z)
        if (random.chance(0.4)) cells.insert({x, y, z});
  return cells;
}

/// Truth by voxels; the meshes are refined differently and slanted.
TEST(Patches, RefinedAndSlantedVoxels) {
  Random random(21);
  int touch = 0, overlap = 0;
  for (int round = 0; round < smaller(600, 4); ++round) {
    const Voxels a = random_cells(random, 2 + round % 2);
    Voxels b = random_cells(random, 2 + round % 2);
    if (random.chance(0.7)) std::erase_if(b, [&](const auto& cell) { return a.contains(cell); });
    if (a.empty() || b.empty()) continue;
    const int rounds_a = random.below(3), rounds_b = random.below(3);
    const double to = std::pow(6, std::max(rounds_a, rounds_b));
    const Body first = refined(voxels(a, random.below(8)), random, rounds_a).scaled(to / std::pow(6, rounds_a));
    const Body second = refined(voxels(b, random.below(8)), random, rounds_b).scaled(to / std::pow(6, rounds_b));
    const bool slant = random.chance(0.7);
    const PartPair pair = slant ? relation(slanted(first), slanted(second)) : relation(first, second);
    const bool common = std::ranges::any_of(a, [&](const auto& cell) { return b.contains(cell); });
    if (pair.relation == Relation::contains || pair.relation == Relation::clear) continue;
    ASSERT_EQ(pair.relation, common ? Relation::clash : Relation::touch) << round;
    (common ? overlap : touch)++;
  }
  EXPECT_GT(touch, smaller(200, 4));
  EXPECT_GT(overlap, smaller(100, 4));
}

/// Sums modulo two, with faces that come up to three times, refined and slanted: the relation of the plain ones.
TEST(Patches, RefinedSumsOfBoxes) {
  Random random(22);
  int touch = 0, clash = 0;
  for (int round = 0; round < smaller(500, 4); ++round) {
    const BoxSum a = random_boxes(random, 3, 1 + random.below(3)), b = random_boxes(random, 3, 1 + random.below(3));
    const Body fine_a = slanted(refined(a.body, random, 1)), fine_b = slanted(refined(b.body, random, 1));
    const PartPair fine = relation(fine_a, fine_b);
    const bool overlap = std::ranges::any_of(a.odd, [&](const auto& cell) { return b.odd.contains(cell); });
    const bool reaches = a.reached_by(b) || b.reached_by(a);
    const bool crosses = fine.contacts[static_cast<int>(Kind::crossing)] > 0;
    const bool is_in = fine.relation == Relation::clash || fine.relation == Relation::contains;
    ASSERT_EQ(is_in, overlap || reaches || crosses) << round;
    touch += fine.relation == Relation::touch;
    clash += is_in && !crosses;
  }
  EXPECT_GT(touch, smaller(30, 4));
  EXPECT_GT(clash, smaller(50, 4));
}

/// A quarter of a lattice square of the plane z = 1 (cut by both diagonals), named by the point at its centroid.
struct Quarter {
  int x, y, which;
  std::array<double, 2> point() const {
    constexpr double kOff[4][2] = {{0.5, 1 / 6.0}, {5 / 6.0, 0.5}, {0.5, 5 / 6.0}, {1 / 6.0, 0.5}};
    return {x + kOff[which][0], y + kOff[which][1]};
  }
};
/// A prism over half a square of side n, or over all of it.
struct Prism {
  int x, y, n, half;  // half: -1 all of it, else the corner that is cut off
  int low, high;
  std::vector<std::array<int, 2>> base() const {
    std::vector<std::array<int, 2>> corners = {{x, y}, {x + n, y}, {x + n, y + n}, {x, y + n}};
    if (half >= 0) corners.erase(corners.begin() + half);
    return corners;
  }
  bool holds(const Quarter& quarter) const {
    const auto [px, py] = quarter.point();
    const auto corners = base();
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const auto &a = corners[i], &b = corners[(i + 1) % corners.size()];
      if ((b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0]) < 0) return false;
    }
    return true;
  }
  Body body() const {
    const auto corners = base();
    const auto n_corners = static_cast<std::uint32_t>(corners.size());
    Body body;
    for (const int z : {low, high})
      for (const auto& c : corners) body.points.push_back({double(c[0]), double(c[1]), double(z)});
    for (std::uint32_t i = 1; i + 1 < n_corners; ++i) {
      body.triangles.push_back({0, i, i + 1});
      body.triangles.push_back({n_corners, n_corners + i, n_corners + i + 1});
    }
    for (std::uint32_t i = 0; i < n_corners; ++i) {
      const std::uint32_t next = (i + 1) % n_corners;
      body.triangles.push_back({i, next, n_corners + next});
      body.triangles.push_back({i, n_corners + next, n_corners + i});
    }
    return body;
  }
};

/// A flap in the plane z = 1, of squares cut along a diagonal, each triangle there twice: a closed piece without
/// inside, so that nothing but its own samples shows where it lies. Walls of prisms pass through it along its inner
/// edges.
TEST(Patches, FlapsPassedAlongTheirEdges) {
  constexpr int n = 3;
  Random random(23);
  int shown = 0, hidden = 0;
  for (int round = 0; round < smaller(6000, 4); ++round) {
    Body flap;
    std::vector<Quarter> quarters;
    const auto vertex = [](int x, int y) { return static_cast<std::uint32_t>(y * (n + 1) + x); };
    for (int y = 0; y <= n; ++y)
      for (int x = 0; x <= n; ++x) flap.points.push_back({double(x), double(y), 1});
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        if (random.chance(0.3)) continue;
        const auto a = vertex(x, y), b = vertex(x + 1, y), c = vertex(x + 1, y + 1), d = vertex(x, y + 1);
        const bool rising = random.chance(0.5);
        const Triangle halves[2] = {rising ? Triangle{a, b, c} : Triangle{a, b, d},
                                    rising ? Triangle{a, c, d} : Triangle{b, c, d}};
        for (int half = 0; half < 2; ++half) {
          if (random.chance(0.15)) continue;
          for (int times = 0; times < 2; ++times) flap.triangles.push_back(halves[half]);
          // Quarters: below, right, above, left of the middle.
          for (const int which : half == 0 ? (rising ? std::array{0, 1} : std::array{0, 3})
                                           : (rising ? std::array{2, 3} : std::array{1, 2}))
            quarters.push_back({x, y, which});
        }
      }
    if (flap.triangles.empty()) continue;
    for (std::size_t i = flap.triangles.size(); i > 1; --i)
      std::swap(flap.triangles[i - 1], flap.triangles[random.below(static_cast<int>(i))]);
    std::vector<Prism> prisms;
    Body solid;
    for (int i = 0, count = 1 + random.below(3); i < count; ++i) {
      Prism prism;
      prism.n = 1 + random.below(2);
      prism.x = random.below(n + 1 - prism.n);
      prism.y = random.below(n + 1 - prism.n);
      prism.half = random.below(5) - 1;
      prism.low = random.below(2);
      prism.high = prism.low + 1 + random.below(2);
      prisms.push_back(prism);
      solid.add(prism.body());
    }
    bool reaches = false;
    for (const Quarter& quarter : quarters) {
      bool odd = false, on = false;
      for (const Prism& prism : prisms) {
        if (!prism.holds(quarter)) continue;
        on |= prism.low == 1 || prism.high == 1;
        odd ^= prism.low < 1 && prism.high > 1;
      }
      reaches |= odd && !on;
    }
    const bool slant = random.chance(0.5);
    const PartPair pair = slant ? relation(slanted(flap), slanted(solid)) : relation(flap, solid);
    if (pair.contacts[static_cast<int>(Kind::crossing)] > 0) continue;
    const bool is_in = pair.relation == Relation::clash || pair.relation == Relation::contains;
    (is_in ? shown : hidden)++;
    ASSERT_EQ(is_in, reaches) << round;
  }
  EXPECT_GT(shown, smaller(200, 4));
  EXPECT_GT(hidden, smaller(500, 4));
}

/// A closed ring of n corners around the z axis: a pipe with a flat cap at each end, its corners turned by `turn`.
Body pipe(int n, double low, double high, double turn, double inner) {
  Body body;
  const auto ring = [&](double radius, double z) {
    const auto first = static_cast<std::uint32_t>(body.points.size());
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * M_PI * i / n + turn;
      body.points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
    return first;
  };
  const std::uint32_t rings[4] = {ring(1, low), ring(1, high), ring(inner, high), ring(inner, low)};
  for (int side = 0; side < 4; ++side)
    for (int i = 0; i < n; ++i) {
      const auto a = rings[side] + i, b = rings[side] + (i + 1) % n;
      const auto c = rings[(side + 1) % 4] + (i + 1) % n, d = rings[(side + 1) % 4] + i;
      body.triangles.push_back({a, b, c});
      body.triangles.push_back({a, c, d});
    }
  return body;
}
/// With this piece the boxes of two parts overlap, whatever their other pieces are.
Body with_mast(const Body& body, double x) { return Body(body).add(box({x, 0, -9}, {x + 1, 1, 9})); }

TEST(Patches, PipesEndToEnd) {
  for (const int n : {3, 24, 97})
    for (const double turn : {0.0, 0.01, 0.5}) {
      const Body low = with_mast(pipe(n, 0, 1, 0, 0.5), 2), high = with_mast(pipe(n, 1, 2, turn, 0.5), 4);
      EXPECT_EQ(relation(low, high).relation, Relation::touch) << n << " " << turn;
      // Turned by nothing, one in the other's place: the volumes overlap.
      if (turn == 0) {
        EXPECT_EQ(relation(low, with_mast(pipe(n, 0, 2, 0, 0.5), 4)).relation, Relation::clash) << n;
      }
    }
}

/// Caps that are not convex, with several patches of contact and corners on edges: combs into each other.
TEST(Patches, Combs) {
  Voxels low, high, too_high;
  for (int x = 0; x < 9; ++x)
    for (int y = 0; y < 3; ++y) {
      low.insert({x, y, 0});
      if (x % 2 == 0) low.insert({x, y, 1});
      if (x % 2 == 1) high.insert({x, y, 1});
      high.insert({x, y, 2});
      too_high.insert({x, y, x % 2 == 1 ? 1 : 2});
    }
  too_high.insert({0, 0, 1});  // in a tooth
  Random random(24);
  for (const int rounds : {0, 1, 2}) {
    const double s = std::pow(6, 2 - rounds);
    const Body a = refined(voxels(low, 1), random, rounds).scaled(s);
    EXPECT_EQ(relation(slanted(a), slanted(voxels(high, 6).scaled(36))).relation, Relation::touch);
    EXPECT_EQ(relation(a, voxels(high, 6).scaled(36)).relation, Relation::touch);
    EXPECT_EQ(relation(slanted(a), slanted(voxels(too_high, 6).scaled(36))).relation, Relation::clash);
  }
}

/// Coplanar faces: opposite sides touch, equal sides overlap, with meshes that do not match and doubled faces.
TEST(Patches, EqualAndOppositeFaces) {
  Random random(25);
  const auto fine = [&](const Body& body) { return slanted(refined(body, random, 1)); };
  const Body cube = box({0, 0, 0}, {4, 4, 4});
  Body twice = box({1, 1, 4}, {3, 3, 6}), thrice = twice;
  twice.add(twice);
  thrice.add(twice);
  EXPECT_EQ(relation(fine(cube), fine(box({1, 1, 4}, {3, 3, 6}))).relation, Relation::touch);
  EXPECT_EQ(relation(fine(cube), fine(box({1, 1, 2}, {3, 3, 4}))).relation, Relation::clash);
  EXPECT_EQ(relation(fine(cube), fine(box({-1, -1, 2}, {5, 5, 4}))).relation, Relation::clash);
  EXPECT_EQ(relation(fine(cube), fine(twice)).relation, Relation::touch);
  EXPECT_EQ(relation(fine(cube), fine(thrice)).relation, Relation::touch);
  // In the cube and doubled: without an inside, but a closed piece in the inside of the cube.
  EXPECT_EQ(relation(fine(cube), fine(twice.moved({0, 0, -2}))).relation, Relation::clash);
}

/// Every cell of a patch of many triangles, whatever its shape: the cutters that hold a cell identify it.
TEST(Patches, EveryCellOfAPatch) {
  Random random(26);
  for (int round = 0; round < 1500; ++round) {
    constexpr int n = 4;
    // Squares of a lattice that are joined by edges, each cut along a diagonal.
    std::set<std::array<int, 2>> squares = {{random.below(n), random.below(n)}};
    for (int tries = 0; tries < 10; ++tries) {
      const std::array<int, 2> next{random.below(n), random.below(n)};
      for (const auto& [x, y] : squares)
        if (std::abs(x - next[0]) + std::abs(y - next[1]) == 1) {
          squares.insert(next);
          break;
        }
    }
    const auto lift = [](double x, double y) { return Vec3d{x, y, 2 * x - y + 1}; };
    std::vector<Patch::Corners> triangles;
    for (const auto& [x, y] : squares) {
      const Vec3d a = lift(x, y), b = lift(x + 1, y), c = lift(x + 1, y + 1), d = lift(x, y + 1);
      const bool rising = random.chance(0.5);
      triangles.push_back(rising ? Patch::Corners{a, b, c} : Patch::Corners{a, b, d});
      triangles.push_back(rising ? Patch::Corners{a, c, d} : Patch::Corners{b, c, d});
    }
    Cells cells{Patch(triangles)};
    // Rectangles whose sides are cut into pieces of one or two: chains.
    struct Rectangle {
      int low[2], high[2];
    };
    std::vector<Rectangle> cutters;
    for (int i = 0, count = 1 + random.below(3); i < count; ++i) {
      Rectangle r;
      for (int k = 0; k < 2; ++k) {
        r.low[k] = 2 * random.below(n) + random.below(2) - 1;
        r.high[k] = r.low[k] + 1 + random.below(2 * n);
      }
      cutters.push_back(r);
      const int step = 1 + random.below(2);
      for (int k = 0; k < 2; ++k)
        for (const int at : {r.low[1 - k], r.high[1 - k]})
          for (int from = r.low[k]; from < r.high[k]; from += step) {
            const double s = 0.5 * from, t = 0.5 * std::min(r.high[k], from + step), u = 0.5 * at;
            cells.add(k == 0 ? sightline::solid::Segment{lift(s, u), lift(t, u)}
                             : sightline::solid::Segment{lift(u, s), lift(u, t)});
          }
    }
    std::set<std::vector<bool>> sampled, expected;
    Poll poll;
    cells.sample(
        [&](const Flag& flag) {
          EXPECT_GT(cells.patch().covering(flag, poll), 0u);
          std::vector<bool> held;
          for (const Rectangle& r : cutters) {
            const Vec3d corner[4] = {lift(0.5 * r.low[0], 0.5 * r.low[1]), lift(0.5 * r.high[0], 0.5 * r.low[1]),
                                     lift(0.5 * r.high[0], 0.5 * r.high[1]), lift(0.5 * r.low[0], 0.5 * r.high[1])};
            bool in = true;
            for (int i = 0; i < 4; ++i) in &= flag.orient2d(2, corner[i], corner[(i + 1) % 4]) > 0;
            held.push_back(in);
          }
          sampled.insert(held);
          return false;
        },
        poll);
    for (const auto& [x, y] : squares)
      for (int i = 0; i < 4; ++i) {
        std::vector<bool> held;
        const int u = 2 * x + (i & 1), v = 2 * y + (i >> 1);
        for (const Rectangle& r : cutters)
          held.push_back(r.low[0] <= u && u < r.high[0] && r.low[1] <= v && v < r.high[1]);
        expected.insert(held);
      }
    ASSERT_EQ(sampled, expected) << round;
  }
}

}  // namespace
