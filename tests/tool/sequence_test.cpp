// `check` of sequences: every frame in one run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class ToolSequence : public ::testing::Test {
 protected:
  ToolSequence() {
    workshop.save("f_0001.ply", sightline::scenes::sphere(80));
    workshop.save("f_0002.ply", sightline::scenes::self_intersecting_tube(400));  // another topology
    workshop.save("f_0004.ply", sightline::scenes::self_intersecting_tube(1000));
    workshop.save("f_0005.ply", sightline::scenes::sphere(320));
  }
  json report(const std::string& name) const { return json::parse(workshop.text(name)); }
  Workshop workshop;
};

TEST_F(ToolSequence, EveryFrameInOneRunAndMissingOnesNamed) {
  const Result result = workshop.run({"check", "f_%04d.ply", "--json", "r.json", "--csv", "r.csv"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("sightline: f_0003.ply: missing from the sequence"));
  EXPECT_THAT(result.out, HasSubstr("f_%04d.ply: 5 frames\n"));
  EXPECT_THAT(result.out, HasSubstr("5 frames: 2 clean, 2 with contacts, 1 not checked; "));
  EXPECT_THAT(result.out, HasSubstr("most in f_0004.ply ("));
  EXPECT_THAT(result.out, Not(HasSubstr("5 meshes")));
  const json r = report("r.json");
  ASSERT_EQ(r["meshes"].size(), 5u);
  EXPECT_EQ(r["meshes"][1]["frame"], 1);
  EXPECT_EQ(r["meshes"][1]["label"], "f_0002.ply");
  EXPECT_THAT(r["meshes"][2]["error"].get<std::string>(), HasSubstr("missing"));
  const json& s = r["sequences"][0];
  EXPECT_EQ(s["name"], "f_%04d.ply");
  EXPECT_EQ(s["first_mesh"], 0);
  EXPECT_EQ(s["failed"], 1);
  EXPECT_EQ(s["with_contacts"], 2);
  EXPECT_EQ(s["found_by_frame"][0], 0);
  EXPECT_EQ(s["found_by_frame"][1], r["meshes"][1]["found"]);
  EXPECT_TRUE(s["found_by_frame"][2].is_null());
  // The same list as each file by itself gives.
  workshop.run({"check", "f_0004.ply", "--json", "one.json", "-q"});
  EXPECT_EQ(report("one.json")["meshes"][0]["contacts"], r["meshes"][3]["contacts"]);
}

TEST_F(ToolSequence, WithoutGapsTheStatusIsThatOfCheck) {
  workshop.save("f_0003.ply", sightline::scenes::sphere(80));
  EXPECT_EQ(workshop.run({"check", "f_%04d.ply"}).status, 1);
  workshop.save("g1.ply", sightline::scenes::sphere(80));
  workshop.save("g2.ply", sightline::scenes::sphere(80));
  const Result clean = workshop.run({"check", "g%d.ply"});
  EXPECT_EQ(clean.status, 0);
  EXPECT_THAT(clean.out, HasSubstr("2 frames: 2 clean, 0 with contacts; "));
  spill(workshop.folder() / "g3.ply", "ply\nnonsense");
  EXPECT_EQ(workshop.run({"check", "g%d.ply"}).status, 2);
}

/// What a method could have missed is not called clean; what was cut is not called all.
TEST_F(ToolSequence, NothingIsSurerThanItIs) {
  workshop.save("h1.ply", sightline::scenes::self_intersecting_tube(1000));
  workshop.save("h2.ply", sightline::scenes::sphere(80));
  const std::vector<std::string> coarse = {"--method", "self-cullide", "--precision", "image", "--resolution", "2"};
  std::vector<std::string> words = {"check", "h%d.ply"};
  words.insert(words.end(), coarse.begin(), coarse.end());
  const Result sampled = workshop.run(words);
  EXPECT_THAT(sampled.out, HasSubstr("none found (the method can miss some)"));
  EXPECT_THAT(sampled.out, HasSubstr("2 frames: 0 clean, "));
  words.insert(words.end(), {"--format", "junit"});
  EXPECT_THAT(workshop.run(words).out,
              HasSubstr("<skipped message=\"no contact was found, but the method can miss contacts\" />"));
  words.back() = "github";
  EXPECT_THAT(workshop.run(words).out, HasSubstr("::warning file="));
  EXPECT_THAT(workshop.run({"check", "h%d.ply", "--first"}).out, HasSubstr("at least 1 contact"));
  EXPECT_THAT(workshop.run({"check", "h%d.ply", "--max-contacts", "2"}).out, HasSubstr(" of them left out"));
  EXPECT_THAT(workshop.run({"check", "h1.ply", "--max-contacts", "2", "--format", "github"}).out,
              HasSubstr("contacts; of the first 2: 2 contacts in"));
}

TEST_F(ToolSequence, FoldersAndOtherInputsBesideThem) {
  const Result result = workshop.run({"check", ".", "f_0001.ply", "g%d.ply", "--json", "-"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("g%d.ply: no file fits this pattern"));
  const json r = json::parse(result.out);
  EXPECT_EQ(r["meshes"].size(), 7u);
  EXPECT_EQ(r["sequences"].size(), 1u);
  EXPECT_FALSE(r["meshes"][5].contains("sequence"));
}

/// Frames whose files all call their mesh the same have names of their own in CI; missing ones are named with their
/// folder.
TEST_F(ToolSequence, FramesHaveNamesOfTheirOwn) {
  std::filesystem::create_directory(workshop.folder() / "d");
  for (const char* name : {"d/w1.obj", "d/w2.obj", "d/w4.obj"})
    workshop.save(name, sightline::scenes::self_intersecting_tube(400));
  for (const std::string input : {"d", "d/w%d.obj"}) {
    const Result junit = workshop.run({"check", input, "--format", "junit"});
    EXPECT_THAT(junit.out, HasSubstr("name=\"w1.obj\" file=\"d/w1.obj\""));
    EXPECT_THAT(junit.out, HasSubstr("name=\"w2.obj\" file=\"d/w2.obj\""));
    EXPECT_THAT(junit.out, HasSubstr("name=\"w3.obj\" file=\"d/w3.obj\""));
    EXPECT_THAT(junit.err, HasSubstr("sightline: d/w3.obj: missing from the sequence"));
    EXPECT_THAT(workshop.run({"check", input, "--format", "github"}).out, HasSubstr("file=d/w3.obj"));
  }
}

/// A gap counts as many frames as are missing, and no range stands where a file name should.
TEST_F(ToolSequence, AGapCountsItsFrames) {
  for (const char* name : {"w1.ply", "w2.ply", "w9.ply"}) workshop.save(name, sightline::scenes::sphere(80));
  const Result result = workshop.run({"check", "w%d.ply", "--json", "r.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, HasSubstr("w%d.ply: 9 frames\n"));
  EXPECT_THAT(result.out, HasSubstr("9 frames: 3 clean, 0 with contacts, 6 not checked"));
  EXPECT_THAT(result.err, HasSubstr("sightline: w8.ply: missing from the sequence"));
  EXPECT_EQ(report("r.json")["sequences"][0]["failed"], 6);
  EXPECT_EQ(report("r.json")["sequences"][0]["frames"], 9);
  const std::string junit = workshop.run({"check", "w%d.ply", "--format", "junit"}).out;
  for (const char* name : {"w3.ply", "w8.ply"})
    EXPECT_THAT(junit, HasSubstr(fmt::format("name=\"{0}\" file=\"{0}\"", name)));
  // Numbers can be any distance apart: then one entry stands for all, with the folder as its file.
  workshop.save("w1000.ply", sightline::scenes::sphere(80));
  const Result wide = workshop.run({"check", "w%d.ply"});
  EXPECT_THAT(wide.err, HasSubstr("w10.ply to w999.ply (990 frames): missing from the sequence"));
  EXPECT_THAT(wide.out, HasSubstr("1,000 frames: 4 clean, 0 with contacts, 996 not checked"));
  EXPECT_THAT(workshop.run({"check", "w%d.ply", "w1.ply"}).out, HasSubstr("996 not checked"));
  EXPECT_THAT(workshop.run({"check", "w%d.ply", "--format", "junit"}).out,
              HasSubstr("name=\"w10.ply to w999.ply (990 frames)\" file=\".\""));
  EXPECT_THAT(workshop.run({"check", "w%d.ply", "--format", "github"}).out, Not(HasSubstr("file=w10.ply to")));
}

TEST_F(ToolSequence, APipeNamedAsGltfIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((workshop.folder() / "x.glb").c_str(), 0600), 0);
  for (const char* command : {"check", "clash"}) {
    const Result result = workshop.run({command, "x.glb"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("x.glb: is not a regular file"));
  }
}

TEST_F(ToolSequence, ClashTakesNoFolder) {
  std::filesystem::create_directory(workshop.folder() / "d");
  workshop.save("d/a.ply", sightline::scenes::sphere(80));
  const Result folder = workshop.run({"clash", "d"});
  EXPECT_EQ(folder.status, 2);
  EXPECT_THAT(folder.err, HasSubstr("d: is a folder; 'clash' takes the files of one assembly, such as d/*"));
  EXPECT_THAT(workshop.run({"clash", "none_%d.ply"}).err, HasSubstr("no file fits this pattern"));
}

TEST_F(ToolSequence, PicturePageBaselineAndFrameAsOutput) {
  workshop.save("f_0003.ply", sightline::scenes::sphere(80));
  workshop.run({"check", "f_%04d.ply", "--json", "old.json", "-q"});
  const Result same =
      workshop.run({"check", "f_%04d.ply", "--baseline", "old.json", "--image", "p.png", "--image-size", "64x64"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("The picture shows f_0004.ply."));
  EXPECT_THAT(workshop.run({"check", "f_%04d.ply", "--ply", "f_0002.ply"}).err, HasSubstr("is an input"));
}

TEST_F(ToolSequence, AnimatedGltf) {
  // Two triangles; the second node drops through the first between 0 and 1 s.
  spill(
      workshop.folder() / "a.gltf",
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":68,"uri":"data:application/octet-stream;base64,)"
      "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD/NzMw9zczMPQAAAD/NzMw9zczMPQAAwL8="
      R"("}],"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":8},{"buffer":0,"byteOffset":44,"byteLength":24}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR"},)"
      R"({"bufferView":2,"componentType":5126,"count":2,"type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
      R"("nodes":[{"mesh":0},{"mesh":0,"rotation":[0.7071067811865476,0,0,0.7071067811865476]}],"scenes":[{"nodes":[0,1]}],"animations":[{"name":"drop",)"
      R"("channels":[{"sampler":0,"target":{"node":1,"path":"translation"}}],"samplers":[{"input":1,"output":2}]}]})");
  const Result result = workshop.run({"check", "a.gltf", "--fps", "4", "--json", "r.json"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a.gltf: 5 frames"));
  EXPECT_THAT(result.out, HasSubstr("drop 0.250 s"));
  EXPECT_EQ(report("r.json")["sequences"][0]["frames"], 5);
  const Result rest = workshop.run({"check", "a.gltf", "--rest"});
  EXPECT_THAT(rest.out, Not(HasSubstr("frames")));
  EXPECT_EQ(workshop.run({"check", "a.gltf", "--fps", "0"}).status, 2);
  EXPECT_THAT(workshop.run({"check", "a.gltf", "--fps", "1e9"}).err, HasSubstr("use a lower frame rate"));
  // Where it is one frame, or one part, among others, a warning states that it could move.
  const std::string warning = "moves; here only its rest pose is checked";
  EXPECT_THAT(workshop.run({"check", "."}).err, HasSubstr("warning: .: a.gltf " + warning));
  EXPECT_THAT(workshop.run({"clash", "a.gltf"}).out, HasSubstr("a.gltf: 26 frames\n"));
  EXPECT_THAT(rest.err, Not(HasSubstr(warning)));
  // What a glTF file refers to is an input, too.
  std::string text = workshop.text("a.gltf");
  const std::size_t begin = text.find("data:"), end = text.find('"', begin);
  text.replace(begin, end - begin, "a%20b.bin");
  spill(workshop.folder() / "b.gltf", text);
  for (const char* command : {"check", "clash"})
    EXPECT_THAT(workshop.run({command, "b.gltf", "--csv", "a b.bin"}).err,
                HasSubstr("a b.bin: is an input; it would be overwritten"));
}

}  // namespace
}  // namespace testing_support
