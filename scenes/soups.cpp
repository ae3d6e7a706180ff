#include <algorithm>
#include <cmath>

#include "scenes/random.h"
#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// x^(1/3) for x in (0, 1] by bisection of the bits that a double has; deterministic, unlike std::cbrt.
double cube_root(double x) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (middle * middle * middle < x ? low : high) = middle;
  }
  return high;
}

class SoupBuilder {
 public:
  SoupBuilder(const char* name, std::size_t n) : name_(name) { positions_.reserve(3 * n); }

  void add_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    for (const Vec3d* p : {&a, &b, &c}) positions_.push_back(to_float(*p));
  }
  /// Corners uniform in a cube of edge 2 · extent: the mean extent along each axis is `extent`.
  void add_random(Random& random, const Vec3d& center, double extent) {
    const Vec3d a = random.in_cube(extent), b = random.in_cube(extent), c = random.in_cube(extent);
    add_triangle(add(center, a), add(center, b), add(center, c));
  }
  Mesh take() {
    std::vector<Triangle> triangles = separate_triangles(positions_.size() / 3);
    return {.name = name_, .positions = std::move(positions_), .triangles = std::move(triangles)};
  }

 private:
  const char* name_;
  std::vector<Vec3f> positions_;
};

Vec3d random_direction(Random& random) {
  for (;;) {
    const Vec3d p = random.in_cube(1);
    const double length_squared = dot(p, p);
    if (length_squared > 0.01 && length_squared <= 1) return normalized(p);
  }
}

}  // namespace

Mesh uniform_soup(std::size_t n, std::uint64_t seed, double neighbours) {
  Random random(seed);
  // Boxes of extent e overlap if their centers are within e in each axis: n (2e)³ neighbours.
  const double extent = cube_root(std::min(1.0, neighbours / static_cast<double>(std::max<std::size_t>(n, 1)))) / 2;
  SoupBuilder soup("uniform soup", n);
  for (std::size_t i = 0; i < n; ++i) soup.add_random(random, random.in_cube(0.5), extent);
  return soup.take();
}

Mesh clustered_soup(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  struct Cluster {
    Vec3d center;
    double spread;
  };
  std::vector<Cluster> clusters(n / 1000 + 1);
  for (Cluster& cluster : clusters) {
    const double u = random.unit();
    cluster = {random.in_cube(0.5), 0.002 + 0.018 * u * u};
  }
  constexpr double kExtent = 0.00064;  // some thirty neighbours in the densest clusters, none in the loosest
  SoupBuilder soup("clustered soup", n);
  for (std::size_t i = 0; i < n; ++i) {
    const Cluster& cluster = clusters[random.below(static_cast<std::uint32_t>(clusters.size()))];
    const Vec3d p = random.in_cube(1), q = random.in_cube(1), r = random.in_cube(1);
    soup.add_random(random, add(cluster.center, times(cluster.spread / 2, add(p, add(q, r)))), kExtent);
  }
  return soup.take();
}

Mesh heavy_tailed_soup(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  // Mean of the cubed size over that of the smallest is about 6000: this gives some ten box overlaps each.
  const double smallest = cube_root(10.0 / (12000.0 * static_cast<double>(n + 1)));
  SoupBuilder soup("heavy-tailed soup", n);
  for (std::size_t i = 0; i < n; ++i) {
    // u^(-1/1.8) is Pareto with exponent 1.8; 1/1.8 = 5/9.
    const double ninth = cube_root(cube_root(1 - random.unit()));
    const double size = std::min(1000.0, 1 / (ninth * ninth * ninth * ninth * ninth));
    soup.add_random(random, random.in_cube(0.5), smallest * size);
  }
  return soup.take();
}

Mesh needle_soup(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  const double length = 4.5 * cube_root(1 / static_cast<double>(n + 1));
  SoupBuilder soup("needles", n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d center = random.in_cube(0.5);
    const Vec3d along = random_direction(random);
    const Vec3d across = normalized(cross(along, random_direction(random)));
    const Vec3d half = times(length / 2, along), width = times(length / 1000, across);
    soup.add_triangle(add(center, times(-1, half)), add(center, half), add(center, add(half, width)));
  }
  return soup.take();
}

}  // namespace sightline::scenes
