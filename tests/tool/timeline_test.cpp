// `clash` of an input that moves, and animations that are long.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "sightline/io.h"
#include "sightline/sightline.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using sightline::scenes::box;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string bytes_of(const std::vector<float>& values) {
  std::string out(values.size() * 4, '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A box that slides along x from 0 to `last` in `seconds`, and a box at rest, from x = 5 to 6.
std::string sliding(float last, float seconds) {
  std::string binary;
  const sightline::Mesh mesh = box({0, 0, 0}, {1, 1, 1});
  for (std::size_t i = 0; i < mesh.view().positions.size(); ++i)
    for (const double x : mesh.view().position(i)) binary += bytes_of({static_cast<float>(x)});
  const std::size_t corners = binary.size();
  for (const sightline::Triangle& t : mesh.triangles) binary.append(reinterpret_cast<const char*>(t.data()), sizeof t);
  const std::size_t times = binary.size();
  binary += bytes_of({0, seconds, 0, 0, 0, last, 0.25f, 0.25f});
  std::string text = fmt::format(
      R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{3}}}],"bufferViews":[{{"buffer":0,"byteLength":{0}}},{{"buffer":0,"byteOffset":{0},"byteLength":{1}}},{{"buffer":0,"byteOffset":{2},"byteLength":8}},{{"buffer":0,"byteOffset":{4},"byteLength":24}}],)"
      R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{5},"type":"VEC3"}},{{"bufferView":1,"componentType":5125,"count":{6},"type":"SCALAR"}},{{"bufferView":2,"componentType":5126,"count":2,"type":"SCALAR"}},{{"bufferView":3,"componentType":5126,"count":2,"type":"VEC3"}}],)"
      R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],"nodes":[{{"name":"slider","mesh":0}},{{"name":"stop","mesh":0,"translation":[5,0,0]}}],)"
      R"("animations":[{{"name":"slide","channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}],"samplers":[{{"input":2,"output":3}}]}}]}})",
      corners, times - corners, times, binary.size(), times + 8, corners / 12, (times - corners) / 4);
  while (text.size() % 4 != 0) text += ' ';
  const auto word = [](std::size_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&number), 4);
  };
  return "glTF" + word(2) + word(28 + text.size() + binary.size()) + word(text.size()) + "JSON" + text +
         word(binary.size()) + std::string("BIN\0", 4) + binary;
}

class ToolTimeline : public ::testing::Test {
 protected:
  json report(const std::string& name) const { return json::parse(workshop.text(name)); }
  Workshop workshop;
};

// At x = 0, 2, 4, 6, 8: clear, clear, touch at 4 (in y and z they overlap), clear at 8 …
TEST_F(ToolTimeline, PairsOfAnAnimation) {
  spill(workshop.folder() / "a.glb", sliding(9, 9));
  const Result result = workshop.run({"clash", "a.glb", "--fps", "2", "--json", "t.json", "--csv", "t.csv"});
  EXPECT_EQ(result.status, 1) << result.err;
  const json timeline = report("t.json");
  EXPECT_EQ(timeline["schema"], "sightline.timeline/1");
  ASSERT_EQ(timeline["frames"].size(), 19u);
  // The independent answer: frame k has the slider at x = k / 2. It meets the stop from 4 to 6, and crosses it inside.
  std::vector<int> expected;
  for (int k = 0; k < 19; ++k) {
    const double x = k * 0.5;
    const bool meets = x >= 4 && x <= 6;
    EXPECT_EQ(timeline["frames"][static_cast<std::size_t>(k)]["pairs"].size(), meets ? 1u : 0u) << k;
    if (!meets) continue;
    expected.push_back(k);
    const json pair = timeline["frames"][static_cast<std::size_t>(k)]["pairs"][0];
    EXPECT_EQ(pair["relation"], x == 4 || x == 6 ? "touch" : "clash") << k;
    EXPECT_EQ(pair["name_a"], "slider");
    EXPECT_EQ(pair["name_b"], "stop");
  }
  ASSERT_EQ(timeline["pairs"].size(), 1u);
  const json all = timeline["pairs"][0];
  EXPECT_EQ(all["frames"].get<std::vector<int>>(), expected);
  EXPECT_EQ(all["relation"], "clash");
  const int worst = all["worst_frame"];
  for (const int k : expected) {
    const json pair = timeline["frames"][static_cast<std::size_t>(k)]["pairs"][0];
    if (pair["relation"] == "clash") {
      EXPECT_LE(pair["contacts"], all["contacts"]);
      EXPECT_TRUE(k >= worst || pair["contacts"] < all["contacts"]) << "the first of equal ones";
    }
  }
  EXPECT_THAT(result.out, HasSubstr("a.glb: 19 frames\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  slide 4\\.500 s +[0-9.]+ m?s  1 clash\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n  clash     slider  stop       5  8 to 12  slide "));
  EXPECT_THAT(result.out, HasSubstr("19 frames: 14 clear, 5 with pairs that are not clear; "));
  EXPECT_THAT(workshop.text("t.csv"), ContainsRegex("\nslider,stop,clash,5,8,12,[0-9]+,slide "));
  EXPECT_FALSE(workshop.has("t_parts.csv"));
  const std::string first = workshop.text("t.json");
  workshop.run({"clash", "a.glb", "--fps", "2", "--json", "t.json", "--threads", "1", "-q"});
  EXPECT_EQ(workshop.text("t.json"), first);
}

