#include <fmt/format.h>

#include "read/files.h"
#include "read/read_memory.h"

namespace sightline::test {
namespace {

using Gltf = ReadTest;

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// Four corners of a square and the indices 0 1 2 0 2 3.
const std::string kPositions = floats({0.1f, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
std::string shorts(const std::vector<int>& values) {
  std::string out;
  for (const int value : values) out += little(static_cast<std::uint16_t>(value));
  return out;
}
const std::string kIndices = shorts({0, 1, 2, 0, 2, 3});

struct Document {
  std::string bytes = kPositions + kIndices;
  std::string buffer = "";  ///< instead of the bytes as a data URI
  std::string views = R"({"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12})";
  std::string accessors = R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"})";
  std::string primitives = R"({"attributes":{"POSITION":0},"indices":1})";
  std::string nodes = R"({"mesh":0})";
  std::string more = R"("scenes":[{"nodes":[0]}],"scene":0)";

  std::string text() const {
    const std::string uri = buffer.empty() ? fmt::format(R"({{"byteLength":{},"uri":"data:application/octet-stream;base64,{}"}})", bytes.size(), base64(bytes)) : buffer;
    return fmt::format(R"({{"asset":{{"version":"2.0"}},"buffers":[{}],"bufferViews":[{}],"accessors":[{}],"meshes":[{{"name":"m","primitives":[{}]}}],"nodes":[{}],{}}})",
                       uri, views, accessors, primitives, nodes, more);
  }
};

TEST_F(Gltf, UnmovedFloatsStayFloat) {
  const Mesh m = mesh("a.gltf", Document{}.text());
  EXPECT_TRUE(is_float(m));
  EXPECT_EQ(m.name, "m");
  EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(points(m)[0], (Vec3d{0.1f, 0, 0}));
}

TEST_F(Gltf, BinaryContainerAndExternalBuffer) {
  EXPECT_EQ(mesh("a.glb", glb(Document{.buffer = R"({"byteLength":60})"}.text(), kPositions + kIndices)).triangles.size(), 2u);
  folder_.write("my data.bin", kPositions + kIndices);
  EXPECT_EQ(mesh("a.gltf", Document{.buffer = R"({"byteLength":60,"uri":"my%20data.bin"})"}.text()).triangles.size(), 2u);
  EXPECT_EQ(error("a.gltf", Document{.buffer = R"({"byteLength":60,"uri":"gone.bin"})"}.text()),
            "a.gltf: buffers[0].uri: gone.bin: cannot open: No such file or directory");
  EXPECT_EQ(error("a.gltf", Document{.buffer = R"({"byteLength":60,"uri":"http://x/y.bin"})"}.text()),
            "a.gltf: buffers[0].uri: \"http://x/y.bin\" is not a relative path");
  EXPECT_EQ(error("a.gltf", Document{.buffer = R"({"byteLength":61,"uri":"my data.bin"})"}.text()),
            "a.gltf: buffers[0].byteLength: 61 is more than the 60 bytes there are");
}

TEST_F(Gltf, InstancesArePartsPlacedInDouble) {
  const std::vector<Mesh> all = parts("a.gltf", Document{.nodes = R"({"name":"root","children":[1,2],"translation":[0.1,0,0]},
      {"name":"left","mesh":0,"scale":[2,2,2]},
      {"mesh":0,"children":[3],"rotation":[0,0,1,0]},
      {"name":"deep","mesh":0,"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]})"}.text());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "left");
  EXPECT_EQ(all[1].name, "m");
  EXPECT_EQ(all[2].name, "deep");
  EXPECT_FALSE(is_float(all[0]));
  EXPECT_EQ(points(all[0])[0], (Vec3d{2 * static_cast<double>(0.1f) + 0.1, 0, 0}));
  EXPECT_EQ(points(all[1])[2], (Vec3d{-1 + 0.1, -1, 0}));
  EXPECT_EQ(points(all[2])[2], (Vec3d{-1 + 0.1, -1, 5}));
  EXPECT_EQ(all[2].triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}

TEST_F(Gltf, StrideSparseQuantizedStripsAndFans) {
  const std::string padded = floats({0, 0, 0, 9, 1, 0, 0, 9, 1, 1, 0, 9, 0, 1, 0});  // stride 16
  const Mesh strided = mesh("a.gltf", Document{.bytes = padded, .views = R"({"buffer":0,"byteLength":60,"byteStride":16})",
      .accessors = R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"})", .primitives = R"({"attributes":{"POSITION":0},"mode":6})"}.text());
  EXPECT_EQ(points(strided)[3], (Vec3d{0, 1, 0}));
  EXPECT_EQ(strided.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));

  const Mesh sparse = mesh("a.gltf", Document{.bytes = kPositions + shorts({2, 3}) + floats({7, 7, 7, 8, 8, 8}),
      .views = R"({"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":4},{"buffer":0,"byteOffset":52,"byteLength":24})",
      .accessors = R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":2,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":2}}})",
      .primitives = R"({"attributes":{"POSITION":0},"mode":5})"}.text());
  EXPECT_EQ(points(sparse)[3], (Vec3d{8, 8, 8}));
  EXPECT_EQ(points(sparse)[1], (Vec3d{1, 0, 0}));
  EXPECT_EQ(sparse.triangles, (Triangles{{0, 1, 2}, {1, 3, 2}}));

