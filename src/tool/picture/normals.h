// Normals for shading: smooth where the surface is, flat at creases.
#pragma once

#include <array>
#include <vector>

#include "base/parallel.h"
#include "picture/model.h"

namespace sightline::picture {

class Normals {
 public:
  explicit Normals(const Model& model);
  /// Computes the corners' normals of the triangles that the ids show; others are kept from earlier calls.
  void prepare(const std::vector<std::uint32_t>& ids, Workers& workers);

  /// Unit length, or 0 for a triangle without area. The winding gives its side.
  Vec3d face(std::uint32_t triangle) const;
  /// After prepare().
  const std::array<Vec3f, 3>& corners(std::uint32_t triangle) const { return corners_[slot_[triangle]]; }

 private:
  std::array<Vec3f, 3> smooth(std::uint32_t triangle) const;

  const Model& model_;
  std::vector<std::uint32_t> vertex_;          ///< per position: equal positions of a part alike
  std::vector<std::uint32_t> start_, around_;  ///< triangles at each vertex
  std::vector<std::uint32_t> slot_;
  std::vector<std::array<Vec3f, 3>> corners_;
};

}  // namespace sightline::picture