TEST_F(ToolTimeline, RestPoseClearanceSelfAndIgnore) {
  spill(workshop.folder() / "a.glb", sliding(3.5, 1));
  EXPECT_EQ(workshop.run({"clash", "a.glb", "--rest"}).status, 0);
  EXPECT_EQ(workshop.run({"clash", "a.glb"}).status, 0) << "it stops before the other box";
  const Result near = workshop.run({"clash", "a.glb", "--clearance", "0.75", "--json", "t.json"});
  EXPECT_EQ(near.status, 1);
  EXPECT_EQ(report("t.json")["pairs"][0]["relation"], "near");
  EXPECT_EQ(report("t.json")["pairs"][0]["worst_frame"], report("t.json")["frames"].size() - 1);
  EXPECT_EQ(workshop.run({"clash", "a.glb", "--clearance", "0.75", "--ignore", "sl*,st*"}).status, 0);
  EXPECT_EQ(workshop.run({"clash", "a.glb", "--pairs", "--clearance", "0.75"}).status, 1);
  spill(workshop.folder() / "through.glb", sliding(9, 9));
  EXPECT_EQ(workshop.run({"clash", "through.glb", "--pairs"}).out.find("gap 0"), std::string::npos) << "of a clash";
  // A part that rests, from another file.
  workshop.save("wall.stl", box({2, 0.5, 0.5}, {2.5, 2, 2}));
  const Result wall = workshop.run({"clash", "a.glb", "wall.stl", "--json", "t.json"});
  EXPECT_EQ(wall.status, 1);
  EXPECT_EQ(report("t.json")["pairs"][0]["name_b"], "wall");
}

TEST_F(ToolTimeline, SequencesOfFiles) {
  for (int i = 0; i < 4; ++i) {
    sightline::Assembly frame;
    frame.add(box({0, 0, 0}, {1, 1, 1}));
    frame.parts[0].name = "a";
    frame.add(box({2 - i * 0.5, 0.25, 0.25}, {3 - i * 0.5, 2, 2}));
    frame.parts[1].name = "b";
    if (i != 2) workshop.save(fmt::format("f{}.obj", i), frame);
  }
  spill(workshop.folder() / "f4.obj", "nonsense\n");
  const Result result = workshop.run({"clash", "f%d.obj", "--json", "t.json"});
  EXPECT_EQ(result.status, 2) << "two frames could not be checked";
  EXPECT_THAT(result.err, HasSubstr("f2.obj: missing from the sequence"));
  EXPECT_THAT(result.out, HasSubstr("5 frames: 2 clear, 1 with pairs that are not clear, 2 not checked"));
  const json timeline = report("t.json");
  EXPECT_EQ(timeline["frames"][2]["count"], 1);
  EXPECT_THAT(timeline["pairs"][0]["frames"].get<std::vector<int>>(), ElementsAre(3));
}

// The table of a sequence names pairs and no patterns.
TEST_F(ToolTimeline, TheTableIsAnIgnoreList) {
  sightline::Assembly parts;
  for (const char* name : {"a*", "b", "abc"}) {
    parts.add(
        box({0.25 * static_cast<double>(parts.size()), 0, 0}, {0.25 * static_cast<double>(parts.size()) + 1, 1, 1}));
    parts.parts.back().name = name;
  }
  for (const char* name : {"s1.obj", "s2.obj"}) workshop.save(name, parts);
  workshop.run({"clash", "s%d.obj", "--csv", "t.csv", "-q"});
  EXPECT_EQ(workshop.run({"clash", "s%d.obj", "--ignore", "t.csv", "-q"}).status, 0);
  spill(workshop.folder() / "one.csv", "name_a,name_b,relation\na*,b,clash\n");
  workshop.run({"clash", "s%d.obj", "--ignore", "one.csv", "--json", "t.json", "-q"});
  EXPECT_EQ(report("t.json")["pairs"].size(), 2u);
}

