// `check --memory` and `clash --memory`: the bytes of `check` and `clash`, but for the statistics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <regex>

#include "scenes/scenes.h"
#include "sightline/io.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

/// A report without times and the numbers of candidates.
std::string without_stats(const std::string& json) {
  static const std::regex stats("\"stats\": \\{[^\\[]*\\[[^\\]]*\\]\\}");
  return std::regex_replace(json, stats, "");
}

class ToolHuge : public ::testing::Test {
 protected:
  /// The same files with and without --memory.
  void expect_same(const std::vector<std::string>& files, const std::vector<std::string>& more = {},
                   const std::string& command = "check", const std::string& memory = "16M") {
    std::vector<std::string> in_core = {command, "--json", "a.json", "--csv", "a.csv"};
    in_core.insert(in_core.end(), more.begin(), more.end());
    in_core.insert(in_core.end(), files.begin(), files.end());
    std::vector<std::string> out_of_core = in_core;
    out_of_core[2] = "b.json", out_of_core[4] = "b.csv";
    out_of_core.insert(out_of_core.end(), {"--memory", memory, "--scratch", "scratch"});
    std::filesystem::create_directory(workshop.folder() / "scratch");
    const Result expected = workshop.run(in_core), actual = workshop.run(out_of_core);
    EXPECT_EQ(actual.status, expected.status);
    EXPECT_EQ(actual.err, expected.err);
    EXPECT_TRUE(without_stats(workshop.text("a.json")) == without_stats(workshop.text("b.json")));
    EXPECT_GT(without_stats(workshop.text("b.json")).size(), 100u);
    EXPECT_TRUE(workshop.text("a.csv") == workshop.text("b.csv"));
    EXPECT_TRUE(workshop.text("a_parts.csv") == workshop.text("b_parts.csv"));
    EXPECT_EQ(workshop.has("a_pairs.csv"), workshop.has("b_pairs.csv"));
    if (workshop.has("a_pairs.csv")) {
      EXPECT_TRUE(workshop.text("a_pairs.csv") == workshop.text("b_pairs.csv"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(workshop.folder() / "scratch"));
  }
  Workshop workshop;
};

TEST_F(ToolHuge, SameBytesForManyScenes) {
  namespace scenes = sightline::scenes;
  std::vector<std::string> files;
  const auto add = [&](const std::string& name, const sightline::Mesh& mesh) {
    workshop.save(name, mesh);
    files.push_back(name);
  };
  add("cloth.ply", scenes::crumpled_cloth(100'000));  // several leaves
  add("tube.stl", scenes::self_intersecting_tube(4000));
  add("tube.obj", scenes::self_intersecting_tube(4000));
  add("sphere.ply", scenes::sphere(320));
  add("lattice.ply", scenes::lattice_soup(2000, 1, true));
  add("flat.obj", scenes::flat_bodies(2000, scenes::FlatCoordinates::rounded, true));
  add("needles.stl", scenes::needle_soup(2000));
  expect_same(files);
  expect_same({"cloth.ply"}, {"--max-contacts", "7", "--threads", "3"});
  expect_same({"cloth.ply"}, {"--max-contacts", "0"});
}

TEST_F(ToolHuge, ErrorsAreThoseOfCheck) {
  spill(workshop.folder() / "bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 1 x 0\n");
  spill(workshop.folder() / "empty.stl", "");
  workshop.save("sphere.ply", sightline::scenes::sphere(320));
  expect_same({"bad.obj", "sphere.ply", "empty.stl", "missing.ply"});
}

TEST_F(ToolHuge, Summary) {
  workshop.save("cloth.ply", sightline::scenes::crumpled_cloth(100'000));
  const Result plain = workshop.run({"check", "cloth.ply"}),
               huge = workshop.run({"check", "cloth.ply", "--memory", "16M"});
  EXPECT_EQ(huge.status, 1);
  const auto upto_time = [](const std::string& text) { return text.substr(0, text.find("  time")); };
  std::string lines = upto_time(huge.out);
  const std::size_t disk = lines.find("  disk");
  ASSERT_NE(disk, std::string::npos);
  EXPECT_THAT(lines.substr(disk),
              ::testing::MatchesRegex("  disk +[0-9]+ leaves with [0-9,]+ triangles in all, .* MiB of scratch\n"));
  EXPECT_EQ(lines.substr(0, disk), upto_time(plain.out));
}

/// With each of these options and --memory, the command is refused for it and writes nothing.
void expect_refused(Workshop& workshop, const char* command, const char* file,
                    const std::vector<std::vector<std::string>>& refused) {
  for (const std::vector<std::string>& option : refused) {
    std::vector<std::string> arguments = {command, "--memory", "1G", file};
    arguments.insert(arguments.end(), option.begin(), option.end());
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2) << option[0];
    EXPECT_THAT(result.err, HasSubstr("--memory: ")) << option[0];
    EXPECT_EQ(workshop.folder().files(), 1u) << option[0];
  }
}

TEST_F(ToolHuge, OptionsThatNeedTheMeshInMemoryAreRefused) {
  workshop.save("sphere.ply", sightline::scenes::sphere(320));
  const std::vector<std::vector<std::string>> refused = {{"--volume"},
                                                         {"--details"},
                                                         {"--image", "a.png"},
                                                         {"--report", "a.html"},
                                                         {"--ply", "a.ply"},
                                                         {"--obj", "a.obj"},
                                                         {"--first"},
                                                         {"--ignore", "list.csv"},
                                                         {"--baseline", "old.json"},
                                                         {"--format", "junit"},
                                                         {"--format", "github"},
                                                         {"--device", "gl"},
                                                         {"--method", "cullide"}};
  expect_refused(workshop, "check", "sphere.ply", refused);
  EXPECT_THAT(workshop.run({"check", "--scratch", "/tmp", "sphere.ply"}).err, HasSubstr("--memory"));
  EXPECT_THAT(workshop.run({"check", "--memory", "15M", "sphere.ply"}).err, HasSubstr("at least 16M are needed"));
  EXPECT_THAT(workshop.run({"check", "--memory", "4Q", "sphere.ply"}).err,
              HasSubstr("'4Q' is not a size such as 512M or 2G"));
  EXPECT_THAT(workshop.run({"check", "--memory", "4G", "."}).err,
              HasSubstr("is a sequence; only files can be read in pieces"));
}

TEST_F(ToolHuge, SameBytesForPartsOfManyFiles) {
  namespace scenes = sightline::scenes;
  workshop.save("building.obj", scenes::building(40, 200));  // instances are parts of their own in an OBJ file
  workshop.save("demo.obj", scenes::demo_assembly());
  workshop.save("tube.stl", scenes::self_intersecting_tube(3000));
  workshop.save("cloth.ply", scenes::crumpled_cloth(60'000));  // the list has several leaves
  const std::vector<std::string> files = {"building.obj", "tube.stl", "demo.obj", "tube.stl", "cloth.ply"};
  expect_same(files, {}, "clash");
  expect_same(files, {"--clearance", "0.1", "--self", "--threads", "3"}, "clash");
  expect_same(files, {"--self", "--max-contacts", "7"}, "clash");
  expect_same({"demo.obj", "tube.stl"}, {"--depth", "--volume", "--separation"}, "clash");
  expect_same({"building.obj", "tube.stl", "demo.obj"}, {"--tolerance", "0.05", "--clearance", "0.2"}, "clash");
  expect_same({"cloth.ply"}, {"--self"}, "clash");
  std::filesystem::remove(workshop.folder() / "a_pairs.csv");
  std::filesystem::remove(workshop.folder() / "b_pairs.csv");
  expect_same(files, {"--pairs", "--clearance", "0.1"}, "clash");
  expect_same({"demo.obj"}, {"--pairs", "--ignore", "*pin*,*plate*"}, "clash");
}

TEST_F(ToolHuge, SameBytesForInstances) {
  spill(workshop.folder() / "two.gltf", R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2]}],
"nodes":[{"mesh":0,"name":"a"},{"mesh":0,"name":"b","translation":[0.25,0.1,0]},{"mesh":0,"name":"c","scale":[3,2,1.1]}],
"meshes":[{"name":"m","primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})");
  workshop.save("demo.obj", sightline::scenes::demo_assembly());
  expect_same({"two.gltf", "demo.obj"}, {"--self"}, "clash");
  EXPECT_THAT(workshop.text("b.json"), HasSubstr("\"kind\":\"coplanar\""));
}

TEST_F(ToolHuge, ErrorsAreThoseOfClash) {
  spill(workshop.folder() / "bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 1 x 0\n");
  workshop.save("sphere.ply", sightline::scenes::sphere(320));
  for (const std::vector<std::string>& files :
       {std::vector<std::string>{"sphere.ply", "bad.obj"}, {"sphere.ply", "missing.ply"}, {"sphere.ply"}, {"."}}) {
    std::vector<std::string> arguments = {"clash", "--json", "a.json"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Result plain = workshop.run(arguments);
    arguments.insert(arguments.end(), {"--memory", "16M", "--scratch", "."});
    const Result huge = workshop.run(arguments);
    EXPECT_EQ(plain.status, 2);
    EXPECT_EQ(huge.status, 2);
    EXPECT_EQ(huge.err, plain.err);
    EXPECT_EQ(workshop.folder().files(), 2u);
  }
}

TEST_F(ToolHuge, SummaryOfClash) {
  workshop.save("demo.obj", sightline::scenes::demo_assembly());
  const auto upto_time = [](const std::string& text) { return text.substr(0, text.find("  time")); };
  const Result plain = workshop.run({"clash", "demo.obj", "--self"}),
               huge = workshop.run({"clash", "demo.obj", "--self", "--memory", "16M"});
  std::string lines = upto_time(huge.out);
  const std::size_t disk = lines.find("  disk");
  ASSERT_NE(disk, std::string::npos);
  EXPECT_THAT(lines.substr(disk),
              ::testing::MatchesRegex("  disk +1 leaf with [0-9,]+ triangles in all, .* MiB of scratch\n"));
  EXPECT_EQ(lines.substr(0, disk), upto_time(plain.out));
}

TEST_F(ToolHuge, WhatNeedsAllPartsInMemoryIsRefused) {
  workshop.save("demo.obj", sightline::scenes::demo_assembly());
  const std::vector<std::vector<std::string>> refused = {
      {"--image", "a.png"},     {"--report", "a.html"},     {"--ply", "a.ply"},
      {"--obj", "a.obj"},       {"--bcf", "a.bcf"},         {"--first"},
      {"--ignore", "list.csv"}, {"--baseline", "old.json"}, {"--format", "junit"},
      {"--device", "gl"},       {"--method", "cullide"}};
  expect_refused(workshop, "clash", "demo.obj", refused);
  EXPECT_THAT(workshop.run({"clash", "--scratch", "/tmp", "demo.obj"}).err, HasSubstr("--memory"));
  EXPECT_THAT(workshop.run({"clash", "--memory", "15M", "demo.obj"}).err, HasSubstr("at least 16M are needed"));
  EXPECT_THAT(workshop.run({"clash", "--pairs", "--memory", "15M", "demo.obj"}).err,
              HasSubstr("at least 16M are needed"));
  workshop.save("frame_0001.obj", sightline::scenes::demo_assembly());
  EXPECT_THAT(workshop.run({"clash", "--memory", "16M", "frame_%04d.obj"}).err,
              HasSubstr("is a sequence; with --memory clash takes files that rest"));
}

TEST_F(ToolHuge, AFileOrAPairThatDoesNotFitIsAnError) {
  workshop.save("large.stl", sightline::scenes::crumpled_cloth(360'000));
  workshop.save("one.ply", sightline::scenes::sphere(80'000));
  workshop.save("two.ply", sightline::scenes::sphere(80'000, {0, 0, 0}, 0.9));
  EXPECT_THAT(workshop.run({"clash", "one.ply", "large.stl", "--memory", "16M"}).err,
              ::testing::MatchesRegex("sightline: large.stl: [0-9,]+ bytes; clash reads a file as a whole, which takes "
                                      "about 18 MiB of memory, and the limit is 16 MiB\n"));
  EXPECT_THAT(workshop.run({"clash", "one.ply", "large.stl", "--memory", "20M"}).err,
              ::testing::MatchesRegex("sightline: large.stl: [0-9,]+ triangles; clash reads a file as a whole, which "
                                      "takes about [0-9]+ MiB of memory, and the limit is 20 MiB\n"));
  EXPECT_THAT(workshop.run({"clash", "one.ply", "two.ply", "--memory", "16M"}).err,
              ::testing::MatchesRegex("sightline: one and two: the relation of two parts with [0-9]+ triangles needs "
                                      "about [0-9]+ MiB of memory, and the limit is 14 MiB\n"));
  expect_same({"one.ply", "two.ply"}, {}, "clash", "64M");
}

TEST_F(ToolHuge, TheGpuIsTheSameOrAnError) {
  workshop.save("sphere.ply", sightline::scenes::sphere(320));
  const Result plain = workshop.run({"check", "sphere.ply", "--device", "cuda"}),
               huge = workshop.run({"check", "sphere.ply", "--device", "cuda", "--memory", "16M"});
  EXPECT_EQ(huge.status, plain.status);
  EXPECT_EQ(huge.err, plain.err);
  if (plain.status != 2) {
    EXPECT_THAT(huge.out, HasSubstr("cuda"));
  }
}

TEST_F(ToolHuge, AFullDiskIsTheErrorOfItsMesh) {
  workshop.save("cloth.ply", sightline::scenes::crumpled_cloth(300'000));
  workshop.save("sphere.ply", sightline::scenes::sphere(320));
  std::filesystem::create_directory(workshop.folder() / "scratch");
  // A limit on the size of files takes the place of the end of a disk.
  const rlimit small{1'000'000, RLIM_INFINITY}, large{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result result = workshop.run({"check", "cloth.ply", "sphere.ply", "--memory", "16M", "--scratch", "scratch",
                                      "--json", "out.json", "--csv", "out.csv"});
  ::setrlimit(RLIMIT_FSIZE, &large);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, ::testing::StartsWith("sightline: scratch: cannot write scratch data: File too large; "));
  EXPECT_THAT(result.out, HasSubstr("1 not checked"));
  EXPECT_THAT(workshop.text("out.json"),
              HasSubstr("\"error\": \"scratch: cannot write scratch data: File too large; "));
  EXPECT_THAT(workshop.text("out_parts.csv"), HasSubstr("\n0,cloth,cloth.ply,0,"));
  EXPECT_TRUE(std::filesystem::is_empty(workshop.folder() / "scratch"));
}

TEST_F(ToolHuge, AFullDiskEndsClash) {
  workshop.save("cloth.ply", sightline::scenes::crumpled_cloth(100'000));
  std::filesystem::create_directory(workshop.folder() / "scratch");
  // The parts themselves, and the triangles in leaves, are too large for the disk.
  for (const rlim_t bytes : {rlim_t{1'000'000}, rlim_t{2'500'000}}) {
    const rlimit small{bytes, RLIM_INFINITY}, large{RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Result result = workshop.run({"clash", "cloth.ply", "--self", "--memory", "16M", "--scratch", "scratch",
                                        "--json", "out.json", "--csv", "out.csv"});
    ::setrlimit(RLIMIT_FSIZE, &large);
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, ::testing::StartsWith("sightline: scratch: cannot write scratch data: File too large; "));
    EXPECT_TRUE(std::filesystem::is_empty(workshop.folder() / "scratch"));
    EXPECT_EQ(workshop.folder().files(), 2u) << "the mesh and the folder";
  }
}

TEST_F(ToolHuge, AnInterruptLeavesNothing) {
  workshop.save_long_work("long.ply");
  std::filesystem::create_directory(workshop.folder() / "scratch");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check"}, {"clash", "--self"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"long.ply", "--memory", "1G", "--scratch", "scratch", "--json", "out.json"});
    Program program(workshop.folder().path(), arguments);
    ::usleep(500'000);
    program.signal(SIGINT);
    const Result result = program.finish();
    EXPECT_EQ(result.status, 128 + SIGINT);
    EXPECT_THAT(result.err, HasSubstr("sightline: interrupted"));
    EXPECT_TRUE(std::filesystem::is_empty(workshop.folder() / "scratch"));
    EXPECT_EQ(workshop.folder().files(), 2u) << "the mesh and the folder";
  }
}

TEST_F(ToolHuge, AKillLeavesNoScratchFile) {
  workshop.save_long_work("long.ply");
  std::filesystem::create_directory(workshop.folder() / "scratch");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check"}, {"clash", "--self"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"long.ply", "--memory", "1G", "--scratch", "scratch"});
    Program program(workshop.folder().path(), arguments);
    ::usleep(500'000);
    program.signal(SIGKILL);
    EXPECT_EQ(program.finish().status, -SIGKILL);
    EXPECT_TRUE(std::filesystem::is_empty(workshop.folder() / "scratch"));
  }
}

}  // namespace
}  // namespace testing_support
