// glTF 2.0: its JSON and its buffers, every reference and every byte range checked before use.
//
// The JSON is parsed by nlohmann-json, which does not recurse and checks its input. tinygltf was tried first: version
// 2.7 (Debian 12) recurses over "extras" and overflows the stack on a file of 400 kB; it also decodes images, which are
// not needed here.
#pragma once

#include <array>
#include <cstdint>
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
  /// Elements of an array member; none if it is absent.
  std::size_t array_size(const GltfValue& of, const char* key) const;
  GltfValue element(const GltfValue& of, const char* key, std::size_t index) const;
  /// Element `index` of a top-level array such as "nodes"; fails if there is none, naming `from`.
  GltfValue entry(const char* array, std::uint64_t index, const std::string& from) const;

  std::uint64_t whole(const GltfValue& value) const;
  std::uint64_t whole_or(const GltfValue& of, const char* key, std::uint64_t otherwise) const;
  double number(const GltfValue& value) const;
  std::string text_or_empty(const GltfValue& of, const char* key) const;
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

  /// Values of accessor `index`, which must be of `type` ("VEC3" or "SCALAR").
  struct Vectors {
    bool is_float = false;  ///< each value is a float32
    std::vector<Vec3d> values;
  };
  Vectors vectors(std::uint64_t index, const std::string& from);
  std::vector<std::uint32_t> indices(std::uint64_t index, const std::string& from);
  /// All numbers of an accessor of this type, `components` for each element; each must be finite.
  std::vector<double> numbers(std::uint64_t index, const std::string& from, std::size_t components, const char* type);

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
  std::span<const std::byte> buffer_view(std::uint64_t index, const std::string& from);
  Layout layout(const GltfValue& accessor, std::size_t components, const char* type);
  Layout sparse_layout(const GltfValue& block, Layout like, std::size_t count, bool is_index);
  void place(Layout& layout, const GltfValue& owner, std::uint64_t view_index);
  template <typename Visit>
  void for_each(const GltfValue& accessor, const Layout& dense, const Visit& visit);
  double component(const Layout& layout, std::size_t element, std::size_t component) const;

  const Source& source_;
  nlohmann::json json_;
  std::span<const std::byte> binary_chunk_;
  bool has_binary_chunk_ = false;
  std::vector<std::optional<std::vector<std::byte>>> buffers_;
  std::uint64_t loaded_bytes_ = 0;
};

}  // namespace sightline::read
