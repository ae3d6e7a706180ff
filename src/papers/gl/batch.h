// Draw calls that tile_raster.cpp collects and sends to the device together.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "gl/record.h"
#include "raster/raster.h"

namespace sightline::papers::gl {

/// Calls that are run together.
struct Batch {
  std::vector<raster::State> states;
  std::vector<Words> packed;
  std::vector<GpuCommand> commands;
  std::vector<std::uint32_t> own;  ///< primitives of calls that are not parts of the pool
  std::uint32_t total = 0;         ///< entries
  bool more = false;
  std::uint32_t single = kNone;  ///< the one triangle, one primitive, of the latest command
  raster::QueryRange pending;
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
    pending = {};
    colors = nullptr;
    floor = ceiling = raster::kNoImage;
  }
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
  states.push_back(state);
  packed.push_back(pack(state));
  more |= needs_more(state);
  return static_cast<std::uint32_t>(states.size() - 1);
}

}  // namespace sightline::papers::gl
