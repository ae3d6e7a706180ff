// Whether two parts meet, without a list of their contacts: a search over their blocks that ends early.
#pragma once

#include <cstdint>
#include <vector>

#include "base/poll.h"
#include "sightline/contact.h"
#include "solid/blocks.h"

namespace sightline::solid {

enum class Meeting : std::uint8_t { none, touching, crossing };

/// How two parts meet: `crossing` if a contact is a crossing, `touching` if there are other contacts only. The search
/// ends at the first crossing.
/// All contacts up to the end are appended to `contacts` if it is not null, with triangle numbers only.
Meeting meet(const PlacedBlocks& a, const PlacedBlocks& b, std::vector<Contact>* contacts, Poll& poll);
/// True if two parts meet at all. The search ends at the first contact.
bool do_meet(const PlacedBlocks& a, const PlacedBlocks& b, Poll& poll);

}  // namespace sightline::solid
