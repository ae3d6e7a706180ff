#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

Mesh named(std::string name, Mesh mesh) {
  mesh.name = std::move(name);
  return mesh;
}

}  // namespace

Mesh self_intersecting_tube(std::size_t n) {
  constexpr double kTube = 0.18, kAspect = 0.1;  // kAspect: steps around over steps along
  const auto around =
      static_cast<std::uint32_t>(std::max(3.0, std::round(std::sqrt(static_cast<double>(n) * kAspect / 2))));
  const auto along = static_cast<std::uint32_t>(std::max(8.0, std::round(static_cast<double>(n) / (2.0 * around))));
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  for (std::uint32_t i = 0; i < along; ++i) {
    // The curve (cos t, sin t cos t) crosses itself at the origin. It lies in a plane, so its normal in that plane and
    // the z axis make a frame that closes without a twist.
    const CirclePoint t = circle_point(i, along);
    const Vec3d center = {t.cos, t.sin * t.cos, 0};
    const Vec3d normal = normalized({-(t.cos * t.cos - t.sin * t.sin), -t.sin, 0});
    for (std::uint32_t j = 0; j < around; ++j) {
      const CirclePoint across = circle_point(j, around);
      const Vec3d offset = add(times(kTube * across.cos, normal), {0, 0, kTube * across.sin});
      positions.push_back(to_float(add(center, offset)));
      const std::uint32_t next_i = (i + 1) % along, next_j = (j + 1) % around;
      const std::uint32_t a = i * around + j, b = next_i * around + j, c = next_i * around + next_j,
                          d = i * around + next_j;
      triangles.push_back({a, b, c});
      triangles.push_back({a, c, d});
    }
  }
  return {.name = "tube", .positions = std::move(positions), .triangles = std::move(triangles)};
}

Assembly demo_assembly() {
  Assembly assembly;
  // All coordinates are multiples of 1/64 or lie off every other part's planes, so that `touch` is exact in float.
  assembly.add(named("plate", box({-4, -4, -0.5}, {4, 4, 0})));
  assembly.add(named("block", box({-3, -3, 0}, {-1, -1, 1})));         // touch: stands on the plate
  assembly.add(named("pin", box({1.25, 1.25, -1}, {1.75, 1.75, 2})));  // clash: runs through the plate
  assembly.add(named("housing", box({-3, 1, 0.5}, {-1, 3, 2.5})));     // clear of the plate
  assembly.add(named("ball", sphere(720, {-2, 2, 1.5}, 0.75)));        // contains: inside the housing
  assembly.add(named("ring", torus(1600, {1.5, 1.5, 1}, 0.72, 0.3)));  // near: about 0.066 off the pin
  return assembly;
}

}  // namespace sightline::scenes
