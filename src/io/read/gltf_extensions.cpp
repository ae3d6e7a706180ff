// Extensions of glTF: which of them may be required, and those that show, hide and repeat nodes.

#include <algorithm>

#include "base/format.h"
#include "read/gltf.h"
#include "read/text.h"

namespace sightline::read {
namespace {

/// True if an object below `json` has this extension. A stack rather than recursion: a file may be nested deeply.
bool has_extension(const nlohmann::json& json, const std::string& name) {
  std::vector<const nlohmann::json*> stack = {&json};
  while (!stack.empty()) {
    const nlohmann::json& at = *stack.back();
    stack.pop_back();
    if (!at.is_structured()) continue;
    if (at.is_object())
      if (const auto found = at.find("extensions"); found != at.end() && found->is_object() && found->contains(name))
        return true;
    for (const nlohmann::json& child : at) stack.push_back(&child);
  }
  return false;
}

/// An extension that occurs in materials, textures, images, samplers and cameras, and nowhere else, cannot change a
/// triangle.
bool is_appearance(const nlohmann::json& document, const std::string& name) {
  bool found = false;
  for (const auto& [key, value] : document.items()) {
    const bool looks =
        key == "materials" || key == "textures" || key == "images" || key == "samplers" || key == "cameras";
    if (key == "extensions" ? value.is_object() && value.contains(name) : has_extension(value, name)) {
      if (!looks) return false;
      found = true;
    }
  }
  return found;
}

std::string advice(const std::string& name) {
  if (name == "KHR_draco_mesh_compression") return "; this sightline was built without the Draco library";
  if (name == "EXT_meshopt_compression") return "; this sightline was built without meshoptimizer";
  if (name == "KHR_meshopt_compression")
    return "; export the file with EXT_meshopt_compression, or without compression";
  if (name == "KHR_animation_pointer") return "; export the file with animations of nodes";
  return "";
}

}  // namespace

GltfDocument& supported(GltfDocument& doc) {
  for (std::size_t i = 0; i < doc.array_size(doc.root(), "extensionsRequired"); ++i) {
    const GltfValue value = doc.element(doc.root(), "extensionsRequired", i);
    const std::string name = value.json->is_string() ? value.json->get<std::string>() : std::string();
    bool known =
        (name == "KHR_draco_mesh_compression" && kHasDraco) || (name == "EXT_meshopt_compression" && kHasMeshopt);
    for (const char* read : {"KHR_mesh_quantization", "EXT_mesh_gpu_instancing", "KHR_node_visibility"})
      known |= name == read;
    for (const char* looks : {"KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "KHR_xmp"})
      known |= name.starts_with(looks);
    if (!known && !is_appearance(*doc.root().json, name))
      doc.fail(value.path, formatted("the extension {} is not supported{}", quote(name), advice(name)));
  }
  return doc;
}

bool is_visible(const GltfDocument& doc, const GltfValue& node) {
  const std::optional<GltfValue> extension = doc.extension(node, "KHR_node_visibility");
  const std::optional<GltfValue> visible = extension ? doc.get(*extension, "visible") : std::nullopt;
  if (!visible) return true;
  if (!visible->json->is_boolean()) doc.fail(visible->path, "is not true or false");
  return visible->json->get<bool>();
}

Transform placed_by(const std::optional<std::array<double, 3>>& translation,
                    const std::optional<std::array<double, 4>>& rotation,
                    const std::optional<std::array<double, 3>>& scale) {
  Transform out;
  if (rotation) {
    const auto [x, y, z, w] = *rotation;
    out.rows[0] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0};
    out.rows[1] = {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0};
    out.rows[2] = {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0};
  }
  if (scale)
    for (auto& row : out.rows)
      for (std::size_t column = 0; column < 3; ++column) row[column] *= (*scale)[column];
  if (translation)
    for (std::size_t row = 0; row < 3; ++row) out.rows[row][3] = (*translation)[row];
  return out;
}

std::optional<std::vector<Transform>> instances_of(GltfDocument& doc, const GltfValue& node) {
  const std::optional<GltfValue> extension = doc.extension(node, "EXT_mesh_gpu_instancing");
  if (!extension) return std::nullopt;
  const std::optional<GltfValue> attributes = doc.get(*extension, "attributes");
  if (!attributes) doc.fail(extension->path, "has no attributes");
  std::optional<std::size_t> count;
  const auto read = [&](const char* name, std::size_t components, const char* type) -> std::vector<double> {
    const std::optional<GltfValue> accessor = doc.get(*attributes, name);
    if (!accessor) return {};
    std::vector<double> values = doc.numbers(doc.whole(*accessor), accessor->path, components, type);
    if (count && *count != values.size() / components)
      doc.fail(accessor->path,
               formatted("has {} instances; another attribute has {}", values.size() / components, *count));
    count = values.size() / components;
    return values;
  };
  const std::vector<double> t = read("TRANSLATION", 3, "VEC3"), r = read("ROTATION", 4, "VEC4"),
                            s = read("SCALE", 3, "VEC3");
  if (!count) doc.fail(attributes->path, "has no TRANSLATION, ROTATION or SCALE");
  std::vector<Transform> places;
  const auto triple = [](const std::vector<double>& v, std::size_t i) -> std::optional<std::array<double, 3>> {
    if (v.empty()) return std::nullopt;
    return std::array<double, 3>{v[3 * i], v[3 * i + 1], v[3 * i + 2]};
  };
  for (std::size_t i = 0; i < *count; ++i) {
    std::optional<std::array<double, 4>> rotation;
    if (!r.empty()) rotation = unit_rotation({r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]});  // may be rounded
    places.push_back(placed_by(triple(t, i), rotation, triple(s, i)));
  }
  return places;
}

}  // namespace sightline::read
