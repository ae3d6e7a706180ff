#include "scenes/papers/verlet.h"

#include <algorithm>
#include <cmath>

#include "scenes/papers/placing.h"

namespace sightline::scenes {

void Particles::add(Vec3d p, double mobility_of_it) {
  position.push_back(p);
  last.push_back(p);
  mobility.push_back(mobility_of_it);
}

void Particles::integrate(const VerletStep& step) {
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (mobility[i] == 0) continue;
    Vec3d velocity = scenes::add(times(step.keep, minus(position[i], last[i])), step.gravity);
    const double speed_squared = dot(velocity, velocity);
    if (speed_squared > step.fastest * step.fastest)
      velocity = times(step.fastest / std::sqrt(speed_squared), velocity);
    last[i] = position[i];
    position[i] = scenes::add(position[i], velocity);
  }
}

void Particles::relax(std::span<const Link> links) {
  for (const Link& link : links) {
    Vec3d &a = position[link.a], &b = position[link.b];
    const double weight = mobility[link.a] + mobility[link.b];
    if (weight == 0) continue;
    const Vec3d d = minus(b, a);
    const double length = std::sqrt(dot(d, d));
    if (length == 0) continue;
    const Vec3d change = times(link.stiffness * (length - link.rest) / (length * weight), d);
    a = scenes::add(a, times(mobility[link.a], change));
    b = minus(b, times(mobility[link.b], change));
  }
}

void Particles::shift(std::uint32_t particle, const Vec3d& by) {
  if (mobility[particle] == 0) return;
  position[particle] = scenes::add(position[particle], by);
  last[particle] = scenes::add(last[particle], by);
}

void Particles::rub(std::uint32_t particle, const Vec3d& normal, double friction) {
  const Vec3d velocity = minus(position[particle], last[particle]);
  const double away = dot(velocity, normal);
  const Vec3d along = minus(velocity, times(away, normal));
  last[particle] =
      minus(position[particle], scenes::add(times(1 - friction, along), times(std::max(0.0, away), normal)));
}

std::vector<Link> grid_links(std::uint32_t rows, std::uint32_t columns, double spacing, double bending) {
  std::vector<Link> links;
  const auto add_all = [&](int rows_on, int columns_on, double stiffness) {
    const double rest = spacing * std::sqrt(static_cast<double>(rows_on * rows_on + columns_on * columns_on));
    const auto period = static_cast<std::uint32_t>(2 * std::abs(columns_on));
    // First those whose two columns lie in no other link of the pass, then those between them.
    for (std::uint32_t pass = 0; pass < 2; ++pass)
      for (std::uint32_t row = 0; row + static_cast<std::uint32_t>(rows_on) < rows; ++row)
        for (std::uint32_t column = 0; column < columns; ++column) {
          const bool second = period > 0 && column % period >= period / 2;
          const auto end = static_cast<std::int64_t>(column) + columns_on;
          if (second != (pass == 1) || end < 0 || end >= columns) continue;
          const auto other = static_cast<std::uint32_t>(end);
          links.push_back(
              {row * columns + column, (row + static_cast<std::uint32_t>(rows_on)) * columns + other, rest, stiffness});
        }
  };
  add_all(0, 2, bending);
  add_all(2, 0, bending);
  add_all(1, 1, 0.7);
  add_all(1, -1, 0.7);
  add_all(0, 1, 1);
  add_all(1, 0, 1);
  return links;
}

}  // namespace sightline::scenes
