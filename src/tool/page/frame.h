// A frame of a report page: the triangles that it shows (reduce.cpp), and its contacts as bytes (contacts.cpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "page/bytes.h"
#include "report/clusters.h"

namespace sightline::report {

// A model that is too large for a page: all triangles near its contacts, and a coarse copy of the rest.

/// The triangles of a part that a page shows.
struct ShownPart {
  bool all = true;
  std::vector<std::uint32_t> triangles;  ///< ascending, where not all of them are shown
  std::vector<Vec3d> coarse_positions;   ///< the rest, drawn coarsely
  std::vector<Triangle> coarse_triangles;
};

struct Shown {
  std::vector<ShownPart> parts;
  bool reduced = false;
  std::uint64_t triangles = 0;  ///< shown as they are; the coarse ones are not counted
  /// All triangles with a point this near to a contact are shown. Empty where not even the triangles in contact fit, or
  /// where there is no contact.
  std::optional<double> within;
};

/// At most `most` triangles, the coarse ones counted. `outlines` are those of the contacts.
Shown reduce(const Contacts& contacts, const Outlines& outlines, std::size_t most);

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
