#include "read/files.h"

namespace sightline::test {
namespace {

using Off = ReadTest;

const std::string kVertices = "0.1 0 0\n1 0 0\n1 1 0\n0 1 0\n";

TEST_F(Off, Variants) {
  for (const std::string& text : {
           "OFF\n4 2 5\n" + kVertices + "3 0 1 2\n3 0 2 3\n",
           "OFF 4 2 0\n" + kVertices + "3 0 1 2\n3 0 2 3",
           "OFF4 2 0\n" + kVertices + "3 0 1 2\n3 0 2 3\n",
           "COFF4 2\n" + kVertices + "3 0 1 2\n3 0 2 3\n",
           "# c\nOFF # x\n# y\n4 2 0 # z\n\n" + kVertices + "# w\n3 0 1 2 0.5 0.5 0.5\n3 0 2 3 # red\n",
           "4 2 0\n" + kVertices + "3 0 1 2\n3 0 2 3\n",
           std::string("COFF\n4 2 0\n0.1 0 0 255 0 0 255\n1 0 0 1 1 1\n1 1 0 9 9 9 9\n0 1 0\n3 0 1 2\n3 0 2 3\n"),
           std::string("STCNOFF\r\n4 2 0\r\n0.1 0 0 0 0 1 255 0 0 255 0.5 0.5\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n3 0 1 2\r\n3 0 2 3\r\n"),
           std::string("NOFF\n4 1\n0.1 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n4 0 1 2 3 255 0 0\n"),
       }) {
    const Mesh m = mesh("a.off", text);
    EXPECT_FALSE(is_float(m));
    EXPECT_EQ(points(m), (std::vector<Vec3d>{{0.1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}})) << text;
    EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}})) << text;
  }
}

TEST_F(Off, BadInput) {
  EXPECT_EQ(error("a.off", "OFF\n4294967296 1 0\n" + kVertices), "a.off:2: the number of vertices 4294967296 is more than the file can hold");
  EXPECT_EQ(error("a.off", "OFF\n4 4000000000 0\n" + kVertices), "a.off:2: the number of faces 4000000000 is more than the file can hold");
  EXPECT_EQ(error("a.off", "OFF\n-4 1 0\n" + kVertices), "a.off:2: the number of vertices -4 is negative");
  EXPECT_EQ(error("a.off", "OFF\n4 2 0\n" + kVertices + "3 0 1 2\n"), "a.off:8: the file ends where the number of corners should be");
  EXPECT_EQ(error("a.off", "OFF\n4 1 0\n" + kVertices + "3 0 1 4\n"), "a.off:7: vertex index 4 is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.off", "OFF\n4 1 0\n" + kVertices + "4000000000 0 1 2\n"), "a.off:8: the file ends where vertex index should be");
  EXPECT_EQ(error("a.off", "OFF\n4 1 0\n" + kVertices + "2 0 1\n#######"), "a.off:7: face with 2 corners; at least 3 are needed");
  EXPECT_EQ(error("a.off", "OFF\n4 1 0\n" + kVertices + "3 0 1 2\n3 0 1 2\n"), "a.off:8: \"3\" after the last of 1 faces");
  EXPECT_EQ(error("a.off", "OFF\n4 1 0\n0 0 inf\n" + kVertices + "3 0 1 2\n"), "a.off:3: z \"inf\" is not a finite number");
  EXPECT_EQ(error("a.off", "4OFF\n1 1 0\n"), "a.off:1: \"4OFF\": only three-dimensional OFF is supported");
  EXPECT_EQ(error("a.off", "OFF BINARY\n1 1 0\n"), "a.off:1: \"BINARY\": binary OFF is not supported");
  EXPECT_EQ(error("a.off", "OFF\n4 0 0\n" + kVertices), "a.off: the file has no triangles");
  EXPECT_EQ(error("a.off", "OFF\n"), "a.off:2: the file ends where the number of vertices should be");
  EXPECT_EQ(error("a.off", "hello\n"), "a.off:1: \"hello\" where OFF should be");
}

}  // namespace
}  // namespace sightline::test
