// The fast implementation of Raster, with a choice of instruction set for the tests.
#pragma once

#include <memory>

#include "input/settings.h"
#include "raster/raster.h"

namespace sightline::papers::raster {

/// Throws Error if this machine lacks the instruction set.
SIGHTLINE_API std::unique_ptr<Raster> make_cpu_raster(Workers& workers, Simd simd);

}  // namespace sightline::papers::raster
