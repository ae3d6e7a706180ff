// A part as the boundary of a volume.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/box.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "sightline/measure.h"

namespace sightline::measure {

struct Shell {
  explicit Shell(const MeshView& mesh, Workers& workers = Workers::none(), Poll poll = {});

  /// Throws Error if the part encloses no volume.
  void require_volume(std::string_view function, std::string_view name) const;
  /// The winding number of the part around p, moved by sign · (ε, ε², ε³).
  int winding(const Vec3d& p, int sign, Poll& poll) const;

  MeshView mesh;
  std::vector<std::uint32_t> vertex;  ///< of each position: the first position equal to it
  std::vector<std::uint8_t> flat;     ///< of each triangle: 1 if it has no area
  Box box;                            ///< of the triangles with area
  Boundary boundary;

  /// A lower bound of the volume, computed when it is first needed: compute() is called once.
  template <typename Compute>
  double least_volume(const Compute& compute) const {
    std::call_once(once_, [&] { least_volume_ = compute(); });
    return least_volume_;
  }
  /// True if the part is inside out as a whole; likewise.
  template <typename Compute>
  bool turned(const Compute& compute) const {
    std::call_once(turned_once_, [&] { turned_ = compute(); });
    return turned_;
  }

 private:
  void find_flat(Workers& workers, const Poll& poll);
  void count_edges(Poll& poll);

  mutable std::once_flag once_;
  mutable double least_volume_ = 0;
  mutable std::once_flag turned_once_;
  mutable bool turned_ = false;
};

/// A strict order of parts that depends neither on the order of their triangles nor on their common place; two parts
/// that are not ordered have the same triangles.
bool precedes(const Shell& a, const Shell& b);

}  // namespace sightline::measure
