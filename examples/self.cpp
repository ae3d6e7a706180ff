// All self-intersections of a mesh.
#include <fmt/core.h>
#include <sightline/io.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: self MESH\n");
    return 2;
  }
  const char* path = argv[1];
  // [readme]
  const sightline::Mesh mesh = sightline::read_mesh(path);
  const sightline::Report report = sightline::self_intersections(mesh);
  for (const auto& contact : report.contacts) fmt::print("{} {}\n", contact.a, contact.b);
  // [readme]
  return 0;
}
