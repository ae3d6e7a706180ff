// Classification of pairs of parts, with a choice that no answer depends on. For tests and benchmarks.
#pragma once

#include "solid/classify.h"

namespace sightline {

SIGHTLINE_API Clashes classify(std::span<const MeshView> parts, const Report& contacts, const ClashOptions& options,
                               Containment containment);

}  // namespace sightline
