// Pictures: the same pixels everywhere, the largest cluster in view, and a PNG that reads back.
#include "picture/picture.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "report/temporary_folder.h"
#include "scenes/scenes.h"

namespace {

using namespace sightline;
using picture::Picture;
using picture::PictureOptions;

struct Scene1 {
  explicit Scene1(std::vector<Mesh> given, bool self = false) : meshes(std::move(given)) {
    Scene scene;
    for (const Mesh& mesh : meshes) {
      parts.push_back({.file = "f", .name = mesh.name, .mesh = mesh, .facts = {}});
      scene.add(mesh, {.self = self});
    }
    report = scene.collide();
  }
  Picture draw(const PictureOptions& options) const { return picture::draw({parts, report.contacts}, options); }

  std::vector<Mesh> meshes;
  std::vector<report::Part> parts;
  Report report;
};

const PictureOptions kSmall = {.width = 320, .height = 200};

std::uint64_t hash(const Picture& picture) {  // FNV-1a
  std::uint64_t h = 14695981039346656037u;
  for (const std::uint8_t byte : picture.rgb) h = (h ^ byte) * 1099511628211u;
  return h;
}

struct Colour {
  int red, green, blue;
};
Colour at(const Picture& p, std::uint32_t x, std::uint32_t y) {
  const std::uint8_t* c = &p.rgb[3 * (std::size_t{y} * p.width + x)];
  return {c[0], c[1], c[2]};
}
/// Pixels in a shade of vermilion, the colour of crossings.
std::size_t vermilion(const Picture& p) {
  std::size_t count = 0;
  for (std::uint32_t y = 0; y < p.height; ++y)
    for (std::uint32_t x = 0; x < p.width; ++x) {
      const Colour c = at(p, x, y);
      count += c.red > 70 && c.red > 1.7 * c.green && c.green >= c.blue;
    }
  return count;
}

Scene1 tube() { return Scene1({scenes::self_intersecting_tube()}, true); }
Scene1 assembly() { return Scene1(scenes::demo_assembly().meshes); }
Scene1 cloth() { return Scene1({scenes::crumpled_cloth(20'000)}, true); }

// Where a change of the picture is meant, look at it and store the new hash.
TEST(Picture, PixelsAreTheStoredOnes) {
  EXPECT_EQ(hash(tube().draw(kSmall)), 11134214802353709312u);
  EXPECT_EQ(hash(assembly().draw(kSmall)), 8559715410047050732u);
  EXPECT_EQ(hash(cloth().draw({.width = 500, .height = 300})), 16208904993033578091u);
  EXPECT_EQ(hash(tube().draw({.width = 100, .height = 237, .up = 1})), 11789107750878312858u);
}

TEST(Picture, ThreadsAndInstructionSetsChangeNoPixel) {
  const Scene1 scene = cloth();
  const PictureOptions options = {.width = 400, .height = 260};
  const std::uint64_t expected = hash(scene.draw(options));
  for (const unsigned threads : {1u, 2u, 5u}) {
    PictureOptions other = options;
    other.run.threads = threads;
    EXPECT_EQ(hash(scene.draw(other)), expected) << threads << " threads";
  }
  for (const Simd simd : {Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512}) {
    if (!available(simd)) continue;
    PictureOptions other = options;
    other.simd = simd;
    EXPECT_EQ(hash(scene.draw(other)), expected) << to_string(simd);
  }
}

TEST(Picture, CrossingsAreVermilionAndACleanMeshIsNot) {
  EXPECT_GT(vermilion(tube().draw(kSmall)), 120u);
  EXPECT_EQ(vermilion(Scene1({scenes::sphere(500)}, true).draw(kSmall)), 0u);
}

// The crossing is under a roof that is larger than the usual view allows: only from below is it seen.
TEST(Picture, TheViewpointShowsTheLargestCluster) {
  std::vector<Mesh> meshes = {scenes::box({-10, -10, 1}, {10, 10, 1.2}), scenes::box({-10, -10, -3}, {-9.8, 10, 1}),
                              scenes::box({9.8, -10, -3}, {10, 10, 1}), scenes::box({-10, 9.8, -3}, {10, 10, 1}),
                              scenes::box({-10, -10, -3}, {10, -9.8, 1})};
  meshes.push_back(scenes::sphere(2000, {0, 0, -1}, 1.5));
  meshes.push_back(scenes::sphere(2000, {1.2, 0.3, -1.2}, 1.5));
  const Scene1 scene(std::move(meshes));
  const Picture picture = scene.draw(kSmall);
  // Seen directly it has the full colour; what only shines through is paler.
  std::size_t full = 0;
  for (std::uint32_t y = 0; y < picture.height; ++y)
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const Colour c = at(picture, x, y);
      full += c.red > 60 && c.red > 1.9 * c.green && c.blue < 0.35 * c.red;
    }
  EXPECT_GT(full, 40u);
}

// A crossing of 1 / 1000 of the model would be a pixel or two; the enlarged corner shows it.
TEST(Picture, ASmallClusterIsEnlarged) {
  std::vector<Mesh> meshes = {scenes::sphere(20'000, {0, 0, 0}, 10), scenes::sphere(500, {0, -7.07, 7.07}, 0.02),
                              scenes::sphere(500, {0, -30, 0}, 3)};
  const Scene1 scene(std::move(meshes));
  ASSERT_GT(scene.report.found, 0u);
  EXPECT_GT(vermilion(scene.draw({.width = 400, .height = 300})), 200u);
}

TEST(Picture, UnusualModelsAreDrawn) {
  const auto one = [](std::vector<Vec3d> points) {
    return Mesh{.name = "m", .positions = std::move(points), .triangles = {{0, 1, 2}}};
  };
  for (const Mesh& mesh :
       {one({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}), one({{1, 2, 3}, {2, 4, 6}, {3, 6, 9}}),
        one({{-1.7e308, 0, 0}, {1.7e308, 0, 0}, {0, 1.7e308, 1e308}}), one({{0, 0, 0}, {1e-310, 0, 0}, {0, 1e-310, 0}}),
        one({{1e15, 0, 0}, {1e15 + 1, 0, 0}, {1e15, 1, 0}})})
    EXPECT_EQ(Scene1({mesh}).draw({.width = 33, .height = 17}).rgb.size(), 33u * 17 * 3);
  EXPECT_EQ(picture::draw({}, {.width = 16, .height = 16}).rgb.size(), 16u * 16 * 3);
  EXPECT_EQ(tube().draw({.width = 4096, .height = 16}).width, 4096u);
}

TEST(Picture, SizesOutOfRangeAreRefused) {
  for (const auto& [width, height] : {std::pair{15u, 100u}, {100u, 0u}, {4097u, 100u}})
    EXPECT_THROW(tube().draw({.width = width, .height = height}), Error);
}

TEST(Picture, ProgressCountsItsSteps) {
  std::uint64_t steps = 0, calls = 0;
  PictureOptions options = kSmall;
  options.run.progress = [&](std::uint64_t items) { steps += items, ++calls; };
  tube().draw(options);
  EXPECT_GE(steps, picture::kDrawSteps * 3 / 5);
  EXPECT_LE(steps, picture::kDrawSteps);
  EXPECT_GT(calls, 35u);
}

TEST(Picture, ACancelEndsIt) {
  PictureOptions options = kSmall;
  options.run.cancel = [] { return true; };
  EXPECT_THROW(tube().draw(options), report::Cancelled);
}

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

// A reader of its own, after the standard.
TEST(Png, ReadsBack) {
  const Picture picture = tube().draw({.width = 61, .height = 43});
  const testing_support::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "p.png";
  report::Output output(path);
  picture::write_png(output, picture);
  output.commit();
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string packed;
  std::vector<std::string> types;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::uint32_t size = number(bytes, at);
    const std::string type = bytes.substr(at + 4, 4);
    types.push_back(type);
    EXPECT_EQ(number(bytes, at + 8 + size), crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + at + 4, size + 4));
    if (type == "IHDR") {
      EXPECT_EQ(number(bytes, at + 8), 61u);
      EXPECT_EQ(number(bytes, at + 12), 43u);
    }
    if (type == "IDAT") packed += bytes.substr(at + 8, size);
    at += 12 + size;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"IHDR", "sRGB", "IDAT", "IEND"}));
  const std::size_t stride = 61 * 3;
  std::vector<std::uint8_t> rows((stride + 1) * 43);
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()), Z_OK);
  ASSERT_EQ(size, rows.size());
  std::vector<std::uint8_t> image(stride * 43);
  for (std::size_t y = 0; y < 43; ++y)
    for (std::size_t i = 0; i < stride; ++i) {
      const int a = i >= 3 ? image[y * stride + i - 3] : 0, b = y > 0 ? image[(y - 1) * stride + i] : 0;
      const int c = i >= 3 && y > 0 ? image[(y - 1) * stride + i - 3] : 0, p = a + b - c;
      const int pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
      const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      const int guess[5] = {0, a, b, (a + b) / 2, paeth};
      image[y * stride + i] = static_cast<std::uint8_t>(rows[y * (stride + 1) + 1 + i] + guess[rows[y * (stride + 1)]]);
    }
  EXPECT_EQ(image, picture.rgb);
}

