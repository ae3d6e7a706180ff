// `mpirun -n 4 sightline check huge.ply`, and `clash`.
#pragma once

#include <optional>

#include "report/document.h"
#include "sightline/huge.h"
#include "tool/options.h"

namespace sightline::tool {

/// How many processes an MPI launcher (OpenMPI, MPICH) started; 1 if none did.
int launched_ranks();

/// The number of this process among them.
int launched_rank();

/// Joins the ranks that a launcher started, until its end. Without MPI it does nothing.
class RankSession {
 public:
  RankSession();
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;
  ~RankSession();
  /// `end`: the exit status of a rank that cannot begin. If there is one, all ranks end with that of the first of them,
  /// and only this one prints the text that it held (console.h).
  std::optional<int> agreed(std::optional<int> end) const;
};

/// `check` over all ranks; rank 0 prints and writes. Throws Error if this tool was built without MPI.
int check_ranks(const Settings& settings);

/// `clash` over all ranks, in the same way. Rank 0 reads all files, one after the other; the others read those of their
/// triangles and of their pairs.
int clash_ranks(const Settings& settings);
/// The steps of rank 0 in which the others take part. The list of contacts is in the report of rank 0.
HugeReport contacts_over_ranks(const Settings& settings, std::span<const report::Part> parts);
Clashes relations_over_ranks(const Settings& settings, std::span<const report::Part> parts, PartSource& source,
                             const ClashOptions& options);

}  // namespace sightline::tool
