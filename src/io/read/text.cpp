#include "read/text.h"

#include <algorithm>

#include "base/format.h"

namespace sightline::read {
namespace {

constexpr std::size_t kShown = 40;

/// For a well-formed number outside the range of double: whether it is too small rather than too large. The decimal
/// exponent of its first significant digit decides, since that is far from zero either way.
bool underflows(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view tail = text.substr(e + 1);
    if (tail.starts_with('+')) tail.remove_prefix(1);
    const auto result = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return tail.starts_with('-');
  }
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = std::min(digits.find_first_of("123456789"), digits.size());
  // No sum can overflow: an exponent near the limits of int64 has been decided before.
  if (exponent < -(std::int64_t{1} << 60)) return true;
  if (exponent > (std::int64_t{1} << 60)) return false;
  return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) < 0;
}

}  // namespace

std::string quote(std::string_view text) {
  std::size_t shown = std::min(text.size(), kShown);
  // A cut never splits a UTF-8 sequence.
  if (shown < text.size())
    while (shown > 0 && (static_cast<unsigned char>(text[shown]) & 0xC0) == 0x80) --shown;
  std::string out = "\"";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += formatted("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (shown < text.size() ? formatted("…\" ({} characters)", text.size()) : "\"");
}

bool parse_double(std::string_view text, double& value, const char*& problem) {
  std::string_view digits = text;
  if (digits.starts_with('+') && digits.size() > 1 && (is_digit(digits[1]) || digits[1] == '.'))
    digits.remove_prefix(1);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  problem = "is not a number";
  if (stop != digits.data() + digits.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    problem = "is too large for a double";
    value = digits.starts_with('-') ? -0.0 : 0.0;
    return underflows(digits);
  }
  problem = "is not a finite number";
  return std::isfinite(value);
}

void fail_at(std::string_view text, const char* place, const std::string& file, const std::string& message) {
  const char* first = text.data();
  std::size_t line = 1;
  for (const char* p = first; p != place; ++p)
    if (*p == '\n' || (*p == '\r' && (p + 1 == first + text.size() || p[1] != '\n'))) ++line;
  throw Error(formatted("{}:{}: {}", file, line, message));
}

std::string_view first_line_piece(std::string_view text, std::size_t bytes) {
  std::size_t end = bytes;
  while (end < text.size()) {
    end = std::min(text.find('\n', end), text.size() - 1);
    const std::string_view line = text.substr(0, end);
    if (end > 0 && !line.ends_with('\\') && !line.ends_with("\\\r")) break;
    ++end;
  }
  return text.substr(0, std::min(end + 1, text.size()));
}

std::vector<std::string_view> line_pieces(std::string_view text, std::size_t bytes) {
  std::vector<std::string_view> pieces;
  for (; !text.empty(); text.remove_prefix(pieces.back().size())) pieces.push_back(first_line_piece(text, bytes));
  return pieces;
}

std::string_view skip_bom(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

double Scanner::unusual_number(const char* what) {
  const std::string_view text = needed_word(what);
  double value = 0;
  const char* problem = nullptr;
  if (!parse_double(text, value, problem)) fail(text.data(), formatted("{} {} {}", what, quote(text), problem));
  return value;
}

std::int64_t Scanner::unusual_integer(const char* what) {
  const std::string_view text = needed_word(what);
  std::int64_t value = 0;
  const std::string_view digits = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) fail(text.data(), formatted("{} {} is too large", what, quote(text)));
  if (error != std::errc{} || stop != digits.data() + digits.size())
    fail(text.data(), formatted("{} {} is not a whole number", what, quote(text)));
  return value;
}

bool looks_like_utf16(std::string_view text) {
  constexpr std::size_t kEnough = 16;
  if (text.size() < kEnough) return false;
  const auto zero_at = [&](std::size_t parity) {
    for (std::size_t i = 0; i < kEnough; ++i)
      if ((text[i] == '\0') != (i % 2 == parity)) return false;
    return true;
  };
  return zero_at(0) || zero_at(1);
}

std::optional<std::string> from_utf16(std::string_view text, const std::string& file) {
  const bool big = text.starts_with("\xFE\xFF");
  if (!big && !text.starts_with("\xFF\xFE")) return std::nullopt;
  const auto fail = [&](std::size_t at) {
    throw Error(formatted("{}: byte {}: the file begins as UTF-16 text, but this is not UTF-16", file, at));
  };
  if (text.size() % 2 != 0) fail(text.size() - 1);
  const auto unit = [&](std::size_t at) {
    const auto high = static_cast<unsigned char>(text[big ? at : at + 1]);
    const auto low = static_cast<unsigned char>(text[big ? at + 1 : at]);
    return static_cast<std::uint32_t>(high << 8 | low);
  };
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t at = 2; at < text.size(); at += 2) {
    std::uint32_t point = unit(at);
    if (point >= 0xD800 && point < 0xE000) {  // the first of a pair of surrogates
      const std::uint32_t next = at + 2 < text.size() ? unit(at + 2) : 0;
      if (point >= 0xDC00 || next < 0xDC00 || next >= 0xE000) fail(at);
      point = 0x10000 + ((point - 0xD800) << 10) + (next - 0xDC00);
      at += 2;
    }
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (point < 0x80) {
      put(point);
    } else if (point < 0x800) {
      put(0xC0 | point >> 6);
      put(0x80 | (point & 0x3F));
    } else {
      if (point < 0x10000) {
        put(0xE0 | point >> 12);
      } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
      }
      put(0x80 | (point >> 6 & 0x3F));
      put(0x80 | (point & 0x3F));
    }
  }
  return out;
}

}  // namespace sightline::read
