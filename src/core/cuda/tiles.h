// Cuts a scene that is too large for the device's memory into tiles that fit. Nothing here needs a GPU: a function
// answers each tile.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "input/object.h"
#include "input/settings.h"

namespace sightline::cuda {

/// True if no contact is possible, whatever the positions are.
bool pointless(std::span<const QueryObject> objects);

/// The input of one run: the whole scene or a part of it.
struct Tile {
  std::span<const QueryObject> objects;
  bool whole = true;  ///< the caller's objects; else copies, whose versions mean nothing
};
/// Replaces the report, or throws OutOfDeviceMemory.
using TileQuery = std::function<void(const Tile& tile, const Settings& options, Report& report)>;

struct TileRules {
  std::size_t fewest = 64;            ///< triangles; a tile of so few is not cut again
  std::size_t most_tiles = 1u << 16;  ///< of one scene
};

/// Calls `query` with the whole scene and, if that does not fit and `tiles` is true, with tiles of it. Throws
/// OutOfDeviceMemory where tiles are not allowed or one of them neither fits nor can be made smaller.
void query_in_tiles(std::span<const QueryObject> objects, const Settings& options, bool tiles, const TileQuery& query,
                    Report& report, const TileRules& rules = {});

}  // namespace sightline::cuda
