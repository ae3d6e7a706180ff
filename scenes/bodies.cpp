#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "scenes/random.h"
#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// Subdivided icosahedron on the unit sphere, outward winding.
struct Icosphere {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;
};

/// Corners of the icosahedron: the cyclic permutations of (0, ±1, ±φ).
std::array<Vec3d, 12> icosahedron_corners() {
  const double phi = (1 + std::sqrt(5.0)) / 2;
  std::array<Vec3d, 12> corners{};
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < 4; ++i) {
      Vec3d& corner = corners[static_cast<std::size_t>(axis * 4 + i)];
      corner[static_cast<std::size_t>((axis + 1) % 3)] = i & 1 ? 1 : -1;
      corner[static_cast<std::size_t>((axis + 2) % 3)] = i & 2 ? phi : -phi;
    }
  return corners;
}

/// Vertices are numbered corners first, then along the edges, then face by face, so that faces share them.
class IcosphereBuilder {
 public:
  explicit IcosphereBuilder(std::uint32_t frequency) : frequency_(frequency), corners_(icosahedron_corners()) {
    for (const Vec3d& corner : corners_) sphere_.points.push_back(normalized(corner));
    for (auto& row : edge_) row.fill(kNone);
    for (std::uint32_t a = 0; a < 12; ++a)
      for (std::uint32_t b = a + 1; b < 12; ++b)
        if (adjacent(a, b)) add_edge(a, b);
    for (std::uint32_t a = 0; a < 12; ++a)
      for (std::uint32_t b = a + 1; b < 12; ++b)
        for (std::uint32_t c = b + 1; c < 12; ++c)
          if (adjacent(a, b) && adjacent(b, c) && adjacent(a, c)) add_face(a, b, c);
  }
  Icosphere take() { return std::move(sphere_); }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  bool adjacent(std::uint32_t a, std::uint32_t b) const {
    const Vec3d d = add(corners_[a], times(-1, corners_[b]));
    return dot(d, d) < 4.5;  // edges have length 2, the next distance is 2φ
  }
  /// Weights i, j and frequency - i - j on b, c and a.
  void add_point(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t i, std::uint32_t j) {
    const double s = 1.0 / frequency_;
    sphere_.points.push_back(normalized(
        add(times((frequency_ - i - j) * s, corners_[a]), add(times(i * s, corners_[b]), times(j * s, corners_[c])))));
  }
  void add_edge(std::uint32_t a, std::uint32_t b) {
    edge_[a][b] = static_cast<std::uint32_t>(sphere_.points.size());
    for (std::uint32_t i = 1; i < frequency_; ++i) add_point(a, b, b, i, 0);
  }
  std::uint32_t on_edge(std::uint32_t a, std::uint32_t b, std::uint32_t i) const {
    if (i == 0) return a;
    if (i == frequency_) return b;
    return edge_[a][b] + i - 1;
  }
  /// For a < b < c.
  void add_face(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const auto first = static_cast<std::uint32_t>(sphere_.points.size());
    const std::uint32_t f = frequency_;
    for (std::uint32_t j = 1; j + 1 < f; ++j)
      for (std::uint32_t i = 1; i + j < f; ++i) add_point(a, b, c, i, j);
    const auto vertex = [&](std::uint32_t i, std::uint32_t j) {
      if (j == 0) return on_edge(a, b, i);
      if (i == 0) return on_edge(a, c, j);
      if (i + j == f) return on_edge(b, c, j);
      const std::uint32_t row_start = (j - 1) * (f - 1) - (j - 1) * j / 2;
      return first + row_start + i - 1;
    };
    const bool outward = dot(cross(corners_[a], corners_[b]), corners_[c]) > 0;
    const auto add_triangle = [&](std::uint32_t p, std::uint32_t q, std::uint32_t r) {
      sphere_.triangles.push_back(outward ? Triangle{p, q, r} : Triangle{p, r, q});
    };
    for (std::uint32_t j = 0; j < f; ++j)
      for (std::uint32_t i = 0; i + j < f; ++i) {
        add_triangle(vertex(i, j), vertex(i + 1, j), vertex(i, j + 1));
        if (i + j + 1 < f) add_triangle(vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1));
      }
  }

  std::uint32_t frequency_;
  std::array<Vec3d, 12> corners_;
  std::array<std::array<std::uint32_t, 12>, 12> edge_{};
  Icosphere sphere_;
};

