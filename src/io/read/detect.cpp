// Finds the format of a file by its first bytes.

#include <algorithm>
#include <array>
#include <string>

#include "read/read_memory.h"
#include "read/text.h"

namespace sightline::read {
namespace {

/// Statements that can open an OBJ file.
constexpr std::array<std::string_view, 12> kObjWords = {"v", "vt", "vn", "vp", "f",      "o",
                                                        "g", "s",  "l",  "p",  "mtllib", "usemtl"};

constexpr std::size_t kLookedAt = 4096;

Format by_extension(std::string_view extension) {
  constexpr std::array<std::pair<std::string_view, Format>, 7> kExtensions = {{{".stl", Format::stl},
                                                                               {".obj", Format::obj},
                                                                               {".ply", Format::ply},
                                                                               {".off", Format::off},
                                                                               {".gltf", Format::gltf},
                                                                               {".glb", Format::gltf},
                                                                               {".3mf", Format::three_mf}}};
  for (const auto& [name, format] : kExtensions)
    if (equal_ignoring_case(extension, name)) return format;
  return Format::unknown;
}

Format by_first_word(std::string_view text) {
  const std::string no_file;
  Scanner scan(text, no_file, '#');
  const std::string_view word = scan.word();
  if (word == "ply") return Format::ply;
  if (is_off_keyword(word)) return Format::off;
  if (word.starts_with('{')) return Format::gltf;
  const bool is_text = text.substr(0, kLookedAt).find('\0') == std::string_view::npos;
  if (!is_text) return Format::unknown;
  if (equal_ignoring_case(word, "solid")) return Format::stl;
  return std::find(kObjWords.begin(), kObjWords.end(), word) != kObjWords.end() ? Format::obj : Format::unknown;
}

bool begins_as_gltf_or_archive(std::string_view text) {
  return text.starts_with("glTF") || text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
}

}  // namespace

bool begins_as_binary_stl(std::span<const std::byte> head, std::uint64_t size) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const bool utf16 = text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE");
  return is_binary_stl(head, size) && !begins_as_gltf_or_archive(text) && !utf16;
}

bool is_off_keyword(std::string_view word) {
  for (const std::string_view prefix : {"ST", "C", "N", "4", "n"})
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  if (!word.starts_with("OFF")) return false;
  return word.substr(3).find_first_not_of("0123456789") == std::string_view::npos;  // OFF8 6 12
}

Format detect(std::span<const std::byte> bytes, std::string_view extension) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("glTF")) return Format::gltf;
  if (begins_as_gltf_or_archive(text))  // zip archives of other programs
    return foreign_advice("", extension).empty() ? Format::three_mf : Format::unknown;
  if (is_binary_stl(bytes)) return Format::stl;
  if (is_foreign(text)) return Format::unknown;
  const Format format = by_first_word(skip_bom(text));
  return format == Format::unknown ? by_extension(extension) : format;
}

}  // namespace sightline::read
