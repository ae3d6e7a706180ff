#include "raster/camera.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/vector.h"
#include "rules/bounds.h"

namespace sightline::papers::raster {
namespace {

constexpr double kMargin = 1.0 / 64;

Vec3d unit(const Vec3d& v) {
  const double l = std::sqrt(dot(v, v));
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

void set_frustum(Camera& camera, const View& view, std::span<const Vec3d> points) {
  camera.perspective = true;
  camera.origin = view.eye;
  Box seen;
  for (const Vec3d& p : points) seen.add(camera.to_camera(p));
  camera.far = std::isfinite(seen.high[2]) && seen.high[2] > 0 ? seen.high[2] * (1 + kMargin) : 1;
  // What is nearer than this is clipped, as with any camera inside its scene.
  camera.near = std::max(seen.low[2] * (1 - kMargin), camera.far * 1e-3);
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
  if (!scene.empty()) camera.origin = scene.centre();
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
  const Vec3d size = seen.high - seen.low;
  const double extent = std::max({size[0], size[1], size[2], 0.0});
  // Never so small that the scale to pixels or depth units overflows: a scene of size 1e-300 falls into one pixel.
  // Flat scenes are given some depth, so that a unit of it is more than rounding (core/rules/bounds.h, 6).
  const double least = extent > 0 ? std::max(extent * rules::kFlattest, 1e-280) : rules::kFlattest;
  const auto grown = [&](int axis, double& low, double& high) {
    const bool none = !(seen.low[axis] <= seen.high[axis]);
    const double by = std::max(size[axis] * kMargin, least);
    low = none ? -1 : seen.low[axis] - by;
    high = none ? 1 : seen.high[axis] + by;
  };
  grown(0, camera.left, camera.right_edge);
  grown(1, camera.bottom, camera.top);
  grown(2, camera.near, camera.far);
  if (!std::isfinite(camera.right_edge - camera.left) || !std::isfinite(camera.top - camera.bottom) ||
      !std::isfinite(camera.far - camera.near))
    throw Error("view: the coordinates are too large for an image; scale the scene");
}

Camera fit_camera(const View& view, std::span<const Vec3d> points) {
  Box seen;
  Camera camera = aim(view, box_of(points));
  if (view.field_of_view > 0) {
    set_frustum(camera, view, points);
    return camera;
  }
  for (const Vec3d& p : points) seen.add(camera.to_camera(p));
  set_window(camera, seen);
  return camera;
}

}  // namespace sightline::papers::raster
