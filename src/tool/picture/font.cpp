#include "picture/font.h"

#include <array>

namespace sightline::picture {
namespace {

// A glyph is a width and strokes. Each pair of digits is a point (x, y): the baseline is y = 2, small letters end at 7
// and capital letters at 9. A stroke of one point is a dot. A stroke that begins with ~ is the control polygon of a
// quadratic B-spline, which is closed if the last point is the first one.
constexpr double kBaseline = 2, kCapital = 7, kSpace = 2;

constexpr std::array<std::string_view, 95> kAscii = {
    "2",                                          // space
    "0 0904 02",                                  // !
    "2 0907 2927",                                // "
    "5 1229 3249 0454 0757",                      // #
    "5 ~5759090655520204 3931",                   // $
    "6 0269 ~0709292707 ~4244646242",             // %
    "6 ~621719494704024265",                      // &
    "0 0907",                                     // '
    "2 ~29070321",                                // (
    "2 ~09272301",                                // )
    "4 2824 0745 0547",                           // *
    "4 2723 0545",                                // +
    "1 1200",                                     // ,
    "3 0535",                                     // -
    "0 02",                                       // .
    "4 0149",                                     // /
    "5 ~0209595202",                              // 0
    "5 173932",                                   // 1
    "5 ~0709595602 0252",                         // 2
    "5 ~0709595626 ~2656520204",                  // 3
    "5 42490454",                                 // 4
    "5 590906 ~0656520203",                       // 5
    "5 ~58590904 ~0206565202",                    // 6
    "5 095922",                                   // 7
    "5 ~0609595606 ~0206565202",                  // 8
    "5 ~0509595505 ~57520203",                    // 9
    "0 02 06",                                    // :
    "1 16 1200",                                  // ;
    "4 480542",                                   // <
    "4 0646 0444",                                // =
    "4 084502",                                   // >
    "4 ~070949462624 22",                         // ?
    "7 ~2427575424 ~57547479090262",              // @
    "6 023962 1454",                              // A
    "5 0209 ~09494606 ~06565202",                 // B
    "5 ~575909025254",                            // C
    "5 0209 ~09595202",                           // D
    "5 59090252 0646",                            // E
    "5 590902 0646",                              // F
    "5 ~575909025255 5535",                       // G
    "5 0209 5259 0656",                           // H
    "0 0209",                                     // I
    "4 4944 ~44420204",                           // J
    "5 0209 5905 1652",                           // K
    "4 090242",                                   // L
    "6 0209356962",                               // M
    "5 02095259",                                 // N
    "6 ~0209696202",                              // O
    "5 0209 ~09595505",                           // P
    "6 ~0209696202 4462",                         // Q
    "5 0209 ~09595505 2552",                      // R
    "5 ~5759090655520204",                        // S
    "6 0969 3932",                                // T
    "5 0904 ~04025254 5459",                      // U
    "6 093269",                                   // V
    "8 0922476289",                               // W
    "5 0259 0952",                                // X
    "6 093569 3532",                              // Y
    "5 09590252",                                 // Z
    "2 29090121",                                 // [
    "4 0941",                                     // backslash
    "2 09292101",                                 // ]
    "4 062946",                                   // ^
    "5 0151",                                     // _
    "1 0918",                                     // `
    "4 ~0207474202 4742",                         // a
    "4 0209 ~0207474202",                         // b
    "4 ~464707024243",                            // c
    "4 4942 ~0207474202",                         // d
    "4 0545 ~454707024243",                       // e
    "3 ~391917 1712 0727",                        // f
    "4 ~0207474202 4742 ~42400001",               // g
    "4 0209 ~05074745 4542",                      // h
    "0 0207 09",                                  // i
    "2 2721 ~212000 29",                          // j
    "4 0209 4704 1542",                           // k
    "1 0903 ~030212",                             // l
    "6 0207 ~05073735 3532 ~35376765 6562",       // m
    "4 0207 ~05074745 4542",                      // n
    "4 ~0207474202",                              // o
    "4 0007 ~0207474202",                         // p
    "4 4740 ~0207474202",                         // q
    "3 0207 ~050737",                             // r
    "4 ~4647070544420203",                        // s
    "3 1913 ~131232 0737",                        // t
    "4 0704 ~04024244 4742",                      // u
    "4 072247",                                   // v
    "6 0712365267",                               // w
    "4 0247 0742",                                // x
    "4 0722 4710",                                // y
    "4 07470242",                                 // z
    "3 ~39191605 ~05141131",                      // {
    "0 0901",                                     // |
    "3 ~09292635 ~35242101",                      // }
    "5 ~04174356",                                // ~
};
constexpr std::string_view kBox = "4 0209494202", kDotless = "0 0207";

// Letters from U+00C0 on are a letter and a mark; the small ones are 32 later.
constexpr std::string_view kLetters = "AAAAAA CEEEEIIII NOOOOO OUUUUY  ";
constexpr std::string_view kMarks = "`'^~:o ,`'^:`'^: ~`'^~: /`'^:'  ";

std::string_view sign(char32_t c) {
  switch (c) {
    case 0xA0:
      return kAscii[0];
    case 0xB0:
      return "2 ~0709292707";
    case 0xB5:
      return "4 0700 ~04024244 4742";
    case 0xB7:
      return "0 05";
    case 0xD7:
      return "4 0347 0743";
    case 0xDF:
      return "4 0207 ~0709494626 ~26464212";
    case 0x2013:
    case 0x2014:
    case 0x2212:
      return "4 0545";
    case 0x2026:
      return "4 02 22 42";
    default:
      return c >= 0x20 && c < 0x7F ? kAscii[c - 0x20] : kBox;
  }
}

using Stroke = std::vector<std::array<double, 2>>;
struct Glyph {
  double width = 0;
  std::vector<Stroke> strokes;
};

/// Corner cutting: three steps are smooth enough for letters.
Stroke smooth(Stroke points) {
  const bool closed = points.size() > 2 && points.front() == points.back();
  if (closed) points.pop_back();
  const auto between = [](const auto& p, const auto& q, double share) {
    return std::array{p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])};
  };
  for (int step = 0; step < 3; ++step) {
    Stroke cut;
    const std::size_t sides = closed ? points.size() : points.size() - 1;
    for (std::size_t i = 0; i < sides; ++i) {
      const auto &p = points[i], &q = points[(i + 1) % points.size()];
      cut.push_back(!closed && i == 0 ? p : between(p, q, 0.25));
      cut.push_back(!closed && i + 1 == sides ? q : between(p, q, 0.75));
    }
    points = std::move(cut);
  }
  if (closed) points.push_back(points.front());
  return points;
}

