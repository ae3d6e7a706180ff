// The papers' methods on the command line: the output always names the method, and mistakes are errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class ToolMethod : public ::testing::Test {
 protected:
  ToolMethod() {
    workshop.save("a.off", sightline::scenes::sphere(320));
    workshop.save("b.off", sightline::scenes::sphere(320, {1.2, 0.1, 0.05}));
    workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  }
  json run_json(std::vector<std::string> arguments, int status = 1) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    return json::parse(result.out);
  }
  void expect_error(const std::vector<std::string>& arguments, const std::string& message) {
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  Workshop workshop;
};

TEST_F(ToolMethod, ExactByDefault) {
  const json report = run_json({"clash", "a.off", "b.off"});
  EXPECT_EQ(report["method"], json({{"name", "exact"}, {"can_miss", false}}));
}

TEST_F(ToolMethod, ConservativeMethodsGiveTheExactList) {
  const json exact = run_json({"clash", "a.off", "b.off"});
  for (const char* method : {"cullide", "quick-cullide", "peel"}) {
    const json report = run_json({"clash", "a.off", "b.off", "--method", method, "--resolution", "64"});
    EXPECT_EQ(report["contacts"], exact["contacts"]) << method;
    EXPECT_EQ(report["pairs"], exact["pairs"]) << method;
    EXPECT_EQ(report["method"]["name"], method);
    EXPECT_EQ(report["method"]["precision"], "conservative");
    EXPECT_EQ(report["method"]["can_miss"], false);
    EXPECT_EQ(report["method"]["resolution"], 64);
    EXPECT_FALSE(report["method"]["passes"].empty()) << method;
    EXPECT_TRUE(report["complete"].get<bool>());
  }
}

TEST_F(ToolMethod, ImagePrecisionSaysThatItCanMiss) {
  const Result result = workshop.run(
      {"clash", "a.off", "b.off", "--method", "cullide", "--precision", "image", "--resolution", "16", "--view", "x"});
  EXPECT_THAT(result.out, HasSubstr("cullide, image precision at 16 x 16: can miss contacts"));
  EXPECT_THAT(result.out, HasSubstr("not classified, because the method can miss contacts"));
  const json report =
      run_json({"clash", "a.off", "b.off", "--method", "cullide", "--precision", "image", "--resolution", "64"});
  EXPECT_EQ(report["method"]["can_miss"], true);
  EXPECT_EQ(report["complete"], false);
  EXPECT_TRUE(report["pairs"].is_null());
}

TEST_F(ToolMethod, PassesReportWhatWasDone) {
  const json report =
      run_json({"clash", "a.off", "b.off", "--method", "quick-cullide", "--view", "x", "--view", "0.3,1,0.2"});
  for (const json& pass : report["method"]["passes"]) {
    EXPECT_GE(pass["pcs_before"], pass["pcs_after"]);
    EXPECT_GE(pass["elements_before"], pass["elements_after"]);
    const bool draws = pass["level"] != "boxes";  // a sweep over boxes draws nothing
    EXPECT_EQ(pass["renders"].get<int>() + pass["queries"].get<int>() > 0, draws) << pass;
    EXPECT_EQ(pass["fragments"] > 0, draws) << pass;
  }
}

TEST_F(ToolMethod, CullideAsPublished) {
  for (const char* method : {"cullide", "quick-cullide"}) {
    const json report = run_json({"clash", "a.off", "b.off", "--method", method, "--as-published", "--view", "z"});
    EXPECT_EQ(report["method"]["precision"], "image");
    EXPECT_EQ(report["method"]["resolution"], 4096);
    std::vector<std::string> levels;
    for (const json& pass : report["method"]["passes"]) levels.push_back(pass["level"]);
    const bool quick = std::string(method) == "quick-cullide";  // sweeps the boxes of objects after their images
    EXPECT_EQ(levels, quick ? std::vector<std::string>({"object", "boxes", "triangle"})
                            : std::vector<std::string>({"object", "triangle"}));
  }
  expect_error({"clash", "a.off", "b.off", "--method", "peel", "--no-patches"}, "--no-patches: peel does not use it");
}

TEST_F(ToolMethod, SelfCullide) {
  const json exact = run_json({"check", "tube.stl"})["meshes"][0];
  const json conservative = run_json({"check", "tube.stl", "--method", "self-cullide"})["meshes"][0];
  EXPECT_EQ(conservative["method"]["can_miss"], false);
  EXPECT_EQ(conservative["contacts"], exact["contacts"]);
  const json report = run_json({"check", "tube.stl", "--method", "self-cullide", "--as-published"})["meshes"][0];
  EXPECT_EQ(report["method"]["can_miss"], true);
  for (const json& contact : report["contacts"])
    EXPECT_NE(std::find(exact["contacts"].begin(), exact["contacts"].end(), contact), exact["contacts"].end())
        << contact;
}

