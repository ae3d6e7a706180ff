// glTF and GLB: each node of the scene that has a mesh is a part, placed by its transforms in double; nodes that show
// one mesh share it, and so do instances of a node. Positions stay float32 where every part is float32, unmoved and not
// morphed. Points, lines and everything about appearance are skipped. Morph targets count by the weights of the file,
// or of the requested moment (gltf_animation.cpp); then skins move the vertices (gltf_skin.cpp).
#include "read/gltf.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/image_of.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::uint64_t kTriangles = 4, kStrip = 5, kFan = 6;

bool any_weight(const std::vector<double>& weights) {
  return std::ranges::any_of(weights, [](double weight) { return weight != 0; });
}

/// Reads the model at one moment.
class GltfReader {
 public:
  GltfReader(const Source& source, GltfDocument& document, const GltfPose& pose)
      : source_(source), doc_(document), pose_(pose) {}

  Model read() {
    if (doc_.array_size(doc_.root(), "nodes") == 0)
      add_all_meshes();
    else
      add_scene();
    if (all_float_) {
      std::vector<Vec3f> floats;
      floats.reserve(points_.size());
      for (const Vec3d& p : points_)
        floats.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
      points_ = {};
      model_.positions = std::move(floats);
    } else {
      model_.positions = std::move(points_);
    }
    model_.unit = "meter";  // glTF 2.0, "Coordinate System and Units"
    return std::move(model_);
  }

 private:
  struct Visit {
    std::uint64_t node;
    Transform parent;
    std::string from;
    bool hidden = false;
  };

  /// Depth first, children in order. A node has one parent, so one that is met twice is an error, and so is a cycle.
  /// Meshes are added after all nodes are placed, since skins need all transforms.
  void add_scene() {
    worlds_.assign(doc_.array_size(doc_.root(), "nodes"), std::nullopt);
    std::vector<std::pair<GltfValue, std::uint64_t>> with_mesh;
    std::vector<Visit> stack = scene_roots();
    std::reverse(stack.begin(), stack.end());
    while (!stack.empty()) {
      const Visit visit = std::move(stack.back());
      stack.pop_back();
      const GltfValue node = doc_.entry("nodes", visit.node, visit.from);
      if (worlds_[visit.node])
        doc_.fail(visit.from, formatted("node {} is reached twice: a cycle, or two parents", visit.node));
      const Transform world = visit.parent * local_transform(node, moment_of(visit.node));
      worlds_[visit.node] = world;
      const bool hidden = visit.hidden || !is_visible(doc_, node);
      hidden_ += hidden && doc_.get(node, "mesh");
      if (!hidden && doc_.get(node, "mesh")) with_mesh.emplace_back(node, visit.node);
      for (std::size_t i = doc_.array_size(node, "children"); i-- > 0;) {
        const GltfValue child = doc_.element(node, "children", i);
        stack.push_back({doc_.whole(child), world, child.path, hidden});
      }
    }
    if (hidden_ > 0)
      source_.warn(formatted("{} nodes with a mesh are hidden (KHR_node_visibility) and left out", hidden_));
    for (const auto& [node, number] : with_mesh) add_node_mesh(node, *worlds_[number], moment_of(number));
  }

  const GltfPose::Node& moment_of(std::uint64_t node) const {
    const auto moment = pose_.nodes.find(node);
    return moment == pose_.nodes.end() ? kAsItIs : moment->second;
  }

