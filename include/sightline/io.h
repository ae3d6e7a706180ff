// Reading and writing meshes and assemblies: STL, OBJ, PLY, OFF, and (reading) glTF/GLB and 3MF. Library sightline::io.
#pragma once

#include <filesystem>
#include <span>

#include "sightline/assembly.h"

namespace sightline {

/// All triangles of the file as one mesh. Throws Error that names the file, the place and the value. The contents
/// determine the format; if they fit several formats, the extension determines it.
/// `threads`: as Options::threads.
SIGHTLINE_API Mesh read_mesh(const std::filesystem::path& path, unsigned threads = 0);

/// Every named object or group in the file is a part; a file without names is one part with the file's name. Instances
/// in glTF and 3MF files share one mesh.
SIGHTLINE_API Assembly read_assembly(const std::filesystem::path& path, unsigned threads = 0);
/// Several files as one assembly, in the order given.
SIGHTLINE_API Assembly read_assembly(std::span<const std::filesystem::path> paths, unsigned threads = 0);

/// Writes STL, OBJ, PLY or OFF, by the extension; the file appears complete or not at all. OBJ keeps the parts and
/// their names; the other formats hold all parts as one mesh. STL stores float32: a coordinate that is not a float32 is
/// an Error, since the file would hold another mesh.
SIGHTLINE_API void write_mesh(const std::filesystem::path& path, const MeshView& mesh);
SIGHTLINE_API void write_assembly(const std::filesystem::path& path, const Assembly& assembly);

}  // namespace sightline
