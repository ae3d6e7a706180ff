// The two questions about one pair of parts: do they interfere, and how far are they apart?
#pragma once

#include <optional>
#include <span>

#include "sightline/contact.h"
#include "solid/side.h"

namespace sightline::solid {

/// Whether two parts that share points clash, if no contact between them is a crossing.
/// Exact. `contacts` are all those between a and b, none of them crossing. True if a closed piece of one has a point
/// inside the other, which is closed, or if both are closed and their insides overlap (docs/definitions.md).
bool interfere(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll);

/// True if the surface of a has a point inside b. Both are closed; `contacts` as above.
bool reaches_into(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll);
/// The same for b's surface inside a.
bool is_reached_by(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll);

struct Gap {
  double distance = 0;
  std::array<Vec3d, 2> points{};  ///< a point of a and a point of b that are so far apart, rounded to nearest
};
/// The distance of two parts without common point, rounded to the nearest double, if it is below the limit. Whether it
/// is below is decided for the distance itself, before it is rounded. With a limit of infinity the answer is always the
/// distance. The trees are not empty.
std::optional<Gap> gap(const MeshView& a, const BoxTree& tree_a, const MeshView& b, const BoxTree& tree_b, double limit,
                       Poll& poll);

}  // namespace sightline::solid
