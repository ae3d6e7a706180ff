#include "method/winding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sightline::papers::method {
namespace {

struct Component {
  std::vector<Triangle> triangles;  ///< with area, welded
  Vec3d low, high;
  std::int8_t sign = 0;
};

std::vector<Component> components_of(const MeshView& mesh, const Topology& topology) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Component> all(topology.components);
  for (Component& c : all) c.low.fill(kInfinity), c.high.fill(-kInfinity);
  std::size_t next_degenerate = 0;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    Component& c = all[topology.component[t]];
    for (const Vec3d& p : mesh.corners(t))
      for (int axis = 0; axis < 3; ++axis) {
        c.low[axis] = std::min(c.low[axis], p[axis]);
        c.high[axis] = std::max(c.high[axis], p[axis]);
      }
    if (next_degenerate < topology.degenerate.size() && topology.degenerate[next_degenerate] == t) {
      ++next_degenerate;
      continue;
    }
    Triangle welded = mesh.triangles[t];
    for (std::uint32_t& v : welded) v = topology.vertex[v];
    c.triangles.push_back(welded);
  }
  return all;
}

/// Each edge equally often in both directions: closed, and wound alike throughout.
bool balanced(const Component& component) {
  struct Edge {
    std::uint32_t low, high;
    int direction;
  };
  std::vector<Edge> edges;
  edges.reserve(3 * component.triangles.size());
  for (const Triangle& t : component.triangles)
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& e, const Edge& f) { return std::pair(e.low, e.high) < std::pair(f.low, f.high); });
  int sum = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    sum += edges[i].direction;
    const bool last = i + 1 == edges.size() || edges[i].low != edges[i + 1].low || edges[i].high != edges[i + 1].high;
    if (last && sum != 0) return false;
  }
  return !edges.empty();
}

/// The sign of the signed volume; 0 if rounding might have changed it. Each product of three lengths below has a few
/// rounding errors, and adding n of them at most n more: n + 16 ulps of the sum of all sizes are enough.
std::int8_t volume_sign(const MeshView& mesh, const Component& component) {
  const Vec3d o = mesh.position(component.triangles.front()[0]);
  double volume = 0, size = 0;
  for (const Triangle& t : component.triangles) {
    std::array<Vec3d, 3> d;
    for (int i = 0; i < 3; ++i)
      for (int axis = 0; axis < 3; ++axis) d[i][axis] = mesh.position(t[i])[axis] - o[axis];
    for (int axis = 0; axis < 3; ++axis) {
      const int y = (axis + 1) % 3, z = (axis + 2) % 3;
      volume += d[0][axis] * (d[1][y] * d[2][z] - d[1][z] * d[2][y]);
      size += std::abs(d[0][axis]) * (std::abs(d[1][y] * d[2][z]) + std::abs(d[1][z] * d[2][y]));
    }
  }
  const double n = static_cast<double>(component.triangles.size());
  const double error = (3 * n + 16) * std::numeric_limits<double>::epsilon() * size;
  if (!(std::abs(volume) > error) || !std::isfinite(size)) return 0;
  return volume > 0 ? 1 : -1;
}

bool holds(const Component& outer, const Component& inner) {
  for (int axis = 0; axis < 3; ++axis)
    if (outer.low[axis] > inner.low[axis] || inner.high[axis] > outer.high[axis]) return false;
  return true;
}

/// 1 or -1 by whether the component lies in an even or an odd number of the others; 0 if that is not certain.
int nesting_sign(const MeshView& mesh, const std::vector<Component>& all, std::size_t index) {
  constexpr int kMostTests = 16;  // of a ray each
  int sign = 1, tests = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == index || !holds(all[i], all[index])) continue;
    if (all[i].sign == 0 || ++tests > kMostTests) return 0;
    const Side side =
        side_of({mesh.positions, all[i].triangles, mesh.transform()}, mesh.position(all[index].triangles.front()[0]));
    if (side == Side::on) return 0;
    if (side == Side::inside) sign = -sign;
  }
  return sign;
}

}  // namespace

MeshView view_of(const TriangleTable::Object& object) {
  const Positions stored = object.f64 != nullptr ? Positions(std::span(object.f64, object.vertex_count))
                                                 : Positions(std::span(object.f32, object.vertex_count));
  return {
      stored, {object.triangles, object.triangle_count}, object.transform == nullptr ? Transform{} : *object.transform};
}

namespace {

Winding winding_of(const MeshView& mesh, const Topology& topology, std::vector<Component> all) {
  std::vector<std::int8_t> solid(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].sign != 0) solid[i] = static_cast<std::int8_t>(all[i].sign * nesting_sign(mesh, all, i));
  Winding result;
  for (const std::uint32_t c : topology.component) {
    result.of_component.push_back(all[c].sign);
    result.of_solid.push_back(solid[c]);
  }
  return result;
}

}  // namespace

Winding winding(const MeshView& mesh, const Topology& topology) {
  std::vector<Component> all = components_of(mesh, topology);
  for (Component& c : all)
    if (balanced(c)) c.sign = volume_sign(mesh, c);
  return winding_of(mesh, topology, std::move(all));
}

Winding winding(const MeshView& mesh, const Topology& topology, const std::vector<std::uint8_t>& balanced) {
  std::vector<Component> all = components_of(mesh, topology);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (balanced[i] != 0) all[i].sign = volume_sign(mesh, all[i]);
  return winding_of(mesh, topology, std::move(all));
}

}  // namespace sightline::papers::method
