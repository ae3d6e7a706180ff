// Ignore lists: contacts that are known and accepted (docs/formats.md, "Ignore lists"). An argument of --ignore is the
// path of a list or, if there is no such file, two patterns for names with a comma between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/document.h"

namespace sightline::report {

class IgnoreList {
 public:
  /// Throws Error with file, line and value.
  explicit IgnoreList(const std::filesystem::path& path) : IgnoreList(std::vector<std::string>{path.string()}) {}
  explicit IgnoreList(const std::vector<std::string>& arguments);
  /// Whether an argument is two patterns, not the path of a list.
  static bool is_patterns(const std::string& argument);

  /// Must be called before contacts and pairs of these parts are looked up. `number` is that of the first part, for
  /// entries by number.
  void begin(std::span<const Part> parts, std::size_t number = 0);
  /// Whether an entry names this contact; all entries that do are marked as used. Objects count through begin's parts.
  bool ignores(const Contact& contact) { return use(contact, false); }
  /// Whether an entry names the whole pair of parts.
  bool ignores_pair(std::uint32_t a, std::uint32_t b) { return use({.object_a = a, .object_b = b}, true); }

  std::size_t size() const { return entries_.size(); }
  /// The line of the first entry that names triangles; 0 if there is none.
  std::uint64_t line_with_triangles() const { return line_with_triangles_; }
  /// The arguments, for messages.
  const std::string& file() const { return file_; }
  /// Lines of the entries that no call has used so far.
  std::vector<std::uint64_t> unused_lines() const;
  /// Warnings about these entries: none, one for the whole list, or one for each of the first few.
  std::vector<std::string> warnings() const;

 private:
  struct Entry {
    std::string place;  ///< file and line, for messages
    std::uint64_t line;
    std::string text;  ///< for messages
    bool used = false;
  };
  /// A side of an entry in one number: any part, a part by number, parts by name or pattern, or a part by label.
  using Token = std::uint64_t;
  struct Key {
    Token a, b;
    std::uint64_t triangle_a, triangle_b;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  void read(const std::string& path);
  void add(const Key& key, Entry entry);
  Token name_token(const std::string& name);
  Token label_token(const std::string& label);
  /// Marks the entries that name this contact (or its pair of parts alone); false if there is none.
  bool use(const Contact& contact, bool only_parts);

  std::string file_;
  std::vector<Entry> entries_;
  std::unordered_map<Key, std::vector<std::uint32_t>, KeyHash> index_;
  std::uint64_t line_with_triangles_ = 0;
  std::uint64_t shapes_ = 0;  ///< which combinations of any, number and name occur: others are not looked up
  std::unordered_map<std::string, std::uint64_t> names_, labels_;
  std::vector<std::pair<std::string, Token>> patterns_;
  std::vector<std::vector<Token>>
      tokens_;  ///< per part of begin: any, by number, by label, by each name and pattern that fits
};

}  // namespace sightline::report
