// Animated PNG: every frame, decoded by libpng from the chunks of the file, is the picture that was drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <string>

#include "picture/picture.h"
#include "scenes/scenes.h"
#include "support/errors.h"

namespace {

using namespace sightline;
using picture::Picture;

std::uint32_t number(std::string_view bytes, std::size_t at, int size = 4) {
  std::uint32_t value = 0;
  for (int i = 0; i < size; ++i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

struct Chunk {
  std::string type, data;
};

/// All chunks; fails on a wrong checksum or bytes after the last chunk.
std::vector<Chunk> chunks(const std::string& file) {
  std::vector<Chunk> list;
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::size_t at = 8;
  while (at + 12 <= file.size()) {
    const std::uint32_t size = number(file, at);
    const std::string named = file.substr(at + 4, 4 + std::size_t{size});
    EXPECT_EQ(number(file, at + 8 + size), crc32(0, reinterpret_cast<const Bytef*>(named.data()), 4 + size));
    list.push_back({named.substr(0, 4), named.substr(4)});
    at += 12 + std::size_t{size};
  }
  EXPECT_EQ(at, file.size());
  return list;
}

std::string chunk(const std::string& type, const std::string& data) {
  const auto four = [](unsigned long value) {
    std::string text;
    for (int i = 4; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
  };
  const std::string named = type + data;
  return four(data.size()) + named +
         four(crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size())));
}

/// The RGBA pixels of compressed data of this size, by libpng.
std::vector<std::uint8_t> pixels(std::string header, const std::string& size, const std::string& data) {
  header.replace(0, 8, size);
  const std::string file = "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", "");
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> out(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, out.data(), 0, nullptr), 0) << image.message;
  return out;
}

struct Frames {
  std::vector<std::vector<std::uint8_t>> rgb;  ///< whole pictures
  std::uint32_t milliseconds = 0;
};

/// Plays the file as a viewer does.
Frames played(const std::string& file, std::uint32_t width) {
  Frames frames;
  std::string header;
  std::vector<std::uint8_t> canvas;
  Chunk control;
  std::uint32_t next = 0, stated = 0;
  for (const Chunk& c : chunks(file)) {
    if (c.type == "IHDR") header = c.data;
    if (c.type == "acTL") stated = number(c.data, 0);
    if (c.type == "fcTL" || c.type == "fdAT") {
      EXPECT_EQ(number(c.data, 0), next++);
    }
    if (c.type == "fcTL") control = c;
    if (c.type != "IDAT" && c.type != "fdAT") continue;
    EXPECT_EQ(number(control.data, 22, 2), 1000u);
    frames.milliseconds = number(control.data, 20, 2);
    EXPECT_EQ(control.data[24], 0);                         // the canvas stays
    EXPECT_EQ(control.data[25], c.type == "IDAT" ? 0 : 1);  // later frames are drawn over it
    const std::uint32_t w = number(control.data, 4), h = number(control.data, 8);
    const std::uint32_t left = number(control.data, 12), top = number(control.data, 16);
    const std::vector<std::uint8_t> rgba =
        pixels(header, control.data.substr(4, 8), c.data.substr(c.type == "fdAT" ? 4 : 0));
    if (c.type == "IDAT") canvas.resize(std::size_t{3} * w * h);
    for (std::uint32_t y = 0; y < h; ++y)
      for (std::uint32_t x = 0; x < w; ++x) {
        const std::uint8_t* p = &rgba[4 * (std::size_t{y} * w + x)];
        if (p[3] == 255) std::copy(p, p + 3, &canvas[3 * (std::size_t{top + y} * width + left + x)]);
      }
    frames.rgb.push_back(canvas);
  }
  EXPECT_EQ(stated, frames.rgb.size());
  return frames;
}

Mesh ball_at(double x) { return scenes::sphere(2'000, {x, 0, 0}, 0.5); }

/// Two balls; one moves through the other.
struct Moments {
  explicit Moments(std::vector<double> places) {
    for (const double x : places) meshes.push_back({ball_at(0), ball_at(x)});
    for (const auto& pair : meshes) {
      Scene scene;
      for (const Mesh& mesh : pair) scene.add(mesh);
      reports.push_back(scene.collide());
      parts.push_back({{.file = "f", .name = "a", .mesh = pair[0], .facts = {}},
                       {.file = "f", .name = "b", .mesh = pair[1], .facts = {}}});
    }
    for (std::size_t i = 0; i < meshes.size(); ++i) list.push_back({parts[i], reports[i].contacts});
  }
  std::vector<std::array<Mesh, 2>> meshes;
  std::vector<Report> reports;
  std::vector<std::vector<report::Part>> parts;
  std::vector<report::Contacts> list;
};

TEST(AnimatedPicture, PlaysThePicturesThatWereDrawn) {
  const Moments moments({3, 1.5, 0.6, 0.6, 0.3});
  const std::vector<Picture> pictures = picture::draw_moments(moments.list, {.width = 160, .height = 100});
  ASSERT_EQ(pictures.size(), 5u);
  const Frames frames = played(picture::animated_png_of(pictures, 40), 160);
  EXPECT_EQ(frames.milliseconds, 40u);
  ASSERT_EQ(frames.rgb.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(frames.rgb[i] == pictures[i].rgb) << i;
  EXPECT_TRUE(frames.rgb[2] == frames.rgb[3]);
  EXPECT_FALSE(frames.rgb[1] == frames.rgb[2]);
}

TEST(AnimatedPicture, TheWindowIsOne) {
  const Moments all({3, 1.5, 0.3}), other({3, 0.3});
  const auto three = picture::draw_moments(all.list, {.width = 160, .height = 100});
  const auto two = picture::draw_moments(other.list, {.width = 160, .height = 100});
  // The moment in the middle changes neither the window nor the direction.
  EXPECT_TRUE(three[0].rgb == two[0].rgb);
  EXPECT_TRUE(three[2].rgb == two[1].rgb);
  // A moment alone fills its own window.
  EXPECT_FALSE(picture::draw(all.list[2], {.width = 160, .height = 100}).rgb == three[2].rgb);
}

TEST(AnimatedPicture, BadInputIsAnError) {
  EXPECT_TRUE(picture::draw_moments(std::span<const report::Contacts>{}, {}).empty());
  EXPECT_THAT(testing_support::error_of([] { picture::animated_png_of({}, 40); }), testing::HasSubstr("at least one"));
  const Moments moments({1});
  std::vector<Picture> pictures = picture::draw_moments(moments.list, {.width = 32, .height = 20});
  pictures.push_back(picture::draw_moments(moments.list, {.width = 20, .height = 32})[0]);
  EXPECT_THAT(testing_support::error_of([&] { picture::animated_png_of(pictures, 40); }),
              testing::HasSubstr("different sizes"));
}

}  // namespace
