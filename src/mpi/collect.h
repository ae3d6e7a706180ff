// The answers of all ranks become reports.
#pragma once

#include "mpi/ranks.h"
#include "parts/lists.h"
#include "sightline/mpi.h"

namespace sightline::mpi {

/// All ranks call it. `totals` and `found` are those of this rank; with ContactsTo::owner the records of contacts and
/// degenerate triangles have homes (parts/store.h). Numbers are added up, and each record goes to the rank that keeps
/// it.
HugeReport collected(const Ranks& ranks, const MpiOptions& options, const scale::Totals& totals,
                     std::shared_ptr<HugeReport::Lists> found);

}  // namespace sightline::mpi
