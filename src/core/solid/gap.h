// The smallest distance between two surfaces.
#pragma once

#include <optional>

#include "base/box_tree.h"
#include "base/poll.h"

namespace sightline::solid {

/// The distance of two parts without common point, rounded to the nearest double, if it is below the limit. Whether it
/// is below is decided for the distance itself, before it is rounded. With a limit of infinity the answer is always the
/// distance. The trees are not empty.
std::optional<double> gap(const MeshView& a, const BoxTree& tree_a, const MeshView& b, const BoxTree& tree_b,
                          double limit, Poll& poll);

}  // namespace sightline::solid
