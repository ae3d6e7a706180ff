// From a triangle of the scene to what is drawn: projected, clipped, snapped. Shared by the implementations, so that
// they cover the same pixels.
#pragma once

#include <array>
#include <cstdint>

#include "raster/raster.h"

namespace sightline::papers::raster {

inline constexpr int kSubpixels = 256;

/// Corners on the image: x, y in 1/256 pixel, depth in key units (fixed) or in [0, 1) (float32).
struct Primitive {
  std::int32_t x[3], y[3];
  double z[3];
  std::int64_t area = 0;  ///< twice the signed area in 1/256 pixel squared; > 0 is front-facing
};

/// Maps a scene to a target.
class Projection {
 public:
  Projection() = default;
  Projection(const Camera& camera, const Target& target);

  /// Most primitives that clipping makes of one triangle: a polygon of up to 3 + 6 corners, as a fan.
  static constexpr int kMost = 7;
  /// Writes the primitives of a filled triangle, in a fixed order; returns how many.
  int triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, Primitive* out) const;
  /// A line from a to b as a primitive with corners a, b, b; returns 1, or 0 if all of it is clipped away.
  int line(const Vec3d& a, const Vec3d& b, Primitive* out) const;

  /// For a device that projects itself: pixels and depth of a point in camera coordinates, without perspective.
  struct Scales {
    double scale_x = 1, offset_x = 0, scale_y = 1, offset_y = 0, z_scale = 1, z_offset = 0, z_low = 0, z_high = 1;
  };
  const Scales& scales() const { return scales_; }
  /// Without perspective: inside what is drawn without clipping, and by more than rounding can be off.
  bool well_inside(const Vec3d& p) const;

 private:
  struct Point {
    double x, y, z, w;  ///< window coordinates times w, in pixels and depth units; inside is 0 <= z <= range * w
  };
  Point project(const Vec3d& p) const;
  bool inside(const Point& p) const;
  double distance(int plane, const Point& p) const;
  void finish(const Point* points, Primitive& out) const;

  Camera camera_;
  Scales scales_;
  double low_[3] = {0, 0, 0}, high_[3] = {0, 0, 0};  ///< what is drawn: x and y of the guard band in pixels, and depth
};

/// The depth at the sample that is (x, y) pixels from a plane's anchor: in this order, each operation rounded to
/// double.
inline double depth_at(double z, double zx, double zy, std::int32_t x, std::int32_t y) {
  return (z + zy * static_cast<double>(y)) + zx * static_cast<double>(x);
}

/// The depth of a primitive as a plane over the image, anchored at the pixel that holds corner 0.
struct DepthPlane {
  DepthPlane() = default;
  DepthPlane(const Primitive& p, Coverage coverage);

  double z = 0, zx = 0, zy = 0;  ///< at the anchor's sample, and per pixel
  /// Of the corners; infinite where rounding cannot leave their range at samples inside the triangle.
  double low = 0, high = 0;
  /// Conservative: half of what depth changes over a pixel (and the snapping); infinite where the slope is not known
  /// well enough.
  double half = 0;
  std::int32_t x0 = 0, y0 = 0;  ///< the anchor, a pixel; may lie outside the image

  double at(std::int32_t x, std::int32_t y) const { return depth_at(z, zx, zy, x - x0, y - y0); }
};

/// Keys of a depth: rounded to nearest, downwards and upwards with one unit to spare.
std::uint32_t nearest_key(double z, DepthFormat format);
std::uint32_t low_key(double z, DepthFormat format);
std::uint32_t high_key(double z, DepthFormat format);

}  // namespace sightline::papers::raster
