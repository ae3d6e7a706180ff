// Output files, as the tool leaves them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "sightline/sightline.h"
#include "tool/program.h"
#include "sightline/io.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

TEST(ToolFiles, AllAtOnce) {
  Workshop workshop;
  workshop.save("assembly.obj", sightline::scenes::demo_assembly());
  const Result result = workshop.run(
      {"clash", "assembly.obj", "--json", "r.json", "--csv", "r.csv", "--ply", "r.ply", "--obj", "r.obj", "--quiet"});
  EXPECT_EQ(result.status, 1) << result.err;
  for (const char* name :
       {"r.json", "r.csv", "r_parts.csv", "r_pairs.csv", "r.ply", "r_segments.ply", "r.obj", "r_segments.obj", "r.mtl"})
    EXPECT_TRUE(workshop.has(name)) << name;
  EXPECT_EQ(workshop.folder().files(), 10u);
  const sightline::Assembly before = sightline::read_assembly(workshop.folder() / "assembly.obj");
  const sightline::Assembly after = sightline::read_assembly(workshop.folder() / "r.obj");
  ASSERT_EQ(after.parts.size(), before.parts.size());
  for (std::size_t i = 0; i < before.parts.size(); ++i) EXPECT_EQ(after.name(i), before.name(i));
  EXPECT_EQ(sightline::clashes(after).pairs, sightline::clashes(before).pairs);
  EXPECT_EQ(sightline::read_mesh(workshop.folder() / "r.ply").triangles.size(),
            sightline::read_mesh(workshop.folder() / "assembly.obj").triangles.size());
}

TEST(ToolFiles, SeveralMeshesInOnePicture) {
  Workshop workshop;
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const Result result = workshop.run({"check", "a.stl", "missing.stl", "tube.stl", "--obj", "r.obj", "--csv", "r.csv"});
  EXPECT_EQ(result.status, 2);
  const sightline::Assembly parts = sightline::read_assembly(workshop.folder() / "r.obj");
  ASSERT_GE(parts.parts.size(), 2u);
  EXPECT_EQ(parts.name(parts.parts.size() - 1), "tube");
  EXPECT_THAT(workshop.text("r.obj"), HasSubstr("usemtl crossing"));
  EXPECT_THAT(workshop.text("r.csv"), HasSubstr("\n2,2,tube,tube,"));
}

TEST(ToolFiles, OldFileStaysAfterAnError) {
  Workshop workshop;
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  spill(workshop.folder() / "r.json", "old");
  EXPECT_EQ(workshop.run({"clash", "a.stl", "missing.stl", "--json", "r.json"}).status, 2);
  EXPECT_EQ(workshop.text("r.json"), "old");
  EXPECT_EQ(workshop.folder().files(), 2u);
}

TEST(ToolFiles, JsonToStandardOutput) {
  Workshop workshop;
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  const Result result = workshop.run({"clash", "a.stl", "--self", "--json", "-"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(nlohmann::json::parse(result.out)["schema"], "sightline.report/1");
}

TEST(ToolFiles, EverySceneCanBeGenerated) {
  Workshop workshop;
  for (const char* scene : {"tube", "assembly", "cloth", "bodies", "sphere", "soup"}) {
    const Result made = workshop.run({"generate", scene, std::string(scene) + ".ply", "--triangles", "500"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_LE(workshop.run({"check", "-q", std::string(scene) + ".ply"}).status, std::string(scene) == "sphere" ? 0 : 1)
        << scene;
  }
}

TEST(ToolFiles, FramesOfMovingScenesCanBeGenerated) {
  Workshop workshop;
  const Result first = workshop.run({"generate", "two-tori", "a.obj", "--triangles", "400"});
  const Result later = workshop.run({"generate", "two-tori", "b.obj", "--triangles", "400", "--frame", "80"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(later.status, 0) << later.err;
  EXPECT_EQ(workshop.run({"clash", "-q", "a.obj"}).status, 0);
  EXPECT_EQ(workshop.run({"clash", "-q", "b.obj"}).status, 1);
}

}  // namespace
}  // namespace testing_support