Icosphere icosphere(std::size_t n) {
  const double frequency = std::round(std::sqrt(static_cast<double>(n) / 20));
  return IcosphereBuilder(static_cast<std::uint32_t>(std::max(1.0, frequency))).take();
}

}  // namespace

Mesh sphere(std::size_t n, const Vec3d& center, double radius) {
  Icosphere unit = icosphere(n);
  std::vector<Vec3f> positions;
  positions.reserve(unit.points.size());
  for (const Vec3d& p : unit.points) positions.push_back(to_float(add(center, times(radius, p))));
  return {.name = "sphere", .positions = std::move(positions), .triangles = std::move(unit.triangles)};
}

Mesh bumpy_body(std::size_t n, const Vec3d& center, double radius, std::uint64_t seed) {
  Icosphere unit = icosphere(n);
  std::vector<Vec3f> positions;
  positions.reserve(unit.points.size());
  for (const Vec3d& p : unit.points) {
    // The radius as a function of direction keeps the body star-shaped: it never meets itself.
    double height = 1;
    double amplitude = 0.25, frequency = 1.7;
    for (std::uint64_t octave = 0; octave < 4; ++octave, amplitude *= 0.45, frequency *= 2.3)
      height += amplitude * noise(times(frequency, p), mix(seed + octave))[0];
    positions.push_back(to_float(add(center, times(radius * height, {p[0], p[1], 1.3 * p[2]}))));
  }
  return {.name = "body", .positions = std::move(positions), .triangles = std::move(unit.triangles)};
}

Mesh torus(std::size_t n, const Vec3d& center, double ring_radius, double tube_radius) {
  const double ratio = ring_radius / tube_radius;
  const double around_tube = std::round(std::sqrt(static_cast<double>(n) / (2 * ratio)));
  const auto tube = static_cast<std::uint32_t>(std::max(3.0, around_tube));
  const auto ring = static_cast<std::uint32_t>(std::max(3.0, std::round(static_cast<double>(n) / (2.0 * tube))));
  std::vector<Vec3f> positions;
  std::vector<Triangle> triangles;
  for (std::uint32_t i = 0; i < ring; ++i) {
    const CirclePoint along = circle_point(i, ring);
    for (std::uint32_t j = 0; j < tube; ++j) {
      const CirclePoint across = circle_point(j, tube);
      const double r = ring_radius + tube_radius * across.cos;
      positions.push_back(to_float(add(center, {r * along.cos, r * along.sin, tube_radius * across.sin})));
      const std::uint32_t next_i = (i + 1) % ring, next_j = (j + 1) % tube;
      const std::uint32_t a = i * tube + j, b = next_i * tube + j, c = next_i * tube + next_j, d = i * tube + next_j;
      triangles.push_back({a, b, c});
      triangles.push_back({a, c, d});
    }
  }
  return {.name = "torus", .positions = std::move(positions), .triangles = std::move(triangles)};
}

Mesh two_bodies(std::size_t n_each, std::uint64_t seed) {
  const Mesh bodies[] = {bumpy_body(n_each, {0, 0, 0}, 1, seed), bumpy_body(n_each, {0.71, 0.43, 0.29}, 1, seed + 1)};
  return merged(bodies);
}

Mesh two_tori(std::size_t n_each) {
  const Mesh lying = torus(n_each);
  const Mesh standing = moved(with_axes(lying, {0, 2, 1}), {0.6, 0.011, 0.023});
  const Mesh tori[] = {lying, standing};
  return merged(tori);
}

std::vector<Mesh> spheres(std::size_t count, std::size_t triangles_each, std::uint64_t seed) {
  // Centers closer than 2 overlap: density times the volume of a ball of radius 2 is the expected number of partners.
  constexpr double kPartners = 4, kBallVolume = 33.5;
  const double volume = static_cast<double>(count) * kBallVolume / kPartners;
  double half = 0.5;
  while (8 * half * half * half < volume) half += 0.0625;
  Random random(seed);
  std::vector<Mesh> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(sphere(triangles_each, random.in_cube(half)));
    result.back().name = "ball " + std::to_string(i);
  }
  return result;
}

std::vector<Mesh> two_objects(std::size_t n_a, std::size_t n_b) {
  std::vector<Mesh> result = {bumpy_body(n_a, {0, 0, 0}, 1, 3), bumpy_body(n_b, {0.9, 0.4, 0.3}, 0.8, 4)};
  result[0].name = "large";
  result[1].name = "small";
  return result;
}

}  // namespace sightline::scenes
