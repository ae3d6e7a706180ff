// glTF compressed by meshopt and by Draco: files that the encoders of these libraries write, whole and damaged.
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#include <fmt/format.h>
#include <meshoptimizer.h>

#include <set>

#include "read/files.h"
#include "scenes/scenes.h"

namespace sightline::test {
namespace {

class Compression : public ReadTest {
 protected:
  Mesh ball = scenes::sphere(320);
  std::vector<Vec3f> corners() const {
    std::vector<Vec3f> list;
    for (const Vec3d& p : points(ball))
      list.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    return list;
  }
};

/// Triangles as sets of three places: compression may turn and reorder them.
std::multiset<std::set<Vec3d>> places(const std::vector<Vec3d>& p, const Triangles& triangles) {
  std::multiset<std::set<Vec3d>> out;
  for (const Triangle& t : triangles) out.insert({p[t[0]], p[t[1]], p[t[2]]});
  return out;
}

std::string text_of(const std::vector<unsigned char>& bytes) { return {bytes.begin(), bytes.end()}; }

/// Views 0 (attributes) and 1 (triangles) of a buffer without bytes; their compressed form is in buffer 0.
struct Meshopt {
  std::string attributes, indices, filter = "NONE", mode = "TRIANGLES", change = "";
  std::size_t vertices = 0, corners = 0;

  std::string file() const {
    const std::string json = fmt::format(
        R"({{"asset":{{"version":"2.0"}},"extensionsRequired":["EXT_meshopt_compression"],"buffers":[{{"byteLength":{0}}},)"
        R"({{"byteLength":{1},"extensions":{{"EXT_meshopt_compression":{{"fallback":true}}}}}}],"bufferViews":[)"
        R"({{"buffer":1,"byteLength":{2},"byteStride":12,"extensions":{{"EXT_meshopt_compression":{{"buffer":0,"byteLength":{3},"byteStride":12,"count":{4},"mode":"ATTRIBUTES","filter":"{5}"{9}}}}}}},)"
        R"({{"buffer":1,"byteOffset":{2},"byteLength":{6},"extensions":{{"EXT_meshopt_compression":{{"buffer":0,"byteOffset":{3},"byteLength":{7},"byteStride":4,"count":{8},"mode":"{10}"}}}}}}],)"
        R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{4},"type":"VEC3"}},{{"bufferView":1,"componentType":5125,"count":{8},"type":"SCALAR"}}],)"
        R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],"nodes":[{{"mesh":0}}]}})",
        attributes.size() + indices.size(), 12 * vertices + 4 * corners, 12 * vertices, attributes.size(), vertices, filter, 4 * corners, indices.size(), corners,
        change, mode);
    return glb(json, attributes + indices);
  }
};

Meshopt encoded(const std::vector<Vec3f>& positions, const Triangles& triangles) {
  Meshopt out;
  out.vertices = positions.size();
  out.corners = 3 * triangles.size();
  std::vector<unsigned char> bytes(meshopt_encodeVertexBufferBound(positions.size(), 12));
  bytes.resize(meshopt_encodeVertexBuffer(bytes.data(), bytes.size(), positions.data(), positions.size(), 12));
  out.attributes = text_of(bytes);
  const auto* indices = &triangles[0][0];
  bytes.resize(meshopt_encodeIndexBufferBound(out.corners, positions.size()));
  bytes.resize(meshopt_encodeIndexBuffer(bytes.data(), bytes.size(), indices, out.corners));
  out.indices = text_of(bytes);
  return out;
}

TEST_F(Compression, Meshopt) {
  const std::vector<Vec3f> positions = corners();
  Meshopt file = encoded(positions, ball.triangles);
  const Mesh read = mesh("a.glb", file.file());
  EXPECT_TRUE(is_float(read));
  EXPECT_EQ(points(read), points(Mesh{"", positions, {}, {}})) << "attributes are exact";
  EXPECT_EQ(places(points(read), read.triangles), places(points(Mesh{"", positions, {}, {}}), ball.triangles));
  // The order of a sequence of indices is kept.
  std::vector<unsigned char> bytes(meshopt_encodeIndexSequenceBound(file.corners, positions.size()));
  bytes.resize(meshopt_encodeIndexSequence(bytes.data(), bytes.size(), &ball.triangles[0][0], file.corners));
  file.indices = text_of(bytes);
  file.mode = "INDICES";
  EXPECT_EQ(mesh("a.glb", file.file()).triangles, ball.triangles);
}

