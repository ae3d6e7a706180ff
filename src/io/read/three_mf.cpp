// 3MF: a zip archive with models in XML. Each mesh that a build item shows, directly or through components, is a part,
// placed in double by the transforms on its way; parts that show one object share its mesh. Coordinates are in the
// file's own unit.
//
// libzip and pugixml rather than lib3mf or Assimp, which put coordinates through float. pugixml's parser neither
// recurses nor expands entities that a document declares.
#include <zip.h>

#include <charconv>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <pugixml.hpp>

#include "base/format.h"
#include "read/read_memory.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::size_t kDeepest = 64, kMostFiles = 10'000;

struct Close {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Entries of a zip archive in memory, inflated under a bound.
class Archive {
 public:
  explicit Archive(const Source& source) : source_(source) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* bytes = zip_source_buffer_create(source.bytes.data(), source.bytes.size(), 0, &error);
    if (bytes != nullptr) zip_.reset(zip_open_from_source(bytes, ZIP_RDONLY, &error));
    const std::string problem = zip_ == nullptr ? zip_error_strerror(&error) : "";
    zip_error_fini(&error);
    if (zip_ != nullptr) return;
    zip_source_free(bytes);  // a null pointer is allowed
    throw Error(formatted("{}: not a zip archive: {}", source.file, problem));
  }

  /// Contents of an entry, found by name whatever its case; nothing if there is none. An entry that inflates past the
  /// source's limit, or to more than kMostRatio times the whole file, is an error, whatever size its header claims.
  std::optional<std::string> read(std::string name) const {
    if (name.starts_with('/')) name.erase(0, 1);
    const zip_int64_t index = zip_name_locate(zip_.get(), name.c_str(), ZIP_FL_NOCASE);
    if (index < 0) return std::nullopt;
    const auto fail = [&](const std::string& message) {
      throw Error(formatted("{}: entry {}: {}", source_.file, quote(name), message));
    };
    const std::unique_ptr<zip_file_t, Close> file(zip_fopen_index(zip_.get(), static_cast<zip_uint64_t>(index), 0));
    if (file == nullptr) fail(zip_strerror(zip_.get()));
    const std::uint64_t most =
        std::min(source_.limits.inflated, std::max(kAlwaysAllowed, kMostRatio * source_.bytes.size()));
    std::string contents;
    std::array<char, 1 << 16> block;
    while (true) {
      const zip_int64_t got = zip_fread(file.get(), block.data(), block.size());
      if (got < 0) fail(formatted("cannot be read: {}", zip_file_strerror(file.get())));
      if (got == 0) return contents;
      contents.append(block.data(), static_cast<std::size_t>(got));
      if (contents.size() > most)
        fail(formatted("inflates to more than {} bytes from a file of {}", most, source_.bytes.size()));
    }
  }

 private:
  static constexpr std::uint64_t kMostRatio = 256, kAlwaysAllowed = std::uint64_t{1} << 24;
  const Source& source_;
  std::unique_ptr<zip_t, Close> zip_;
};

std::string_view without_prefix(std::string_view name) { return name.substr(name.find(':') + 1); }

/// Name of an element without its namespace prefix.
std::string_view local_name(pugi::xml_node node) { return without_prefix(node.name()); }

pugi::xml_node child_named(pugi::xml_node parent, std::string_view name) {
  return parent.find_child([&](pugi::xml_node node) { return local_name(node) == name; });
}

/// Value of an attribute whatever its prefix ("p:path"); empty if there is none.
std::string_view attribute_named(pugi::xml_node node, std::string_view name) {
  return node.find_attribute([&](pugi::xml_attribute a) { return without_prefix(a.name()) == name; }).value();
}

/// What an extension holds and what to export instead; empty where it is not known.
std::string in_words(std::string_view space) {
  constexpr std::array<std::array<std::string_view, 3>, 6> kWords = {{
      {"/beamlattice/", "a beam lattice: bars between points, without triangles", "with its beams as a mesh"},
      {"/slice/", "slices: outlines of layers, without triangles", "as a mesh, not as slices"},
      {"/volumetric/", "volumetric data: fields of values in space", "as a mesh"},
      {"/implicit/", "implicit functions, whose surface has no triangles", "as a mesh"},
      {"/boolean", "shapes that boolean operations make of others", "with the operations applied"},
      {"/displacement/", "surfaces that a texture displaces", "with the displacement applied to the mesh"},
  }};
  if (space.find("/securecontent/") != std::string_view::npos)
    return ": it is encrypted content; export the model without encryption";
  for (const auto& [word, what, how] : kWords)
    if (space.find(word) != std::string_view::npos) return formatted(": it is {}; export the model {}", what, how);
  return "";
}

/// The models of a package. Each is parsed once, on its first use.
class ThreeMfPackage {
 public:
  explicit ThreeMfPackage(const Source& source) : source_(source), archive_(source) {}

