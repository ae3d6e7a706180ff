#include <cmath>
#include <limits>

#include "read/files.h"

namespace sightline::test {
namespace {

using Ply = ReadTest;

std::string header(const std::string& format, const std::string& rest) { return "ply\nformat " + format + " 1.0\n" + rest + "end_header\n"; }
const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kPlain = "element vertex 4\n" + kXyz + "element face 2\nproperty list uchar int vertex_indices\n";

TEST_F(Ply, AsciiIsDouble) {
  const Mesh m = mesh("a.ply", header("ascii", "comment x\n" + kPlain) + "0.1 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n");
  EXPECT_FALSE(is_float(m));
  EXPECT_EQ(points(m)[0][0], 0.1);
  EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(m.name, "a");
}

template <typename Put>
std::string binary_body(const Put& put) {
  std::string out;
  for (const float v : {0.1f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 1.f, 0.f}) out += put(v);
  out += "\x03" + put(std::int32_t{0}) + put(std::int32_t{1}) + put(std::int32_t{2});
  return out + "\x03" + put(std::int32_t{0}) + put(std::int32_t{2}) + put(std::int32_t{3});
}

TEST_F(Ply, BinaryFloatStaysFloat) {
  const auto to_little = [](auto v) { return little(v); };
  const auto to_big = [](auto v) { return big(v); };
  for (const std::string& text : {header("binary_little_endian", kPlain) + binary_body(to_little), header("binary_big_endian", kPlain) + binary_body(to_big)}) {
    const Mesh m = mesh("a.ply", text);
    EXPECT_TRUE(is_float(m));
    EXPECT_EQ(points(m)[0][0], 0.1f);
    EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  }
}

TEST_F(Ply, ExtraElementsAndPropertiesAreSteppedOver) {
  const std::string text =
      header("binary_little_endian",
             "element camera 1\nproperty double f\nproperty list ushort short data\n"
             "element nothing 4000000000\n"
             "element vertex 3\nproperty list uchar double w\nproperty double y\nproperty uchar red\nproperty double x\nproperty double z\n"
             "element face 1\nproperty uchar flag\nproperty list int uint vertex_index\nproperty list uchar float uv\n") +
      little(1.0) + little(std::uint16_t{2}) + little(std::int16_t{5}) + little(std::int16_t{6}) +  //
      std::string(1, '\0') + little(0.0) + "r" + little(0.1) + little(0.0) +                         //
      "\x01" + little(9.0) + little(0.0) + "r" + little(1.0) + little(0.0) +                         //
      std::string(1, '\0') + little(1.0) + "r" + little(0.0) + little(1e300) +                       //
      "f" + little(std::int32_t{3}) + little(2u) + little(1u) + little(0u) + "\x01" + little(0.f);
  const Mesh m = mesh("a.ply", text);
  EXPECT_FALSE(is_float(m));
  EXPECT_EQ(points(m), (std::vector<Vec3d>{{0.1, 0, 0}, {1, 0, 0}, {0, 1, 1e300}}));
  EXPECT_EQ(m.triangles, (Triangles{{2, 1, 0}}));
}

// Records of one size are read at once, others one value after the other: an empty list in each element makes the
// difference.
TEST_F(Ply, RecordsAndCursorAgree) {
  for (const bool is_big : {false, true})
    for (const bool doubles : {false, true})
      for (const int odd : {0, 1, 2, 3}) {  // 1: a quadrangle, 2: an index out of range, 3: a coordinate that is not finite
        const auto put = [&](auto value) { return is_big ? big(value) : little(value); };
        const auto file = [&](bool with_list) {
          const std::string type = doubles ? "double" : "float", list = with_list ? "property list uchar uchar none\n" : "";
          const int vertices = 40'000, faces = 50'000;
          std::string text = header(is_big ? "binary_big_endian" : "binary_little_endian",
                                    "element vertex " + std::to_string(vertices) + "\nproperty uchar red\nproperty " + type + " y\nproperty " + type +
                                        " x\nproperty short s\nproperty " + type + " z\n" + list + "element face " + std::to_string(faces) +
                                        "\nproperty uchar flag\nproperty list " + (doubles ? "int" : "uchar") + " int vertex_indices\nproperty float f\n" + list);
          const auto real = [&](double x) { return doubles ? put(x) : put(static_cast<float>(x)); };
          for (int i = 0; i < vertices; ++i)
            text += "r" + real(i * 0.1) + real(odd == 3 && i == 39'000 ? INFINITY : -i) + put(std::int16_t{7}) + real(1e-3 * i) + std::string(with_list, '\0');
          for (int i = 0; i < faces; ++i) {
            const bool quad = odd == 1 && i == 45'000;
            text += "f" + (doubles ? put(3 + quad) : std::string(1, static_cast<char>(3 + quad))) + put(i % 39'990) + put(odd == 2 && i == 44'000 ? -1 : i % 77) + put(78 + i % 9);
            text += (quad ? put(99) : "") + put(0.5f) + std::string(with_list, '\0');
          }
          return text;
        };
        const std::string fast = file(false), slow = file(true);
        if (odd >= 2) {
          const std::string message = error("a.ply", fast), expected = error("a.ply", slow);
          EXPECT_EQ(message.substr(message.find(": ", 12)), expected.substr(expected.find(": ", 12)));
          EXPECT_NE(message.find(odd == 2 ? "face 44000: vertex index -1" : "vertex 39000: x is inf"), std::string::npos) << message;
          continue;
        }
        const Mesh a = mesh("a.ply", fast), b = mesh("a.ply", slow);
        EXPECT_EQ(is_float(a), !doubles);
        EXPECT_TRUE(a.positions == b.positions && a.triangles == b.triangles && a.faces == b.faces) << is_big << doubles << odd;
        EXPECT_EQ(a.triangles.size(), 50'000u + (odd == 1));
      }
}

TEST_F(Ply, IntegerCoordinates) {
  const std::string text = header("binary_big_endian", "element vertex 3\nproperty int32 x\nproperty short y\nproperty uint8 z\nelement face 1\nproperty list uint8 uint8 vertex_indices\n") +
                           big(std::int32_t{2147483647}) + big(std::int16_t{-2}) + "\xFF" + big(1) + big(std::int16_t{0}) + "a" + big(0) + big(std::int16_t{1}) + "b" + std::string("\x03\x00\x01\x02", 4);
  EXPECT_EQ(points(mesh("a.ply", text))[0], (Vec3d{2147483647, -2, 255}));
}

TEST_F(Ply, PolygonsStripsAndCrlf) {
  const Mesh m = mesh("a.ply", "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nelement face 1\r\nproperty list uchar int vertex_indices\r\n"
                               "element tristrips 1\r\nproperty list int int vertex_indices\r\nend_header\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3\r\n8 0 1 3 2 -1 2 1 0\r\n");
  EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {3, 1, 2}, {2, 1, 0}}));
}

TEST_F(Ply, LyingHeaders) {
  const std::string body = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n";
  EXPECT_EQ(error("a.ply", header("ascii", "element vertex 4294967295\n" + kXyz) + body),
            "a.ply:8: the header claims 4294967295 elements \"vertex\", more than the file can hold");
  EXPECT_EQ(error("a.ply", header("binary_little_endian", "element vertex 9999999999999\n" + kXyz) + body),
            "a.ply: byte 127: the header claims 9999999999999 elements \"vertex\", more than the file can hold");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + body.substr(0, 30)), "a.ply:14: the file ends where vertex_indices should be");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + body + "3 0 0 0\n"), "a.ply:16: there is more data than the header claims");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain).substr(0, 55)), "a.ply:5: the file ends inside the header");
  EXPECT_EQ(error("a.ply", header("ascii", "element vertex 4\nelement face 1\nproperty list uchar int vertex_indices\n") + "3 0 1 2"),
            "a.ply: element \"vertex\" has no property \"x\"");
}

