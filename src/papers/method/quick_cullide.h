// Quick-CULLIDE's classes of visibility, for its tests (quick_cullide.cpp has the method).
#pragma once

#include "method/pcs.h"

namespace sightline::papers::method {

/// In which of the two passes an element was clear: NFV, FFV, SFV, BFV.
enum class Tag : std::uint8_t { none, first, second, both };
/// For each order of a level, the tag of each of its elements.
using Tags = std::vector<std::vector<Tag>>;

/// Both passes of section 4.1 for the view of `level`.
void quick_reduce(Level& level, std::span<Tag> tags);
/// For all views in turn, for the number of rounds of the level (Level::rounds_here).
Tags quick_prune(Level& level);

}  // namespace sightline::papers::method
