// A model that is too large for a page: all triangles near its contacts, and a coarse copy of the rest.
#pragma once

#include <optional>
#include <vector>

#include "report/document.h"

namespace sightline::report {

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

/// At most `most` triangles, the coarse ones counted. `outlines` are those of the contacts (report/geometry.h).
struct Outlines;
Shown reduce(const Contacts& contacts, const Outlines& outlines, std::size_t most);

}  // namespace sightline::report
