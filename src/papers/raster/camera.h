// Where an image is taken from: camera coordinates, and the window that the image shows.
#pragma once

#include <optional>
#include <span>

#include "base/box.h"
#include "sightline/papers.h"

namespace sightline::papers::raster {

struct Camera {
  Vec3d origin = {0, 0, 0};
  /// Unit vectors, right x up = -forward. Depth grows along forward.
  Vec3d right = {1, 0, 0}, up = {0, 1, 0}, forward = {0, 0, -1};
  bool perspective = false;
  /// The window in camera coordinates; with perspective, at distance 1 from the origin.
  double left = -1, right_edge = 1, bottom = -1, top = 1;
  double near = -1, far = 1;  ///< with perspective, 0 < near < far

  Vec3d to_camera(const Vec3d& p) const {
    const Vec3d d = {p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]};
    return {d[0] * right[0] + d[1] * right[1] + d[2] * right[2], d[0] * up[0] + d[1] * up[1] + d[2] * up[2],
            d[0] * forward[0] + d[1] * forward[1] + d[2] * forward[2]};
  }
  friend bool operator==(const Camera&, const Camera&) = default;
};

/// Throws Error for a direction or an eye that is not finite, a direction of length 0 and a field of view outside
/// [0, 180).
void check_view(const View& view);

/// The camera of a view whose window holds all points, with a margin of 1/64 on each side. Throws Error as check_view
/// does.
Camera fit_camera(const View& view, std::span<const Vec3d> points);

/// The same in steps, for many points and several workers: the box of all points, a camera from its middle, the
/// box of all points in that camera's coordinates. Not for a field of view.
Camera aim(const View& view, const Box& scene);
/// The box of all points in the camera's coordinates, from their own box: for a camera that looks along an axis, where
/// each coordinate is one of theirs, less the origin's, perhaps negated. (Rounding keeps order, so that it is the very
/// box that all points would give.) Nothing for other cameras, and where numbers overflow.
std::optional<Box> seen_along_axis(const Camera& camera, const Box& points);
void set_window(Camera& camera, const Box& seen);

}  // namespace sightline::papers::raster
