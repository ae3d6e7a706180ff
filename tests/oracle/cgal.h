// The second oracle: CGAL 5.5 with exact predicates. It takes only triangles with area and has no kinds, so that lists
// are compared on such pairs alone (`among_area`).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sightline/contact.h"
#include "sightline/mesh.h"

namespace oracle {

using TrianglePair = std::pair<std::uint32_t, std::uint32_t>;

/// Self-intersections of any set of triangles: CGAL's box intersection and its predicates, with the rule for neighbours
/// that `CGAL::Polygon_mesh_processing::self_intersections` states. Triangles without area are left out. Ascending.
std::vector<TrianglePair> cgal_soup(const sightline::MeshView& mesh);

/// `CGAL::Polygon_mesh_processing::self_intersections` itself; nothing where CGAL cannot hold the mesh (an edge of more
/// than two triangles, or windings that disagree).
std::optional<std::vector<TrianglePair>> cgal_mesh(const sightline::MeshView& mesh);

/// The pairs of a contact list in which both triangles have area, ascending.
std::vector<TrianglePair> among_area(const sightline::MeshView& mesh, const std::vector<sightline::Contact>& contacts);

}  // namespace oracle
