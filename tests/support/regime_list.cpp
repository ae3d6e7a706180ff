// The list of regimes: generators that need no name of their own elsewhere.
#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes/scenes.h"
#include "support/regimes.h"

namespace testing_support {
namespace {

namespace scenes = sightline::scenes;

int side_of(std::size_t triangles) {
  return std::max(2, static_cast<int>(std::sqrt(static_cast<double>(triangles) / 2)));
}

double power_of_ten(Random& random, int from, int to) { return std::pow(10.0, from + random.below(to - from + 1)); }

Vec3d any_vector(Random& random) { return {random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)}; }

Mesh placed_at_scale(const Mesh& mesh, double by, const Vec3d& to = {}) {
  return transformed(as_double(mesh), [&](const Vec3d& p) {
    return Vec3d{p[0] * by + to[0], p[1] * by + to[1], p[2] * by + to[2]};
  });
}

double wave(double x, double y) { return 0.1 * std::sin(9 * x) * std::cos(7 * y); }

/// A triangle of about size s in any orientation. Its corners have few bits, so that its plane holds the origin exactly
/// and misses nothing there by rounding, however large s is; below 1e12 it is moved to `at`.
void add_giant(Builder& out, Random& random, const Vec3d& at, double s) {
  const double unit = std::ldexp(1.0, std::ilogb(s) - 9);
  Vec3d p[3];
  for (int k = 0; k < 3; ++k) {
    const int d = random.below(1025) - 512, e = random.below(1025) - 512;
    p[0][k] = unit * d;
    p[1][k] = unit * e;
    p[2][k] = unit * (-d - e);
    if (s < 1e12)
      for (Vec3d& q : p) q[k] += at[k];
  }
  out.triangle(p[0], p[1], p[2]);
}

/// A wavy sheet about the origin.
Mesh waves(std::size_t n) {
  return transformed(sheet(side_of(n), wave), [](const Vec3d& p) { return Vec3d{p[0] - 0.5, p[1] - 0.5, p[2]}; });
}

// A giant's box holds everything, so brute force decides each of its pairs; past about 1e20 that takes the widest
// integers and 30 µs or more. So most giants are smaller than that.

double giant_size(Random& random, int i, double largest) {
  return i == 3 ? largest : i == 6 ? std::min(largest, 1e40) : power_of_ten(random, 3, largest > 1e19 ? 19 : 6);
}

/// With a small triangle after each: a sample of every second triangle, from the second on, sees none of them.
Mesh hidden(const Mesh& giants) {
  Mesh mesh = giants;
  mesh.triangles.clear();
  auto& points = std::get<1>(mesh.positions);
  for (const Triangle& t : giants.triangles) {
    const auto first = static_cast<std::uint32_t>(points.size());
    const double x = 0.01 * static_cast<double>(mesh.triangles.size());
    points.insert(points.end(), {{x, 0.1, 0.7}, {x + 0.01, 0.1, 0.7}, {x, 0.11, 0.71}});
    mesh.triangles.push_back(t);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

/// Giants of all sizes in all orientations, as the first object, over a wavy sheet.
RegimeScene many_giants(std::size_t n, double largest, bool seen) {
  Random random(21);
  Builder giants;
  for (int i = 0; i < 12; ++i)
    add_giant(giants, random, {random.in(-0.5, 0.5), random.in(-0.5, 0.5), 0.1 * random.in(-1, 1)},
              giant_size(random, i, largest));
  return {{seen ? giants.mesh() : hidden(giants.mesh()), waves(n)}, {true, false}};
}

/// Giants in planes of the axes, some of them at exact coordinates of the sheet.
RegimeScene square_giants(std::size_t n) {
  const int side = side_of(n);
  Builder giants;
  double s = 1e3;
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < 4; ++i, s *= i == 2 && axis == 1 ? 1e200 : i == 3 && axis == 1 ? 1e-200 : 30) {
      const double at = axis == 2 ? 0.25 * i : static_cast<double>(i * side / 4) / side;
      Vec3d p[3] = {{-s, -s, -s}, {s, -s, s}, {0, s, s}};
      for (Vec3d& q : p) q[axis] = at;
      if (axis == 1) p[1][0] = -s, p[1][2] = s, p[2][0] = s;
      giants.triangle(p[0], p[1], p[2]);
    }
  return {{hidden(giants.mesh()), sheet(side, [](double x, double y) { return 0.25 * std::floor(4 * x) + 0.125 * y; })},
          {true, true}};
}

/// One mesh: triangles from corners of the sheet to vertices far out, and from there to each other.
RegimeScene spikes(std::size_t n) {
  Random random(22);
  const int side = side_of(n);
  Mesh mesh = sheet(side, wave);
  auto& points = std::get<1>(mesh.positions);
  const int corners = static_cast<int>(points.size());
  std::vector<Triangle> added;
  for (int i = 0; i < 12; ++i) {
    const double s = giant_size(random, i, 1e300);
    const auto far = static_cast<std::uint32_t>(points.size());
    for (int j = 0; j < 2; ++j) {
      Vec3d p = any_vector(random);
      for (double& x : p) x *= s;
      points.push_back(p);
    }
    const auto a = static_cast<std::uint32_t>(random.below(corners - side - 2)), b = a + 1 + random.below(side);
    added.push_back({a, b, far});
    added.push_back({a, far, far + 1});
    if (i > 0) added.push_back({far - 1, b, far + 1});
  }
  for (const Triangle& t : added)
    mesh.triangles.insert(mesh.triangles.begin() + random.below(static_cast<int>(mesh.triangles.size())), t);
  return {{mesh}, {true}};
}

/// Shells one inside the other, each `ratio` times the one before, from `least` on. Each is two bodies that cross, and
/// a triangle leads from each to the next.
RegimeScene nested(std::size_t n, double least, double ratio, int levels) {
  RegimeScene out;
  Builder links;
  double radius = least;
  for (int level = 0; level < levels; ++level, radius *= ratio) {
    const Mesh bodies = scenes::two_bodies(n / levels / 2, 1 + level);
    out.objects.push_back(placed_at_scale(bodies, radius));
    out.self.push_back(level % 2 == 0);
    if (level + 1 < levels)
      links.triangle({0.1 * radius, 0, 0}, {0.3 * radius * ratio, 1.7 * radius * ratio, 0.2 * radius},
                     {0, 0.2 * radius, 2 * radius * ratio});
  }
  out.objects.insert(out.objects.begin(), links.mesh());
  out.self.insert(out.self.begin(), true);
  return out;
}

/// Soups `distance` apart, each as large as its coordinates can resolve, and triangles from one to the other.
RegimeScene clusters(std::size_t n, double distance) {
  Random random(24);
  const double size[4] = {1, distance * 0x1p-30, distance * 0x1p-44, 1e-3};
  const Vec3d place[4] = {{0, 0, 0}, {distance, 0, 0.3 * distance}, {0, -distance, 0}, {0, 0, 1.5}};
  RegimeScene out;
  for (int i = 0; i < 4; ++i) {
    out.objects.push_back(placed_at_scale(scenes::uniform_soup(n / 4, 30 + i), size[i], place[i]));
    out.self.push_back(i != 1);
  }
  Builder links;
  for (int i = 0; i < 6; ++i) {
    Vec3d p[3];
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k) p[c][k] = place[(i + c) % 4][k] + 0.3 * size[(i + c) % 4] * random.unit();
    links.triangle(p[0], p[1], p[2]);
  }
  out.objects.push_back(links.mesh());
  out.self.push_back(true);
  return out;
}

/// A crumpled cloth; single small triangles and unused vertices far out, anywhere in the lists.
RegimeScene strays(std::size_t n, bool unused) {
  Random random(25);
  Mesh mesh = as_double(scenes::crumpled_cloth(n));
  auto& points = std::get<1>(mesh.positions);
  for (int i = 0; i < 20; ++i) {
    const double distance = power_of_ten(random, 3, 305), size = random.chance(0.5) ? 1 : distance * 1e-3;
    Vec3d c = any_vector(random), q;
    for (double& x : c) x *= distance;
    const auto first = static_cast<std::uint32_t>(points.size());
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) q[k] = c[k] + size * random.in(-1, 1);
      points.push_back(q);
    }
    if (unused && i % 2 == 0) continue;
    mesh.triangles.insert(mesh.triangles.begin() + random.below(static_cast<int>(mesh.triangles.size())),
                          {first, first + 1, first + 2});
  }
  constexpr double most = std::numeric_limits<double>::max();
  if (unused) points.insert(points.end(), {{most, -most, most}, {-most, 0, -most}});
  return {{mesh}, {true}};
}

