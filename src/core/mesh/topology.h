// Topology with given workers, and with polls of a cancel; the public topology() takes the default number of them.
#pragma once

#include <span>

#include "base/parallel.h"
#include "base/poll.h"
#include "sightline/mesh.h"

namespace sightline {

SIGHTLINE_API Topology topology(const MeshView& mesh, Workers& workers, Poll poll = {});

/// Topology without what belongs to single positions and triangles.
struct TopologyCounts {
  std::uint64_t vertices = 0, components = 0, open_edges = 0, nonmanifold_edges = 0, duplicates = 0;
  bool closed = false;
  std::vector<std::uint32_t> degenerate;
};
/// Of a valid mesh.
SIGHTLINE_API TopologyCounts topology_counts(const MeshView& mesh, Workers& workers);

/// Facts about a part of a larger mesh, whose positions are distinct. `owned`: of each position, 1 if it counts here;
/// the part has all triangles at these positions. Then the numbers of vertices, edges and duplicates of parts that own
/// each position once add up to those of the whole: an edge and a set of corners count where their least corner (by x,
/// then y, then z) is owned. Components and degenerate triangles are those of the part by itself.
SIGHTLINE_API Topology topology_of_part(const MeshView& mesh, std::span<const std::uint8_t> owned, Workers& workers,
                                        Poll poll = {});

/// The first `most` open edges as (welded) vertex pairs, the smaller index first, in ascending order.
SIGHTLINE_API std::vector<std::array<std::uint32_t, 2>> open_edges(const MeshView& mesh, const Topology& topology,
                                                                   std::size_t most, Poll poll = {});

}  // namespace sightline
