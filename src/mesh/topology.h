// Topology with given workers; the public topology() takes the default number of them.
#pragma once

#include "parallel.h"
#include "sightline/topology.h"

namespace sightline {

Topology topology(const MeshView& mesh, Workers& workers);

}  // namespace sightline
