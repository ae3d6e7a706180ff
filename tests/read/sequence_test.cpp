// Sequences: patterns, folders, gaps in the numbers; glTF files that move, and hostile ones.
#include "read/sequence.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cmath>

#include "read/files.h"

namespace sightline::test {
namespace {

using read::find_sequence;
using read::Sequence;

class SequenceTest : public ReadTest {
 protected:
  void touch(const std::string& name) { folder_.write(name, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"); }
  std::optional<Sequence> find(const std::string& name, double rate = 25, bool rest = false) {
    return find_sequence(folder_.path() / name, rate, rest);
  }
  std::string error_of(const std::string& name, double rate = 25) {
    try {
      find(name, rate);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static Vec3d vertex(const Mesh& mesh, std::size_t i) { return mesh.view().position(i); }
  static std::string labels(const Sequence& s) {
    std::string text;
    for (const read::SequenceFrame& frame : s.frames)
      text += (text.empty() ? "" : "|") + (frame.error.empty() ? frame.label : "-" + frame.label);
    return text;
  }
};

TEST_F(SequenceTest, PatternsTakeWhatTheyWouldPrint) {
  for (const char* name :
       {"f_0001.off", "f_0002.off", "f_003.off", "f_00004.off", "f_10003.off", "f_x.off", "f_0003.obj", "g_0003.off"})
    touch(name);
  const auto s = find("f_%04d.off");
  ASSERT_TRUE(s);
  EXPECT_EQ(labels(*s), "f_0001.off|f_0002.off|-f_0003.off to f_10002.off (10000 frames)|f_10003.off");
  EXPECT_EQ(s->frames[2].count, 10000u);
  EXPECT_EQ(s->frames[2].path, folder_.path()) << "no file has such a name";
  touch("h9.off");
  touch("h10.off");
  touch("h08.off");
  EXPECT_EQ(labels(*find("h%d.off")), "h9.off|h10.off");
  touch("100%_7.off");
  EXPECT_EQ(labels(*find("100%%_%d.off")), "100%_7.off");
}

TEST_F(SequenceTest, APipeIsNotLookedInto) {
  const auto path = folder_.path() / "x.glb";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error_of("x.glb"), path.string() + ": is not a regular file; a glTF file must be one");
  EXPECT_FALSE(read::moves(path));
  EXPECT_TRUE(read::files_beside(path).empty());
}

TEST_F(SequenceTest, AFileOfThatVeryNameIsAFile) {
  touch("f_%d.off");
  EXPECT_FALSE(find("f_%d.off"));
  EXPECT_FALSE(find("no such file.off"));
}

TEST_F(SequenceTest, MissingFramesAreNamedAndAStepIsNoGap) {
  for (const int i : {0, 10, 20, 40}) touch(fmt::format("s{:02}.off", i));
  const auto s = find("s%02d.off");
  EXPECT_EQ(labels(*s), "s00.off|s10.off|s20.off|-s30.off|s40.off");
  EXPECT_NE(s->frames[3].error.find("s30.off: missing from the sequence"), std::string::npos);
}

TEST_F(SequenceTest, PatternsThatAreNone) {
  EXPECT_NE(error_of("f_%04d.off").find("no file fits this pattern"), std::string::npos);
  EXPECT_NE(error_of("f_%s.off").find("'%s' is no number"), std::string::npos);
  EXPECT_NE(error_of("f_%4d.off").find("is no number"), std::string::npos);
  EXPECT_NE(error_of("f_%04d_%04d.off").find("two numbers"), std::string::npos);
  EXPECT_NE(error_of("f_%").find("is no number"), std::string::npos);
  EXPECT_NE(error_of("none/f_%d.off").find("cannot read the folder"), std::string::npos);
}

TEST_F(SequenceTest, FoldersInNaturalOrder) {
  const std::filesystem::path folder = folder_.path() / "d";
  std::filesystem::create_directory(folder);
  const auto names = [&](std::initializer_list<const char*> files) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) std::filesystem::remove_all(file);
    for (const char* name : files) touch(std::string("d/") + name);
    return labels(*find("d"));
  };
  EXPECT_EQ(names({"b.off", "a10.obj", "a9.stl", "notes.txt", ".hidden.off", "a9.mtl"}), "a9.stl|a10.obj|b.off");
  EXPECT_EQ(names({"w1.off", "w2.off", "w10.off", "w4.off"}),
            "w1.off|w2.off|-w3.off|w4.off|-w5.off|-w6.off|-w7.off|-w8.off|-w9.off|w10.off");
  EXPECT_EQ(names({"w008.off", "w010.off", "w012.off"}), "w008.off|w010.off|w012.off");
  EXPECT_EQ(names({"take1_a.off", "take1_b.off"}), "take1_a.off|take1_b.off");
  // One file that is named otherwise does not hide what is missing among the others, and is reported.
  EXPECT_EQ(names({"w1.off", "w2.off", "ground.off", "w4.off"}), "ground.off|w1.off|w2.off|-w3.off|w4.off");
  const auto odd = find("d");
  EXPECT_EQ(odd->notes,
            std::vector<std::string>{"ground.off is not numbered like the others; it is a frame all the same"});
  EXPECT_EQ(odd->frames[3].error, (folder / "w3.off").string() + ": missing from the sequence");
  EXPECT_EQ(odd->frames[3].path, folder / "w3.off");
  EXPECT_EQ(names({"w1.off", "w3.off"}), "w1.off|w3.off");
  EXPECT_EQ(find("d")->notes,
            std::vector<std::string>{"the numbers are 2 apart; what would lie between them is not taken for missing"});
  // A link that leads nowhere is a frame that cannot be read, not one that is not there.
  names({"w1.off", "w3.off"});
  std::filesystem::create_symlink("nowhere.off", folder / "w2.off");
  EXPECT_EQ(labels(*find("d")), "w1.off|w2.off|w3.off");
  EXPECT_THROW(read_mesh(find("d")->frames[1].path), Error);
  EXPECT_THROW(names({"readme.txt"}), Error);
}

// ---- glTF

/// A triangle, two morph displacements, keys at 0 and 2 s and values for them.
struct Moving {
  std::vector<float> times = {0, 2};
  std::vector<float> values = {0, 0, 0, 4, 0, 0};
  std::string value_type = "VEC3";
  std::size_t value_count = 2;
  std::string path = "translation", interpolation = "LINEAR", node = R"({"mesh":0})", channel_node = "0";
  std::string mesh =
      R"({"name":"m","primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":1},{"POSITION":2}]}]})";
  std::string animations = "";  ///< instead

