// The oracle: docs/definitions.md read out in rational arithmetic.
//
// Independent of src/ by construction: it shares no header and no method with it. The library decides by signs of
// orientations; the oracle computes the point set A ∩ B itself, by clipping A against the half-spaces whose
// intersection is B, and then looks at that set. Every number is a rational, so there is nothing to round.
#pragma once

#include <gmpxx.h>

#include <array>
#include <optional>
#include <vector>

#include "sightline/contact.h"
#include "sightline/mesh.h"

namespace oracle {

using Corners = std::array<sightline::Vec3d, 3>;
using Point = std::array<mpq_class, 3>;

/// The common points of two triangles as the corners of a convex set: none, a point, a segment, or a strictly convex
/// polygon in order around it.
std::vector<Point> common_points(const Corners& a, const Corners& b);

enum class Rule { cross_object, same_object };

/// The contact's kind, or nothing where there is no contact.
std::optional<sightline::Kind> contact(const Corners& a, const Corners& b, Rule rule);

/// True if the corners span an area.
bool has_area(const Corners& triangle);

/// All contacts of the objects, in canonical order; `self[i]`: object i is tested with itself. Every pair
/// is looked at; those whose boxes are apart (compared in double, which is exact) are not clipped.
std::vector<sightline::Contact> contacts(const std::vector<sightline::MeshView>& objects,
                                         const std::vector<bool>& self);

/// All self-intersections of one mesh.
std::vector<sightline::Contact> self_contacts(const sightline::MeshView& mesh);

/// The double nearest to q, ties to even; infinite past the largest.
double nearest_double(const mpq_class& q);

}  // namespace oracle
