#include "method/left.h"

#include <atomic>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

namespace sightline::papers::method {
namespace {

/// visit(i) for the flags that are set, in ascending order. Often none of eight neighbours is.
template <typename Visit>
void each_flag(const std::uint8_t* flags, std::uint32_t first, std::uint32_t last, const Visit& visit) {
  std::uint32_t i = first;
  for (; last - i >= 8; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, flags + i, 8);
    if (eight == 0) continue;
    for (std::uint32_t k = 0; k < 8; ++k)
      if (flags[i + k] != 0) visit(i + k);
  }
  for (; i < last; ++i)
    if (flags[i] != 0) visit(i);
}

/// Turns the counts of tasks into where each begins within its object; returns the sums of the objects.
std::vector<std::uint32_t> begins(std::size_t objects, const std::vector<Task>& tasks,
                                  std::vector<std::uint32_t>& counts) {
  std::vector<std::uint32_t> sums(objects, 0);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint32_t count = counts[i];
    counts[i] = std::exchange(sums[tasks[i].object], sums[tasks[i].object] + count);
  }
  return sums;
}

/// The triangles of faces that stay, and their vertices, in ascending order: counted, then written where they belong. A
/// query costs by vertices, too, and a smaller object has a smaller box.
class Gatherer {
 public:
  Gatherer(const TriangleTable& table, std::span<const Faces* const> faces, Workers& workers, Left& left)
      : table_(table), faces_(faces), workers_(workers), left_(left) {}

  void run() {
    const std::size_t objects = faces_.size();
    left_.used.resize(table_.vertex_count);
    left_.renamed.resize(table_.vertex_count);
    left_.triangles.resize(table_.triangle_count);
    left_.original.resize(table_.triangle_count);
    for (const TriangleTable::Object& object : table_.objects)
      object.f32 != nullptr ? void(left_.f32.resize(table_.vertex_count)) : void(left_.f64.resize(table_.vertex_count));
    const std::vector<Task> vertices = tasks_of(objects, [&](std::size_t i) { return table_.objects[i].vertex_count; });
    const std::vector<Task> triangles = tasks_of(objects, [&](std::size_t i) { return faces_[i]->triangle_count(); });
    workers_.for_each(vertices.size(), [&](std::size_t i) {
      const auto [object, first, last] = vertices[i];
      std::memset(used_of(object) + first, 0, last - first);
    });
    std::vector<std::uint32_t> counts(triangles.size());
    workers_.for_each(triangles.size(), [&](std::size_t i) { counts[i] = use(triangles[i]); });
    left_.count = begins(objects, triangles, counts);
    std::vector<std::uint32_t> used(vertices.size());
    workers_.for_each(vertices.size(), [&](std::size_t i) {
      const auto [object, first, last] = vertices[i];
      used[i] = std::accumulate(used_of(object) + first, used_of(object) + last, std::uint32_t{0});
    });
    left_.vertex_count = begins(objects, vertices, used);
    workers_.for_each(vertices.size(), [&](std::size_t i) { write_vertices(vertices[i], used[i]); });
    workers_.for_each(triangles.size(), [&](std::size_t i) { write_triangles(triangles[i], counts[i]); });
  }

 private:
  std::uint8_t* used_of(std::uint32_t object) { return left_.used.data() + table_.objects[object].first_vertex; }

  /// visit(t) for the triangles of the task that stay, in ascending order.
  template <typename Visit>
  void each(const Task& task, const Visit& visit) const {
    const Faces& own = *faces_[task.object];
    const std::uint8_t* const stays = left_.stays.data() + table_.objects[task.object].first_triangle;
    if (own.merged()) {
      for (std::uint32_t t = task.first; t < task.last; ++t)
        if (stays[own.face_of(t)] != 0) visit(t);
      return;
    }
    each_flag(stays, task.first, task.last, visit);
  }

  /// Marks the vertices of the triangles that stay; returns the number of these.
  std::uint32_t use(const Task& task) {
    const Triangle* const triangles = table_.objects[task.object].triangles;
    std::uint8_t* const used = used_of(task.object);
    std::uint32_t count = 0;
    each(task, [&](std::uint32_t t) {
      ++count;
      for (const std::uint32_t v : triangles[t]) std::atomic_ref(used[v]).store(1, std::memory_order_relaxed);
    });
    return count;
  }

  void write_vertices(const Task& task, std::uint32_t next) {
    const TriangleTable::Object& object = table_.objects[task.object];
    const std::uint8_t* const used = used_of(task.object);
    std::uint32_t* const renamed = left_.renamed.data() + object.first_vertex;
    object.with_positions([&](const auto& at) {
      using Point = std::remove_cvref_t<decltype(at(0u))>;
      Point* to = nullptr;
      if constexpr (std::is_same_v<Point, Vec3f>)
        to = left_.f32.data() + object.first_vertex;
      else
        to = left_.f64.data() + object.first_vertex;
      each_flag(used, task.first, task.last, [&](std::uint32_t v) {
        to[next] = at(v);
        renamed[v] = next++;
      });
    });
  }

  void write_triangles(const Task& task, std::uint32_t next) {
    const TriangleTable::Object& object = table_.objects[task.object];
    const std::uint32_t* const renamed = left_.renamed.data() + object.first_vertex;
    Triangle* to = left_.triangles.data() + object.first_triangle + next;
    std::uint32_t* number = left_.original.data() + object.first_triangle + next;
    each(task, [&](std::uint32_t t) {
      const Triangle& from = object.triangles[t];
      *to++ = {renamed[from[0]], renamed[from[1]], renamed[from[2]]};
      *number++ = t;
    });
  }

  const TriangleTable& table_;
  std::span<const Faces* const> faces_;
  Workers& workers_;
  Left& left_;
};

}  // namespace

void gather(const TriangleTable& table, std::span<const Faces* const> faces, Workers& workers, Left& left) {
  Gatherer(table, faces, workers, left).run();
}

std::uint64_t Left::total() const { return std::accumulate(count.begin(), count.end(), std::uint64_t{0}); }
MeshView Left::mesh_of(const TriangleTable& table, std::size_t i) const {
  const TriangleTable::Object& object = table.objects[i];
  const Positions positions = object.f32 != nullptr
                                  ? Positions(std::span(f32.data() + object.first_vertex, vertex_count[i]))
                                  : Positions(std::span(f64.data() + object.first_vertex, vertex_count[i]));
  return {positions, std::span(triangles.data() + object.first_triangle, count[i])};
}
std::span<const std::uint32_t> Left::original_of(const TriangleTable& table, std::size_t object) const {
  return {original.data() + table.objects[object].first_triangle, count[object]};
}

}  // namespace sightline::papers::method
