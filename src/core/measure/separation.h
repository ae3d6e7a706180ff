// Separations, with or without their lower bounds.
#pragma once

#include "sightline/depth.h"

namespace sightline::measure {

/// The public separation() with a lower bound that is already known: no protrusion is computed. The translation does
/// not depend on the bound.
Separation separation(const MeshView& a, const MeshView& b, double lower_bound, const MeasureOptions& options);

}  // namespace sightline::measure
