#include "raster/setup.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "rules/bounds.h"

namespace sightline::papers::raster {
namespace {

/// Beyond the image by this many pixels, triangles are clipped: it keeps snapped coordinates below 2^23 in size.
constexpr double kGuard = 2048;
constexpr double kFloatRange = 1 - 0x1p-20;  ///< float32 keeps 1 for the cleared buffer

}  // namespace

std::uint32_t far_key(DepthFormat format) {
  switch (format) {
    case DepthFormat::fixed16:
      return 0xFFFFu;
    case DepthFormat::fixed24:
      return 0xFFFFFFu;
    case DepthFormat::fixed32:
      return 0xFFFFFFFFu;
    default:
      return std::bit_cast<std::uint32_t>(1.0f);
  }
}

double units(DepthFormat format) { return static_cast<double>(far_key(format)) - 4; }

Projection::Projection(const Camera& camera, const Target& target) : camera_(camera) {
  scale_x_ = target.width / (camera.right_edge - camera.left);
  scale_y_ = target.height / (camera.top - camera.bottom);
  offset_x_ = -camera.left * scale_x_;
  offset_y_ = -camera.bottom * scale_y_;
  low_x_ = low_y_ = -kGuard;
  high_x_ = target.width + kGuard;
  high_y_ = target.height + kGuard;
  const bool is_float = target.format == DepthFormat::float32;
  z_low_ = is_float ? 0x1p-100 : 2;
  z_high_ = is_float ? kFloatRange : 2 + units(target.format);
  const double range = z_high_ - z_low_;
  if (camera.perspective) {  // z / w = low + range (1/near - 1/depth) / (1/near - 1/far)
    const double k = range / (1 / camera.near - 1 / camera.far);
    z_scale_ = z_low_ + k / camera.near;
    z_offset_ = -k;
  } else {
    z_scale_ = range / (camera.far - camera.near);
    z_offset_ = z_low_ - camera.near * z_scale_;
  }
}

Projection::Point Projection::project(const Vec3d& p) const {
  const Vec3d c = camera_.to_camera(p);
  if (!camera_.perspective)
    return {c[0] * scale_x_ + offset_x_, c[1] * scale_y_ + offset_y_, c[2] * z_scale_ + z_offset_, 1};
  return {c[0] * scale_x_ + offset_x_ * c[2], c[1] * scale_y_ + offset_y_ * c[2], c[2] * z_scale_ + z_offset_, c[2]};
}

bool Projection::inside(const Point& p) const {
  return p.w > 0 && p.z >= z_low_ * p.w && p.z <= z_high_ * p.w && p.x >= low_x_ * p.w && p.x <= high_x_ * p.w &&
         p.y >= low_y_ * p.w && p.y <= high_y_ * p.w;
}

bool Projection::well_inside(const Vec3d& point) const {
  const Point p = project(point);
  constexpr double kMargin = 1e-6;
  const double depth = (z_high_ - z_low_) * kMargin;
  return inside(p) && p.z - depth >= z_low_ && p.z + depth <= z_high_ && p.x - kMargin >= low_x_ &&
         p.x + kMargin <= high_x_ && p.y - kMargin >= low_y_ && p.y + kMargin <= high_y_;
}

void Projection::finish(const Point* points, Primitive& out) const {
  for (int i = 0; i < 3; ++i) {
    const Point& p = points[i];
    out.x[i] = static_cast<std::int32_t>(std::floor(p.x / p.w * kSubpixels + 0.5));
    out.y[i] = static_cast<std::int32_t>(std::floor(p.y / p.w * kSubpixels + 0.5));
    out.z[i] = std::clamp(p.z / p.w, z_low_, z_high_);
  }
  out.area = std::int64_t{out.x[1] - out.x[0]} * (out.y[2] - out.y[0]) -
             std::int64_t{out.x[2] - out.x[0]} * (out.y[1] - out.y[0]);
}

int Projection::triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, Primitive* out) const {
  std::array<Point, 10> polygon = {project(a), project(b), project(c)};
  int count = 3;
  if (inside(polygon[0]) && inside(polygon[1]) && inside(polygon[2])) {
    finish(polygon.data(), out[0]);
    return 1;
  }
  const auto clip = [&](const auto& distance) {
    std::array<Point, 10> kept;
    int n = 0;
    for (int i = 0; i < count; ++i) {
      const Point &p = polygon[i], &q = polygon[(i + 1) % count];
      const double dp = distance(p), dq = distance(q);
      if (dp >= 0) kept[n++] = p;
      if ((dp >= 0) != (dq >= 0)) {
        // From the inner to the outer end whatever the direction, so that both triangles of an edge cut it alike.
        const Point &s = dp >= 0 ? p : q, &t = dp >= 0 ? q : p;
        const double ds = std::max(dp, dq), u = ds / (ds - std::min(dp, dq));
        kept[n++] = {s.x + (t.x - s.x) * u, s.y + (t.y - s.y) * u, s.z + (t.z - s.z) * u, s.w + (t.w - s.w) * u};
      }
    }
    polygon = kept;
    count = n;
  };
  clip([&](const Point& p) { return p.z - z_low_ * p.w; });
  clip([&](const Point& p) { return z_high_ * p.w - p.z; });
  clip([&](const Point& p) { return p.x - low_x_ * p.w; });
  clip([&](const Point& p) { return high_x_ * p.w - p.x; });
  clip([&](const Point& p) { return p.y - low_y_ * p.w; });
  clip([&](const Point& p) { return high_y_ * p.w - p.y; });
  for (int i = 2; i < count; ++i) {
    const Point fan[3] = {polygon[0], polygon[i - 1], polygon[i]};
    finish(fan, out[i - 2]);
  }
  return std::max(0, count - 2);
}

