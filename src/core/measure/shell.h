// A part as the boundary of a volume.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/box.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "sightline/measure.h"

namespace sightline::solid {
class Flag;
}

namespace sightline::measure {

struct Shell {
  explicit Shell(const MeshView& mesh, Workers& workers = Workers::none(), Poll poll = {});

  /// Throws Error if the part encloses no volume.
  void require_volume(std::string_view function, std::string_view name) const;
  /// The winding number of the part around p, moved by sign · (ε, ε², ε³).
  int winding(const Vec3d& p, int sign, Poll& poll) const;
  /// The winding number at the flag.
  int winding(const solid::Flag& flag, Poll& poll) const;

  /// Positions that are equal, as far as edges do not cancel without that: the number of the first one. Where all edges
  /// cancel by their indices, the part encloses a volume, and each position is a vertex of its own: two vertices in one
  /// place have the same winding number around them.
  std::uint32_t vertex(std::uint32_t position) const { return first_.empty() ? position : first_[position]; }
  /// Triangles that are neighbours in the list make a block. The box of its triangles with area, which may be none.
  std::size_t blocks() const { return boxes_.size(); }
  const Box& box_of_block(std::size_t block) const { return boxes_[block]; }
  /// visit(triangle) for its triangles with area, ascending.
  template <typename Visit>
  void each_of_block(std::size_t block, Poll& poll, const Visit& visit) const {
    poll(static_cast<int>(kBlock));
    const std::size_t end = std::min(mesh.triangles.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i)
      if (!flat[i]) visit(static_cast<std::uint32_t>(i));
  }
  /// visit(triangle, within) for the triangles with area whose boxes meet the box, ascending; `within`: its corners are
  /// known to lie in the box.
  template <typename Visit>
  void each_near(const Box& near, Poll& poll, const Visit& visit) const {
    for (std::size_t block = 0; block < boxes_.size(); ++block) {
      if (!boxes_[block].meets(near)) continue;
      const bool within = near.holds(boxes_[block]);
      each_of_block(block, poll, [&](std::uint32_t i) {
        if (within || box_of(mesh.corners(i)).meets(near)) visit(i, within);
      });
    }
  }

  MeshView mesh;
  std::vector<std::uint8_t> flat;  ///< of each triangle: 1 if it has no area
  Box box;                         ///< of the triangles with area
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
  static constexpr std::size_t kBlock = 64;

  bool find_flat(Workers& workers, const Poll& poll);
  void count_edges(Poll& poll);

  std::vector<std::uint32_t> first_;  // of each position: the first one equal to it; or empty
  std::vector<Box> boxes_;            // of the triangles with area of each block

  mutable std::once_flag once_;
  mutable double least_volume_ = 0;
  mutable std::once_flag turned_once_;
  mutable bool turned_ = false;
};

/// A strict order of parts that depends neither on the order of their triangles nor on their common place; two parts
/// that are not ordered have the same triangles.
bool precedes(const Shell& a, const Shell& b);

}  // namespace sightline::measure
