// The contacts of a frame as bytes of a report page: clusters, what each contact joins, and where it is.
//
// Bytes of one meaning lie together (viewer/src/contacts.js reads them):
//   1. clusters: count; the contacts of each; of those that are not listed whole, how many are, how many are new, and
//      the kinds of all; the diagonals of their boxes, as shares of the frame's half extent
//   2. contacts: both parts, both triangles (each as the difference from the contact before), kind and number of points
//   3. the corners of the triangles in contact, finer than the mesh has them
//   4. the points of the contacts, each as a place on one of its two triangles
// Corners and points refer to data that the page has already, since for loose triangles they would take most of the
// bytes: a corner is the mesh's own 16 bits a coordinate and some more, a point is an edge and a share of it.
#pragma once

#include <span>
#include <vector>

#include "page/bytes.h"
#include "page/reduce.h"
#include "report/clusters.h"

namespace sightline::report {

/// How the page stores the positions of a part: 16 bits a coordinate over a box.
struct PlacedPart {
  Box box;
  std::vector<std::uint32_t> same;  ///< the vertex that stands for each, or nothing where each stands for itself
  std::uint32_t vertex(std::uint32_t number) const { return same.empty() ? number : same[number]; }
};

/// Clusters in their order, with at most `most` contacts in all; where that cuts the list, new contacts are kept before
/// others, and clusters with new ones come first. The longest edge of the smaller triangle of a contact is stored in
/// 2^bits steps at least. `is_new` (or null) marks contacts. Returns how many contacts are in the bytes.
std::uint64_t append_contacts(PageBytes& bytes, const Contacts& contacts, const Outlines& outlines,
                              const Clusters& clusters, const Shown& shown, std::span<const PlacedPart> placed,
                              std::size_t most, int bits, const std::vector<bool>* is_new);

}  // namespace sightline::report
