// Parts in contact: a building of slabs, columns, walls and pipes; pipes end to end; plates face to face.
#include <cmath>
#include <string>

#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// A closed box whose faces are grids of n × n cells. Corners are exact, and every face lies in its plane exactly.
Mesh grid_box(std::string name, const Vec3d& low, const Vec3d& high, std::uint32_t n) {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  const auto along = [&](int axis, std::uint32_t i) {
    return i == n ? high[axis] : low[axis] + (high[axis] - low[axis]) * i / n;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const bool upper : {false, true}) {
      const auto first = static_cast<std::uint32_t>(positions.size());
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (std::uint32_t j = 0; j <= n; ++j)
        for (std::uint32_t i = 0; i <= n; ++i) {
          Vec3d p;
          p[axis] = upper ? high[axis] : low[axis];
          p[u] = along(u, i);
          p[v] = along(v, j);
          positions.push_back(to_float(p));
        }
      for (Triangle t : grid_triangles(n, n, !upper)) {
        for (std::uint32_t& corner : t) corner += first;
        triangles.push_back(t);
      }
    }
  return {.name = std::move(name), .positions = std::move(positions), .triangles = std::move(triangles)};
}

/// A closed pipe along the axis from 0 to `length`, with flat ends: `rings` × around × 2 triangles, and fans at the
/// ends.
Mesh pipe(std::string name, int axis, double length, double radius, std::uint32_t rings, std::uint32_t around = 24) {
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  const auto place = [&](double at, double across, double up) {
    Vec3d p;
    p[axis] = at;
    p[(axis + 1) % 3] = across;
    p[(axis + 2) % 3] = up;
    positions.push_back(to_float(p));
  };
  for (std::uint32_t ring = 0; ring <= rings; ++ring)
    for (std::uint32_t i = 0; i < around; ++i) {
      const CirclePoint point = circle_point(i, around);
      place(ring == rings ? length : length * ring / rings, radius * point.cos, radius * point.sin);
      const std::uint32_t at = ring * around + i, next = ring * around + (i + 1) % around;
      if (ring == rings) continue;
      triangles.push_back({at, next, next + around});
      triangles.push_back({at, next + around, at + around});
    }
  const auto centre = static_cast<std::uint32_t>(positions.size()), last = rings * around;
  place(0, 0, 0);
  place(length, 0, 0);
  for (std::uint32_t i = 0; i < around; ++i) {
    const std::uint32_t next = (i + 1) % around;
    triangles.push_back({centre, next, i});
    triangles.push_back({centre + 1, last + i, last + next});
  }
  return {.name = std::move(name), .positions = std::move(positions), .triangles = std::move(triangles)};
}

}  // namespace

// All lengths are multiples of 1/16, so that faces meet exactly. A bay is 4 × 4 × 3 and has eight parts. As in models
// of buildings, round parts have most of the triangles: a pipe about ten times as many as a wall.
Assembly building(std::size_t parts, std::size_t triangles_each) {
  constexpr double kBay = 4, kStorey = 3, kThick = 0.25, kColumn = 0.5, kRadius = 0.0625;
  const auto each = static_cast<double>(triangles_each);
  const auto cells = static_cast<std::uint32_t>(std::max(1.0, std::round(std::sqrt(each / 72))));
  const auto rings = static_cast<std::uint32_t>(std::max(1.0, std::round((each * 11 / 6 - 48) / 48)));
  Assembly result;
  // Other grids where parts meet: the triangles of a slab do not match those of a wall.
  result.meshes = {grid_box("slab", {0, 0, 0}, {kBay, kBay, kThick}, cells + 1),
                   grid_box("column", {0, 0, kThick}, {kColumn, kColumn, kStorey}, std::max(1u, cells - 1)),
                   grid_box("wall x", {kColumn, 0, kThick}, {kBay, kThick, kStorey}, cells),
                   grid_box("wall y", {0, kColumn, kThick}, {kThick, kBay, kStorey}, cells),
                   pipe("pipe x", 0, kBay, kRadius, rings),
                   pipe("pipe y", 1, kBay, kRadius, rings)};
  struct Place {
    std::uint32_t mesh;
    Vec3d at;
  };
  const Place places[] = {{0, {0, 0, 0}},       {1, {0, 0, 0}},         {2, {0, 0, 0}},     {3, {0, 0, 0}},
                          {4, {2.125, 1, 2.5}}, {4, {2.125, 1.5, 2.5}}, {5, {1, 2.125, 2}}, {5, {1.5, 2.125, 2}}};
  const double bays = std::ceil(static_cast<double>(parts) / 8);
  const auto storeys = static_cast<std::size_t>(std::max(1.0, std::round(std::cbrt(bays) * 0.75)));
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(bays / static_cast<double>(storeys))));
  for (std::size_t bay = 0; result.parts.size() < parts; ++bay) {
    const std::size_t x = bay % side, y = bay / side % side, z = bay / side / side;
    for (std::size_t i = 0; i < std::size(places) && result.parts.size() < parts; ++i) {
      const Place& place = places[i];
      result.parts.push_back({result.meshes[place.mesh].name + " " + std::to_string(bay) + "." + std::to_string(i),
                              place.mesh,
                              Transform::translation({place.at[0] + kBay * static_cast<double>(x),
                                                      place.at[1] + kBay * static_cast<double>(y),
                                                      place.at[2] + kStorey * static_cast<double>(z)})});
    }
  }
  return result;
}

std::vector<Mesh> pipes_end_to_end(std::size_t count, std::uint32_t corners) {
  std::vector<Mesh> pipes;
  for (std::size_t i = 0; i < count; ++i)
    pipes.push_back(moved(pipe("pipe " + std::to_string(i), 2, 1, 1, 1, corners), {0, 0, static_cast<double>(i)}));
  return pipes;
}

std::vector<Mesh> plates(std::uint32_t n, bool interlocked) {
  // The second one is turned by 3/62 of a circle in the plane of contact; its heights stay exact.
  const auto [c, s] = circle_point(3, 62);
  std::vector<Mesh> result = {to_double(grid_box("lower", {-0.5, -0.5, 0}, {0.5, 0.5, 1}, n)),
                              to_double(grid_box("upper", {-0.5, -0.5, 1}, {0.5, 0.5, 2}, n))};
  for (Vec3d& p : std::get<std::vector<Vec3d>>(result[1].positions))
    p = {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
  if (!interlocked) return result;
  for (std::size_t i = 0; i < 2; ++i) {
    const double x = 2 + 2 * static_cast<double>(i);
    const Mesh pieces[] = {result[i], to_double(grid_box("mast", {x, 0, -9}, {x + 1, 1, 9}, 1))};
    Mesh both = merged(pieces);
    both.name = result[i].name;
    result[i] = std::move(both);
  }
  return result;
}

std::vector<Mesh> flattened(const Assembly& assembly) {
  std::vector<Mesh> result;
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    const Mesh& mesh = assembly.meshes[assembly.parts[i].mesh];
    Mesh& copy = result.emplace_back(mesh);
    copy.name = assembly.name(i);
    const MeshView view = assembly.view(i);
    std::visit(
        [&]<typename Point>(std::vector<Point>& points) {
          for (std::size_t k = 0; k < points.size(); ++k) {
            const Vec3d p = view.position(k);
            for (int axis = 0; axis < 3; ++axis) points[k][axis] = static_cast<typename Point::value_type>(p[axis]);
          }
        },
        copy.positions);
  }
  return result;
}

}  // namespace sightline::scenes
