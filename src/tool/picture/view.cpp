#include "picture/view.h"

#include "base/box.h"

namespace sightline::picture {
namespace {

constexpr double kHalfField = 0.24;  // tangent of half the field of view, in height: a long lens, little distortion
constexpr double kMargin = 1.06;

}  // namespace

void set_axes(raster::Camera& camera, const Vec3d& direction, const Vec3d& up) {
  camera.forward = normalized(direction);
  camera.right = normalized(cross(camera.forward, up));
  if (dot(camera.right, camera.right) == 0) camera.right = normalized(cross(camera.forward, {up[1], up[2], up[0]}));
  camera.up = cross(camera.right, camera.forward);
}

Lens fit_lens(const Vec3d& direction, const Vec3d& up, double aspect, std::span<const Vec3d> points) {
  Lens lens{.perspective = true};
  set_axes(lens, direction, up);
  const double half_y = kHalfField / kMargin, half_x = half_y * aspect;
  // From the middle of the cube, far enough back that each point is within the window.
  double back = 1e-3;
  for (const Vec3d& p : points) {
    const Vec3d c = lens.to_camera(p);
    back = std::max({back, std::abs(c[0]) / half_x - c[2], std::abs(c[1]) / half_y - c[2]});
  }
  back = std::max(back, 0.5);
  lens.origin = (-back) * lens.forward;
  Box seen;  // of x and y in the window, and depth
  for (const Vec3d& p : points) {
    const Vec3d c = lens.to_camera(p);
    const double z = std::max(c[2], 1e-6);
    seen.add(Vec3d{c[0] / z, c[1] / z, z});
  }
  if (points.empty()) seen.add(Vec3d{0, 0, back});
  const auto& [low, high] = seen;
  // The window is as small as the model allows, and the model in its middle.
  const double half = std::max({(high[1] - low[1]) / 2, (high[0] - low[0]) / (2 * aspect), 1e-6}) * kMargin;
  const double x = (low[0] + high[0]) / 2, y = (low[1] + high[1]) / 2;
  lens.left = x - half * aspect, lens.right_edge = x + half * aspect;
  lens.bottom = y - half, lens.top = y + half;
  lens.near = std::max(low[2] * 0.99, 1e-4);
  lens.far = std::max(high[2] * 1.01, lens.near * 1.01);
  return lens;
}

Drawer::Drawer(Workers& workers, Simd simd, std::span<const Vec3d> positions, std::span<const Triangle> triangles)
    : raster_(raster::make_cpu_raster(workers, simd)), geometry_{positions, triangles}, numbers_(triangles.size()) {
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    numbers_[i] = {static_cast<std::uint16_t>(i & 0xFFFF), static_cast<std::uint16_t>(i >> 16), 0, 0};
}

Ids Drawer::draw_block(const raster::Camera& camera, std::uint32_t width, std::uint32_t height,
                       std::span<const std::uint32_t> list) {
  Ids ids{width, height, std::vector<std::uint32_t>(std::size_t{width} * height, kNothing)};
  if (list.empty()) return ids;
  raster_->target({.width = width, .height = height, .format = raster::DepthFormat::fixed32, .color = true});
  raster_->geometry(geometry_);
  raster_->camera(camera);
  raster_->clear_depth(raster::far_key(raster::DepthFormat::fixed32));
  raster_->clear_color({0xFFFF, 0xFFFF, 0, 0});
  raster::State state;
  state.color_mask = raster::kRed | raster::kGreen;
  state.triangle_colors = numbers_.data();
  raster_->draw(state, list);
  const std::vector<raster::Color> colors = raster_->read_color();
  for (std::size_t i = 0; i < colors.size(); ++i) ids.id[i] = colors[i][0] | std::uint32_t{colors[i][1]} << 16;
  return ids;
}

/// Where the triangles are in the window, by x and y; without bounds if some are not in front of the lens.
Box Drawer::window_of(const Lens& lens, std::span<const std::uint32_t> list) const {
  Box box;
  for (const std::uint32_t i : list)
    for (const std::uint32_t v : geometry_.triangles[i]) {
      const Vec3d c = lens.to_camera(geometry_.positions[v]);
      if (!(c[2] > lens.near * 0.5)) return {.low = {-1e300, -1e300, -1e300}, .high = {1e300, 1e300, 1e300}};
      box.add(Vec3d{c[0] / c[2], c[1] / c[2], 0});
    }
  return box;
}

Ids Drawer::draw(const Lens& lens, std::uint32_t width, std::uint32_t height, std::span<const std::uint32_t> list) {
  Ids ids{width, height, std::vector<std::uint32_t>(std::size_t{width} * height, kNothing)};
  // Small blocks stay in memory that is used again, but each block costs time for each triangle. All lists of a model
  // have the same blocks, and so the same roundings.
  constexpr std::size_t kLarge = 50'000;
  const std::uint32_t block_side = geometry_.triangles.size() > kLarge ? 4096 : 1024;
  const Box seen = window_of(lens, list);
  const double dx = (lens.right_edge - lens.left) / width, dy = (lens.top - lens.bottom) / height;
  for (std::uint32_t y = 0; y < height; y += block_side)
    for (std::uint32_t x = 0; x < width; x += block_side) {
      const std::uint32_t w = std::min(block_side, width - x), h = std::min(block_side, height - y);
      Lens camera = lens;
      camera.left = lens.left + x * dx, camera.right_edge = lens.left + (x + w) * dx;
      camera.bottom = lens.bottom + y * dy, camera.top = lens.bottom + (y + h) * dy;
      // A sample more on each side, for roundings.
      const Box window = {.low = {camera.left - dx, camera.bottom - dy, 0},
                          .high = {camera.right_edge + dx, camera.top + dy, 0}};
      if (!seen.meets(window)) continue;
      const Ids block = draw_block(camera, w, h, list);
      for (std::uint32_t row = 0; row < h; ++row)
        std::copy_n(block.id.begin() + std::size_t{row} * w, w, ids.id.begin() + std::size_t{y + row} * width + x);
    }
  return ids;
}

}  // namespace sightline::picture
