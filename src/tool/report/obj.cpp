#include "report/obj.h"

#include "report/paint.h"

namespace sightline::report {
namespace {

// A float is written as the double it is: readers of text take doubles, and the number must stay the same.
void append_vertex(Buffer& text, const Vec3d& p) { print(text, "v {} {} {}\n", p[0], p[1], p[2]); }

void write_head(Output& output, const std::filesystem::path& materials) {
  output.write(fmt::format("# Sightline\nmtllib {}\n", printable(materials.filename().string())));
}

}  // namespace

void write_obj_mesh(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                    const WriteOptions& options) {
  write_head(output, materials);
  const std::vector<std::vector<Paint>> paints = paint(contacts);
  std::uint64_t base = 1;  // OBJ counts from one, through the whole file
  for (std::size_t i = 0; i < contacts.parts.size(); ++i) {
    const Part& part = contacts.parts[i];
    output.write(fmt::format("o {}\n", printable(part.name)));
    write_items(output, part.mesh.positions.size(), options, [&](std::size_t begin, std::size_t end, Buffer& text) {
      for (std::size_t k = begin; k < end; ++k) append_vertex(text, part.mesh.position(k));
    });
    const std::vector<Paint>& paint = paints[i];
    write_items(output, paint.size(), options, [&](std::size_t begin, std::size_t end, Buffer& text) {
      for (std::size_t k = begin; k < end; ++k) {
        if (k == 0 || paint[k] != paint[k - 1]) print(text, "usemtl {}\n", paint_name(paint[k]));
        const Triangle& t = part.mesh.triangles[k];
        print(text, "f {} {} {}\n", base + t[0], base + t[1], base + t[2]);
      }
    });
    base += part.mesh.positions.size();
  }
}

void write_obj_segments(Output& output, const std::filesystem::path& materials, const Contacts& contacts,
                        const WriteOptions& options) {
  write_head(output, materials);
  const Outlines lines = outlines(contacts, options);
  write_items(output, lines.points.size(), options, [&](std::size_t begin, std::size_t end, Buffer& text) {
    for (std::size_t k = begin; k < end; ++k) append_vertex(text, lines.points[k]);
  });
  write_items(output, contacts.list.size(), options, [&](std::size_t begin, std::size_t end, Buffer& text) {
    for (std::size_t i = begin; i < end; ++i) {
      const Kind kind = contacts.list[i].kind;
      if (i == 0 || kind != contacts.list[i - 1].kind) print(text, "usemtl {}\n", to_string(kind));
      const std::uint64_t first = lines.start[i] + 1, size = lines.size(i);
      if (size == 0) continue;
      append(text, size == 1 ? "p" : "l");
      for (std::uint64_t k = 0; k < size; ++k) print(text, " {}", first + k);
      if (size > 2) print(text, " {}", first);
      append(text, "\n");
    }
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