TEST_F(Compression, MeshoptWithExponents) {
  const std::vector<Vec3f> positions = corners();
  std::vector<std::uint32_t> words(3 * positions.size());
  meshopt_encodeFilterExp(words.data(), positions.size(), 12, 20, positions[0].data());
  Meshopt file = encoded(positions, ball.triangles);
  std::vector<unsigned char> bytes(meshopt_encodeVertexBufferBound(positions.size(), 12));
  bytes.resize(meshopt_encodeVertexBuffer(bytes.data(), bytes.size(), words.data(), positions.size(), 12));
  file.attributes = text_of(bytes);
  file.filter = "EXPONENTIAL";
  const std::vector<Vec3d> read = points(mesh("a.glb", file.file()));
  ASSERT_EQ(read.size(), positions.size());
  for (std::size_t i = 0; i < read.size(); ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(read[i][k], positions[i][k], 1e-5);
}

TEST_F(Compression, MeshoptThatIsDamaged) {
  const Meshopt good = encoded(corners(), ball.triangles);
  const std::string where = "a.glb: bufferViews[0].extensions.EXT_meshopt_compression";
  Meshopt bad = good;
  bad.attributes[0] = '\0';
  EXPECT_EQ(error("a.glb", bad.file()), where + ": the compressed bytes are damaged");
  bad = good;
  bad.filter = "FOURIER";
  EXPECT_EQ(error("a.glb", bad.file()), where + ".filter: \"FOURIER\" is not known");
  bad.filter = "QUATERNION";
  EXPECT_EQ(error("a.glb", bad.file()), where + ": a stride of 12 does not fit its mode and filter");
  bad = good;
  bad.vertices = 200'000'000;
  EXPECT_NE(error("a.glb", bad.file()).find("decompresses to more than 16777216 bytes"), std::string::npos);
  // Any byte of the compressed data: a mesh or an Error.
  for (std::size_t i = 0; i < good.attributes.size() + good.indices.size(); i += 7) {
    bad = good;
    (i < good.attributes.size() ? bad.attributes[i] : bad.indices[i - good.attributes.size()]) ^= 0x55;
    error("a.glb", bad.file());
  }
}

template <typename Corner>
std::string draco_bytes(const std::vector<Corner>& positions, const Triangles& triangles, int bits, int method,
                        draco::DataType type = draco::DT_FLOAT32) {
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(static_cast<int>(triangles.size()));
  const int attribute = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, type);
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    builder.SetAttributeValuesForFace(attribute, draco::FaceIndex(i), positions[triangles[i][0]].data(),
                                      positions[triangles[i][1]].data(), positions[triangles[i][2]].data());
  const std::unique_ptr<draco::Mesh> mesh = builder.Finalize();
  draco::Encoder encoder;
  if (bits > 0) encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, bits);
  encoder.SetEncodingMethod(method);
  draco::EncoderBuffer buffer;
  if (!encoder.EncodeMeshToBuffer(*mesh, &buffer).ok()) return "";
  return {buffer.data(), buffer.size()};
}

std::string draco_file(const std::string& bytes, std::size_t vertices, std::size_t corners, const std::string& id = "0",
                       const std::string& type = R"("componentType":5126)") {
  return glb(fmt::format(R"({{"asset":{{"version":"2.0"}},"extensionsRequired":["KHR_draco_mesh_compression"],"buffers":[{{"byteLength":{0}}}],"bufferViews":[{{"buffer":0,"byteLength":{0}}}],)"
                         R"("accessors":[{{{4},"count":{1},"type":"VEC3"}},{{"componentType":5125,"count":{2},"type":"SCALAR"}}],)"
                         R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"extensions":{{"KHR_draco_mesh_compression":{{"bufferView":0,"attributes":{{"POSITION":{3}}}}}}}}}]}}],"nodes":[{{"mesh":0}}]}})",
                         bytes.size(), vertices, corners, id, type),
             bytes);
}

