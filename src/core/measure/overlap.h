// The overlap of two shells.
#pragma once

#include <span>

#include "measure/boundary.h"
#include "sightline/contact.h"

namespace sightline::measure {

/// Both shells enclose volumes. `contacts` are all contacts of a with b, `a` and `b` of each being their triangles.
Extent overlap(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers, const Poll& poll);
/// The overlap of a shell with itself. `with_itself` are the contacts of its triangles with those of a copy, `contacts`
/// those of one mesh.
Extent self_overlap(const Shell& shell, std::span<const Contact> with_itself, std::span<const Contact> contacts,
                    Workers& workers, const Poll& poll);
Extent extent(const Shell& shell, Workers& workers, const Poll& poll);

/// The volume of the sum, as narrow as is promised.
Interval volume_of(const OverlapBoundary& boundary, const Sum& sum, const Shell& a, const Shell& b, Workers& workers,
                   const Poll& poll);
/// True if the volume of the shell is negative.
bool is_reversed(const Shell& shell, Workers& workers, const Poll& poll);

/// Widths of volumes are at most this much of the smaller part.
inline constexpr double kWidth = 1e-12;

}  // namespace sightline::measure
