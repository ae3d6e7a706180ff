// Raster::sweep on the device. Both passes of all elements are seven programs one after the other, and one wait: five
// make the lists of tiles, one for both passes (lists.h); then forward and reverse, in which a work group goes through
// its tile's list (programs/sweep.cpp). Forward puts it into order; what reverse draws may depend on what passed
// forward, anywhere in the image, so it is a program after it.
// Nothing is kept in images: a pixel's depth begins and ends in its thread.
#pragma once

#include <span>
#include <vector>

#include "gl/lists.h"

namespace sightline::papers::gl {

class Sweeper {
 public:
  Sweeper(Context& context, Primitives& primitives) : context_(context), primitives_(primitives) {}

  /// For triangles that the device sets up itself, of an existing pool. No batch is under way, and the lists of all
  /// tiles are empty, before and after. False: nothing was done, since there are too many entries (kMostEntries) or
  /// their lists would be too long.
  bool run(const raster::Target& target, std::span<const raster::SweepElement> elements, std::span<std::uint8_t> passed,
           raster::Counters& counters);

 private:
  /// As `Element` of programs/common.cpp.
  struct GpuElement {
    std::uint32_t first, begin, group, use;
  };
  bool upload(std::span<const raster::SweepElement> elements);
  void make_room(std::size_t lists);
  void submit(const raster::Target& target);
  /// The context keeps two copies of the lists. Longer lists are drawn part by part instead (tile_raster.cpp).
  std::size_t most_list_bytes() const { return static_cast<std::size_t>(context_.info.most_bytes) / 4; }

  Context& context_;
  Primitives& primitives_;
  std::vector<GpuElement> elements_;
  std::vector<std::uint32_t> answer_;  ///< the header, then a word for each element
  std::uint32_t entries_ = 0;
  bool one_each_ = false;
};

}  // namespace sightline::papers::gl
