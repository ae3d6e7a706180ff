#include <limits>

#include "read/file.h"
#include "read/files.h"
#include "read/read_memory.h"

namespace sightline::test {
namespace {

using Stl = ReadTest;

std::string binary(std::uint32_t claimed, const std::vector<float>& coordinates, std::string header = "") {
  header.resize(80, ' ');
  std::string out = header + little(claimed);
  for (std::size_t i = 0; i < coordinates.size(); i += 9) {
    out += little(0.f) + little(0.f) + little(std::numeric_limits<float>::quiet_NaN());  // normals are not read
    for (std::size_t k = i; k < i + 9; ++k) out += little(coordinates[k]);
    out += little(std::uint16_t{0xABCD});
  }
  return out;
}

const std::vector<float> kTwo = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1f, 0, 0, 1, 0, 1e-40f, 0, 1, -3e38f};

std::string facet(const std::string& a, const std::string& b, const std::string& c) {
  return "facet normal nan 0 0\n outer loop\n vertex " + a + "\n vertex " + b + "\n vertex " + c + "\n endloop\nendfacet\n";
}
const std::string kFacet = facet("0 0 0", "1 0 0", "0 1 0");

/// What is read piece by piece: without bytes.
read::Source pieces(unsigned threads) { return {.bytes = {}, .file = "a.stl", .stem = "a", .threads = threads}; }

TEST_F(Stl, BinaryStaysFloatAndUnwelded) {
  const Mesh m = mesh("part.stl", binary(2, kTwo));
  EXPECT_EQ(m.name, "part");
  EXPECT_TRUE(is_float(m));
  EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {3, 4, 5}}));
  ASSERT_EQ(points(m).size(), 6u);
  EXPECT_EQ(points(m)[3][0], 0.1f);
  EXPECT_EQ(points(m)[4][2], 1e-40f);
}

TEST_F(Stl, BinaryThatBeginsWithSolid) {
  EXPECT_EQ(mesh("a.stl", binary(2, kTwo, "solid part\nfacet normal")).triangles.size(), 2u);
}

TEST_F(Stl, ContentsDecideOverExtension) {
  EXPECT_EQ(mesh("a.obj", binary(2, kTwo)).triangles.size(), 2u);
  EXPECT_EQ(mesh("b.ply", "solid\n" + kFacet + "endsolid\n").triangles.size(), 1u);
  EXPECT_EQ(mesh("c", "solid\n" + kFacet + "endsolid\n").triangles.size(), 1u);
}

TEST_F(Stl, LyingHeaders) {
  EXPECT_EQ(error("a.stl", binary(0xFFFFFFFFu, kTwo)),
            "a.stl: byte 80: the header claims 4294967295 triangles, but the file holds 2 (184 bytes)");
  EXPECT_EQ(error("a.stl", binary(1, kTwo)), "a.stl: byte 80: the header claims 1 triangles, but the file holds 2 (184 bytes)");
  EXPECT_EQ(error("a.stl", binary(2, kTwo).substr(0, 183)),
            "a.stl: byte 80: the header claims 2 triangles, but the file holds 1 (183 bytes)");
  EXPECT_EQ(error("a.stl", "abc"), "a.stl: 3 bytes are too few for an STL file, which has a header of 84");
  EXPECT_EQ(error("a.stl", binary(0, {})), "a.stl: the file has no triangles");
  EXPECT_EQ(mesh("a.stl", binary(2, kTwo) + "pad").triangles.size(), 2u);
}

TEST_F(Stl, BinaryNotFinite) {
  std::vector<float> values = kTwo;
  values[13] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(error("a.stl", binary(2, values)), "a.stl: triangle 1 (byte 162): y is inf, not a finite number");
  values[13] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error("a.stl", binary(2, values)), "a.stl: triangle 1 (byte 162): y is nan, not a finite number");
}