  /// The entry that the package's relationships name as its model, else the usual one.
  std::string root_path() const {
    if (std::optional<std::string> text = archive_.read("_rels/.rels")) {
      pugi::xml_document relations;
      if (relations.load_buffer_inplace(text->data(), text->size()))
        for (const pugi::xml_node relation : child_named(relations, "Relationships").children())
          if (attribute_named(relation, "Type").ends_with("/3dmodel"))
            return std::string(attribute_named(relation, "Target"));
    }
    return "3D/3dmodel.model";
  }

  pugi::xml_node model(const std::string& path) {
    std::unique_ptr<File>& file = files_[path];
    if (file == nullptr) {
      if (files_.size() > kMostFiles) fail(quote(path), "too many models in one package");
      file = std::make_unique<File>();
      load(*file, path);
    }
    return file->model;
  }

  /// Fails if the model has no such object.
  pugi::xml_node object(const std::string& path, const std::string& id, const std::string& where) {
    model(path);
    const auto& objects = files_[path]->objects;
    const auto found = objects.find(id);
    if (found == objects.end()) fail(where, formatted("there is no object {} in {}", quote(id), quote(path)));
    return found->second;
  }

  /// The attribute "transform": three rows of the linear part, then the translation; the identity if absent.
  Transform transform(pugi::xml_node node, const std::string& where) const {
    Transform out;
    const std::string_view text = attribute_named(node, "transform");
    if (text.empty()) return out;
    Scanner scan(text, source_.file);
    for (int column = 0; column < 4; ++column)
      for (int row = 0; row < 3; ++row) {
        const std::string_view word = scan.word();
        const char* problem = nullptr;
        if (!parse_double(word, out.rows[row][column], problem))
          fail(where, formatted("transform: {} {}", quote(word), problem));
      }
    if (!scan.at_end()) fail(where, "transform: more than 12 numbers");
    return out;
  }

  [[noreturn]] void fail(const std::string& where, const std::string& message) const {
    throw Error(formatted("{}: {}: {}", source_.file, where, message));
  }

  /// Of all models that were read.
  const std::string& unit() const { return unit_; }

 private:
  struct File {
    std::string text;  // the document points into it
    pugi::xml_document xml;
    pugi::xml_node model;
    std::map<std::string, pugi::xml_node> objects;
  };

  void load(File& file, const std::string& path) {
    std::optional<std::string> text = archive_.read(path);
    if (!text) fail(quote(path), "the archive has no such entry");
    inflated_ += text->size();
    if (inflated_ > source_.limits.inflated)
      fail(quote(path), formatted("the models inflate to more than {} bytes", source_.limits.inflated));
    file.text = std::move(*text);
    const pugi::xml_parse_result result =
        file.xml.load_buffer_inplace(file.text.data(), file.text.size(), pugi::parse_minimal | pugi::parse_escapes);
    if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!result)
      fail(formatted("{} byte {}", quote(path), result.offset), formatted("not valid XML: {}", result.description()));
    file.model = child_named(file.xml, "model");
    if (!file.model) fail(quote(path), "has no element \"model\"");
    check_unit(file.model, path);
    check_extensions(file.model, path);
    index_objects(file, path);
  }

  void index_objects(File& file, const std::string& path) const {
    for (const pugi::xml_node node : child_named(file.model, "resources").children()) {
      if (local_name(node) != "object") continue;
      const std::string id(attribute_named(node, "id"));
      if (!file.objects.emplace(id, node).second) fail(quote(path), formatted("two objects have the id {}", quote(id)));
    }
  }

  /// Coordinates are taken as they are, so the models of one package must be in one unit.
  void check_unit(pugi::xml_node model, const std::string& path) {
    std::string unit(attribute_named(model, "unit"));
    if (unit.empty()) unit = "millimeter";
    if (unit_.empty()) unit_ = unit;
    if (unit != unit_)
      fail(quote(path), formatted("the unit {} differs from {} of another model", quote(unit), quote(unit_)));
  }

  /// A required extension must be known or be about materials; any other could hold geometry.
  void check_extensions(pugi::xml_node model, const std::string& path) const {
    Scanner scan(attribute_named(model, "requiredextensions"), source_.file);
    for (std::string_view prefix = scan.word(); !prefix.empty(); prefix = scan.word()) {
      const std::string_view space = model.attribute(("xmlns:" + std::string(prefix)).c_str()).value();
      bool known = false;
      for (const char* word : {"/material/", "/production/", "/trianglesets/"})
        known |= space.find(word) != std::string_view::npos;
      if (!known)
        fail(quote(path), formatted("the required extension {} ({}) is not supported{}", quote(prefix), quote(space),
                                    in_words(space)));
    }
  }

  const Source& source_;
  Archive archive_;
  std::map<std::string, std::unique_ptr<File>> files_;
  std::string unit_;
  std::uint64_t inflated_ = 0;
};

class ThreeMfReader {
 public:
  explicit ThreeMfReader(const Source& source) : source_(source), package_(source) {}

  Model read() {
    const std::string root = package_.root_path();
    std::size_t number = 0;
    for (const pugi::xml_node item : child_named(package_.model(root), "build").children()) {
      if (local_name(item) != "item") continue;
      const std::string where = formatted("build item {}", number++);
      place(item, root, package_.transform(item, where), where, 0);
    }
    model_.positions = std::move(points_);
    model_.unit = package_.unit();
    return std::move(model_);
  }

