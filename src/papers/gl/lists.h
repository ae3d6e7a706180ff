// Shared by the programs that make and read the lists of tiles (programs/lists.cpp) and by their callers,
// tile_raster.cpp and sweep.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "raster/raster.h"

namespace sightline::papers::gl {

inline constexpr std::uint32_t kTile = 16;  ///< pixels a side
inline std::uint32_t tiles_along(std::uint32_t pixels) { return (pixels + kTile - 1) / kTile; }
inline std::size_t tiles_of(const raster::Target& target) {
  return std::size_t{tiles_along(target.width)} * tiles_along(target.height);
}

/// The most entries of one submission: the lists of 256 tiles, each with all entries, are then counted in 32 bits
/// (programs/lists.cpp: kPlace), and so are the fragments of a tile, two for each of its 256 pixels and each entry.
inline constexpr std::size_t kMostEntries = 0x7FFFFF;

/// The first fields of `Header` of programs/common.cpp.
struct ListHeader {
  std::uint32_t total[2] = {0, 0};  ///< entries of all lists, low and high word
  std::uint32_t nonempty = 0, large_count = 0;
  std::uint32_t tile_groups[4] = {0, 0, 1, 0}, large_groups[4] = {1024, 0, 1, 0};  ///< of indirect dispatches
};

}  // namespace sightline::papers::gl
