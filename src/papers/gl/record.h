// A state, a command and an entry as the programs read them, and how a state is packed.
#pragma once

#include <array>
#include <cstdint>

#include "raster/raster.h"

namespace sightline::papers::gl {

using Words = std::array<std::uint32_t, 4>;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// As `Command` of programs/common.cpp.
struct GpuCommand {
  std::uint32_t state, query, second, begin;
  std::uint32_t first, from_pool, only_if = kNone, unused = 0;
};

/// Flags; stencil, operations and channels; colour r g, b a (programs/tiles.cpp reads them by their bits).
inline Words pack(const raster::State& s) {
  const auto bit = [](bool on, int at) { return (on ? 1u : 0u) << at; };
  const auto number = [](auto value, int at) { return static_cast<std::uint32_t>(value) << at; };
  Words words{};
  words[0] = bit(s.depth_test, 0) | number(s.depth, 1) | bit(s.depth_write, 4) | bit(s.stencil_test, 5) |
             number(s.stencil, 6) | number(s.cull, 9) | bit(s.differ, 11) | bit(s.floor != raster::kNoImage, 12) |
             bit(s.ceiling != raster::kNoImage, 13) | bit(s.triangle_colors != nullptr, 14);
  words[1] = number(s.stencil_reference, 0) | number(s.stencil_mask, 8) | number(s.stencil_fail, 16) |
             number(s.depth_fail, 18) | number(s.depth_pass, 20) | number(s.color_mask, 24);
  words[2] = s.color[0] | number(s.color[1], 16);
  words[3] = s.color[2] | number(s.color[3], 16);
  return words;
}

/// More than depth: stencil, colour or images.
inline bool needs_more(const raster::State& s) {
  return s.stencil_test || s.color_mask != 0 || s.differ || s.floor != raster::kNoImage ||
         s.ceiling != raster::kNoImage;
}

}  // namespace sightline::papers::gl
