#include "report/ply.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "report/paint.h"

namespace sightline::report {
namespace {

static_assert(std::endian::native == std::endian::little, "the writer puts out bytes as they lie in memory");

template <typename Value>
void put(Buffer& bytes, const Value& value) {
  const char* begin = reinterpret_cast<const char*>(&value);
  bytes.append(begin, begin + sizeof value);
}

void put_vertex(Buffer& bytes, const Vec3d& p, Paint paint, bool doubles) {
  for (const double x : p) {
    if (doubles)
      put(bytes, x);
    else
      put(bytes, static_cast<float>(x));  // was a float
  }
  put(bytes, paint_colour(paint));
}

void write_header(Output& output, bool doubles, std::uint64_t vertices, std::string_view elements) {
  const std::string_view type = doubles ? "double" : "float";
  output.write(fmt::format("ply\nformat binary_little_endian 1.0\ncomment Sightline\nelement vertex {}\n", vertices));
  output.write(fmt::format("property {0} x\nproperty {0} y\nproperty {0} z\n", type));
  output.write("property uchar red\nproperty uchar green\nproperty uchar blue\n");
  output.write(fmt::format("{}end_header\n", elements));
}

void check_count(const Output& output, std::uint64_t vertices) {
  if (vertices <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(fmt::format("{}: {} vertices; a PLY file can number {}", printable(output.path().string()), vertices,
                          std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

void write_ply_mesh(Output& output, const Contacts& contacts, const WriteOptions& options) {
  const std::vector<std::vector<Paint>> paints = paint(contacts);
  std::uint64_t vertices = 0, faces = 0, painted = 0;
  bool doubles = false;
  for (std::size_t part = 0; part < paints.size(); ++part) {
    const MeshView& mesh = contacts.parts[part].mesh;
    vertices += mesh.positions.size();
    faces += mesh.triangles.size();
    painted += paints[part].size() - std::count(paints[part].begin(), paints[part].end(), Paint{0});
    doubles |= mesh.positions.is_double();
  }
  check_count(output, vertices + 3 * painted);
  write_header(output, doubles, vertices + 3 * painted,
               fmt::format("element face {}\nproperty list uchar int vertex_indices\n", faces));

  for (const Part& part : contacts.parts)
    write_items(output, part.mesh.positions.size(), options, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
      for (std::size_t i = begin; i < end; ++i) put_vertex(bytes, part.mesh.position(i), 0, doubles);
    });
  for (std::size_t part = 0; part < paints.size(); ++part)
    write_items(output, paints[part].size(), options, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
      for (std::size_t i = begin; i < end; ++i)
        if (paints[part][i] != 0)
          for (const Vec3d& p : contacts.parts[part].mesh.corners(i)) put_vertex(bytes, p, paints[part][i], doubles);
    });

  std::uint64_t base = 0, next_painted = vertices;
  Buffer bytes;
  for (std::size_t part = 0; part < paints.size(); ++part) {
    const MeshView& mesh = contacts.parts[part].mesh;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      put(bytes, std::uint8_t{3});
      const bool own = paints[part][i] != 0;
      for (int corner = 0; corner < 3; ++corner)
        put(bytes, static_cast<std::int32_t>(own ? next_painted++ : base + mesh.triangles[i][corner]));
      if (i % kBlock == kBlock - 1 || i + 1 == mesh.triangles.size()) {
        output.write(bytes);
        bytes.clear();
      }
    }
    base += mesh.positions.size();
  }
}

void write_ply_segments(Output& output, const Contacts& contacts, const WriteOptions& options) {
  const Outlines lines = outlines(contacts, options);
  const std::size_t count = contacts.list.size();
  std::uint64_t edges = 0;
  for (std::size_t i = 0; i < count; ++i) edges += lines.size(i) < 3 ? lines.size(i) / 2 : lines.size(i);
  check_count(output, lines.points.size());
  write_header(output, true, lines.points.size(),
               fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\n"
                           "property uchar green\nproperty uchar blue\n",
                           edges));
  write_items(output, count, options, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::uint64_t k = lines.start[i]; k < lines.start[i + 1]; ++k)
        put_vertex(bytes, lines.points[k], paint_of(contacts.list[i].kind), true);
  });
  write_items(output, count, options, [&](std::size_t begin, std::size_t end, Buffer& bytes) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t size = lines.size(i);
      for (std::uint64_t k = 0; k < (size < 3 ? size / 2 : size); ++k) {
        put(bytes, static_cast<std::int32_t>(lines.start[i] + k));
        put(bytes, static_cast<std::int32_t>(lines.start[i] + (k + 1) % size));
        put(bytes, paint_colour(paint_of(contacts.list[i].kind)));
      }
    }
  });
}

}  // namespace sightline::report
