// Extensions of glTF that show, hide and repeat parts, and those that cannot change a triangle.
#include <fmt/format.h>

#include "read/files.h"

namespace sightline::test {
namespace {

class GltfExtensions : public ReadTest {
 protected:
  Assembly assembly(const std::string& json, const std::string& binary, ReadOptions options = {}) {
    warnings.clear();
    options.warning = [this](const std::string& text) { warnings.push_back(text.substr(text.rfind('/') + 1)); };
    return read_assembly(folder_.write("a.glb", glb(json, binary)), options);
  }
  static std::vector<std::string> names(const Assembly& assembly) {
    std::vector<std::string> list;
    for (const Assembly::Part& part : assembly.parts) list.push_back(part.name);
    return list;
  }
  std::vector<std::string> warnings;
};

using Names = std::vector<std::string>;

/// One triangle; `instances` floats follow it, as accessor 1 and further ones.
const std::string kCorner = floats({0, 0, 0, 1, 0, 0, 0, 1, 0});

std::string document(const std::string& nodes, const std::string& more, std::size_t bytes, const std::string& views = "",
                     const std::string& accessors = "") {
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{}}}],"bufferViews":[{{"buffer":0,"byteLength":36}}{}],)"
      R"("accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}{}],)"
      R"("meshes":[{{"name":"m","primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"nodes":[{}]{}}})",
      bytes, views, accessors, nodes, more);
}

TEST_F(GltfExtensions, InstancesArePartsThatShareAMesh) {
  const std::string binary = kCorner + floats({0, 0, 0, 10, 0, 0, 20, 0, 0}) +       // translations
                             floats({0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 0, 0, 0, 2}) +  // rotations; the last has length 2
                             floats({1, 1, 1, 2, 2, 2, 1, 3, 1});                     // scales
  const std::string json = document(
      R"({"name":"bolt","mesh":0,"translation":[0,0,5],"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1,"ROTATION":2,"SCALE":3}}}})",
      R"(,"extensionsRequired":["EXT_mesh_gpu_instancing"])", binary.size(),
      R"(,{"buffer":0,"byteOffset":36,"byteLength":36},{"buffer":0,"byteOffset":72,"byteLength":48},{"buffer":0,"byteOffset":120,"byteLength":36})",
      R"(,{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":2,"componentType":5126,"count":3,"type":"VEC4"},{"bufferView":3,"componentType":5126,"count":3,"type":"VEC3"})");
  const Assembly all = assembly(json, binary);
  EXPECT_EQ(names(all), (Names{"bolt", "bolt", "bolt"}));
  EXPECT_EQ(all.meshes.size(), 1u);
  EXPECT_EQ(all.view(0).position(1), (Vec3d{1, 0, 5}));
  const Vec3d turned = all.view(1).position(1);  // scaled by 2, turned by a quarter about z
  EXPECT_NEAR(turned[0], 10, 1e-6);
  EXPECT_NEAR(turned[1], 2, 1e-6);
  EXPECT_EQ(turned[2], 5);
  EXPECT_EQ(all.view(2).position(2), (Vec3d{20, 3, 5}));
  EXPECT_EQ(read_mesh(folder_.path() / "a.glb").triangles.size(), 3u);
}

TEST_F(GltfExtensions, InstancesThatDoNotFit) {
  const std::string binary = kCorner + floats({0, 0, 0, 10, 0, 0});
  const auto file = [&](const std::string& attributes, const std::string& more = "") {
    return glb(document(fmt::format(R"({{"mesh":0{},"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{{}}}}}}}}})", more, attributes), "",
                        binary.size(), R"(,{"buffer":0,"byteOffset":36,"byteLength":24},{"buffer":0,"byteOffset":36,"byteLength":12})",
                        R"(,{"bufferView":1,"componentType":5126,"count":2,"type":"VEC3"},{"bufferView":2,"componentType":5126,"count":1,"type":"VEC3"})"),
               binary);
  };
  EXPECT_EQ(error("a.glb", file(R"("TRANSLATION":1,"SCALE":2)")),
            "a.glb: nodes[0].extensions.EXT_mesh_gpu_instancing.attributes.SCALE: has 1 instances; another attribute has 2");
  EXPECT_EQ(error("a.glb", file("")), "a.glb: nodes[0].extensions.EXT_mesh_gpu_instancing.attributes: has no TRANSLATION, ROTATION or SCALE");
  EXPECT_EQ(error("a.glb", file(R"("TRANSLATION":1)", R"(,"skin":0)")),
            "a.glb: nodes[0]: has a skin and EXT_mesh_gpu_instancing, which exclude each other");
}

