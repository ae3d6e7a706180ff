// JSON and CSV, read back.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "report/csv.h"
#include "report/json.h"
#include "report/sample.h"
#include "report/temporary_folder.h"
#include "scenes/scenes.h"

namespace sightline::report {
namespace {

using nlohmann::json;
using testing_support::Sample;
using testing_support::slurp;
using testing_support::TemporaryFolder;

const std::string kName = "gear \"5,1\"\nline \xEF\xBF\xBD";

std::string written(const std::function<void(Output&)>& write) {
  const TemporaryFolder folder;
  Output output(folder / "file");
  write(output);
  output.commit();
  return slurp(folder / "file");
}

Vec3d point(const json& value) { return {value[0], value[1], value[2]}; }

TEST(ReportJson, Check) {
  const Sample sample;
  const json document = json::parse(written([&](Output& output) {
    JsonWriter writer(output, {});
    writer.begin_check("1.2.3");
    writer.mesh({sample.parts, std::span(sample.report.contacts).first(3)}, 0, sample.report);
    writer.failed("missing\x01.stl", "missing\x01.stl: cannot open");
    writer.end_check();
  }));
  EXPECT_EQ(document["schema"], "sightline.report/1");
  EXPECT_EQ(document["generator"], "sightline 1.2.3");
  EXPECT_EQ(document["command"], "check");
  ASSERT_EQ(document["meshes"].size(), 2u);
  const json& mesh = document["meshes"][0];
  EXPECT_EQ(mesh["name"], kName);
  EXPECT_EQ(mesh["triangles"], 4);
  EXPECT_EQ(mesh["closed"], false);
  EXPECT_EQ(mesh["duplicates"], 1);
  EXPECT_EQ(mesh["counts"], json({{"touching", 0}, {"crossing", 1}, {"coplanar", 1}, {"duplicate", 1}}));
  ASSERT_EQ(mesh["contacts"].size(), 3u);
  EXPECT_EQ(mesh["contacts"][0]["kind"], "crossing");
  EXPECT_FALSE(mesh["contacts"][0].contains("part_a"));
  const Intersection expected = intersection(sample.meshes[0], sample.report.contacts[0]);
  ASSERT_EQ(mesh["contacts"][0]["points"].size(), expected.size);
  for (std::size_t i = 0; i < expected.size; ++i)  // bit for bit, through text
    EXPECT_EQ(point(mesh["contacts"][0]["points"][i]), expected.storage[i]);
  EXPECT_EQ(document["meshes"][1]["file"], "missing\x01.stl");
  EXPECT_TRUE(document["meshes"][1].contains("error"));
}

TEST(ReportJson, Clash) {
  const Sample sample;
  const std::vector<PartPair> pairs = {
      {.a = 0,
       .b = 1,
       .relation = Relation::contains,
       .inner = 1,
       .gap = std::numeric_limits<double>::infinity(),
       .contacts = {}},
      {.a = 0, .b = 1, .relation = Relation::near, .inner = 0, .gap = 0.1, .contacts = {1, 2, 3, 4}}};
  const auto document = [&](bool known) {
    return json::parse(written([&](Output& output) {
      const ClashReport clash = {
          .parts = sample.parts, .pairs = pairs, .pairs_known = known, .clearance = 0.5, .self = true};
      JsonWriter(output, {}).clash("1.2.3", clash, sample.report);
    }));
  };
  const json known = document(true);
  EXPECT_EQ(known["clearance"], 0.5);
  EXPECT_EQ(known["self"], true);
  ASSERT_EQ(known["parts"].size(), 2u);
  EXPECT_EQ(known["parts"][1]["name"], "räder");
  ASSERT_EQ(known["pairs"].size(), 2u);
  EXPECT_EQ(known["pairs"][0]["inner"], 1);
  EXPECT_TRUE(known["pairs"][0]["gap"].is_null());
  EXPECT_EQ(known["pairs"][1]["gap"], 0.1);
  EXPECT_FALSE(known["pairs"][1].contains("inner"));
  EXPECT_EQ(known["pairs"][1]["counts"]["duplicate"], 4);
  EXPECT_EQ(known["contacts"][3]["part_b"], 1);
  EXPECT_EQ(known["contacts"][3]["points"], json::parse("[[1, 0.1, 0]]"));
  EXPECT_TRUE(document(false)["pairs"].is_null());
}

TEST(ReportJson, Empty) {
  const json check = json::parse(written([](Output& output) {
    JsonWriter writer(output, {});
    writer.begin_check("1");
    writer.end_check();
  }));
  EXPECT_TRUE(check["meshes"].empty());
  const json clash = json::parse(written([](Output& output) { JsonWriter(output, {}).clash("1", {}, {}); }));
  EXPECT_TRUE(clash["parts"].empty());
  EXPECT_TRUE(clash["pairs"].empty());
  EXPECT_TRUE(clash["contacts"].empty());
}

// Rows of fields after RFC 4180.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = rows.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      rows.back().emplace_back();
    else if (!quoted && text[i] == '\n')
      rows.push_back({""});
    else
      field += text[i];
  }
  rows.pop_back();  // after the last newline
  return rows;
}

TEST(ReportCsv, Contacts) {
  const Sample sample;
  const auto rows = parse_csv(written([&](Output& output) { CsvContacts(output, {}).add(sample.contacts()); }));
  ASSERT_EQ(rows.size(), 5u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 11u);
  EXPECT_EQ(rows[0][6], "kind");
  EXPECT_EQ(rows[1][2], kName);
  EXPECT_EQ(rows[2], (std::vector<std::string>{"0", "0", kName, kName, "0", "2", "coplanar", "polygon", rows[2][8],
                                               rows[2][9], "0"}));
  EXPECT_EQ(rows[4],
            (std::vector<std::string>{"0", "1", kName, "räder", "0", "0", "touching", "point", "1", "0.1", "0"}));
}

