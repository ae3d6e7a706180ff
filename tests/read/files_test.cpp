// What can be wrong with a file before its contents matter, and assemblies of several files.
#include <sys/stat.h>

#include <thread>

#include "read/files.h"

namespace sightline::test {
namespace {

using Files = ReadTest;

const std::string kObj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

TEST_F(Files, Unreadable) {
  EXPECT_EQ(error_of(folder_.path() / "none.stl"), "none.stl: cannot open: No such file or directory");
  std::filesystem::create_directory(folder_.path() / "dir.stl");
  EXPECT_EQ(error_of(folder_.path() / "dir.stl"), "dir.stl: is a directory, not a file");
  EXPECT_EQ(error("empty.stl", ""), "empty.stl: the file is empty");
  EXPECT_EQ(error_of("/dev/zero"), "/dev/zero: is not a file or a pipe");
  const auto locked = folder_.write("locked.obj", kObj);
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  if (::geteuid() != 0) {  // root may read everything
    EXPECT_EQ(error_of(locked), "locked.obj: cannot open: Permission denied");
  }
}

TEST_F(Files, UnknownFormat) {
  const std::string expected = ": not a mesh in a format that can be read (STL, OBJ, PLY, OFF, glTF/GLB and 3MF)";
  EXPECT_EQ(error("a.txt", "hello world"), "a.txt" + expected);
  EXPECT_EQ(error("a.jpg", "\xFF\xD8\xFF"), "a.jpg" + expected);
  EXPECT_EQ(error("a.obj", "\xFF\xFEv"), "a.obj: byte 2: the file begins as UTF-16 text, but this is not UTF-16");
}

TEST_F(Files, ExtensionsInAnyCaseAndWrongOnes) {
  EXPECT_EQ(mesh("A.OBJ", kObj).triangles.size(), 1u);
  EXPECT_EQ(mesh("a.stl", kObj).triangles.size(), 1u);
  EXPECT_EQ(mesh("noextension", "\n# made by hand\n" + kObj).triangles.size(), 1u);
}

TEST_F(Files, Pipe) {
  const auto path = folder_.path() / "pipe.obj";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << kObj << std::string(300'000, '\n'); });
  EXPECT_EQ(read_mesh(path).triangles.size(), 1u);
  writer.join();
}

TEST_F(Files, SeveralFilesAsOneAssembly) {
  const std::vector<std::filesystem::path> paths = {folder_.write("b.obj", kObj), folder_.write("a.obj", kObj + "o x\nf 3 2 1\n"),
                                                    folder_.write("c.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"), folder_.path() / "b.obj"};
  const Assembly all = read_assembly(paths);
  std::vector<std::string> names;
  for (const Assembly::Part& part : all.parts) names.push_back(part.name);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a#0", "x", "c", "b"}));
}

}  // namespace
}  // namespace sightline::test
