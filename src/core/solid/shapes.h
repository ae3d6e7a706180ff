// The blocks of all parts of an assembly: one set for each mesh, shared by its instances.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "solid/blocks.h"

namespace sightline::solid {

/// The box of the corners of all triangles.
Box box_of_part(const MeshView& part, Poll poll);

class Shapes {
 public:
  Shapes() = default;
  /// Validates all parts. Throws Error for "part i", as validate() does.
  Shapes(std::span<const MeshView> parts, Workers& workers, const Poll& poll);

  const PlacedBlocks& of(std::size_t part) const { return placed_[part]; }
  /// As box_of_part.
  const Box& box(std::size_t part) const { return boxes_[part]; }
  std::size_t meshes() const { return meshes_; }

 private:
  std::size_t meshes_ = 0;
  std::vector<std::unique_ptr<const Blocks>> blocks_;  // at the first part that has the mesh
  std::vector<PlacedBlocks> placed_;
  std::vector<Box> boxes_;
};

}  // namespace sightline::solid
