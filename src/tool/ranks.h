// `mpirun -n 4 sightline check huge.ply`, and `clash --pairs`.
#pragma once

#include "report/document.h"
#include "tool/options.h"

namespace sightline::tool {

/// How many processes an MPI launcher (OpenMPI, MPICH) started; 1 if none did.
int launched_ranks();

/// `check` over all ranks; rank 0 prints and writes. Throws Error if this tool was built without MPI.
int check_ranks(const Settings& settings);

/// `clash --pairs` over all ranks, in the same way. Rank 0 reads all parts, the others only those of their pairs.
int clash_ranks(const Settings& settings);
/// The step of rank 0 in which the others take part.
Clashes relations_over_ranks(const Settings& settings, std::span<const report::Part> parts,
                             const ClashOptions& options);

}  // namespace sightline::tool