/// float32 and float64 objects in one place: soups that differ by less than a unit of float32, and giants of both.
RegimeScene mixed_precision(std::size_t n) {
  Random random(26);
  const Mesh soup = scenes::uniform_soup(n / 3, 40), other = scenes::uniform_soup(n / 3, 41);
  const Mesh fine = transformed(as_double(soup), [&](const Vec3d& p) {
    return Vec3d{p[0] * (1 + 0x1p-30), p[1] * (1 - 0x1p-40), p[2] + 1e-12 * random.in(-1, 1)};
  });
  Builder single, twice;
  for (int i = 0; i < 5; ++i) {
    add_giant(single, random, {0.1, 0, 0}, giant_size(random, i, 1e37));
    add_giant(twice, random, {0, 0.1, -0.1}, giant_size(random, i, 1e250));
  }
  return {{as_float(hidden(single.mesh())), as_float(soup), fine, hidden(twice.mesh()), as_float(other)},
          {true, false, false, true, true}};
}

/// float32 alone, whose vertices are placed in float: giants up to its largest number.
RegimeScene single_giants(std::size_t n) {
  Random random(27);
  Builder giants;
  for (int i = 0; i < 12; ++i) add_giant(giants, random, {0.1, 0, 0.05}, i == 0 ? 1.5e38 : giant_size(random, i, 1e30));
  return {{as_float(hidden(giants.mesh())), as_float(waves(n))}, {true, true}};
}

