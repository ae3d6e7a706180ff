// Triangles of the geometry as parts, kept from draw to draw.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.h"
#include "raster/cpu/tile.h"

namespace sightline::papers::raster::cpu {

class Parts {
 public:
  /// Drops everything.
  void reset(const Geometry& geometry, const Camera& camera, const Target& target);
  /// Projects those triangles that were not drawn yet.
  void prepare(Workers& workers, std::span<const std::uint32_t> triangles);
  /// The edges of a triangle as lines, until `drop_lines`: a first part for `boxes`, or kNone.
  std::uint32_t add_lines(const State& state, std::uint32_t triangle);
  void drop_lines();

  std::uint32_t first(std::uint32_t triangle) const { return first_[triangle]; }
  const Part* parts() const { return parts_.data(); }
  const PartBox* boxes() const { return boxes_.data(); }

 private:
  void project(std::uint32_t triangle, std::uint32_t slot, std::vector<std::pair<Part, PartBox>>& more);
  Projection projection_;
  Geometry geometry_;
  Target target_;
  std::vector<std::uint32_t> first_;  ///< per triangle, kNone before it is drawn
  std::vector<Part> parts_;
  std::vector<PartBox> boxes_;
  std::size_t filled_ = 0;            ///< parts before the lines
  std::vector<std::uint32_t> fresh_;  ///< scratch
};

}  // namespace sightline::papers::raster::cpu
