// Help for the tests of Raster: the implementations under test, and small scenes in pixel coordinates.
#pragma once

#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "parallel.h"
#include "raster/cpu/cpu_raster.h"
#include "raster/raster.h"

namespace sightline::raster::test {

/// Camera coordinates are pixels; depth keys run from near = 0 to far = 1.
inline Camera pixel_camera(double width, double height) {
  Camera camera;
  camera.left = 0, camera.right_edge = width, camera.bottom = 0, camera.top = height;
  camera.forward = {0, 0, 1};  // depth is z; right x up = forward here, a mirror image, which no rule depends on
  camera.near = 0, camera.far = 1;
  return camera;
}

struct Scene {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;

  std::uint32_t add(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const auto first = static_cast<std::uint32_t>(positions.size());
    positions.insert(positions.end(), {a, b, c});
    triangles.push_back({first, first + 1, first + 2});
    return static_cast<std::uint32_t>(triangles.size() - 1);
  }
  Geometry geometry() const { return {positions, triangles}; }
  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> list(triangles.size());
    std::iota(list.begin(), list.end(), 0u);
    return list;
  }
};

}  // namespace sightline::raster::test