TEST_F(Compression, Draco) {
  const std::vector<Vec3f> positions = corners();
  const auto expected = places(points(Mesh{"", positions, {}, {}}), ball.triangles);
  for (const int method : {draco::MESH_SEQUENTIAL_ENCODING, draco::MESH_EDGEBREAKER_ENCODING}) {
    const Mesh exact = mesh("a.glb", draco_file(draco_bytes(positions, ball.triangles, 0, method), positions.size(), 960));
    EXPECT_TRUE(is_float(exact));
    EXPECT_EQ(places(points(exact), exact.triangles), expected) << method;
    const Mesh rounded = mesh("a.glb", draco_file(draco_bytes(positions, ball.triangles, 14, method), positions.size(), 960));
    ASSERT_EQ(rounded.triangles.size(), ball.triangles.size());
    for (const Vec3d& p : points(rounded)) EXPECT_NEAR(p[0] * p[0] + p[1] * p[1] + p[2] * p[2], 1, 2e-3);
  }
}

TEST_F(Compression, DracoOfWholeNumbers) {
  using Corner = std::array<std::int8_t, 3>;
  const std::vector<Corner> positions = {{-128, 0, 127}, {64, 0, 0}, {0, 1, 0}};
  const Triangles triangle = {{0, 1, 2}};
  const std::string bytes = draco_bytes(positions, triangle, 0, draco::MESH_SEQUENTIAL_ENCODING, draco::DT_INT8);
  const auto sorted = [&](const std::string& type) {
    std::vector<Vec3d> found = points(mesh("a.glb", draco_file(bytes, 3, 3, "0", type)));
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(sorted(R"("componentType":5120)"), (std::vector<Vec3d>{{-128, 0, 127}, {0, 1, 0}, {64, 0, 0}}));
  // The accessor decides; the least value is -1, as for numbers that are not compressed.
  EXPECT_EQ(sorted(R"("componentType":5120,"normalized":true)"),
            (std::vector<Vec3d>{{-1, 0, 1}, {0, 1 / 127.0, 0}, {64 / 127.0, 0, 0}}));
}

TEST_F(Compression, DracoOfTypesThatGltfDoesNotHave) {
  // Found by the fuzzer: a byte of the file that is neither true nor false was read as bool.
  using Corner = std::array<std::uint8_t, 3>;
  const std::vector<Corner> positions = {{109, 0, 1}, {64, 0, 0}, {0, 1, 0}};
  const std::string bytes = draco_bytes(positions, {{0, 1, 2}}, 0, draco::MESH_SEQUENTIAL_ENCODING, draco::DT_BOOL);
  EXPECT_NE(error("a.glb", draco_file(bytes, 3, 3)).find("attributes.POSITION: its values are compressed as Draco's type 11, which glTF does not have"), std::string::npos)
      << error("a.glb", draco_file(bytes, 3, 3));
}

TEST_F(Compression, DracoThatIsDamaged) {
  const std::string good = draco_bytes(corners(), ball.triangles, 11, draco::MESH_EDGEBREAKER_ENCODING);
  EXPECT_NE(error("a.glb", draco_file("DRACO and no more", 3, 3)).find("KHR_draco_mesh_compression: the compressed bytes are damaged"), std::string::npos);
  EXPECT_NE(error("a.glb", draco_file(good, 162, 960, "7")).find("the compressed mesh has no attribute 7"), std::string::npos);
  for (std::size_t i = 11; i < good.size(); i += 5) {  // after the header
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x2A);
    error("a.glb", draco_file(bad, 162, 960));
  }
  for (std::size_t size = 0; size < good.size(); size += 13) error("a.glb", draco_file(good.substr(0, size) + " ", 162, 960));
}

}  // namespace
}  // namespace sightline::test
