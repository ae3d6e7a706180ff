// How deep two parts interpenetrate, and in which direction they come apart (docs/definitions.md, "Depth").
#pragma once

#include "sightline/assembly.h"
#include "sightline/contact.h"
#include "sightline/measure.h"

namespace sightline {

/// The deepest point of one part's surface below the surface of the other part.
struct Protrusion {
  /// The depth of the point. Exactly [0, 0] if no point of the surface lies inside the other part.
  Interval depth;
  Vec3d point{};    ///< the deepest point that was found, rounded; it is as deep as `depth.low` up to this rounding
  Vec3d nearest{};  ///< the nearest point of the other surface, rounded
  std::uint32_t triangle = 0;        ///< that the point lies on
  std::uint32_t other_triangle = 0;  ///< of the other part, that the nearest point lies on

  friend bool operator==(const Protrusion&, const Protrusion&) = default;
};
struct Protrusions {
  Protrusion a;  ///< of a's surface inside b
  Protrusion b;  ///< of b's surface inside a
};

/// Both parts must be closed; otherwise Error is thrown, with the number of open edges. Inside is decided by parity
/// (docs/definitions.md, "Closed"), so the winding plays no part. The second form takes the complete list of contacts
/// of the two parts, from Scene::collide over a and b in this order.
SIGHTLINE_API Protrusions protrusions(const MeshView& a, const MeshView& b, const MeasureOptions& options = {});
SIGHTLINE_API Protrusions protrusions(const MeshView& a, const MeshView& b, std::span<const Contact> contacts,
                                      const MeasureOptions& options = {});

/// A direction, of length 1, in which the first of two things moves to leave the second one, and how far it has to
/// move.
struct ContactNormal {
  Vec3d direction{};
  double depth = 0;
  friend bool operator==(const ContactNormal&, const ContactNormal&) = default;
};
/// The direction in which two triangles that share a point separate soonest: the least over the normals of both and of
/// all pairs of edges. Of directions that are equally good, the one away from b's front and towards a's back is taken,
/// then the one from b's middle to a's. Swapped triangles have the opposite direction, unless they are equal. Zero if
/// both triangles are points.
SIGHTLINE_API ContactNormal contact_normal(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b);
/// Of each contact of two objects. Throws Error if an object has no such triangle.
SIGHTLINE_API std::vector<ContactNormal> contact_normals(const MeshView& a, const MeshView& b,
                                                         std::span<const Contact> contacts);

/// The contacts of one place, such as a cluster, for a solver.
struct Manifold {
  /// Of the normals of the contacts and of their sum, the one in which all pairs of triangles separate soonest.
  ContactNormal normal;
  std::vector<Vec3d> points;  ///< at most four of the common points: the outermost across the normal
};
SIGHTLINE_API Manifold manifold(const MeshView& a, const MeshView& b, std::span<const Contact> contacts);

/// Applies the tolerance, depths, volumes and separations of the options to the pairs of the same parts. clashes(),
/// classify() and relations() have done so.
SIGHTLINE_API void measure_pairs(std::span<const MeshView> parts, Clashes& clashes, const ClashOptions& options);
/// The same with the complete list of contacts of the parts, as for classify(): no pair is searched again.
SIGHTLINE_API void measure_pairs(std::span<const MeshView> parts, const Report& contacts, Clashes& clashes,
                                 const ClashOptions& options);

/// A short translation after which the parts share no point, and neither lies inside the other. This is verified by
/// the exact query, for a moved by the translation and for b moved by its opposite; positions are moved in double and
/// rounded once. All zeros if the parts are clear of each other as they are.
SIGHTLINE_API Separation separation(const MeshView& a, const MeshView& b, const MeasureOptions& options = {});
/// The same for the triangles of these contacts alone, such as those of a cluster: after the translation none of a's
/// triangles among them shares a point with one of b's.
SIGHTLINE_API Separation cluster_separation(const MeshView& a, const MeshView& b, std::span<const Contact> contacts,
                                            const MeasureOptions& options = {});

}  // namespace sightline
