// The bytes of a report page and what is left out of it. How the page looks is looked at in tests/viewer.
#include "page/page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "page/frame.h"
#include "report/geometry.h"
#include "report/temporary_folder.h"
#include "scenes/scenes.h"

namespace {

using namespace sightline;
using report::PageBytes;
using testing_support::TemporaryFolder;

std::vector<std::uint8_t> all(const PageBytes& bytes) { return {bytes.all().begin(), bytes.all().end()}; }

TEST(PageBytes, VarintsHaveSevenBitsAByte) {
  PageBytes bytes;
  bytes.varint(0);
  bytes.varint(127);
  bytes.varint(128);
  bytes.varint(0xFFFFFFFF);
  EXPECT_EQ(all(bytes), (std::vector<std::uint8_t>{0, 127, 0x80, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}));
}

TEST(PageBytes, DifferencesOfBothSignsAreSmall) {
  PageBytes bytes;
  bytes.difference(5, 5);
  bytes.difference(4, 5);
  bytes.difference(6, 5);
  bytes.difference(0, 0xFFFFFFFF);
  EXPECT_EQ(bytes.all()[0], 0);
  EXPECT_EQ(bytes.all()[1], 1);
  EXPECT_EQ(bytes.all()[2], 2);
  EXPECT_EQ(bytes.size(), 3u + 5u);
}

TEST(PageBytes, FirstUseEncodesNewVerticesAsZero) {
  report::FirstUse order(10);
  EXPECT_EQ(order.code(7), 0u);
  EXPECT_EQ(order.code(3), 0u);
  EXPECT_EQ(order.code(7), 2u);
  EXPECT_EQ(order.code(3), 1u);
  EXPECT_TRUE(std::ranges::equal(order.order(), std::vector<std::uint32_t>{7, 3}));
}

// Decoded as the page does it, no coordinate is off by more than half a step of its box.
TEST(PageBytes, QuantisedPositionsComeBackWithinHalfAStep) {
  const Mesh mesh = scenes::to_double(scenes::crumpled_cloth(2000));
  std::vector<Vec3d> points = std::get<std::vector<Vec3d>>(mesh.positions);
  for (Vec3d& p : points) p[2] = 7;  // a box without height
  std::vector<bool> loose(points.size());
  for (std::size_t i = 0; i < points.size(); i += 5) loose[i] = true;
  PageBytes bytes;
  const Box written = report::append_quantised(bytes, points, loose);
  const auto data = bytes.all();
  const std::size_t jumps = static_cast<std::size_t>(std::ranges::count(loose, true)), steps = points.size() - jumps;
  std::size_t at = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double box[2];
    std::memcpy(box, &data[at], sizeof box);
    EXPECT_EQ(box[0], written.low[axis]);
    EXPECT_EQ(box[1], written.high[axis]);
    at += sizeof box;
    std::uint16_t value = 0;
    for (std::size_t i = 0, jump = at, step = at + 2 * jumps; i < points.size(); ++i) {
      std::size_t& next = loose[i] ? jump : step;
      const int code = data[next] | data[next + (loose[i] ? jumps : steps)] << 8;
      ++next;
      value = static_cast<std::uint16_t>(value + ((code >> 1) ^ -(code & 1)));
      EXPECT_NEAR(box[0] + (box[1] - box[0]) * value / 65535, points[i][axis], (box[1] - box[0]) / 65535 * 0.51);
    }
    at += 2 * points.size();
  }
  EXPECT_EQ(at, data.size());
}

