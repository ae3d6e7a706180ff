// Shadows and links against directions in long double, and against the exact decision.
#include "rules/shadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "exact/tri_tri.h"
#include "support/pairs.h"

namespace sightline::rules {
namespace {

using testing_support::Random;

using Point = std::array<double, 3>;

/// Coordinates of one magnitude and of very different ones.
double coordinate(Random& random, int spread) {
  const double x = random.in(-1, 1);
  if (random.chance(0.1)) return random.below(3) - 1;
  return std::ldexp(x, -random.below(spread));
}
Point point(Random& random, int spread) {
  return {coordinate(random, spread), coordinate(random, spread), coordinate(random, spread)};
}

// The sum d . (p - o) s in long double has an error of some 2^-62, which is small beside 2^-53.
TEST(Shadow, HoldsTheProjectionsOfItsCorners) {
  Random random(1);
  double worst = 0;
  for (int n = 0; n < 200'000; ++n) {
    const int spread = n % 2 == 0 ? 1 : 40;
    const Point o = point(random, spread),
                corner[3] = {point(random, spread), point(random, spread), point(random, spread)};
    double reach = 0, e[3][3], d[3];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) reach = std::max(reach, std::fabs(corner[i][k] - o[k]));
    const double scale = std::ldexp(1.0, -std::ilogb(reach));
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) e[i][k] = (corner[i][k] - o[k]) * scale;
    for (double& x : d) x = random.chance(0.3) ? 1 : random.in(-1, 1);
    const Ends ends = shadow(e, d);
    long double low = 1e9L, high = -1e9L;
    for (const Point& p : corner) {
      long double sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += static_cast<long double>(d[k]) * (static_cast<long double>(p[k]) - o[k]) * scale;
      low = std::min(low, sum);
      high = std::max(high, sum);
    }
    ASSERT_LE(ends.low, low);
    ASSERT_GE(ends.high, high);
    constexpr double kPadding = kShadow * 0x1p-53;
    worst = std::max({worst, 1 - static_cast<double>(low - ends.low) / kPadding,
                      1 - static_cast<double>(ends.high - high) / kPadding});
  }
  RecordProperty("worst", std::to_string(worst));
  // The bound is for three terms of 2 with the worst roundings at once.
  EXPECT_GT(worst, 0.05);
  EXPECT_LT(worst, 1);
}

/// The direction of h + t in the maximum norm, in the axes of a frame.
using Long = std::array<long double, 3>;
Long direction(const Long& t, const LinkFrame& frame) {
  Long v;
  for (int j = 0; j < 3; ++j) v[j] = frame.row[j][0] * t[0] + frame.row[j][1] * t[1] + frame.row[j][2] * t[2];
  const long double most = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
  return {v[0] / most, v[1] / most, v[2] / most};
}

LinkFrame any_frame(Random& random) {
  const double scale = std::ldexp(1.0, random.below(60) - 30);
  if (random.chance(0.3)) return LinkFrame::axes(scale);
  const Point n = point(random, 30);
  return LinkFrame::along({n[0], n[1], n[2]}, scale);
}

// The frames that the bounds are argued for, of any normal.
TEST(LinkFrame, HasRowsAtRightAngles) {
  Random random(4);
  int turned = 0;
  for (int n = 0; n < 20'000; ++n) {
    Point normal = point(random, 60);
    if (n % 100 == 0) normal = {n % 200 == 0 ? 0.0 : 1e-320, 0, 0};
    const LinkFrame frame = LinkFrame::along({normal[0], normal[1], normal[2]}, 4);
    turned += frame.row[0][0] != 4;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        long double product = 0;
        for (int k = 0; k < 3; ++k) product += static_cast<long double>(frame.row[i][k]) * frame.row[j][k] / 16;
        ASSERT_NEAR(static_cast<double>(product), i == j ? 1 : 0, 0x1p-20);
      }
  }
  EXPECT_GT(turned, 10'000);
}

