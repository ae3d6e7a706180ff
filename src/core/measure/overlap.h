// The overlap of two shells.
#pragma once

#include <span>

#include "measure/shell.h"
#include "sightline/contact.h"

namespace sightline::measure {

/// Both shells enclose volumes. `contacts` are all contacts of a with b, `a` and `b` of each being their triangles.
Extent overlap(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers, const Poll& poll);
/// The integral of the product of their winding numbers alone.
Interval product_volume(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers,
                        const Poll& poll);
Extent extent(const Shell& shell, Workers& workers, const Poll& poll);

/// Widths of volumes are at most this much of the smaller part.
inline constexpr double kWidth = 1e-12;

}  // namespace sightline::measure