TEST_F(ToolMethod, Cinder) {
  const json report = run_json({"clash", "a.off", "b.off", "--method", "cinder"});
  ASSERT_FALSE(report["method"]["penetrations"].empty());
  EXPECT_EQ(report["method"]["unbalanced"], 0);
  for (const json& p : report["method"]["penetrations"]) {
    ASSERT_EQ(p["position"].size(), 3u);
    for (const json& x : p["position"]) EXPECT_TRUE(x.is_number()) << p;
  }
  const Result text = workshop.run({"clash", "a.off", "b.off", "--method", "cinder"});
  EXPECT_THAT(text.out, HasSubstr("with an edge inside another part, 2 pairs of parts"));
}

TEST_F(ToolMethod, Velocity) {
  const json apart =
      run_json({"clash", "a.off", "b.off", "--method", "velocity", "--motion", "a:1,0,0", "--motion", "1:-1,0,0"});
  EXPECT_GT(apart["method"]["culled"], 0);
  EXPECT_EQ(apart["method"]["can_miss"], true);
  const json published = run_json({"clash", "a.off", "b.off", "--method", "velocity", "--as-published", "--motion",
                                   "a:1,0,0", "--motion", "1:-1,0,0"});
  const json same = run_json({"clash", "a.off", "b.off", "--method", "velocity", "--no-spheres", "--face-by-face",
                              "--motion", "a:1,0,0", "--motion", "1:-1,0,0"});
  EXPECT_EQ(published["method"]["culled"], same["method"]["culled"]);
  EXPECT_EQ(published["contacts"], same["contacts"]);
}

TEST_F(ToolMethod, Mistakes) {
  expect_error({"clash", "a.off", "--resolution", "64"}, "--resolution requires --method");
  expect_error({"clash", "a.off", "--method", "culide"}, "--method: culide not in {exact,cullide,");
  expect_error({"check", "a.off", "--method", "cinder"},
               "--method: cinder not in {exact,cullide,quick-cullide,self-cullide,peel}");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--resolution", "0"},
               "resolution 0; an image has 1 to 16384 pixels a side");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--resolution", "1000000"},
               "resolution 1000000; an image has 1 to 16384 pixels a side");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--resolution", "-4"}, "'-4' is not a whole number");
  expect_error({"clash", "a.off", "b.off", "--method", "peel", "--epsilon", "-0.5"},
               "epsilon -0.5; it must be a finite number, 0 or more");
  expect_error({"clash", "a.off", "b.off", "--method", "peel", "--epsilon", "nan"},
               "--epsilon: 'nan' is not a finite number");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--view", "w"},
               "--view: 'w' is not x, y, z, DX,DY,DZ");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--view", "0,0,0"},
               "direction (0, 0, 0) is not a direction");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--depth-bits", "8"},
               "--depth-bits: 8 not in {16,24,32,float}");
  expect_error({"clash", "a.off", "b.off", "--method", "cinder", "--precision", "conservative"},
               "cinder has no conservative precision");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--view", "0,0,-1@0,0,5,60"},
               "perspective needs precision image");
  expect_error({"clash", "a.off", "b.off", "--method", "exact", "--view", "x"}, "--view: exact does not use it");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--mip-map", "2"},
               "--mip-map: cullide does not use it");
  expect_error({"clash", "a.off", "b.off", "--method", "peel", "--edge-offset", "1"},
               "--edge-offset: peel does not use it");
  expect_error({"clash", "a.off", "b.off", "--method", "cinder", "--edge-offset", "-1", "--one-per-pixel"},
               "edge offset -1; it must be a finite number, 0 or more");
  for (const char* option : {"--edge-offset=0.1", "--mip-map=2", "--filter-self"})
    expect_error({"clash", "a.off", "b.off", "--method", "cinder", option}, "set one collision a pixel, too");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--axis", "x"},
               "axis, visibility and cell are for the exact engine");
  expect_error({"clash", "a.off", "b.off", "--method", "peel", "--epsilon", "1e308"}, "too large for an image");
  expect_error({"clash", "a.off", "b.off", "--self", "--method", "cinder"},
               "this method finds contacts between objects only");
  expect_error({"clash", "a.off", "b.off", "--method", "peel", "--rigid", "c"}, "--rigid: there is no part 'c'");
  expect_error({"clash", "a.off", "b.off", "--method", "cullide", "--rigid", "a"}, "--rigid: cullide does not use it");
}

TEST_F(ToolMethod, NumbersBelowTheNormalOnesAreNumbers) {
  EXPECT_EQ(
      workshop.run({"clash", "a.off", "b.off", "--method", "peel", "--resolution", "64", "--epsilon", "1e-320"}).status,
      1);
}

