// Names in text: the name of a file or part, made safe for JSON, CSV, OBJ and the terminal.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "sightline/version.h"

namespace sightline::write {

using Buffer = fmt::memory_buffer;

inline void append(Buffer& text, std::string_view bytes) { text.append(bytes.data(), bytes.data() + bytes.size()); }

SIGHTLINE_API void vprint(Buffer& text, fmt::string_view format, fmt::format_args values);
/// Appends the text that fmt::format would give. Doubles are written in the shortest form that reads back as the same
/// double.
template <typename... Values>
void print(Buffer& text, fmt::format_string<Values...> format, Values&&... values) {
  vprint(text, format, fmt::make_format_args(values...));
}

/// Writes the text of print(text, "{}", value) to `at`, and returns its end. The kNumberRoom bytes from `at` on are
/// overwritten.
inline constexpr std::size_t kNumberRoom = 48;
SIGHTLINE_API char* put_number(char* at, double value);
SIGHTLINE_API char* put_number(char* at, std::uint64_t value);

/// Appends pieces of text without a look at the capacity for each of them: contacts have many numbers.
class Line {
 public:
  /// Appends to `text`, at most `room` bytes, of which each number takes kNumberRoom.
  Line(Buffer& text, std::size_t room) : text_(text) {
    text.reserve(text.size() + room);
    at_ = text.data() + text.size();
  }
  ~Line() { text_.resize(static_cast<std::size_t>(at_ - text_.data())); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  template <std::size_t N>
  void put(const char (&literal)[N]) {
    std::memcpy(at_, literal, N - 1);
    at_ += N - 1;
  }
  void put(std::string_view bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  void put(char c) { *at_++ = c; }
  void put(double value) { at_ = put_number(at_, value); }
  void put(std::uint64_t value) { at_ = put_number(at_, value); }
  /// x,y,z
  void put(const std::array<double, 3>& p, char separator = ',') {
    put(p[0]);
    put(separator);
    put(p[1]);
    put(separator);
    put(p[2]);
  }

 private:
  Buffer& text_;
  char* at_;
};

inline void append_number(Buffer& text, double value) { Line(text, kNumberRoom).put(value); }
inline void append_number(Buffer& text, std::uint64_t value) { Line(text, kNumberRoom).put(value); }
inline void append_point(Buffer& text, const std::array<double, 3>& p, char separator = ',') {
  Line(text, 3 * kNumberRoom + 2).put(p, separator);
}

/// One code point of UTF-8. A byte that begins no valid sequence (overlong forms, surrogates and values past U+10FFFF
/// are not valid) is taken alone, with `valid` false and `value` the byte.
struct CodePoint {
  char32_t value = 0;
  int bytes = 1;
  bool valid = true;
};
SIGHTLINE_API CodePoint next_code_point(std::string_view text);

/// Bytes that are not UTF-8 become U+FFFD: the name as the JSON and CSV files have it.
SIGHTLINE_API std::string as_utf8(std::string_view value);
/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
SIGHTLINE_API void append_json(Buffer& text, std::string_view value);
/// A CSV field after RFC 4180, quoted only where it must be. Bytes that are not UTF-8 become U+FFFD.
SIGHTLINE_API void append_csv(Buffer& text, std::string_view value);

/// For one line of a terminal or of an OBJ file: control characters, invisible direction marks and invalid bytes
/// become escapes such as \n, \x1b and \u202e; a backslash stays as it is.
SIGHTLINE_API std::string printable(std::string_view value);
/// Columns that printable text takes on a terminal; East Asian wide characters take two, combining marks none.
SIGHTLINE_API std::size_t columns(std::string_view printable_text);
/// At most this many columns: the middle of a longer text is replaced by ….
SIGHTLINE_API std::string shorten(std::string_view printable_text, std::size_t most);

}  // namespace sightline::write