/// Parts with thousands of contacts among them: crossing, touching, coplanar and duplicate triangles, floats and
/// doubles, one placed part.
struct ManyContacts {
  ManyContacts()
      : meshes{scenes::uniform_soup(1500), scenes::lattice_soup(2000, 3, true), scenes::crumpled_cloth(3000)} {
    Scene scene;
    meshes[0].name = "a, \"b\"";
    meshes[1].name = "lattice";
    for (const Mesh& mesh : meshes) add(scene, mesh);
    add(scene, MeshView(meshes[1].view().positions, meshes[1].triangles, Transform::translation({0.1, 0, 0})));
    report.contacts = scene.collide().contacts;
  }
  void add(Scene& scene, const MeshView& mesh) {
    scene.add(mesh, {.self = true});
    parts.push_back({.file = "f", .name = meshes[parts.size() % 3].name, .mesh = mesh, .facts = {}});
  }
  Intersection geometry(const Contact& c) const {
    return intersection(parts[c.object_a].mesh, parts[c.object_b].mesh, c);
  }
  Mesh meshes[3];
  std::vector<Part> parts;
  Report report;
};

// The text of each contact, byte for byte, against text that fmt makes of contacts one by one.
TEST(ReportJson, BytesOfContacts) {
  const ManyContacts many;
  ASSERT_GT(many.report.contacts.size(), 3 * kBlock);
  std::string expected = "  \"contacts\": [\n";
  std::set<std::pair<Kind, int>> cases;
  for (std::size_t i = 0; i < many.report.contacts.size(); ++i) {
    const Contact& c = many.report.contacts[i];
    const Intersection geometry = many.geometry(c);
    cases.insert({c.kind, geometry.size});
    std::string points;
    for (const Vec3d& p : geometry.points())
      points += fmt::format("{}[{},{},{}]", points.empty() ? "" : ",", p[0], p[1], p[2]);
    expected +=
        fmt::format("{{\"part_a\":{},\"part_b\":{},\"a\":{},\"b\":{},\"kind\":\"{}\",\"points\":[{}]}}{}\n", c.object_a,
                    c.object_b, c.a, c.b, to_string(c.kind), points, i + 1 < many.report.contacts.size() ? "," : "");
  }
  expected += "  ]\n}\n";
  EXPECT_GE(cases.size(), 7u);  // points, segments and polygons of several kinds
  for (const unsigned threads : {1u, 2u, 7u}) {
    const std::string text = written([&](Output& output) {
      JsonWriter(output, {.threads = threads}).clash("1", {.parts = many.parts}, many.report);
    });
    EXPECT_TRUE(text.ends_with(expected)) << threads << " threads";
  }
}

TEST(ReportCsv, BytesOfContacts) {
  const ManyContacts many;
  std::string expected = "part_a,part_b,name_a,name_b,triangle_a,triangle_b,kind,shape,x,y,z\n";
  const auto name = [&](std::uint32_t part) { return part % 3 == 0 ? "\"a, \"\"b\"\"\"" : many.parts[part].name; };
  // The part that was placed has the number 3 and the first name.
  for (const Contact& c : many.report.contacts) {
    const Intersection geometry = many.geometry(c);
    Vec3d middle = {};
    for (const Vec3d& p : geometry.points())
      for (int axis = 0; axis < 3; ++axis) middle[axis] += p[axis] / geometry.size;
    const std::string_view shapes[] = {"none", "point", "segment", "polygon"};
    expected += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", c.object_a, c.object_b, name(c.object_a),
                            name(c.object_b), c.a, c.b, to_string(c.kind), shapes[std::min<int>(geometry.size, 3)],
                            middle[0], middle[1], middle[2]);
  }
  for (const unsigned threads : {1u, 3u})
    EXPECT_TRUE(written([&](Output& output) {
                  CsvContacts(output, {.threads = threads}).add({many.parts, many.report.contacts});
                }) == expected)
        << threads << " threads";
}

TEST(ReportCsv, PartsAndPairs) {
  const Sample sample;
  const auto parts = parse_csv(written([&](Output& output) { write_csv_parts(output, sample.parts); }));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1][1], kName);
  EXPECT_EQ(parts[2],
            (std::vector<std::string>{"1", "räder", "some file.obj", "1", "3", "1", "no", "3", "0", "0", "0"}));
  const std::vector<PartPair> list = {
      {.a = 0,
       .b = 1,
       .relation = Relation::contains,
       .inner = 1,
       .gap = std::numeric_limits<double>::infinity(),
       .contacts = {}},
      {.a = 0, .b = 1, .relation = Relation::touch, .inner = 0, .gap = 0, .contacts = {1, 2, 3, 4}}};
  const auto pairs = parse_csv(written([&](Output& output) { write_csv_pairs(output, sample.parts, list); }));
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].size(), pairs[1].size());
  EXPECT_EQ(pairs[1], (std::vector<std::string>{"0", "1", kName, "räder", "contains", "1", "", "0", "0", "0", "0"}));
  EXPECT_EQ(pairs[2], (std::vector<std::string>{"0", "1", kName, "räder", "touch", "", "0", "1", "2", "3", "4"}));
}

}  // namespace
}  // namespace sightline::report
