// The driver: a file to bytes, bytes to a model, a model to one mesh or to an assembly.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <stdexcept>

#include "base/float_environment.h"
#include "base/format.h"
#include "base/image_of.h"
#include "read/file.h"
#include "read/records.h"
#include "read/sequence.h"
#include "read/text.h"
#include "sightline/io.h"

namespace sightline {
namespace read {
namespace {

constexpr std::size_t kMost = 0xFFFFFFFFu;

/// By format, in the order of the enumeration.
constexpr Model (*kReaders[])(const Source&) = {nullptr,  read_stl,  read_obj,     read_ply,
                                                read_off, read_gltf, read_three_mf};

std::size_t position_count(const Model& model) {
  return std::visit([](const auto& points) { return points.size(); }, model.positions);
}

/// Copies triangles, and the positions they use, out of a shared pool. Copies with one `owner` share their positions.
template <typename Point>
class Copier {
 public:
  explicit Copier(const std::vector<Point>& pool) : pool_(pool), new_index_(pool.size()), owner_(pool.size(), kNone) {}

  void copy(std::span<const Triangle> triangles, std::uint32_t owner, std::vector<Point>& points,
            std::vector<Triangle>& out) {
    for (Triangle triangle : triangles) {
      for (std::uint32_t& corner : triangle) {
        if (owner_[corner] != owner) {
          owner_[corner] = owner;
          new_index_[corner] = static_cast<std::uint32_t>(points.size());
          points.push_back(pool_[corner]);
        }
        corner = new_index_[corner];
      }
      out.push_back(triangle);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  const std::vector<Point>& pool_;
  std::vector<std::uint32_t> new_index_, owner_;
};

bool uses_every_position(const Model& model) {
  std::vector<bool> used(position_count(model));
  for (const Triangle& triangle : model.triangles)
    for (const std::uint32_t corner : triangle) used[corner] = true;
  return std::ranges::find(used, false) == used.end();
}

/// The triangles of each shape, in file order.
std::vector<std::vector<std::span<const Triangle>>> shapes_of(const Model& model) {
  std::vector<std::vector<std::span<const Triangle>>> shapes;
  for (std::size_t i = 0; i < model.runs.size(); ++i) {
    const std::size_t first = model.runs[i].first_triangle;
    const std::size_t last = i + 1 < model.runs.size() ? model.runs[i + 1].first_triangle : model.triangles.size();
    shapes.resize(std::max<std::size_t>(shapes.size(), model.runs[i].shape + 1));
    shapes[model.runs[i].shape].push_back(std::span(model.triangles).subspan(first, last - first));
  }
  return shapes;
}

template <typename Point>
std::vector<Mesh> split(const Model& model, const std::vector<Point>& pool) {
  Copier<Point> copier(pool);
  std::vector<Mesh> meshes;
  const auto shapes = shapes_of(model);
  for (const auto& runs : shapes) {
    std::vector<Point> points;
    Mesh mesh;
    for (const auto& run : runs) {
      copier.copy(run, static_cast<std::uint32_t>(meshes.size()), points, mesh.triangles);
      const auto first = static_cast<std::uint32_t>(run.data() - model.triangles.data());
      for (std::uint32_t i = 0; shapes.size() > 1 && i < run.size(); ++i)
        mesh.faces.push_back(model.faces.empty() ? first + i : model.faces[first + i]);
    }
    if (shapes.size() == 1) mesh.faces = model.faces;
    mesh.positions = std::move(points);
    meshes.push_back(std::move(mesh));
  }
  return meshes;
}

/// True if the triangles and positions, as they lie there, are those of all parts.
bool is_flat(const Model& model) {
  std::uint32_t shapes = 0;
  for (const Run& run : model.runs) shapes = std::max(shapes, run.shape + 1);
  if (shapes != model.parts.size()) return false;
  for (std::uint32_t i = 0; i < shapes; ++i)
    if (model.parts[i].shape != i || model.parts[i].transform != Transform{}) return false;
  return true;
}

template <typename Point>
Mesh expanded(const Model& model, const std::vector<Point>& pool) {
  Copier<Point> copier(pool);
  std::vector<Point> points;
  Mesh mesh;
  const auto shapes = shapes_of(model);
  for (std::uint32_t part = 0; part < model.parts.size(); ++part) {
    const std::size_t first = points.size();
    for (const auto& run : shapes[model.parts[part].shape]) copier.copy(run, part, points, mesh.triangles);
    if (points.size() > kMost) throw std::length_error("vertices");
    if (const Transform& transform = model.parts[part].transform; transform != Transform{})
      for (std::size_t i = first; i < points.size(); ++i) points[i] = image_of(points[i], transform);
  }
  mesh.positions = std::move(points);
  return mesh;
}

}  // namespace

std::optional<std::size_t> first_not_finite(std::span<const Vec3d> points, const Transform& transform) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_finite(image_of(points[i], transform))) return i;
  return std::nullopt;
}

namespace {

constexpr const char* kUtf16 = "looks like UTF-16 text without a byte order mark; save it as UTF-8";

}  // namespace

void throw_no_triangles(const Source& source) {
  throw Error(formatted("{}: {}", source.file, looks_like_utf16(source.text()) ? kUtf16 : "the file has no triangles"));
}

Model checked(Model model, const Source& source) {
  if (model.triangles.empty()) throw_no_triangles(source);
  if (position_count(model) > kMost || model.triangles.size() > kMost)
    throw Error(formatted("{}: {} vertices and {} triangles; at most {} of each can be numbered", source.file,
                          position_count(model), model.triangles.size(), kMost));
  if (model.runs.empty()) {
    model.parts = {Part{}};
    model.runs = {Run{}};
  }
  return model;
}

void check_contents(const Source& source, Format format) {
  const std::string_view text = source.text();
  if (text.empty()) throw Error(source.file + ": the file is empty");
  if (format == Format::unknown) {
    std::string advice = foreign_advice(text, std::filesystem::path(source.file).extension().string());
    if (advice.empty() && looks_like_utf16(text)) advice = kUtf16;
    throw Error(advice.empty()
                    ? formatted("{}: not a mesh in a format that can be read (STL, OBJ, PLY, OFF, glTF/GLB and 3MF)",
                                source.file)
                    : formatted("{}: {}", source.file, advice));
  }
}

Model read_model(const Source& source, Format format) {
  const std::string no_memory =
      formatted("{}: not enough memory to read the file of {} bytes", source.file, source.bytes.size());
  const std::string_view text = source.text();
  if (const auto converted = is_foreign(text) ? std::nullopt : from_utf16(text, source.file)) {
    Source as_utf8 = source;  // a file is converted before this (FileSource)
    as_utf8.bytes = std::as_bytes(std::span(*converted));
    return read_model(as_utf8, format == Format::unknown ? detect(as_utf8.bytes, "") : format);
  }
  check_contents(source, format);
  try {
    return checked(kReaders[static_cast<std::size_t>(format)](source), source);
  } catch (const std::bad_alloc&) {
    throw Error(no_memory);
  } catch (const std::length_error&) {
    throw Error(no_memory);
  } catch (const Error&) {
    if (looks_like_utf16(text)) throw Error(formatted("{}: {}", source.file, kUtf16));
    throw;
  }
}

std::uint64_t Model::placed_triangles() const {
  std::vector<std::uint64_t> count;
  for (const auto& runs : shapes_of(*this)) {
    count.push_back(0);
    for (const auto& run : runs) count.back() += run.size();
  }
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += count[part.shape];
  return sum;
}

Mesh to_mesh(Model model, const Source& source) {
  const std::string name = model.parts.size() == 1 && !model.parts[0].name.empty() ? model.parts[0].name : source.stem;
  if (is_flat(model)) return {name, std::move(model.positions), std::move(model.triangles), std::move(model.faces)};
  const std::uint64_t count = model.placed_triangles();
  const std::uint64_t most = model.triangles.size() + source.limits.instanced + kInstancedPerByte * source.bytes.size();
  if (count > most || count > kMost)
    throw Error(formatted("{}: {} triangles after placing all instances as one mesh; at most {} are read", source.file,
                          count, std::min<std::uint64_t>(most, kMost)));
  try {
    Mesh mesh = std::visit([&](const auto& pool) { return expanded(model, pool); }, model.positions);
    mesh.name = name;
    return mesh;
  } catch (const std::bad_alloc&) {
    throw Error(formatted("{}: not enough memory for the {} triangles of all instances", source.file, count));
  } catch (const std::length_error&) {
    throw Error(formatted("{}: the vertices of {} triangles cannot be numbered", source.file, count));
  }
}

Assembly to_assembly(Model model, const std::string& stem) {
  std::vector<Mesh> shapes;
  if (is_flat(model) && model.parts.size() == 1 && uses_every_position(model))
    shapes.push_back({{}, std::move(model.positions), std::move(model.triangles), std::move(model.faces)});
  else
    shapes = std::visit([&](const auto& pool) { return split(model, pool); }, model.positions);
  Assembly assembly;
  assembly.unit = std::move(model.unit);
  std::vector<std::uint32_t> mesh_of;
  for (Mesh& shape : shapes) {
    mesh_of.push_back(static_cast<std::uint32_t>(shape.triangles.empty() ? kMost : assembly.meshes.size()));
    if (!shape.triangles.empty()) assembly.meshes.push_back(std::move(shape));
  }
  for (Part& part : model.parts)
    if (mesh_of[part.shape] != kMost)
      assembly.parts.push_back({std::move(part.name), mesh_of[part.shape], part.transform});
  // A part without a name takes the file's stem, with its number if there are others.
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    std::string& name = assembly.parts[i].name;
    if (name.empty()) name = assembly.size() == 1 ? stem : formatted("{}#{}", stem, i);
    if (std::string& mesh = assembly.meshes[assembly.parts[i].mesh].name; mesh.empty()) mesh = name;
  }
  return assembly;
}

}  // namespace read