  std::string json() const {
    const std::string bytes =
        floats({0, 0, 0, 1, 0, 0, 0, 1, 0}) + floats({0, 0, 1, 0, 0, 1, 0, 0, 1}) + floats({0, 5, 0, 0, 5, 0, 0, 5, 0});
    const std::string all = bytes + floats(times) + floats(values);
    std::string hex;
    const std::string moves = fmt::format(
        R"([{{"name":"walk","channels":[{{"sampler":0,"target":{{"node":{},"path":"{}"}}}}],"samplers":[{{"input":3,"output":4,"interpolation":"{}"}}]}}])",
        channel_node, path, interpolation);
    const auto view = [](std::size_t offset, std::size_t size) {
      return fmt::format(R"({{"buffer":0,"byteOffset":{},"byteLength":{}}})", offset, size);
    };
    const auto accessor = [](int view_number, std::size_t count, const std::string& type) {
      return fmt::format(R"({{"bufferView":{},"componentType":5126,"count":{},"type":"{}"}})", view_number, count,
                         type);
    };
    return fmt::format(
        R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{},"uri":"data.bin"}}],"bufferViews":[{},{},{},{},{}],"accessors":[{},{},{},{},{}],)"
        R"("meshes":[{}],"nodes":[{}],"scenes":[{{"nodes":[0]}}],"animations":{}}})",
        all.size(), view(0, 36), view(36, 36), view(72, 36), view(108, 4 * times.size()),
        view(108 + 4 * times.size(), 4 * values.size()), accessor(0, 3, "VEC3"), accessor(1, 3, "VEC3"),
        accessor(2, 3, "VEC3"), accessor(3, times.size(), "SCALAR"), accessor(4, value_count, value_type), mesh, node,
        animations.empty() ? moves : animations);
  }
  std::string data() const {
    return floats({0, 0, 0, 1, 0, 0, 0, 1, 0}) + floats({0, 0, 1, 0, 0, 1, 0, 0, 1}) +
           floats({0, 5, 0, 0, 5, 0, 0, 5, 0}) + floats(times) + floats(values);
  }
};

