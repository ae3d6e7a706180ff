// The depths that the visibility cull keeps for each cell, and the blocks of triangles that it draws.
#pragma once

#include <algorithm>
#include <cstdint>

#include "image/selection.h"

namespace sightline {

// One end of a cell's depth: the least near end of all objects, the object that has it, and the least near end of all
// other objects. Far ends are kept negated, so that one rule serves both.
class End {
 public:
  /// Invariant: least_ ≤ others_, owner_ has least_, and no other object has less than others_.
  void add(std::uint32_t object, std::int16_t value) {
    if (object == owner_) {
      least_ = std::min(least_, value);
    } else if (value < least_) {
      others_ = least_;
      least_ = value;
      owner_ = object;
    } else {
      others_ = std::min(others_, value);
    }
  }
  /// others_ of `end` is of unknown owners, but not below its least_, which counts among the others of this owner.
  void add(const End& end) {
    if (end.owner_ == kNobody) return;
    add(end.owner_, end.least_);
    if (end.owner_ == owner_) others_ = std::min(others_, end.others_);
  }
  std::int16_t of_others(std::uint32_t object) const { return object == owner_ ? others_ : least_; }

 private:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  static constexpr std::int16_t kFar = 0x7FFF;  // beyond every slab and every negated slab
  std::int16_t least_ = kFar, others_ = kFar;
  std::uint32_t owner_ = kNobody;
};

/// The depths of all objects in one cell.
struct CellDepth {
  End near, far;

  void add(const CellDepth& other) {
    near.add(other.near);
    far.add(other.far);
  }
  void add(std::uint32_t object, int from, int to) {
    near.add(object, static_cast<std::int16_t>(from));
    far.add(object, static_cast<std::int16_t>(-to));
  }
  /// True if all other objects lie beyond `to`, or all before `from`.
  bool clear(std::uint32_t object, int from, int to) const {
    return to < near.of_others(object) || -from < far.of_others(object);
  }
};

/// Consecutive triangles of one object are usually neighbours: they are drawn and tested as one box of cells, where
/// that box is small. Per triangle the cull cost more than it saved nearly everywhere (docs/decisions.md).
inline constexpr std::uint32_t kBlock = 8;

inline CellBox box_of(const Bins& bins, const Run& block) {
  const std::uint64_t* cells = bins.vertex_cells.data() + block.object->first_vertex;
  CellBox box = cell_box(cells, block.object->triangles[block.first]);
  for (std::uint32_t i = block.first + 1; i < block.last; ++i) box.add(cell_box(cells, block.object->triangles[i]));
  return box;
}

}  // namespace sightline