TEST_F(GltfExtensions, HiddenNodesAndAllBelowThemAreLeftOut) {
  const std::string hidden = R"("extensions":{"KHR_node_visibility":{"visible":false}})";
  const std::string json = document(
      R"({"name":"a","mesh":0,"children":[1]},{"name":"b","mesh":0,)" + hidden + R"(,"children":[2]},{"name":"c","mesh":0},)" +
          R"({"name":"d","mesh":0,"extensions":{"KHR_node_visibility":{"visible":true}}},{"name":"e","mesh":0,"extensions":{"KHR_node_visibility":{}}})",
      R"(,"extensionsRequired":["KHR_node_visibility"])", kCorner.size());
  EXPECT_EQ(names(assembly(json, kCorner)), (Names{"a", "d", "e"}));
  EXPECT_EQ(warnings, (Names{"a.glb: 2 nodes with a mesh are hidden (KHR_node_visibility) and left out"}));
  EXPECT_EQ(error("b.glb", glb(document(R"({"mesh":0,)" + hidden + "}", "", kCorner.size()), kCorner)), "b.glb: the file has no triangles");
  EXPECT_EQ(error("b.glb", glb(document(R"({"mesh":0,"extensions":{"KHR_node_visibility":{"visible":1}}})", "", kCorner.size()), kCorner)),
            "b.glb: nodes[0].extensions.KHR_node_visibility.visible: is not true or false");
}

TEST_F(GltfExtensions, RequiredOnesInMaterialsAloneAreIgnored) {
  const auto with = [&](const std::string& node, const std::string& more) {
    return glb(document(R"({"mesh":0)" + node + "}", R"(,"extensionsRequired":["ACME_glitter"])" + more, kCorner.size()), kCorner);
  };
  const std::string material = R"(,"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0,"extensions":{"ACME_glitter":{"deep":[{"x":1}]}}}}}])";
  EXPECT_EQ(mesh("a.glb", with("", material)).triangles.size(), 1u);
  EXPECT_EQ(mesh("a.glb", with("", R"(,"textures":[{"extensions":{"ACME_glitter":{}}}])")).triangles.size(), 1u);
  const std::string refused = "a.glb: extensionsRequired[0]: the extension \"ACME_glitter\" is not supported";
  EXPECT_EQ(error("a.glb", with("", "")), refused) << "it may change the meaning of all";
  EXPECT_EQ(error("a.glb", with(R"(,"extensions":{"ACME_glitter":{}})", material)), refused) << "in a node, too";
  EXPECT_EQ(error("a.glb", with("", material + R"(,"extensions":{"ACME_glitter":{}})")), refused) << "of the whole document, too";
}

TEST_F(GltfExtensions, APartForEachPrimitive) {
  const std::string binary = kCorner + floats({0, 0, 5, 1, 0, 5, 0, 1, 5});
  const std::string json =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":72}],"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":36}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"}],)"
      R"("materials":[{"name":"steel"},{}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0},{"attributes":{"POSITION":1},"material":1},{"attributes":{"POSITION":0}}]},{"primitives":[{"attributes":{"POSITION":0}}]}],)"
      R"("nodes":[{"name":"frame","mesh":0},{"mesh":0,"translation":[9,0,0]},{"name":"one","mesh":1}]})";
  EXPECT_EQ(names(assembly(json, binary)), (Names{"frame", "a#1", "one"}));
  const Assembly each = assembly(json, binary, {.part_per_primitive = true});
  EXPECT_EQ(names(each), (Names{"frame/steel 0", "frame/primitive 1", "frame/primitive 2", "steel 0", "primitive 1", "primitive 2", "one"}));
  EXPECT_EQ(each.meshes.size(), 4u) << "nodes share the meshes";
  EXPECT_EQ(each.view(4).position(1), (Vec3d{10, 0, 5}));
}

}  // namespace
}  // namespace sightline::test
