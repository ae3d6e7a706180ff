// The header of a PLY file, apart from the data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/read_memory.h"

namespace sightline::read {

enum class PlyType : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };
enum class PlyEncoding : std::uint8_t { ascii, little_endian, big_endian };

std::size_t size_of(PlyType type);
inline bool is_real(PlyType type) { return type >= PlyType::f32; }

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::f32;       ///< for a list: the type of its items
  PlyType count_type = PlyType::u8;  ///< for a list: the type of its length
  bool is_list = false;
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  /// Index of the first property with one of two names, or -1.
  int find(std::string_view name, std::string_view other = {}) const;
  /// Bytes of the shortest element: empty lists; in text a digit and a separator for each value.
  std::size_t least_size(PlyEncoding encoding) const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t data = 0;  ///< byte where the data begins, counted without a byte order mark

  const PlyElement* find(std::string_view name) const;
};

PlyHeader read_ply_header(std::string_view text, const std::string& file);

}  // namespace sightline::read
