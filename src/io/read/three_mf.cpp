// 3MF: a zip archive with models in XML. Each mesh that a build item shows, directly or through components, is a part, placed
// in double by the transforms on its way. Coordinates are in the file's own unit.
//
// libzip and pugixml rather than lib3mf or Assimp, which put coordinates through float. pugixml's parser neither recurses nor
// expands entities that a document declares.
#include "read/three_mf.h"

#include <fmt/format.h>

#include <charconv>

#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::uint64_t kXmlPerElement = 256;  // more than a vertex or a triangle takes

class ThreeMfReader {
 public:
  explicit ThreeMfReader(const Source& source) : source_(source), package_(source) {}

  Model read() {
    const std::string root = package_.root_path();
    std::size_t number = 0;
    for (const pugi::xml_node item : child_named(package_.model(root), "build").children()) {
      if (local_name(item) != "item") continue;
      const std::string where = fmt::format("build item {}", number++);
      place(item, root, package_.transform(item, where), where, 0);
    }
    model_.positions = std::move(points_);
    return std::move(model_);
  }

 private:
  /// The object that a build item or a component refers to. Components may not go deeper than kDeepest, which ends cycles.
  /// The XML that is walked over is bounded, counting an object each time, which ends objects that double at each level.
  void place(pugi::xml_node reference, const std::string& from_path, const Affine& placement, const std::string& where, std::size_t depth) {
    if (depth > kDeepest) package_.fail(where, fmt::format("components deeper than {}: a cycle?", kDeepest));
    const std::string_view other_path = attribute_named(reference, "path");
    const std::string path(other_path.empty() ? std::string_view(from_path) : other_path);
    const std::string id(attribute_named(reference, "objectid"));
    const auto& [object, xml_bytes] = package_.object(path, id, where);
    walked_ += xml_bytes;
    if (walked_ > kXmlPerElement * most_) package_.fail(where, "the components are too many to place");
    const std::string here = fmt::format("object {}", quote(id));
    if (const pugi::xml_node mesh = child_named(object, "mesh")) add_mesh(mesh, placement, std::string(attribute_named(object, "name")), here);
    for (const pugi::xml_node component : child_named(object, "components").children())
      if (local_name(component) == "component")
        place(component, path, placement * package_.transform(component, here), here, depth + 1);
  }

  void add_mesh(pugi::xml_node mesh, const Affine& placement, std::string name, const std::string& where) {
    model_.runs.push_back({model_.triangles.size(), static_cast<std::uint32_t>(model_.parts.size())});
    model_.parts.push_back(std::move(name));
    const std::size_t first = points_.size();
    for (const pugi::xml_node vertex : child_named(mesh, "vertices").children())
      if (local_name(vertex) == "vertex") add_vertex(vertex, placement, where, first);
    for (const pugi::xml_node triangle : child_named(mesh, "triangles").children())
      if (local_name(triangle) == "triangle") add_triangle(triangle, where, first);
  }

  void add_vertex(pugi::xml_node vertex, const Affine& placement, const std::string& where, std::size_t first) {
    check_total(points_.size() + 1, "vertices", where);
    constexpr const char* kAxes[3] = {"x", "y", "z"};
    Vec3d p;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view text = vertex.attribute(kAxes[axis]).value();
      const char* problem = nullptr;
      if (!parse_double(text, p[axis], problem))
        package_.fail(fmt::format("{}: vertex {}", where, points_.size() - first), fmt::format("{} {} {}", kAxes[axis], quote(text), problem));
    }
    points_.push_back(placement.is_identity() ? p : placement(p));
    if (!is_finite(points_.back()))
      package_.fail(fmt::format("{}: vertex {}", where, points_.size() - 1 - first), "not finite after the transforms of its components");
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
        package_.fail(fmt::format("{}: triangle {}", where, model_.triangles.size() - model_.runs.back().first_triangle),
                      is_number ? fmt::format("vertex index {} is out of range; there are {} vertices", quote(text), count)
                                : fmt::format("{} {} is not a vertex index", kCorners[corner], quote(text)));
      triangle[corner] = static_cast<std::uint32_t>(first + index);
    }
    model_.triangles.push_back(triangle);
  }

  void check_total(std::uint64_t total, const char* what, const std::string& where) const {
    if (total > most_ || total > 0xFFFFFFFFu)
      package_.fail(where, fmt::format("more than {} {} after placing all components", total - 1, what));
  }

  const Source& source_;
  ThreeMfPackage package_;
  const std::uint64_t most_ = source_.limits.instanced + kInstancedPerByte * source_.bytes.size();
  std::uint64_t walked_ = 0;  // bytes of XML
  std::vector<Vec3d> points_;
  Model model_;
};

}  // namespace

Model read_three_mf(const Source& source) { return ThreeMfReader(source).read(); }

}  // namespace sightline::read