TEST_F(ToolMethod, PerspectiveOfAMethodThatSamples) {
  const Result result = workshop.run(
      {"check", "tube.stl", "--method", "self-cullide", "--precision", "image", "--view", "0,0,-1@0,0,9,60"});
  EXPECT_NE(result.status, 2) << result.err;
}

TEST_F(ToolMethod, VelocityNeedsMotions) {
  expect_error({"clash", "a.off", "b.off", "--method", "velocity", "--as-published"},
               "velocity: part 'a' has no motion; every part needs one: --motion 'a:VX,VY,VZ'");
  expect_error({"clash", "a.off", "b.off", "--method", "velocity", "--motion", "a:1,0,0"},
               "velocity: part 'b' has no motion; every part needs one: --motion 'b:VX,VY,VZ'");
  expect_error({"clash", "a.off", "b.off", "--method", "velocity", "--motion", "c:1,0,0"},
               "--motion: there is no part 'c'");
  expect_error({"clash", "a.off", "b.off", "--method", "velocity", "--motion", "a:1,0"},
               "--motion 'a:1,0': not PART:VX,VY,VZ");
}

TEST_F(ToolMethod, PublishedCinderNeedsClosedParts) {
  spill(workshop.folder() / "open.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  const json report = run_json({"clash", "a.off", "open.off", "--method", "cinder"});
  EXPECT_GT(report["method"]["unbalanced"], 0);
  const Result text = workshop.run({"clash", "a.off", "open.off", "--method", "cinder"});
  EXPECT_THAT(text.out, HasSubstr("undecided, where a part is open"));
  const Result result = workshop.run({"clash", "a.off", "open.off", "--method", "cinder", "--as-published"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("object 1"));
  EXPECT_THAT(result.err, HasSubstr("open edge"));
}

TEST_F(ToolMethod, PapersRunQuickly) {
  const Result list = workshop.run({"papers", "--help"});
  EXPECT_THAT(list.out, HasSubstr("boldt-meyer"));
  const Result result =
      workshop.run({"papers", "--quick", "vanecek", "--json", "papers.json", "--markdown", "papers.md"});
  EXPECT_EQ(result.status, 0) << result.err;
  const json document = json::parse(workshop.text("papers.json"));
  EXPECT_EQ(document["schema"], "sightline.papers/1");
  EXPECT_EQ(document["sections"].size(), 1u);
  EXPECT_THAT(workshop.text("papers.md"), HasSubstr("![Faces culled while two tori approach](papers/vanecek.svg)"));
  EXPECT_THAT(workshop.text("papers/vanecek.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(workshop.text("papers.md"), HasSubstr("(papers/vanecek-4-5.png)"));
  EXPECT_THAT(workshop.text("papers/vanecek-4-5.png"), HasSubstr("PNG"));
  EXPECT_EQ(workshop.run({"papers", "nonsense"}).status, 2);
}

TEST_F(ToolMethod, PeelingBesideItsPaper) {
  const Result result = workshop.run({"papers", "--quick", "peeling", "--json", "papers.json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json section = json::parse(workshop.text("papers.json"))["sections"][0];
  // The miss ratio counts points. One that two pairs share is found by either: never more points than pairs are missed.
  const json& figure = section["tables"][0];
  EXPECT_THAT(figure["title"].get<std::string>(), HasSubstr("miss ratio of intersection points"));
  const auto column = [&](const char* name) {
    std::size_t at = 0;
    while (at < figure["columns"].size() && figure["columns"][at] != name) ++at;
    return at;
  };
  const std::size_t published = column("as published"), pairs = column("pairs missed, as published");
  ASSERT_LT(pairs, figure["columns"].size());
  ASSERT_EQ(figure["columns"][published + 1], "improved");
  const auto share = [](const json& cell) { return std::stod(cell.get<std::string>()); };
  for (const json& row : figure["rows"]) {
    EXPECT_LT(share(row[published]), share(row[pairs])) << row;
    EXPECT_LE(share(row[published + 1]), share(row[published])) << row;
  }
  // Each row of tables 1 and 2 is another frame.
  for (const json& table : section["tables"]) {
    if (!table["title"].get<std::string>().starts_with("Table ")) continue;
    std::set<std::string> frames;
    for (const json& row : table["rows"]) {
      const std::string cell = row[2];
      EXPECT_TRUE(frames.insert(cell.substr(cell.find('('))).second) << cell;
    }
  }
  bool found = false;
  for (const json& claim : section["claims"])
    if (claim["text"] == "Our own: conservative precision misses nothing.") found = claim["holds"];
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace testing_support