  const Mesh quantized = mesh("a.gltf", Document{.bytes = shorts({0, 0, 0, 0, 32767, 0, 0, 0, 0, 65535, 0, 0}), .views = R"({"buffer":0,"byteLength":24,"byteStride":8})",
      .accessors = R"({"bufferView":0,"componentType":5122,"normalized":true,"count":3,"type":"VEC3"})", .primitives = R"({"attributes":{"POSITION":0}})",
      .more = R"("extensionsRequired":["KHR_mesh_quantization"])"}.text());
  EXPECT_EQ(points(quantized)[1], (Vec3d{1, 0, 0}));
  EXPECT_EQ(points(quantized)[2], (Vec3d{0, -1.0 / 32767, 0}));
}

TEST_F(Gltf, RangesAreChecked) {
  Document d;
  d.accessors = R"({"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"})";
  EXPECT_EQ(error("a.gltf", d.text()), "a.gltf: accessors[0]: 5 elements of 12 bytes from byte 0 with stride 12 reach past the view of 48 bytes");
  d.accessors = R"({"bufferView":0,"byteOffset":18446744073709551615,"componentType":5126,"count":4,"type":"VEC3"})";
  EXPECT_NE(error("a.gltf", d.text()).find("reach past the view"), std::string::npos);
  d.accessors = R"({"componentType":5126,"count":4000000000,"type":"VEC3"})";
  EXPECT_EQ(error("a.gltf", d.text()), "a.gltf: accessors[0].count: 4000000000 elements without data");
  d.accessors = R"({"bufferView":7,"componentType":5126,"count":4,"type":"VEC3"})";
  EXPECT_EQ(error("a.gltf", d.text()), "a.gltf: accessors[0].bufferView: 7 is out of range; there are 2 bufferViews");
  d.accessors = R"({"bufferView":0,"componentType":5126,"count":-4,"type":"VEC3"})";
  EXPECT_EQ(error("a.gltf", d.text()), "a.gltf: accessors[0].count: -4 is not a whole number of at least 0");
  d.accessors = R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC4"})";
  EXPECT_EQ(error("a.gltf", d.text()), "a.gltf: accessors[0].type: \"VEC4\" where \"VEC3\" is needed");
  EXPECT_EQ(error("a.gltf", Document{.views = R"({"buffer":0,"byteOffset":40,"byteLength":48})"}.text()),
            "a.gltf: bufferViews[0]: bytes 40 + 48 reach past the buffer of 60");
  EXPECT_EQ(error("a.gltf", Document{.bytes = kPositions + shorts({0, 1, 2, 0, 2, 4})}.text()),
            "a.gltf: meshes[0].primitives[0].indices: vertex index 4 is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.gltf", Document{.bytes = floats({0, 0, std::numeric_limits<float>::infinity()}) + kPositions.substr(12) + kIndices}.text()),
            "a.gltf: accessors[0]: vertex 0: z is inf, not a finite number");
}

