// Normals of contacts: the direction in which two triangles, or several pairs of them, separate soonest.
//
// Two convex sets that meet are separated by a translation beyond the boundary of their Minkowski difference. The
// nearest face of this polytope has the normal of a triangle or the cross product of two edges.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/box.h"
#include "base/float_environment.h"
#include "base/format.h"
#include "base/vector.h"
#include "exact/intersection.h"
#include "measure/field.h"
#include "sightline/depth.h"

namespace sightline {
namespace {

using measure::Corners;

/// Both triangles relative to their least corner, scaled to coordinates below 2: no product overflows, and a common
/// translation changes nothing.
struct LocalPair {
  Corners a, b;
  double unit = 1;

  LocalPair(const Corners& world_a, const Corners& world_b) {
    const Vec3d origin = std::min(measure::sorted(world_a)[0], measure::sorted(world_b)[0]);
    double reach = 0;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        a[i][k] = 0.5 * world_a[i][k] - 0.5 * origin[k];
        b[i][k] = 0.5 * world_b[i][k] - 0.5 * origin[k];
        reach = std::max({reach, std::abs(a[i][k]), std::abs(b[i][k])});
      }
    const int exponent = reach > 0 ? std::ilogb(reach) : 0;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) a[i][k] = std::ldexp(a[i][k], -exponent), b[i][k] = std::ldexp(b[i][k], -exponent);
    unit = std::ldexp(1.0, std::min(exponent + 1, 1023));
  }
};

Vec3d unit_of(const Vec3d& v) {
  const double length = std::sqrt(dot(v, v));
  return length > 0 ? Vec3d{v[0] / length, v[1] / length, v[2] / length} : Vec3d{};
}

/// How far a has to move along n to leave b.
double slab_along(const Corners& a, const Corners& b, const Vec3d& n) {
  const double low = std::min({dot(n, a[0]), dot(n, a[1]), dot(n, a[2])});
  const double high = std::max({dot(n, b[0]), dot(n, b[1]), dot(n, b[2])});
  return std::max(0.0, high - low);
}

struct Choice {
  double depth = Box::kInfinity, facing = 0, middles = 0;
  Vec3d direction{}, ordered{};
  /// The lesser depth; then the preferences of contact_normal, and at last the order of coordinates, which turns with
  /// the order of the triangles.
  bool better_than(const Choice& c) const {
    return std::tuple(depth, -facing, -middles, c.ordered) < std::tuple(c.depth, -c.facing, -c.middles, ordered);
  }
};

}  // namespace

ContactNormal contact_normal(const std::array<Vec3d, 3>& world_a, const std::array<Vec3d, 3>& world_b) {
  const FloatEnvironment environment;
  const LocalPair pair(world_a, world_b);
  const Corners &a = pair.a, &b = pair.b;
  const auto normal = [](const Corners& t) { return cross(t[1] - t[0], t[2] - t[0]); };
  const auto middle = [](const Corners& t) { return t[0] + t[1] + t[2]; };
  const Vec3d fronts = unit_of(normal(b)) - unit_of(normal(a)), middles = middle(a) - middle(b);
  const double turn = measure::sorted(world_a) < measure::sorted(world_b) ? 1 : -1;
  Choice best;
  const auto offer = [&](const Vec3d& n) {
    const double squared = dot(n, n);
    if (!(squared > 0x1p-200)) return;
    const Vec3d unit = unit_of(n);
    for (const double sign : {1.0, -1.0}) {
      const Vec3d d = sign * unit;
      const Choice choice{slab_along(a, b, d), dot(d, fronts), dot(d, middles), d, turn * d};
      if (choice.better_than(best)) best = choice;
    }
  };
  offer(normal(a));
  offer(normal(b));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3d d = a[(i + 1) % 3] - a[i], e = b[(j + 1) % 3] - b[j], n = cross(d, e);
      // The cross product of edges that are parallel up to rounding has no direction.
      if (dot(n, n) > 0x1p-80 * dot(d, d) * dot(e, e)) offer(n);
    }
  if (best.depth == Box::kInfinity) {  // segments on one line, or points
    for (int i = 0; i < 3; ++i) {
      offer(a[(i + 1) % 3] - a[i]);
      offer(b[(i + 1) % 3] - b[i]);
    }
  }
  if (best.depth == Box::kInfinity) return {};
  return {best.direction, best.depth * pair.unit};
}

