// Measures of closed parts: volume, area, centroid and bounds of a part and of the overlap of two parts. Every number
// is an interval that is proven to contain the true value (docs/definitions.md, "Overlap").
#pragma once

#include <optional>

#include "sightline/query.h"

namespace sightline {

/// A closed interval that contains the true value.
struct Interval {
  double low = 0, high = 0;

  double middle() const { return 0.5 * low + 0.5 * high; }
  double width() const { return high - low; }
  bool contains(double x) const { return low <= x && x <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The extent of a body. All numbers are in the units of the positions, their squares and their cubes.
struct Extent {
  Interval volume;                                  ///< exactly [0, 0] if no volume is there
  Interval area;                                    ///< of the boundary
  std::optional<std::array<Interval, 3>> centroid;  ///< absent if the volume is exactly 0
  /// The box of all its points, contacts included, each coordinate rounded to nearest. Infinite, with low above high,
  /// if there is no point.
  Vec3d low{}, high{};

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Why a part bounds no volume. Edges are pairs of positions, and triangles without area do not count.
struct Boundary {
  std::uint64_t open_edges = 0;    ///< edges with an odd number of triangles
  std::uint64_t turned_edges = 0;  ///< other edges whose triangles do not run along it equally often in both directions
  bool has_area = false;           ///< some triangle has area
  bool encloses() const { return has_area && open_edges == 0 && turned_edges == 0; }

  friend bool operator==(const Boundary&, const Boundary&) = default;
};
SIGHTLINE_API Boundary boundary(const MeshView& mesh);

struct MeasureOptions {
  unsigned threads = 0;               ///< as in Options
  std::function<bool()> cancel = {};  ///< as in Options; true throws Error
};

/// The extent of one closed part. Throws Error if it does not enclose a volume; the message has the number of open or
/// of inconsistently wound edges.
SIGHTLINE_API Extent extent(const MeshView& part, const MeasureOptions& options = {});

/// The extent of the overlap of two closed parts. Throws Error as extent() does. The answer does not depend on the
/// order of the two parts. The second form takes the complete list of their contacts, from Scene::collide over a and b
/// in this order.
SIGHTLINE_API Extent overlap(const MeshView& a, const MeshView& b, const MeasureOptions& options = {});
SIGHTLINE_API Extent overlap(const MeshView& a, const MeshView& b, std::span<const Contact> contacts,
                             const MeasureOptions& options = {});

/// The extent of the overlap of a closed part with itself: each point counts once for each pair of its layers,
/// w (w - 1) / 2 times for the winding number w. Its bounds include all contacts of the part with itself; a part without
/// such a contact or layer has the volume [0, 0], and no point. Throws Error as extent() does.
SIGHTLINE_API Extent self_overlap(const MeshView& part, const MeasureOptions& options = {});

/// Overlaps of all pairs of parts that have common points.
struct Overlaps {
  struct Pair {
    std::uint32_t a = 0, b = 0;  ///< parts, a < b
    Extent extent;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  std::vector<Pair> pairs;           ///< sorted by (a, b); only pairs of parts that enclose volumes
  std::vector<Boundary> boundaries;  ///< of each part
  Stats stats;
};
/// `contacts` is the complete list of contacts of the parts, from Scene::collide over the same parts in the same order.
SIGHTLINE_API Overlaps overlaps(std::span<const MeshView> parts, const Report& contacts,
                                const MeasureOptions& options = {});

}  // namespace sightline
