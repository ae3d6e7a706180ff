// The two implementations of Raster on OpenGL.
#pragma once

#include <memory>

#include "raster/raster.h"

namespace sightline::papers::gl {

// Both throw Error where this machine has no OpenGL 4.5. They must be used on the thread that made them.

/// Draws are collected and run together, tile by tile, in compute programs; the results of all queries come back in one
/// piece.
std::unique_ptr<raster::Raster> make_tile_raster();
/// The graphics pipeline as the papers use it: one draw and one occlusion query for each call.
std::unique_ptr<raster::Raster> make_query_raster();

}  // namespace sightline::papers::gl
