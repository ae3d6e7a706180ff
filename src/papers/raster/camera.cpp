#include "raster/camera.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/vector.h"
#include "rules/bounds.h"

namespace sightline::papers::raster {
namespace {

constexpr double kMargin = 1.0 / 64;

double length(const Vec3d& v) { return std::sqrt(dot(v, v)); }
Vec3d unit(const Vec3d& v) {
  const double l = length(v);
  return {v[0] / l, v[1] / l, v[2] / l};
}
bool finite(const Vec3d& v) { return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]); }

/// Axes of the image for a direction: `up` is the world axis least along it, made perpendicular.
void set_axes(Camera& camera, const Vec3d& direction) {
  camera.forward = unit(direction);
  int least = 0;
  for (int axis = 1; axis < 3; ++axis)
    if (std::abs(camera.forward[axis]) < std::abs(camera.forward[least])) least = axis;
  Vec3d helper = {0, 0, 0};
  helper[least] = 1;
  camera.right = unit(cross(camera.forward, helper));
  camera.up = cross(camera.right, camera.forward);
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  /// With a margin; never empty.
  Range grown(double least) const {
    if (!(low <= high)) return {-1, 1};
    const double by = std::max((high - low) * kMargin, least);
    return {low - by, high + by};
  }
};

void set_window(Camera& camera, const Range& x, const Range& y, const Range& z) {
  const double extent = std::max({x.high - x.low, y.high - y.low, z.high - z.low, 0.0});
  // Never so small that the scale to pixels or depth units overflows: a scene of size 1e-300 falls into one pixel.
  // Flat scenes are given some depth, so that a unit of it is more than rounding (core/rules/bounds.h, 6).
  const double least = extent > 0 ? std::max(extent * rules::kFlattest, 1e-280) : rules::kFlattest;
  const Range gx = x.grown(least), gy = y.grown(least), gz = z.grown(least);
  camera.left = gx.low, camera.right_edge = gx.high;
  camera.bottom = gy.low, camera.top = gy.high;
  camera.near = gz.low, camera.far = gz.high;
}

void set_frustum(Camera& camera, const View& view, std::span<const Vec3d> points) {
  camera.perspective = true;
  camera.origin = view.eye;
  Range depth;
  for (const Vec3d& p : points) depth.add(camera.to_camera(p)[2]);
  camera.far = std::isfinite(depth.high) && depth.high > 0 ? depth.high * (1 + kMargin) : 1;
  // What is nearer than this is clipped, as with any camera inside its scene.
  camera.near = std::max(depth.low * (1 - kMargin), camera.far * 1e-3);
  const double half = std::tan(view.field_of_view * (3.141592653589793 / 360));
  camera.left = camera.bottom = -half;
  camera.right_edge = camera.top = half;
}

}  // namespace

void check_view(const View& view) {
  const Vec3d& d = view.direction;
  const double most = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
  if (!finite(d) || !(most > 0) || !(most < 1e150) || most < 1e-150)
    throw Error(formatted("view: direction ({}, {}, {}) is not a direction", d[0], d[1], d[2]));
  if (!(view.field_of_view >= 0) || !(view.field_of_view < 180))
    throw Error(
        formatted("view: a field of view of {} degrees; it must be at least 0 and below 180", view.field_of_view));
  if (!finite(view.eye))
    throw Error(formatted("view: eye ({}, {}, {}) is not finite", view.eye[0], view.eye[1], view.eye[2]));
}

Camera aim(const View& view, const Box& scene) {
  check_view(view);
  Camera camera;
  set_axes(camera, view.direction);
  if (!scene.empty())
    for (int axis = 0; axis < 3; ++axis) camera.origin[axis] = scene.low[axis] / 2 + scene.high[axis] / 2;
  return camera;
}

std::optional<Box> seen_along_axis(const Camera& camera, const Box& points) {
  if (camera.perspective) return std::nullopt;
  for (const Vec3d* v : {&camera.right, &camera.up, &camera.forward})
    if (std::count(v->begin(), v->end(), 0.0) != 2 || std::abs((*v)[0] + (*v)[1] + (*v)[2]) != 1) return std::nullopt;
  const Vec3d low = camera.to_camera(points.low), high = camera.to_camera(points.high);
  if (!finite(low) || !finite(high)) return std::nullopt;  // also a box of nothing
  Box seen;
  seen.add(low);
  seen.add(high);
  return seen;
}

void set_window(Camera& camera, const Box& seen) {
  set_window(camera, {seen.low[0], seen.high[0]}, {seen.low[1], seen.high[1]}, {seen.low[2], seen.high[2]});
  if (!std::isfinite(camera.right_edge - camera.left) || !std::isfinite(camera.top - camera.bottom) ||
      !std::isfinite(camera.far - camera.near))
    throw Error("view: the coordinates are too large for an image; scale the scene");
}

Camera fit_camera(const View& view, std::span<const Vec3d> points) {
  Box scene, seen;
  for (const Vec3d& p : points) scene.add(p);
  Camera camera = aim(view, scene);
  if (view.field_of_view > 0) {
    set_frustum(camera, view, points);
    return camera;
  }
  for (const Vec3d& p : points) seen.add(camera.to_camera(p));
  set_window(camera, seen);
  return camera;
}

Camera axis_camera(int axis, const Vec3d& low, const Vec3d& high) {
  View view;
  view.direction = {0, 0, 0};
  view.direction[axis] = -1;
  std::vector<Vec3d> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(
        {(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1], (i & 4) != 0 ? high[2] : low[2]});
  return fit_camera(view, corners);
}

}  // namespace sightline::papers::raster
