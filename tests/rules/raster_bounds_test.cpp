// Depths of the conservative raster against exact arithmetic: planes, and corners of scenes that are hard to project.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rules/bounds.h"
#include "extremes.h"
#include "raster/cover.h"

namespace sightline::papers::raster {
namespace {

using namespace extremes;

/// x and y of three corners in subpixels, three depths, and a sample as parts of the way across the grown box.
Primitive primitive(const Sample& s) {
  Primitive p;
  for (int i = 0; i < 3; ++i) {
    p.x[i] = static_cast<std::int32_t>(s[2 * i]);
    p.y[i] = static_cast<std::int32_t>(s[2 * i + 1]);
    p.z[i] = s[6 + i];
  }
  p.area = std::int64_t{p.x[1] - p.x[0]} * (p.y[2] - p.y[0]) - std::int64_t{p.x[2] - p.x[0]} * (p.y[1] - p.y[0]);
  return p;
}
std::int32_t pixel(const std::int32_t* at, double part) {
  const auto [low, high] = std::minmax({at[0], at[1], at[2]});
  return (static_cast<std::int32_t>(low - kReach + (high - low + 2 * kReach) * part) - kHalf + 255) >> 8;
}

Sample draw(Random& random) {
  Sample s;
  const double size = std::ldexp(1, 14 + random.below(9)), deep = std::ldexp(1, random.below(32));
  for (int k = 0; k < 6; ++k) s[k] = std::floor(size * random.unit());
  if (random.chance(0.8)) {  // a sliver
    const double t = random.in(-1, 2);
    s[4] = std::floor(s[0] + t * (s[2] - s[0])) + random.below(3) - 1;
    s[5] = std::floor(s[1] + t * (s[3] - s[1])) + random.below(3) - 1;
  }
  for (int k = 6; k < 9; ++k) s[k] = 2 + deep * random.unit();
  for (int k = 9; k < 12; ++k) s[k] = random.below(2);
  return s;
}
void mutate(Random& random, Sample& s) {
  const int k = random.below(11);
  if (k < 6)
    s[k] = std::clamp(s[k] + random.below(9) - 4, 0.0, 0x1p22);
  else if (k < 9)
    s[k] = std::clamp(random.chance(0.5) ? next(s[k], random.below(17) - 8, false) : s[k] * random.in(0.9, 1.1), 2.0,
                      0x1p32);
  else
    s[k] = random.chance(0.5) ? random.below(2) : random.unit();
}

TEST(RasterBounds, DepthsOfPlanes) {
  constexpr int kFine = 400;
  Search search;
  search.draw = draw;
  search.mutate = mutate;
  search.evaluate = [](const std::vector<Sample>& samples, std::vector<Result>& results) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Primitive p = primitive(samples[i]);
      const DepthPlane plane(p, Coverage::conservative);
      const double extent = std::max({std::abs(p.x[1] - p.x[0]), std::abs(p.y[1] - p.y[0]), std::abs(p.x[2] - p.x[0]),
                                      std::abs(p.y[2] - p.y[0])}) +
                            2 * kSubpixels;
      results[i] = {plane.at(pixel(p.x, samples[i][9]), pixel(p.y, samples[i][10])),
                    rules::depth_error(plane.high - plane.low, extent, std::abs(static_cast<double>(p.area)))};
    }
  };
  search.ratio = [](const Sample& s, const Result& r) {
    const Primitive p = primitive(s);
    if (p.area == 0 || !(r.bound > 0x1p-16)) return 0.0;  // the depth's own rounding apart: at most 2^-18
    const Integer z0 = integer(p.z[0], kFine), z1 = integer(p.z[1], kFine) - z0, z2 = integer(p.z[2], kFine) - z0;
    const std::int64_t x = pixel(p.x, s[9]) * 256 + 128 - p.x[0], y = pixel(p.y, s[10]) * 256 + 128 - p.y[0];
    const Integer over_x = z1 * (p.y[2] - p.y[0]) - z2 * (p.y[1] - p.y[0]);
    const Integer over_y = z2 * (p.x[1] - p.x[0]) - z1 * (p.x[2] - p.x[0]);
    const Integer error = (integer(r.value, kFine) - z0) * p.area - over_x * x - over_y * y;
    return std::fabs(std::ldexp(static_cast<double>(error / p.area), -kFine)) / r.bound;
  };
  search.generations = 6000;
  const double most = report("depth of a plane", worst(search, 1));
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.1);
}

/// Points in a plane across the view, with 32 bits of depth: the terms of the camera's map are 2^15 times what is left
/// of them.
TEST(RasterBounds, DepthsOfFlatScenes) {
  Random random(2);
  double most = 0;
  for (int round = 0; round < 400; ++round) {
    View view;
    for (double& d : view.direction) d = random.in(-1, 1);
    const Vec3d& n = view.direction;
    const double size = std::ldexp(random.in(1, 2), random.below(400) - 200), away = size * random.below(3) * 100;
    std::vector<Vec3d> points;
    for (int i = 0; i < 30; ++i) {  // one coordinate follows from the others
      Vec3d p = {size * random.in(-1, 1), size * random.in(-1, 1), 0};
      p[2] = -(n[0] * p[0] + n[1] * p[1]) / n[2] + size * random.in(-1, 1) * 1e-9;
      points.push_back({p[0] + away, p[1] - away, p[2] + away});
    }
    const Camera camera = fit_camera(view, points);
    const Projection projection(camera, {64, 64, DepthFormat::fixed32, Coverage::conservative});
    const auto scales = projection.scales();
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
      Primitive p;
      ASSERT_EQ(projection.triangle(points[i], points[i + 1], points[i + 2], &p), 1);
      for (int k = 0; k < 3; ++k) {
        mp::cpp_rational exact = scales.z_offset;
        for (int axis = 0; axis < 3; ++axis)
          exact +=
              (mp::cpp_rational(points[i + k][axis]) - camera.origin[axis]) * camera.forward[axis] * scales.z_scale;
        const mp::cpp_rational error = exact - p.z[k];
        most = std::max(most, std::fabs(static_cast<double>(error)));
      }
    }
  }
  report("depth of a corner, in units of 3/8", most / 0.375);
  EXPECT_LE(most, 0.375);
  EXPECT_GT(most, 0.005);
}

}  // namespace
}  // namespace sightline::papers::raster
