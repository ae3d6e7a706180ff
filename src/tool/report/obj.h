// OBJ with materials: the meshes with contact triangles coloured, and the contacts themselves as lines.
#pragma once

#include "report/document.h"

namespace sightline::report {

/// Each part as an object (`o`) with its own vertices; faces keep their order, and `usemtl` follows the colour.
void write_obj_mesh(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                    const WriteOptions& options);
/// Points as `p`, segments as `l` of two, polygons as closed `l`.
void write_obj_segments(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                        const WriteOptions& options);
/// The materials that both of them name.
void write_mtl(Output& output);

}  // namespace sightline::report
