// glTF 2.0: its JSON and its buffers (gltf_document.cpp), every reference and every byte range checked before use.
//
// The JSON is parsed by nlohmann-json, which does not recurse and checks its input. tinygltf was tried first: version
// 2.7 (Debian 12) recurses over "extras" and overflows the stack on a file of 400 kB; it also decodes images, which are
// not needed here.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "read/read_memory.h"

namespace sightline::read {

/// A JSON value and how messages name it, for example "accessors[3].count".
struct GltfValue {
  const nlohmann::json* json = nullptr;
  std::string path;
};

class GltfDocument {
 public:
  explicit GltfDocument(const Source& source);

  GltfValue root() const { return {&json_, ""}; }
  /// Member of an object; nothing if it is absent. Fails if `of` is not an object.
  std::optional<GltfValue> get(const GltfValue& of, const char* key) const;
  /// Fails if the member is absent.
  GltfValue need(const GltfValue& of, const char* key) const;
  /// Elements of an array member; none if it is absent.
  std::size_t array_size(const GltfValue& of, const char* key) const;
  GltfValue element(const GltfValue& of, const char* key, std::size_t index) const;
  /// Element `index` of a top-level array such as "nodes"; fails if there is none, naming `from`.
  GltfValue entry(const char* array, std::uint64_t index, const std::string& from) const {
    return entry(root(), array, index, from);
  }
  GltfValue entry(const GltfValue& of, const char* array, std::uint64_t index, const std::string& from) const;

  std::uint64_t whole(const GltfValue& value) const;
  std::uint64_t whole_or(const GltfValue& of, const char* key, std::uint64_t otherwise) const;
  double number(const GltfValue& value) const;
  std::string text_or_empty(const GltfValue& of, const char* key) const;
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

  /// Whole numbers of this accessor stand for numbers between -1 and 1.
  bool normalized(const GltfValue& accessor) const;
  /// Values of accessor `index`, which must be of `type` ("VEC3" or "SCALAR").
  struct Vectors {
    bool is_float = false;  ///< each value is a float32
    std::vector<Vec3d> values;
  };
  Vectors vectors(std::uint64_t index, const std::string& from);
  std::vector<std::uint32_t> indices(std::uint64_t index, const std::string& from);
  /// All numbers of an accessor of this type, `components` for each element; each must be finite.
  std::vector<double> numbers(std::uint64_t index, const std::string& from, std::size_t components, const char* type);

  /// The object of an extension in `of`; nothing if it is absent.
  std::optional<GltfValue> extension(const GltfValue& of, const char* name) const;
  /// The bytes of a view, decompressed where they are compressed (EXT_meshopt_compression).
  std::span<const std::byte> buffer_view(std::uint64_t index, const std::string& from);
  /// Accessor `index` has these values from now on: a primitive was decompressed (KHR_draco_mesh_compression).
  struct Decoded {
    std::vector<double> values;
    std::size_t components = 0;
    bool is_float = false;
  };
  void replace(std::uint64_t index, Decoded values) { replaced_[index] = std::move(values); }
  /// Counts bytes that came out of a decompression; fails if there are too many for the size of the file.
  void check_decoded(std::uint64_t bytes, const std::string& from);

  /// Relative paths of the files that it refers to, buffers and images.
  std::vector<std::string> siblings() const;

  std::uint64_t total_bytes() const { return source_.bytes.size() + loaded_bytes_; }

 private:
  struct Layout {
    std::span<const std::byte> bytes;  // from the first element on
    std::size_t stride = 0, component_size = 0, components = 0;
    std::uint64_t component_type = 0;
    std::size_t count = 0;
    bool normalized = false;
  };
  void split_binary_container();
  void parse_json(std::string_view text);
  std::span<const std::byte> buffer(std::uint64_t index, const std::string& from);
  std::vector<std::byte> load_buffer(const GltfValue& value, std::uint64_t index);
  std::span<const std::byte> stored_view(const GltfValue& view);
  std::optional<std::span<const std::byte>> meshopt_view(const GltfValue& view, std::uint64_t index);
  const Decoded* replaced(const GltfValue& accessor, std::uint64_t index, std::size_t components,
                          const char* type) const;
  Layout layout(const GltfValue& accessor, std::size_t components, const char* type);
  Layout sparse_layout(const GltfValue& block, Layout like, std::size_t count, bool is_index);
  void place(Layout& layout, const GltfValue& owner, std::uint64_t view_index);
  template <typename Visit>
  void for_each(const GltfValue& accessor, const Layout& dense, const Visit& visit);
  double component(const Layout& layout, std::size_t element, std::size_t component) const;

