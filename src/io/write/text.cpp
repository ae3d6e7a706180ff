#include "base/format.h"
#define FMT_HEADER_ONLY  // only here in this library (base/format.h)
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <vector>

#include "write/text.h"

namespace sightline::write {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Calls visit(code point, its bytes) from the first to the last.
template <typename Visit>
void for_each_code_point(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const CodePoint c = next_code_point(text);
    visit(c, text.substr(0, static_cast<std::size_t>(c.bytes)));
    text.remove_prefix(static_cast<std::size_t>(c.bytes));
  }
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(char32_t c, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return r.first <= c && c <= r.last; });
}

// Controls (C0, DEL, C1), line and paragraph separators, and marks that reorder the line around them.
bool is_unprintable(char32_t c) {
  static constexpr Range kRanges[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200B, 0x200F},
                                      {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};
  return within(c, kRanges);
}

// Approximate on purpose: whole blocks, good enough to align a table.
std::size_t width(char32_t c) {
  static constexpr Range kCombining[] = {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                         {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
  static constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                                    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                                    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (c < 0x300) return 1;
  return within(c, kCombining) ? 0 : within(c, kWide) ? 2 : 1;
}

/// The eight decimal digits of value < 10^8, the first in the lowest byte. Halves of four digits, then quarters of two,
/// then digits are divided side by side in one integer: x / 100 = 5243 x >> 19 for x < 10^4, and x / 10 = 103 x >> 10
/// for x < 100; no product reaches the next part.
std::uint64_t eight_digits(std::uint32_t value) {
  const std::uint64_t fours = value / 10000 | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = (fours * 5243 >> 19) & 0x0000007F0000007F;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000F000F000F000F;
  return tens | (twos - 10 * tens) << 8;
}
constexpr std::uint64_t kZeros = 0x3030303030303030;
static_assert(std::endian::native == std::endian::little, "the first digit is in the lowest byte");

void put_eight(char* at, std::uint32_t value) {
  const std::uint64_t digits = eight_digits(value) | kZeros;
  std::memcpy(at, &digits, 8);
}
/// Without leading zeros.
char* put_up_to_eight(char* at, std::uint32_t value) {
  const std::uint64_t digits = eight_digits(value);
  const int zeros = digits == 0 ? 7 : std::countr_zero(digits) / 8;
  const std::uint64_t text = (digits | kZeros) >> (8 * zeros);
  std::memcpy(at, &text, 8);
  return at + 8 - zeros;
}

constexpr std::uint32_t kEight = 100'000'000;  // 10^8

/// Digits of a number; 1 for 0.
int digit_count(std::uint64_t value) {
  constexpr auto kPowers = [] {
    std::array<std::uint64_t, 20> powers = {0};
    for (std::uint64_t i = 1, power = 10; i < 20; ++i, power *= 10) powers[i] = power;
    return powers;
  }();
  // 4096 log10(2) = 1233.02: one less than the number of digits, or equal to it.
  const int guess = (64 - std::countl_zero(value | 1)) * 1233 >> 12;
  return guess + (value >= kPowers[static_cast<std::size_t>(guess)]);
}

/// The exponent of a number that is written with one: a sign and at least two digits.
char* put_exponent(char* at, int exponent) {
  *at++ = 'e';
  *at++ = exponent < 0 ? '-' : '+';
  const int size = exponent < 0 ? -exponent : exponent;
  if (size < 10) *at++ = '0';
  return put_up_to_eight(at, static_cast<std::uint32_t>(size));
}

}  // namespace

char* put_number(char* at, std::uint64_t value) {
  if (value < kEight) return put_up_to_eight(at, static_cast<std::uint32_t>(value));
  at = put_number(at, value / kEight);
  put_eight(at, static_cast<std::uint32_t>(value % kEight));
  return at + 8;
}

/// The layout of fmt 9: plain from 1e-4 up to 1e16, else with an exponent. Digits are copied in blocks of a fixed size,
/// which reach past them.
char* put_number(char* at, double value) {
  if (!std::isfinite(value)) return fmt::format_to(at, "{}", value);
  *at = '-';
  at += std::signbit(value);
  const double size = std::fabs(value);
  if (size < kEight)  // whole numbers are frequent, and their digits are the shortest ones
    if (const auto whole = static_cast<std::uint32_t>(size); whole == size) return put_up_to_eight(at, whole);
  const auto shortest = fmt::detail::dragonbox::to_decimal(size);
  const std::uint64_t significand = shortest.significand;  // at most 17 digits
  char buffer[48] = {};
  const std::uint64_t upper = significand / kEight;
  buffer[7] = static_cast<char>('0' + upper / kEight);
  put_eight(buffer + 8, static_cast<std::uint32_t>(upper % kEight));
  put_eight(buffer + 16, static_cast<std::uint32_t>(significand % kEight));
  const int count = digit_count(significand), point = count + shortest.exponent;
  const char* const digits = buffer + 24 - count;
  constexpr std::size_t kDigits = 17;
  if (point - 1 < -4 || point - 1 >= 16) {
    at[0] = digits[0];
    at[1] = '.';
    std::memcpy(at + 2, digits + 1, kDigits);
    return put_exponent(at + (count == 1 ? 1 : count + 1), point - 1);
  }
  if (point <= 0) {
    std::memcpy(at, "0.000000", 8);
    at += 2 - point;
    std::memcpy(at, digits, kDigits);
    return at + count;
  }
  std::memcpy(at, digits, kDigits);
  if (point >= count) {
    std::memset(at + count, '0', 16);
    return at + point;
  }
  at[point] = '.';
  std::memcpy(at + point + 1, digits + point, kDigits);
  return at + count + 1;
}

void vprint(Buffer& text, fmt::string_view format, fmt::format_args values) {
  fmt::vformat_to(fmt::appender(text), format, values);
}

CodePoint next_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const int length = lead >= 0xF0 && lead <= 0xF4  ? 4
                     : lead >= 0xE0 && lead < 0xF0 ? 3
                     : lead >= 0xC2 && lead < 0xE0 ? 2
                                                   : 0;
  if (length == 0 || text.size() < static_cast<std::size_t>(length)) return {lead, 1, false};
  char32_t value = lead & (0x7F >> length);
  for (int i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1, false};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || value > 0x10FFFF || surrogate) return {lead, 1, false};
  return {value, length, true};
}

