#include "scenes/papers/parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// Distance from the y axis and height; the outline of a body of revolution from its lower end to its upper end, both
/// on the axis.
using Outline = std::vector<std::array<double, 2>>;

Mesh lathe(const std::string& name, const Outline& outline, std::size_t segments) {
  const auto around = static_cast<std::uint32_t>(segments), rings = static_cast<std::uint32_t>(outline.size() - 2);
  std::vector<Vec3f> positions = {to_float({0, outline.front()[1], 0})};
  for (std::uint32_t ring = 1; ring <= rings; ++ring)
    for (std::uint32_t j = 0; j < around; ++j) {
      const CirclePoint at = circle_point(j, around);
      positions.push_back(to_float({outline[ring][0] * at.cos, outline[ring][1], outline[ring][0] * at.sin}));
    }
  const auto top = static_cast<std::uint32_t>(positions.size());
  positions.push_back(to_float({0, outline.back()[1], 0}));
  std::vector<Triangle> triangles;
  const auto vertex = [&](std::uint32_t ring, std::uint32_t j) { return 1 + ring * around + j % around; };
  for (std::uint32_t j = 0; j < around; ++j) {
    triangles.push_back({0, vertex(0, j), vertex(0, j + 1)});
    for (std::uint32_t ring = 0; ring + 1 < rings; ++ring) {
      triangles.push_back({vertex(ring, j), vertex(ring + 1, j), vertex(ring + 1, j + 1)});
      triangles.push_back({vertex(ring, j), vertex(ring + 1, j + 1), vertex(ring, j + 1)});
    }
    triangles.push_back({top, vertex(rings - 1, j + 1), vertex(rings - 1, j)});
  }
  return {.name = name, .positions = std::move(positions), .triangles = std::move(triangles)};
}

std::size_t rounded(double x, std::size_t least) {
  return std::max(least, static_cast<std::size_t>(std::max(0.0, std::round(x))));
}

/// Steps from the last point of the outline on, of about one length.
void line_to(Outline& outline, double radius, double height, double step) {
  const auto [r, h] = outline.back();
  const std::size_t count = rounded(std::sqrt((radius - r) * (radius - r) + (height - h) * (height - h)) / step, 1);
  for (std::size_t i = 1; i <= count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count);
    outline.push_back({r + t * (radius - r), h + t * (height - h)});
  }
}

Outline table_outline(double radius, double step) {
  constexpr double kRim = 0.06;
  Outline outline = {{0, -1.5}};
  line_to(outline, 0.35, -1.5, step);
  line_to(outline, 0.35, -1.45, step);
  line_to(outline, 0.07, -1.4, step);
  line_to(outline, 0.07, -2 * kRim, step);
  line_to(outline, radius - kRim, -2 * kRim, step);
  const std::size_t steps = rounded(3.14 * kRim / step, 6);
  for (std::size_t i = 1; i < steps; ++i) {
    const CirclePoint at = circle_point(i, 2 * steps);
    outline.push_back({radius - kRim + kRim * at.sin, -kRim - kRim * at.cos});
  }
  outline.push_back({radius - kRim, 0});
  line_to(outline, 0, 0, step);
  return outline;
}

}  // namespace

Mesh ball(std::size_t n) {
  const double frequency = std::max(1.0, std::round(std::sqrt(static_cast<double>(n) / 20)));
  if (std::abs(20 * frequency * frequency - static_cast<double>(n)) <= 0.03 * static_cast<double>(n)) return sphere(n);
  const std::size_t rings = rounded(std::sqrt(static_cast<double>(n)) / 2, 2);  // twice as many segments as rings
  Outline outline = {{0, -1}};
  for (std::size_t i = 1; i <= rings; ++i) {
    const CirclePoint at = circle_point(i, 2 * (rings + 1));
    outline.push_back({at.sin, -at.cos});
  }
  outline.push_back({0, 1});
  return lathe("ball", outline, rounded(static_cast<double>(n) / (2.0 * static_cast<double>(rings)), 3));
}

Mesh shard(std::size_t n) {
  const std::size_t rings = rounded(std::sqrt(static_cast<double>(n) / 2), 3);
  const std::size_t widest = (2 * rings) / 3;
  Outline outline = {{0, -1}};
  for (std::size_t i = 1; i <= rings; ++i) {
    const double below = static_cast<double>(i) / static_cast<double>(widest + 1);
    const double above = static_cast<double>(rings + 1 - i) / static_cast<double>(rings - widest);
    outline.push_back({0.22 * std::min(below, above), below <= 1 ? -1 + 1.4 * below : 1 - 0.6 * above});
  }
  outline.push_back({0, 1});
  return lathe("shard", outline, rounded(static_cast<double>(n) / (2.0 * static_cast<double>(rings)), 3));
}

Mesh flake() { return lathe("flake", {{0, -0.7}, {1, 0}, {0, 0.7}}, 3); }

Mesh table(std::size_t n, double radius) {
  // As many segments as make about square cells at the rim; the outline's length is about 5 with a radius of 0.6.
  const double wanted = static_cast<double>(n);
  double step = 0.1;
  for (int trial = 0; trial < 20; ++trial) {
    const double rings = static_cast<double>(table_outline(radius, step).size() - 2);
    const double segments = 6.28 * radius / step;
    step *= std::clamp(std::sqrt(2 * rings * segments / wanted), 0.5, 2.0);
  }
  const Outline outline = table_outline(radius, step);
  return lathe("table", outline, rounded(wanted / (2.0 * static_cast<double>(outline.size() - 2)), 6));
}

}  // namespace sightline::scenes
