// Texts of pictures: the font, title and legend, names of parts, gaps, and parts that are seen through others.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "picture/font.h"
#include "picture/picture.h"
#include "scenes/scenes.h"

namespace notes_test {
namespace {

using namespace sightline;
using picture::Notes;
using picture::Picture;
using picture::PictureOptions;

/// What a text covers, at a height at which all strokes are several pixels apart.
std::vector<bool> cover(std::string_view text, double height = 42) {
  constexpr std::uint32_t kWide = 120, kHigh = 96;
  picture::Pen pen(kWide, kHigh);
  picture::write_text(pen, text, 10, 24, height, 3);
  std::vector<bool> covered;
  for (std::uint32_t y = 0; y < kHigh; ++y)
    for (std::uint32_t x = 0; x < kWide; ++x) covered.push_back(pen.cover(x, y) > 0.5);
  return covered;
}
std::size_t count(const std::vector<bool>& covered) {
  return static_cast<std::size_t>(std::count(covered.begin(), covered.end(), true));
}

TEST(Font, EveryCharacterLooksDifferent) {
  std::set<std::vector<bool>> seen;
  for (char c = '!'; c <= '~'; ++c) {
    const std::vector<bool> covered = cover(std::string(1, c));
    EXPECT_GT(count(covered), 10u) << c;
    EXPECT_TRUE(seen.insert(covered).second) << c;
  }
  for (const char* c :
       {"\u00C4", "\u00E4", "\u00C0", "\u00E1", "\u00E2", "\u00E3", "\u00E5", "\u00C7", "\u00E7", "\u00EE", "\u00EF",
        "\u00F1", "\u00F8", "\u00D8", "\u00FF", "\u00DF", "\u00B5", "\u00D7", "\u00B0", "\u00B7", "\u2026"})
    EXPECT_TRUE(seen.insert(cover(c)).second) << c;
  EXPECT_EQ(count(cover(" ")), 0u);
  EXPECT_TRUE(seen.insert(cover("\u4E09")).second) << "a box";
  for (const char* box : {"\u00E6", "\u00DE", "\u00F7", "\xFF", "\x01"}) EXPECT_EQ(cover(box), cover("\u4E09")) << box;
}

TEST(Font, WidthIsWhereTheInkEnds) {
  for (const std::string_view text : {"M", "iii", "Ab3", "\u00D6l"}) {
    const std::vector<bool> covered = cover(text, 20);
    std::size_t low = 120, high = 0;
    for (std::size_t i = 0; i < covered.size(); ++i)
      if (covered[i]) low = std::min(low, i % 120), high = std::max(high, i % 120);
    EXPECT_NEAR(static_cast<double>(low), 10 - 2, 2.5) << text;
    EXPECT_NEAR(static_cast<double>(high), 10 + picture::text_width(text, 20) + 1, 2.5) << text;
  }
  EXPECT_EQ(picture::text_width("", 20), 0);
}

TEST(Font, TextsAreShortenedInTheMiddle) {
  EXPECT_EQ(picture::fitted("bolt", 10, 1000), "bolt");
  const std::string fitted = picture::fitted("a_very_long_name_of_a_bolt_in_a_column.stl", 10, 120);
  EXPECT_LE(picture::text_width(fitted, 10), 120);
  EXPECT_GT(picture::text_width(fitted, 10), 100);
  EXPECT_TRUE(fitted.starts_with("a_ver") && fitted.ends_with(".stl")) << fitted;
  EXPECT_NE(fitted.find("\u2026"), std::string::npos);
  EXPECT_LE(picture::text_width(picture::fitted(std::string(100'000, 'M'), 10, 200), 10), 200);
}

struct Parts {
  explicit Parts(std::vector<Mesh> given) : meshes(std::move(given)) {
    Scene scene;
    for (const Mesh& mesh : meshes) {
      list.push_back({.file = "f", .name = mesh.name, .mesh = mesh, .facts = {}});
      scene.add(mesh);
    }
    report = scene.collide();
  }
  Picture draw(const Notes& notes, PictureOptions options = {.width = 480, .height = 360}) const {
    return picture::draw({list, report.contacts}, options, notes);
  }
  std::vector<Mesh> meshes;
  std::vector<report::Part> list;
  Report report;
};

template <typename Is>
std::size_t pixels(const Picture& p, const Is& is, double from = 0, double to = 1) {
  std::size_t n = 0;
  for (auto y = static_cast<std::uint32_t>(from * p.height); y < static_cast<std::uint32_t>(to * p.height); ++y)
    for (std::uint32_t x = 0; x < p.width; ++x) {
      const std::uint8_t* c = &p.rgb[3 * (std::size_t{y} * p.width + x)];
      n += is(int{c[0]}, int{c[1]}, int{c[2]});
    }
  return n;
}
const auto green = [](int r, int g, int b) { return g > r + 40 && g > b + 10; };
const auto dark = [](int r, int g, int b) { return std::max({r, g, b}) < 60; };
const auto letters = [](int r, int g, int b) { return std::max({r, g, b}) < 130; };
const auto vermilion = [](int r, int g, int b) { return r > 140 && g < 130 && b < 70; };

Parts crossing() { return Parts({scenes::sphere(2000, {0, 0, 0}, 1), scenes::sphere(2000, {1.2, 0, 0}, 1)}); }

TEST(Notes, TitleAndLegendHaveTheirOwnStrips) {
  const Parts parts = crossing();
  const Picture plain = parts.draw({}), noted = parts.draw({.title = "two balls", .facts = "1 clash"});
  ASSERT_EQ(noted.height, plain.height);
  EXPECT_EQ(pixels(plain, dark, 0, 0.1), 0u);
  EXPECT_GT(pixels(noted, dark, 0, 0.1), 60u) << "the title";
  EXPECT_GT(pixels(noted, vermilion, 0.93, 1), 20u) << "the sign of crossings";
  EXPECT_GT(pixels(noted, letters, 0.93, 1), 40u) << "its word";
  EXPECT_GT(pixels(noted, vermilion, 0.15, 0.9), pixels(plain, vermilion) / 3) << "the model is between them";
  EXPECT_NE(parts.draw({.title = "two balls", .facts = "1 clash"}).rgb,
            parts.draw({.title = "two halls", .facts = "1 clash"}).rgb);
}

TEST(Notes, SmallPicturesHaveNoTexts) {
  const Parts parts = crossing();
  const PictureOptions small = {.width = 299, .height = 400};
  EXPECT_EQ(parts.draw({.title = "x", .names = {{0, "a"}}}, small).rgb, parts.draw({}, small).rgb);
}

TEST(Notes, APartInsideAnotherOneIsSeen) {
  const Parts parts({scenes::box({-1, -1, -1}, {1, 1, 1}), scenes::sphere(2000, {0, 0, 0}, 0.6)});
  const Picture hidden = parts.draw({.title = "t"}), shown = parts.draw({.title = "t", .inner = {1}});
  EXPECT_EQ(pixels(hidden, green, 0.15, 0.9), 0u);
  EXPECT_GT(pixels(shown, green, 0.15, 0.9), 1500u);
  EXPECT_GT(pixels(shown, green, 0.93, 1), 20u) << "in the legend";
}

TEST(Notes, AGapIsALineWithItsLength) {
  const Parts parts({scenes::sphere(2000, {0, 0, 0}, 1), scenes::sphere(2000, {4, 0, 0}, 1)});
  const Notes gap = {.title = "t", .gaps = {{.ends = {{{1, 0, 0}, {3, 0, 0}}}, .text = "2 mm"}}};
  const std::size_t without = pixels(parts.draw({.title = "t"}), dark, 0.15, 0.9);
  EXPECT_GT(pixels(parts.draw(gap), dark, 0.15, 0.9), without + 60);
  Notes other = gap;
  other.gaps[0].text = "3 mm";
  EXPECT_NE(parts.draw(other).rgb, parts.draw(gap).rgb);
}

TEST(Notes, NamesAreOnTheirParts) {
  const Parts parts({scenes::sphere(2000, {0, 0, 0}, 1), scenes::sphere(2000, {0, 4, 0}, 1)});
  const Picture plain = parts.draw({.title = "t"});
  // A name changes the picture where its part is: the two names change different pixels.
  const auto changed = [&](const Notes& notes) {
    const Picture named = parts.draw(notes);
    std::set<std::size_t> places;
    for (std::size_t i = 0; i < plain.rgb.size(); ++i)
      if (plain.rgb[i] != named.rgb[i]) places.insert(i / 3);
    return places;
  };
  const auto a = changed({.title = "t", .names = {{0, "left"}}}), b = changed({.title = "t", .names = {{1, "right"}}});
  EXPECT_GT(a.size(), 100u);
  EXPECT_GT(b.size(), 100u);
  std::vector<std::size_t> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  EXPECT_TRUE(both.empty());
  EXPECT_TRUE(changed({.title = "t", .names = {{7, "no such part"}}}).empty());
}

// A plate of a few rows of pixels has its name beside it; names never cover each other.
TEST(Notes, ThinPartsHaveTheirNamesBesideThem) {
  std::vector<Mesh> meshes;
  for (int i = 0; i < 6; ++i) meshes.push_back(scenes::box({0, 0, i * 0.04}, {4, 4, i * 0.04 + 0.02}));
  const Parts parts(std::move(meshes));
  Notes notes = {.title = "t"};
  const PictureOptions large = {.width = 800, .height = 600};
  const Picture plain = parts.draw(notes, large);
  const auto changed = [&] {
    const Picture named = parts.draw(notes, large);
    std::size_t n = 0;
    for (std::size_t i = 0; i < plain.rgb.size(); i += 3) n += plain.rgb[i] != named.rgb[i];
    return n;
  };
  notes.names = {{5, "top"}};
  const std::size_t one = changed();
  EXPECT_GT(one, 150u);
  notes.names.emplace_back(0, "base");
  EXPECT_GT(changed(), one + 150);
}

TEST(Notes, ThreadsChangeNoPixel) {
  const Parts parts = crossing();
  const Notes notes = {.title = "t", .facts = "f", .names = {{0, "a"}, {1, "b"}}, .inner = {1}};
  PictureOptions one = {.width = 400, .height = 300}, five = one;
  one.run.threads = 1;
  five.run.threads = 5;
  EXPECT_EQ(parts.draw(notes, one).rgb, parts.draw(notes, five).rgb);
}

}  // namespace
}  // namespace notes_test