std::string as_utf8(std::string_view value) {
  std::string text;
  for_each_code_point(value, [&](CodePoint c, std::string_view bytes) { text += c.valid ? bytes : kReplacement; });
  return text;
}

void append_json(Buffer& text, std::string_view value) {
  text.push_back('"');
  for_each_code_point(value, [&](CodePoint c, std::string_view bytes) {
    if (!c.valid)
      append(text, kReplacement);
    else if (c.value == '"' || c.value == '\\')
      append(text, {c.value == '"' ? "\\\"" : "\\\\", 2});
    else if (c.value < 0x20 || c.value == 0x7F)
      print(text, "\\u{:04x}", static_cast<unsigned>(c.value));
    else
      append(text, bytes);
  });
  text.push_back('"');
}

void append_csv(Buffer& text, std::string_view value) {
  const bool edge_space = !value.empty() && (value.front() == ' ' || value.back() == ' ');
  const bool quoted = edge_space || value.find_first_of(",\"\r\n\t;") != std::string_view::npos;
  if (quoted) text.push_back('"');
  for_each_code_point(value, [&](CodePoint c, std::string_view bytes) {
    if (c.value == '"' && c.valid) text.push_back('"');
    append(text, c.valid ? bytes : kReplacement);
  });
  if (quoted) text.push_back('"');
}

std::string printable(std::string_view value) {
  std::string text;
  for_each_code_point(value, [&](CodePoint c, std::string_view bytes) {
    const unsigned code = static_cast<unsigned>(c.value);
    if (c.valid && !is_unprintable(c.value))
      text += bytes;
    else if (code == '\n' || code == '\t' || code == '\r')
      text += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
    else
      text += !c.valid || code < 0x80 ? formatted("\\x{:02x}", code) : formatted("\\u{:04x}", code);
  });
  return text;
}

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  for_each_code_point(text, [&](CodePoint c, std::string_view) { sum += width(c.value); });
  return sum;
}

std::string shorten(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  std::vector<std::string_view> glyphs;
  for_each_code_point(text, [&](CodePoint, std::string_view bytes) { glyphs.push_back(bytes); });
  std::string head, tail;
  std::size_t left = most - 1;  // one column for the …
  std::size_t first = 0, last = glyphs.size();
  while (first < last) {
    const bool from_head = columns(head) <= columns(tail);
    const std::string_view glyph = from_head ? glyphs[first] : glyphs[last - 1];
    if (columns(glyph) > left) break;
    left -= columns(glyph);
    if (from_head) {
      head += glyph;
      ++first;
    } else {
      tail.insert(0, glyph);
      --last;
    }
  }
  return head + "…" + tail;
}

}  // namespace sightline::write
