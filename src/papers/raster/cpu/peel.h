// Raster::peel of the fast implementation.
#pragma once

#include "base/parallel.h"
#include "raster/peel.h"

namespace sightline::papers::raster::cpu {

/// Replaces the result and adds to the counters, as Raster::peel does.
void peel(Workers& workers, const Geometry& geometry, DepthFormat format, std::span<const PeelRegion> regions,
          std::span<const std::uint32_t> ids, Peeled& result, Counters& counters);

}  // namespace sightline::papers::raster::cpu
