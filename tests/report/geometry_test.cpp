// PLY, OBJ and the plain mesh files, read back by our own readers where these can.
#include "report/geometry.h"

#include <gtest/gtest.h>

#include <sstream>

#include "report/sample.h"
#include "report/temporary_folder.h"
#include "scenes/scenes.h"
#include "sightline/io.h"

namespace sightline::report {
namespace {

using testing_support::Sample;
using testing_support::slurp;
using testing_support::TemporaryFolder;

void save(const std::filesystem::path& path, const std::function<void(Output&)>& write) {
  Output output(path);
  write(output);
  output.commit();
}

using Corners = std::array<Vec3d, 3>;
std::vector<Corners> all_corners(std::span<const Mesh> meshes) {
  std::vector<Corners> corners;
  for (const Mesh& mesh : meshes)
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) corners.push_back(mesh.view().corners(i));
  return corners;
}

TEST(ReportPaint, TheMostSeriousKindWins) {
  const Sample sample;
  const auto paints = paint(sample.contacts());
  EXPECT_EQ(paints[0], (std::vector<Paint>{paint_of(Kind::crossing), paint_of(Kind::crossing), paint_of(Kind::coplanar),
                                           paint_of(Kind::duplicate)}));
  EXPECT_EQ(paints[1], (std::vector<Paint>{paint_of(Kind::touching)}));
  EXPECT_EQ(paint_name(0), "clear");
}

TEST(ReportPly, MeshReadsBackExactly) {
  const TemporaryFolder folder;
  const Sample sample;
  save(folder / "a.ply", [&](Output& output) { write_ply_mesh(output, sample.contacts(), {}); });
  const std::vector<Mesh> read = {read_mesh(folder / "a.ply")};
  EXPECT_EQ(all_corners(read), all_corners(sample.meshes));
}

TEST(ReportPly, ColoursOfVertices) {
  const TemporaryFolder folder;
  const Mesh mesh = {"m", std::vector<Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2}, {1, 3, 2}}};
  const std::vector<Part> parts = {{.file = "", .name = "m", .mesh = mesh, .facts = {}}};
  const std::vector<Contact> contacts = {{0, 0, 1, 1, Kind::crossing}};
  save(folder / "a.ply", [&](Output& output) { write_ply_mesh(output, {parts, contacts}, {}); });
  const std::string file = slurp(folder / "a.ply");
  EXPECT_NE(file.find("element vertex 7\nproperty float x\n"), std::string::npos);
  const std::size_t body = file.find("end_header\n") + 11;
  ASSERT_EQ(file.size(), body + 7 * 15 + 2 * 13);
  const auto colour = [&](int vertex) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.data()) + body + vertex * 15 + 12;
    return std::array<std::uint8_t, 3>{bytes[0], bytes[1], bytes[2]};
  };
  EXPECT_EQ(colour(3), paint_colour(0));
  EXPECT_EQ(colour(4), paint_colour(paint_of(Kind::crossing)));
}

TEST(ReportPly, Segments) {
  const TemporaryFolder folder;
  const Sample sample;
  save(folder / "a.ply", [&](Output& output) { write_ply_segments(output, sample.contacts(), {}); });
  const std::string file = slurp(folder / "a.ply");
  const Outlines lines = outlines(sample.contacts(), {});
  ASSERT_EQ(lines.size(0), 2u);  // crossing: a segment
  ASSERT_GE(lines.size(1), 3u);  // overlap: a polygon
  ASSERT_EQ(lines.size(2), 3u);  // duplicate: the triangle
  ASSERT_EQ(lines.size(3), 1u);  // a point has no edge
  const std::uint64_t points = lines.points.size(), edges = 1 + lines.size(1) + 3;
  EXPECT_NE(file.find("element vertex " + std::to_string(points) + "\n"), std::string::npos);
  EXPECT_NE(file.find("element edge " + std::to_string(edges) + "\n"), std::string::npos);
  EXPECT_EQ(file.size(), file.find("end_header\n") + 11 + points * 27 + edges * 11);
}

TEST(ReportObj, MeshReadsBackExactlyWithItsParts) {
  const TemporaryFolder folder;
  const Sample sample;
  save(folder / "a.obj", [&](Output& output) { write_obj_mesh(output, folder / "a.mtl", sample.contacts(), {}); });
  const Assembly read = read_assembly(folder / "a.obj");
  ASSERT_EQ(read.parts.size(), 2u);
  EXPECT_EQ(read.name(0), "gear \"5,1\"\\nline \\xff");
  EXPECT_EQ(read.name(1), "räder");
  EXPECT_EQ(all_corners(read.meshes), all_corners(sample.meshes));
}

TEST(ReportObj, MaterialsAreThoseOfTheMtl) {
  const TemporaryFolder folder;
  const Sample sample;
  save(folder / "a.obj", [&](Output& output) { write_obj_mesh(output, folder / "a.mtl", sample.contacts(), {}); });
  save(folder / "a.mtl", [](Output& output) { write_mtl(output); });
  const std::string materials = slurp(folder / "a.mtl");
  std::istringstream lines(slurp(folder / "a.obj"));
  int used = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("usemtl ")) {
      ++used;
      EXPECT_NE(materials.find("newmtl " + line.substr(7) + "\n"), std::string::npos) << line;
    }
  EXPECT_EQ(used, 4);  // crossing (two triangles), coplanar, duplicate; touching in the other part
}

TEST(ReportObj, Segments) {
  const TemporaryFolder folder;
  const Sample sample;
  save(folder / "a.obj", [&](Output& output) { write_obj_segments(output, folder / "a.mtl", sample.contacts(), {}); });
  const std::string file = slurp(folder / "a.obj");
  EXPECT_NE(file.find("usemtl crossing\nl 1 2\n"), std::string::npos) << file;
  EXPECT_NE(file.find("usemtl coplanar\nl 3 4 "), std::string::npos) << file;
  EXPECT_NE(file.find("usemtl touching\np "), std::string::npos) << file;
}

TEST(ReportMeshFile, EveryFormatReadsBackExactly) {
  const TemporaryFolder folder;
  Assembly assembly;
  assembly.add(scenes::self_intersecting_tube(500));
  assembly.add(scenes::to_float(scenes::sphere(80)));
  for (const char* name : {"a.stl", "a.obj", "a.ply", "a.off", "B.STL"}) {
    write_assembly(folder / name, assembly);
    const std::vector<Mesh> read = {read_mesh(folder / name)};
    EXPECT_EQ(all_corners(read), all_corners(assembly.meshes)) << name;
  }
  assembly.meshes[1] = scenes::scaled(scenes::to_double(assembly.meshes[1]), 0.1);  // not floats
  for (const char* name : {"a.obj", "a.ply", "a.off"}) {
    write_assembly(folder / name, assembly);
    const std::vector<Mesh> read = {read_mesh(folder / name)};
    EXPECT_EQ(all_corners(read), all_corners(assembly.meshes)) << name;
  }
  EXPECT_THROW(write_assembly(folder / "c.stl", assembly), Error);
  EXPECT_THROW(write_assembly(folder / "c.xyz", assembly), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "c.stl"));
}

}  // namespace
}  // namespace sightline::report
