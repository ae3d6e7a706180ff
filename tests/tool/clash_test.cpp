#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "sightline/sightline.h"
#include "tool/program.h"
#include "sightline/io.h"

namespace testing_support {
namespace {

using nlohmann::json;
using sightline::scenes::box;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ToolClash : public ::testing::Test {
 protected:
  ToolClash() { workshop.save("assembly.obj", sightline::scenes::demo_assembly()); }
  Workshop workshop;
};

TEST_F(ToolClash, EveryRelation) {
  const Result result = workshop.run({"clash", "assembly.obj", "--clearance", "0.1", "--json", "out.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("assembly.obj: 6 parts, "));
  EXPECT_THAT(result.out, ContainsRegex("\n  clash     plate    pin  +24  16 crossing, 8 touching\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  touch     plate    block  +18  2 coplanar, 16 touching\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  contains  housing  ball  +-  ball lies inside housing, gap 0\\.25\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  near      pin      ring  +-  gap 0\\.065"));
  EXPECT_THAT(result.out, HasSubstr("  pairs     15: 1 clash, 1 contains, 1 touch, 1 near, 11 clear\n"));

  const json document = json::parse(workshop.text("out.json"));
  const sightline::Assembly parts = sightline::read_assembly(workshop.folder() / "assembly.obj");
  const auto expected = sightline::clashes(parts, {.clearance = 0.1}).pairs;
  ASSERT_EQ(document["pairs"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const json& pair = document["pairs"][i];
    EXPECT_EQ(pair["part_a"], expected[i].a);
    EXPECT_EQ(pair["part_b"], expected[i].b);
    EXPECT_EQ(pair["relation"], to_string(expected[i].relation));
    EXPECT_EQ(pair["gap"], expected[i].gap);
  }
}

TEST_F(ToolClash, ClearPartsAreClean) {
  workshop.save("a.stl", box({0, 0, 0}, {1, 1, 1}));
  workshop.save("b.stl", box({2, 0, 0}, {3, 1, 1}));
  const Result clear = workshop.run({"clash", "a.stl", "b.stl"});
  EXPECT_EQ(clear.status, 0);
  EXPECT_THAT(clear.out, HasSubstr("2 files: 2 parts, 24 triangles\n"));
  EXPECT_THAT(clear.out, HasSubstr("  pairs     1: 0 clash, 1 clear\n"));
  EXPECT_EQ(workshop.run({"clash", "a.stl", "b.stl", "--clearance", "1"}).status, 0) << "the gap is not below 1";
  EXPECT_EQ(workshop.run({"clash", "a.stl", "b.stl", "--clearance", "1.5"}).status, 1);
}

TEST_F(ToolClash, OnePartHasNoPairs) {
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const Result alone = workshop.run({"clash", "tube.stl", "--json", "r.json"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(alone.out, "");
  EXPECT_THAT(alone.err, HasSubstr("tube.stl: has one part, so there is no pair to compare. 'sightline check'"));
  EXPECT_FALSE(workshop.has("r.json"));
  const Result self = workshop.run({"clash", "--self", "tube.stl"});
  EXPECT_EQ(self.status, 1);
  EXPECT_THAT(self.out, ContainsRegex("\n  self      tube  itself  +[0-9]+  "));
}

TEST_F(ToolClash, SelfContactsAreNotThoseOfPairs) {
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  workshop.save("far.stl", box({100, 0, 0}, {101, 1, 1}));
  const Result result = workshop.run({"clash", "--self", "tube.stl", "far.stl", "--json", "out.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("  pairs     1: 0 clash, 1 clear\n"));
  EXPECT_TRUE(json::parse(workshop.text("out.json"))["pairs"].empty());
}

TEST_F(ToolClash, FirstNamesTheParts) {
  const Result result = workshop.run({"clash", "--first", "assembly.obj", "--json", "out.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, ContainsRegex("  first     triangle [0-9]+ of [a-z]+ [a-z ]+ triangle [0-9]+ of [a-z]+ "));
  EXPECT_THAT(result.out, HasSubstr("not classified"));
  EXPECT_TRUE(json::parse(workshop.text("out.json"))["pairs"].is_null());
}

TEST_F(ToolClash, MaxContactsCutsOnlyTheList) {
  const Result result = workshop.run({"clash", "assembly.obj", "--max-contacts", "2", "--json", "out.json"});
  EXPECT_THAT(result.out, HasSubstr("  contacts  42: 16 crossing, 2 coplanar, 24 touching\n"));
  EXPECT_THAT(result.out, HasSubstr("2 kept, 40 left out (--max-contacts 2)"));
  EXPECT_THAT(result.out, HasSubstr("15: 1 clash, 1 contains, 1 touch, 12 clear"));
  const json document = json::parse(workshop.text("out.json"));
  EXPECT_EQ(document["contacts"].size(), 2u);
  EXPECT_EQ(document["found"], 42);
}

TEST_F(ToolClash, LongTablesAreCut) {
  sightline::Assembly row;
  for (int i = 0; i < 30; ++i) {
    row.add(box({i * 1.0, 0, 0}, {i + 1.0, 1, 1}));
    row.parts.back().name = "box" + std::to_string(i);
  }
  workshop.save("row.obj", row);
  const Result result = workshop.run({"clash", "row.obj", "--csv", "out.csv", "--verbose"});
  EXPECT_THAT(result.out, HasSubstr("  … and 10 more (use --csv)\n"));
  EXPECT_THAT(result.out, HasSubstr("  … and 9 more (use --csv, or --group to join pairs by name)\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("box25")));
  EXPECT_THAT(workshop.text("out_pairs.csv"), HasSubstr("28,29,box28,box29,touch,,0,"));
  EXPECT_THAT(workshop.text("out_parts.csv"), HasSubstr("29,box29,row.obj,12,8,1,yes,0,0,0,0\n"));
}

TEST_F(ToolClash, EqualNamesAreToldApart) {
  std::filesystem::create_directory(workshop.folder() / "sub");
  workshop.save("part.stl", box({0, 0, 0}, {1, 1, 1}));
  workshop.save("sub/part.stl", box({0, 0, 0.5}, {1, 1, 2}));
  const Result result = workshop.run({"clash", "part.stl", "sub/part.stl"});
  EXPECT_THAT(result.out, ContainsRegex("\n  clash     part\\.stl:part  sub/part\\.stl:part "));
  EXPECT_THAT(workshop.run({"clash", "part.stl", "part.stl"}).out, ContainsRegex("\n  clash     part #0  part #1 "));
}

TEST_F(ToolClash, NamesAreEscaped) {
  sightline::Assembly assembly = sightline::scenes::demo_assembly();
  workshop.save("plain.obj", assembly);
  std::string text = workshop.text("plain.obj");
  text.replace(text.find("o plate"), 7, "o Pl\x1b[1m\"ä,\xff");
  spill(workshop.folder() / "odd.obj", text);
  const Result result =
      workshop.run({"clash", "odd.obj", "--json", "out.json", "--csv", "out.csv", "--obj", "out2.obj"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Pl\\x1b[1m\"ä,\\xff"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(json::parse(workshop.text("out.json"))["parts"][0]["name"], "Pl\x1b[1m\"ä,\xEF\xBF\xBD");
  EXPECT_THAT(workshop.text("out_parts.csv"), HasSubstr("\"Pl\x1b[1m\"\"ä,\xEF\xBF\xBD\""));
}

}  // namespace
}  // namespace testing_support
