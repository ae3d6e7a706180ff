#include <numeric>
#include <type_traits>
#include <utility>

#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

/// A copy of the mesh with `change` applied to each position as Vec3d, rounded back to the type it had.
template <class Change>
Mesh with_positions(const Mesh& mesh, const Change& change) {
  Mesh result = mesh;
  std::visit(
      [&](auto& points) {
        for (auto& p : points) {
          const Vec3d changed = change(Vec3d{p[0], p[1], p[2]});
          using Scalar = std::remove_cvref_t<decltype(p[0])>;
          for (std::size_t axis = 0; axis < 3; ++axis) p[axis] = static_cast<Scalar>(changed[axis]);
        }
      },
      result.positions);
  return result;
}

/// Appends points to a list that may have another scalar.
constexpr auto append_points = [](auto& to, const auto& from) {
  using Scalar = std::remove_cvref_t<decltype(to[0][0])>;
  for (const auto& p : from)
    to.push_back({static_cast<Scalar>(p[0]), static_cast<Scalar>(p[1]), static_cast<Scalar>(p[2])});
};

template <class To>
Mesh converted(const Mesh& mesh) {
  std::vector<To> points;
  points.reserve(mesh.view().positions.size());
  std::visit([&](const auto& from) { append_points(points, from); }, mesh.positions);
  return {.name = mesh.name, .positions = std::move(points), .triangles = mesh.triangles};
}

}  // namespace

std::vector<std::uint32_t> permutation(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  return order;
}

Mesh shuffled(const Mesh& mesh, std::uint64_t seed) {
  Mesh result = mesh;
  const std::vector<std::uint32_t> triangle = permutation(mesh.triangles.size(), seed);
  std::visit(
      [&](auto& points) {
        const std::vector<std::uint32_t> new_place = permutation(points.size(), mix(seed));
        const auto old_points = points;
        for (std::size_t i = 0; i < points.size(); ++i) points[new_place[i]] = old_points[i];
        for (std::size_t i = 0; i < triangle.size(); ++i)
          for (std::size_t corner = 0; corner < 3; ++corner)
            result.triangles[i][corner] = new_place[mesh.triangles[triangle[i]][corner]];
      },
      result.positions);
  return result;
}

Mesh to_double(const Mesh& mesh) { return converted<Vec3d>(mesh); }
Mesh to_float(const Mesh& mesh) { return converted<Vec3f>(mesh); }

Mesh to_soup(const Mesh& mesh) {
  Mesh result{.name = mesh.name, .positions = {}, .triangles = mesh.triangles};
  std::visit(
      [&](const auto& points) {
        std::remove_cvref_t<decltype(points)> corners;
        corners.reserve(3 * mesh.triangles.size());
        for (Triangle& triangle : result.triangles)
          for (std::uint32_t& index : triangle) {
            corners.push_back(points[index]);
            index = static_cast<std::uint32_t>(corners.size() - 1);
          }
        result.positions = std::move(corners);
      },
      mesh.positions);
  return result;
}

Mesh moved(const Mesh& mesh, const Vec3d& offset) {
  return with_positions(mesh, [&](const Vec3d& p) {
    return Vec3d{p[0] + offset[0], p[1] + offset[1], p[2] + offset[2]};
  });
}

Mesh scaled(const Mesh& mesh, double factor) {
  return with_positions(mesh, [&](const Vec3d& p) { return Vec3d{p[0] * factor, p[1] * factor, p[2] * factor}; });
}

Mesh with_axes(const Mesh& mesh, const std::array<int, 3>& axes) {
  return with_positions(mesh, [&](const Vec3d& p) {
    const auto at = [&](std::size_t i) { return p[static_cast<std::size_t>(axes[i])]; };
    return Vec3d{at(0), at(1), at(2)};
  });
}

Mesh merged(std::span<const Mesh> meshes) {
  Mesh result;
  for (const Mesh& mesh : meshes)
    if (mesh.view().positions.is_double()) result.positions = std::vector<Vec3d>();
  for (const Mesh& mesh : meshes) {
    if (result.name.empty()) result.name = mesh.name;
    const auto first = static_cast<std::uint32_t>(result.view().positions.size());
    std::visit(append_points, result.positions, mesh.positions);
    for (const Triangle& t : mesh.triangles) result.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return result;
}

}  // namespace sightline::scenes