class GltfMoving : public SequenceTest {
 protected:
  std::optional<Sequence> open(const Moving& moving, double rate = 1, bool rest = false) {
    folder_.write("a.gltf", moving.json());
    folder_.write("data.bin", moving.data());
    return find("a.gltf", rate, rest);
  }
  std::string error(const Moving& moving, double rate = 1) {
    folder_.write("a.gltf", moving.json());
    folder_.write("data.bin", moving.data());
    return error_of("a.gltf", rate);
  }
  static Vec3d first(const Sequence& s, std::size_t frame) {
    return vertex(s.movie->mesh(s.frames[frame].moment), 0);
  }
};

TEST_F(GltfMoving, TranslationLinearAndStep) {
  const auto s = open({});
  ASSERT_TRUE(s);
  EXPECT_EQ(labels(*s), "walk 0.000 s|walk 1.000 s|walk 2.000 s");
  EXPECT_EQ(first(*s, 0), (Vec3d{0, 0, 0}));
  EXPECT_EQ(first(*s, 1), (Vec3d{2, 0, 0}));
  EXPECT_EQ(first(*s, 2), (Vec3d{4, 0, 0}));
  EXPECT_EQ(first(*s, 0), (Vec3d{0, 0, 0})) << "in any order";
  const auto steps = open({.interpolation = "STEP"});
  EXPECT_EQ(first(*steps, 1), (Vec3d{0, 0, 0}));
  EXPECT_EQ(first(*steps, 2), (Vec3d{4, 0, 0}));
  EXPECT_EQ(open({}, 0.4)->frames.size(), 2u) << "the last key is always there";
  EXPECT_FALSE(open({}, 1, true)) << "--rest";
}

TEST_F(GltfMoving, EveryFrameHasALabelOfItsOwn) {
  const auto fast = open({.times = {0, 0.002f}}, 5000);
  EXPECT_EQ(labels(*fast),
            "walk 0.0000 s|walk 0.0002 s|walk 0.0004 s|walk 0.0006 s|walk 0.0008 s|walk 0.0010 s|walk 0.0012 s|walk "
            "0.0014 s|walk 0.0016 s|walk 0.0018 s|walk 0.0020 s");
  const auto end = open({.times = {0, 0.0404f}}, 25);
  EXPECT_EQ(labels(*end), "walk 0.000 s|walk 0.040 s|walk 0.040 s (2)");
  // A name of the file may be what another would become.
  const auto mesh = [](const char* names) {
    return fmt::format(
        R"({{"extras":{{"targetNames":[{}]}},"primitives":[{{"attributes":{{"POSITION":0}},"targets":[{{"POSITION":1}},{{"POSITION":2}},{{"POSITION":1}},{{"POSITION":2}}]}}]}})",
        names);
  };
  EXPECT_EQ(labels(*open({.mesh = mesh(R"n("x","x (2)","x","x")n"), .animations = "[]"})),
            "rest|morph x|morph x (2)|morph x (3)|morph x (4)");
  EXPECT_EQ(labels(*open({.mesh = mesh(R"n("x","x","x (2)","x (2)")n"), .animations = "[]"})),
            "rest|morph x|morph x (2)|morph x (2) (2)|morph x (2) (3)");
}

TEST_F(GltfMoving, AnyNameAndTheFilesBesideIt) {
  const Moving moving;
  folder_.write("model.dat", moving.json());
  folder_.write("data.bin", moving.data());
  EXPECT_TRUE(read::moves(folder_.path() / "model.dat"));
  EXPECT_EQ(find("model.dat", 1)->frames.size(), 3u);
  EXPECT_EQ(read::files_beside(folder_.path() / "model.dat"), std::vector{folder_.path() / "data.bin"});
  touch("plain.off");
  EXPECT_TRUE(read::files_beside(folder_.path() / "plain.off").empty());
}

TEST_F(GltfMoving, CubicSpline) {
  // In-tangent, value, out-tangent; flat at both ends: half way in the middle.
  const auto s = open({.values = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0},
                       .value_count = 6,
                       .interpolation = "CUBICSPLINE"});
  EXPECT_EQ(first(*s, 1), (Vec3d{2, 0, 0}));
  // A speed of 3 at the start adds 2 · 3 / 8.
  const auto fast = open({.values = {0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0},
                          .value_count = 6,
                          .interpolation = "CUBICSPLINE"});
  EXPECT_DOUBLE_EQ(first(*fast, 1)[0], 2.75);
}

