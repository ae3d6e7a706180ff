// Sorted lists of all ranks into the list of rank 0.
#pragma once

#include "mpi/ranks.h"
#include "parts/runs.h"

namespace sightline::mpi {

/// All ranks call it, after finish() of the lists of all ranks but 0. Adds `shift` to the second number of the records
/// of this rank. May throw on any rank, after the exchange is complete.
void collect(const Ranks& ranks, scale::Runs& list, std::uint64_t shift);

}  // namespace sightline::mpi
