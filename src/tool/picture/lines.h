// Lines with soft edges over a finished image.
#pragma once

#include <vector>

#include "picture/shade.h"

namespace sightline::picture {

/// Covers pixels by round-ended lines. Lines of one Pen do not add up where they meet: the largest cover counts, so the
/// order does not matter.
class Pen {
 public:
  Pen(std::uint32_t width, std::uint32_t height)
      : width_(width), height_(height), cover_(std::size_t{width} * height) {}
  /// In pixels, rows from the bottom; `strength` 0 … 1.
  void line(double x0, double y0, double x1, double y1, double thickness, double strength = 1);
  /// The same with `strength(x, y, share)`; share runs from 0 to 1 along the line.
  template <typename Strength>
  void line_where(double x0, double y0, double x1, double y1, double thickness, const Strength& strength) {
    const double half = thickness / 2, reach = half + 1;
    const double low_x = std::min(x0, x1) - reach, high_x = std::max(x0, x1) + reach;
    const double low_y = std::min(y0, y1) - reach, high_y = std::max(y0, y1) + reach;
    if (!(high_x >= 0 && high_y >= 0 && low_x < width_ && low_y < height_)) return;
    const auto first = [](double v) { return static_cast<std::int64_t>(std::floor(std::max(v, 0.0))); };
    const auto last = [](double v, std::uint32_t size) {
      return static_cast<std::int64_t>(std::floor(std::min(v, size - 1.0)));
    };
    const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
    for (std::int64_t y = first(low_y); y <= last(high_y, height_); ++y) {
      // Only the stretch of the row that the line can reach: long slanted lines would visit their whole box.
      double from = low_x, to = high_x;
      if (std::abs(dy) > 1e-9 && length > 64) {
        const double t0 = std::clamp((y + 0.5 - reach - 1 - y0) / dy, 0.0, 1.0);
        const double t1 = std::clamp((y + 0.5 + reach + 1 - y0) / dy, 0.0, 1.0);
        from = std::max(from, std::min(x0 + t0 * dx, x0 + t1 * dx) - reach - 1);
        to = std::min(to, std::max(x0 + t0 * dx, x0 + t1 * dx) + reach + 1);
      }
      for (std::int64_t x = first(from); x <= last(to, width_); ++x) {
        const double px = x + 0.5 - x0, py = y + 0.5 - y0;
        const double share = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0, 1.0) : 0;
        const double ex = px - share * dx, ey = py - share * dy;
        const double cover = std::clamp(half + 0.5 - std::sqrt(ex * ex + ey * ey), 0.0, 1.0);
        if (cover <= 0) continue;
        float& kept = cover_[static_cast<std::size_t>(y) * width_ + static_cast<std::size_t>(x)];
        const auto value = static_cast<float>(cover * strength(x, y, share));
        kept = std::max(kept, value);
      }
    }
  }
  void blend(Light& light, const Vec3d& color) const;
  float cover(std::uint32_t x, std::uint32_t y) const { return cover_[std::size_t{y} * width_ + x]; }

 private:
  std::uint32_t width_, height_;
  std::vector<float> cover_;
};

/// The common points of the contacts as lines: segments, outlines of polygons, points as dots. What other surfaces hide
/// is fainter.
class ContactLines {
 public:
  /// `depth`: of the surfaces, per pixel. `scale` widens the lines.
  ContactLines(const Model& model, const Lens& lens, std::uint32_t width, std::uint32_t height,
               const std::vector<float>& depth, double scale);
  void blend(Light& light) const;
  /// The nearest line of each pixel: 1 on it and near it, falling to 0 at `reach` pixels; and its cluster.
  Nearness nearness(double reach) const;

 private:
  std::uint32_t width_, height_;
  Pen core_, halo_;
  std::vector<std::uint32_t> cluster_;  ///< the least number of those that have a line in a pixel; kNothing: no line
};

}  // namespace sightline::picture