 private:
  /// The object that a build item or a component refers to. Components deeper than kDeepest are an error, which ends
  /// cycles. The references are counted and bounded, which ends objects that double at each level.
  void place(pugi::xml_node reference, const std::string& from_path, const Transform& placement,
             const std::string& where, std::size_t depth) {
    if (depth > kDeepest) package_.fail(where, formatted("components deeper than {}: a cycle?", kDeepest));
    const std::string_view other_path = attribute_named(reference, "path");
    const std::string path(other_path.empty() ? std::string_view(from_path) : other_path);
    const std::string id(attribute_named(reference, "objectid"));
    const pugi::xml_node object = package_.object(path, id, where);
    if (++references_ > most_) package_.fail(where, formatted("more than {} build items and components", most_));
    const std::string here = formatted("object {}", quote(id));
    if (const pugi::xml_node mesh = child_named(object, "mesh")) {
      const auto [found, is_new] = shapes_.try_emplace({path, id});
      if (is_new) found->second = read_shape(mesh, here);
      check_placed(found->second, placement, here);
      model_.parts.push_back({std::string(attribute_named(object, "name")), found->second.number, placement});
    }
    for (const pugi::xml_node component : child_named(object, "components").children())
      if (local_name(component) == "component")
        place(component, path, placement * package_.transform(component, here), here, depth + 1);
  }

  struct Shape {
    std::uint32_t number = 0;
    std::size_t first_vertex = 0, vertex_count = 0;
  };

  Shape read_shape(pugi::xml_node mesh, const std::string& where) {
    Shape shape{static_cast<std::uint32_t>(shapes_.size() - 1), points_.size()};
    model_.runs.push_back({model_.triangles.size(), shape.number});
    for (const pugi::xml_node vertex : child_named(mesh, "vertices").children())
      if (local_name(vertex) == "vertex") add_vertex(vertex, where, shape.first_vertex);
    for (const pugi::xml_node triangle : child_named(mesh, "triangles").children())
      if (local_name(triangle) == "triangle") add_triangle(triangle, where, shape.first_vertex);
    shape.vertex_count = points_.size() - shape.first_vertex;
    return shape;
  }

  void check_placed(const Shape& shape, const Transform& placement, const std::string& where) const {
    if (placement == Transform{}) return;
    const auto points = std::span(points_).subspan(shape.first_vertex, shape.vertex_count);
    if (const auto vertex = first_not_finite(points, placement))
      package_.fail(formatted("{}: vertex {}", where, *vertex), "not finite after the transforms of its components");
  }

  void add_vertex(pugi::xml_node vertex, const std::string& where, std::size_t first) {
    check_total(points_.size() + 1, "vertices", where);
    constexpr const char* kAxes[3] = {"x", "y", "z"};
    Vec3d p;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view text = vertex.attribute(kAxes[axis]).value();
      const char* problem = nullptr;
      if (!parse_double(text, p[axis], problem))
        package_.fail(formatted("{}: vertex {}", where, points_.size() - first),
                      formatted("{} {} {}", kAxes[axis], quote(text), problem));
    }
    points_.push_back(p);
  }

  void add_triangle(pugi::xml_node node, const std::string& where, std::size_t first) {
    check_total(model_.triangles.size() + 1, "triangles", where);
    constexpr const char* kCorners[3] = {"v1", "v2", "v3"};
    const std::size_t count = points_.size() - first;
    Triangle triangle;
    for (int corner = 0; corner < 3; ++corner) {
      const std::string_view text = node.attribute(kCorners[corner]).value();
      std::uint32_t index = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), index);
      const bool is_number = error != std::errc::invalid_argument && stop == text.data() + text.size();
      if (!is_number || error != std::errc{} || index >= count)
        package_.fail(formatted("{}: triangle {}", where, model_.triangles.size() - model_.runs.back().first_triangle),
                      is_number
                          ? formatted("vertex index {} is out of range; there are {} vertices", quote(text), count)
                          : formatted("{} {} is not a vertex index", kCorners[corner], quote(text)));
      triangle[corner] = static_cast<std::uint32_t>(first + index);
    }
    model_.triangles.push_back(triangle);
  }

  void check_total(std::uint64_t total, const char* what, const std::string& where) const {
    if (total > most_ || total > 0xFFFFFFFFu)
      package_.fail(where, formatted("more than {} {} in all objects", total - 1, what));
  }

  const Source& source_;
  ThreeMfPackage package_;
  const std::uint64_t most_ = source_.limits.instanced + kInstancedPerByte * source_.bytes.size();
  std::uint64_t references_ = 0;                                 // build items and components
  std::map<std::pair<std::string, std::string>, Shape> shapes_;  // by path and id
  std::vector<Vec3d> points_;
  Model model_;
};

}  // namespace

Model read_three_mf(const Source& source) { return ThreeMfReader(source).read(); }

}  // namespace sightline::read