  /// The default scene's nodes; without scenes, the nodes without a parent.
  std::vector<Visit> scene_roots() {
    std::vector<Visit> roots;
    if (doc_.array_size(doc_.root(), "scenes") > 0) {
      const GltfValue scene = doc_.entry("scenes", doc_.whole_or(doc_.root(), "scene", 0), "scene");
      for (std::size_t i = 0; i < doc_.array_size(scene, "nodes"); ++i) {
        const GltfValue node = doc_.element(scene, "nodes", i);
        roots.push_back({doc_.whole(node), {}, node.path, false});
      }
      return roots;
    }
    const std::size_t count = doc_.array_size(doc_.root(), "nodes");
    std::vector<bool> is_child(count);
    for (std::size_t n = 0; n < count; ++n) {
      const GltfValue node = doc_.element(doc_.root(), "nodes", n);
      for (std::size_t i = 0; i < doc_.array_size(node, "children"); ++i)
        if (const std::uint64_t child = doc_.whole(doc_.element(node, "children", i)); child < count)
          is_child[child] = true;
    }
    for (std::size_t n = 0; n < count; ++n)
      if (!is_child[n]) roots.push_back({n, {}, "nodes", false});
    return roots;
  }

  template <std::size_t Size>
  std::optional<std::array<double, Size>> numbers(const GltfValue& of, const char* key) {
    const std::size_t size = doc_.array_size(of, key);
    if (!doc_.get(of, key)) return std::nullopt;
    if (size != Size) doc_.fail(of.path + "." + key, formatted("has {} numbers; {} are needed", size, Size));
    std::array<double, Size> out;
    for (std::size_t i = 0; i < Size; ++i) out[i] = doc_.number(doc_.element(of, key, i));
    return out;
  }

  Transform local_transform(const GltfValue& node, const GltfPose::Node& now) {
    Transform out;
    if (const auto m = numbers<16>(node, "matrix")) {
      if ((*m)[3] != 0 || (*m)[7] != 0 || (*m)[11] != 0 || (*m)[15] != 1)
        doc_.fail(node.path + ".matrix", "is not affine");
      for (std::size_t column = 0; column < 4; ++column)
        for (std::size_t row = 0; row < 3; ++row) out.rows[row][column] = (*m)[4 * column + row];
      return out;
    }
    const auto given = [&](const auto& of_now, auto of_file) { return of_now ? of_now : of_file; };
    return placed_by(given(now.translation, numbers<3>(node, "translation")),
                     given(now.rotation, numbers<4>(node, "rotation")), given(now.scale, numbers<3>(node, "scale")));
  }

  void add_node_mesh(const GltfValue& node, const Transform& world, const GltfPose::Node& now) {
    const GltfValue mesh_index = *doc_.get(node, "mesh");
    std::vector<Transform> places = {world};
    if (const auto instances = instances_of(doc_, node)) {
      if (doc_.get(node, "skin"))
        doc_.fail(node.path, "has a skin and EXT_mesh_gpu_instancing, which exclude each other");
      check_total(instances_ += instances->size(), "instances", node.path);
      places.clear();
      for (const Transform& instance : *instances) places.push_back(world * instance);
    }
    const std::uint64_t index = doc_.whole(mesh_index);
    const GltfValue mesh = doc_.entry("meshes", index, mesh_index.path);
    const bool own = now.weights || doc_.get(node, "weights");
    add_mesh(mesh, index, doc_.text_or_empty(node, "name"), places,
             now.weights ? *now.weights : weights(own ? node : mesh), skin_of(node));
  }

  /// Many nodes can have one skin, and many skins one set of matrices.
  const GltfSkin* skin_of(const GltfValue& node) {
    const std::optional<GltfValue> index = doc_.get(node, "skin");
    if (!index) return nullptr;
    const auto [found, is_new] = skins_.try_emplace(doc_.whole(*index));
    if (is_new) {
      found->second = read_skin(doc_, found->first, index->path, worlds_);
      check_total(joints_ += found->second.matrices_read, "joints", index->path);
    }
    return &found->second;
  }

  void add_all_meshes() {
    for (std::size_t i = 0; i < doc_.array_size(doc_.root(), "meshes"); ++i) {
      const GltfValue mesh = doc_.entry("meshes", i, "meshes");
      add_mesh(mesh, i, "", {Transform{}}, weights(mesh), nullptr);
    }
  }

