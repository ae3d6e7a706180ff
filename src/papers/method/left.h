// What the method `velocity` leaves of the objects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/parallel.h"
#include "input/triangle_table.h"
#include "method/faces.h"

namespace sightline::papers::method {

/// The triangles that stay, and their vertices in the world. The memory can be used again.
struct Left {
  std::vector<std::uint32_t> count;         ///< triangles, per object of the table
  std::vector<std::uint32_t> vertex_count;  ///< per object of the table
  // Per triangle: those of an object begin at its first_triangle, in ascending order.
  Buffer<Triangle> triangles;
  Buffer<std::uint32_t> original;  ///< their numbers in the whole object
  Buffer<std::uint8_t> stays;      ///< per face of the whole object
  // Per vertex: those of an object begin at its first_vertex.
  Buffer<Vec3f> f32;
  Buffer<Vec3d> f64;
  Buffer<std::uint8_t> used;      ///< per vertex of the whole object: whether a triangle that stays has it
  Buffer<std::uint32_t> renamed;  ///< per vertex of the whole object that is used: its number among these

  std::uint64_t total() const;
  /// What is left of an object, in the type of its storage. Positions are as the engine places them.
  MeshView mesh_of(const TriangleTable& table, std::size_t object) const;
  std::span<const std::uint32_t> original_of(const TriangleTable& table, std::size_t object) const;
};

/// A run of an object's faces, triangles or vertices, for a worker.
struct Task {
  std::uint32_t object, first, last;
};

/// count(i): of object i.
template <typename Count>
std::vector<Task> tasks_of(std::size_t objects, const Count& count) {
  constexpr std::uint32_t kTask = 64 * FaceBlock::kFaces;
  std::vector<Task> tasks;
  for (std::uint32_t i = 0; i < objects; ++i)
    for (std::uint64_t first = 0; first < count(i); first += kTask)
      tasks.push_back({i, static_cast<std::uint32_t>(first),
                       static_cast<std::uint32_t>(std::min<std::uint64_t>(first + kTask, count(i)))});
  return tasks;
}

/// Writes the rest of `left` from the flags of the faces (Left::stays).
void gather(const TriangleTable& table, std::span<const Faces* const> faces, Workers& workers, Left& left);

}  // namespace sightline::papers::method