// The other way of packed(): what the page does with the text of an element.
std::string unpacked(std::string_view text) {
  const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%()*+,-./:;=>?@[]^_`{|}~'\"";
  std::string all;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find(' '));
    text.remove_prefix(piece.size() + 1);
    std::vector<std::uint8_t> small;
    std::uint64_t bits = 0;
    int have = 0;
    for (std::size_t i = 0; i < piece.size(); i += 2) {
      const bool two = i + 1 < piece.size();
      bits |= (digits.find(piece[i]) + (two ? 91 * digits.find(piece[i + 1]) : 0)) << have;
      for (have += two ? 13 : 6; have >= 8; have -= 8, bits >>= 8) small.push_back(static_cast<std::uint8_t>(bits));
    }
    std::string large(2 << 20, 0);
    uLongf size = large.size();
    uLong used = small.size();
    EXPECT_EQ(uncompress2(reinterpret_cast<Bytef*>(large.data()), &size, small.data(), &used), Z_OK);
    EXPECT_EQ(used, small.size());  // no browser takes a byte too many
    all.append(large, 0, size);
  }
  return all;
}

TEST(PageBytes, PackedBytesComeBackAndHoldNoTag) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::vector<std::uint8_t> bytes(size == 39 ? 3'000'000 : size);
    std::uint32_t random = 7;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>((random = random * 1664525 + 1013904223) >> 24);
    std::string text;
    for (const std::string& piece : report::packed(bytes, {})) text += piece;
    EXPECT_EQ(text.find_first_of("<&\\\n"), std::string::npos);
    EXPECT_EQ(unpacked(text), std::string(bytes.begin(), bytes.end()));
  }
}

double squared(const Vec3d& a, const Vec3d& b) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

// "All triangles within R of a contact": checked with the corners, which are points of the triangle.
TEST(PageReduce, WhatIsNearAContactIsKept) {
  const Mesh mesh = scenes::crumpled_cloth(20'000);
  const std::vector<report::Part> parts = {{.file = "", .name = "", .mesh = mesh, .facts = {}}};
  const Report answer = self_intersections(mesh);
  ASSERT_GT(answer.contacts.size(), 100u);
  const report::Contacts contacts = {parts, answer.contacts};
  const report::Outlines outlines = report::outlines(contacts, {});
  const report::Shown shown = report::reduce(contacts, outlines, 14'000);
  ASSERT_TRUE(shown.reduced);
  ASSERT_TRUE(shown.within.has_value());
  EXPECT_GT(*shown.within, 0);
  EXPECT_LE(shown.triangles + shown.parts[0].coarse_triangles.size(), 14'000u);
  const std::set<std::uint32_t> kept(shown.parts[0].triangles.begin(), shown.parts[0].triangles.end());
  EXPECT_EQ(kept.size(), shown.triangles);
  for (const Contact& contact : answer.contacts) {
    EXPECT_TRUE(kept.contains(contact.a));
    EXPECT_TRUE(kept.contains(contact.b));
  }
  const double near = *shown.within * *shown.within;
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    if (kept.contains(i)) continue;
    for (const Vec3d& corner : MeshView(mesh).corners(i))
      for (const Vec3d& point : outlines.points) ASSERT_GT(squared(corner, point), near) << "triangle " << i;
  }
}

TEST(PageReduce, WithoutContactsOnlyACoarseCopyIsLeft) {
  const Mesh mesh = scenes::sphere(20'000);
  const std::vector<report::Part> parts = {{.file = "", .name = "", .mesh = mesh, .facts = {}}};
  const report::Shown shown = report::reduce({parts, {}}, {.points = {}, .start = {0}}, 5000);
  EXPECT_TRUE(shown.reduced);
  EXPECT_EQ(shown.triangles, 0u);
  EXPECT_FALSE(shown.within.has_value());
  EXPECT_GT(shown.parts[0].coarse_triangles.size(), 1000u);
  EXPECT_LE(shown.parts[0].coarse_triangles.size(), 5000u);
  for (const Vec3d& p : shown.parts[0].coarse_positions) EXPECT_NEAR(std::sqrt(squared(p, {0, 0, 0})), 1, 0.1);
}

TEST(PageReduce, WhereEvenContactsAreTooManySomeOfThemAreKept) {
  const Mesh mesh = scenes::uniform_soup(5000);
  const std::vector<report::Part> parts = {{.file = "", .name = "", .mesh = mesh, .facts = {}}};
  const Report answer = self_intersections(mesh);
  const report::Contacts contacts = {parts, answer.contacts};
  const report::Shown shown = report::reduce(contacts, report::outlines(contacts, {}), 500);
  EXPECT_FALSE(shown.within.has_value());
  EXPECT_GT(shown.triangles, 100u);
  EXPECT_LE(shown.triangles, 500u);
}

constexpr report::PageShell kShell = {.before_title = "[", .before_data = "]\n", .after_data = "END\n"};

std::string page_of(const std::filesystem::path& path, unsigned threads) {
  const Mesh mesh = scenes::crumpled_cloth(20'000);
  const std::vector<report::Part> parts = {
      {.file = "</script>.obj", .name = "<!--", .mesh = mesh, .facts = report::facts(mesh)}};
  const Report answer = self_intersections(mesh);
  report::Output output(path);
  report::PageWriter page(output, kShell,
                          {.title = "a<b>&\"\xFF", .command = "check", .version = "1", .expected_frames = 2},
                          {.threads = threads});
  for (int i = 0; i < 2; ++i) page.frame({.parts = parts, .contacts = answer.contacts, .found = answer.found});
  page.finish();
  output.commit();
  return testing_support::slurp(path);
}

nlohmann::json json_of(std::string_view text) {
  const std::string_view open = "id=\"page\">";
  text.remove_prefix(text.find(open) + open.size());
  return nlohmann::json::parse(unpacked(text.substr(0, text.find("</script>"))));
}

TEST(Page, NoNameEndsAnElementAndTheJsonIsWhole) {
  const TemporaryFolder folder;
  const std::string text = page_of(folder / "page.html", 1);
  EXPECT_TRUE(text.starts_with("[a&#60;b&#62;&#38;&#34;\xEF\xBF\xBD]\n"));
  EXPECT_TRUE(text.ends_with("END\n"));
  const nlohmann::json json = json_of(text);
  EXPECT_EQ(json["parts"][0]["name"], "<!--");
  EXPECT_EQ(json["parts"][0]["file"], "</script>.obj");
  EXPECT_EQ(json["frames"].size(), 2u);
  // Two frames and the text: as many ends as beginnings, none from a name.
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = text.find("</script", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 3u);
}

TEST(Page, TheSameBytesForEveryNumberOfThreads) {
  const TemporaryFolder folder;
  EXPECT_EQ(page_of(folder / "one.html", 1), page_of(folder / "four.html", 4));
}

TEST(Page, AFrameThatStaysTheSameTakesNextToNothing) {
  const TemporaryFolder folder;
  const std::string text = page_of(folder / "page.html", 1);
  const std::size_t first = text.find("id=\"frame0\""), second = text.find("id=\"frame1\"");
  const std::size_t end = text.find("id=\"page\"");
  EXPECT_LT(end - second, (second - first) * 2 / 3);  // the contacts are written again, the mesh is not
}

// Less than 30 bytes a triangle, whatever is loose and however much of it is in contact. Where the contacts alone would
// take more, the list is cut, with a note.
TEST(Page, UnderThirtyBytesATriangle) {
  struct Case {
    const char* name;
    Mesh mesh;
    bool all;  // contacts are listed
  };
  const Case cases[] = {{"uniform", scenes::uniform_soup(100'000), true},
                        {"uniform, small", scenes::uniform_soup(25'000), true},
                        {"uniform, dense", scenes::uniform_soup(50'000, 1, 60), false},
                        {"clustered", scenes::clustered_soup(50'000), false},
                        {"heavy-tailed", scenes::heavy_tailed_soup(50'000), true},
                        {"needles", scenes::needle_soup(50'000), true},
                        {"lattice", scenes::lattice_soup(30'000), false},
                        {"cloth", scenes::to_soup(scenes::crumpled_cloth(50'000)), true}};
  const TemporaryFolder folder;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const std::vector<report::Part> parts = {{.file = "", .name = "", .mesh = one.mesh, .facts = {}}};
    const Report answer = self_intersections(one.mesh);
    ASSERT_GT(answer.contacts.size(), 100u);
    report::Output output(folder / "page.html");
    report::PageWriter page(output, kShell, {}, {});
    page.frame({.parts = parts, .contacts = answer.contacts, .found = answer.found});
    page.finish();
    output.commit();
    const std::string text = testing_support::slurp(folder / "page.html");
    const double each = static_cast<double>(text.size()) / static_cast<double>(one.mesh.triangles.size());
    EXPECT_LT(each, 30);
    const std::uint64_t listed = json_of(text)["frames"][0]["listed"];
    if (one.all)
      EXPECT_EQ(listed, answer.contacts.size());
    else
      EXPECT_GT(listed, 5'000u);
    std::printf("%-15s %zu triangles, %zu contacts, %llu listed: %.2f bytes a triangle\n", one.name,
                one.mesh.triangles.size(), answer.contacts.size(), static_cast<unsigned long long>(listed), each);
  }
}

TEST(Page, PassesThatDoNotFitTheTrianglesAreAnError) {
  const TemporaryFolder folder;
  const Mesh mesh = scenes::sphere(100);
  const std::vector<report::Part> parts = {{.file = "", .name = "", .mesh = mesh, .facts = {}}};
  report::Output output(folder / "page.html");
  report::PageWriter page(output, kShell, {}, {});
  const report::PagePruning pruning = {.method = "m", .passes = {}, .dropped_by = {{1, 2, 3}}};
  EXPECT_THROW(page.frame({.parts = parts, .pruning = &pruning}), Error);
}

}  // namespace
