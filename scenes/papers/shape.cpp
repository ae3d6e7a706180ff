#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scenes/noise.h"
#include "scenes/papers/implicit.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kMostParts = 128;

double distance(const RoundCone& cone, const Vec3d& p) {
  const Vec3d axis = add(cone.b, times(-1, cone.a));
  Vec3d from_a = add(p, times(-1, cone.a));
  const double length_squared = dot(axis, axis);
  const double t = length_squared > 0 ? std::clamp(dot(from_a, axis) / length_squared, 0.0, 1.0) : 0;
  Vec3d across = add(from_a, times(-t, axis));
  if (cone.flatness > 1) across = add(across, times((cone.flatness - 1) * dot(across, cone.thin), cone.thin));
  const double radius = cone.radius_a + t * (cone.radius_b - cone.radius_a);
  return (std::sqrt(dot(across, across)) - radius) / cone.flatness;
}

}  // namespace

double field(const Shape& shape, const Vec3d& p) {
  std::array<double, kMostParts> distances;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    distances[i] = distance(shape.parts[i], p);
    least = std::min(least, distances[i]);
  }
  // Parts beyond the blend of the nearest part have no influence: leaving them out changes no bit.
  double result = least + shape.blend;
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    if (distances[i] >= least + shape.blend) continue;
    const double overlap = std::max(shape.blend - std::abs(result - distances[i]), 0.0);
    result = std::min(result, distances[i]) - overlap * overlap / (4 * shape.blend);
  }
  // Noise far from the surface would only cost time.
  if (shape.bump > 0 && std::abs(result) < 2 * shape.bump)
    result += shape.bump * noise(times(1 / shape.bump_length, p), 7)[0];
  return result;
}

double slope(const Shape& shape) {
  double most = 0;
  for (const RoundCone& part : shape.parts) {
    const Vec3d axis = add(part.b, times(-1, part.a));
    const double change = part.radius_b - part.radius_a;
    most = std::max(most, change * change / std::max(dot(axis, axis), 1e-12));
  }
  return std::sqrt(1 + most);
}

Shape near(const Shape& shape, const Vec3d& p, double reach) {
  double least = std::numeric_limits<double>::max();
  for (const RoundCone& part : shape.parts) least = std::min(least, distance(part, p));
  Shape result = shape;
  std::erase_if(result.parts,
                [&](const RoundCone& part) { return distance(part, p) > least + 2 * reach + shape.blend; });
  return result;
}

}  // namespace sightline::scenes