/// Sizes with so heavy a tail that no mean means anything.
RegimeScene heavy_tail(std::size_t n) {
  Random random(28);
  Builder out;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = random.unit() + 1e-9;
    const double size = 1e-3 / std::sqrt(u) * (i % 998 == 2 ? 1e3 / (u * u) : 1);
    add_giant(out, random, {random.unit(), random.unit(), random.unit()}, i % 8002 == 4 ? size * 1e60 : size);
  }
  return {{out.mesh()}, {true}};
}

/// Long needles through a soup, 1e3 to 1e15 times as long as its triangles are wide.
RegimeScene long_needles(std::size_t n) {
  Random random(29);
  Builder out;
  for (int i = 0; i < 40; ++i) {
    const Vec3d at{random.in(-0.5, 0.5), random.in(-0.5, 0.5), random.in(-0.5, 0.5)}, along = any_vector(random),
                                                                                      off = any_vector(random);
    const double length = power_of_ten(random, 1, 15), width = power_of_ten(random, -9, -2);
    Vec3d p[3];
    for (int k = 0; k < 3; ++k) {
      p[0][k] = at[k] - length * along[k];
      p[1][k] = at[k] + length * along[k];
      p[2][k] = at[k] + width * off[k];
    }
    out.triangle(p[0], p[1], p[2]);
  }
  return {{out.mesh(), as_double(scenes::uniform_soup(n))}, {true, true}};
}

/// Triangles on lattices of very different steps around common points: everything that meets, meets exactly.
RegimeScene coincidences(std::size_t n) {
  Random random(30);
  Builder out;
  const int exponent[4] = {0, -20, -60, 40};
  const int side = std::max(3, static_cast<int>(std::cbrt(static_cast<double>(n) / 2)));
  for (std::size_t i = 0; i < n; ++i) {
    // Most triangles have the unit step and are spread out; the other steps crowd about one lattice point.
    const int e = i % 5000 == 9 ? 300 : i % 300 == 8 ? -900 : i % 50 < 4 ? exponent[i % 50] : 0;
    const double step = std::ldexp(1.0, e);
    Vec3d p[3], c;
    for (double& x : c) x = e == 0 ? random.below(side) : step * (random.below(6) - 3);
    for (Vec3d& q : p)
      for (int k = 0; k < 3; ++k) q[k] = c[k] + step * random.below(3);
    out.triangle(p[0], p[1], p[2]);
  }
  return {{out.mesh()}, {true}};
}

/// Each size four times the one before, as the levels of the image are, and a quarter as many: every level has
/// triangles, and each meets some of all others. Corners are on the lattice of their size, at borders of cells.
RegimeScene powers_of_four(std::size_t n) {
  Random random(31);
  Builder out;
  const int steps = static_cast<int>(std::sqrt(static_cast<double>(n)));
  std::size_t left = n;
  for (double size = 1; left > 0; size *= 4) {
    const std::size_t count = std::max<std::size_t>(std::min<std::size_t>(left, 8), left * 3 / 4);
    left -= count;
    const double reach = std::max(1.0, 2.0 * steps / size);
    for (std::size_t i = 0; i < count; ++i) {
      Vec3d p[3];
      const Vec3d c{std::floor(reach * random.unit()), std::floor(reach * random.unit()), random.below(9) - 4.0};
      for (Vec3d& q : p)
        for (int k = 0; k < 3; ++k) q[k] = size * (c[k] + random.below(2)) + (random.chance(0.5) ? 0 : random.unit());
      out.triangle(p[0], p[1], p[2]);
    }
  }
  return permuted({{out.mesh()}, {true}}, 3);
}

