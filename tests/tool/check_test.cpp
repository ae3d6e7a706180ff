#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "sightline/io.h"
#include "sightline/sightline.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class ToolCheck : public ::testing::Test {
 protected:
  ToolCheck() {
    workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
    workshop.save("sphere.ply", sightline::scenes::sphere(320));
  }
  Workshop workshop;
};

TEST_F(ToolCheck, CleanMesh) {
  const Result result = workshop.run({"check", "sphere.ply"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("sphere.ply: 320 triangles, 162 vertices, closed, 1 component\n"));
  EXPECT_THAT(result.out, HasSubstr("  contacts  none\n"));
  EXPECT_THAT(result.out, HasSubstr("  flaws     none\n"));
  EXPECT_THAT(result.out, MatchesRegex("([^\n]+\n){4}")) << "four lines";
  EXPECT_THAT(result.out, ::testing::ContainsRegex("\n  time      [0-9.]+ m?s\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b"))) << "no colours in a pipe";
}

TEST_F(ToolCheck, ContactsAreThoseOfTheLibrary) {
  const Result result = workshop.run({"check", "tube.stl", "--json", "out.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("wrote out.json in "));
  const sightline::Mesh mesh = sightline::read_mesh(workshop.folder() / "tube.stl");
  const sightline::Report expected = sightline::self_intersections(mesh);
  const json contacts = json::parse(workshop.text("out.json"))["meshes"][0]["contacts"];
  ASSERT_EQ(contacts.size(), expected.contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_EQ(contacts[i]["a"], expected.contacts[i].a);
    EXPECT_EQ(contacts[i]["b"], expected.contacts[i].b);
    EXPECT_EQ(contacts[i]["kind"], to_string(expected.contacts[i].kind));
  }
}

TEST_F(ToolCheck, FlawsAreCounted) {
  spill(workshop.folder() / "flaws.off",
        "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n2 0 0\n3 0 1 2\n3 2 0 1\n3 0 1 3\n3 0 0 0\n");
  const Result result = workshop.run({"check", "flaws.off"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("2 degenerate triangles, 1 duplicate triangle"));
}

TEST_F(ToolCheck, OneOfAThingIsSingular) {
  spill(workshop.folder() / "one.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  EXPECT_THAT(workshop.run({"check", "one.off", "--threads", "1"}).out,
              HasSubstr("one.off: 1 triangle, 3 vertices, open (3 open edges), 1 component\n"));
}

TEST_F(ToolCheck, FirstIsPrinted) {
  const Result result = workshop.run({"check", "--first", "tube.stl"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("stopped at the first (--first)"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("  first     triangle [0-9]+ [a-z ]+ triangle [0-9]+ "));
  EXPECT_EQ(workshop.run({"check", "--first", "sphere.ply"}).status, 0);
}

TEST_F(ToolCheck, MaxContactsSaysWhatIsLeftOut) {
  const json all = json::parse(workshop.run({"check", "tube.stl", "--json", "-"}).out)["meshes"][0];
  const std::size_t found = all["found"];
  const Result result = workshop.run({"check", "tube.stl", "--max-contacts", "5", "--json", "cut.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("5 kept, " + std::to_string(found - 5) + " left out (--max-contacts 5)"));
  const json cut = json::parse(workshop.text("cut.json"))["meshes"][0];
  EXPECT_EQ(cut["found"], found);
  EXPECT_EQ(cut["complete"], false);
  EXPECT_EQ(cut["contacts"], json(std::vector<json>(all["contacts"].begin(), all["contacts"].begin() + 5)));
  EXPECT_EQ(workshop.run({"check", "tube.stl", "--max-contacts", "0"}).status, 1);
  EXPECT_THAT(workshop.run({"check", "tube.stl", "--max-contacts", "1000000"}).out, Not(HasSubstr("left out")));
}

TEST_F(ToolCheck, SeveralMeshesAndOneThatIsMissing) {
  const Result result = workshop.run({"check", "sphere.ply", "missing.stl", "tube.stl", "--json", "out.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, MatchesRegex("sightline: missing.stl: [^\n]*No such file or directory\n"));
  EXPECT_THAT(result.out, HasSubstr("3 meshes: 1 clean, 1 with contacts, 1 not checked"));
  const json meshes = json::parse(workshop.text("out.json"))["meshes"];
  ASSERT_EQ(meshes.size(), 3u);
  EXPECT_TRUE(meshes[1].contains("error"));
  EXPECT_EQ(meshes[2]["name"], "tube");
}

TEST_F(ToolCheck, ManyMeshes) {
  std::vector<std::string> arguments = {"check", "--csv", "out.csv"};
  for (int i = 0; i < 150; ++i) {
    arguments.push_back(fmt::format("m{}.off", i));
    workshop.save(arguments.back(), sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  }
  const Result result = workshop.run(arguments);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("150 meshes: 150 clean, 0 with contacts\n"));
  EXPECT_THAT(workshop.text("out_parts.csv"), HasSubstr("149,m149,m149.off,12,8,1,yes,0,0,0,0\n"));
}

TEST_F(ToolCheck, VolumeIsThatOfTheOverlapWithItself) {
  const sightline::Mesh two[] = {sightline::scenes::sphere(320), sightline::scenes::sphere(320, {0.5, 0.25, 0.125})};
  const sightline::Mesh both = sightline::scenes::merged(two);
  workshop.save("both.ply", both);
  const sightline::Extent expected = sightline::self_overlap(both);
  const Result result = workshop.run({"check", "both.ply", "sphere.ply", "--volume", "--json", "v.json"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, ::testing::ContainsRegex("\n  overlap   volume 2\\.[0-9]+, area [0-9.]+ with itself\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  overlap   none\n"));
  const json report = json::parse(workshop.text("v.json"));
  const json& found = report["meshes"][0]["self_overlap"];
  EXPECT_EQ(found["volume"]["low"], expected.volume.low);
  EXPECT_EQ(found["area"]["high"], expected.area.high);
  EXPECT_EQ(found["centroid"][2][0], (*expected.centroid)[2].low);
  EXPECT_EQ(found["high"][1], expected.high[1]);
  EXPECT_EQ(report["meshes"][1]["self_overlap"]["volume"]["high"], 0);
  // The members are absent if they were not requested, and null if there is no volume.
  sightline::Mesh half = both;
  half.triangles.pop_back();
  workshop.save("open.stl", half);
  const Result open = workshop.run({"check", "open.stl", "--volume", "--json", "o.json"});
  EXPECT_THAT(open.out, HasSubstr("\n  overlap   no volume: 3 open edges\n"));
  EXPECT_TRUE(json::parse(workshop.text("o.json"))["meshes"][0]["self_overlap"].is_null());
  workshop.run({"check", "sphere.ply", "--json", "n.json"});
  EXPECT_FALSE(json::parse(workshop.text("n.json"))["meshes"][0].contains("self_overlap"));
  EXPECT_THAT(workshop.run({"check", "sphere.ply", "--volume", "--memory", "64M"}).err, HasSubstr("--volume"));
}

TEST_F(ToolCheck, QuietPrintsNothing) {
  const Result result = workshop.run({"check", "--quiet", "tube.stl", "--ply", "out.ply"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_TRUE(workshop.has("out.ply"));
}

TEST_F(ToolCheck, ResultDoesNotDependOnTuning) {
  const auto contacts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"check", "tube.stl", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(workshop.run(arguments).out)["meshes"][0]["contacts"];
  };
  const json plain = contacts({});
  EXPECT_EQ(contacts({"--threads", "1", "--axis", "x"}), plain);
  EXPECT_EQ(contacts({"--simd", "scalar", "--cell", "2.5"}), plain);
  EXPECT_EQ(contacts({"--device", "best"}), plain);
}

TEST_F(ToolCheck, NamesAreEscaped) {
  const std::string name = "a\n\x1b[31m\"b\",\xff.off";
  workshop.save(name, sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  const Result result = workshop.run({"check", name, "gone\x07.stl", "--json", "out.json", "--csv", "o\x01t.csv"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, HasSubstr("a\\n\\x1b[31m\"b\",\\xff.off: 12 triangles"));
  EXPECT_THAT(result.out, HasSubstr("o\\x01t_parts.csv"));
  EXPECT_THAT(result.err, HasSubstr("sightline: gone\\x07.stl: "));
  EXPECT_EQ(json::parse(workshop.text("out.json"))["meshes"][0]["file"], "a\n\x1b[31m\"b\",\xEF\xBF\xBD.off");
}

}  // namespace
}  // namespace testing_support
