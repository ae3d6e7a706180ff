// Inside or outside for many points at once, by counting crossings in an image.
//
// After CInDeR (Knott, Pai 2003), which casts virtual rays by drawing: a pixel's stencil counts the faces behind the
// point that was drawn there. Here the points are put into the cells of a 2D image across the rays' axis, and the
// triangles of the surface are streamed over it once; each flips the parity of the points that it lies above.
//
// | CInDeR                     | here                                                                |
// |----------------------------|---------------------------------------------------------------------|
// | pixel of an edge fragment  | cell with any number of points, one for each component of a query   |
// | stencil +1 front, -1 back  | parity: orientation plays no part (docs/definitions.md)              |
// | depth test at pixel centre | exact signs at a flag (solid/flag.h)                                |
//
// Where we differ, and why: cells only select the points to test, so their size does not affect the answer, and nothing
// is sampled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solid/side.h"

namespace sightline::solid {

/// Points in cells of the plane across an axis. The map to cells is monotone in floating point, so the cells of a box
/// hold all points of the box.
class PointImage {
 public:
  PointImage(std::span<const Vec3d> points, int ray, Poll& poll);

  /// Calls visit(i) for each point i above which the box may lie: those with the box's image, and not beyond it.
  /// Returns how many points were tested.
  template <typename Visit>
  std::uint64_t below(const Box& box, const Visit& visit) const {
    return each_row(box, [&](std::uint32_t first, std::uint32_t last) {
      for (std::uint32_t i = first; i < last; ++i)
        if (ray_meets(box, {placed_[i], placed_[i]}, axis_[2])) visit(order_[i]);
    });
  }
  /// How many points `below` has to test.
  std::uint64_t tests(const Box& box) const {
    return each_row(box, [](std::uint32_t, std::uint32_t) {});
  }

 private:
  /// Calls visit(first, last) for the points in each row of the box's cells: the cells of a row are one range. Returns
  /// the number of these points.
  template <typename Visit>
  std::uint64_t each_row(const Box& box, const Visit& visit) const {
    if (!ray_meets(box, bounds_, axis_[2])) return 0;
    std::uint64_t points = 0;
    const std::uint32_t u = cell(0, box.low[axis_[0]]), u_last = cell(0, box.high[axis_[0]]);
    const std::uint32_t v_last = cell(1, box.high[axis_[1]]);
    for (std::uint32_t v = cell(1, box.low[axis_[1]]); v <= v_last; ++v) {
      const std::uint32_t first = begin_[v * size_[0] + u], last = begin_[v * size_[0] + u_last + 1];
      visit(first, last);
      points += last - first;
    }
    return points;
  }
  std::uint32_t cell(int k, double x) const {
    const double c = (0.5 * x - half_low_[k]) * scale_[k];  // halves: no overflow
    const std::uint32_t last = size_[k] - 1;
    return c >= last ? last : c > 0 ? static_cast<std::uint32_t>(c) : 0;
  }

  int axis_[3];  // across, across, along the rays
  Box bounds_;
  double half_low_[2], scale_[2];
  std::uint32_t size_[2] = {1, 1};
  std::vector<std::uint32_t> begin_, order_;
  std::vector<Vec3d> placed_;  // points in the order of cells
};

/// For each point 1 if it is inside the body, as `inside` decides for Flag::near(point).
std::vector<std::uint8_t> inside_by_image(const Body& body, std::span<const Vec3d> points, Poll poll = {});
std::vector<std::uint8_t> inside_by_tree(const Body& body, std::span<const Vec3d> points, Poll poll = {});

/// True if the image is expected to be faster. `has_tree`: the body has one, or needs one anyway.
bool image_pays(const Body& body, std::span<const Vec3d> points, bool has_tree, Poll& poll);

}  // namespace sightline::solid
