// Distances of two triangles: bounds in double and exact values, against integers (solid/exact_gap.h).
#include "solid/distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solid/exact_gap.h"
#include "solid/lens.h"
#include "support/random.h"

namespace {

using exact_gap::Fraction;
using sightline::Vec3d;
using sightline::solid::Corners;
using sightline::solid::Estimate;
using sightline::solid::Feature;
using sightline::solid::root;
using sightline::solid::Squared;
using sightline::solid::squared_below;
using testing_support::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Pair {
  Corners a, b;
};
std::ostream& operator<<(std::ostream& out, const Pair& pair) {
  out << std::hexfloat;
  for (const Corners* t : {&pair.a, &pair.b})
    for (const Vec3d& p : *t) out << "\n{" << p[0] << ", " << p[1] << ", " << p[2] << "}";
  return out << std::defaultfloat;
}

template <typename Function>
Pair filled(const Function& function) {
  Pair pair;
  for (Corners* t : {&pair.a, &pair.b})
    for (Vec3d& p : *t)
      for (double& x : p) x = function();
  return pair;
}
void move(Corners& t, const Vec3d& by) {
  for (Vec3d& p : t)
    for (int k = 0; k < 3; ++k) p[k] += by[k];
}
/// Any finite double, all exponents alike.
double any_double(Random& random, int least = -1074, int most = 1023) {
  const double x = std::ldexp(1 + random.unit(), least + random.below(most - least + 1));
  return random.chance(0.5) ? -x : x;
}

enum Style { general, lattice, needles, degenerate, parallel, shared, close, any_scale, two_scales, denormal, kStyles };

Pair random_pair(Random& random, int style) {
  Pair pair = filled([&] { return style == lattice || style == shared ? random.below(5) : random.in(-1, 1); });
  auto& [a, b] = pair;
  switch (style) {
    case general:
      move(b, {0, random.in(0, 2), random.in(1, 3)});
      break;
    case lattice:
      move(b, {0, 0, 5});
      break;
    case needles:
      for (int i = 1; i < 3; ++i)
        for (int k = 0; k < 3; ++k) a[i][k] = a[0][k] + (a[i][k] - a[0][k]) * (k == 0 ? 1 : 1e-9);
      move(b, {0, 0, 2.5});
      break;
    case degenerate:
      if (random.chance(0.7)) a[2] = random.chance(0.5) ? a[1] : a[0];
      if (random.chance(0.3)) a[1] = a[0];
      if (random.chance(0.5))
        for (int k = 0; k < 3; ++k) b[2][k] = 2 * b[1][k] - b[0][k];
      move(b, {0, 0, 2.5});
      break;
    case parallel:  // faces in parallel planes, often the same triangle
      for (Vec3d& p : a) p[2] = 0.5 * p[0] - 0.25 * p[1];
      if (random.chance(0.5)) b = a;
      for (Vec3d& p : b) p[2] = 0.5 * p[0] - 0.25 * p[1] + 0x1p-10;
      if (random.chance(0.5)) move(b, {random.in(-0.1, 0.1), 0, 0});
      break;
    case shared: {  // corners, edges and faces over each other
      const Vec3d up{0, 0, 5 + std::ldexp(random.unit(), -random.below(60))};
      for (int i = 0; i < 1 + random.below(3); ++i) b[i] = a[(i + 1) % 3];
      move(b, up);
      break;
    }
    case close: {  // a gap that is tiny against the triangles, down to an ulp
      for (Vec3d& p : a) p[2] = random.chance(0.7) ? 1 : random.in(0, 1);
      const double gap = random.chance(0.3) ? 0x1p-52 : std::ldexp(1 + random.unit(), -random.below(60));
      for (Vec3d& p : b) p[2] = 1 + gap + (random.chance(0.7) ? 0 : random.in(0, 1));
      if (random.chance(0.3))
        pair = {{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, {{{0.25, 0.25, gap}, {1, 0, gap}, {0, 1, 1}}}};
      break;
    }
    case any_scale:
      pair = filled([&] { return any_double(random); });
      break;
    case two_scales: {  // each triangle has one
      for (Corners* t : {&a, &b}) {
        const int scale = random.below(2000) - 1040;
        for (Vec3d& p : *t)
          for (double& x : p) x = std::ldexp(x, std::min(scale, 1023));
      }
      if (random.chance(0.5)) a[0] = {0, 0, 0}, a[1][2] = a[2][2] = 0;
      break;
    }
    case denormal:
      for (Corners* t : {&a, &b})
        for (Vec3d& p : *t)
          for (double& x : p) x = std::floor(x * 50) * 0x1p-1074;
      break;
  }
  if (random.chance(0.2)) {  // the largest and the smallest that do not lose bits
    const int scale = random.chance(0.5) ? 1000 : -1000;
    if (style < any_scale)
      for (Corners* t : {&a, &b})
        for (Vec3d& p : *t)
          for (double& x : p) x = std::ldexp(x, scale);
  }
  const int turn = random.below(3);
  for (Corners* t : {&a, &b})
    for (Vec3d& p : *t) std::rotate(p.begin(), p.begin() + turn, p.end());
  return pair;
}

Feature any_feature(Random& random) {
  const Feature::Size sizes[6][2] = {{Feature::corner, Feature::corner}, {Feature::corner, Feature::edge},
                                     {Feature::edge, Feature::corner},   {Feature::edge, Feature::edge},
                                     {Feature::corner, Feature::face},   {Feature::face, Feature::corner}};
  const auto& size = sizes[random.below(6)];
  return {size[0], size[1], static_cast<std::int8_t>(random.below(3)), static_cast<std::int8_t>(random.below(3))};
}

/// The nearest points are on the triangles and as far apart as the distance, up to their rounding.
void check_points(const Pair& pair, const Feature& guess, double distance) {
  const auto [p, q] = sightline::solid::nearest_points(pair.a, pair.b, guess);
  double size = 0;
  for (const Corners& t : {pair.a, pair.b})
    for (const Vec3d& corner : t)
      for (const double x : corner) size = std::max(size, std::abs(x));
  const double rounding = std::max(0x1p-52 * size, 0x1p-1074);
  const auto apart = [](const Corners& a, const Corners& b) { return root(*squared_below(a, b, {}, {})); };
  EXPECT_LE(apart({p, p, p}, pair.a), rounding) << pair;
  EXPECT_LE(apart({q, q, q}, pair.b), rounding) << pair;
  const double off = apart({p, p, p}, {q, q, q}) - distance;
  EXPECT_LE(std::abs(off), 2 * rounding + 0x1p-52 * distance) << pair;
}

/// All that is known about one pair, against the exact square of its distance.
void check(const Pair& pair, Random& random) {
  const Fraction exact = exact_gap::squared_distance(pair.a, pair.b);
  const Estimate estimate = sightline::solid::estimate(pair.a, pair.b);
  EXPECT_FALSE(exact_gap::below(exact, estimate.lower)) << pair;
  if (std::isfinite(estimate.upper)) {
    EXPECT_FALSE(exact_gap::squared(exact_gap::integer(estimate.upper)) < exact) << pair;
  }
  Vec3d direction;
  double length = 0;
  for (double& x : direction) x = random.in(-1, 1), length += x * x;
  for (double& x : direction) x /= std::sqrt(length);
  EXPECT_FALSE(exact_gap::below(exact, sightline::solid::slab({&pair.a, 1}, {&pair.b, 1}, direction))) << pair;

  const auto squared = squared_below(pair.a, pair.b, estimate.feature, {});
  ASSERT_TRUE(squared) << pair;
  const double distance = root(*squared);
  ASSERT_TRUE(exact_gap::is_rounded_root(exact, distance)) << distance << pair;
  if (std::isfinite(distance) && distance > 0) check_points(pair, estimate.feature, distance);
  // Neither the order nor the guess matters.
  const auto swapped = squared_below(pair.b, pair.a, any_feature(random), {});
  ASSERT_TRUE(swapped) << pair;
  EXPECT_EQ(root(*swapped), distance) << pair;
  EXPECT_FALSE(*swapped < *squared || *squared < *swapped) << pair;
  if (std::isfinite(distance)) {
    for (const double limit : {std::nextafter(distance, 0), distance, std::nextafter(distance, kInfinity)}) {
      const auto found = squared_below(pair.a, pair.b, any_feature(random), Squared::of(limit));
      EXPECT_EQ(found.has_value(), !std::isfinite(limit) || exact_gap::below(exact, limit)) << limit << pair;
    }
  }
}

TEST(Distance, RandomPairs) {
  Random random(7);
  for (int round = 0; round < 6000; ++round) {
    const int style = round % any_scale;
    ASSERT_NO_FATAL_FAILURE(check(random_pair(random, style), random)) << "style " << style << " round " << round;
  }
}

TEST(Distance, AllScales) {
  Random random(8);
  int infinite = 0, tiny = 0;
  for (int round = 0; round < 450; ++round) {
    const int style = any_scale + round % (kStyles - any_scale);
    const Pair pair = random_pair(random, style);
    ASSERT_NO_FATAL_FAILURE(check(pair, random)) << "style " << style << " round " << round;
    const double distance = root(*squared_below(pair.a, pair.b, {}, {}));
    infinite += distance == kInfinity;
    tiny += distance > 0 && distance < 0x1p-1022;
  }
  EXPECT_GT(tiny, 30);
  // Corners at opposite ends of the range.
  const Pair far{{{{-1.7e308, 0, 0}, {-1.7e308, 1, 0}, {-1.7e308, 0, 1}}},
                 {{{1.7e308, 0, 0}, {1.7e308, 1, 0}, {1.7e308, 0, 1}}}};
  check(far, random);
  EXPECT_EQ(root(*squared_below(far.a, far.b, {}, {})), kInfinity);
}

/// Gaps far below what the estimate in double resolves.
TEST(Distance, IssueThirteen) {
  Random random(9);
  const Corners unit{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  const Corners tilted{{{0.25, 0.25, 1e-12}, {1.3, 0.7, 0.9}, {0.1, 0.8, 1.1}}};
  const Corners plate{{{-1e6, -1e6, 0}, {1e6, -1e6, 0}, {0, 1e6, 0}}}, over{{{3, 5, 1e-9}, {1e6, 0, 1}, {0, 1e6, 1}}};
  const Corners huge{{{0, 0, 0}, {1e300, 0, 0}, {0, 1e300, 0}}}, near{{{1, 1, 1e-300}, {2, 1, 1}, {1, 2, 1}}};
  for (const auto& [a, b, gap] :
       {std::tuple(unit, tilted, 1e-12), std::tuple(plate, over, 1e-9), std::tuple(huge, near, 1e-300)}) {
    check({a, b}, random);
    EXPECT_EQ(root(*squared_below(a, b, {}, {})), gap);
  }
}

TEST(Distance, TrianglesThatMeet) {
  const Corners unit{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}}, through{{{0.25, 0.25, -1}, {0.25, 0.25, 1}, {3, 3, 3}}};
  EXPECT_EQ(root(*squared_below(unit, through, {}, {})), 0);
  EXPECT_EQ(root(*squared_below(unit, unit, {}, {})), 0);
}

sightline::exact::BigInt big_int(const exact_gap::Int& x) {  // not negative
  sightline::exact::WideInt<16> limbs;
  for (int i = 0; i < 16; ++i) limbs.limb[i] = static_cast<std::uint64_t>((x >> 64 * i) & ~std::uint64_t{0});
  return sightline::exact::BigInt(limbs);
}

/// Roots at and next to the midpoints of doubles, where rounding turns.
TEST(Distance, RootsAreRoundedOnce) {
  using Integer = exact_gap::Int;
  Random random(10);
  const auto check_root = [](const Integer& n, const Integer& d, int unit) {
    const double r = root({big_int(n), big_int(d), unit});
    Fraction x{n, d};
    const int shift = 2 * (unit + exact_gap::kShift);
    (shift >= 0 ? x.n : x.d) <<= std::abs(shift);
    EXPECT_TRUE(exact_gap::is_rounded_root(x, r)) << n << " / " << d << " 4^" << unit << " gives " << r;
  };
  for (int round = 0; round < 4000; ++round) {
    // m + 1/2 ulp for 53 bits, as a whole number; for denormals the unit is what is left.
    const int bits = round % 3 == 0 ? 1 + random.below(53) : 53;
    const Integer middle = Integer((random.bits() >> (64 - bits)) | (std::uint64_t{1} << (bits - 1))) * 2 + 1;
    const int unit = bits < 53 ? -1075 : random.below(2040) - 1070;
    const Integer scale = 1 + random.below(1000);
    const Integer n = middle * middle * scale;
    check_root(n, scale, unit);
    check_root(n * 1000003 + 1, scale * 1000003, unit);
    check_root(n * 1000003 - 1, scale * 1000003, unit);
    check_root((n << 300) + 1, scale << 300, unit);
    check_root((n << 300) - 1, scale << 300, unit);
    check_root(Integer(random.bits()) + 1, Integer(random.bits()) + 1, random.below(2100) - 1100);
  }
  for (const int step : {-1, 0, 1}) {  // the ends of the range
    const Integer half_over = (((Integer(1) << 54) - 1) * ((Integer(1) << 54) - 1) << 20) + step;
    check_root(half_over, Integer(1) << 20, 970);
    check_root((Integer(1) << 20) + step, Integer(1) << 20, -1075);
  }
}

TEST(Distance, SquaresOfDoubles) {
  EXPECT_TRUE(Squared::of(1e-320) < Squared::of(2e-320));
  EXPECT_FALSE(Squared::of(2e-320) < Squared::of(2e-320));
  EXPECT_TRUE(Squared::of(1e300) < Squared::of(kInfinity));
  EXPECT_FALSE(Squared::of(kInfinity) < Squared::of(1e300));
  EXPECT_FALSE(Squared::of(kInfinity) < Squared::of(kInfinity));
  EXPECT_TRUE(Squared::of(0) < Squared::of(5e-324));
  for (const double x : {0.0, 5e-324, 1e-310, 0.1, 1.0, 1e300, 1.7976931348623157e308, kInfinity})
    EXPECT_EQ(root(Squared::of(x)), x);
}

/// Lenses of small sets of triangles: flat ones, curved ones and heaps, beside each other and oblique. The bound is at
/// most the distance of any pair, and it is good where a box is not.
TEST(Distance, Lenses) {
  using sightline::operator+, sightline::operator-, sightline::operator*;
  testing_support::Random random(17);
  double best = 0;
  int good = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    const double thick = std::array{0.0, 0.01, 1.0}[round % 3], curved = random.in(-0.5, 0.5);
    const auto patch = [&](const Vec3d& at, const Vec3d& u, const Vec3d& v) {
      const Vec3d n = sightline::cross(u, v);
      sightline::Mesh mesh;
      std::vector<Vec3d> points;
      for (std::uint32_t i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
          const double x = random.in(-1, 1), y = random.in(-1, 1);
          points.push_back(at + x * u + y * v + (thick * random.in(-1, 1) + curved * (x * x + y * y)) * n);
        }
        mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      }
      mesh.positions = points;
      return mesh;
    };
    const auto direction = [&](double size) {
      return Vec3d{random.in(-size, size), random.in(-size, size), random.in(-size, size)};
    };
    const Vec3d u = direction(1), v = direction(1), turn = direction(0.2);
    const sightline::Mesh a = patch({0, 0, 0}, u, v), b = patch(direction(3), u + turn, v - turn);
    const sightline::MeshView view_a = a.view(), view_b = b.view();
    sightline::Poll poll;
    const auto whole = [](const sightline::MeshView& mesh) {  // a tree of one node
      sightline::BoxTree tree;
      std::vector<sightline::BoxTree::Item> scratch;
      tree.assign(
          mesh.triangles.size(),
          [&](std::size_t i) {
            sightline::Box box;
            for (const Vec3d& p : mesh.corners(static_cast<std::uint32_t>(i))) box.add(p);
            return box;
          },
          scratch, 8);
      return tree;
    };
    const sightline::BoxTree tree_a = whole(view_a), tree_b = whole(view_b);
    sightline::solid::Lenses of_a(view_a, tree_a, 1), of_b(view_b, tree_b, 1);
    const sightline::Box &box_a = tree_a.nodes()[0].box, &box_b = tree_b.nodes()[0].box;
    const double bound = sightline::solid::slab(*of_a.of(0, poll), *of_b.of(0, poll), box_b.centre() - box_a.centre());
    double least = kInfinity, nearest = 0;
    for (std::uint32_t i = 0; i < a.triangles.size(); ++i)
      for (std::uint32_t j = 0; j < b.triangles.size(); ++j) {
        const Estimate pair = sightline::solid::estimate(view_a.corners(i), view_b.corners(j));
        if (pair.upper < least) least = pair.upper, nearest = pair.lower;
      }
    ASSERT_LE(bound, least) << "round " << round;
    if (nearest > 0) best = std::max(best, bound / nearest);
    good += bound > 0 && box_a.meets(box_b);
  }
  RecordProperty("best", std::to_string(best));
  EXPECT_GT(best, 0.9);
  EXPECT_GT(good, kRounds / 50);
}

}  // namespace
