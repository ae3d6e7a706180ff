// Contacts joined into curves and areas (docs/definitions.md, "Curves").
#pragma once

#include "sightline/contact.h"
#include "sightline/measure.h"

namespace sightline {

/// A point at which two triangles meet.
struct CurvePoint {
  Vec3d position{};                      ///< the exact point, rounded to nearest
  std::uint32_t contact = 0;             ///< a contact that the next piece of the curve belongs to
  std::array<double, 3> in_a{}, in_b{};  ///< barycentric coordinates in its two triangles
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// A polyline. Its pieces meet no piece of another curve but at their ends.
struct Curve {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<CurvePoint>
      points;                  ///< in order; the last point of a closed curve joins the first, which is not repeated
  bool closed = false;         ///< a loop
  bool crossing = false;       ///< the surfaces cross along all of it; such a loop bounds a region of overlap
  std::uint32_t area = kNone;  ///< the area of which it is a boundary, if it is one
  Interval length;
};

/// Contacts in one plane that overlap in areas and are joined by edges.
struct ContactArea {
  std::vector<std::uint32_t> contacts;  ///< numbers of contacts, ascending
  Interval area;
};

struct Curves {
  std::vector<Curve> curves;
  std::vector<ContactArea> areas;
  std::vector<CurvePoint> points;  ///< single points, on no curve and no area
};

/// Curves of the contacts of one mesh with itself, or of two objects. Which pieces join is decided exactly. Throws
/// Error if a contact has a triangle that a mesh does not have.
SIGHTLINE_API Curves curves(const MeshView& mesh, std::span<const Contact> contacts);
SIGHTLINE_API Curves curves(const MeshView& a, const MeshView& b, std::span<const Contact> contacts);

}  // namespace sightline
