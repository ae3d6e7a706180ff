// The read-back of `cinder`: pixels in which an edge is inside a solid, and the penetrations that they stand for.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

/// Two halves of a colour as an id; 0 is none.
inline std::uint32_t id_of(std::uint16_t high, std::uint16_t low) { return std::uint32_t{high} << 16 | low; }
/// The id in both halves.
inline raster::Color color_of(std::uint32_t id) {
  const auto high = static_cast<std::uint16_t>(id >> 16), low = static_cast<std::uint16_t>(id);
  return {high, low, high, low};
}

class Collisions {
 public:
  explicit Collisions(Context& context) : context_(context) {}

  /// The triangles that the edges of the image belong to: red and green hold the triangle + 1. In row order.
  void edges(std::vector<raster::ColorAt> triangles) { edges_ = std::move(triangles); }

  /// Pixels with the penetrating object + 1 in red and green and the penetrated one + 1 in blue and alpha. Removes
  /// self-interferences and, with `mip_levels`, loses what mip-mapping loses.
  void add(std::vector<raster::ColorAt> pixels);

  /// Pairs of objects found so far (penetrating, penetrated), as indices into the table.
  const std::set<std::pair<std::uint32_t, std::uint32_t>>& pairs() const { return pairs_; }

  /// Adds the penetrations to the report.
  void end(const std::vector<Vec3d>& normals);

 private:
  std::vector<raster::ColorAt> mip_mapped(std::vector<raster::ColorAt> pixels) const;
  std::uint32_t triangle_at(std::uint32_t x, std::uint32_t y) const;

  Context& context_;
  std::vector<raster::ColorAt> edges_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_, before_mip_map_;
  std::set<std::array<std::uint32_t, 3>> found_;  ///< object a, object b, triangle a (of the scene)
};

}  // namespace sightline::papers::method
