// The driver: a file to bytes, bytes to a model, a model to one mesh or to parts.
#include "sightline/io.h"

#include <fmt/format.h>

#include "base/float_environment.h"
#include "read/file.h"
#include "read/read_memory.h"

namespace sightline {
namespace read {
namespace {

constexpr std::size_t kMost = 0xFFFFFFFFu;
constexpr const char* kSupported = "STL, OBJ, PLY, OFF, glTF/GLB and 3MF";

Model dispatch(const Source& source, Format format) {
  switch (format) {
    case Format::stl:
      return read_stl(source);
    case Format::obj:
      return read_obj(source);
    case Format::ply:
      return read_ply(source);
    case Format::off:
      return read_off(source);
    case Format::gltf:
      return read_gltf(source);
    case Format::three_mf:
      return read_three_mf(source);
    case Format::unknown:
      break;
  }
  throw Error(fmt::format("{}: not a mesh in a format that can be read ({})", source.file, kSupported));
}

void check(const Model& model, const Source& source) {
  const std::size_t points = std::visit([](const auto& p) { return p.size(); }, model.positions);
  if (model.triangles.empty()) throw Error(fmt::format("{}: the file has no triangles", source.file));
  if (points > kMost || model.triangles.size() > kMost)
    throw Error(fmt::format("{}: {} vertices and {} triangles; at most {} of each can be numbered", source.file, points,
                            model.triangles.size(), kMost));
}

void check_bytes(const Source& source) {
  const std::string_view text = source.text();
  if (text.empty()) throw Error(source.file + ": the file is empty");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw Error(source.file + ": byte 0: the file is UTF-16 text; UTF-8 or ASCII is needed");
}

/// Copies the triangles of one part, and the positions they use, out of a shared pool.
template <typename Point>
class PartCopier {
 public:
  explicit PartCopier(const std::vector<Point>& pool)
      : pool_(pool), new_index_(pool.size()), owner_(pool.size(), kNoPart) {}

  void copy(std::span<const Triangle> triangles, std::uint32_t part, std::vector<Point>& points,
            std::vector<Triangle>& out) {
    for (Triangle triangle : triangles) {
      for (std::uint32_t& corner : triangle) {
        if (owner_[corner] != part) {
          owner_[corner] = part;
          new_index_[corner] = static_cast<std::uint32_t>(points.size());
          points.push_back(pool_[corner]);
        }
        corner = new_index_[corner];
      }
      out.push_back(triangle);
    }
  }

 private:
  static constexpr std::uint32_t kNoPart = 0xFFFFFFFFu;
  const std::vector<Point>& pool_;
  std::vector<std::uint32_t> new_index_, owner_;
};

bool uses_every_position(const Model& model) {
  std::vector<bool> used(std::visit([](const auto& p) { return p.size(); }, model.positions));
  for (const Triangle& triangle : model.triangles)
    for (const std::uint32_t corner : triangle) used[corner] = true;
  for (const bool u : used)
    if (!u) return false;
  return true;
}

/// The runs of each part, in file order.
std::vector<std::vector<std::size_t>> runs_by_part(const Model& model) {
  std::vector<std::vector<std::size_t>> runs(model.parts.size());
  for (std::size_t i = 0; i < model.runs.size(); ++i) runs[model.runs[i].part].push_back(i);
  return runs;
}

template <typename Point>
std::vector<Mesh> split(const Model& model, const std::vector<Point>& pool) {
  PartCopier<Point> copier(pool);
  std::vector<Mesh> meshes;
  const auto runs = runs_by_part(model);
  for (std::uint32_t part = 0; part < runs.size(); ++part) {
    std::vector<Point> points;
    Mesh mesh{.name = model.parts[part], .positions = {}, .triangles = {}};
    for (const std::size_t i : runs[part]) {
      const std::size_t first = model.runs[i].first_triangle;
      const std::size_t last = i + 1 < model.runs.size() ? model.runs[i + 1].first_triangle : model.triangles.size();
      copier.copy(std::span(model.triangles).subspan(first, last - first), part, points, mesh.triangles);
    }
    if (mesh.triangles.empty()) continue;
    mesh.positions = std::move(points);
    meshes.push_back(std::move(mesh));
  }
  return meshes;
}

/// A part without a name takes the file's stem, with its number if there are others.
void name_unnamed(std::vector<Mesh>& meshes, const std::string& stem) {
  for (std::size_t i = 0; i < meshes.size(); ++i)
    if (meshes[i].name.empty()) meshes[i].name = meshes.size() == 1 ? stem : fmt::format("{}#{}", stem, i + 1);
}

}  // namespace

Model checked(Model model, const Source& source) {
  check(model, source);
  if (model.runs.empty()) {
    model.parts = {std::string()};
    model.runs = {Run{}};
  }
  return model;
}

Model read_model(const Source& source, Format format) {
  check_bytes(source);
  try {
    return checked(dispatch(source, format), source);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: not enough memory to read the file of {} bytes", source.file, source.bytes.size()));
  } catch (const std::length_error&) {
    throw Error(fmt::format("{}: not enough memory to read the file of {} bytes", source.file, source.bytes.size()));
  }
}

Mesh to_mesh(Model model, const std::string& stem) {
  const bool named = model.parts.size() == 1 && !model.parts[0].empty();
  return {named ? model.parts[0] : stem, std::move(model.positions), std::move(model.triangles)};
}

std::vector<Mesh> to_parts(Model model, const std::string& stem) {
  std::vector<Mesh> meshes;
  if (model.parts.size() == 1 && uses_every_position(model))
    meshes.push_back({model.parts[0], std::move(model.positions), std::move(model.triangles)});
  else
    meshes = std::visit([&](const auto& pool) { return split(model, pool); }, model.positions);
  name_unnamed(meshes, stem);
  return meshes;
}

}  // namespace read

namespace {

read::Model read_file_model(const std::filesystem::path& path) {
  const FloatEnvironment environment;  // numbers in text are read to the nearest double
  const read::FileBytes bytes = read::load_file(path);
  const std::filesystem::path folder = path.parent_path();
  const read::Source source{.bytes = bytes.span(),
                            .file = path.string(),
                            .stem = path.stem().string(),
                            .sibling = [&folder](const std::string& relative) {
                              const read::FileBytes loaded = read::load_file(folder / relative);
                              return std::vector<std::byte>(loaded.span().begin(), loaded.span().end());
                            }};
  return read::read_model(source, read::detect(source.bytes, path.extension().string()));
}

}  // namespace

Mesh read_mesh(const std::filesystem::path& path) { return read::to_mesh(read_file_model(path), path.stem().string()); }

Assembly read_assembly(const std::filesystem::path& path) {
  Assembly assembly;
  for (Mesh& part : read::to_parts(read_file_model(path), path.stem().string())) assembly.add(std::move(part));
  return assembly;
}

Assembly read_assembly(std::span<const std::filesystem::path> paths) {
  Assembly all;
  for (const std::filesystem::path& path : paths) all.add(read_assembly(path));
  return all;
}

}  // namespace sightline
