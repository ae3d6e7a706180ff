// Topology with given workers, and with polls of a cancel; the public topology() takes the default number of them.
#pragma once

#include "base/parallel.h"
#include "base/poll.h"
#include "sightline/mesh.h"

namespace sightline {

SIGHTLINE_API Topology topology(const MeshView& mesh, Workers& workers, Poll poll = {});

}  // namespace sightline
