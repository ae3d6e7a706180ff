// The common points of two triangles as geometry: where is the contact?
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sightline/contact.h"
#include "sightline/mesh.h"

namespace sightline {

/// The intersection of two closed triangles: nothing, a point, a segment or a convex polygon (at most six corners,
/// in order around it). Which of these it is, is exact; each coordinate is the exact one rounded to double.
struct Intersection {
  std::array<Vec3d, 6> storage{};
  std::uint8_t size = 0;  ///< 0 none, 1 point, 2 segment, 3 to 6 polygon
  std::span<const Vec3d> points() const { return {storage.data(), size}; }
};

Intersection intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b);
/// The intersection behind a contact of one mesh with itself.
Intersection intersection(const MeshView& mesh, const Contact& contact);
/// The intersection behind a contact between two objects.
Intersection intersection(const MeshView& object_a, const MeshView& object_b, const Contact& contact);

}  // namespace sightline
