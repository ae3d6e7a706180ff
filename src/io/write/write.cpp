// Plain mesh files: STL, OBJ, PLY and OFF.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/format.h"
#include "sightline/io.h"
#include "write/output.h"

namespace sightline::write {
namespace {

struct NamedView {
  std::string name;
  MeshView mesh;
};
using Parts = std::vector<NamedView>;

struct Counts {
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;
  bool doubles = false;
};

Counts count(const Parts& parts) {
  Counts counts;
  for (const auto& [name, mesh] : parts) {
    counts.vertices += mesh.positions.size();
    counts.triangles += mesh.triangles.size();
    counts.doubles |= mesh.positions.is_double();
  }
  return counts;
}

template <typename Value>
void put(Buffer& bytes, Value value) {
  const char* begin = reinterpret_cast<const char*>(&value);
  bytes.append(begin, begin + sizeof value);
}

void write_stl(Output& output, const Parts& parts) {
  const std::uint64_t triangles = count(parts).triangles;
  if (triangles > std::numeric_limits<std::uint32_t>::max())
    throw Error(formatted("{}: {} triangles; an STL file can count 4294967295", output.path().string(), triangles));
  Buffer bytes;
  std::string title = "Sightline";
  title.resize(80, ' ');
  append(bytes, title);
  put(bytes, static_cast<std::uint32_t>(triangles));
  for (const auto& [name, mesh] : parts)
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) put(bytes, 0.0f);  // no normal: readers take the winding
      for (const Vec3d& p : mesh.corners(i))
        for (const double x : p) {
          const float narrow = static_cast<float>(x);
          if (static_cast<double>(narrow) != x)
            throw Error(formatted("{}: {} is not a float32, which is all that STL holds; write PLY, OBJ or OFF",
                                  output.path().string(), x));
          put(bytes, narrow);
        }
      put(bytes, std::uint16_t{0});
    }
  output.write(bytes);
}

void append_text_vertices(Buffer& text, const MeshView& mesh, std::string_view lead) {
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    append(text, lead);
    append_point(text, mesh.position(i), ' ');
    append(text, "\n");
  }
}

void append_text_triangles(Buffer& text, const MeshView& mesh, std::string_view lead, std::uint64_t base) {
  for (const Triangle& t : mesh.triangles) print(text, "{}{} {} {}\n", lead, base + t[0], base + t[1], base + t[2]);
}

void write_obj(Output& output, const Parts& parts) {
  Buffer text;
  std::uint64_t base = 1;
  for (const auto& [name, mesh] : parts) {
    print(text, "o {}\n", printable(name));
    append_text_vertices(text, mesh, "v ");
    append_text_triangles(text, mesh, "f ", base);
    base += mesh.positions.size();
  }
  output.write(text);
}

void write_off(Output& output, const Parts& parts) {
  Buffer text;
  const Counts counts = count(parts);
  print(text, "OFF\n{} {} 0\n", counts.vertices, counts.triangles);
  for (const auto& [name, mesh] : parts) append_text_vertices(text, mesh, "");
  std::uint64_t base = 0;
  for (const auto& [name, mesh] : parts) {
    append_text_triangles(text, mesh, "3 ", base);
    base += mesh.positions.size();
  }
  output.write(text);
}

void write_ply(Output& output, const Parts& parts) {
  const Counts counts = count(parts);
  Buffer bytes;
  print(bytes,
        "ply\nformat binary_little_endian 1.0\nelement vertex {0}\nproperty {1} x\nproperty {1} y\n"
        "property {1} z\nelement face {2}\nproperty list uchar uint vertex_indices\nend_header\n",
        counts.vertices, counts.doubles ? "double" : "float", counts.triangles);
  for (const auto& [name, mesh] : parts)
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
      for (const double x : mesh.position(i)) {
        if (counts.doubles)
          put(bytes, x);
        else
          put(bytes, static_cast<float>(x));
      }
  std::uint64_t base = 0;
  for (const auto& [name, mesh] : parts) {
    for (const Triangle& t : mesh.triangles) {
      put(bytes, std::uint8_t{3});
      for (const std::uint32_t index : t) put(bytes, static_cast<std::uint32_t>(base + index));
    }
    base += mesh.positions.size();
  }
  output.write(bytes);
}

void write_parts(const std::filesystem::path& path, const Parts& parts) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  void (*write)(Output&, const Parts&) = extension == ".stl"   ? write_stl
                                         : extension == ".obj" ? write_obj
                                         : extension == ".ply" ? write_ply
                                         : extension == ".off" ? write_off
                                                               : nullptr;
  if (write == nullptr)
    throw Error(formatted("{}: unknown extension; use .stl, .obj, .ply or .off", printable(path.string())));
  Output output(path);
  write(output, parts);
  output.commit();
}

}  // namespace
}  // namespace sightline::write

namespace sightline {

void write_mesh(const std::filesystem::path& path, const MeshView& mesh) {
  validate(mesh, path.string());
  write::write_parts(path, {{path.stem().string(), mesh}});
}

void write_assembly(const std::filesystem::path& path, const Assembly& assembly) {
  write::Parts parts;
  for (std::size_t i = 0; i < assembly.size(); ++i) parts.push_back({assembly.name(i), assembly.view(i)});
  write::write_parts(path, parts);
}

}  // namespace sightline
