// Reading meshes and assemblies from files: STL, OBJ, PLY, OFF, glTF/GLB, 3MF.
#pragma once

#include <filesystem>
#include <span>

#include "sightline/assembly.h"
#include "sightline/mesh.h"

namespace sightline {

/// One mesh of all triangles in the file. Throws Error that names the file, the place and the value. The format is
/// told from the contents where they tell, else from the extension.
Mesh read_mesh(const std::filesystem::path& path);

/// Every named object or group in the file is a part; a file without names is one part, named after the file.
Assembly read_assembly(const std::filesystem::path& path);
/// Several files as one assembly, in the order given.
Assembly read_assembly(std::span<const std::filesystem::path> paths);

}  // namespace sightline