  /// Shares of the morph targets as the file has them; none: all 0.
  std::vector<double> weights(const GltfValue& of) {
    std::vector<double> out;
    for (std::size_t i = 0; i < doc_.array_size(of, "weights"); ++i)
      out.push_back(doc_.number(doc_.element(of, "weights", i)));
    return out;
  }

  struct Range {
    std::size_t first, count;
  };
  /// By accessors: positions, joints and weights of each set.
  using Placed = std::map<std::vector<std::uint64_t>, Range>;
  /// A mesh after morphing and skinning, and the path of its positions, for messages.
  struct Shape {
    std::uint32_t number = 0;
    std::vector<std::pair<Range, std::string>> points = {};
    std::string name = {};  ///< of the primitive, where each is a part
  };

  /// One part for each place, or for each primitive in each place. Nodes that show a mesh as it is in the file share
  /// its shapes. A skinned mesh lies where its joints are; a primitive of it that has none is placed here.
  void add_mesh(const GltfValue& mesh, std::uint64_t index, std::string name, const std::vector<Transform>& worlds,
                const std::vector<double>& weights, const GltfSkin* skin) {
    if (name.empty()) name = doc_.text_or_empty(mesh, "name");
    if (worlds.empty()) return;
    const bool is_shared = !any_weight(weights) && skin == nullptr;
    const auto found = is_shared ? shapes_.find(index) : shapes_.end();
    const std::vector<Shape> shapes = found != shapes_.end()
                                          ? found->second
                                          : read_shapes(mesh, skin != nullptr ? worlds[0] : Transform{}, weights, skin);
    if (is_shared) shapes_.emplace(index, shapes);
    for (const Transform& world : worlds)
      for (const Shape& shape : shapes) add_part(name, shape, skin != nullptr ? Transform{} : world);
  }

  void add_part(const std::string& name, const Shape& shape, const Transform& place) {
    if (place != Transform{}) {
      all_float_ = false;
      for (const auto& [range, from] : shape.points)
        if (const auto vertex = first_not_finite(std::span(points_).subspan(range.first, range.count), place))
          fail_not_finite(from, *vertex);
    }
    const bool both = !name.empty() && !shape.name.empty();
    model_.parts.push_back({both ? name + "/" + shape.name : name + shape.name, shape.number, place});
  }

  /// One shape, or one for each primitive. Primitives that share positions (and what moves them) share vertices.
  std::vector<Shape> read_shapes(const GltfValue& mesh, const Transform& world, const std::vector<double>& weights,
                                 const GltfSkin* skin) {
    Placed placed;
    std::vector<Shape> shapes;
    const std::size_t count = doc_.array_size(mesh, "primitives");
    const auto begin = [&](std::string name) {
      reading_ = {shape_count_++, {}, std::move(name)};
      model_.runs.push_back({model_.triangles.size(), reading_.number});
    };
    if (!source_.part_per_primitive) begin("");
    for (std::size_t i = 0; i < count; ++i) {
      const GltfValue primitive = doc_.element(mesh, "primitives", i);
      if (source_.part_per_primitive) {
        placed.clear();  // each part has its own vertices
        begin(count > 1 ? primitive_name(primitive, i) : "");
      }
      add_primitive(primitive, world, weights, skin, placed);
      if (source_.part_per_primitive) shapes.push_back(std::move(reading_));
    }
    if (!source_.part_per_primitive) shapes.push_back(std::move(reading_));
    return shapes;
  }

  /// Its material and its number, as in "steel 0".
  std::string primitive_name(const GltfValue& primitive, std::size_t number) const {
    std::string name = "primitive";
    if (const std::optional<GltfValue> material = doc_.get(primitive, "material"))
      if (const std::string given =
              doc_.text_or_empty(doc_.entry("materials", doc_.whole(*material), material->path), "name");
          !given.empty())
        name = given;
    return formatted("{} {}", name, number);
  }

  [[noreturn]] void fail_not_finite(const std::string& from, std::size_t vertex) {
    doc_.fail(from, formatted("vertex {} is not finite after the transforms of its nodes", vertex));
  }

