// KHR_draco_mesh_compression, by Google's Draco library.
#include <draco/compression/decode.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "read/gltf.h"

namespace sightline::read {
namespace {

/// Draco has types that glTF does not have. Its bool is not safe to read: a damaged file can hold a byte that is
/// neither true nor false.
bool is_type_of_gltf(draco::DataType type) {
  return type == draco::DT_INT8 || type == draco::DT_UINT8 || type == draco::DT_INT16 || type == draco::DT_UINT16 ||
         type == draco::DT_UINT32 || type == draco::DT_FLOAT32;
}

/// The values of an attribute for all points. The accessor decides whether whole numbers are scaled (`normalized`), not
/// the attribute's own flag, which Draco copies from the file unchecked.
GltfDocument::Decoded values_of(const GltfDocument& doc, const draco::Mesh& mesh, draco::PointAttribute& attribute,
                                bool normalized, const std::string& path) {
  attribute.set_normalized(normalized);
  const auto components = static_cast<std::size_t>(attribute.num_components());
  GltfDocument::Decoded out{
      .values = {}, .components = components, .is_float = attribute.data_type() == draco::DT_FLOAT32};
  if (components == 0 || components > 16) doc.fail(path, formatted("{} components", components));
  if (!is_type_of_gltf(attribute.data_type()))
    doc.fail(path, formatted("its values are compressed as Draco's type {}, which glTF does not have",
                             static_cast<int>(attribute.data_type())));
  out.values.reserve(mesh.num_points() * components);
  // Whole numbers of up to 32 bits and floats are doubles without a loss.
  std::array<double, 16> value = {};
  for (draco::PointIndex i(0); i < mesh.num_points(); ++i) {
    const draco::AttributeValueIndex at = attribute.mapped_index(i);
    if (at.value() >= attribute.size() ||
        !attribute.ConvertValue(at, static_cast<std::int8_t>(components), value.data()))
      doc.fail(path, formatted("vertex {} has no value", i.value()));
    for (std::size_t k = 0; k < components; ++k) {
      if (!std::isfinite(value[k]))
        doc.fail(path, formatted("vertex {} has {}, not a finite number", i.value(), value[k]));
      out.values.push_back(normalized && !out.is_float ? std::max(value[k], -1.0) : value[k]);
    }
  }
  return out;
}

}  // namespace

const bool kHasDraco = true;

void decode_draco(GltfDocument& doc, const GltfValue& primitive, const GltfValue& extension) {
  const GltfValue view = doc.need(extension, "bufferView");
  const std::span<const std::byte> bytes = doc.buffer_view(doc.whole(view), view.path);
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  draco::Decoder decoder;
  auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok())
    doc.fail(extension.path, formatted("the compressed bytes are damaged: {}", decoded.status().error_msg_string()));
  draco::Mesh& mesh = *decoded.value();
  doc.check_decoded((std::uint64_t{mesh.num_points()} + mesh.num_faces()) * 24, extension.path);
  const GltfValue attributes = doc.need(primitive, "attributes"), ids = doc.need(extension, "attributes");
  if (!ids.json->is_object()) doc.fail(ids.path, "is not an object");
  for (const auto& [name, id] : ids.json->items()) {
    const std::optional<GltfValue> accessor = doc.get(attributes, name.c_str());
    if (name != "POSITION" && !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_")) continue;
    const std::string path = ids.path + "." + name;
    if (!accessor) doc.fail(path, "the primitive has no such attribute");
    const std::uint64_t number = doc.whole({&id, path});
    const int found = number > 0xFFFFFFFFu ? -1 : mesh.GetAttributeIdByUniqueId(static_cast<std::uint32_t>(number));
    if (found < 0) doc.fail(path, formatted("the compressed mesh has no attribute {}", number));
    const std::uint64_t index = doc.whole(*accessor);
    const bool normalized = doc.normalized(doc.entry("accessors", index, accessor->path));
    doc.replace(index, values_of(doc, mesh, *mesh.attribute(found), normalized, path));
  }
  const std::optional<GltfValue> indices = doc.get(primitive, "indices");
  if (!indices) doc.fail(primitive.path, "is compressed by Draco, but has no indices");
  GltfDocument::Decoded corners{.values = {}, .components = 1, .is_float = false};
  for (draco::FaceIndex i(0); i < mesh.num_faces(); ++i)
    for (const draco::PointIndex& corner : mesh.face(i)) corners.values.push_back(corner.value());
  doc.replace(doc.whole(*indices), std::move(corners));
}

}  // namespace sightline::read
