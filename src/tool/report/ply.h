// Binary PLY: the meshes with contact triangles coloured, and the contacts themselves as edges.
#pragma once

#include "report/document.h"

namespace sightline::report {

/// All parts as one mesh. Colours are those of vertices, which every viewer shows; a triangle in contact has three
/// vertices of its own after those of the parts, so that its colour does not bleed. Faces keep their order.
void write_ply_mesh(Output& output, const Contacts& contacts, const WriteOptions& options);
/// A vertex for each point, an edge for each side: segments as one edge, polygons as closed outlines.
void write_ply_segments(Output& output, const Contacts& contacts, const WriteOptions& options);

}  // namespace sightline::report
