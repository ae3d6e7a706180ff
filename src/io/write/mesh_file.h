// Plain mesh files, for generated scenes: STL, OBJ, PLY and OFF, told by the extension.
#pragma once

#include <filesystem>

#include "sightline/assembly.h"

namespace sightline::report {

/// OBJ keeps the parts and their names; the others hold all parts as one mesh. STL has float32 only: a coordinate that
/// is not a float is an error there, as the file would hold another mesh.
void write_mesh_file(const std::filesystem::path& path, const Assembly& assembly);

}  // namespace sightline::report
