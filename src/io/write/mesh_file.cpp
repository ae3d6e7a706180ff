#include "write/mesh_file.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "write/output.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

struct Counts {
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;
  bool doubles = false;
};

Counts count(const Assembly& assembly) {
  Counts counts;
  for (const Mesh& part : assembly.parts) {
    counts.vertices += part.view().positions.size();
    counts.triangles += part.triangles.size();
    counts.doubles |= part.view().positions.is_double();
  }
  return counts;
}

template <typename Value>
void put(Buffer& bytes, Value value) {
  const char* begin = reinterpret_cast<const char*>(&value);
  bytes.append(begin, begin + sizeof value);
}

void write_stl(Output& output, const Assembly& assembly) {
  const std::uint64_t triangles = count(assembly).triangles;
  if (triangles > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("{}: {} triangles; an STL file can count 4294967295", output.path().string(), triangles));
  Buffer bytes;
  std::string title = "Sightline";
  title.resize(80, ' ');
  append(bytes, title);
  put(bytes, static_cast<std::uint32_t>(triangles));
  for (const Mesh& part : assembly.parts)
    for (std::size_t i = 0; i < part.triangles.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) put(bytes, 0.0f);  // no normal: readers take the winding
      for (const Vec3d& p : part.view().corners(i))
        for (const double x : p) {
          const float narrow = static_cast<float>(x);
          if (static_cast<double>(narrow) != x)
            throw Error(fmt::format("{}: {} is not a float32, which is all that STL holds; write PLY, OBJ or OFF",
                                    output.path().string(), x));
          put(bytes, narrow);
        }
      put(bytes, std::uint16_t{0});
    }
  output.write(bytes);
}

void append_text_vertices(Buffer& text, const Mesh& part, std::string_view lead) {
  const Positions positions = part.view().positions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3d p = positions[i];
    print(text, "{}{} {} {}\n", lead, p[0], p[1], p[2]);
  }
}

void append_text_triangles(Buffer& text, const Mesh& part, std::string_view lead, std::uint64_t base) {
  for (const Triangle& t : part.triangles) print(text, "{}{} {} {}\n", lead, base + t[0], base + t[1], base + t[2]);
}

void write_obj(Output& output, const Assembly& assembly) {
  Buffer text;
  std::uint64_t base = 1;
  for (const Mesh& part : assembly.parts) {
    print(text, "o {}\n", printable(part.name));
    append_text_vertices(text, part, "v ");
    append_text_triangles(text, part, "f ", base);
    base += part.view().positions.size();
  }
  output.write(text);
}

void write_off(Output& output, const Assembly& assembly) {
  Buffer text;
  const Counts counts = count(assembly);
  print(text, "OFF\n{} {} 0\n", counts.vertices, counts.triangles);
  for (const Mesh& part : assembly.parts) append_text_vertices(text, part, "");
  std::uint64_t base = 0;
  for (const Mesh& part : assembly.parts) {
    append_text_triangles(text, part, "3 ", base);
    base += part.view().positions.size();
  }
  output.write(text);
}

void write_ply(Output& output, const Assembly& assembly) {
  const Counts counts = count(assembly);
  Buffer bytes;
  print(bytes,
        "ply\nformat binary_little_endian 1.0\nelement vertex {0}\nproperty {1} x\nproperty {1} y\n"
        "property {1} z\nelement face {2}\nproperty list uchar uint vertex_indices\nend_header\n",
        counts.vertices, counts.doubles ? "double" : "float", counts.triangles);
  for (const Mesh& part : assembly.parts)
    for (std::size_t i = 0; i < part.view().positions.size(); ++i)
      for (const double x : part.view().position(i)) {
        if (counts.doubles)
          put(bytes, x);
        else
          put(bytes, static_cast<float>(x));
      }
  std::uint64_t base = 0;
  for (const Mesh& part : assembly.parts) {
    for (const Triangle& t : part.triangles) {
      put(bytes, std::uint8_t{3});
      for (const std::uint32_t index : t) put(bytes, static_cast<std::uint32_t>(base + index));
    }
    base += part.view().positions.size();
  }
  output.write(bytes);
}

}  // namespace

void write_mesh_file(const std::filesystem::path& path, const Assembly& assembly) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  void (*write)(Output&, const Assembly&) = extension == ".stl"   ? write_stl
                                            : extension == ".obj" ? write_obj
                                            : extension == ".ply" ? write_ply
                                            : extension == ".off" ? write_off
                                                                  : nullptr;
  if (write == nullptr)
    throw Error(fmt::format("{}: unknown extension; use .stl, .obj, .ply or .off", printable(path.string())));
  Output output(path);
  write(output, assembly);
  output.commit();
}

}  // namespace sightline::report