TEST_F(Stl, LargeBinaryInParallelBlocks) {
  std::vector<float> values(9 * 100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Mesh m = mesh("a.stl", binary(100'000, values));
  ASSERT_EQ(m.triangles.size(), 100'000u);
  EXPECT_EQ(m.triangles.back(), (Triangle{299'997, 299'998, 299'999}));
  EXPECT_EQ(points(m).back(), (Vec3d{899'997, 899'998, 899'999}));
  values[899'999] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(error("a.stl", binary(100'000, values)), "a.stl: triangle 99999 (byte 5000078): z is -inf, not a finite number");
}

// A file is read piece by piece, bytes in memory as a whole: one result, for any number of threads. read_mesh alone
// cannot show it: where the pieces fail, it reads the whole.
TEST_F(Stl, ByPlaceAsFromMemory) {
  for (const std::size_t count : {1, 4095, 4096, 4097, 20'000}) {
    std::vector<float> values(9 * count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) / 7;
    const std::string bytes = binary(static_cast<std::uint32_t>(count), values, "solid") + "padding";
    const std::filesystem::path path = folder_.write("a.stl", bytes);
    const read::Model expected = read::read_stl({.bytes = std::as_bytes(std::span(bytes)), .file = "a.stl", .stem = "a"});
    for (const unsigned threads : {1u, 2u, 3u}) {
      const std::optional<read::Model> model = read::read_stl_file(path, pieces(threads));
      ASSERT_TRUE(model.has_value()) << count << " triangles, " << threads << " threads";
      EXPECT_TRUE(model->positions == expected.positions) << count << " triangles, " << threads << " threads";
      EXPECT_TRUE(model->triangles == expected.triangles) << count << " triangles, " << threads << " threads";
      const Mesh m = read_mesh(path, threads);
      EXPECT_EQ(m.name, "a");
      EXPECT_TRUE(m.positions == expected.positions) << count << " triangles, " << threads << " threads";
      EXPECT_TRUE(m.triangles == expected.triangles) << count << " triangles, " << threads << " threads";
    }
    EXPECT_TRUE(std::get<std::vector<Vec3f>>(expected.positions).back()[2] == values.back());
  }
}

// One piece that cannot be read, wherever it is, leaves no mesh with a hole.
TEST_F(Stl, ByPlaceWithoutOnePiece) {
  const std::string bytes = binary(20'000, std::vector<float>(180'000, 1.5f));
  for (const unsigned threads : {1u, 2u, 3u}) {
    const auto read_without = [&](std::size_t missing) {
      const auto place = [&](std::uint64_t from, std::span<std::byte> to) {
        if (from <= missing && missing < from + to.size()) return false;
        std::memcpy(to.data(), bytes.data() + from, to.size());
        return true;
      };
      return read::read_stl_by_place(bytes.size(), place, pieces(threads));
    };
    EXPECT_TRUE(read_without(bytes.size()).has_value()) << threads << " threads";
    for (const std::size_t triangle : {0, 4096, 8191, 19'999})  // 4096: the second piece begins
      EXPECT_FALSE(read_without(84 + 50 * triangle).has_value())
          << "triangle " << triangle << ", " << threads << " threads";
  }
}

// The reader of pieces leaves everything but whole binary files to the other reader.
TEST_F(Stl, ByPlaceOnlyBinary) {
  EXPECT_FALSE(read::read_stl_file(folder_.path() / "none.stl", pieces(1)));
  EXPECT_FALSE(read::read_stl_file(folder_.write("a.stl", "solid\n" + kFacet + "endsolid\n"), pieces(1)));
  EXPECT_FALSE(read::read_stl_file(folder_.write("a.stl", binary(3, kTwo)), pieces(1)));
  EXPECT_TRUE(read::read_stl_file(folder_.write("a.stl", binary(2, kTwo)), pieces(1)));
}

// What begins as another format is not an STL file, even if its size agrees with the count.
TEST_F(Stl, SizeOfABinaryFileBehindAnotherBeginning) {
  EXPECT_EQ(error("a.stl", binary(2, kTwo, "\xFF\xFE") + "x"),
            "a.stl: byte 184: the file begins as UTF-16 text, but this is not UTF-16");
  EXPECT_NE(error("a.stl", binary(2, kTwo, "glTF")), "no error");
  EXPECT_NE(error("a.stl", binary(2, kTwo, "PK\x03\x04")), "no error");
}

TEST_F(Stl, CancelWhileReading) {
  const std::filesystem::path path = folder_.write("a.stl", binary(20'000, std::vector<float>(180'000)));
  for (const unsigned threads : {1u, 2u})
    EXPECT_THROW(read_mesh(path, {.threads = threads, .cancel = [] { return true; }}), Error);
}

TEST_F(Stl, AsciiIsDouble) {
  const Mesh m = mesh("part.stl", "\xEF\xBB\xBFSOLID thing\r\n" + facet("0.1 +2 -3e-2", "1 0 0", "0 1 0") + "EndSolid thing\r\n");
  EXPECT_EQ(m.name, "part");  // a single solid is the file
  EXPECT_FALSE(is_float(m));
  EXPECT_EQ(points(m)[0], (Vec3d{0.1, 2, -0.03}));
}

TEST_F(Stl, SeveralSolidsAreParts) {
  const std::string text = "solid größe 1\n" + kFacet + "endsolid größe 1\nsolid none\nendsolid\nsolid\n" + kFacet + kFacet + "endsolid\n";
  const std::vector<Mesh> all = parts("file.stl", text);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "größe 1");
  EXPECT_EQ(all[1].name, "file#1");
  EXPECT_EQ(all[1].triangles, (Triangles{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(points(all[1]).size(), 6u);
  EXPECT_EQ(mesh("file.stl", text).triangles.size(), 3u);
  EXPECT_EQ(mesh("file.stl", text).name, "file");
}

TEST_F(Stl, BadAscii) {
  EXPECT_EQ(error("a.stl", "solid\n" + facet("0 0 0", "1 1e999 0", "0 1 0")), "a.stl:5: y \"1e999\" is too large for a double");
  EXPECT_EQ(error("a.stl", "solid\n" + facet("0 0 NaN", "1 0 0", "0 1 0")), "a.stl:4: z \"NaN\" is not a finite number");
  EXPECT_EQ(error("a.stl", "solid\n" + facet("0 0 x", "1 0 0", "0 1 0")), "a.stl:4: z \"x\" is not a number");
  EXPECT_EQ(error("a.stl", "solid\n" + kFacet), "a.stl:9: the file ends where \"facet\" or \"endsolid\" should be");
  EXPECT_EQ(error("a.stl", "solid\n" + kFacet.substr(0, 48)), "a.stl:5: the file ends where vertex should be");
  EXPECT_EQ(error("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop"),
            "a.stl:6: \"endloop\" where vertex should be");
  EXPECT_EQ(error("a.stl", "solid a\nendsolid a\n"), "a.stl: the file has no triangles");
}

}  // namespace
}  // namespace sightline::test