TEST_F(ToolTimeline, WhatIsRefused) {
  spill(workshop.folder() / "a.glb", sliding(9, 1));
  spill(workshop.folder() / "b.glb", sliding(9, 1));
  workshop.save("one%d.stl", box({0, 0, 0}, {1, 1, 1}));
  workshop.save("s1.stl", box({0, 0, 0}, {1, 1, 1}));
  workshop.save("s2.stl", box({0, 0, 0}, {1, 1, 1}));
  for (const char* output : {"--ply", "--obj", "--image", "--bcf", "--report"}) {
    const Result result = workshop.run({"clash", "a.glb", output, "x.png"});
    EXPECT_EQ(result.status, 2) << output;
    EXPECT_THAT(result.err, HasSubstr(std::string(output) + ": is for one assembly"));
  }
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{
           {"--max-contacts", "5"}, {"--first"}, {"--depth"}, {"--volume"}, {"--tolerance", "1"}}) {
    std::vector<std::string> arguments = {"clash", "a.glb"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_THAT(workshop.run(arguments).err, HasSubstr(option.front() + ": is for one assembly"));
  }
  EXPECT_THAT(workshop.run({"clash", "a.glb", "b.glb"}).err,
              HasSubstr("a.glb and b.glb: 'clash' takes one input that moves"));
  EXPECT_THAT(workshop.run({"clash", "s%d.stl"}).err, HasSubstr("s1.stl: has one part"));
}

// Three bolts pass a wall one after the other.
TEST_F(ToolTimeline, GroupsAndStages) {
  for (int frame = 0; frame < 4; ++frame) {
    sightline::Assembly parts;
    for (int i = 0; i < 3; ++i) {
      const double x = frame == i || frame == i + 1 ? 0.5 : 5;
      parts.add(box({x, i * 3.0, 0}, {x + 1, i * 3.0 + 1, 1}));
      parts.parts.back().name = fmt::format("bolt_{}", i + 1);
    }
    parts.add(box({0, -1, -1}, {1, 9, 2}));
    parts.parts.back().name = "a wall";
    workshop.save(fmt::format("w{}.obj", frame), parts);
  }
  const Result result = workshop.run({"clash", "w%d.obj", "--group"});
  EXPECT_THAT(result.out, ContainsRegex("\n  relation  part +part +pairs  frames  which"));
  EXPECT_THAT(result.out, ContainsRegex("\n  clash     a wall  bolt_\\* +3       4  0 to 3  w[0-3].obj, "));
  EXPECT_EQ(result.out.find("bolt_1"), std::string::npos);
  const std::string plain = workshop.run({"clash", "w%d.obj"}).out;
  EXPECT_THAT(plain, ContainsRegex("\n  relation  part +part +frames  which"));
  EXPECT_THAT(plain, ContainsRegex("\n  clash     bolt_2  a wall +2  1 to 2  "));
  EXPECT_EQ(plain.find("pairs "), plain.find("pairs that are not clear"));
  const std::string verbose = workshop.run({"clash", "w%d.obj", "-v"}).out;
  EXPECT_THAT(verbose, ContainsRegex("\n  w0\\.obj +[0-9.]+ m?s  1 clash\n  time "));
  EXPECT_THAT(verbose, ContainsRegex("relate|pairs +[0-9]"));
}

TEST_F(ToolTimeline, LongAnimationsAreBoundedAndNotInSilence) {
  spill(workshop.folder() / "long.glb", sliding(9, 60));
  for (const char* command : {"check", "clash"}) {
    const Result result = workshop.run({command, "long.glb", "--json", "r.json"});
    EXPECT_THAT(result.err,
                ContainsRegex("warning: long.glb: the animations have 150[0-9] frames at 25 a second; 4\\.[0-9]+ a "
                              "second are checked, about 2[0-9]+ frames\\. --fps 25 checks all"));
    const json r = report("r.json");
    const std::size_t frames =
        std::string(command) == "check" ? r["sequences"][0]["frames"].get<std::size_t>() : r["frames"].size();
    EXPECT_LE(frames, 250u);
    EXPECT_GE(frames, 200u);
  }
  const Result all = workshop.run({"check", "long.glb", "--fps", "25", "--json", "r.json"});
  EXPECT_EQ(all.err, "");
  EXPECT_EQ(report("r.json")["sequences"][0]["frames"], 1501);
  spill(workshop.folder() / "short.glb", sliding(9, 9));
  EXPECT_EQ(workshop.run({"check", "short.glb"}).err, "");
}

}  // namespace
}  // namespace testing_support
