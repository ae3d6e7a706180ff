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

/// The direction of h + t in the maximum norm.
std::array<long double, 3> direction(const std::array<long double, 3>& t) {
  const long double most = std::max({std::fabs(t[0]), std::fabs(t[1]), std::fabs(t[2])});
  return {t[0] / most, t[1] / most, t[2] / most};
}

TEST(Link, HoldsTheDirectionsOfItsPoints) {
  Random random(2);
  double worst = 0;
  int everything = 0;
  constexpr int kCases = 50'000;
  for (int n = 0; n < kCases; ++n) {
    const int spread = n % 2 == 0 ? 1 : 30;
    const Point h = point(random, spread);
    Point p = point(random, spread), q = point(random, spread);
    if (n % 3 == 0)  // two spokes close to each other
      for (int k = 0; k < 3; ++k) q[k] = h[k] + random.in(0.1, 3) * (p[k] - h[k]) + 1e-3 * random.in(-1, 1);
    if (p == h || q == h) continue;
    Ends ends[3];
    link(h.data(), p.data(), q.data(), ends);
    if (ends[0].low == -2) {
      ++everything;
      continue;
    }
    for (int step = 0; step <= 16; ++step) {
      // Between the spokes as they are: any point of the triangle but h is a multiple of such a combination.
      std::array<long double, 3> t;
      const long double along = step / 16.0L;
      for (int k = 0; k < 3; ++k)
        t[k] = (1 - along) * (static_cast<long double>(p[k]) - h[k]) + along * (static_cast<long double>(q[k]) - h[k]);
      if (t == std::array<long double, 3>{}) continue;
      const std::array<long double, 3> at = direction(t);
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
  EXPECT_GT(worst, 0.02);
  EXPECT_LT(worst, 1);
  EXPECT_LT(everything, kCases / 2) << "a link that is everything proves nothing";
}

TEST(Link, OfDegenerateTriangles) {
  const double h[3] = {1, 2, 3}, p[3] = {1, 2, 5}, far[3] = {-std::numeric_limits<double>::max(), 0, 0},
               far_hub[3] = {std::numeric_limits<double>::max(), 0, 0};
  Ends point[3], one[3], wide[3];
  link(h, h, h, point);
  EXPECT_EQ(point[0].low, -2);
  EXPECT_EQ(point[2].high, 2);
  link(h, h, p, one);  // one direction
  EXPECT_LT(one[2].low, 1);
  EXPECT_GT(one[2].high, 1);
  EXPECT_LT(one[2].high - one[2].low, 1e-12);
  EXPECT_LT(one[0].high - one[0].low, 1e-12);
  link(far_hub, far, p, wide);  // the difference overflows
  EXPECT_EQ(wide[0].low, -2);
  const double a[3] = {2, 2, 3}, b[3] = {0, 2, 3};
  link(h, a, b, wide);  // opposite directions
  EXPECT_EQ(wide[1].high, 2);
}

/// Three corners with the common corner first.
bool apart(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) {
  Ends x[3], y[3];
  link(a[0].data(), a[1].data(), a[2].data(), x);
  link(b[0].data(), b[1].data(), b[2].data(), y);
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
    const bool separated = apart(pair[0], pair[1]);
    ASSERT_FALSE(contact && separated) << "case " << n;
    contacts += contact;
    proven += separated;
    clear += !contact;
  }
  EXPECT_GT(contacts, 10'000);
  EXPECT_GT(8 * proven, clear) << "links that prove nothing are of no use";
}

}  // namespace
}  // namespace sightline::rules
