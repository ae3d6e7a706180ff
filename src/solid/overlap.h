// Do the insides of two closed parts overlap, if no contact between them is a crossing?
#pragma once

#include <span>

#include "sightline/contact.h"
#include "solid/side.h"

namespace sightline::solid {

/// Exact. `contacts` are all those between a and b, none of them crossing. For a part that is not closed, its closed
/// components are meant (then there must be no contacts).
bool insides_overlap(const Body& a, const Body& b, std::span<const Contact> contacts);

}  // namespace sightline::solid
