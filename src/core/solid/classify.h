// Classification of pairs of parts, with a choice that no answer depends on.
#pragma once

#include "sightline/assembly.h"

namespace sightline {

/// How containment is counted: many points in an image, after CInDeR, or one by one in a tree. `automatic` lets an
/// estimate decide for each part. For tests and benchmarks.
enum class Containment : std::uint8_t { automatic, image, tree };

namespace solid {

/// The relations of the parts, without tolerance, depths and volumes. `contacts` is null if there is no list of them.
Clashes classify(std::span<const MeshView> parts, const Report* contacts, const ClashOptions& options,
                 Containment containment = Containment::automatic);

}  // namespace solid
}  // namespace sightline
