#include "method/peel_ids.h"

#include <algorithm>

#include "base/format.h"
#include "mesh/weld.h"

namespace sightline::papers::method {
namespace {

std::vector<std::uint32_t> drawn_triangles(const Scene& scene, const std::vector<Region>& regions) {
  std::vector<bool> drawn(scene.triangles.size());
  for (const Region& region : regions)
    for (const auto& triangles : region.triangles)
      for (const std::uint32_t t : triangles) drawn[t] = true;
  std::vector<std::uint32_t> list;
  for (std::uint32_t t = 0; t < drawn.size(); ++t)
    if (drawn[t]) list.push_back(t);
  return list;
}

/// For each triangle of the list, which are all of one object, its three vertices after welding, as numbers below 3
/// times the list's size.
std::vector<Triangle> welded(const Scene& scene, std::span<const std::uint32_t> list) {
  const TriangleTable::Object& object = scene.table.objects[scene.object_of[list.front()]];
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> place(object.vertex_count, kNone);
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;
  triangles.reserve(list.size());
  for (const std::uint32_t t : list) {
    Triangle own;
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t vertex = scene.triangles[t][i];
      std::uint32_t& at = place[vertex - static_cast<std::uint32_t>(object.first_vertex)];
      if (at == kNone) {
        at = static_cast<std::uint32_t>(points.size());
        points.push_back(scene.positions[vertex]);
      }
      own[i] = at;
    }
    triangles.push_back(own);
  }
  const std::vector<std::uint32_t> first = weld(std::span<const Vec3d>(points));
  for (Triangle& t : triangles) t = {first[t[0]], first[t[1]], first[t[2]]};
  return triangles;
}

/// Calls visit(vertex) for the distinct vertices of a triangle.
template <typename Visit>
void for_each_vertex(const Triangle& t, const Visit& visit) {
  visit(t[0]);
  if (t[1] != t[0]) visit(t[1]);
  if (t[2] != t[0] && t[2] != t[1]) visit(t[2]);
}

/// The vertex of each triangle: greedily, the largest group first; of equal groups, that of the lower vertex.
std::vector<std::uint32_t> greedy_vertices(std::span<const Triangle> triangles) {
  const std::size_t vertices = 3 * triangles.size();
  std::vector<std::uint32_t> start(vertices + 1, 0), left(vertices, 0);
  for (const Triangle& t : triangles) for_each_vertex(t, [&](std::uint32_t v) { ++left[v]; });
  for (std::size_t v = 0; v < vertices; ++v) start[v + 1] = start[v] + left[v];
  std::vector<std::uint32_t> around(start[vertices]), next(start.begin(), start.end() - 1);
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for_each_vertex(triangles[i], [&](std::uint32_t v) { around[next[v]++] = i; });

  // By the number of triangles without an id. That number only falls, so a vertex moves to a lower list when its turn
  // comes.
  std::vector<std::vector<std::uint32_t>> with;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (left[v] == 0) continue;
    if (left[v] >= with.size()) with.resize(left[v] + std::size_t{1});
    with[left[v]].push_back(v);
  }
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> chosen(triangles.size(), kNone);
  for (std::size_t count = with.size(); count-- > 1;) {
    std::sort(with[count].begin(), with[count].end());
    for (const std::uint32_t v : with[count]) {
      if (left[v] < count) {
        with[left[v]].push_back(v);
        continue;
      }
      for (std::uint32_t at = start[v]; at < start[v + 1]; ++at) {
        const std::uint32_t i = around[at];
        if (chosen[i] != kNone) continue;
        chosen[i] = v;
        for_each_vertex(triangles[i], [&](std::uint32_t other) { --left[other]; });
      }
    }
  }
  return chosen;
}

}  // namespace

std::vector<std::uint32_t> triangle_ids(const Scene& scene, const std::vector<Region>& regions, IdScheme scheme,
                                        Workers& workers) {
  const std::vector<std::uint32_t> drawn = drawn_triangles(scene, regions);
  if (drawn.size() > 0xFFFFFFFFu / 3) throw Error(formatted("peel: {} triangles are too many for ids", drawn.size()));
  std::vector<std::uint32_t> ids(scene.triangles.size(), 0);
  if (scheme == IdScheme::unique) {
    for (const std::uint32_t t : drawn) ids[t] = t + 1;
    return ids;
  }
  std::vector<std::size_t> begin;  // of each object's triangles
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (i == 0 || scene.object_of[drawn[i]] != scene.object_of[drawn[i - 1]]) begin.push_back(i);
  begin.push_back(drawn.size());
  workers.for_each(begin.size() - 1, [&](std::size_t object) {
    const std::size_t first = begin[object];
    const std::span<const std::uint32_t> list(drawn.data() + first, begin[object + 1] - first);
    const std::vector<Triangle> triangles = welded(scene, list);
    const std::vector<std::uint32_t> chosen =
        scheme == IdScheme::greedy_vertex ? greedy_vertices(triangles) : std::vector<std::uint32_t>{};
    for (std::size_t i = 0; i < list.size(); ++i)
      ids[list[i]] = static_cast<std::uint32_t>(3 * first) + (chosen.empty() ? triangles[i][2] : chosen[i]) + 1;
  });
  return ids;
}

}  // namespace sightline::papers::method
