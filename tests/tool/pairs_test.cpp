// `clash --pairs`: relations without a list of contacts, with every output that has no contacts in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ToolPairs : public ::testing::Test {
 protected:
  ToolPairs() { workshop.save("assembly.obj", sightline::scenes::demo_assembly()); }
  Result clash(std::vector<std::string> more) const {
    more.insert(more.begin(), {"clash", "assembly.obj", "--clearance", "0.1"});
    return workshop.run(more);
  }
  json report(const std::string& name) const { return json::parse(workshop.text(name)); }
  Workshop workshop;
};

TEST_F(ToolPairs, SummaryHasTheRelations) {
  const Result result = clash({"--pairs"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, ContainsRegex("\n  clash     plate    pin  +-\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  touch     plate    block  +-\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  contains  housing  ball  +-  ball lies inside housing, gap 0\\.25\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  near      pin      ring  +-  gap 0\\.065"));
  EXPECT_THAT(result.out, HasSubstr("  pairs     15: 1 clash, 1 contains, 1 touch, 1 near, 11 clear\n"));
  EXPECT_THAT(result.out, HasSubstr("  contacts  not listed (--pairs)\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("volumes overlap")));
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  workshop.save("b.stl", sightline::scenes::box({2, 0, 0}, {3, 1, 1}));
  EXPECT_EQ(workshop.run({"clash", "--pairs", "a.stl", "b.stl"}).status, 0);
}

TEST_F(ToolPairs, JsonAndCsvHaveTheSamePairs) {
  clash({"--json", "full.json", "--csv", "full.csv", "-q"});
  clash({"--pairs", "--json", "pairs.json", "--csv", "pairs.csv", "-q"});
  json full = report("full.json");
  const json pairs = report("pairs.json");
  EXPECT_EQ(pairs["found"], nullptr);
  EXPECT_EQ(pairs["counts"], nullptr);
  EXPECT_EQ(pairs["contacts"], nullptr);
  EXPECT_EQ(pairs["complete"], true);
  for (json& pair : full["pairs"]) pair["counts"] = nullptr;
  EXPECT_EQ(pairs["pairs"], full["pairs"]);
  EXPECT_EQ(pairs["parts"], full["parts"]);
  // The same rows; the numbers of contacts are empty.
  std::istringstream a(workshop.text("full_pairs.csv")), b(workshop.text("pairs.csv"));
  std::string line_a, line_b;
  for (int row = 0; std::getline(a, line_a); ++row) {
    ASSERT_TRUE(std::getline(b, line_b));
    if (row > 0) {
      std::size_t from = 0;
      for (int i = 0; i < 6; ++i) from = line_a.find(',', from) + 1;
      const std::size_t first = line_a.find(',', from);
      std::size_t end = first;
      for (int i = 0; i < 4; ++i) end = line_a.find(',', end + 1);
      line_a.replace(first, end - first, ",,,,");
    }
    EXPECT_EQ(line_b, line_a);
  }
  EXPECT_EQ(workshop.text("pairs_parts.csv"), workshop.text("full_parts.csv"));
  EXPECT_FALSE(std::filesystem::exists(workshop.folder() / "pairs_pairs.csv"));
}

TEST_F(ToolPairs, Ignore) {
  spill(workshop.folder() / "i.csv", "name_a,name_b\nplate,pin\n");
  const Result result = clash({"--pairs", "--ignore", "i.csv", "--json", "r.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("ignored   1 pair (i.csv)"));
  EXPECT_THAT(result.out, HasSubstr("15: 0 clash"));
  EXPECT_EQ(report("r.json")["ignored"], 1);
  // The table of pairs can be given back.
  clash({"--pairs", "--csv", "all.csv", "-q"});
  EXPECT_EQ(clash({"--pairs", "--ignore", "all.csv"}).status, 0);
  spill(workshop.folder() / "t.csv", "name_a,name_b,triangle_a,triangle_b\nplate,pin,,\nplate,pin,3,4\n");
  const Result refused = clash({"--pairs", "--ignore", "t.csv"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("t.csv:3: an entry for triangles"));
}

TEST_F(ToolPairs, Baseline) {
  clash({"--json", "full.json", "-q"});
  clash({"--pairs", "--json", "pairs.json", "-q"});
  for (const char* old : {"full.json", "pairs.json"}) {
    const Result same = clash({"--pairs", "--baseline", old, "--json", "r.json"});
    EXPECT_EQ(same.status, 0) << old << same.out;
    EXPECT_THAT(same.out, HasSubstr(std::string("pairs: 0 new, 0 gone (") + old));
    EXPECT_EQ(report("r.json")["baseline"]["gone"], 0);
    const Result nearer = workshop.run({"clash", "--pairs", "assembly.obj", "--baseline", old});
    EXPECT_EQ(nearer.status, 0) << "nothing new";
    EXPECT_THAT(nearer.out, HasSubstr("pairs: 0 new, 1 gone"));
  }
  workshop.run({"clash", "--pairs", "assembly.obj", "--json", "less.json", "-q"});
  const Result more = clash({"--pairs", "--baseline", "less.json"});
  EXPECT_EQ(more.status, 1);
  EXPECT_THAT(more.out, HasSubstr("pairs: 1 new, 0 gone"));
  const Result refused = clash({"--baseline", "pairs.json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("pairs.json: is a report of --pairs"));
}

TEST_F(ToolPairs, FormatsForMachines) {
  EXPECT_THAT(clash({"--pairs", "--format", "github"}).out, HasSubstr("clash"));
  EXPECT_THAT(clash({"--pairs", "--format", "junit"}).out, HasSubstr("<failure message=\"touch\""));
}

TEST_F(ToolPairs, WhatNeedsContactsIsRefused) {
  const std::vector<std::vector<std::string>> all = {{"--self"},
                                                     {"--first"},
                                                     {"--max-contacts", "3"},
                                                     {"--ply", "o.ply"},
                                                     {"--obj", "o.obj"},
                                                     {"--image", "o.png"},
                                                     {"--report", "o.html"},
                                                     {"--device", "cuda"},
                                                     {"--method", "cullide"}};
  for (std::vector<std::string> more : all) {
    more.push_back("--pairs");
    const Result result = clash(more);
    EXPECT_EQ(result.status, 2) << more.front();
    EXPECT_THAT(result.err, HasSubstr("--pairs")) << more.front();
  }
}

}  // namespace
}  // namespace testing_support
