// Reading and writing meshes and assemblies: STL, OBJ, PLY, OFF, and (reading) glTF/GLB and 3MF. Library sightline::io.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sightline/assembly.h"
#include "sightline/source.h"

namespace sightline {

struct ReadOptions {
  unsigned threads = 0;  ///< as Options::threads
  /// glTF: a part for each primitive of a mesh, instead of one for the whole mesh.
  bool part_per_primitive = false;
  /// Called with a sentence, which begins with the file's name, about contents that were left out or repaired.
  std::function<void(const std::string& message)> warning = {};
  /// Called from time to time; true ends the reading by an Error. glTF and 3MF files call it only while their bytes are
  /// read.
  std::function<bool()> cancel = {};
};

/// All triangles of the file as one mesh. Throws Error that names the file, the place and the value. The contents
/// determine the format; if they fit several formats, the extension determines it.
/// `threads`: as Options::threads.
SIGHTLINE_API Mesh read_mesh(const std::filesystem::path& path, unsigned threads = 0);
SIGHTLINE_API Mesh read_mesh(const std::filesystem::path& path, const ReadOptions& options);

struct OpenOptions {
  std::uint64_t memory = std::uint64_t{64} << 20;                ///< bytes for the buffers of the reader
  std::filesystem::path scratch = {};                            ///< folder of scratch files; empty: the system's
  unsigned threads = 0;                                          ///< as Options::threads
  std::function<void(const std::string& message)> warning = {};  ///< as in ReadOptions
  /// Of several processes that open one file, each can check one of as many shares of the records of a PLY file.
  /// agreed(good) is called by all of them equally often; it returns true if `good` was true in each.
  std::uint32_t share = 0, shares = 1;
  std::function<bool(bool good)> agreed = {};
};
/// The triangles of read_mesh(path), which stay on the disk: binary STL, binary PLY and OBJ. Throws the Errors of
/// read_mesh; those about the contents of a binary STL file are thrown when the triangle is read. Positions and faces
/// of an OBJ file, and faces of a PLY file that has other faces than triangles, are kept in scratch files, which no
/// name leads to. The file must not change as long as the source exists.
SIGHTLINE_API std::unique_ptr<TriangleSource> open_triangles(const std::filesystem::path& path,
                                                             const OpenOptions& options = {});

/// Every named object or group in the file is a part; a file without names is one part with the file's name. Instances
/// in glTF and 3MF files share one mesh.
SIGHTLINE_API Assembly read_assembly(const std::filesystem::path& path, unsigned threads = 0);
SIGHTLINE_API Assembly read_assembly(const std::filesystem::path& path, const ReadOptions& options);
/// Several files as one assembly, in the order given.
SIGHTLINE_API Assembly read_assembly(std::span<const std::filesystem::path> paths, unsigned threads = 0);

/// Writes STL, OBJ, PLY or OFF, by the extension; the file appears complete or not at all. OBJ keeps the parts and
/// their names; the other formats hold all parts as one mesh. STL stores float32: a coordinate that is not a float32 is
/// an Error, since the file would hold another mesh.
SIGHTLINE_API void write_mesh(const std::filesystem::path& path, const MeshView& mesh);
SIGHTLINE_API void write_assembly(const std::filesystem::path& path, const Assembly& assembly);

}  // namespace sightline
