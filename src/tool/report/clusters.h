// Contacts that form one place: what a person would point at with one finger.
#pragma once

#include <vector>

#include "base/box.h"
#include "report/geometry.h"

namespace sightline::report {

/// Contacts of one pair of parts (or of one part with itself) that hang together. Two contacts are neighbours if their
/// triangles are the same or share a vertex on both sides: a1 with a2, and b1 with b2 (within one part also crosswise).
/// So an intersection curve that runs from triangle to triangle is one cluster, however long, and a hundred balls on a
/// table of two triangles are a hundred clusters: a common triangle on one side alone joins nothing. Equal positions
/// are one vertex, so that it works for files that repeat their vertices, such as STL.
struct Cluster {
  std::uint32_t part_a = 0, part_b = 0;  ///< equal where the part meets itself
  std::uint64_t first = 0, count = 0;    ///< its contacts are Clusters::contacts[first … first + count)
  KindCounts kinds;
  Box box;  ///< of the common points

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

struct Clusters {
  std::vector<Cluster> list;            ///< the one with the most contacts first; among equals, the least contact
  std::vector<std::uint32_t> contacts;  ///< numbers of the contacts, cluster by cluster, ascending in each
  std::span<const std::uint32_t> of(const Cluster& cluster) const {
    return std::span(contacts).subspan(cluster.first, cluster.count);
  }
};

/// `outlines` are those of the same contacts. Takes time in proportion to the contacts (times the logarithm of the
/// longest list at one vertex), and in proportion to the vertices of the parts that have contacts.
Clusters clusters(const Contacts& contacts, const Outlines& outlines);

}  // namespace sightline::report
