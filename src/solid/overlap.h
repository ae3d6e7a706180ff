// Do the insides of two closed parts overlap, if no contact between them is a crossing?
#pragma once

#include <span>

#include "sightline/contact.h"
#include "solid/side.h"

namespace sightline::solid {

/// Exact. `contacts` are all those between a and b, none of them crossing. For a part that is not closed, its closed
/// components are meant (then there must be no contacts).
bool insides_overlap(const Body& a, const Body& b, std::span<const Contact> contacts);

/// One step of it: do the samples at one solid triangle of a show an overlap? They do if the triangle holds a piece of
/// the overlap's boundary.
bool triangle_shows_overlap(const Body& a, const Body& b, std::span<const Contact> contacts, std::uint32_t triangle);

}  // namespace sightline::solid
