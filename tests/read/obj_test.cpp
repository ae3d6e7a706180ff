#include <algorithm>

#include "read/files.h"

namespace sightline::test {
namespace {

using Obj = ReadTest;

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST_F(Obj, TrianglesAndNames) {
  const Mesh m = mesh("thing.obj", "# comment\n" + kSquare + "f 1 2 3\nf 1/1 3/2/3 4//4\n");
  EXPECT_EQ(m.name, "thing");
  EXPECT_FALSE(is_float(m));
  EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}

TEST_F(Obj, NegativeAndForwardIndices) {
  EXPECT_EQ(mesh("a.obj", "f 1 2 3\n" + kSquare + "f -4 -3 -1\n").triangles, (Triangles{{0, 1, 2}, {0, 1, 3}}));
}

// Plain indices of up to 9 digits, with other text after them, are read in another way than the rest.
TEST_F(Obj, IndicesOfAllLengths) {
  const std::string more = "\n# the text goes on after the index\n";
  for (const std::string face : {"f 1 2 3", "f 000000001 0000000002 00000000003", "f +1 2\t3", "f 1/7 2 3/1/1",
                                 "f 1 2 \\\n3", "f 1 2 3\\\n", "f -4 2 -2"}) {
    EXPECT_EQ(mesh("a.obj", kSquare + face + more).triangles, (Triangles{{0, 1, 2}})) << face;
    EXPECT_EQ(mesh("a.obj", kSquare + face).triangles, (Triangles{{0, 1, 2}})) << face << ", at the end";
  }
  for (const std::string index : {"0", "000000000", "0000000000", "5", "999999999", "1000000000", "4294967297",
                                  "18446744073709551617", "1x", "123456789x", "1.0", "3#"})
    EXPECT_THROW(mesh("a.obj", kSquare + "f 1 2 " + index + more), Error) << index;
  for (const std::string face : {"f 0 1 2 3", "f 1 0 2 3", "f 1 2 0", "f 1 2 3 0", "f 0 2 3"})
    for (const std::string& after : {more, std::string("\nf 1 2 3\nf 2 3 4\n"), std::string("\n"), std::string()})
      EXPECT_EQ(error("a.obj", kSquare + face + after),
                "a.obj:5: vertex index \"0\" is out of range; there are 4 vertices")
          << face << after;
  EXPECT_EQ(error("a.obj", kSquare + "f 1 000000000 3 4" + more),
            "a.obj:5: vertex index \"000000000\" is out of range; there are 4 vertices");
}

TEST_F(Obj, TokensOfAllKinds) {
  const Mesh m =
      mesh("a.obj",
           "\xEF\xBB\xBFmtllib x.mtl\r\nv 0.1 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\n\tv  1 1 0 1 0 0 0 # c\r\nvn 0 0 1\r\n"
           "v 0 \\\r\n 1 \\\r\n0\r\ns off\r\nusemtl a\r\nf 1 2 \\\r\n3 4\\\r\n\r\nl 1 2\r\np 1\r\n");
  EXPECT_EQ(points(m), (std::vector<Vec3d>{{0.1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(mesh("b.obj", "v 0 0 0\rv 1 0 0\rv 1 1 0\rf 1 2 3").triangles.size(), 1u);
}

TEST_F(Obj, ConcavePolygonDoesNotFold) {
  // An arrow head whose fan from corner 0 would leave the polygon.
  const Mesh m = mesh("a.obj", "v 0 0 0\nv 4 -2 0\nv 1 0 0\nv 4 2 0\nf 2 3 4 1\nf 1 2 3 4\n");
  ASSERT_EQ(m.triangles.size(), 4u);
  for (const Triangle& t : m.triangles) EXPECT_TRUE(std::find(t.begin(), t.end(), 2u) != t.end());
}

TEST_F(Obj, TrianglesLeadBackToTheirFaces) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\n";
  using Faces = std::vector<std::uint32_t>;
  EXPECT_EQ(mesh("a.obj", points + "f 1 2 3\nf 1 3 4\n").faces, Faces{});  // triangle i is face i
  EXPECT_EQ(mesh("a.obj", points + "f 1 2 3\nf 1 2 3 4\nf 1 3 4\nf 1 2 3 5 4\nf 1 2 3\n").faces,
            (Faces{0, 1, 1, 2, 3, 3, 3, 4}));
  const std::vector<Mesh> all = parts("a.obj", points + "o a\nf 1 2 3 4\no b\nf 1 2 3\no a\nf 2 3 4 1\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].faces, (Faces{0, 0, 2, 2}));
  EXPECT_EQ(all[1].faces, (Faces{1}));
  const std::vector<Mesh> plain = parts("a.obj", points + "o a\nf 1 2 3\no b\nf 1 3 4\n");
  EXPECT_EQ(plain[1].faces, (Faces{1}));
}

TEST_F(Obj, ObjectsAndGroupsAreParts) {
  const std::string text =
      kSquare + "f 1 2 3\no lid\nf 1 2 4\no box\nf 2 3 4\ng empty\ng side\nf 2 4 3\no lid\nf 1 3 4\n";
  const std::vector<Mesh> all = parts("file.obj", text);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "file#0");
  EXPECT_EQ(all[1].name, "lid");
  EXPECT_EQ(all[1].triangles, (Triangles{{0, 1, 2}, {0, 3, 2}}));  // in order of first use: 1 2 4 3
  EXPECT_EQ(points(all[1]), (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  EXPECT_EQ(all[2].name, "box");
  EXPECT_EQ(points(all[2]), (std::vector<Vec3d>{{1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(all[3].name, "box/side");
  const Mesh whole = mesh("file.obj", text);
  EXPECT_EQ(whole.triangles, (Triangles{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {1, 3, 2}, {0, 2, 3}}));
  EXPECT_EQ(points(whole).size(), 4u);
}

TEST_F(Obj, NamesAreKeptAsTheyAre) {
  const std::vector<Mesh> all = parts("f.obj", kSquare + "g Schraube M8 \xC3\xA4 #1 \t\nf 1 2 3\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "Schraube M8 \xC3\xA4 #1");
  EXPECT_EQ(points(all[0]).size(), 3u);  // the unused fourth is left out
}

TEST_F(Obj, BadInput) {
  EXPECT_EQ(error("a.obj", kSquare + "f 1 2 9\nf 1 2 3\n"),
            "a.obj:5: vertex index 9 is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.obj", kSquare + "f 1 2 0\n"), "a.obj:5: vertex index \"0\" is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.obj", kSquare + "f 1 -5 2\n"),
            "a.obj:5: vertex index \"-5\" is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.obj", kSquare + "f 1 2 99999999999999999999\n"),
            "a.obj:5: vertex index \"99999999999999999999\" is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.obj", kSquare + "f 1 2 4294967297\n"),
            "a.obj:5: vertex index \"4294967297\" is out of range; there are 4 vertices");
  EXPECT_EQ(error("a.obj", kSquare + "f 1 2 3x\n"), "a.obj:5: \"3x\" is not a vertex reference");
  EXPECT_EQ(error("a.obj", kSquare + "f 1 2\n"), "a.obj:5: face with 2 corners; at least 3 are needed");
  EXPECT_EQ(error("a.obj", "v 1 2\nv 1 2 3\n"), "a.obj:1: vertex with 2 coordinates; 3 are needed");
  EXPECT_EQ(error("a.obj", "v 1 2 3\r\nv 1 -inf 3\r\n"), "a.obj:2: y \"-inf\" is not a finite number");
  EXPECT_EQ(error("a.obj", "v 1 2 3\n\nv 1 2 -1e+400\n"), "a.obj:3: z \"-1e+400\" is too large for a double");
  EXPECT_EQ(error("a.obj", kSquare), "a.obj: the file has no triangles");
  EXPECT_EQ(error("a.obj", "#\n"), "a.obj: the file has no triangles");
  EXPECT_EQ(error("a.obj", kSquare + "surf 0 1 0 1 1 2 3\n"), "a.obj:5: statement \"surf\" is not supported");
}

}  // namespace
}  // namespace sightline::test
