// Topology of a mesh: weld positions, join components, count the triangles at each edge. All of it is exact.
//
// 1. Weld: equal positions become one vertex (mesh/weld.h).
// 2. Degenerate triangles: a filter in double, the rest by an exact collinearity test.
// 3. Components: union-find on welded vertices.
// 4. Edges and duplicates: a counting sort by the smallest vertex leaves short lists (about six entries in a usual
//    mesh), each sorted on its own. 1M triangles: 3M edges take a third of the time of one sort of all of them.
#include "mesh/topology.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <span>
#include <utility>

#include "base/float_environment.h"
#include "base/union_find.h"
#include "exact/points.h"
#include "input/object.h"
#include "mesh/weld.h"

namespace sightline {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint32_t kNone = 0xFFFFFFFFu;

// ---- 2. degenerate triangles

/// True only if the triangle has area. Each difference is within a factor 1 ± u of the true one (u = 2^-53, and exact
/// where it is subnormal), each product and the last subtraction add a factor each: the error of d is below
/// 4.01 u (|p| + |q|), plus underflow far below DBL_MIN. Overflow makes the comparison false.
bool surely_has_area(const std::array<Vec3d, 3>& t) {
  Vec3d e, f;
  for (int k = 0; k < 3; ++k) e[k] = t[1][k] - t[0][k], f[k] = t[2][k] - t[0][k];
  for (int k = 0; k < 3; ++k) {
    const double p = e[k] * f[(k + 1) % 3], q = e[(k + 1) % 3] * f[k];
    if (std::abs(p - q) > 1e-15 * (std::abs(p) + std::abs(q)) + DBL_MIN) return true;
  }
  return false;
}

Triangle welded(const std::vector<uint32_t>& vertex, const Triangle& t) {
  return {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
}

bool is_degenerate(const MeshView& mesh, const std::vector<uint32_t>& vertex, size_t i) {
  const Triangle t = welded(vertex, mesh.triangles[i]);
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
  const std::array<Vec3d, 3> corners = mesh.corners(i);
  return !surely_has_area(corners) && exact::collinear(corners[0], corners[1], corners[2]);
}

/// One byte a triangle: 1 if it has no area.
std::vector<std::uint8_t> degenerate_flags(const MeshView& mesh, const std::vector<uint32_t>& vertex, Workers& workers,
                                           const Poll& poll) {
  std::vector<std::uint8_t> flags(mesh.triangles.size());
  workers.for_blocks(flags.size(), 4096, [&](size_t first, size_t last) {
    Poll own = poll;
    own.each(last - first, [&](size_t i) { flags[first + i] = is_degenerate(mesh, vertex, first + i); });
  });
  return flags;
}

// ---- 3. components

void number_components(const MeshView& mesh, Topology& topology, Poll& poll) {
  UnionFind sets(topology.vertex.size());
  poll.each(mesh.triangles.size(), [&](size_t i) {
    const Triangle v = welded(topology.vertex, mesh.triangles[i]);
    sets.join(v[0], v[1]);
    sets.join(v[0], v[2]);
  });
  std::vector<uint32_t> number(topology.vertex.size(), kNone);
  std::vector<std::uint8_t> used(number.size(), 0);
  topology.component.reserve(mesh.triangles.size());
  poll.each(mesh.triangles.size(), [&](size_t i) {
    const Triangle v = welded(topology.vertex, mesh.triangles[i]);
    for (const uint32_t corner : v) topology.vertices += !std::exchange(used[corner], std::uint8_t{1});
    uint32_t& mine = number[sets.root(v[0])];
    if (mine == kNone) mine = topology.components++;
    topology.component.push_back(mine);
  });
}

// ---- 4. edges and duplicates

/// Calls visit(key, value, count) for each distinct (key, value), in ascending order, until it returns false: a
/// counting sort into lists by key, each sorted on its own. `each(emit)` calls emit(key, value) for all of them, twice.
template <typename Value, typename Each, typename Visit>
void each_run(size_t keys, const Each& each, const Visit& visit, Poll& poll) {
  std::vector<uint64_t> end(keys + 1, 0);
  each([&](uint32_t key, Value) { ++end[key]; });
  uint64_t sum = 0;
  for (uint64_t& e : end) sum += std::exchange(e, sum);
  std::vector<Value> values(sum);
  each([&](uint32_t key, Value value) { values[end[key]++] = value; });
  uint64_t begin = 0;
  for (uint32_t key = 0; key < keys; begin = end[key++]) {
    if (key % 1024 == 0) poll.now();
    sort_polled(std::span(values).subspan(begin, end[key] - begin), std::less<>(), poll);
    for (uint64_t i = begin, next; i < end[key]; i = next) {
      for (next = i + 1; next < end[key] && values[next] == values[i];) ++next;
      if (!visit(key, values[i], next - i)) return;
    }
  }
}

template <typename Skip>
auto each_edge(const MeshView& mesh, const std::vector<uint32_t>& vertex, const Skip& skip, Poll& poll) {
  return [&](const auto& emit) {
    poll.each(mesh.triangles.size(), [&](size_t i) {
      if (skip(i)) return;
      const Triangle v = welded(vertex, mesh.triangles[i]);
      for (int k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(v[k], v[(k + 1) % 3]);
        emit(low, high);
      }
    });
  };
}

void count_edges(const MeshView& mesh, const std::vector<std::uint8_t>& degenerate, Topology& topology, Poll& poll) {
  const auto skip = [&](size_t i) { return degenerate[i] != 0; };
  const auto add = [&](uint32_t, uint32_t, uint64_t count) {
    topology.open_edges += count % 2;
    topology.nonmanifold_edges += count > 2;
    return true;
  };
  each_run<uint32_t>(topology.vertex.size(), each_edge(mesh, topology.vertex, skip, poll), add, poll);
}

/// A set of corners is written (smallest, next, largest), with the largest repeated where corners coincide: (a, a, b)
/// and (a, b, b) are one set.
void count_duplicates(const MeshView& mesh, Topology& topology, Poll& poll) {
  const auto each = [&](const auto& emit) {
    poll.each(mesh.triangles.size(), [&](size_t i) {
      Triangle v = welded(topology.vertex, mesh.triangles[i]);
      std::sort(v.begin(), v.end());
      if (v[0] == v[1]) v[1] = v[2];
      emit(v[0], uint64_t{v[1]} << 32 | v[2]);
    });
  };
  const auto add = [&](uint32_t, uint64_t, uint64_t count) {
    topology.duplicates += count - 1;
    return true;
  };
  each_run<uint64_t>(topology.vertex.size(), each, add, poll);
}

}  // namespace

Topology topology(const MeshView& mesh) {
  const FloatEnvironment environment;
  Workers workers(0, mesh.triangles.size());
  return topology(mesh, workers);
}

Topology topology(const MeshView& mesh, Workers& workers, Poll poll) {
  validate(mesh, "mesh", workers);
  Topology result;
  result.vertex = weld(mesh, poll);
  const std::vector<std::uint8_t> degenerate = degenerate_flags(mesh, result.vertex, workers, poll);
  for (size_t i = 0; i < degenerate.size(); ++i)
    if (degenerate[i]) result.degenerate.push_back(static_cast<uint32_t>(i));
  number_components(mesh, result, poll);
  count_edges(mesh, degenerate, result, poll);
  count_duplicates(mesh, result, poll);
  return result;
}

std::vector<std::array<uint32_t, 2>> open_edges(const MeshView& mesh, const Topology& topology, size_t most,
                                                Poll poll) {
  std::vector<std::array<uint32_t, 2>> found;
  if (most == 0) return found;
  const auto skip = [&](size_t i) {
    return std::binary_search(topology.degenerate.begin(), topology.degenerate.end(), static_cast<uint32_t>(i));
  };
  const auto add = [&](uint32_t low, uint32_t high, uint64_t count) {
    if (count % 2 != 0) found.push_back({low, high});
    return found.size() < most;
  };
  each_run<uint32_t>(topology.vertex.size(), each_edge(mesh, topology.vertex, skip, poll), add, poll);
  return found;
}

}  // namespace sightline
