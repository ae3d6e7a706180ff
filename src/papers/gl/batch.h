// Draw calls that tile_raster.cpp collects and sends to the device together; states and commands as the programs read
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "raster/raster.h"

namespace sightline::papers::gl {

using Words = std::array<std::uint32_t, 4>;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// As `Command` of programs/common.cpp.
struct GpuCommand {
  std::uint32_t state, query, second, begin, first, from_pool;
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

/// Calls that are run together.
struct Batch {
  std::vector<raster::State> states;
  std::vector<Words> packed;
  std::vector<GpuCommand> commands;
  std::vector<std::uint32_t> own;  ///< primitives of calls that are not parts of the pool
  std::uint32_t total = 0;         ///< entries
  bool more = false;               ///< than depth: stencil, colour or images
  std::uint32_t single = kNone;    ///< the one triangle, one primitive, of the latest command
  const raster::Color* colors = nullptr;
  raster::Image floor = raster::kNoImage, ceiling = raster::kNoImage;
  std::uint32_t epoch = 0, clear_key = 0;
  std::size_t place = 0;  ///< among the batches under way

  void clear() {
    states.clear();
    packed.clear();
    commands.clear();
    own.clear();
    total = 0;
    more = false;
    single = kNone;
    colors = nullptr;
    floor = ceiling = raster::kNoImage;
  }
  /// True if the state can be added: a batch has one array of colours and one image of each kind.
  bool takes(const raster::State& state) const {
    const auto same = [](auto one, auto other, auto none) { return one == none || other == none || one == other; };
    return same(state.triangle_colors, colors, nullptr) && same(state.floor, floor, raster::kNoImage) &&
           same(state.ceiling, ceiling, raster::kNoImage);
  }
  /// The number of the state in this batch.
  std::uint32_t index_of(const raster::State& state);
};

/// Sweeps alternate between two or three states. So the last states are compared first, and first by their bytes, since
/// this is done for each call. (Equal bytes are the same state; states with different bytes may be equal, too.)
inline std::uint32_t Batch::index_of(const raster::State& state) {
  constexpr std::size_t kLook = 8;
  const std::size_t first = states.size() - std::min(states.size(), kLook);
  for (std::size_t i = first; i < states.size(); ++i)
    if (std::memcmp(&states[i], &state, sizeof state) == 0) return static_cast<std::uint32_t>(i);
  for (std::size_t i = first; i < states.size(); ++i)
    if (states[i] == state) return static_cast<std::uint32_t>(i);
  if (state.triangle_colors != nullptr) colors = state.triangle_colors;
  if (state.floor != raster::kNoImage) floor = state.floor;
  if (state.ceiling != raster::kNoImage) ceiling = state.ceiling;
  states.push_back(state);
  packed.push_back(pack(state));
  more |= state.stencil_test || state.color_mask != 0 || state.differ || state.floor != raster::kNoImage ||
          state.ceiling != raster::kNoImage;
  return static_cast<std::uint32_t>(states.size() - 1);
}

}  // namespace sightline::papers::gl
