// From found pairs to the canonical list: repeats removed, sorted by (object a, object b, triangle a, triangle b).
#pragma once

#include <vector>

#include "scene/triangle_table.h"
#include "sightline/contact.h"

namespace sightline {

class Workers;

/// `parts` are the workers' finds, in any order; they are emptied. Replaces the report's contacts, keeping their
/// storage.
void canonical_contacts(const TriangleTable& table, std::vector<std::vector<Contact>>& parts, Workers& workers,
                        std::vector<Contact>& contacts);

}  // namespace sightline
