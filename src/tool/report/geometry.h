// Colours by kind of contact, the outlines of the contacts, and the geometry files: the meshes with contact triangles
// coloured, and the contacts themselves as edges or lines, as binary PLY and as OBJ with materials.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace sightline::report {

/// The colour of a triangle: 0 without a contact, else 1 + the most serious Kind of its contacts.
using Paint = std::uint8_t;
inline constexpr int kPaintCount = 1 + kKindCount;
inline Paint paint_of(Kind kind) { return static_cast<Paint>(1 + static_cast<int>(kind)); }
std::string_view paint_name(Paint paint);
/// Colours that colour-blind people can distinguish (Okabe and Ito).
std::array<std::uint8_t, 3> paint_colour(Paint paint);

/// Per part and triangle.
std::vector<std::vector<Paint>> paint(const Contacts& contacts);

/// The points of all contacts in order; contact i has the points [start[i], start[i + 1]).
struct Outlines {
  std::vector<Vec3d> points;
  std::vector<std::uint64_t> start;
  std::uint64_t size(std::size_t contact) const { return start[contact + 1] - start[contact]; }
  std::span<const Vec3d> of(std::size_t contact) const {
    return std::span(points).subspan(start[contact], size(contact));
  }
};
Outlines outlines(const Contacts& contacts, const WriteOptions& options);

/// All parts as one mesh. Colours are those of vertices, which every viewer shows; a triangle in contact has three
/// vertices of its own after those of the parts, so that its colour does not bleed. Faces keep their order.
void write_ply_mesh(Output& output, const Contacts& contacts, const WriteOptions& options);
/// A vertex for each point, an edge for each side: segments as one edge, polygons as closed outlines.
void write_ply_segments(Output& output, const Contacts& contacts, const WriteOptions& options);

/// Each part as an object (`o`) with its own vertices; faces keep their order, and `usemtl` follows the colour.
void write_obj_mesh(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                    const WriteOptions& options);
/// Points as `p`, segments as `l` of two, polygons as closed `l`.
void write_obj_segments(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                        const WriteOptions& options);
/// The materials that both OBJ files name.
void write_mtl(Output& output);

}  // namespace sightline::report
