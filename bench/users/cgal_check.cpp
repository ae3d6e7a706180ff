// What a user of CGAL would run instead of `sightline check`: read a mesh, check it, print. With a second argument, the
// pairs go to that file.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/IO/polygon_mesh_io.h>
#include <CGAL/Polygon_mesh_processing/connected_components.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <fstream>
#include <iostream>

namespace pmp = CGAL::Polygon_mesh_processing;
using Mesh = CGAL::Surface_mesh<CGAL::Exact_predicates_inexact_constructions_kernel::Point_3>;
using Face = Mesh::Face_index;

int main(int argc, char** argv) {
  Mesh mesh;
  if (argc < 2 || !pmp::IO::read_polygon_mesh(argv[1], mesh)) {
    std::cerr << "cgal_check: cannot read the mesh\n";
    return 2;
  }
  auto component = mesh.add_property_map<Face, std::size_t>("f:component").first;
  const std::size_t components = pmp::connected_components(mesh, component);
  std::vector<std::pair<Face, Face>> pairs;
  pmp::self_intersections<CGAL::Parallel_if_available_tag>(mesh, std::back_inserter(pairs));
  std::cout << mesh.number_of_faces() << " triangles, " << mesh.number_of_vertices() << " vertices, "
            << (CGAL::is_closed(mesh) ? "closed, " : "open, ") << components << " components\n"
            << pairs.size() << " contacts\n";
  std::ofstream list(argc > 2 ? argv[2] : "/dev/null");
  for (const auto& [a, b] : pairs) list << std::min(a.idx(), b.idx()) << ' ' << std::max(a.idx(), b.idx()) << '\n';
  return pairs.empty() ? 0 : 1;
}
