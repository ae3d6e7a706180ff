// Which triangles of one part lie inside another part, by the list of their contacts.
//
// A triangle without contact lies on one side of the other surface, and so do two such triangles with a common vertex.
// So one ray decides for all triangles that vertices connect.
#pragma once

#include <span>
#include <vector>

#include "measure/shell.h"
#include "measure/shift.h"

namespace sightline::measure {

/// For each point 1 if it is inside the closed part, as solid::inside decides for Flag::near(point). Only triangles in
/// `among` are counted: all that a ray from a point may meet.
std::vector<std::uint8_t> inside_of(const Shell& shell, std::span<const std::uint32_t> among,
                                    std::span<const Vec3d> points, Workers& workers, const Poll& poll);
/// The axis of these rays.
int ray_axis(const Shell& shell);
/// Triangles with area that a ray from a point of the box may meet.
std::vector<std::uint32_t> triangles_above(const Shell& shell, const Box& box, Workers& workers, const Poll& poll);

class Sides {
 public:
  /// `touched`: per triangle of `part`, 1 if it has a contact with `other`.
  Sides(const Shell& part, const Shell& other, std::vector<std::uint8_t> touched, Workers& workers, const Poll& poll);

  bool touched(std::uint32_t triangle) const { return touched_[triangle] != 0; }
  /// True if the vertex is inside; a vertex on the other surface may be either.
  bool inside(std::uint32_t vertex) const { return inside_[vertex] != 0; }
  /// Triangles with area that have points inside or contacts, ascending.
  const std::vector<std::uint32_t>& candidates() const { return candidates_; }

 private:
  std::vector<std::uint8_t> touched_, inside_;  // the latter by welded vertex
  std::vector<std::uint32_t> candidates_;
};

}  // namespace sightline::measure