TEST(Link, HoldsTheDirectionsOfItsPoints) {
  Random random(2);
  double worst = 0;
  int everything = 0;
  constexpr int kCases = 50'000;
  for (int n = 0; n < kCases; ++n) {
    const int spread = n % 2 == 0 ? 1 : 30;
    const Point h = point(random, spread);
    const LinkFrame frame = any_frame(random);
    Point p = point(random, spread), q = point(random, spread), r = point(random, spread);
    if (n % 3 == 0)  // spokes close to each other
      for (int k = 0; k < 3; ++k) {
        q[k] = h[k] + random.in(0.1, 3) * (p[k] - h[k]) + 1e-3 * random.in(-1, 1);
        r[k] = h[k] + random.in(0.1, 3) * (p[k] - h[k]) + 1e-3 * random.in(-1, 1);
      }
    if (p == h || q == h) continue;
    const bool seen = n % 4 >= 2;  // as a sight, or as a link
    Ends ends[3];
    if (seen) {
      const bool known = sight(h.data(), p.data(), q.data(), r.data(), frame, ends);
      EXPECT_EQ(known, ends[0].low > -2);
    } else {
      link(h.data(), p.data(), q.data(), frame, ends);
    }
    if (ends[0].low == -2) {
      ++everything;
      continue;
    }
    for (int step = 0; step <= 16; ++step) {
      // Between the spokes as they are. Any point of a triangle with the corner h is a multiple of such a combination.
      const long double of_r = seen ? step % 4 * 0.25L : 0, of_q = (1 - of_r) * (step / 16.0L), of_p = 1 - of_r - of_q;
      Long t;
      for (int k = 0; k < 3; ++k)
        t[k] = of_p * (static_cast<long double>(p[k]) - h[k]) + of_q * (static_cast<long double>(q[k]) - h[k]) +
               of_r * (static_cast<long double>(r[k]) - h[k]);
      if (t == Long{}) continue;
      const Long at = direction(t, frame);
      for (int k = 0; k < 3; ++k) {
        ASSERT_LE(ends[k].low, at[k]) << "step " << step << " of case " << n;
        ASSERT_GE(ends[k].high, at[k]) << "step " << step << " of case " << n;
        constexpr double kPadding = kLink * 0x1p-53;
        worst = std::max({worst, 1 - static_cast<double>(at[k] - ends[k].low) / kPadding,
                          1 - static_cast<double>(ends[k].high - at[k]) / kPadding});
      }
    }
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_GT(worst, 0.003);
  EXPECT_LT(worst, 1);
  EXPECT_LT(everything, kCases / 2) << "a link that is everything proves nothing";
}

const LinkFrame kAxes = LinkFrame::axes(1);

TEST(Link, OfDegenerateTriangles) {
  const double h[3] = {1, 2, 3}, p[3] = {1, 2, 5}, far[3] = {-std::numeric_limits<double>::max(), 0, 0},
               far_hub[3] = {std::numeric_limits<double>::max(), 0, 0};
  Ends point[3], one[3], wide[3];
  link(h, h, h, kAxes, point);
  EXPECT_EQ(point[0].low, -2);
  EXPECT_EQ(point[2].high, 2);
  link(h, h, p, kAxes, one);  // one direction
  EXPECT_LT(one[2].low, 1);
  EXPECT_GT(one[2].high, 1);
  EXPECT_LT(one[2].high - one[2].low, 1e-12);
  EXPECT_LT(one[0].high - one[0].low, 1e-12);
  link(far_hub, far, p, kAxes, wide);  // the difference overflows
  EXPECT_EQ(wide[0].low, -2);
  const double a[3] = {2, 2, 3}, b[3] = {0, 2, 3};
  link(h, a, b, kAxes, wide);  // opposite directions
  EXPECT_EQ(wide[1].high, 2);
  // Spokes so short that products of the frame underflow are not known, and are not taken for none.
  const double tiny[3] = {1e-300, 0, 0}, zero[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  link(zero, tiny, up, LinkFrame::along({1, 2, 3}, 0x1p-40), wide);
  EXPECT_EQ(wide[0].low, -2);
  // A difference that overflows to both infinities is not a number in other axes.
  const double corner[3] = {-std::numeric_limits<double>::max(), std::numeric_limits<double>::max(), 0},
               opposite[3] = {std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(), 0};
  link(corner, opposite, p, LinkFrame::along({1, 2, 3}, 1), wide);
  EXPECT_EQ(wide[0].low, -2);
}

// A triangle that contains the point, as a corner, on an edge or inside, has a sight that is everything.
TEST(Link, NoSightFromItsOwnPoints) {
  Random random(5);
  for (int n = 0; n < 20'000; ++n) {
    const int side = 1 + n % 5;
    const auto whole = [&] { return static_cast<double>(random.below(2 * side + 1) - side); };
    const Point a = {whole(), whole(), whole()}, b = {whole(), whole(), whole()}, c = {whole(), whole(), whole()};
    Point h;
    const int i = random.below(5), j = random.below(5 - i);  // quarters, so that h is exact
    for (int k = 0; k < 3; ++k) h[k] = (i * a[k] + j * b[k] + (4 - i - j) * c[k]) / 4;
    Ends ends[3];
    EXPECT_FALSE(sight(h.data(), a.data(), b.data(), c.data(), any_frame(random), ends));
    for (const Ends& all : ends) ASSERT_TRUE(all.low == -2 && all.high == 2);
  }
}

/// By the directions from the first corner of a, which is also that of b if it is `common`.
bool apart(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool common, const LinkFrame& frame) {
  Ends x[3], y[3];
  link(a[0].data(), a[1].data(), a[2].data(), frame, x);
  if (common)
    link(b[0].data(), b[1].data(), b[2].data(), frame, y);
  else if (!sight(a[0].data(), b[0].data(), b[1].data(), b[2].data(), frame, y))
    return false;
  bool apart = false;
  for (int k = 0; k < 3; ++k) apart = apart || disjoint(x[k].rounded(), y[k].rounded());
  return apart;
}

// Triangles that touch along a ray from the common corner, miss it by an ulp, or coincide.
TEST(Link, ProvesNothingAboutContacts) {
  Random random(3);
  int contacts = 0, proven = 0, clear = 0;
  for (int n = 0; n < 300'000; ++n) {
    testing_support::Pair pair = testing_support::lattice_pair(random, 2 + n % 7);
    pair[1][0] = pair[0][0];
    if (n % 3 == 1) pair[1][1] = pair[0][1];
    if (n % 3 == 2)  // on the ray through a corner of the other, or nearly
      for (int k = 0; k < 3; ++k)
        pair[1][1][k] = testing_support::ulps_away(2 * pair[0][1][k] - pair[0][0][k], random.below(3) - 1);
    const bool contact = exact::decide(pair[0], pair[1], true).has_value();
    const bool separated = apart(pair[0], pair[1], true, any_frame(random));
    ASSERT_FALSE(contact && separated) << "case " << n;
    contacts += contact;
    proven += separated;
    clear += !contact;
  }
  EXPECT_GT(contacts, 10'000);
  EXPECT_GT(8 * proven, clear) << "links that prove nothing are of no use";
}

// The same for a triangle that may or may not contain the corner: it may end there, in the other object.
TEST(Link, SightsProveNothingAboutContacts) {
  Random random(6);
  int contacts = 0, proven = 0, clear = 0;
  for (int n = 0; n < 300'000; ++n) {
    testing_support::Pair pair = testing_support::lattice_pair(random, 2 + n % 7);
    if (n % 5 == 1) pair[1][n % 3] = pair[0][1];
    if (n % 5 == 2) pair[1][n % 3] = pair[0][0];
    const bool contact = exact::decide(pair[0], pair[1], false).has_value();
    const bool separated = apart(pair[0], pair[1], false, any_frame(random));
    ASSERT_FALSE(contact && separated) << "case " << n;
    contacts += contact;
    proven += separated;
    clear += !contact;
  }
  EXPECT_GT(contacts, 10'000);
  EXPECT_GT(8 * proven, clear) << "sights that prove nothing are of no use";
}

}  // namespace
}  // namespace sightline::rules
