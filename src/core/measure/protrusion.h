// The deepest point of one part's surface inside another part.
#pragma once

#include "measure/shell.h"
#include "sightline/depth.h"

namespace sightline::measure {

/// `contacts` are all contacts of the two parts; `first`: the part is their object a.
Protrusion protrusion(const Shell& part, const Shell& other, std::span<const Contact> contacts, bool first,
                      Workers& workers, const Poll& poll);

}  // namespace sightline::measure
