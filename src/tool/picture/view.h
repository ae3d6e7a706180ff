// A view of the model: a camera, and the triangle that each sample of its image shows.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "base/box.h"
#include "base/vector.h"
#include "input/settings.h"
#include "raster/raster.h"
#include "report/names.h"

namespace sightline::picture {

namespace raster = papers::raster;

struct Model;

// Vectors use only operations that IEEE rounds correctly: the same pixels on every machine.

/// (0, 0, 0) stays (0, 0, 0).
inline Vec3d normalized(const Vec3d& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0 ? (1 / length) * a : a;
}
inline Vec3d mix(const Vec3d& a, const Vec3d& b, double share) { return (1 - share) * a + share * b; }

inline constexpr std::uint32_t kNothing = 0xFFFFFFFFu;

/// With perspective: a point of depth z on the ray through (x, y) of the window at distance 1 is (x z, y z, z) in
/// camera coordinates.
using Lens = raster::Camera;

/// Looks along `direction` with `up` upwards, from a distance at which all points are in a window of this shape (width
/// over height), with a margin.
Lens fit_lens(const Vec3d& direction, const Vec3d& up, double aspect, std::span<const Vec3d> points);
/// Right, up and forward for a look along `direction`.
void set_axes(raster::Camera& camera, const Vec3d& direction, const Vec3d& up);

/// Triangle numbers, kNothing where none is; rows from the bottom.
struct Ids {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> id;
  std::uint32_t at(std::uint32_t x, std::uint32_t y) const { return id[std::size_t{y} * width + x]; }
};

/// Draws by the papers' raster, in blocks that it can hold. `list` are the triangles to draw.
class Drawer {
 public:
  Drawer(Workers& workers, Simd simd, std::span<const Vec3d> positions, std::span<const Triangle> triangles);
  Ids draw(const Lens& lens, std::uint32_t width, std::uint32_t height, std::span<const std::uint32_t> list);
  /// The same in one block.
  Ids draw_block(const raster::Camera& camera, std::uint32_t width, std::uint32_t height,
                 std::span<const std::uint32_t> list);

 private:
  Box window_of(const Lens& lens, std::span<const std::uint32_t> list) const;

  std::unique_ptr<raster::Raster> raster_;
  raster::Geometry geometry_;
  std::vector<raster::Color> numbers_;
};

/// The direction, of a fixed list, from which most of the largest cluster is seen: small images of the place are drawn
/// from each, and its visible pixels counted. Directions from a little above and from the corners count somewhat more.
/// Without contacts, or with a place that no direction shows, the first of the list.
Vec3d choose_direction(const Model& model, Drawer& drawer, int up, const report::WriteOptions& options);

}  // namespace sightline::picture
