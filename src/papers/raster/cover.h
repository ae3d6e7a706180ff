// Which pixels a primitive covers, and with what depths: the plain definition.
#pragma once

#include <algorithm>
#include <cmath>

#include "raster/fragment.h"
#include "raster/setup.h"
#include "rules/bounds.h"

namespace sightline::papers::raster {

inline bool culled(Cull cull, std::int64_t area) {
  return (cull == Cull::back && area <= 0) || (cull == Cull::front && area >= 0);
}

inline constexpr std::int32_t kHalf = kSubpixels / 2;
/// Conservative coverage looks this far around a pixel's centre: half a pixel, and what rounding and snapping moved.
inline constexpr std::int32_t kReach = kHalf + rules::kGrow;

struct PixelBox {
  std::int32_t x0, y0, x1, y1;  ///< half open, within the target
};

inline PixelBox whole(const Target& target) {
  return {0, 0, static_cast<std::int32_t>(target.width), static_cast<std::int32_t>(target.height)};
}

/// Pixels whose sample lies within `reach` of the corners' box.
inline PixelBox pixel_box(const Primitive& p, const Target& target, std::int32_t reach = kReach) {
  const auto [x_low, x_high] = std::minmax({p.x[0], p.x[1], p.x[2]});
  const auto [y_low, y_high] = std::minmax({p.y[0], p.y[1], p.y[2]});
  const auto low = [&](std::int32_t at, std::uint32_t size) {
    return std::clamp((at - reach + kHalf - 1) >> 8, 0, static_cast<std::int32_t>(size));
  };
  const auto high = [&](std::int32_t at, std::uint32_t size) {
    return std::clamp(((at + reach - kHalf) >> 8) + 1, 0, static_cast<std::int32_t>(size));
  };
  return {low(x_low, target.width), low(y_low, target.height), high(x_high, target.width), high(y_high, target.height)};
}

/// Corners i and j of an edge, the one with the lower index first: both triangles of an edge draw the same line.
inline std::array<int, 2> edge_ends(const Triangle& t, int edge) {
  const int next = (edge + 1) % 3;
  return t[edge] < t[next] ? std::array{edge, next} : std::array{next, edge};
}

/// Turns it counter-clockwise.
inline void make_front(Primitive& p) {
  if (p.area >= 0) return;
  std::swap(p.x[1], p.x[2]);
  std::swap(p.y[1], p.y[2]);
  std::swap(p.z[1], p.z[2]);
  p.area = -p.area;
}

/// For pixels of pixel_box; counter-clockwise primitives (or without area, for conservative).
inline bool covers(const Primitive& p, std::int32_t x, std::int32_t y, bool conservative) {
  const std::int64_t sx = x * kSubpixels + kHalf, sy = y * kSubpixels + kHalf;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const std::int64_t dx = p.x[j] - p.x[i], dy = p.y[j] - p.y[i];
    const std::int64_t side = dx * (sy - p.y[i]) - dy * (sx - p.x[i]);
    if (conservative) {
      if (side + (std::abs(dx) + std::abs(dy)) * kReach < 0) return false;
    } else {
      const bool inclusive = dy < 0 || (dy == 0 && dx < 0);  // left or top
      if (side < 0 || (side == 0 && !inclusive)) return false;
    }
  }
  return true;
}

/// Of a pixel with depth z at its sample; low, high and half are those of DepthPlane.
inline Ends ends_of(double z, double low, double high, double half, const Target& target) {
  if (target.coverage == Coverage::image) {
    const std::uint32_t key = nearest_key(std::clamp(z, low, high), target.format);
    return {key, key};
  }
  return {low_key(std::clamp(z - half, low, high), target.format),
          high_key(std::clamp(z + half, low, high), target.format)};
}

/// Ends of a line: x, y in 1/256 pixel and depth.
struct Segment {
  double x0, y0, z0, x1, y1, z1;
};
inline Segment segment(const Primitive& p) {
  return {static_cast<double>(p.x[0]), static_cast<double>(p.y[0]), p.z[0],
          static_cast<double>(p.x[1]), static_cast<double>(p.y[1]), p.z[1]};
}

/// Calls visit(x, y, depth) for the pixels of a line within the box, in `image` coverage.
template <typename Visit>
void for_each_line_pixel(const Segment& line, const PixelBox& within, const Visit& visit) {
  auto [x0, y0, z0, x1, y1, z1] = line;
  const bool steep = std::abs(y1 - y0) > std::abs(x1 - x0);
  if (steep) std::swap(x0, y0), std::swap(x1, y1);
  if (x0 > x1) std::swap(x0, x1), std::swap(y0, y1), std::swap(z0, z1);
  const std::int32_t begin = steep ? within.y0 : within.x0, end = steep ? within.y1 : within.x1;
  const std::int32_t low = steep ? within.x0 : within.y0, high = steep ? within.x1 : within.y1;
  const std::int32_t first = std::max(begin, static_cast<std::int32_t>(std::ceil((x0 - kHalf) / kSubpixels)));
  for (std::int32_t i = first; i < end && i * kSubpixels + kHalf < x1; ++i) {
    const double u = (i * kSubpixels + kHalf - x0) / (x1 - x0);
    const std::int32_t j = static_cast<std::int32_t>(std::floor((y0 + (y1 - y0) * u) / kSubpixels));
    if (j < low || j >= high) continue;
    visit(steep ? j : i, steep ? i : j, z0 + (z1 - z0) * u);
  }
}

}  // namespace sightline::papers::raster
