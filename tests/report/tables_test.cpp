// JSON and CSV, read back.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/csv.h"
#include "report/json.h"
#include "report/sample.h"
#include "report/temporary_folder.h"

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
