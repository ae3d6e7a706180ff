
#include <cmath>
#include <cstring>

#include "base/format.h"
#include "read/gltf.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

std::uint32_t u32_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

}  // namespace

GltfDocument::GltfDocument(const Source& source) : source_(source) {
  if (source.text().starts_with("glTF"))
    split_binary_container();
  else
    parse_json(skip_bom(source.text()));
  if (!json_.is_object()) fail("", "the JSON is not an object");
  const std::optional<GltfValue> asset = get(root(), "asset");
  const std::string version = asset ? text_or_empty(*asset, "version") : "";
  if (!version.starts_with("2.")) fail("asset.version", formatted("{} is not supported; 2.0 is", quote(version)));
  buffers_.resize(array_size(root(), "buffers"));
}

/// 12 bytes of header, then chunks of length, type and data: JSON first, at most one of binary data.
void GltfDocument::split_binary_container() {
  const std::span bytes = source_.bytes;
  if (bytes.size() < 20) throw Error(formatted("{}: {} bytes are too few for a GLB file", source_.file, bytes.size()));
  if (u32_at(bytes, 4) != 2)
    throw Error(formatted("{}: byte 4: GLB version {} is not supported; 2 is", source_.file, u32_at(bytes, 4)));
  if (u32_at(bytes, 8) > bytes.size())
    throw Error(formatted("{}: byte 8: the header claims {} bytes, but the file has {}", source_.file, u32_at(bytes, 8),
                          bytes.size()));
  std::string_view json_text;
  std::size_t at = 12;
  for (int chunk = 0; bytes.size() - at >= 8; ++chunk) {
    const std::size_t length = u32_at(bytes, at);
    const std::uint32_t type = u32_at(bytes, at + 4);
    if (length > bytes.size() - at - 8)
      throw Error(formatted("{}: byte {}: the chunk claims {} bytes, but {} are left", source_.file, at, length,
                            bytes.size() - at - 8));
    if (chunk == 0 && type != kJsonChunk)
      throw Error(formatted("{}: byte {}: the first chunk is not JSON", source_.file, at + 4));
    if (chunk == 0) json_text = source_.text().substr(at + 8, length);
    if (type == kBinaryChunk && !has_binary_chunk_) {
      binary_chunk_ = bytes.subspan(at + 8, length);
      has_binary_chunk_ = true;
    }
    at += 8 + length;
  }
  parse_json(json_text);
}

void GltfDocument::parse_json(std::string_view text) {
  try {
    json_ = nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& error) {
    const auto offset = static_cast<std::size_t>(text.data() - source_.text().data()) + error.byte;
    throw Error(formatted("{}: byte {}: not valid JSON", source_.file, offset));
  } catch (const nlohmann::json::exception& error) {
    throw Error(formatted("{}: not valid JSON: {}", source_.file, quote(error.what())));
  }
}

void GltfDocument::fail(const std::string& path, const std::string& message) const {
  throw Error(path.empty() ? formatted("{}: {}", source_.file, message)
                           : formatted("{}: {}: {}", source_.file, path, message));
}

std::optional<GltfValue> GltfDocument::get(const GltfValue& of, const char* key) const {
  if (!of.json->is_object()) fail(of.path, "is not an object");
  const auto found = of.json->find(key);
  if (found == of.json->end()) return std::nullopt;
  return GltfValue{&*found, of.path.empty() ? key : of.path + "." + key};
}

std::size_t GltfDocument::array_size(const GltfValue& of, const char* key) const {
  const std::optional<GltfValue> array = get(of, key);
  if (!array) return 0;
  if (!array->json->is_array()) fail(array->path, "is not an array");
  return array->json->size();
}

GltfValue GltfDocument::element(const GltfValue& of, const char* key, std::size_t index) const {
  const GltfValue array = *get(of, key);
  return {&(*array.json)[index], formatted("{}[{}]", array.path, index)};
}

GltfValue GltfDocument::entry(const char* array, std::uint64_t index, const std::string& from) const {
  const std::size_t size = array_size(root(), array);
  if (index >= size) fail(from, formatted("{} is out of range; there are {} {}", index, size, array));
  return element(root(), array, index);
}

std::uint64_t GltfDocument::whole(const GltfValue& value) const {
  const nlohmann::json& json = *value.json;
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  // Some writers write 3.0 for 3.
  if (json.is_number_float()) {
    const double real = json.get<double>();
    if (real >= 0 && real < 0x1p53 && real == std::floor(real)) return static_cast<std::uint64_t>(real);
  }
  fail(value.path,
       json.is_number() ? formatted("{} is not a whole number of at least 0", json.dump()) : "is not a whole number");
}

std::uint64_t GltfDocument::whole_or(const GltfValue& of, const char* key, std::uint64_t otherwise) const {
  const std::optional<GltfValue> value = get(of, key);
  return value ? whole(*value) : otherwise;
}

double GltfDocument::number(const GltfValue& value) const {
  if (!value.json->is_number()) fail(value.path, "is not a number");
  return value.json->get<double>();
}

std::string GltfDocument::text_or_empty(const GltfValue& of, const char* key) const {
  const std::optional<GltfValue> value = get(of, key);
  if (!value) return {};
  if (!value->json->is_string()) fail(value->path, "is not a string");
  return value->json->get<std::string>();
}

}  // namespace sightline::read
