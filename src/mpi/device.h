// The device on which a rank answers its leaves.
#pragma once

#include "mpi/ranks.h"
#include "sightline/mpi.h"

namespace sightline::mpi {

/// All ranks call it, each with its own options. All throw if one of them misses its device.
Device device_of(const Ranks& ranks, const MpiOptions& options);

}  // namespace sightline::mpi
