// Two triangles that cross, from arrays in memory.
#include <sightline/sightline.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> xyz = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5f, 0.5f, -1, 0.5f, 0.5f, 1, 3, 3, 0};
  const std::vector<sightline::Triangle> triangles = {{0, 1, 2}, {3, 4, 5}};
  const sightline::MeshView mesh{sightline::Positions::flat(xyz), triangles};
  const sightline::Report report = sightline::self_intersections(mesh);
  for (const sightline::Contact& contact : report.contacts)
    std::printf("%u %u %s\n", contact.a, contact.b, to_string(contact.kind).data());
  return report.contacts.size() == 1 ? 0 : 1;
}
