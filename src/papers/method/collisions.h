// The read-back of `cinder`: places in which an edge is inside a solid, and the penetrations that they stand for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "method/method.h"
#include "method/solids.h"
#include "raster/inside.h"

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
  Collisions(Context& context, const Solids& solids) : context_(context), solids_(solids) {}

  /// An image of the published passes. `edges` has the triangle + 1 that the edge of a pixel belongs to in red and
  /// green, `pixels` the penetrating object + 1 in red and green and the penetrated one + 1 in blue and alpha, both in
  /// row order; `keys` are the depths of all edges. Removes self-interferences and, with `mip_levels`, loses what
  /// mip-mapping loses.
  void add(const std::vector<raster::ColorAt>& edges, std::vector<raster::ColorAt> pixels,
           std::span<const std::uint32_t> keys, const raster::Camera& camera);
  /// Samples of edges, sorted.
  void add(std::span<const raster::Inside> samples, const raster::Camera& camera);

  /// Pairs of objects found so far (penetrating, penetrated), as indices into the table.
  const std::set<std::pair<std::uint32_t, std::uint32_t>>& pairs() const { return pairs_; }

  /// Adds the penetrations to the report.
  void end();

 private:
  std::vector<raster::ColorAt> mip_mapped(std::vector<raster::ColorAt> pixels) const;
  /// `edge`: 3 * triangle + i, or kAnyEdge of the triangle.
  static constexpr std::uint32_t kAnyEdge = 3;
  void found(std::uint32_t triangle, std::uint32_t edge, std::uint32_t object_b, const Vec3d& near);

  Context& context_;
  const Solids& solids_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_, before_mip_map_, after_mip_map_;
  std::map<std::array<std::uint32_t, 3>, Vec3d> found_;  ///< by object a, object b, triangle a (of the scene): where
};

}  // namespace sightline::papers::method