  void add_primitive(const GltfValue& primitive, const Transform& world, const std::vector<double>& weights,
                     const GltfSkin* skin, Placed& placed) {
    check_total(++primitives_, "primitives", primitive.path);  // primitives without triangles take time, too
    std::uint64_t mode = doc_.whole_or(primitive, "mode", kTriangles);
    if (mode > kFan) doc_.fail(primitive.path + ".mode", formatted("{} is not a mode", mode));
    if (mode < kTriangles) return;
    const std::optional<GltfValue> attributes = doc_.get(primitive, "attributes");
    const std::optional<GltfValue> position = attributes ? doc_.get(*attributes, "POSITION") : std::nullopt;
    if (!position) return;  // nothing to draw, which glTF allows
    const std::uint64_t accessor = doc_.whole(*position);
    const std::optional<GltfValue> draco = doc_.extension(primitive, "KHR_draco_mesh_compression");
    // Without the library, the uncompressed copy that a file may have is read.
    const bool decode =
        draco && (kHasDraco || !doc_.get(doc_.entry("accessors", accessor, position->path), "bufferView"));
    if (decode) {
      decode_draco(doc_, primitive, *draco);
      mode = kTriangles;  // also of strips
    }
    const std::size_t sets = skin != nullptr ? skin_sets(doc_, *attributes) : 0;
    if (sets == 0) skin = nullptr;
    std::vector<std::uint64_t> key = {accessor};
    if (decode) key.push_back(doc_.whole(doc_.need(*draco, "bufferView")));
    for (std::size_t i = 0; i < sets; ++i)
      for (const char* name : {"JOINTS", "WEIGHTS"})
        key.push_back(doc_.whole(*doc_.get(*attributes, formatted("{}_{}", name, i).c_str())));
    Range range;
    if (any_weight(weights) && doc_.get(primitive, "targets")) {  // its shape is its own
      range = add_skinned(morphed(primitive, accessor, *position, weights), *attributes, position->path, world, skin);
    } else {
      const auto [found, is_new] = placed.try_emplace(std::move(key));
      if (is_new)
        found->second = add_skinned(doc_.vectors(accessor, position->path), *attributes, position->path, world, skin);
      range = found->second;
    }
    const std::optional<GltfValue> indices = doc_.get(primitive, "indices");
    add_triangles(primitive.path, mode, range,
                  indices ? doc_.indices(doc_.whole(*indices), indices->path) : std::vector<std::uint32_t>(), !indices);
  }

  /// Positions plus each target's displacements times its weight, in double.
  GltfDocument::Vectors morphed(const GltfValue& primitive, std::uint64_t accessor, const GltfValue& from,
                                const std::vector<double>& weights) {
    GltfDocument::Vectors out = doc_.vectors(accessor, from.path);
    out.is_float = false;
    const std::size_t targets = doc_.array_size(primitive, "targets");
    if (weights.size() != targets)
      doc_.fail(primitive.path + ".targets", formatted("{} targets, but {} weights", targets, weights.size()));
    for (std::size_t i = 0; i < targets; ++i) {
      if (weights[i] == 0) continue;
      const std::optional<GltfValue> moved = doc_.get(doc_.element(primitive, "targets", i), "POSITION");
      if (!moved) continue;
      const GltfDocument::Vectors by = doc_.vectors(doc_.whole(*moved), moved->path);
      if (by.values.size() != out.values.size())
        doc_.fail(moved->path, formatted("{} displacements for {} vertices", by.values.size(), out.values.size()));
      check_total(morphed_ += by.values.size(), "morph displacements", moved->path);
      for (std::size_t v = 0; v < by.values.size(); ++v)
        for (std::size_t axis = 0; axis < 3; ++axis) out.values[v][axis] += weights[i] * by.values[v][axis];
    }
    return out;
  }

