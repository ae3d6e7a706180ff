// Topology with given workers, and with polls of a cancel; the public topology() takes the default number of them.
#pragma once

#include "mesh/poll.h"
#include "parallel.h"
#include "sightline/topology.h"

namespace sightline {

Topology topology(const MeshView& mesh, Workers& workers, Poll poll = {});

}  // namespace sightline
