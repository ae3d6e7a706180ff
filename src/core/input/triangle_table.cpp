#include "input/triangle_table.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include "base/format.h"
#include "base/parallel.h"

namespace sightline {

namespace {

void require_numbers(std::uint64_t triangles) {
  if (triangles > TriangleTable::kMostTriangles)
    throw Error(
        formatted("scene: {} triangles in all; at most {} can be numbered", triangles, TriangleTable::kMostTriangles));
}

}  // namespace

void TriangleTable::assign(std::span<const QueryObject> all) {
  clear();
  std::uint64_t triangles = 0;
  for (const QueryObject& object : all) triangles += object.mesh.triangles.size();
  require_numbers(triangles);
  for (std::size_t i = 0; i < all.size(); ++i) add(all[i], i);
}

void TriangleTable::add(const QueryObject& added, std::size_t place) {
  const MeshView& mesh = added.mesh;
  if (mesh.triangles.empty()) return;
  const std::uint64_t triangles = triangle_count + std::uint64_t{mesh.triangles.size()};
  require_numbers(triangles);
  Object object;
  object.triangles = mesh.triangles.data();
  object.f32 = mesh.positions.is_double() ? nullptr : mesh.positions.f32().data();
  object.f64 = mesh.positions.is_double() ? mesh.positions.f64().data() : nullptr;
  object.transform = mesh.is_placed() ? &mesh.transform() : nullptr;
  object.first_triangle = triangle_count;
  object.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size());
  object.first_vertex = vertex_count;
  object.vertex_count = static_cast<std::uint32_t>(mesh.positions.size());
  object.id = added.id;
  object.place = static_cast<std::uint32_t>(place);
  object.options = added.options;
  objects.push_back(object);
  triangle_count = static_cast<std::uint32_t>(triangles);
  vertex_count += mesh.positions.size();
  all_f32 = all_f32 && !mesh.positions.is_double();
  any_self = any_self || object.options.self;
  all_wanted = all_wanted && (object.options.groups & objects[0].options.collides_with) != 0 &&
               object.options.groups == objects[0].options.groups &&
               object.options.collides_with == objects[0].options.collides_with;
}

void TriangleTable::find_separate(Workers& workers) {
  constexpr std::uint32_t kPiece = 1 << 14;
  for (Object& object : objects) {
    if (object.vertex_count / 3 != object.triangle_count || object.vertex_count % 3 != 0) continue;
    std::atomic<bool> other = false;
    workers.for_blocks(object.triangle_count, kPiece, [&](std::size_t first, std::size_t last) {
      if (other.load(std::memory_order_relaxed)) return;
      std::uint32_t wrong = 0;
      for (std::size_t i = first; i < last; ++i)
        for (std::uint32_t k = 0; k < 3; ++k) wrong |= object.triangles[i][k] ^ (3 * static_cast<std::uint32_t>(i) + k);
      if (wrong != 0) other.store(true, std::memory_order_relaxed);
    });
    object.separate = !other;
  }
}

void TriangleTable::rewind(const Mark& mark) {
  objects.resize(mark.objects);
  triangle_count = mark.triangle_count;
  vertex_count = mark.vertex_count;
  all_f32 = mark.all_f32;
  any_self = mark.any_self;
  all_wanted = mark.all_wanted;
}

Box TriangleTable::Object::bounds(std::uint32_t first, std::uint32_t last) const {
  return with_positions([first, last](const auto& at) -> Box {
    using Scalar = typename std::remove_cvref_t<decltype(at(first))>::value_type;
    constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
    Scalar low[3] = {kInfinity, kInfinity, kInfinity}, high[3] = {-kInfinity, -kInfinity, -kInfinity};
    for (std::uint32_t i = first; i < last; ++i) {
      const auto& p = at(i);
      for (int k = 0; k < 3; ++k) {
        low[k] = p[k] < low[k] ? p[k] : low[k];
        high[k] = p[k] > high[k] ? p[k] : high[k];
      }
    }
    return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  });
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
