// Static scenes: bodies deformed until they meet themselves in one area, and bodies in each other.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/papers/placing.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

/// A curve in a plane: straight for the first `lead`, then a circle through `turn` of the full circle, then straight.
struct Bend {
  Vec3d base, along, toward;  ///< where it begins, its direction there, and the direction that it turns to
  double lead, arc, turn;

  /// The point of the body that lies `s` along the curve, `across` from it toward the inside and `side` off the plane.
  Vec3d operator()(double s, double across, const Vec3d& side) const {
    const double on_arc = std::clamp(s - lead, 0.0, arc), beyond = std::max(0.0, s - lead - arc);
    const double radius = arc / (turn * 6.283185307179586);
    const CirclePoint at = turned(on_arc / arc * turn);
    const Vec3d tangent = add(times(at.cos, along), times(at.sin, toward));
    const Vec3d inward = add(times(-at.sin, along), times(at.cos, toward));
    const Vec3d center = add(base, add(times(std::min(s, lead), along), times(radius, toward)));
    return add(add(center, times(across - radius, inward)), add(times(beyond, tangent), side));
  }
};

/// The left ear stretched and bent over backwards until its tip is in the back.
Mesh with_bent_ear(Mesh bunny) {
  const Vec3d along = normalized(minus(kEarTip, kEarBase));
  const Vec3d back{-1, 0, 0};
  const Vec3d toward = normalized(minus(back, times(dot(back, along), along)));
  const Vec3d aside = cross(along, toward);
  constexpr double kStretch = 1.75;
  const Bend bend{.base = kEarBase, .along = along, .toward = toward, .lead = 0.02, .arc = 0.45, .turn = 0.43};
  std::vector<Vec3d> points = points_of(bunny);
  for (Vec3d& p : points) {
    const Vec3d from_base = minus(p, kEarBase);
    const double s = dot(from_base, along);
    if (s <= 0 || p[2] <= 0) continue;
    p = bend(kStretch * s, dot(from_base, toward), times(dot(from_base, aside), aside));
  }
  set_points(bunny, points);
  bunny.name = "deformed bunny";
  return bunny;
}

/// Distance along the ray to the first triangle beyond `least`, or a negative number.
double ray_hit(const MeshView& mesh, const Vec3d& from, const Vec3d& direction, double least) {
  double nearest = -1;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto c = mesh.corners(i);
    const Vec3d e1 = minus(c[1], c[0]), e2 = minus(c[2], c[0]), h = cross(direction, e2);
    const double det = dot(e1, h);
    if (det == 0) continue;
    const Vec3d s = minus(from, c[0]), q = cross(s, e1);
    const double u = dot(s, h) / det, v = dot(direction, q) / det, t = dot(e2, q) / det;
    if (u >= 0 && v >= 0 && u + v <= 1 && t > least && (nearest < 0 || t < nearest)) nearest = t;
  }
  return nearest;
}

/// The surface within `radius` of the vertex pushed along the direction, most at the vertex itself.
Mesh dented(const Mesh& body, const std::vector<Vec3d>& points, const Vec3d& at, const Vec3d& push, double radius) {
  std::vector<Vec3d> moved_points = points;
  for (Vec3d& p : moved_points) {
    const Vec3d d = minus(p, at);
    const double x = 1 - dot(d, d) / (radius * radius);
    // Only the near side: the far side must stay where it is.
    if (x > 0 && dot(d, push) < 0.35 * dot(push, push)) p = add(p, times(x * x, push));
  }
  Mesh result{.name = body.name, .positions = {}, .triangles = body.triangles};
  set_points(result, moved_points);
  return result;
}

Vec3d area_normal(const MeshView& mesh, std::uint32_t vertex) {
  Vec3d sum{};
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    if (t[0] != vertex && t[1] != vertex && t[2] != vertex) continue;
    const auto c = mesh.corners(i);
    sum = add(sum, cross(minus(c[1], c[0]), minus(c[2], c[0])));
  }
  return normalized(sum);
}

/// The first of some vertices whose push through the body makes one area of contact; the last one tried if none does.
Mesh pushed_through(const Mesh& body) {
  const std::vector<Vec3d> points = points_of(body);
  const Box box = box_of(body);
  const double size = std::sqrt(dot(minus(box.high, box.low), minus(box.high, box.low)));
  constexpr std::size_t kTrials = 64;
  Mesh result = body;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const std::size_t vertex = trial * points.size() / kTrials;
    const Vec3d inward = times(-1, area_normal(body, static_cast<std::uint32_t>(vertex)));
    const double thickness = ray_hit(body, points[vertex], inward, 1e-3 * size);
    if (thickness < 0.03 * size || thickness > 0.2 * size) continue;
    Mesh tried = dented(body, points, points[vertex], times(1.3 * thickness, inward), 0.6 * thickness);
    const Report report = self_intersections(tried);
    if (report.contacts.empty()) continue;
    result = std::move(tried);
    if (contact_areas(result, report.contacts) == 1) break;
  }
  return result;
}

}  // namespace

std::size_t contact_areas(const MeshView& mesh, std::span<const Contact> contacts) {
  // Vertices are joined within each contact; an area is a root that contacts have.
  std::vector<std::uint32_t> root(mesh.positions.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const Contact& contact : contacts)
    for (const std::uint32_t triangle : {contact.a, contact.b})
      for (const std::uint32_t v : mesh.triangles[triangle]) root[find(v)] = find(mesh.triangles[contact.a][0]);
  std::vector<std::uint32_t> roots;
  for (const Contact& contact : contacts) roots.push_back(find(mesh.triangles[contact.a][0]));
  std::sort(roots.begin(), roots.end());
  return static_cast<std::size_t>(std::unique(roots.begin(), roots.end()) - roots.begin());
}

Mesh deformed_body(std::size_t n, const Mesh* body) {
  return body == nullptr ? with_bent_ear(bunny_body(n)) : pushed_through(*body);
}

Mesh two_cows(std::size_t n) {
  const Mesh cow = cow_body(n / 2);
  // Shifted by less than a leg's width and turned a little, so that all their parts cross.
  const Pose pose{.center = {0.11, 0.04, 0.13}, .rotation = rotation_about({0.1, 1, 0.2}, 0.08)};
  const Mesh cows[] = {cow, placed(cow, pose)};
  Mesh result = merged(cows);
  result.name = "two cows";
  return result;
}

std::vector<Mesh> bunny_and_dragon(std::size_t n, const Mesh* bunny, const Mesh* dragon) {
  const Pose pose{.center = {0.23, 0.31, 0.07}, .rotation = rotation_about({0, 1, 0}, 0.2)};
  return {body_or(bunny, bunny_body(n * 27 / 56)), placed(body_or(dragon, dragon_body(n * 29 / 56)), pose)};
}

}  // namespace sightline::scenes