Glyph parsed(std::string_view text) {
  Glyph glyph{.width = static_cast<double>(text[0] - '0'), .strokes = {}};
  for (std::size_t at = 1; at < text.size();) {
    ++at;  // a space
    const bool curved = text[at] == '~';
    at += curved;
    Stroke stroke;
    for (; at + 1 < text.size() && text[at] != ' '; at += 2)
      stroke.push_back({static_cast<double>(text[at] - '0'), static_cast<double>(text[at + 1] - '0')});
    glyph.strokes.push_back(curved ? smooth(std::move(stroke)) : std::move(stroke));
  }
  return glyph;
}

/// Above a small letter, from the middle of the letter on.
std::vector<Stroke> mark_strokes(char mark) {
  switch (mark) {
    case '`':
      return {Stroke{{-1, 9.4}, {0.5, 8.2}}};
    case '\'':
      return {Stroke{{1, 9.4}, {-0.5, 8.2}}};
    case '^':
      return {Stroke{{-1.3, 8.2}, {0, 9.4}, {1.3, 8.2}}};
    case '~':
      return {Stroke{{-1.6, 8.3}, {-0.6, 9.1}, {0.6, 8.4}, {1.6, 9.2}}};
    case ':':
      return {Stroke{{-1.2, 8.8}}, Stroke{{1.2, 8.8}}};
    case 'o':
      return {smooth({{-1, 7.8}, {-1, 9.6}, {1, 9.6}, {1, 7.8}, {-1, 7.8}})};
    case ',':
      return {Stroke{{0, 2}, {0.4, 1}, {-0.6, 0.3}}};
    case '/':
      return {Stroke{{-2.2, 1.6}, {2.2, 7.4}}};
    default:
      return {};
  }
}

