// From found pairs to the canonical list, sorted by (object a, object b, triangle a, triangle b).
#pragma once

#include <vector>

#include "input/triangle_table.h"
#include "sightline/contact.h"

namespace sightline {

class Watch;
class Workers;

/// `parts` are the workers' finds, in any order; they are emptied. Replaces the report's contacts, keeping their
/// storage. Repeats, if there are any, stay: a query reports each pair once (rules/report.h). If the query is
/// cancelled, the list is left unfinished.
void canonical_contacts(const TriangleTable& table, std::vector<std::vector<Contact>>& parts, Workers& workers,
                        Watch& watch, std::vector<Contact>& contacts);

}  // namespace sightline