  const Source& source_;
  nlohmann::json json_;
  std::optional<std::span<const std::byte>> binary_chunk_;
  std::vector<std::optional<std::vector<std::byte>>> buffers_;
  std::uint64_t loaded_bytes_ = 0;
  std::map<std::uint64_t, std::vector<std::byte>> meshopt_views_;
  std::map<std::uint64_t, Decoded> replaced_;
  std::uint64_t decoded_bytes_ = 0;
};

// Compression: libraries that a build may lack. The other file of each pair (…_absent.cpp) throws Error.

/// A view that EXT_meshopt_compression describes. `stride` and `count` are checked against the sizes that the library
/// allows. Empty: the bytes are damaged.
enum class MeshoptMode { attributes, triangles, indices };
enum class MeshoptFilter { none, octahedral, quaternion, exponential };
extern const bool kHasMeshopt;
std::optional<std::vector<std::byte>> decode_meshopt(std::span<const std::byte> bytes, MeshoptMode mode,
                                                     MeshoptFilter filter, std::size_t count, std::size_t stride);

/// Replaces the accessors of a primitive that KHR_draco_mesh_compression describes (`extension`) by what it decodes to.
void decode_draco(GltfDocument& doc, const GltfValue& primitive, const GltfValue& extension);
extern const bool kHasDraco;

// Extensions (gltf_extensions.cpp).

/// The document itself. Fails if it requires an extension that is not supported and that can change geometry;
/// extensions about appearance need not be supported.
GltfDocument& supported(GltfDocument& doc);
/// False if KHR_node_visibility hides the node, and with it all nodes below.
bool is_visible(const GltfDocument& doc, const GltfValue& node);
/// The places of a node's instances, relative to the node (EXT_mesh_gpu_instancing); nothing: the node is not repeated.
std::optional<std::vector<Transform>> instances_of(GltfDocument& doc, const GltfValue& node);
/// Scale, then rotation, then translation.
Transform placed_by(const std::optional<std::array<double, 3>>& translation,
                    const std::optional<std::array<double, 4>>& rotation,
                    const std::optional<std::array<double, 3>>& scale);
/// Of length 1; without a direction, the rotation by 0.
std::array<double, 4> unit_rotation(const std::array<double, 4>& rotation);

// Skins: a vertex follows several nodes, its joints, each with a weight (gltf_skin.cpp).

/// For each joint, the transform of the mesh's vertices: its inverse bind matrix, then its transform in the scene.
struct GltfSkin {
  std::vector<Transform> joints;
  std::size_t matrices_read = 0;  ///< for the limit on the work of one file
};

/// Skin `index`, named at `from`. `worlds` are the transforms of all nodes of the scene, by number.
GltfSkin read_skin(GltfDocument& doc, std::uint64_t index, const std::string& from,
                   const std::vector<std::optional<Transform>>& worlds);

/// How many pairs of joints and weights the attributes of a primitive have: 0 if it is not skinned.
std::size_t skin_sets(const GltfDocument& doc, const GltfValue& attributes);

/// Moves each vertex to the weighted mean of its positions under its joints. Weights are divided by their sum.
void apply_skin(GltfDocument& doc, const GltfSkin& skin, const GltfValue& attributes, std::vector<Vec3d>& positions);

// What moves: animations and morph targets (gltf_animation.cpp). A pose holds the positions of nodes and the weights of
// morph targets at one moment.

/// What a moment changes. All other nodes and meshes are as in the file.
struct GltfPose {
  struct Node {
    std::optional<std::array<double, 3>> translation, scale;
    std::optional<std::array<double, 4>> rotation;
    std::optional<std::vector<double>> weights;
  };
  std::map<std::uint64_t, Node> nodes;
};

/// One moment of the file.
struct GltfFrame {
  std::string label;          ///< "walk 0.35 s", "morph smile"; "rest"
  std::size_t animation = 0;  ///< used only if there are animations
  double time = 0;
  std::size_t target = 0;  ///< else: 0 for the rest pose, 1 + the morph target that is full
};

/// All channels of a file's animations, checked when it is made.
class GltfAnimations {
 public:
  explicit GltfAnimations(GltfDocument& document);
  /// Nothing moves: no animation changes a node, and no mesh has morph targets.
  bool empty() const { return animations_.empty() && targets_ == 0; }
  /// `rate` frames a second from each animation's first key to its last; without animations, the rest pose and each
  /// morph target by itself. Fails if there would be more than `most`.
  std::vector<GltfFrame> frames(double rate, std::size_t most) const;
  /// About as many as frames() gives.
  double frames_at(double rate) const;
  GltfPose pose(const GltfFrame& frame) const;

 private:
  enum class Path { translation, rotation, scale, weights };
  enum class Between { linear, step, cubic };
  struct Channel {
    std::uint64_t node = 0;
    Path path = Path::translation;
    Between between = Between::linear;
    std::vector<double> times;
    std::vector<double> values;  ///< width for each key; three times that for cubic
    std::size_t width = 0;
  };
  struct Animation {
    std::string name;
    double begin = std::numeric_limits<double>::infinity(), end = 0;
    std::vector<Channel> channels;
  };
  void read_animation(std::size_t index);
  std::optional<Channel> read_channel(const GltfValue& animation, const GltfValue& channel);
  std::vector<double> at(const Channel& channel, double time) const;

  GltfDocument& doc_;
  std::vector<Animation> animations_;
  std::size_t targets_ = 0;  ///< the largest number of targets of a mesh
  std::vector<std::string> target_names_;
  std::vector<std::size_t> targets_of_;  ///< per node: the number of targets of its mesh
};

/// A file that can be read several times, at any moment.
class GltfMovie {
 public:
  explicit GltfMovie(const Source& source);
  const GltfAnimations& animations() const { return animations_; }
  /// The model at that moment, checked as read_model does.
  Model model(const GltfFrame& frame);

 private:
  const Source& source_;
  GltfDocument doc_;
  GltfAnimations animations_;
};

}  // namespace sightline::read
