// Conservative coverage against exact geometry: every pixel whose closed square meets the closed triangle is drawn, and
// the ends of its fragments bound the triangle's depths over it.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "support.h"
#include "support/sizes.h"

namespace sightline::papers::raster::test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
struct Point {
  Rational at[3];
};
constexpr std::uint32_t kSide = 12;

/// The part of a polygon with sign * (coordinate - bound) >= 0.
std::vector<Point> clip(const std::vector<Point>& polygon, int axis, int sign, int bound) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const Rational dp = sign * (p.at[axis] - bound), dq = sign * (q.at[axis] - bound);
    if (dp >= 0) kept.push_back(p);
    if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) {
      Point cut;
      for (int k = 0; k < 3; ++k) cut.at[k] = p.at[k] + (q.at[k] - p.at[k]) * (dp / (dp - dq));
      kept.push_back(cut);
    }
  }
  return kept;
}

/// The triangle over the closed pixel: empty if they do not meet.
std::vector<Point> over_pixel(const Vec3d* corners, int x, int y) {
  std::vector<Point> polygon;
  for (int i = 0; i < 3; ++i) polygon.push_back({{corners[i][0], corners[i][1], corners[i][2]}});
  polygon = clip(clip(polygon, 0, 1, x), 0, -1, x + 1);
  return clip(clip(polygon, 1, 1, y), 1, -1, y + 1);
}

void check(const Which& which, DepthFormat format, const Vec3d* corners) {
  Canvas canvas(which, {kSide, kSide, format, Coverage::conservative});
  const auto t = canvas.add(corners[0], corners[1], corners[2]);
  canvas.ready();
  State far;
  far.depth = Compare::greater;
  canvas->draw({}, {&t, 1});
  const auto low = canvas->read_depth();
  canvas->clear_depth(0);
  canvas->draw(far, {&t, 1});
  const auto high = canvas->read_depth();
  const Rational unit = Rational(units(format));
  for (std::uint32_t i = 0; i < kSide * kSide; ++i) {
    const auto polygon = over_pixel(corners, static_cast<int>(i % kSide), static_cast<int>(i / kSide));
    if (polygon.empty()) continue;
    ASSERT_NE(low[i], far_key(format)) << "pixel " << i % kSide << ", " << i / kSide << " is not drawn";
    for (const Point& p : polygon) {
      const Rational z = 2 + p.at[2] * unit;
      ASSERT_LE(Rational(low[i]), z) << "pixel " << i % kSide << ", " << i / kSide;
      ASSERT_GE(Rational(high[i]), z) << "pixel " << i % kSide << ", " << i / kSide;
    }
  }
}

class ConservativeTest : public RasterTest {};

/// Corners around the image, some far away, some on whole pixels, many slivers.
TEST_P(ConservativeTest, CoversAndBoundsEverything) {
  std::mt19937_64 random(3);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int round = 0; round < testing_support::smaller(300); ++round) {
    Vec3d corners[3];
    const double size = round % 3 == 0 ? 1500 : round % 3 == 1 ? 14 : 2;
    const double at[2] = {real(0, kSide), real(0, kSide)};
    for (Vec3d& c : corners) c = {at[0] + real(-size, size), at[1] + real(-size, size), real(0, 1)};
    if (round % 5 == 0)
      for (Vec3d& c : corners) c = {std::round(c[0]), std::round(c[1]), c[2]};
    const double u = real(0, 1);
    if (round % 4 == 0)  // a sliver, or (but for rounding) without area
      for (int k = 0; k < 2; ++k)
        corners[2][k] = corners[0][k] + (corners[1][k] - corners[0][k]) * u + (round % 8 == 0 ? 0 : real(-1e-3, 1e-3));
    if (round % 21 == 0) corners[1] = corners[0];
    if (round % 22 == 0) corners[2][0] = corners[1][0], corners[2][1] = corners[1][1];
    auto format = static_cast<DepthFormat>(random() % 3);
    if (!GetParam().has(format)) format = DepthFormat::fixed24;
    check(GetParam(), format, corners);
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConservativeTest, testing::ValuesIn(kAll), name_of);

}  // namespace
}  // namespace sightline::papers::raster::test
