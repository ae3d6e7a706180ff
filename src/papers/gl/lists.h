// The lists of tiles, which entries touch which tile: made by five programs (programs/lists.cpp) for a batch
// (tile_raster.cpp) and for a sweep (sweep.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gl/primitives.h"

namespace sightline::papers::gl {

inline constexpr std::uint32_t kListTile = 16;  ///< pixels a side
inline std::uint32_t tiles_along(std::uint32_t pixels) { return (pixels + kListTile - 1) / kListTile; }
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

/// Words of the lists that their buffers have room for.
std::uint32_t list_capacity(Context& context, bool sweep);
/// Uniforms of the current program that depend on the target; those that it lacks are left out.
void set_target(Context& context, const raster::Target& target);

struct Lists {
  Context& context;
  const Primitives& primitives;
  const raster::Target& target;
  const Buffer& header;
  bool sweep;
  std::uint32_t first_entry, entries, commands;
  bool one_each = false;  ///< a sweep's elements have one triangle each

  /// Makes a program current, with the uniforms of all programs that make or read lists.
  template <typename Text>
  void use(const char* name, const Text& text) const {
    context.compute(name, text);
    set_uniforms();
  }
  /// count, count large, place: the lengths of the lists, and where they go. Binds what all list programs need.
  void measure() const;
  /// fill, fill large: writes the lists, as far as they fit.
  void fill() const { bin(true); }
  /// Draws or sweeps: a work group of the current program for each tile with a list.
  void dispatch_tiles() const { glDispatchComputeIndirect(offsetof(ListHeader, tile_groups)); }

 private:
  void bin(bool fill) const;
  void set_uniforms() const;
};

}  // namespace sightline::papers::gl