struct Letter {
  std::string_view glyph;
  char mark = ' ';
  bool small = false;
};

Letter letter_of(char32_t c) {
  if (c < 0xC0 || c > 0xFF || c == 0xD7 || c == 0xDF) return {sign(c)};
  const bool small = c >= 0xE0;
  const char letter = c == 0xFF ? 'Y' : kLetters[(c - 0xC0) % 32], mark = c == 0xFF ? ':' : kMarks[(c - 0xC0) % 32];
  if (letter == ' ') return {kBox};
  if (small && letter == 'I') return {kDotless, mark, small};
  return {sign(static_cast<char32_t>(letter) + (small ? 32 : 0)), mark, small};
}

Glyph drawn(const Letter& letter) {
  Glyph glyph = parsed(letter.glyph);
  for (Stroke& stroke : mark_strokes(letter.mark)) {
    for (auto& p : stroke) {
      p[0] += glyph.width / 2;
      if (letter.small || letter.mark == ',') continue;
      p[1] = letter.mark == '/' ? kBaseline + (p[1] - kBaseline) * kCapital / 5 : p[1] + 2;
    }
    glyph.strokes.push_back(std::move(stroke));
  }
  return glyph;
}

/// Calls visit(letter, x). Returns the width.
template <typename Visit>
double each_letter(std::string_view text, double unit, const Visit& visit) {
  double x = 0;
  while (!text.empty()) {
    const report::CodePoint c = report::next_code_point(text);
    text.remove_prefix(static_cast<std::size_t>(c.bytes));
    const Letter letter = letter_of(c.valid ? c.value : 0);
    visit(letter, x);
    x += (letter.glyph[0] - '0' + kSpace) * unit;
  }
  return std::max(0.0, x - kSpace * unit);
}

}  // namespace

double text_width(std::string_view text, double height) {
  return each_letter(text, height / kCapital, [](const Letter&, double) {});
}

void write_text(Pen& pen, std::string_view text, double x, double y, double height, double thickness) {
  const double unit = height / kCapital;
  each_letter(text, unit, [&](const Letter& letter, double at) {
    for (const Stroke& stroke : drawn(letter).strokes)
      for (std::size_t i = 0; i == 0 || i + 1 < stroke.size(); ++i) {
        const auto &p = stroke[i], &q = stroke[std::min(i + 1, stroke.size() - 1)];
        pen.line(x + at + p[0] * unit, y + (p[1] - kBaseline) * unit, x + at + q[0] * unit,
                 y + (q[1] - kBaseline) * unit, stroke.size() == 1 ? 1.4 * thickness : thickness);
      }
  });
}

std::string fitted(std::string_view text, double height, double most) {
  if (text_width(text, height) <= most) return std::string(text);
  std::vector<std::string_view> letters;
  while (!text.empty()) {
    const auto bytes = static_cast<std::size_t>(report::next_code_point(text).bytes);
    letters.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  std::string short_text;
  for (std::size_t kept = std::min<std::size_t>(letters.size(), 200); kept-- > 0;) {
    short_text.clear();
    for (std::size_t i = 0; i < (kept + 1) / 2; ++i) short_text += letters[i];
    short_text += "\u2026";
    for (std::size_t i = letters.size() - kept / 2; i < letters.size(); ++i) short_text += letters[i];
    if (text_width(short_text, height) <= most) break;
  }
  return short_text;
}

}  // namespace sightline::picture
