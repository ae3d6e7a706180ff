// Topology with given workers, and with polls of a cancel; the public topology() takes the default number of them.
#pragma once

#include "base/parallel.h"
#include "base/poll.h"
#include "sightline/mesh.h"

namespace sightline {

SIGHTLINE_API Topology topology(const MeshView& mesh, Workers& workers, Poll poll = {});
/// The same without validate().
SIGHTLINE_API Topology topology_of_valid(const MeshView& mesh, Workers& workers, Poll poll = {});

/// The first `most` open edges as (welded) vertex pairs, the smaller index first, in ascending order.
SIGHTLINE_API std::vector<std::array<std::uint32_t, 2>> open_edges(const MeshView& mesh, const Topology& topology,
                                                                   std::size_t most, Poll poll = {});

}  // namespace sightline