namespace {

/// Once true, always true: the readers take an Error of one piece for a reason to read the text as one piece.
std::function<bool()> until_cancelled(const std::function<bool()>& cancel) {
  if (!cancel) return {};
  return [cancel, was = std::make_shared<std::atomic<bool>>(false)] {
    if (!*was && cancel()) *was = true;
    return was->load();
  };
}

template <typename Convert>
auto read_as(const std::filesystem::path& path, const ReadOptions& options, const Convert& convert) {
  const FloatEnvironment environment;  // numbers in text are read to the nearest double
  const std::function<bool()> cancel = until_cancelled(options.cancel);
  const read::Source by_place{
      .bytes = {}, .file = path.string(), .stem = path.stem().string(), .threads = options.threads, .cancel = cancel};
  if (std::optional<read::Model> model = read::read_stl_file(path, by_place); model && !model->triangles.empty())
    return convert(read::checked(std::move(*model), by_place), by_place);
  read::FileSource file(path, options.threads, cancel);
  file.source.part_per_primitive = options.part_per_primitive;
  file.source.warning = options.warning;
  const read::Format format = read::detect(file.source.bytes, path.extension().string());
  return convert(read::read_model(file.source, format), file.source);
}

}  // namespace

read::MeshInUnit read::read_in_unit(const std::filesystem::path& path, const ReadOptions& options) {
  return read_as(path, options, [](read::Model model, const read::Source& source) {
    std::string unit = model.unit;
    return read::MeshInUnit{read::to_mesh(std::move(model), source), std::move(unit)};
  });
}