  /// Positions of a skinned primitive follow from its joints alone.
  Range add_skinned(GltfDocument::Vectors vectors, const GltfValue& attributes, const std::string& from,
                    const Transform& world, const GltfSkin* skin) {
    if (skin == nullptr) return add_points(vectors, from, world);
    check_total(skinned_ += vectors.values.size() * skin_sets(doc_, attributes), "skinned vertices", from);
    apply_skin(doc_, *skin, attributes, vectors.values);
    vectors.is_float = false;
    return add_points(vectors, from, {});
  }

  Range add_points(const GltfDocument::Vectors& vectors, const std::string& from, const Transform& world) {
    const Range range{points_.size(), vectors.values.size()};
    check_total(points_.size() + vectors.values.size(), "vertices", from);
    const bool moves = world != Transform{};
    all_float_ &= vectors.is_float && !moves;
    for (const Vec3d& p : vectors.values) {
      points_.push_back(moves ? image_of(p, world) : p);
      if (!is_finite(points_.back())) fail_not_finite(from, points_.size() - 1 - range.first);
    }
    reading_.points.emplace_back(range, from);
    return range;
  }

  void add_triangles(const std::string& path, std::uint64_t mode, const Range& points,
                     const std::vector<std::uint32_t>& indices, bool in_order) {
    const std::size_t corners = in_order ? points.count : indices.size();
    const auto corner = [&](std::size_t i) {
      const std::size_t index = in_order ? i : indices[i];
      if (index >= points.count)
        doc_.fail(path + ".indices",
                  formatted("vertex index {} is out of range; there are {} vertices", index, points.count));
      return static_cast<std::uint32_t>(points.first + index);
    };
    if (mode == kTriangles && corners % 3 != 0)
      doc_.fail(path, formatted("{} corners are not a multiple of three", corners));
    const std::size_t count = mode == kTriangles ? corners / 3 : corners < 3 ? 0 : corners - 2;
    check_total(model_.triangles.size() + count, "triangles", path);
    for (std::size_t i = 0; i < count; ++i) {
      if (mode == kTriangles)
        model_.triangles.push_back({corner(3 * i), corner(3 * i + 1), corner(3 * i + 2)});
      else if (mode == kStrip)
        model_.triangles.push_back({corner(i), corner(i + 1 + i % 2), corner(i + 2 - i % 2)});
      else
        model_.triangles.push_back({corner(0), corner(i + 1), corner(i + 2)});
    }
  }

  /// Primitives can show one accessor any number of times; the total is bounded.
  void check_total(std::uint64_t total, const char* what, const std::string& path) {
    if (total > source_.limits.instanced + kInstancedPerByte * doc_.total_bytes() || total > 0xFFFFFFFFu)
      doc_.fail(path, formatted("more than {} {} in all shapes", total - 1, what));
  }

  const Source& source_;
  GltfDocument& doc_;
  static inline const GltfPose::Node kAsItIs = {};
  const GltfPose& pose_;
  std::vector<std::optional<Transform>> worlds_;  // of the nodes of the scene
  std::uint64_t primitives_ = 0, morphed_ = 0, skinned_ = 0, joints_ = 0, instances_ = 0, hidden_ = 0;
  std::map<std::uint64_t, GltfSkin> skins_;
  std::map<std::uint64_t, std::vector<Shape>> shapes_;  // of meshes as they are in the file
  std::uint32_t shape_count_ = 0;
  Shape reading_;
  bool all_float_ = true;
  std::vector<Vec3d> points_;
  Model model_;
};

}  // namespace

Model read_gltf(const Source& source) {
  GltfDocument document(source);
  return GltfReader(source, supported(document), {}).read();
}

GltfMovie::GltfMovie(const Source& source) : source_(source), doc_(source), animations_(supported(doc_)) {}

Model GltfMovie::model(const GltfFrame& frame) { return GltfReader(source_, doc_, animations_.pose(frame)).read(); }

}  // namespace sightline::read
