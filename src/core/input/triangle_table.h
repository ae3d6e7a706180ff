// All triangles of a query under one numbering, without copying them: objects one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/box.h"
#include "base/image_of.h"
#include "input/object.h"

namespace sightline {

class Workers;

class TriangleTable {
 public:
  static constexpr std::uint64_t kMostTriangles = 0xFFFFFFFFu;
  struct Object {
    const Triangle* triangles;
    const Vec3f* f32;  ///< stored points; one of the two is null
    const Vec3d* f64;
    const Transform* transform;  ///< null: positions are the stored points
    std::uint32_t first_triangle;
    std::uint32_t triangle_count;
    std::uint64_t first_vertex;
    std::uint32_t vertex_count;
    std::uint32_t id;     ///< as the caller numbers it
    std::uint32_t place;  ///< in the caller's list
    ObjectOptions options;
    bool separate = false;  ///< triangle i has the vertices 3 i, 3 i + 1, 3 i + 2: its row need not be read

    /// Of a triangle, by its number in the object.
    Triangle vertices(std::uint32_t triangle) const {
      return separate ? Triangle{3 * triangle, 3 * triangle + 1, 3 * triangle + 2} : triangles[triangle];
    }

    Vec3d position(std::uint32_t vertex) const {
      if (f64 != nullptr) return transform == nullptr ? f64[vertex] : image_of(f64[vertex], *transform);
      const Vec3f p = single(vertex);
      return {p[0], p[1], p[2]};
    }
    /// By the triangle's number in the table.
    std::array<Vec3d, 3> corners(std::uint32_t triangle) const {
      const Triangle t = vertices(triangle - first_triangle);
      return {position(t[0]), position(t[1]), position(t[2])};
    }
    /// Calls visit(at), where at(vertex) is a position in the type of the storage; each of the four cases is compiled
    /// separately.
    template <typename Visit>
    decltype(auto) with_positions(const Visit& visit) const {
      if (transform != nullptr)
        return f64 != nullptr ? visit([this](std::uint32_t vertex) { return position(vertex); })
                              : visit([this](std::uint32_t vertex) { return single(vertex); });
      return f64 != nullptr ? visit([points = f64](std::uint32_t vertex) -> const Vec3d& { return points[vertex]; })
                            : visit([points = f32](std::uint32_t vertex) -> const Vec3f& { return points[vertex]; });
    }
    /// Calls visit(points) with the stored points.
    template <typename Visit>
    void with_storage(const Visit& visit) const {
      f64 != nullptr ? visit(f64) : visit(f32);
    }
    /// The box of a triangle, by its number in the object.
    Box box(std::uint32_t triangle) const {
      const Triangle t = vertices(triangle);
      if (f64 != nullptr || transform != nullptr)
        return box_of(std::array{position(t[0]), position(t[1]), position(t[2])});
      Box box;
      for (int k = 0; k < 3; ++k) {
        const float a = f32[t[0]][k], b = f32[t[1]][k], c = f32[t[2]][k];
        box.low[k] = std::min(std::min(a, b), c);
        box.high[k] = std::max(std::max(a, b), c);
      }
      return box;
    }
    /// The bounds of some vertices.
    Box bounds(std::uint32_t first, std::uint32_t last) const;
    Box bounds() const { return bounds(0, vertex_count); }
    /// The position in float32, without rounding; for objects with float32 storage.
    Vec3f single(std::uint32_t vertex) const {
      return transform == nullptr ? f32[vertex] : image_of(f32[vertex], *transform);
    }
  };

  /// A run of one object's vertices or triangles.
  struct Run {
    const Object* object;
    std::uint32_t first, last;
  };
  /// All vertices in runs of at most `most`, for workers to share.
  std::vector<Run> vertex_pieces(std::uint32_t most) const;

  /// Keeps pointers into the objects. Throws Error if there are more triangles than 32 bits can number.
  SIGHTLINE_API void assign(std::span<const QueryObject> objects);
  /// The same, object by object: all of them after `clear`, or one more.
  void clear() { rewind({}); }
  void add(const QueryObject& object, std::size_t place);

  /// The state to which `rewind` returns.
  struct Mark {
    std::size_t objects = 0;
    std::uint32_t triangle_count = 0;
    std::uint64_t vertex_count = 0;
    bool all_f32 = true, any_self = false, all_wanted = true;
  };
  Mark mark() const { return {objects.size(), triangle_count, vertex_count, all_f32, any_self, all_wanted}; }
  void rewind(const Mark& mark);

  /// Sets `separate` where it holds. The rows of all triangles are read, but only where there are as many vertices as
  /// separate triangles have.
  void find_separate(Workers& workers);

  std::vector<Object> objects;  ///< those with triangles, in the caller's order
  std::uint32_t triangle_count = 0;
  std::uint64_t vertex_count = 0;
  bool all_f32 = true;
  bool any_self = false;
  bool all_wanted = true;  ///< every pair of distinct objects

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
