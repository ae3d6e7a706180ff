// Raster::inside on the CPU: tiles in parallel.
#pragma once

#include "base/parallel.h"
#include "raster/inside.h"

namespace sightline::papers::raster::cpu {

/// As inside::find, in any order.
std::vector<Inside> find_inside(Workers& workers, const InsideQuery& query, const Geometry& geometry,
                                const Projection& projection, const Target& target, std::uint64_t& samples);

}  // namespace sightline::papers::raster::cpu