/// A crowd in one column, deep: thousands of small triangles above each other, and floors and slopes of all sizes
/// through them. The crowd is cut in depth while the floors are guests.
RegimeScene tower(std::size_t n) {
  Random random(32);
  Builder out, floors;
  for (std::size_t i = 0; i < n; ++i) {
    // Two thirds stand in the tower, the rest is spread about, so that the tower is narrow.
    const double width = i % 3 == 0 ? 100 : 0.05;
    const Vec3d c{width * random.in(-1, 1), width * random.in(-1, 1), 200 * random.unit()};
    Vec3d p[3];
    for (Vec3d& q : p)
      for (int k = 0; k < 3; ++k) q[k] = c[k] + 0.1 * random.in(-1, 1);
    out.triangle(p[0], p[1], p[2]);
  }
  for (int i = 0; i < 300; ++i) {
    const double s = std::pow(10.0, random.in(0, 6)), z = 200 * random.unit(), tilt = i % 3 == 0 ? 0 : random.in(-2, 2);
    floors.triangle({-s, -s, z - tilt * s}, {s, -s, z + tilt * s}, {s * random.in(-1, 1), s, z});
  }
  return {{out.mesh(), floors.mesh()}, {true, false}};
}

RegimeScene everywhere_denormal(std::size_t n) {
  const Mesh soup = as_double(scenes::uniform_soup(n, 50));
  return {{transformed(soup,
                       [](const Vec3d& p) {
                         return Vec3d{p[0] * 1e-318, p[1] * 1e-318, p[2] * 1e-318};
                       })},
          {true}};
}

RegimeScene near_the_largest(std::size_t n) {
  constexpr double most = std::numeric_limits<double>::max();
  const Mesh soup = as_double(scenes::uniform_soup(n, 51));
  return {{transformed(soup,
                       [](const Vec3d& p) {
                         Vec3d q;
                         // A soup of few triangles has large ones, which leave the unit cube.
                         for (int k = 0; k < 3; ++k) q[k] = std::clamp(1.8 * p[k], -1.0, 1.0) * most;
                         return q;
                       })},
          {true}};
}

}  // namespace

const std::vector<Regime>& regimes() {
  using N = std::size_t;
  static const std::vector<Regime> all = {
      {"giant_1e16", [](N n) { return giant_over_sheet(1e16, side_of(n)); }},
      {"giant_1e290", [](N n) { return giant_over_sheet(1e290, side_of(n)); }, true, 20'000},
      {"giants_to_1e6", [](N n) { return many_giants(n, 1e6, false); }},
      {"giants_to_1e300", [](N n) { return many_giants(n, 1e300, false); }, true, 20'000},
      {"giants_in_the_sample", [](N n) { return many_giants(n, 1e300, true); }, true, 20'000},
      {"giants_in_axis_planes", square_giants},
      {"giants_with_common_corners", spikes, true, 20'000},
      {"giants_of_float32", single_giants, true, 20'000},
      {"nested_by_1e3", [](N n) { return nested(n, 1e-9, 1e3, 6); }},
      {"nested_by_1e15", [](N n) { return nested(n, 1e-60, 1e15, 8); }, true, 20'000},
      {"nested_from_1e_300", [](N n) { return nested(n, 1e-300, 1e190, 4); }, true, 20'000},
      {"clusters_1e9", [](N n) { return clusters(n, 1e9); }},
      {"clusters_1e11", [](N n) { return clusters(n, 1e11); }},
      {"clusters_1e15", [](N n) { return clusters(n, 1e15); }},
      {"clusters_1e200", [](N n) { return clusters(n, 1e200); }, true, 20'000},
      {"strays", [](N n) { return strays(n, false); }},
      {"strays_and_unused_vertices", [](N n) { return strays(n, true); }},
      {"mixed_precision", mixed_precision, true, 20'000},
      {"far_plane_x", [](N n) { return far_plane(0, 1e10, 1e-300, static_cast<int>(n / 30)); }, true, 20'000},
      {"far_plane_z", [](N n) { return far_plane(2, -1e300, 1e-10, static_cast<int>(n / 30)); }, false, 40'000},
      {"near_the_largest_double", near_the_largest},
      {"denormal", everywhere_denormal},
      {"sheet_over_ground", [](N n) { return sheet_over_ground(side_of(n), 1e5); }},
      {"sheet_in_ground", [](N n) { return sheet_over_ground(side_of(n), 1e9, true); }},
      {"walls", [](N n) { return walls(static_cast<int>(n), 12); }},
      {"row_along_y", [](N n) { return boxes_in_a_row(static_cast<int>(n / 12), 1, true); }},
      {"row_along_z", [](N n) { return boxes_in_a_row(static_cast<int>(n / 12), 2); }},
      {"heavy_tail", heavy_tail, true, 20'000},
      {"long_needles", long_needles, false, 40'000},
      {"coincidences_of_all_scales", coincidences, false, 40'000},
      {"powers_of_four", powers_of_four},
      {"tower_with_floors", tower, false, 40'000},
  };
  return all;
}

}  // namespace testing_support