Mesh read_mesh(const std::filesystem::path& path, const ReadOptions& options) {
  return read_as(path, options, read::to_mesh);
}

Mesh read_mesh(const std::filesystem::path& path, unsigned threads) {
  return read_mesh(path, ReadOptions{.threads = threads});
}

std::unique_ptr<TriangleSource> open_triangles(const std::filesystem::path& path, const OpenOptions& options) {
  const FloatEnvironment environment;
  const auto file = std::make_shared<const disk::InputFile>(path);
  const disk::Mapping mapping(*file);
  const read::Source source{.bytes = mapping.bytes(),
                            .file = path.string(),
                            .stem = path.stem().string(),
                            .threads = options.threads,
                            .warning = options.warning};
  if (!read::is_foreign(source.text()) && read::from_utf16(source.text(), source.file))
    read::throw_not_in_pieces(source, "UTF-16 text");
  if (options.shares == 0 || options.share >= options.shares)
    throw Error(formatted("share {} of {}: there is no such share", options.share, options.shares));
  const read::StreamSettings settings{.memory = options.memory,
                                      .scratch = options.scratch,
                                      .threads = options.threads,
                                      .share = options.share,
                                      .shares = options.shares,
                                      .agreed = options.agreed};
  const read::Format format = read::detect(source.bytes, path.extension().string());
  read::check_contents(source, format);
  const auto opened = [&]() -> std::unique_ptr<TriangleSource> {
    if (format == read::Format::stl) return read::stream_stl(file, source, settings);
    if (format == read::Format::ply) return read::stream_ply(file, mapping, source, settings);
    if (format == read::Format::obj) return read::stream_obj(mapping, source, settings);
    constexpr std::string_view kNames[] = {"", "", "", "", "an OFF file", "a glTF file", "a 3MF file"};
    read::throw_not_in_pieces(source, kNames[static_cast<std::size_t>(format)]);
  };
  return read::checked(opened(), source);
}

Assembly read_assembly(const std::filesystem::path& path, const ReadOptions& options) {
  return read_as(path, options, [](read::Model model, const read::Source& source) {
    return read::to_assembly(std::move(model), source.stem);
  });
}

Assembly read_assembly(const std::filesystem::path& path, unsigned threads) {
  return read_assembly(path, ReadOptions{.threads = threads});
}

Assembly read_assembly(std::span<const std::filesystem::path> paths, unsigned threads) {
  Assembly all;
  for (const std::filesystem::path& path : paths) all.add(read_assembly(path, threads));
  return all;
}

}  // namespace sightline
