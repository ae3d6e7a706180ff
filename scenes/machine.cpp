// A machine of turned parts. Each bore and each shaft is a polygon of its own number of corners on the same circle, as
// CAD programs export them: nearly every pair that fits overlaps by a hair, and few pairs overlap in earnest.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

struct Place {
  Vec3d center;  // of the lower end
  int axis;      // along it
  double length;
};

Vec3f placed(const Place& place, double u, double v, double along) {
  Vec3d p = place.center;
  p[(place.axis + 1) % 3] += u;
  p[(place.axis + 2) % 3] += v;
  p[place.axis] += along;
  return to_float(p);
}

/// Corners of a polygon on a circle at both ends: corner k has the numbers 2 k and 2 k + 1 from the first one on.
std::uint32_t add_polygon(std::vector<Vec3f>& positions, const Place& place, std::uint32_t corners, double radius) {
  const auto first = static_cast<std::uint32_t>(positions.size());
  for (std::uint32_t k = 0; k < corners; ++k) {
    const CirclePoint at = circle_point(k, corners);
    for (const double along : {0.0, place.length})
      positions.push_back(placed(place, radius * at.cos, radius * at.sin, along));
  }
  return first;
}

void add_wall(std::vector<Triangle>& triangles, std::uint32_t first, std::uint32_t corners, bool inwards) {
  for (std::uint32_t k = 0; k < corners; ++k) {
    const std::uint32_t a = first + 2 * k, b = first + 2 * ((k + 1) % corners);
    for (Triangle t : {Triangle{a, b, b + 1}, Triangle{a, b + 1, a + 1}}) {
      if (inwards) std::swap(t[1], t[2]);
      triangles.push_back(t);
    }
  }
}

Mesh shaft(std::string name, const Place& place, std::uint32_t corners, double radius) {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  const std::uint32_t rim = add_polygon(positions, place, corners, radius);
  add_wall(triangles, rim, corners, false);
  const auto low = static_cast<std::uint32_t>(positions.size()), high = low + 1;
  positions.push_back(placed(place, 0, 0, 0));
  positions.push_back(placed(place, 0, 0, place.length));
  for (std::uint32_t k = 0; k < corners; ++k) {
    const std::uint32_t a = rim + 2 * k, b = rim + 2 * ((k + 1) % corners);
    triangles.push_back({low, b, a});
    triangles.push_back({high, a + 1, b + 1});
  }
  return {.name = std::move(name), .positions = std::move(positions), .triangles = std::move(triangles)};
}

Mesh ring(std::string name, const Place& place, std::uint32_t inner_corners, double inner_radius,
          std::uint32_t outer_corners, double outer_radius) {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  const std::uint32_t inner = add_polygon(positions, place, inner_corners, inner_radius);
  const std::uint32_t outer = add_polygon(positions, place, outer_corners, outer_radius);
  add_wall(triangles, inner, inner_corners, true);
  add_wall(triangles, outer, outer_corners, false);
  // Both ends: a step along the polygon whose next corner comes first.
  for (std::uint32_t i = 0, j = 0; i < inner_corners || j < outer_corners;) {
    const bool step_inner =
        j == outer_corners || (i < inner_corners && (i + 1) * outer_corners <= (j + 1) * inner_corners);
    const std::uint32_t p = inner + 2 * (i % inner_corners), q = outer + 2 * (j % outer_corners);
    const std::uint32_t next = step_inner ? inner + 2 * (++i % inner_corners) : outer + 2 * (++j % outer_corners);
    triangles.push_back({p, next, q});
    triangles.push_back({p + 1, q + 1, next + 1});
  }
  return {.name = std::move(name), .positions = std::move(positions), .triangles = std::move(triangles)};
}

std::string numbered(const char* name, int number) { return std::string(name) + " " + std::to_string(number + 1); }

Mesh named(Mesh mesh, const char* name) {
  mesh.name = name;
  return mesh;
}

}  // namespace

Assembly machine() {
  constexpr int kCylinders = 8, kRings = 3, kMains = 9, kCams = 2, kCamBearings = 6;
  Assembly assembly;
  for (int i = 0; i < kCylinders; ++i) {
    const double x = 3.0 * i, at = 2.5 + 0.5 * ((3 * i) % 5);  // of the piston
    assembly.add(ring(numbered("liner", i), {{x, 0, 2}, 2, 4}, 48, 1.0, 56, 1.2));
    assembly.add(shaft(numbered("piston", i), {{x, 0, at}, 2, 1.25}, 44, 0.94));
    for (int k = 0; k < kRings; ++k)
      assembly.add(ring(numbered("ring", i) + "." + std::to_string(k + 1), {{x, 0, at + 0.5 + 0.25 * k}, 2, 0.125}, 40,
                        0.94, 36, 1.0));
  }
  assembly.add(shaft("crankshaft", {{-2.5, 0, 0}, 0, 26}, 32, 0.6));
  for (int i = 0; i < kMains; ++i)
    assembly.add(ring(numbered("main bearing", i), {{3.0 * i - 1.9, 0, 0}, 0, 0.8}, 28, 0.6, 36, 1.0));
  for (int cam = 0; cam < kCams; ++cam) {
    const double y = cam == 0 ? -0.8 : 0.8;
    assembly.add(shaft(numbered("camshaft", cam), {{-2, y, 8}, 0, 25}, 24, 0.3));
    for (int i = 0; i < kCamBearings; ++i)
      assembly.add(
          ring(numbered("cam bearing", kCamBearings * cam + i), {{4.0 * i - 0.25, y, 8}, 0, 0.5}, 20, 0.3, 28, 0.6));
  }
  assembly.add(named(box({-2, -2, -1.75}, {23, 2, -1.25}), "pan"));
  assembly.add(named(box({-1, 1.0625, 3}, {16, 1.6875, 3.625}), "bracket"));  // into six liners
  assembly.add(shaft("pipe", {{7.5, -1.25, 4.5}, 0, 15}, 18, 0.2));           // along the walls of five liners
  return assembly;
}

}  // namespace sightline::scenes
