// The edges because of which a mesh is not closed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/poll.h"
#include "sightline/mesh.h"

namespace sightline {

/// The first `most` open edges as (welded) vertex pairs, the smaller index first, in ascending order.
SIGHTLINE_API std::vector<std::array<std::uint32_t, 2>> open_edges(const MeshView& mesh, const Topology& topology,
                                                                   std::size_t most, Poll poll = {});

}  // namespace sightline