namespace {

void check_contact(const Contact& c, const MeshView& a, const MeshView& b) {
  if (c.a >= a.triangles.size() || c.b >= b.triangles.size())
    throw Error(formatted("contact_normals: contact of triangles {} and {}: no such triangle", c.a, c.b));
}

/// At most four points: the outermost along one direction across the normal, the one farthest from it, and the farthest
/// on both sides of the line through these two.
std::vector<Vec3d> outermost(std::vector<Vec3d> points, const Vec3d& normal) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() <= 4) return points;
  const auto across = [&](const Vec3d& v) { return v - dot(v, normal) * normal; };
  const auto farthest = [&](const auto& value) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3d& p, const Vec3d& q) { return value(p) < value(q); });
  };
  const auto squared_from = [&](const Vec3d& p) {
    return [&, p](const Vec3d& q) {
      const Vec3d d = across(q - p);
      return dot(d, d);
    };
  };
  const Vec3d first = farthest(squared_from(points[0])), second = farthest(squared_from(first));
  const Vec3d side = cross(normal, second - first);
  std::vector<Vec3d> result{first, second, farthest([&](const Vec3d& p) { return dot(side, p - first); }),
                            farthest([&](const Vec3d& p) { return -dot(side, p - first); })};
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::vector<ContactNormal> contact_normals(const MeshView& a, const MeshView& b, std::span<const Contact> contacts) {
  std::vector<ContactNormal> normals;
  normals.reserve(contacts.size());
  for (const Contact& c : contacts) {
    check_contact(c, a, b);
    normals.push_back(contact_normal(a.corners(c.a), b.corners(c.b)));
  }
  return normals;
}

namespace {

/// The least corners among the triangles of one side: they decide which of two parts comes first, whatever the order in
/// which the parts are given.
Corners least_corners(const MeshView& mesh, std::span<const Contact> contacts, std::uint32_t Contact::*side) {
  Corners least = measure::sorted(mesh.corners(contacts[0].*side));
  for (const Contact& c : contacts) least = std::min(least, measure::sorted(mesh.corners(c.*side)));
  return least;
}

Manifold ordered_manifold(const MeshView& a, const MeshView& b, std::span<const Contact> contacts) {
  constexpr std::size_t kMostDirections = 64;
  const std::vector<ContactNormal> normals = contact_normals(a, b, contacts);
  Manifold result;
  std::vector<Vec3d> points, directions;
  Vec3d sum{};
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    directions.push_back(normals[i].direction);
    const Intersection common =
        exact::intersection(a.corners(contacts[i].a), b.corners(contacts[i].b), /*from_corner=*/false);
    points.insert(points.end(), common.points().begin(), common.points().end());
  }
  std::sort(directions.begin(), directions.end());
  for (const Vec3d& n : directions) sum = sum + n;
  directions.erase(std::unique(directions.begin(), directions.end()), directions.end());
  // Many directions are thinned out evenly.
  std::vector<Vec3d> tried{unit_of(sum)};
  const std::size_t step = directions.size() / kMostDirections + 1;
  for (std::size_t i = 0; i < directions.size(); i += step) tried.push_back(directions[i]);
  double least = Box::kInfinity;
  for (const Vec3d& n : tried) {
    if (n == Vec3d{}) continue;
    double depth = 0;
    for (const Contact& c : contacts) {
      const LocalPair pair(a.corners(c.a), b.corners(c.b));
      depth = std::max(depth, slab_along(pair.a, pair.b, n) * pair.unit);
      if (depth >= least) break;
    }
    if (depth < least) least = depth, result.normal = {n, depth};
  }
  result.points = outermost(std::move(points), result.normal.direction);
  return result;
}

}  // namespace

Manifold manifold(const MeshView& a, const MeshView& b, std::span<const Contact> contacts) {
  const FloatEnvironment environment;
  for (const Contact& c : contacts) check_contact(c, a, b);
  if (contacts.empty()) return {};
  if (!(least_corners(b, contacts, &Contact::b) < least_corners(a, contacts, &Contact::a)))
    return ordered_manifold(a, b, contacts);
  std::vector<Contact> swapped(contacts.begin(), contacts.end());
  for (Contact& c : swapped) std::swap(c.a, c.b);
  Manifold result = ordered_manifold(b, a, swapped);
  result.normal.direction = -1.0 * result.normal.direction;
  return result;
}

}  // namespace sightline
