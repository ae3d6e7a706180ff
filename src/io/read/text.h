// A scanner over text in memory, for the formats that are lists of words and numbers.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::read {

/// Text from a file as a message can show it: shortened, control characters escaped, in quotes.
std::string quote(std::string_view text);

/// The number that all of `text` spells, to the nearest double. On failure `problem` is the reason ("is not a number").
/// Independent of the locale. A number too small for a double becomes zero; too large and not finite are failures.
bool parse_double(std::string_view text, double& value, const char*& problem);

/// Throws "file:line: message" for a place in the text. Lines end in \n, \r\n or \r.
[[noreturn]] void fail_at(std::string_view text, const char* place, const std::string& file,
                          const std::string& message);

/// UTF-16 text, after its byte order mark, as UTF-8; nothing for other text. Throws Error that names the first byte
/// that is not UTF-16.
std::optional<std::string> from_utf16(std::string_view text, const std::string& file);

/// Whether the text begins as UTF-16 does where it has no byte order mark: every other byte is zero.
bool looks_like_utf16(std::string_view text);

/// Without a byte order mark.
std::string_view skip_bom(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
inline bool is_newline(char c) { return c == '\n' || c == '\r'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_space(char c) { return is_blank(c) || is_newline(c); }

/// A triangle and its share of the vertices, in a usual text: for the choice of the number of threads only.
inline constexpr std::size_t kBytesPerTriangle = 32;

/// The text in pieces of about `bytes` that end after a line, or at the end of the text; or the first of them. A
/// backslash before a line end may join two lines, so no piece ends there. A text without line ends is one piece.
std::string_view first_line_piece(std::string_view text, std::size_t bytes);
std::vector<std::string_view> line_pieces(std::string_view text, std::size_t bytes);

class Scanner {
 public:
  /// `comment` opens a comment that runs to the end of its line; 0 for none. With `continues`, a backslash at the end
  /// of a line makes that end a blank.
  Scanner(std::string_view text, const std::string& file, char comment = 0, bool continues = false)
      : text_(text),
        file_(&file),
        at_(text.data()),
        end_(text.data() + text.size()),
        comment_(comment),
        continues_(continues) {}

  const char* place() const { return at_; }
  void seek(const char* place) { at_ = place; }
  /// The text ends at the end of `piece`, and the scan goes on at its beginning. Lines are still counted from the
  /// beginning of the whole text.
  void restrict_to(std::string_view piece) {
    at_ = piece.data();
    end_ = piece.data() + piece.size();
  }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  char peek() const { return at_ == end_ ? '\0' : *at_; }

  /// True at the end of the text, after spaces, line ends and comments.
  bool at_end() {
    skip_space();
    return at_ == end_;
  }
  /// True at the end of a line or of the text, after blanks.
  bool at_line_end() {
    skip_blank();
    return at_ == end_ || is_newline(*at_) || (comment_ != 0 && *at_ == comment_);
  }
  void skip_blank() {
    while (at_ != end_) {
      if (is_blank(*at_))
        ++at_;
      else if (const std::size_t joint = joint_at(at_))
        at_ += joint;
      else
        return;
    }
  }
  void skip_line() {
    while (at_ != end_ && !is_newline(*at_)) ++at_;
  }
  void skip_space() {
    while (at_ != end_) {
      if (is_space(*at_))
        ++at_;
      else if (comment_ != 0 && *at_ == comment_)
        skip_line();
      else if (const std::size_t joint = joint_at(at_))
        at_ += joint;
      else
        return;
    }
  }
  /// The next word, over line ends; empty at the end of the text.
  std::string_view word() {
    skip_space();
    const char* start = at_;
    while (at_ != end_ && !is_space(*at_) && joint_at(at_) == 0) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  /// The next word; fails at the end of the text.
  std::string_view needed_word(const char* what) {
    const std::string_view text = word();
    if (text.empty()) fail("the file ends where " + std::string(what) + " should be");
    return text;
  }
  /// What is left of the line, without blanks around it.
  std::string_view rest_of_line() {
    skip_blank();
    const char* start = at_;
    skip_line();
    const char* stop = at_;
    while (stop != start && is_blank(stop[-1])) --stop;
    return {start, static_cast<std::size_t>(stop - start)};
  }
  double number(const char* what) {
    skip_space();
    double value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || !std::isfinite(value) || !ends_word(stop)) return unusual_number(what);
    at_ = stop;
    return value;
  }
  Vec3d point() {
    const double x = number("x"), y = number("y"), z = number("z");
    return {x, y, z};
  }
  /// A whole number of at most 9 digits and nothing else, before a blank or a line end; where there is none, nothing is
  /// read. That is how nearly all indices are written, and std::from_chars takes twice as long.
  std::optional<std::uint32_t> short_count() {
    constexpr std::ptrdiff_t kMostDigits = 9;
    if (end_ - at_ <= kMostDigits) return std::nullopt;
    const char* p = at_;
    std::uint32_t value = 0;
    for (; p - at_ < kMostDigits && is_digit(*p); ++p) value = 10 * value + static_cast<std::uint32_t>(*p - '0');
    if (p == at_ || !is_space(*p)) return std::nullopt;
    at_ = p;
    return value;
  }
  std::int64_t integer(const char* what) {
    skip_space();
    if (const std::optional<std::uint32_t> short_one = short_count()) return *short_one;
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{} || !ends_word(stop)) return unusual_integer(what);
    at_ = stop;
    return value;
  }
  /// A count or an index: an integer that is not negative.
  std::uint64_t count(const char* what) {
    skip_space();
    const char* start = at_;
    const std::int64_t value = integer(what);
    if (value < 0) fail(start, std::string(what) + " " + std::to_string(value) + " is negative");
    return static_cast<std::uint64_t>(value);
  }

  [[noreturn]] void fail(const char* place, const std::string& message) const {
    fail_at(text_, place, *file_, message);
  }
  [[noreturn]] void fail(const std::string& message) const { fail(at_, message); }

 private:
  bool ends_word(const char* p) const {
    return p == end_ || is_space(*p) || (comment_ != 0 && *p == comment_) || joint_at(p) != 0;
  }
  /// Length of a backslash and the line end that it joins; 0 if there is none here.
  std::size_t joint_at(const char* p) const {
    if (*p != '\\' || !continues_ || end_ - p < 2 || !is_newline(p[1])) return 0;
    return p[1] == '\r' && end_ - p > 2 && p[2] == '\n' ? 3 : 2;
  }
  double unusual_number(const char* what);
  std::int64_t unusual_integer(const char* what);

  std::string_view text_;
  const std::string* file_;
  const char* at_;
  const char* end_;
  char comment_;
  bool continues_;
};

}  // namespace sightline::read
