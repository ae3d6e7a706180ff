// Whether two parts that share points clash, if no contact between them is a crossing.
#pragma once

#include <span>

#include "sightline/contact.h"
#include "solid/side.h"

namespace sightline::solid {

/// Exact. `contacts` are all those between a and b, none of them crossing. True if a closed piece of one has a point
/// inside the other, which is closed, or if both are closed and their insides overlap (docs/definitions.md).
bool interfere(const Body& a, const Body& b, std::span<const Contact> contacts, Poll& poll);

}  // namespace sightline::solid
