// Raster::peel on the device: one program for all layers of all regions, and one wait. The host projects and clips the
// triangles of each region (raster/setup.h) and sorts them into tiles of 16 x 16 pixels. A work group takes a tile and
// goes through its list once for each layer (programs/peel.cpp): a pixel's layers depend on that pixel only, so a layer
// never leaves its thread. Pairs of ids and the counts of the layers come back.
#pragma once

#include <span>
#include <vector>

#include "gl/context.h"
#include "gl/primitives.h"
#include "raster/peel.h"

namespace sightline::papers::gl {

class RegionPeeler {
 public:
  explicit RegionPeeler(Context& context) : context_(context) {}

  /// No batch is under way. False: nothing was done, since a buffer would be too large.
  bool run(const raster::Geometry& geometry, raster::DepthFormat format, std::span<const raster::PeelRegion> regions,
           std::span<const std::uint32_t> ids, raster::Peeled& result, raster::Counters& counters);

 private:
  /// As `Tile` of programs/peel.cpp.
  struct GpuTile {
    std::uint32_t begin, middle, end, reach;  ///< entries of object 0, then of object 1
    std::int32_t x, y, side;                  ///< pixels
    std::uint32_t region, starts, unused[3];
  };
  static_assert(sizeof(GpuTile) == 48);

  void add(const raster::Geometry& geometry, raster::DepthFormat format, const raster::PeelRegion& region,
           std::uint32_t number, std::span<const std::uint32_t> ids);
  bool fits(std::size_t bytes) const { return bytes <= static_cast<std::size_t>(context_.info.most_bytes); }
  void upload();
  void submit(raster::DepthFormat format, std::size_t counts, std::uint32_t layers, std::uint32_t capacity);

  Context& context_;
  std::vector<GpuPrimitive> primitives_;
  std::vector<std::uint32_t> entries_;
  std::vector<GpuTile> tiles_;
};

}  // namespace sightline::papers::gl