/// Pixels in a shade of red that no tone of a part has.
std::size_t red(const Picture& p) {
  std::size_t count = 0;
  for (std::uint32_t y = 0; y < p.height; ++y)
    for (std::uint32_t x = 0; x < p.width; ++x) {
      const Colour c = at(p, x, y);
      count += c.red > 70 && c.red > 1.5 * c.green && c.red > 1.5 * c.blue;
    }
  return count;
}
std::size_t white(const Picture& p) {
  std::size_t count = 0;
  for (const std::uint8_t byte : p.rgb) count += byte == 255;
  return count / 3;
}

TEST(Figure, InksOfTriangles) {
  using picture::FigureMesh;
  using picture::Ink;
  const Mesh ball = scenes::sphere(500), inner = scenes::sphere(500, {0, 0, 0}, 0.5);
  const auto drawn = [&](Ink outer_ink, Ink inner_ink) {
    const FigureMesh meshes[] = {{ball, std::vector<Ink>(ball.triangles.size(), outer_ink)},
                                 {inner, std::vector<Ink>(inner.triangles.size(), inner_ink)}};
    return picture::draw(meshes, {0, -0.3, -1}, kSmall);
  };
  const std::size_t all = std::size_t{kSmall.width} * kSmall.height;
  const Picture plain = drawn(Ink::plain, Ink::plain);
  EXPECT_EQ(red(plain), 0u);
  EXPECT_GT(white(plain), all / 4);
  EXPECT_GT(red(drawn(Ink::set, Ink::plain)), all / 5);
  EXPECT_GT(red(drawn(Ink::plain, Ink::set)), all / 40);   // shines through
  EXPECT_GT(red(drawn(Ink::absent, Ink::set)), all / 40);  // in the window of both
  EXPECT_LT(red(drawn(Ink::absent, Ink::set)), all / 8);
  EXPECT_GT(white(drawn(Ink::absent, Ink::absent)), all - 1);
  EXPECT_EQ(hash(drawn(Ink::culled, Ink::set)), hash(drawn(Ink::culled, Ink::set)));
  const FigureMesh wrong[] = {{ball, {Ink::set}}};
  EXPECT_THROW(picture::draw(wrong, {0, 0, -1}, kSmall), Error);
}

}  // namespace
