#include "report/geometry.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

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

void write_ply_header(Output& output, bool doubles, std::uint64_t vertices, std::string_view elements) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (vertices > kMost)
    throw Error(
        fmt::format("{}: {} vertices; a PLY file can number {}", printable(output.path().string()), vertices, kMost));
  output.write(fmt::format("ply\nformat binary_little_endian 1.0\ncomment Sightline\nelement vertex {}\n", vertices));
  output.write(fmt::format("property {0} x\nproperty {0} y\nproperty {0} z\n", doubles ? "double" : "float"));
  output.write("property uchar red\nproperty uchar green\nproperty uchar blue\n");
  output.write(fmt::format("{}end_header\n", elements));
}

// The edges of an outline of this many points.
std::uint64_t sides(std::uint64_t points) { return points < 3 ? points / 2 : points; }

// A float is written as the double it is: readers of text take doubles, and the number must stay the same.
void append_vertex(Buffer& text, const Vec3d& p) {
  append(text, "v ");
  append_point(text, p, ' ');
  append(text, "\n");
}

void write_obj_head(Output& output, const std::filesystem::path& materials) {
  output.write(fmt::format("# Sightline\nmtllib {}\n", printable(materials.filename().string())));
}

}  // namespace

std::string_view paint_name(Paint paint) { return paint == 0 ? "clear" : to_string(static_cast<Kind>(paint - 1)); }

std::array<std::uint8_t, 3> paint_colour(Paint paint) {
  constexpr std::array<std::uint8_t, 3> kColours[kPaintCount] = {
      {200, 200, 200},  // no contact: light grey
      {0, 114, 178},    // touching: blue
      {213, 94, 0},     // crossing: vermilion
      {240, 228, 66},   // coplanar: yellow
      {204, 121, 167},  // duplicate: purple
  };
  return kColours[paint];
}

std::vector<std::vector<Paint>> paint(const Contacts& contacts) {
  std::array<int, kPaintCount> rank = {};
  for (int i = 0; i < kKindCount; ++i) rank[paint_of(kKindsBySeverity[i])] = kKindCount - i;
  std::vector<std::vector<Paint>> paints(contacts.parts.size());
  for (std::size_t i = 0; i < paints.size(); ++i) paints[i].resize(contacts.parts[i].mesh.triangles.size());
  for (const Contact& contact : contacts.list) {
    const Paint paint = paint_of(contact.kind);
    for (Paint* side : {&paints[contact.object_a][contact.a], &paints[contact.object_b][contact.b]})
      if (rank[*side] < rank[paint]) *side = paint;
  }
  return paints;
}

Outlines outlines(const Contacts& contacts, const WriteOptions& options) {
  const std::size_t count = contacts.list.size();
  Outlines result;
  result.start.resize(count + 1);
  std::vector<std::vector<Vec3d>> blocks((count + kBlock - 1) / kBlock);
  for_blocks(count, options, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3d>& points = blocks[begin / kBlock];
    contacts.each_geometry(begin, end, [&](std::size_t i, const Intersection& geometry) {
      result.start[i + 1] = geometry.size;
      points.insert(points.end(), geometry.points().begin(), geometry.points().end());
    });
  });
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  result.points.reserve(result.start.back());
  for (std::vector<Vec3d>& block : blocks) {
    result.points.insert(result.points.end(), block.begin(), block.end());
    block = {};
  }
  return result;
}

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
  write_ply_header(output, doubles, vertices + 3 * painted,
                   fmt::format("element face {}\nproperty list uchar int vertex_indices\n", faces));

  for (const Part& part : contacts.parts)
    write_each(output, part.mesh.positions.size(), options,
               [&](std::size_t i, Buffer& bytes) { put_vertex(bytes, part.mesh.position(i), 0, doubles); });
  for (std::size_t part = 0; part < paints.size(); ++part)
    write_each(output, paints[part].size(), options, [&](std::size_t i, Buffer& bytes) {
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
  for (std::size_t i = 0; i < count; ++i) edges += sides(lines.size(i));
  write_ply_header(output, true, lines.points.size(),
                   fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\n"
                               "property uchar green\nproperty uchar blue\n",
                               edges));
  write_each(output, count, options, [&](std::size_t i, Buffer& bytes) {
    for (const Vec3d& p : lines.of(i)) put_vertex(bytes, p, paint_of(contacts.list[i].kind), true);
  });
  write_each(output, count, options, [&](std::size_t i, Buffer& bytes) {
    const std::uint64_t size = lines.size(i);
    for (std::uint64_t k = 0; k < sides(size); ++k) {
      put(bytes, static_cast<std::int32_t>(lines.start[i] + k));
      put(bytes, static_cast<std::int32_t>(lines.start[i] + (k + 1) % size));
      put(bytes, paint_colour(paint_of(contacts.list[i].kind)));
    }
  });
}

void write_obj_mesh(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                    const WriteOptions& options) {
  write_obj_head(output, materials);
  const std::vector<std::vector<Paint>> paints = paint(contacts);
  std::uint64_t base = 1;  // OBJ counts from one, through the whole file
  for (std::size_t i = 0; i < contacts.parts.size(); ++i) {
    const Part& part = contacts.parts[i];
    output.write(fmt::format("o {}\n", printable(part.shown_name())));
    write_each(output, part.mesh.positions.size(), options,
               [&](std::size_t k, Buffer& text) { append_vertex(text, part.mesh.position(k)); });
    const std::vector<Paint>& paint = paints[i];
    write_each(output, paint.size(), options, [&](std::size_t k, Buffer& text) {
      if (k == 0 || paint[k] != paint[k - 1]) print(text, "usemtl {}\n", paint_name(paint[k]));
      const Triangle& t = part.mesh.triangles[k];
      print(text, "f {} {} {}\n", base + t[0], base + t[1], base + t[2]);
    });
    base += part.mesh.positions.size();
  }
}

void write_obj_segments(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                        const WriteOptions& options) {
  write_obj_head(output, materials);
  const Outlines lines = outlines(contacts, options);
  write_each(output, lines.points.size(), options,
             [&](std::size_t k, Buffer& text) { append_vertex(text, lines.points[k]); });
  write_each(output, contacts.list.size(), options, [&](std::size_t i, Buffer& text) {
    const Kind kind = contacts.list[i].kind;
    if (i == 0 || kind != contacts.list[i - 1].kind) print(text, "usemtl {}\n", to_string(kind));
    const std::uint64_t first = lines.start[i] + 1, size = lines.size(i);
    if (size == 0) return;
    append(text, size == 1 ? "p" : "l");
    for (std::uint64_t k = 0; k < size; ++k) print(text, " {}", first + k);
    if (size > 2) print(text, " {}", first);
    append(text, "\n");
  });
}

void write_mtl(Output& output) {
  for (int paint = 0; paint < kPaintCount; ++paint) {
    const auto [red, green, blue] = paint_colour(static_cast<Paint>(paint));
    output.write(fmt::format("newmtl {}\nKd {:.4f} {:.4f} {:.4f}\n", paint_name(static_cast<Paint>(paint)), red / 255.0,
                             green / 255.0, blue / 255.0));
  }
}

}  // namespace sightline::report
