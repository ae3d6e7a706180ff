// `mpirun -n 4 sightline check huge.ply`.
#pragma once

#include "tool/options.h"

namespace sightline::tool {

/// How many processes an MPI launcher (OpenMPI, MPICH) started; 1 if none did.
int launched_ranks();

/// `check` over all ranks; rank 0 prints and writes. Throws Error if this tool was built without MPI.
int check_ranks(const Settings& settings);

}  // namespace sightline::tool
