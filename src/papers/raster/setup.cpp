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
  constexpr std::uint32_t kKeys[] = {0xFFFFu, 0xFFFFFFu, 0xFFFFFFFFu, std::bit_cast<std::uint32_t>(1.0f)};
  return kKeys[static_cast<int>(format)];
}

double units(DepthFormat format) { return static_cast<double>(far_key(format)) - 4; }

Projection::Projection(const Camera& camera, const Target& target) : camera_(camera) {
  Scales& s = scales_;
  s.scale_x = target.width / (camera.right_edge - camera.left);
  s.scale_y = target.height / (camera.top - camera.bottom);
  s.offset_x = -camera.left * s.scale_x;
  s.offset_y = -camera.bottom * s.scale_y;
  const bool is_float = target.format == DepthFormat::float32;
  s.z_low = is_float ? 0x1p-100 : 2;
  s.z_high = is_float ? kFloatRange : 2 + units(target.format);
  const double range = s.z_high - s.z_low;
  if (camera.perspective) {  // z / w = low + range (1/near - 1/depth) / (1/near - 1/far)
    const double k = range / (1 / camera.near - 1 / camera.far);
    s.z_scale = s.z_low + k / camera.near;
    s.z_offset = -k;
  } else {
    s.z_scale = range / (camera.far - camera.near);
    s.z_offset = s.z_low - camera.near * s.z_scale;
  }
  low_[0] = low_[1] = -kGuard;
  high_[0] = target.width + kGuard;
  high_[1] = target.height + kGuard;
  low_[2] = s.z_low;
  high_[2] = s.z_high;
}

Projection::Point Projection::project(const Vec3d& p) const {
  const Vec3d c = camera_.to_camera(p);
  const Scales& s = scales_;
  if (!camera_.perspective)
    return {c[0] * s.scale_x + s.offset_x, c[1] * s.scale_y + s.offset_y, c[2] * s.z_scale + s.z_offset, 1};
  return {c[0] * s.scale_x + s.offset_x * c[2], c[1] * s.scale_y + s.offset_y * c[2], c[2] * s.z_scale + s.z_offset,
          c[2]};
}

bool Projection::inside(const Point& p) const {
  return p.w > 0 && p.z >= low_[2] * p.w && p.z <= high_[2] * p.w && p.x >= low_[0] * p.w && p.x <= high_[0] * p.w &&
         p.y >= low_[1] * p.w && p.y <= high_[1] * p.w;
}

bool Projection::well_inside(const Vec3d& point) const {
  const Point p = project(point);
  constexpr double kMargin = 1e-6;
  const double depth = (high_[2] - low_[2]) * kMargin;
  return inside(p) && p.z - depth >= low_[2] && p.z + depth <= high_[2] && p.x - kMargin >= low_[0] &&
         p.x + kMargin <= high_[0] && p.y - kMargin >= low_[1] && p.y + kMargin <= high_[1];
}

/// From one of the six planes that clip: near, far, left, right, bottom, top. Negative outside.
double Projection::distance(int plane, const Point& p) const {
  const int axis = (plane / 2 + 2) % 3;
  const double at = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
  return plane % 2 == 0 ? at - low_[axis] * p.w : high_[axis] * p.w - at;
}

void Projection::finish(const Point* points, Primitive& out) const {
  for (int i = 0; i < 3; ++i) {
    const Point& p = points[i];
    out.x[i] = static_cast<std::int32_t>(std::floor(p.x / p.w * kSubpixels + 0.5));
    out.y[i] = static_cast<std::int32_t>(std::floor(p.y / p.w * kSubpixels + 0.5));
    out.z[i] = std::clamp(p.z / p.w, low_[2], high_[2]);
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
  for (int plane = 0; plane < 6; ++plane) {
    std::array<Point, 10> kept;
    int n = 0;
    for (int i = 0; i < count; ++i) {
      const Point &p = polygon[i], &q = polygon[(i + 1) % count];
      const double dp = distance(plane, p), dq = distance(plane, q);
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
  }
  for (int i = 2; i < count; ++i) {
    const Point fan[3] = {polygon[0], polygon[i - 1], polygon[i]};
    finish(fan, out[i - 2]);
  }
  return std::max(0, count - 2);
}

int Projection::line(const Vec3d& a, const Vec3d& b, Primitive* out) const {
  Point p = project(a), q = project(b);
  for (int plane = 0; plane < 6; ++plane) {
    const double dp = distance(plane, p), dq = distance(plane, q);
    if (dp < 0 && dq < 0) return 0;
    if (dp >= 0 && dq >= 0) continue;
    const double u = dp / (dp - dq);
    (dp < 0 ? p : q) = {p.x + (q.x - p.x) * u, p.y + (q.y - p.y) * u, p.z + (q.z - p.z) * u, p.w + (q.w - p.w) * u};
  }
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
    if (!is_float && sure) low = -half, high = half;
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
