// What a user of Open3D would run instead of `sightline check`: read a mesh, check it, print. With a second argument,
// the pairs go to that file. Open3D 0.16 compares every triangle with every other one, on one thread.
#include <open3d/Open3D.h>

#include <algorithm>
#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  open3d::geometry::TriangleMesh mesh;
  if (argc < 2 || !open3d::io::ReadTriangleMesh(argv[1], mesh)) {
    std::cerr << "open3d_check: cannot read the mesh\n";
    return 2;
  }
  mesh.RemoveDuplicatedVertices();
  const auto pairs = mesh.GetSelfIntersectingTriangles();
  std::cout << mesh.triangles_.size() << " triangles, " << mesh.vertices_.size() << " vertices, "
            << (mesh.IsWatertight() ? "closed\n" : "open\n") << pairs.size() << " contacts\n";
  std::ofstream list(argc > 2 ? argv[2] : "/dev/null");
  for (const Eigen::Vector2i& pair : pairs)
    list << std::min(pair[0], pair[1]) << ' ' << std::max(pair[0], pair[1]) << '\n';
  return pairs.empty() ? 0 : 1;
}