int Projection::line(const Vec3d& a, const Vec3d& b, Primitive* out) const {
  Point p = project(a), q = project(b);
  const auto clip = [&](const auto& distance) {
    const double dp = distance(p), dq = distance(q);
    if (dp < 0 && dq < 0) return false;
    if (dp >= 0 && dq >= 0) return true;
    const double u = dp / (dp - dq);
    (dp < 0 ? p : q) = {p.x + (q.x - p.x) * u, p.y + (q.y - p.y) * u, p.z + (q.z - p.z) * u, p.w + (q.w - p.w) * u};
    return true;
  };
  const bool left = clip([&](const Point& r) { return r.z - z_low_ * r.w; }) &&
                    clip([&](const Point& r) { return z_high_ * r.w - r.z; }) &&
                    clip([&](const Point& r) { return r.x - low_x_ * r.w; }) &&
                    clip([&](const Point& r) { return high_x_ * r.w - r.x; }) &&
                    clip([&](const Point& r) { return r.y - low_y_ * r.w; }) &&
                    clip([&](const Point& r) { return high_y_ * r.w - r.y; });
  if (!left) return 0;
  const Point ends[3] = {p, q, q};
  finish(ends, *out);
  return 1;
}

// Where the plane's error (core/rules/bounds.h, 6) is more than a quarter of a unit, the depths of the corners bound
// the depth (image) or are all there is (conservative).
DepthPlane::DepthPlane(const Primitive& p, Coverage coverage)
    : low(std::min({p.z[0], p.z[1], p.z[2]})),
      high(std::max({p.z[0], p.z[1], p.z[2]})),
      half(std::numeric_limits<double>::infinity()),
      x0(p.x[0] >> 8),
      y0(p.y[0] >> 8) {
  z = p.z[0];
  if (p.area == 0) return;
  const double x1 = p.x[1] - p.x[0], y1 = p.y[1] - p.y[0], x2 = p.x[2] - p.x[0], y2 = p.y[2] - p.y[0];
  const double z1 = p.z[1] - p.z[0], z2 = p.z[2] - p.z[0];
  const double area = static_cast<double>(p.area);
  const double dx = (z1 * y2 - z2 * y1) / area, dy = (z2 * x1 - z1 * x2) / area;
  z += dx * (x0 * kSubpixels + kSubpixels / 2 - p.x[0]) + dy * (y0 * kSubpixels + kSubpixels / 2 - p.y[0]);
  zx = dx * kSubpixels;
  zy = dy * kSubpixels;
  const double extent = std::max({std::abs(x1), std::abs(y1), std::abs(x2), std::abs(y2)}) + 2 * kSubpixels;
  const double error = rules::depth_error(high - low, extent, std::abs(area));
  const bool is_float = high <= 1;
  const bool sure = error < (is_float ? rules::kDepthUnitFloat : 1.0) * rules::kDepthError;
  if (coverage == Coverage::image) {
    // Whole numbers at the corners stay what they are: a quarter of a unit does not leave the range of the format.
    bounded = is_float || !sure;
    if (!bounded) low = -half, high = half;
  } else if (sure) {
    half = (std::abs(dx) + std::abs(dy)) * (kSubpixels / 2 + rules::kGrow);
  }
}

// Adding 2^52 rounds to a whole number (ties to even), which is then the number's low bits.
std::uint32_t nearest_key(double z, DepthFormat format) {
  if (format == DepthFormat::float32) return std::bit_cast<std::uint32_t>(static_cast<float>(z));
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(z + 0x1p52));
}

// Outwards by kDepthSpare units; a float's rounding is covered by two units in its last place.
std::uint32_t low_key(double z, DepthFormat format) {
  if (format != DepthFormat::float32)
    return static_cast<std::uint32_t>(std::max(1.0, std::floor(z) - rules::kDepthSpare));
  return std::max(3u, std::bit_cast<std::uint32_t>(static_cast<float>(std::max(0.0, z - rules::kDepthSpareFloat)))) - 2;
}
std::uint32_t high_key(double z, DepthFormat format) {
  if (format != DepthFormat::float32)
    return static_cast<std::uint32_t>(
        std::min(std::ceil(z) + rules::kDepthSpare, static_cast<double>(far_key(format)) - 1));
  return std::bit_cast<std::uint32_t>(static_cast<float>(z + rules::kDepthSpareFloat)) + 2;
}

}  // namespace sightline::papers::raster
