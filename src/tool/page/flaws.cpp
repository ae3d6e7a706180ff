#include "page/flaws.h"

#include <algorithm>
#include <cmath>

#include "mesh/edges.h"
#include "mesh/weld.h"

namespace sightline::report {
namespace {

constexpr double kFlawSteps = 1 << 20;       // over the box of all of them
constexpr std::size_t kMostPoints = 20'000;  // of all flaws together

struct FlawEdges {
  std::vector<EdgeKey> open, nonmanifold;
};

FlawEdges edges_of(const Part& part) {
  const MeshView& mesh = part.mesh;
  const std::vector<std::uint32_t> same =
      mesh.positions.is_double() ? weld(mesh.positions.f64()) : weld(mesh.positions.f32());
  std::vector<EdgeKey> keys;
  keys.reserve(3 * mesh.triangles.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (next < part.facts.degenerate.size() && part.facts.degenerate[next] == i) {
      ++next;
      continue;
    }
    const Triangle& t = mesh.triangles[i];
    for (int k = 0; k < 3; ++k) keys.push_back(edge_key(same[t[k]], same[t[(k + 1) % 3]]));
  }
  std::sort(keys.begin(), keys.end());
  FlawEdges edges;
  for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
    for (end = begin + 1; end < keys.size() && keys[end] == keys[begin];) ++end;
    if ((end - begin) % 2 == 1) edges.open.push_back(keys[begin]);
    if (end - begin > 2) edges.nonmanifold.push_back(keys[begin]);
  }
  return edges;
}

// Edges joined to chains that are as long as possible: first from the ends, then what is left are loops.
std::vector<std::vector<std::uint32_t>> chains(const std::vector<EdgeKey>& edges) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> at;  // vertex, edge
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    at.emplace_back(static_cast<std::uint32_t>(edges[i] >> 32), i);
    at.emplace_back(static_cast<std::uint32_t>(edges[i]), i);
  }
  std::sort(at.begin(), at.end());
  const auto around = [&](std::uint32_t vertex) {
    return std::ranges::equal_range(at, vertex, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
  };
  std::vector<bool> used(edges.size());
  std::vector<std::vector<std::uint32_t>> list;
  const auto walk = [&](std::uint32_t edge, std::uint32_t vertex) {
    std::vector<std::uint32_t> chain = {vertex};
    for (;;) {
      used[edge] = true;
      const auto low = static_cast<std::uint32_t>(edges[edge] >> 32), high = static_cast<std::uint32_t>(edges[edge]);
      vertex = vertex == low ? high : low;
      chain.push_back(vertex);
      const auto here = around(vertex);
      if (here.size() != 2) break;
      const std::uint32_t other = here[0].second == edge ? here[1].second : here[0].second;
      if (used[other]) break;
      edge = other;
    }
    list.push_back(std::move(chain));
  };
  for (const auto& [vertex, edge] : at)
    if (!used[edge] && around(vertex).size() != 2) walk(edge, vertex);
  for (std::uint32_t edge = 0; edge < edges.size(); ++edge)
    if (!used[edge]) walk(edge, static_cast<std::uint32_t>(edges[edge] >> 32));
  return list;
}

}  // namespace

std::vector<Flaw> find_flaws(std::span<const Part> parts, std::size_t most) {
  std::vector<Flaw> flaws;
  std::size_t points = 0;
  const auto add = [&](Flaw flaw) {
    if (flaws.size() >= most || points + flaw.points.size() > kMostPoints) return;
    points += flaw.points.size();
    flaws.push_back(std::move(flaw));
  };
  for (std::uint32_t number = 0; number < parts.size() && flaws.size() < most; ++number) {
    const Part& part = parts[number];
    if (part.mesh.triangles.empty()) continue;
    if (part.facts.open_edges > 0 || part.facts.nonmanifold_edges > 0) {
      const FlawEdges edges = edges_of(part);
      for (const bool open : {true, false})
        for (const std::vector<std::uint32_t>& chain : chains(open ? edges.open : edges.nonmanifold)) {
          Flaw flaw{.kind = open ? Flaw::Kind::open : Flaw::Kind::nonmanifold, .part = number, .points = {}};
          for (const std::uint32_t vertex : chain) flaw.points.push_back(part.mesh.position(vertex));
          add(std::move(flaw));
        }
    }
    for (const std::uint32_t triangle : part.facts.degenerate) {
      const std::array<Vec3d, 3> corners = part.mesh.corners(triangle);
      add({.kind = Flaw::Kind::degenerate, .part = number, .points = {corners.begin(), corners.end()}});
    }
  }
  return flaws;
}

void append_flaws(PageBytes& bytes, std::span<const Flaw> flaws) {
  bytes.varint(flaws.size());
  if (flaws.empty()) return;
  Box box;
  for (const Flaw& flaw : flaws)
    for (const Vec3d& point : flaw.points) box.add(point);
  for (const double x : box.low) bytes.f64(x);
  for (const double x : box.high) bytes.f64(x);
  std::array<std::uint64_t, 3> before = {};
  for (const Flaw& flaw : flaws) {
    bytes.byte(static_cast<std::uint8_t>(flaw.kind));
    bytes.varint(flaw.part);
    bytes.varint(flaw.points.size());
    for (const Vec3d& point : flaw.points)
      for (int axis = 0; axis < 3; ++axis) {
        const auto value = static_cast<std::uint64_t>(std::llround(share(box, point, axis) * kFlawSteps));
        bytes.difference(value, before[axis]);
        before[axis] = value;
      }
  }
}

}  // namespace sightline::report
