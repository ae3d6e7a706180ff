#include "solid/side.h"

#include <cmath>

#include "base/float_environment.h"
#include "base/format.h"
#include "mesh/topology.h"

namespace sightline {
namespace solid {

// Edges seen from a point inside all turn one way, which is then the triangle's own orientation. A triangle seen
// edge-on has its three edges on one line, running both ways (or not at all), so the signs differ and it is never
// crossed.
bool ray_crosses(const std::array<Vec3d, 3>& t, const Flag& flag, int axis) {
  const int turn = flag.orient2d(axis, t[0], t[1]);
  if (turn == 0 || flag.orient2d(axis, t[1], t[2]) != turn || flag.orient2d(axis, t[2], t[0]) != turn) return false;
  return flag.orient3d(t) == -turn;
}

bool ray_meets(const Box& box, const Box& from, int axis) {
  for (int k = 0; k < 3; ++k)
    if (box.high[k] < from.low[k] || (k != axis && box.low[k] > from.high[k])) return false;
  return true;
}

namespace {

bool on_segment(const Vec3d& a, const Vec3d& b, const Vec3d& p) {
  return box_of(std::array{a, b}).holds(p) && exact::collinear(a, b, p);
}

bool on_triangle(const std::array<Vec3d, 3>& t, const Vec3d& p) {
  if (exact::orient3d(t[0], t[1], t[2], p) != 0) return false;
  for (int axis = 0; axis < 3; ++axis) {
    const int turn = exact::orient2d(axis, t[0], t[1], t[2]);
    if (turn == 0) continue;
    for (int i = 0; i < 3; ++i)
      if (exact::orient2d(axis, t[i], t[(i + 1) % 3], p) == -turn) return false;
    return true;
  }
  return on_segment(t[0], t[1], p) || on_segment(t[1], t[2], p) || on_segment(t[2], t[0], p);
}

/// Marks the triangles of components that have an open edge.
std::vector<std::uint8_t> open_components(const MeshView& mesh, const Topology& topology, Poll& poll) {
  std::vector<std::uint8_t> open_vertex(topology.vertex.size(), 0), open(topology.components, 0);
  for (const auto& edge : open_edges(mesh, topology, topology.open_edges, poll)) open_vertex[edge[0]] = 1;
  poll.each(mesh.triangles.size(), [&](std::size_t i) {
    for (const std::uint32_t corner : mesh.triangles[i])
      if (open_vertex[topology.vertex[corner]]) open[topology.component[i]] = 1;
  });
  return open;
}

}  // namespace

Body::Body(const MeshView& m, Workers& w, Poll poll) : mesh(m), workers(w), topology(sightline::topology(m, w, poll)) {
  const std::size_t count = mesh.triangles.size();
  solid.assign(count, 1);
  if (topology.open_edges > 0) {
    const std::vector<std::uint8_t> open = open_components(mesh, topology, poll);
    for (std::size_t i = 0; i < count; ++i) solid[i] = !open[topology.component[i]];
  }
  for (const std::uint32_t t : topology.degenerate) solid[t] = 0;
  closed = topology.open_edges == 0 && topology.degenerate.size() < count;
  components.resize(topology.components);
  poll.each(count, [&](std::size_t last) {
    const std::size_t i = count - 1 - last;
    Component& mine = components[topology.component[i]];
    mine.closed |= solid[i] != 0;
    mine.triangle = static_cast<std::uint32_t>(i);
    mine.box.add(box_of(mesh.corners(i)));
  });
  if (count == 0) return;
  for (const Component& component : components) {
    poll();
    box.add(component.box);
    has_solid |= component.closed;
  }
  for (int k = 0; k < 2; ++k)
    if (box.half(k) < box.half(ray)) ray = k;
}

// The tree is built in isolation: a thread that waits for other parts of the build must not take up a task that needs
// this very tree.
const BoxTree& Body::tree(const Poll& poll) const {
  std::call_once(once_, [&] { tree_ = BoxTree(mesh, workers, poll); });
  return tree_;
}

bool inside(const Body& body, const Flag& flag, Poll& poll) {
  bool odd = false;
  const auto test = [&](const Box& box) { return ray_meets(box, flag.box(), body.ray); };
  body.tree(poll).find(test, [&](std::uint32_t i) {
    poll(flag.steps());
    if (!body.solid[i]) return false;
    const std::array<Vec3d, 3> t = body.mesh.corners(i);
    odd ^= test(box_of(t)) && ray_crosses(t, flag, body.ray);
    return false;
  });
  return odd;
}

}  // namespace solid

Side side_of(const MeshView& closed_mesh, const Vec3d& point) {
  constexpr int kRay = 2;
  const FloatEnvironment environment;
  validate(closed_mesh);
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(point[k])) throw Error(formatted("side_of: {} is {}, not a finite number", "xyz"[k], point[k]));
  const solid::Flag flag = solid::Flag::near(point);
  bool odd = false;
  for (std::size_t i = 0; i < closed_mesh.triangles.size(); ++i) {
    const std::array<Vec3d, 3> t = closed_mesh.corners(i);
    const Box box = box_of(t);
    if (!solid::ray_meets(box, flag.box(), kRay)) continue;
    if (box.holds(point) && solid::on_triangle(t, point)) return Side::on;
    odd ^= solid::ray_crosses(t, flag, kRay);
  }
  return odd ? Side::inside : Side::outside;
}

}  // namespace sightline