TEST_F(Gltf, HostileStructure) {
  EXPECT_EQ(error("a.gltf", Document{.nodes = R"({"mesh":0,"children":[1]},{"children":[0]})"}.text()),
            "a.gltf: nodes[1].children[0]: node 0 is reached twice: a cycle, or two parents");
  EXPECT_EQ(error("a.gltf", Document{.nodes = R"({"mesh":3})"}.text()), "a.gltf: nodes[0].mesh: 3 is out of range; there are 1 meshes");
  EXPECT_EQ(error("a.gltf", Document{.nodes = R"({"mesh":0,"translation":[1,2]})"}.text()), "a.gltf: nodes[0].translation: has 2 numbers; 3 are needed");
  EXPECT_EQ(error("a.gltf", Document{.nodes = R"({"mesh":0,"scale":[1e308,1e308,1e308],"children":[1]},{"mesh":0,"scale":[1e9,1e9,1e9]})"}.text()),
            "a.gltf: meshes[0].primitives[0].attributes.POSITION: vertex 0 is not finite after the transforms of its nodes");
  EXPECT_EQ(error("a.gltf", Document{.more = R"("extensionsRequired":["VENDOR_any_mesh"])"}.text()),
            "a.gltf: extensionsRequired[0]: the extension \"VENDOR_any_mesh\" is not supported");
  EXPECT_EQ(error("a.gltf", R"({"asset":{"version":"1.0"}})"), "a.gltf: asset.version: \"1.0\" is not supported; 2.0 is");
  EXPECT_EQ(error("a.gltf", R"({"asset":{"version":"2.0"}})"), "a.gltf: the file has no triangles");
  EXPECT_EQ(error("a.gltf", R"({"asset":[)"), "a.gltf: byte 11: not valid JSON");
  const std::string deep = R"({"asset":{"version":"2.0"},"extras":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  EXPECT_EQ(error("a.gltf", deep), "a.gltf: the file has no triangles");
  EXPECT_EQ(error("a.glb", glb(Document{}.text(), "").substr(0, 100)), "a.glb: byte 8: the header claims 580 bytes, but the file has 100");
}

TEST_F(Gltf, InstancesCannotMultiplyWithoutBound) {
  std::string nodes, roots;
  for (int i = 0; i < 1'000; ++i) {
    nodes += (i ? "," : "") + std::string(R"({"mesh":0})");
    roots += (i ? "," : "") + std::to_string(i);
  }
  std::string primitive = R"({"attributes":{"POSITION":0},"indices":1})", primitives = primitive;
  for (int i = 0; i < 200; ++i) primitives += "," + primitive;
  const std::string text = Document{.primitives = primitives, .nodes = nodes, .more = R"("scenes":[{"nodes":[)" + roots + "]}]"}.text();
  read::Source source{.bytes = std::as_bytes(std::span(text)), .file = "a.gltf", .stem = "a"};
  const read::Model model = read::read_model(source, read::Format::gltf);
  EXPECT_EQ(model.triangles.size(), 402u);
  EXPECT_EQ(model.placed_triangles(), 402'000u);
  EXPECT_EQ(read::to_mesh(model, source).triangles.size(), 402'000u);
  const Assembly assembly = read::to_assembly(model, "a");  // of any size: instances share their mesh
  EXPECT_EQ(assembly.size(), 1'000u);
  EXPECT_EQ(assembly.meshes.size(), 1u);
  source.limits.instanced = 100'000;
  EXPECT_THROW(
      try { read::to_mesh(model, source); } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("a.gltf: 402000 triangles after placing all instances"), std::string::npos) << error.what();
        throw;
      },
      Error);
}

}  // namespace
}  // namespace sightline::test