TEST_F(GltfMoving, RotationTakesTheShortGreatArc) {
  const float h = std::sqrt(0.5f);
  const auto s = open({.values = {0, 0, 0, 1, 0, 0, -h, -h}, .value_type = "VEC4", .path = "rotation"});
  const Vec3d p = vertex(s->movie->mesh(1), 1);  // (1, 0, 0) by 45 degrees: -q is q, 90 degrees
  EXPECT_NEAR(p[0], std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(p[1], std::sqrt(0.5), 1e-7);
  const auto third = open({.values = {0, 0, 0, 1, 0, 0, h, h}, .value_type = "VEC4", .path = "rotation"}, 1.5);
  const Vec3d q = vertex(third->movie->mesh(1), 1);  // a third of 90 degrees
  EXPECT_NEAR(q[0], std::sqrt(0.75), 1e-7);
  EXPECT_NEAR(q[1], 0.5, 1e-7);
}

TEST_F(GltfMoving, WeightsOfMorphTargets) {
  const auto s = open({.values = {0, 0, 1, 2}, .value_type = "SCALAR", .value_count = 4, .path = "weights"});
  EXPECT_EQ(first(*s, 1), (Vec3d{0, 5, 0.5}));
  EXPECT_EQ(first(*s, 2), (Vec3d{0, 10, 1}));
  // Without animation: the rest pose, and each target by itself.
  const auto still = open(
      {.mesh =
           R"({"name":"m","extras":{"targetNames":["up"]},"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":1},{"POSITION":2}]}]})",
       .animations = "[]"});
  ASSERT_TRUE(still);
  EXPECT_EQ(labels(*still), "rest|morph up|morph 1");
  EXPECT_EQ(first(*still, 0), (Vec3d{0, 0, 0}));
  EXPECT_EQ(first(*still, 1), (Vec3d{0, 0, 1}));
  EXPECT_EQ(first(*still, 2), (Vec3d{0, 5, 0}));
  // The file's own weights count for every reader.
  open(
      {.mesh =
           R"({"weights":[0.5,0],"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":1},{"POSITION":2}]}]})",
       .animations = "[]"});
  EXPECT_EQ(vertex(read_mesh(folder_.path() / "a.gltf"), 0), (Vec3d{0, 0, 0.5}));
}

TEST_F(GltfMoving, AFileThatDoesNotMoveIsAFile) {
  EXPECT_FALSE(open({.mesh = R"({"primitives":[{"attributes":{"POSITION":0}}]})", .animations = "[]"}));
  EXPECT_FALSE(open({.mesh = R"({"primitives":[{"attributes":{"POSITION":0}}]})",
                     .animations = R"([{"channels":[{"sampler":0,"target":{"path":"translation"}}]}])"}));
}

/// An arm of two joints: node 1 at the origin, node 2 one above it. It turns by a right angle about z in one second.
/// The node of the mesh is far away, which does not matter to a skin.
struct Arm {
  std::vector<float> weights = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0, 0.25f, 0.75f, 0, 0};
  std::string joints =
      std::string("\0\1\0\0", 4) + std::string("\0\1\0\0", 4) + std::string("\0\1\0\0", 4) + std::string("\0\1\0\0", 4);
  std::vector<float> binds = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                              1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
  std::string skin = R"({"joints":[1,2],"inverseBindMatrices":3})", scene = "[0,1]",
              mesh_node = R"({"mesh":0,"skin":0,"translation":[100,0,0]})";
  std::string attributes = R"("POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2)";
  std::string more_primitives = {};

  std::string data() const {
    const float h = std::sqrt(0.5f);
    return floats({1, 0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 0}) + joints + floats(weights) + floats(binds) + floats({0, 1}) +
           floats({0, 0, 0, 1, 0, 0, h, h}) + floats({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  }
  std::string json() const {
    std::string views;
    std::size_t at = 0;
    for (const std::size_t size : {std::size_t{48}, joints.size(), 4 * weights.size(), 4 * binds.size(), std::size_t{8},
                                   std::size_t{32}, std::size_t{64}}) {
      views += fmt::format(R"({}{{"buffer":0,"byteOffset":{},"byteLength":{}}})", at == 0 ? "" : ",", at, size);
      at += size;
    }
    const auto accessor = [](int number, int component, std::size_t count, const char* type) {
      return fmt::format(R"({{"bufferView":{},"componentType":{},"count":{},"type":"{}"}})", number, component, count,
                         type);
    };
    return fmt::format(
        R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{},"uri":"data.bin"}}],"bufferViews":[{}],"accessors":[{},{},{},{},{},{},{}],)"
        R"("meshes":[{{"primitives":[{{"attributes":{{{}}},"mode":5}}{}]}}],"skins":[{}],"nodes":[{},{{"children":[2]}},{{"translation":[0,1,0]}}],"scenes":[{{"nodes":{}}}],)"
        R"("animations":[{{"name":"bend","channels":[{{"sampler":0,"target":{{"node":2,"path":"rotation"}}}}],"samplers":[{{"input":4,"output":5}}]}}]}})",
        at, views, accessor(0, 5126, 4, "VEC3"), accessor(1, 5121, joints.size() / 4, "VEC4"),
        accessor(2, 5126, weights.size() / 4, "VEC4"), accessor(3, 5126, binds.size() / 16, "MAT4"),
        accessor(4, 5126, 2, "SCALAR"), accessor(5, 5126, 2, "VEC4"), accessor(6, 5126, 4, "VEC4"), attributes,
        more_primitives, skin, mesh_node, scene);
  }
};

