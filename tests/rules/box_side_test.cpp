// Sides of boxes against exact orientations of their corners.
#include "rules/box_side.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exact/points.h"
#include "support/random.h"

namespace sightline::rules {
namespace {

using testing_support::Random;

constexpr double kMost = std::numeric_limits<double>::max();

struct Case {
  double t[3][3], lo[3], hi[3];
};

/// 1 or -1 if all corners are strictly on that side, else 0.
int exact_side(const Case& c) {
  int side = 2;
  for (int corner = 0; corner < 8; ++corner) {
    exact::Points<4> points;
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) points.at[i][k] = c.t[i][k];
      points.at[3][k] = (corner >> k & 1) != 0 ? c.hi[k] : c.lo[k];
    }
    const int sign = points.orient3d(0, 1, 2, 3);
    if (side != 2 && sign != side) return 0;
    side = sign;
  }
  return side;
}

struct Tally {
  int certain = 0, apart = 0;  ///< answers other than 0; those that an exact answer would have
};
void check(const Case& c, Tally& tally) {
  const int side = box_side(c.t, c.lo, c.hi), expected = exact_side(c);
  tally.certain += side != 0;
  tally.apart += expected != 0;
  if (side != 0) {
    ASSERT_EQ(side, expected) << "triangle at " << c.t[0][0] << " box at " << c.lo[0];
  }
}

/// A box of the given size at the given distance from the plane of a triangle, both of random shape.
Case near_plane(Random& random, double size, double distance) {
  Case c;
  double n[3], p[3], q[3];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) c.t[i][k] = random.in(-1, 1);
  for (int k = 0; k < 3; ++k) {
    p[k] = c.t[1][k] - c.t[0][k];
    q[k] = c.t[2][k] - c.t[0][k];
  }
  double l = 0;
  for (int k = 0; k < 3; ++k) {
    n[k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
    l += n[k] * n[k];
  }
  const double u = random.in(-2, 2), v = random.in(-2, 2);
  for (int k = 0; k < 3; ++k) {
    const double at = c.t[0][k] + u * p[k] + v * q[k] + distance * n[k] / std::sqrt(l);
    const double extent = size * random.unit();
    // The corner next to the plane is at the distance, the box extends away from it.
    c.lo[k] = (distance * n[k] > 0) ? at : at - extent;
    c.hi[k] = (distance * n[k] > 0) ? at + extent : at;
  }
  return c;
}

TEST(BoxSide, AgreesWithExactSigns) {
  Random random(1);
  for (const double size : {0.0, 1e-9, 1.0, 1e3})
    for (const double distance : {0.0, 1e-17, 1e-16, 1e-15, -1e-16, -1e-15, 1e-13, 0.1, -0.1}) {
      Tally tally;
      for (int i = 0; i < 1500; ++i) check(near_plane(random, size, distance), tally);
      if (std::abs(distance) >= 0.1) {
        EXPECT_GT(tally.certain, 1400) << size << " " << distance;
      }
    }
}

TEST(BoxSide, IsCertainWhereverRoundingIsSmall) {
  // Planes of about unit slope at a hundred units in the last place from boxes of their own size.
  Random random(2);
  Tally tally;
  for (int i = 0; i < 4000; ++i) check(near_plane(random, 1, random.chance(0.5) ? 1e-14 : -1e-14), tally);
  EXPECT_GT(tally.apart, 3900);
  EXPECT_GT(tally.certain, tally.apart * 9 / 10);
}

TEST(BoxSide, EverySizeThatDoublesExpress) {
  Random random(3);
  for (int exponent = -1000; exponent <= 1010; exponent += 30) {
    Tally tally;
    for (int i = 0; i < 300; ++i) {
      Case c = near_plane(random, random.unit(), random.chance(0.5) ? 0.5 : 1e-15);
      for (int k = 0; k < 3; ++k) {
        for (auto& corner : c.t) corner[k] = std::ldexp(corner[k], exponent);
        c.lo[k] = std::ldexp(c.lo[k], exponent);
        c.hi[k] = std::ldexp(c.hi[k], exponent);
      }
      check(c, tally);
    }
    EXPECT_GT(tally.certain, 100) << exponent;
  }
}

