// Validation of what the caller passes: every coordinate finite, every index in range.
#include "sightline/mesh.h"

#include <fmt/format.h>

#include <cmath>

namespace sightline {
namespace {

template <typename Scalar>
std::span<const std::array<Scalar, 3>> as_points(std::span<const Scalar> xyz) {
  if (xyz.size() % 3 != 0)
    throw Error(fmt::format("positions: {} numbers, which is not a multiple of three", xyz.size()));
  static_assert(sizeof(std::array<Scalar, 3>) == 3 * sizeof(Scalar));
  return {reinterpret_cast<const std::array<Scalar, 3>*>(xyz.data()), xyz.size() / 3};
}

template <typename Point>
void validate_points(std::span<const Point> points, const std::string& name) {
  // x - x is 0 for finite x and NaN otherwise: one branch-free pass, and the culprit is looked for only on failure.
  typename Point::value_type sum = 0;
  for (const Point& p : points) sum += (p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]);
  if (sum == 0) return;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (!std::isfinite(points[i][axis]))
        throw Error(fmt::format("{}: vertex {}: {} is {}, not a finite number", name, i, "xyz"[axis], points[i][axis]));
}

}  // namespace

Positions Positions::flat(std::span<const float> xyz) { return as_points(xyz); }
Positions Positions::flat(std::span<const double> xyz) { return as_points(xyz); }

void validate(const MeshView& mesh, const std::string& name) {
  constexpr std::size_t kMost = 0xFFFFFFFFu;
  if (mesh.triangles.size() > kMost)
    throw Error(fmt::format("{}: {} triangles; at most {} can be numbered", name, mesh.triangles.size(), kMost));
  if (mesh.positions.is_double())
    validate_points(mesh.positions.f64(), name);
  else
    validate_points(mesh.positions.f32(), name);
  const std::size_t count = mesh.positions.size();
  std::uint32_t largest = 0;
  for (const Triangle& t : mesh.triangles) largest = std::max({largest, t[0], t[1], t[2]});
  if (mesh.triangles.empty() || largest < count) return;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (std::uint32_t index : mesh.triangles[i])
      if (index >= count)
        throw Error(fmt::format("{}: triangle {}: vertex index {} is out of range; there are {} vertices", name, i, index, count));
}

}  // namespace sightline
