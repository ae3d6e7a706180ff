// 3MF: a zip archive with models in XML. Each mesh that a build item shows, directly or through components, is a part,
// placed in double by the transforms on its way; parts that show one object share its mesh. Coordinates are in the
// file's own unit.
//
// libzip and pugixml rather than lib3mf or Assimp, which put coordinates through float. pugixml's parser neither
// recurses nor expands entities that a document declares.
#include "read/three_mf.h"

#include <charconv>

#include "base/format.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::size_t kDeepest = 64;

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