TEST(BoxSide, TrianglesAndBoxesOfDifferentSize) {
  Random random(4);
  Tally tally;
  for (int i = 0; i < 30000; ++i) {
    Case c = near_plane(random, std::ldexp(1, random.below(120) - 60), random.in(-0.1, 0.1));
    const double large = std::ldexp(1, random.below(1000)), small = std::ldexp(1, -random.below(1000));
    for (int k = 0; k < 3; ++k) {
      if (random.chance(0.3)) c.t[1][k] *= random.chance(0.5) ? large : small;
      if (random.chance(0.3)) c.t[2][k] *= random.chance(0.5) ? large : small;
      if (random.chance(0.2)) c.t[0][k] *= random.chance(0.5) ? large : small;
      if (random.chance(0.2)) c.hi[k] = c.lo[k] + large;
    }
    check(c, tally);
  }
  EXPECT_GT(tally.certain, 5000);
}

TEST(BoxSide, AGiantUnderASmallBox) {
  for (const double s : {1.0, 1e14, 1e100, 1e200, 1e290, 1e306}) {
    Case c = {{{-s, -s, -0.3 * s}, {s, -s, 0.3 * s}, {0, s, 0}}, {0.1, 0.1, 0.5}, {0.2, 0.2, 0.6}};
    Tally tally;
    check(c, tally);  // near a plane that passes the origin: in doubt where the giant's rounding is larger than the box
    EXPECT_EQ(tally.certain, s < 1e100 ? 1 : 0) << s;
    for (double* z : {&c.lo[2], &c.hi[2]}) *z += 0.9 * s;
    check(c, tally);
    EXPECT_EQ(tally.certain, s < 1e100 ? 2 : 1) << s;
  }
}

TEST(BoxSide, NothingIsCertainOfWhatHasNoPlaneOrOverflows) {
  const double lo[3] = {5, 5, 5}, hi[3] = {6, 6, 6};
  const double point[3][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, segment[3][3] = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}},
               tiny[3][3] = {{0, 0, 0}, {5e-324, 0, 0}, {0, 5e-324, 0}},
               wide[3][3] = {{-kMost, 0, 0}, {kMost, 0, 0}, {0, kMost, 0}},
               tall[3][3] = {{-kMost, 0, 0}, {0, kMost, -kMost}, {0, kMost, kMost}};
  EXPECT_EQ(box_side(point, lo, hi), 0);
  EXPECT_EQ(box_side(segment, lo, hi), 0);
  EXPECT_EQ(box_side(wide, lo, hi), 0);
  EXPECT_EQ(box_side(tall, lo, hi), 0);
  EXPECT_EQ(box_side(tiny, lo, hi), 1);  // the least triangle that there is has a plane
  const double all_lo[3] = {-kMost, -kMost, -kMost}, all_hi[3] = {kMost, kMost, kMost};
  const double ground[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(box_side(ground, all_lo, all_hi), 0);
  const double high_lo[3] = {-1e307, -1e307, 100}, high_hi[3] = {1e307, 1e307, 200};
  EXPECT_EQ(box_side(ground, high_lo, high_hi), 1);
}

TEST(BoxSide, RandomBits) {
  Random random(5);
  Tally tally;
  const auto any = [&] {
    for (;;) {
      const std::uint64_t bits = random.bits();
      double x;
      std::memcpy(&x, &bits, sizeof x);
      if (std::isfinite(x)) return x;
    }
  };
  for (int i = 0; i < 15000; ++i) {
    Case c;
    for (int k = 0; k < 3; ++k) {
      for (auto& corner : c.t) corner[k] = any();
      c.lo[k] = any();
      c.hi[k] = any();
      if (c.lo[k] > c.hi[k]) std::swap(c.lo[k], c.hi[k]);
    }
    check(c, tally);
  }
  EXPECT_GT(tally.certain, 500);
}

}  // namespace
}  // namespace sightline::rules
