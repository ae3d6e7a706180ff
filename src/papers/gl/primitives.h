// Triangles and lines as the programs read them: projected, snapped, with their depth plane.
//
// If a view is orthographic and shows the whole scene, the device sets up all triangles itself, each as one primitive.
// If something must be clipped, the host does it with the code of raster/setup.h, for the triangles that are drawn,
// each once for a view. Both give the same numbers: the device's program does the same operations in double, and
// arithmetic.h checks this for each driver.
#pragma once

#include <vector>

#include "gl/context.h"
#include "raster/raster.h"
#include "raster/setup.h"

namespace sightline::papers::gl {

/// As `Primitive` of programs/common.cpp.
struct GpuPrimitive {
  std::int32_t x0, y0, x1, y1;
  std::int32_t x2, y2, anchor_x, anchor_y;
  double z, zx, zy, low, high, spread;
  std::int32_t facing;
  std::uint32_t triangle;
  std::int32_t kind;
  std::int32_t unused;
};
static_assert(sizeof(GpuPrimitive) == 96);
/// The host's own setup, with the code of raster/setup.h.
GpuPrimitive record_of(raster::Primitive p, std::int32_t facing, std::uint32_t triangle, bool line,
                       raster::Coverage coverage);
inline std::int32_t facing_of(const raster::Primitive& p) { return p.area > 0 ? 1 : p.area < 0 ? -1 : 0; }

class Primitives {
 public:
  explicit Primitives(Context& context) : context_(context) {}

  void geometry(const raster::Geometry& geometry);
  /// Drops what the host made for the last view.
  void view(const raster::Camera& camera, const raster::Target& target);

  /// Appends the primitives of triangles, in the order in which they are drawn.
  void append(raster::Fill fill, std::span<const std::uint32_t> triangles, std::vector<std::uint32_t>& list);
  bool on_device() const { return on_device_; }

  /// Copies all of them to buffer().
  void upload();
  const Buffer& buffer() const { return context_.primitives(current_); }

 private:
  struct Range {
    std::uint32_t first = 0, count = 0;
    bool made = false;
  };
  bool all_inside() const;
  void choose_kept();
  void set_up_on_device();
  Range make(std::uint32_t triangle, bool solid);
  std::size_t from_device() const { return on_device_ ? geometry_.triangles.size() : 0; }

  Context& context_;
  raster::Geometry geometry_;
  raster::Camera camera_;
  raster::Target target_;
  raster::Projection projection_;
  bool on_device_ = false, geometry_there_ = false;
  /// Passes return to a few views: the device's primitives of the last ones are kept while the geometry stays.
  struct Kept {
    raster::Camera camera;
    raster::Target target;
    bool set_up = false;
    std::uint64_t used = 0;
  };
  std::array<Kept, Context::kViews> kept_;
  std::size_t current_ = 0;  ///< of kept_
  std::uint64_t views_ = 0;
  std::vector<GpuPrimitive> made_;  ///< on the host; in the buffer behind those of the device (from_device)
  std::size_t uploaded_ = 0;
  std::vector<Range> solids_, lines_;  ///< by triangle
};

}  // namespace sightline::papers::gl
