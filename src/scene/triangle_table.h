// All triangles of a query under one numbering, without copying them: objects one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/query.h"

namespace sightline {

class TriangleTable {
 public:
  struct Object {
    const Triangle* triangles;
    const Vec3f* f32;  ///< one of the two is null
    const Vec3d* f64;
    std::uint32_t first_triangle;
    std::uint32_t triangle_count;
    std::uint64_t first_vertex;
    std::uint32_t vertex_count;
    std::uint32_t id;     ///< as the caller numbers it
    std::uint32_t place;  ///< in the caller's list
    bool self;

    Vec3d position(std::uint32_t vertex) const {
      if (f64 != nullptr) return f64[vertex];
      return {f32[vertex][0], f32[vertex][1], f32[vertex][2]};
    }
  };

  /// A run of one object's vertices.
  struct VertexPiece {
    const Object* object;
    std::uint32_t first, last;
  };
  /// All vertices in runs of at most `most`, for workers to share.
  std::vector<VertexPiece> vertex_pieces(std::uint32_t most) const;

  /// Throws Error if there are more triangles than 32 bits can number.
  void assign(std::span<const QueryObject> objects);

  std::vector<Object> objects;  ///< those with triangles, in the caller's order
  std::uint32_t triangle_count = 0;
  std::uint64_t vertex_count = 0;
  bool all_f32 = true;
  bool any_self = false;

  /// The object of a triangle; `guess` is where the last one was found, and is updated.
  const Object& object_of(std::uint32_t triangle, std::uint32_t& guess) const {
    const Object* object = &objects[guess];
    if (triangle - object->first_triangle < object->triangle_count) return *object;
    std::uint32_t low = 0, high = static_cast<std::uint32_t>(objects.size());
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (objects[middle].first_triangle <= triangle ? low : high) = middle;
    }
    guess = low;
    return objects[low];
  }
};

}  // namespace sightline
