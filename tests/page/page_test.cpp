// The bytes of a report page and what is left out of it. How the page looks is looked at in tests/viewer.
#include "page/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "page/bytes.h"
#include "page/reduce.h"
#include "report/paint.h"
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

TEST(PageBytes, FirstUseTellsNewVerticesAsNought) {
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
  PageBytes bytes;
  report::append_quantised(bytes, points);
  const auto data = bytes.all();
  std::size_t at = 0;
  for (int axis = 0; axis < 3; ++axis) {
    double box[2];
    std::memcpy(box, &data[at], sizeof box);
    at += sizeof box;
    std::uint16_t value = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const int code = data[at + i] | data[at + points.size() + i] << 8;
      value = static_cast<std::uint16_t>(value + ((code >> 1) ^ -(code & 1)));
      EXPECT_NEAR(box[0] + (box[1] - box[0]) * value / 65535, points[i][axis], (box[1] - box[0]) / 65535 * 0.51);
    }
    at += 2 * points.size();
  }
  EXPECT_EQ(at, data.size());
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

TEST(Page, NoNameEndsAnElementAndTheJsonIsWhole) {
  const TemporaryFolder folder;
  const std::string text = page_of(folder / "page.html", 1);
  EXPECT_TRUE(text.starts_with("[a&#60;b&#62;&#38;&#34;\xEF\xBF\xBD]\n"));
  EXPECT_TRUE(text.ends_with("END\n"));
  const std::string open = "<script type=\"application/json\" id=\"page\">";
  const std::size_t begin = text.find(open) + open.size(), end = text.find("</script>", begin);
  const nlohmann::json json = nlohmann::json::parse(text.substr(begin, end - begin));
  EXPECT_EQ(json["parts"][0]["name"], "<!--");
  EXPECT_EQ(json["parts"][0]["file"], "</script>.obj");
  EXPECT_EQ(json["frames"].size(), 2u);
  EXPECT_EQ(text.substr(begin, end - begin).find('<'), std::string::npos);
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
  EXPECT_LT(end - second, (second - first) * 2 / 3);  // the contacts are told again, the mesh is not
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