TEST_F(Ply, BadInput) {
  const std::string four = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + four + "3 0 1 4\n3 0 1 2\n"),
            "a.ply:14: face 0: vertex index 4 is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + four + "3 0 1 2\n3 0 1 -1\n"),
            "a.ply:15: face 1: vertex index -1 is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + four + "2 0 1\n3 0 1 2\n"), "a.ply:14: face 0: 2 corners; at least 3 are needed");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + "0 0 0\n1 nan 0\n" + four), "a.ply:11: y \"nan\" is not a finite number");
  EXPECT_EQ(error("a.ply", header("ascii", kPlain) + "0 0 0\n1 0x1 0\n" + four), "a.ply:11: y \"0x1\" is not a number");
  std::string binary = header("binary_little_endian", kPlain) + binary_body([](auto v) { return little(v); });
  const std::size_t data = header("binary_little_endian", kPlain).size();
  EXPECT_EQ(error("a.ply", binary.substr(0, data + 60)), "a.ply: byte " + std::to_string(data + 57) + ": the file ends inside an element");
  binary.replace(data + 4, 4, little(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(error("a.ply", binary), "a.ply: byte " + std::to_string(data + 8) + ": vertex 0: y is inf, not a finite number");
  EXPECT_EQ(error("a.ply", header("binary_middle_endian", kPlain)), "a.ply:2: format \"binary_middle_endian\" is not supported");
  EXPECT_EQ(error("a.ply", header("ascii", "element vertex 1\n" + kXyz + "element face 1\nproperty list float int vertex_indices\n")),
            "a.ply:8: the length of a list cannot be a real number");
  EXPECT_EQ(error("a.ply", header("ascii", "element vertex 1\n" + kXyz) + "0 0 0\n"), "a.ply: the file has no triangles");
  EXPECT_EQ(error("a.ply", "plymouth"), "a.ply:1: the first line is not \"ply\"");
}

}  // namespace
}  // namespace sightline::test
