// Files that programs write a little wrong, and text in UTF-16: read, with a warning where something is left out.
#include "read/files.h"

namespace sightline::test {
namespace {

class Repair : public ReadTest {
 protected:
  Mesh read(const std::string& name, std::string_view contents) {
    warnings.clear();
    return read_mesh(folder_.write(name, contents), ReadOptions{.warning = [this](const std::string& text) {
                       warnings.push_back(text.substr(text.rfind('/') + 1));
                     }});
  }
  std::vector<std::string> warnings;
};

const std::string kFourCorners = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
const std::string kVertex4 = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
const std::string kFace2 = "element face 2\nproperty list uchar int vertex_indices\n";
const Triangles kTwoTriangles = {{0, 1, 2}, {0, 2, 3}};
const char* const kByLine =
    "a.ply: lines have other numbers of values than the header declares; each line is read as one element, and values "
    "that the header does not declare are skipped";

std::string ascii(const std::string& rest) { return "ply\nformat ascii 1.0\n" + rest + "end_header\n"; }

TEST_F(Repair, ReturnAfterEndHeaderAlone) {
  for (const bool big_endian : {false, true}) {
    const auto put = [&](auto value) { return big_endian ? big(value) : little(value); };
    std::string body;
    for (const float v : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f}) body += put(v);
    for (const std::array<std::int32_t, 3> t : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
      body += "\x03";
      for (const std::int32_t i : t) body += put(i);
    }
    const std::string header = std::string("ply\nformat ") + (big_endian ? "binary_big_endian" : "binary_little_endian") +
                               " 1.0\n" + kVertex4 + kFace2 + "end_header\r\n";
    EXPECT_EQ(read("a.ply", header + body).triangles, kTwoTriangles);
    EXPECT_TRUE(warnings.empty());
    // Where \r ends all lines, the \n that follows the header is the first byte of the data.
    std::string only_returns = header.substr(0, header.size() - 1);
    for (char& c : only_returns) c = c == '\n' ? '\r' : c;
    std::string begins_with_newline = body;
    begins_with_newline[0] = '\n';  // the first coordinate is another small number
    EXPECT_EQ(read("a.ply", only_returns + begins_with_newline).triangles, kTwoTriangles);
  }
}

TEST_F(Repair, StrayHeaderLines) {
  const std::string text = "ply\nformat ascii 1.0\nobj_info made by x\nVCGLIB generated\ncomment c\n" + kVertex4 +
                           "TextureFile none.png\n" + kFace2 + "end_header\n" + kFourCorners + "3 0 1 2\n3 0 2 3\n";
  EXPECT_EQ(read("a.ply", text).triangles, kTwoTriangles);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "a.ply: the header line that begins with \"VCGLIB\" is not a PLY statement; it is skipped");
  EXPECT_NE(warnings[1].find("\"TextureFile\""), std::string::npos);
  std::string many = "ply\nformat ascii 1.0\n";
  for (int i = 0; i < 21; ++i) many += "junk\n";
  EXPECT_EQ(error("b.ply", many + kVertex4 + kFace2 + "end_header\n" + kFourCorners), "b.ply:23: \"junk\" is not a PLY header statement");
}

TEST_F(Repair, RowsAndHeaderDisagree) {
  // Values that the header does not declare, after vertices and after faces.
  EXPECT_EQ(read("a.ply", ascii(kVertex4 + kFace2) + kFourCorners + "3 0 1 2 255 0 0\n3 0 2 3 255 0 0\n").triangles, kTwoTriangles);
  EXPECT_EQ(warnings, (std::vector<std::string>{kByLine}));
  // These rows would also be faces if lines did not count: 3 0 1 2, 3 3 0 2, then a rest.
  EXPECT_EQ(read("a.ply", ascii(kVertex4 + kFace2) + kFourCorners + "3 0 1 2 3\n3 0 2 3 3\n").triangles, kTwoTriangles);
  EXPECT_EQ(points(read("a.ply", ascii(kVertex4 + kFace2) + "0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n3 0 1 2\n3 0 2 3\n"))[2],
            (Vec3d{1, 1, 0}));
  // Properties that the rows lack.
  const std::string colours = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  EXPECT_EQ(read("a.ply", ascii(kVertex4 + kFace2 + colours) + kFourCorners + "\n3 0 1 2\n\n3 0 2 3").triangles, kTwoTriangles);
  EXPECT_EQ(warnings, (std::vector<std::string>{kByLine}));
  EXPECT_EQ(read("a.ply", ascii(kVertex4 + colours + "property float a\nproperty float b\n" + kFace2) + kFourCorners + "3 0 1 2\n3 0 2 3\n").triangles, kTwoTriangles);
  // A row without what is needed, and rows that are too many, stay errors: those of the plain reading.
  EXPECT_EQ(error("a.ply", ascii(kVertex4 + kFace2) + kFourCorners + "3 0 1\n3 0 2 3 9\n"),
            "a.ply:15: face 1: 0 corners; at least 3 are needed");
  EXPECT_NE(error("a.ply", ascii(kVertex4 + kFace2) + kFourCorners + "3 0 1 2 7\n3 0 2 3 7\n3 0 1 2 7\n"), "no error");
  EXPECT_NE(error("a.ply", ascii(kVertex4 + kFace2) + "0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2 7\n3 0 2 3 7\n"), "no error");
}

TEST_F(Repair, AGoodFileHasNoWarning) {
  EXPECT_EQ(read("a.ply", ascii(kVertex4 + kFace2) + "0 0 0 1 0 0\n1 1 0\n0 1 0 3 0\n1 2 3 0 2 3\n").triangles, kTwoTriangles);
  EXPECT_TRUE(warnings.empty()) << "lines do not count in PLY";
}

std::string utf16(const std::u16string& text, bool big_endian) {
  std::string out;
  for (const char16_t unit : u'\uFEFF' + text) {
    const auto low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    out += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return out;
}

TEST_F(Repair, Utf16) {
  for (const bool big_endian : {false, true}) {
    const auto all = parts("a.obj", utf16(u"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\no T\u00FCr \u4E09\U0001F600\r\nf 1 2 3\r\n", big_endian));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].name, "T\xC3\xBCr \xE4\xB8\x89\xF0\x9F\x98\x80");
    EXPECT_EQ(points(all[0])[1], (Vec3d{1, 0, 0}));
    EXPECT_EQ(mesh("a.off", utf16(u"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", big_endian)).triangles.size(), 1u);
    EXPECT_EQ(mesh("x", utf16(u"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", big_endian)).triangles.size(), 1u);
    EXPECT_EQ(mesh("s.stl", utf16(u"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n", big_endian)).triangles.size(), 1u);
    for (const char* name : {"a.obj", "a.off", "x", "s.stl"})
      EXPECT_EQ(error(name, utf16(u"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", big_endian).substr(2)), std::string(name) + ": looks like UTF-16 text without a byte order mark; save it as UTF-8");
    EXPECT_EQ(error("a.obj", utf16(u"v 0 0 0\nv 1 x 0\n", big_endian)), "a.obj:2: y \"x\" is not a number");
    std::u16string lone = u"v 0 0 0\n";
    lone += static_cast<char16_t>(0xD800);
    lone += u'x';
    EXPECT_EQ(error("a.obj", utf16(lone, big_endian)), "a.obj: byte 18: the file begins as UTF-16 text, but this is not UTF-16");
  }
}

}  // namespace
}  // namespace sightline::test
