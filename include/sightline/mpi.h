// Self-intersections of a mesh that is distributed over the ranks of an MPI program. Library sightline::mpi, which is
// built where CMake finds MPI.
#pragma once

#include <mpi.h>

#include "sightline/huge.h"

namespace sightline::mpi {

/// The triangles that one rank holds, with their numbers in the whole mesh. A number is in one rank only and below
/// 2^63; the order is arbitrary, and a rank may hold none. All ranks use one type of coordinates; the other list is
/// empty.
struct Share {
  std::span<const std::uint64_t> numbers;
  std::span<const CornersF> f32;
  std::span<const CornersD> f64;
};

struct MpiOptions {
  unsigned threads = 0;                                 ///< of each rank, as Options::threads
  bool intersections = true;                            ///< as HugeOptions::intersections
  std::uint64_t list_memory = std::uint64_t{64} << 20;  ///< bytes for contacts in memory; others are in scratch files
  std::filesystem::path scratch = {};                   ///< as HugeOptions::scratch
};

/// All self-intersections, and the facts about the mesh: the same for every number of ranks and every distribution. All
/// ranks of `comm` call it. Numbers and counts are in the report of each rank, the lists in that of rank 0 only.
///
/// If any rank fails, all ranks throw an Error with one message, which begins with the number of the rank.
SIGHTLINE_API HugeReport self_intersections(MPI_Comm comm, const Share& share, const MpiOptions& options = {});

}  // namespace sightline::mpi
