// The topology as it was computed before it ran in parallel: one thread, counting sorts, no blocks. The reference for
// the parallel one.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/union_find.h"
#include "oracle/rational.h"
#include "sightline/mesh.h"

namespace reference {

using namespace sightline;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

inline Triangle welded(const std::vector<uint32_t>& vertex, const Triangle& t) {
  return {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
}

/// Calls visit(key, value, count) for each distinct (key, value), in ascending order.
template <typename Value, typename Each, typename Visit>
void each_run(size_t keys, const Each& each, const Visit& visit) {
  std::vector<uint64_t> end(keys + 1, 0);
  each([&](uint32_t key, Value) { ++end[key]; });
  uint64_t sum = 0;
  for (uint64_t& e : end) sum += std::exchange(e, sum);
  std::vector<Value> values(sum);
  each([&](uint32_t key, Value value) { values[end[key]++] = value; });
  uint64_t begin = 0;
  for (uint32_t key = 0; key < keys; begin = end[key++]) {
    std::sort(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end[key]));
    for (uint64_t i = begin, next; i < end[key]; i = next) {
      for (next = i + 1; next < end[key] && values[next] == values[i];) ++next;
      visit(key, values[i], next - i);
    }
  }
}

inline void number_components(const MeshView& mesh, Topology& topology) {
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  UnionFind sets(topology.vertex.size());
  for (const Triangle& t : mesh.triangles) {
    const Triangle v = welded(topology.vertex, t);
    sets.join(v[0], v[1]);
    sets.join(v[0], v[2]);
  }
  std::vector<uint32_t> number(topology.vertex.size(), kNone);
  std::vector<std::uint8_t> used(number.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    const Triangle v = welded(topology.vertex, t);
    for (const uint32_t corner : v) topology.vertices += !std::exchange(used[corner], std::uint8_t{1});
    uint32_t& mine = number[sets.root(v[0])];
    if (mine == kNone) mine = topology.components++;
    topology.component.push_back(mine);
  }
}

/// Of a valid mesh. `degenerate`: its triangles without area, ascending.
inline Topology topology(const MeshView& mesh, std::vector<uint32_t> degenerate) {
  Topology result;
  std::map<Vec3d, uint32_t> first;
  for (uint32_t i = 0; i < mesh.positions.size(); ++i)
    result.vertex.push_back(first.emplace(mesh.position(i), i).first->second);
  std::vector<std::uint8_t> has_area(mesh.triangles.size(), 1);
  for (const uint32_t i : degenerate) has_area[i] = 0;
  result.degenerate = std::move(degenerate);
  number_components(mesh, result);
  each_run<uint32_t>(
      result.vertex.size(),
      [&](const auto& emit) {
        for (size_t i = 0; i < mesh.triangles.size(); ++i) {
          const Triangle v = welded(result.vertex, mesh.triangles[i]);
          for (int k = 0; k < 3 && has_area[i]; ++k) emit(std::min(v[k], v[(k + 1) % 3]), std::max(v[k], v[(k + 1) % 3]));
        }
      },
      [&](uint32_t, uint32_t, uint64_t count) {
        result.open_edges += count % 2;
        result.nonmanifold_edges += count > 2;
      });
  each_run<uint64_t>(
      result.vertex.size(),
      [&](const auto& emit) {
        for (const Triangle& t : mesh.triangles) {
          Triangle v = welded(result.vertex, t);
          std::sort(v.begin(), v.end());
          if (v[0] == v[1]) v[1] = v[2];
          emit(v[0], uint64_t{v[1]} << 32 | v[2]);
        }
      },
      [&](uint32_t, uint64_t, uint64_t count) { result.duplicates += count - 1; });
  return result;
}

}  // namespace reference