class GltfSkinned : public SequenceTest {
 protected:
  std::optional<Sequence> open(const Arm& arm) {
    folder_.write("a.gltf", arm.json());
    folder_.write("data.bin", arm.data());
    return find("a.gltf", 1);
  }
  std::string error(const Arm& arm) {
    try {
      open(arm)->movie->mesh(0);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static void expect(const Mesh& mesh, const std::vector<Vec3d>& points) {
    ASSERT_EQ(mesh.view().positions.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(mesh.view().position(i)[axis], points[i][axis], 1e-7) << "vertex " << i << ", axis " << axis;
  }
};

TEST_F(GltfSkinned, VerticesFollowTheirJoints) {
  const auto s = open({});
  ASSERT_EQ(s->frames.size(), 2u);
  EXPECT_TRUE(s->notes.empty());
  expect(s->movie->mesh(0), {{1, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 2, 0}});
  expect(s->movie->mesh(1), {{1, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {-0.75, 1.25, 0}});
  expect(read_mesh(folder_.path() / "a.gltf"), {{1, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 2, 0}});  // also as a plain file
  // Weights count by their share.
  expect(open({.weights = {2, 0, 0, 0, 1, 1, 0, 0, 0, 3, 0, 0, 0.5f, 1.5f, 0, 0}})->movie->mesh(1),
         {{1, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {-0.75, 1.25, 0}});
  // Without matrices the joints' own places count twice; without joints, the node's.
  expect(open({.skin = R"({"joints":[1,2]})"})->movie->mesh(0), {{1, 0, 0}, {0, 1.5, 0}, {0, 3, 0}, {0, 2.75, 0}});
  expect(open({.attributes = R"("POSITION":0)"})->movie->mesh(1), {{101, 0, 0}, {100, 1, 0}, {100, 2, 0}, {100, 2, 0}});
  // A second set of joints: as much again of the same.
  expect(open({.attributes = R"("POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,"JOINTS_1":1,"WEIGHTS_1":2)"})->movie->mesh(1),
         {{1, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {-0.75, 1.25, 0}});
  // Primitives of which only the second set differs do not share vertices: accessor 6 has other weights.
  Arm two;
  two.attributes = R"("POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,"JOINTS_1":1,"WEIGHTS_1":2)";
  two.more_primitives =
      R"(,{"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,"JOINTS_1":1,"WEIGHTS_1":6},"mode":5})";
  const Mesh both = open(two)->movie->mesh(1);
  ASSERT_EQ(both.view().positions.size(), 8u);
  EXPECT_NEAR(both.view().position(7)[0], -0.375, 1e-7);  // 0.75 of a weight of 2 follows joint 2
}

TEST_F(GltfSkinned, WhatIsWrongIsNamed) {
  const auto has = [&](const Arm& arm, const char* words) {
    EXPECT_NE(error(arm).find(words), std::string::npos) << error(arm);
  };
  has({.weights = std::vector<float>(16)}, "WEIGHTS_0: vertex 0 follows no joint");
  has({.weights = {-1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}}, "vertex 0 has the weight -1");
  has({.weights = {1, 0, 0, 0}}, "WEIGHTS_0: is for 1 vertices; there are 4");
  has({.joints = std::string(20, 0)}, "JOINTS_0: is for 5 vertices; there are 4");
  has({.joints = std::string(4, 7) + std::string(12, 0)}, "JOINTS_0: vertex 0 follows joint 7; there are 2");
  has({.binds = std::vector<float>(16, 0)}, "has 1 matrices for 2 joints");
  has({.binds = std::vector<float>(32, 0)}, "the matrix of joint 0 is not affine");
  has({.skin = R"({"joints":[1,9],"inverseBindMatrices":3})"}, "skins[0].joints[1]: node 9 is not in the scene");
  has({.scene = "[0]"}, "skins[0].joints[0]: node 1 is not in the scene");
  has({.mesh_node = R"({"mesh":0,"skin":4})"}, "nodes[0].skin: 4 is out of range");
  has({.attributes = R"("POSITION":0,"JOINTS_0":1)"},
      "meshes[0].primitives[0].attributes: \"JOINTS_0\" without \"WEIGHTS_0\"");
  has({.attributes = R"("POSITION":0,"WEIGHTS_0":2)"},
      "meshes[0].primitives[0].attributes: \"WEIGHTS_0\" without \"JOINTS_0\"");
  has({.attributes = R"("POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,"JOINTS_1":1)"},
      "meshes[0].primitives[0].attributes: \"JOINTS_1\" without \"WEIGHTS_1\"");
  has({.attributes = R"("POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2,"JOINTS_2":1,"WEIGHTS_2":2)"},
      "meshes[0].primitives[0].attributes: \"JOINTS_2\" without \"JOINTS_1\"");
}

TEST_F(GltfMoving, HostileAnimations) {
  const auto has = [&](const Moving& moving, const char* words, double rate = 1) {
    const std::string text = error(moving, rate);
    EXPECT_NE(text.find("a.gltf"), std::string::npos) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  has({.path = "colour"}, "is not translation, rotation, scale or weights");
  has({.interpolation = "MAGIC"}, "is not LINEAR, STEP or CUBICSPLINE");
  has({.channel_node = "7"}, "7");
  has({.channel_node = "-1"}, "-1");
  has({.times = {2, 1}}, "not after the key before it");
  has({.times = {-1, 1}}, "before 0");
  has({.times = {0, NAN}}, "not a finite number");
  has({.values = {0, 0, 0, INFINITY, 0, 0}}, "not a finite number");
  has({.values = {0, 0, 0}, .value_count = 1}, "has 3 numbers; 2 keys need 6");
  has({.value_count = 900}, "reach past");
  has({.interpolation = "CUBICSPLINE"}, "need 18");
  has({.path = "rotation"}, "\"VEC3\" where \"VEC4\" is needed");
  has({.node = R"({"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]})"}, "has a matrix");
  has({.path = "weights", .mesh = R"({"primitives":[{"attributes":{"POSITION":0}}]})"}, "no morph targets");
  has({.times = {0, 1e30f}}, "more than 100000; use a lower frame rate");
  has({.times = {0, 5000}}, "more than 100000", 1000);
  has({.animations = R"([{"channels":[{"target":{"node":0,"path":"scale"}}]}])"}, "has no sampler");
  has({.animations = R"([{"channels":[{"sampler":3,"target":{"node":0,"path":"scale"}}],"samplers":[]}])"},
      "out of range");
  has({.animations = R"([{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}],"samplers":[{}]}])"},
      "has no input or no output");
  // These show when the frame is read.
  const auto frame = [&](const Moving& moving, std::size_t i) {
    const auto s = open(moving);
    try {
      s->movie->mesh(i);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(frame({.mesh = R"({"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":3}]}]})",
                   .animations = "[]"},
                  1),
            "");
  EXPECT_NE(frame({.mesh = R"({"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":99}]}]})",
                   .animations = "[]"},
                  1)
                .find("99"),
            std::string::npos);
  EXPECT_NE(
      frame(
          {.mesh =
               R"({"weights":[1],"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":1},{"POSITION":2}]}]})",
           .animations = "[]"},
          0)
          .find("2 targets, but 1 weights"),
      std::string::npos);
}

}  // namespace
}  // namespace sightline::test
