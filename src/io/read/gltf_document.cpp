// The JSON of glTF; buffers, views and accessors.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/format.h"
#include "read/gltf.h"
#include "read/text.h"

namespace sightline::read {
namespace {

/// Value of a base64 digit, -1 for others.
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

/// False if `text` has a character that is no digit before the padding.
bool decode_base64(std::string_view text, std::vector<std::byte>& out) {
  while (text.ends_with('=')) text.remove_suffix(1);
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<std::byte>(bits >> held & 0xFF));
  }
  return true;
}

/// %20 and the like to the bytes they stand for.
std::string decode_percent(std::string_view uri) {
  std::string out;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned byte = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(uri.data() + i + 1, uri.data() + i + 3, byte, 16).ptr == uri.data() + i + 3) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return out;
}

constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;
constexpr std::uint64_t kByte = 5120, kUByte = 5121, kShort = 5122, kUShort = 5123, kUInt = 5125, kFloat = 5126;

/// 0 for an unknown type.
std::size_t component_bytes(std::uint64_t type) {
  constexpr std::array<std::size_t, 7> kSizes = {1, 1, 2, 2, 0, 4, 4};
  return type >= kByte && type <= kFloat ? kSizes[type - kByte] : 0;
}

template <typename Value>
Value value_at(const std::byte* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
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
  const auto u32_at = [&](std::size_t at) { return value_at<std::uint32_t>(bytes.data() + at); };
  if (bytes.size() < 20) throw Error(formatted("{}: {} bytes are too few for a GLB file", source_.file, bytes.size()));
  if (u32_at(4) != 2)
    throw Error(formatted("{}: byte 4: GLB version {} is not supported; 2 is", source_.file, u32_at(4)));
  if (u32_at(8) > bytes.size())
    throw Error(formatted("{}: byte 8: the header claims {} bytes, but the file has {}", source_.file, u32_at(8),
                          bytes.size()));
  std::string_view json_text;
  std::size_t at = 12;
  for (int chunk = 0; bytes.size() - at >= 8; ++chunk) {
    const std::size_t length = u32_at(at);
    const std::uint32_t type = u32_at(at + 4);
    if (length > bytes.size() - at - 8)
      throw Error(formatted("{}: byte {}: the chunk claims {} bytes, but {} are left", source_.file, at, length,
                            bytes.size() - at - 8));
    if (chunk == 0 && type != kJsonChunk)
      throw Error(formatted("{}: byte {}: the first chunk is not JSON", source_.file, at + 4));
    if (chunk == 0) json_text = source_.text().substr(at + 8, length);
    if (type == kBinaryChunk && !binary_chunk_) binary_chunk_ = bytes.subspan(at + 8, length);
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

GltfValue GltfDocument::need(const GltfValue& of, const char* key) const {
  if (const std::optional<GltfValue> value = get(of, key)) return *value;
  fail(of.path, formatted("has no {}", key));
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

GltfValue GltfDocument::entry(const GltfValue& of, const char* array, std::uint64_t index,
                              const std::string& from) const {
  const std::size_t size = array_size(of, array);
  if (index >= size) fail(from, formatted("{} is out of range; there are {} {}", index, size, array));
  return element(of, array, index);
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

std::vector<std::byte> GltfDocument::load_buffer(const GltfValue& value, std::uint64_t index) {
  const std::optional<GltfValue> uri_value = get(value, "uri");
  if (!uri_value)
    fail(value.path, index == 0 && !binary_chunk_ ? "has no uri, and the file has no binary chunk" : "has no uri");
  const std::string uri = text_or_empty(value, "uri");
  std::vector<std::byte> bytes;
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(";base64,");
    if (comma == std::string::npos || !decode_base64(std::string_view(uri).substr(comma + 8), bytes))
      fail(uri_value->path, formatted("{} is not base64 data", quote(uri)));
    return bytes;
  }
  const std::string path = decode_percent(uri);
  if (path.empty() || uri.find(':') != std::string::npos || path.front() == '/' || path.find('\0') != std::string::npos)
    fail(uri_value->path, formatted("{} is not a relative path", quote(uri)));
  if (!source_.sibling) fail(uri_value->path, formatted("the file {} is not available here", quote(path)));
  try {
    return source_.sibling(path);
  } catch (const Error& error) {
    fail(uri_value->path, error.what());
  }
}

std::vector<std::string> GltfDocument::siblings() const {
  std::vector<std::string> names;
  for (const char* array : {"buffers", "images"})
    for (std::size_t i = 0; i < array_size(root(), array); ++i)
      if (const std::string uri = text_or_empty(element(root(), array, i), "uri");
          !uri.empty() && !uri.starts_with("data:"))
        names.push_back(decode_percent(uri));
  return names;
}

std::span<const std::byte> GltfDocument::buffer(std::uint64_t index, const std::string& from) {
  const GltfValue value = entry("buffers", index, from);
  const GltfValue length_value = need(value, "byteLength");
  const std::uint64_t length = whole(length_value);
  std::span<const std::byte> bytes;
  if (index == 0 && binary_chunk_ && !get(value, "uri")) {
    bytes = *binary_chunk_;
  } else {
    std::optional<std::vector<std::byte>>& loaded = buffers_[index];
    if (!loaded) {
      loaded = load_buffer(value, index);
      loaded_bytes_ += loaded->size();
    }
    bytes = *loaded;
  }
  if (length > bytes.size())
    fail(length_value.path, formatted("{} is more than the {} bytes there are", length, bytes.size()));
  return bytes.first(length);
}

std::optional<GltfValue> GltfDocument::extension(const GltfValue& of, const char* name) const {
  const std::optional<GltfValue> all = get(of, "extensions");
  return all ? get(*all, name) : std::nullopt;
}

void GltfDocument::check_decoded(std::uint64_t bytes, const std::string& from) {
  constexpr std::uint64_t kMostRatio = 256, kAlwaysAllowed = std::uint64_t{1} << 24;  // as for 3MF
  const std::uint64_t most = std::min(source_.limits.inflated, std::max(kAlwaysAllowed, kMostRatio * total_bytes()));
  if (bytes > most || decoded_bytes_ + bytes > most)
    fail(from, formatted("decompresses to more than {} bytes from a file of {}", most, total_bytes()));
  decoded_bytes_ += bytes;
}

std::span<const std::byte> GltfDocument::buffer_view(std::uint64_t index, const std::string& from) {
  const GltfValue view = entry("bufferViews", index, from);
  const std::optional<std::span<const std::byte>> decoded = meshopt_view(view, index);
  return decoded ? *decoded : stored_view(view);
}

/// Without the library, the uncompressed copy that a file may have is read.
std::optional<std::span<const std::byte>> GltfDocument::meshopt_view(const GltfValue& view, std::uint64_t index) {
  const std::optional<GltfValue> compressed = extension(view, "EXT_meshopt_compression");
  if (!compressed) return std::nullopt;
  if (const auto found = meshopt_views_.find(index); found != meshopt_views_.end()) return std::span(found->second);
  if (!kHasMeshopt) {
    const GltfValue fallback = entry("buffers", whole(need(view, "buffer")), view.path);
    if (get(fallback, "uri") && !extension(fallback, "EXT_meshopt_compression")) return std::nullopt;
    fail(compressed->path, "is compressed by meshopt; this sightline was built without meshoptimizer");
  }
  constexpr std::array<std::string_view, 3> kModes = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
  constexpr std::array<std::string_view, 4> kFilters = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
  const auto choice = [&](const char* key, auto names, std::string otherwise) {
    const std::string text = get(*compressed, key) ? text_or_empty(*compressed, key) : std::move(otherwise);
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) fail(compressed->path + "." + key, formatted("{} is not known", quote(text)));
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto mode = static_cast<MeshoptMode>(choice("mode", kModes, ""));
  const auto filter = static_cast<MeshoptFilter>(choice("filter", kFilters, "NONE"));
  const std::uint64_t count = whole(need(*compressed, "count")), stride = whole(need(*compressed, "byteStride"));
  const bool indices = mode != MeshoptMode::attributes;
  const bool good_stride = indices ? stride == 2 || stride == 4 : stride > 0 && stride <= 256 && stride % 4 == 0;
  const bool good_filter =
      filter == MeshoptFilter::none || (!indices && (filter == MeshoptFilter::exponential || stride == 8 ||
                                                     (stride == 4 && filter == MeshoptFilter::octahedral)));
  if (!good_stride || !good_filter)
    fail(compressed->path, formatted("a stride of {} does not fit its mode and filter", stride));
  if (count > 0xFFFFFFFFu || (mode == MeshoptMode::triangles && count % 3 != 0))
    fail(compressed->path, formatted("{} elements do not fit its mode", count));
  check_decoded(count * stride, compressed->path);
  std::optional<std::vector<std::byte>> bytes = decode_meshopt(stored_view(*compressed), mode, filter, count, stride);
  if (!bytes) fail(compressed->path, "the compressed bytes are damaged");
  return std::span(meshopt_views_.emplace(index, std::move(*bytes)).first->second);
}

std::span<const std::byte> GltfDocument::stored_view(const GltfValue& view) {
  const GltfValue buffer_index = need(view, "buffer");
  const std::span<const std::byte> bytes = buffer(whole(buffer_index), buffer_index.path);
  const std::uint64_t offset = whole_or(view, "byteOffset", 0), length = whole_or(view, "byteLength", 0);
  if (offset > bytes.size() || length > bytes.size() - offset)
    fail(view.path, formatted("bytes {} + {} reach past the buffer of {}", offset, length, bytes.size()));
  return bytes.subspan(offset, length);
}

/// Finds the bytes of count elements in a view and checks that all of them are there.
void GltfDocument::place(Layout& layout, const GltfValue& owner, std::uint64_t view_index) {
  const std::span<const std::byte> bytes = buffer_view(view_index, owner.path + ".bufferView");
  const std::size_t element_size = layout.component_size * layout.components;
  const std::uint64_t offset = whole_or(owner, "byteOffset", 0);
  const std::uint64_t stride = whole_or(entry("bufferViews", view_index, owner.path), "byteStride", element_size);
  if (stride < element_size)
    fail(owner.path, formatted("a stride of {} is less than an element of {} bytes", stride, element_size));
  const bool fits = layout.count == 0 || (offset <= bytes.size() && element_size <= bytes.size() - offset &&
                                          layout.count - 1 <= (bytes.size() - offset - element_size) / stride);
  if (!fits)
    fail(owner.path, formatted("{} elements of {} bytes from byte {} with stride {} reach past the view of {} bytes",
                               layout.count, element_size, offset, stride, bytes.size()));
  layout.stride = stride;
  layout.bytes = layout.count == 0 ? bytes.first(0) : bytes.subspan(offset);
}

bool GltfDocument::normalized(const GltfValue& accessor) const {
  const std::optional<GltfValue> value = get(accessor, "normalized");
  return value && value->json->is_boolean() && value->json->get<bool>();
}

GltfDocument::Layout GltfDocument::layout(const GltfValue& accessor, std::size_t components, const char* type) {
  const std::string found = text_or_empty(accessor, "type");
  if (found != type) fail(accessor.path + ".type", formatted("{} where \"{}\" is needed", quote(found), type));
  Layout layout;
  layout.components = components;
  layout.component_type = whole_or(accessor, "componentType", 0);
  layout.component_size = component_bytes(layout.component_type);
  if (layout.component_size == 0)
    fail(accessor.path + ".componentType", formatted("{} is not a component type", layout.component_type));
  layout.normalized = normalized(accessor);
  layout.count = whole_or(accessor, "count", 0);
  if (const std::optional<GltfValue> view = get(accessor, "bufferView"))
    place(layout, accessor, whole(*view));
  else if (layout.count > total_bytes())  // all zero but for sparse values: no file needs more than its bytes
    fail(accessor.path + ".count", formatted("{} elements without data", layout.count));
  return layout;
}

GltfDocument::Layout GltfDocument::sparse_layout(const GltfValue& block, Layout like, std::size_t count,
                                                 bool is_index) {
  like.count = count;
  if (is_index) {
    like.components = 1;
    like.normalized = false;
    like.component_type = whole_or(block, "componentType", 0);
    like.component_size = component_bytes(like.component_type);
    if (like.component_type != kUByte && like.component_type != kUShort && like.component_type != kUInt)
      fail(block.path + ".componentType", formatted("{} is not a type of index", like.component_type));
  }
  place(like, block, whole(need(block, "bufferView")));
  return like;
}

double GltfDocument::component(const Layout& layout, std::size_t element, std::size_t component) const {
  const std::byte* at = layout.bytes.data() + element * layout.stride + component * layout.component_size;
  const auto scaled = [&](double value, double most) {
    return layout.normalized ? std::max(value / most, -1.0) : value;
  };
  switch (layout.component_type) {
    case kByte:
      return scaled(value_at<std::int8_t>(at), 127);
    case kUByte:
      return scaled(value_at<std::uint8_t>(at), 255);
    case kShort:
      return scaled(value_at<std::int16_t>(at), 32767);
    case kUShort:
      return scaled(value_at<std::uint16_t>(at), 65535);
    case kUInt:
      return scaled(value_at<std::uint32_t>(at), 4294967295.0);
    default:
      return value_at<float>(at);
  }
}

/// Calls visit(element, k, component k) for all dense elements, then for the sparse ones that replace them.
template <typename Visit>
void GltfDocument::for_each(const GltfValue& accessor, const Layout& dense, const Visit& visit) {
  const auto visit_all = [&](std::size_t element, const Layout& layout, std::size_t i) {
    for (std::size_t k = 0; k < layout.components; ++k) visit(element, k, component(layout, i, k));
  };
  if (!dense.bytes.empty())
    for (std::size_t i = 0; i < dense.count; ++i) visit_all(i, dense, i);
  const std::optional<GltfValue> sparse = get(accessor, "sparse");
  if (!sparse) return;
  const std::uint64_t count = whole_or(*sparse, "count", 0);
  const std::optional<GltfValue> index_block = get(*sparse, "indices"), value_block = get(*sparse, "values");
  if (!index_block || !value_block) fail(sparse->path, "has no indices or no values");
  // Indices must increase, so there cannot be more; this also bounds the work for an accessor that is read many times.
  if (count > dense.count) fail(sparse->path, formatted("{} sparse values for {} elements", count, dense.count));
  const Layout indices = sparse_layout(*index_block, dense, count, true);
  const Layout values = sparse_layout(*value_block, dense, count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = static_cast<std::uint64_t>(component(indices, i, 0));
    if (element >= dense.count)
      fail(index_block->path, formatted("{} is out of range; there are {} elements", element, dense.count));
    visit_all(element, values, i);
  }
}

const GltfDocument::Decoded* GltfDocument::replaced(const GltfValue& accessor, std::uint64_t index,
                                                    std::size_t components, const char* type) const {
  const auto found = replaced_.find(index);
  if (found == replaced_.end()) return nullptr;
  const std::string given = text_or_empty(accessor, "type");
  if (given != type || found->second.components != components)
    fail(accessor.path + ".type", formatted("{} where \"{}\" is needed", quote(given), type));
  return &found->second;
}

GltfDocument::Vectors GltfDocument::vectors(std::uint64_t index, const std::string& from) {
  const GltfValue accessor = entry("accessors", index, from);
  if (const Decoded* decoded = replaced(accessor, index, 3, "VEC3")) {
    Vectors out{.is_float = decoded->is_float, .values = {}};
    for (std::size_t i = 0; i + 2 < decoded->values.size(); i += 3)
      out.values.push_back({decoded->values[i], decoded->values[i + 1], decoded->values[i + 2]});
    return out;
  }
  const Layout dense = layout(accessor, 3, "VEC3");
  Vectors out{.is_float = dense.component_type == kFloat, .values = {}};
  out.values.resize(dense.count);
  for_each(accessor, dense, [&](std::size_t element, std::size_t axis, double value) {
    if (!std::isfinite(value))
      fail(accessor.path, formatted("vertex {}: {} is {}, not a finite number", element, "xyz"[axis], value));
    out.values[element][axis] = value;
  });
  return out;
}

std::vector<double> GltfDocument::numbers(std::uint64_t index, const std::string& from, std::size_t components,
                                          const char* type) {
  const GltfValue accessor = entry("accessors", index, from);
  if (const Decoded* decoded = replaced(accessor, index, components, type)) return decoded->values;
  const Layout dense = layout(accessor, components, type);
  std::vector<double> out(dense.count * components);
  for_each(accessor, dense, [&](std::size_t element, std::size_t k, double value) {
    if (!std::isfinite(value)) fail(accessor.path, formatted("element {} has {}, not a finite number", element, value));
    out[element * components + k] = value;
  });
  return out;
}

std::vector<std::uint32_t> GltfDocument::indices(std::uint64_t index, const std::string& from) {
  const GltfValue accessor = entry("accessors", index, from);
  if (const Decoded* decoded = replaced(accessor, index, 1, "SCALAR"))
    return {decoded->values.begin(), decoded->values.end()};
  Layout dense = layout(accessor, 1, "SCALAR");
  if (dense.component_type != kUByte && dense.component_type != kUShort && dense.component_type != kUInt)
    fail(accessor.path + ".componentType", formatted("{} is not a type of index", dense.component_type));
  std::vector<std::uint32_t> out(dense.count);
  dense.normalized = false;
  for_each(accessor, dense,
           [&](std::size_t element, std::size_t, double value) { out[element] = static_cast<std::uint32_t>(value); });
  return out;
}

}  // namespace sightline::read
