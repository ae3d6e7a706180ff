// Separations, with or without their lower bounds.
#pragma once

#include "sightline/depth.h"

namespace sightline::measure {

/// The public separation(). Without the bound, no protrusion is computed, and the bound is 0.
Separation separation(const MeshView& a, const MeshView& b, const MeasureOptions& options, bool with_bound);

}  // namespace sightline::measure
