#include "input/triangle_table.h"

#include <algorithm>

#include "base/format.h"

namespace sightline {

void TriangleTable::assign(std::span<const QueryObject> all) {
  objects.clear();
  all_f32 = true;
  any_self = false;
  all_wanted = true;
  std::uint64_t triangles = 0;
  vertex_count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MeshView& mesh = all[i].mesh;
    if (mesh.triangles.empty()) continue;
    Object object;
    object.triangles = mesh.triangles.data();
    object.f32 = mesh.positions.is_double() ? nullptr : mesh.positions.f32().data();
    object.f64 = mesh.positions.is_double() ? mesh.positions.f64().data() : nullptr;
    object.transform = mesh.is_placed() ? &mesh.transform() : nullptr;
    object.first_triangle = static_cast<std::uint32_t>(triangles);
    object.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size());
    object.first_vertex = vertex_count;
    object.vertex_count = static_cast<std::uint32_t>(mesh.positions.size());
    object.id = all[i].id;
    object.place = static_cast<std::uint32_t>(i);
    object.options = all[i].options;
    objects.push_back(object);
    triangles += mesh.triangles.size();
    vertex_count += mesh.positions.size();
    all_f32 = all_f32 && !mesh.positions.is_double();
    any_self = any_self || all[i].options.self;
    all_wanted = all_wanted && (object.options.groups & objects[0].options.collides_with) != 0 &&
                 object.options.groups == objects[0].options.groups &&
                 object.options.collides_with == objects[0].options.collides_with;
  }
  if (triangles > 0xFFFFFFFFu)
    throw Error(formatted("scene: {} triangles in all; at most {} can be numbered", triangles, 0xFFFFFFFFu));
  triangle_count = static_cast<std::uint32_t>(triangles);
}

std::vector<TriangleTable::Run> TriangleTable::vertex_pieces(std::uint32_t most) const {
  std::vector<Run> pieces;
  for (const Object& object : objects)
    for (std::uint64_t first = 0; first < object.vertex_count; first += most)
      pieces.push_back({&object, static_cast<std::uint32_t>(first),
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(first + most, object.vertex_count))});
  return pieces;
}

}  // namespace sightline
