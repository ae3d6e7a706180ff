// Inputs that are easy to write down and hard for a grid: sizes, distances and directions that differ much, and
// triangles whose boxes overlap though they do not.
#include <array>
#include <cmath>

#include "scenes/random.h"
#include "scenes/scenes.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// Adds triangles one at a time to a mesh in double.
class Builder {
 public:
  std::uint32_t vertex(const Vec3d& p) {
    positions_.push_back(p);
    return static_cast<std::uint32_t>(positions_.size() - 1);
  }
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { triangles_.push_back({a, b, c}); }
  /// A strip of two triangles for each step around two rings of `count` vertices.
  void wall(std::uint32_t lower, std::uint32_t upper, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t next = (i + 1) % count;
      triangle(lower + i, lower + next, upper + next);
      triangle(lower + i, upper + next, upper + i);
    }
  }
  void fan(std::uint32_t hub, std::uint32_t ring, std::uint32_t count, bool turned) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t here = ring + i, next = ring + (i + 1) % count;
      turned ? triangle(hub, next, here) : triangle(hub, here, next);
    }
  }
  Mesh take(const char* name) {
    return {.name = name, .positions = std::move(positions_), .triangles = std::move(triangles_)};
  }

 private:
  std::vector<Vec3d> positions_;
  std::vector<Triangle> triangles_;
};

/// Turned about two axes by angles of Pythagorean triangles, so that no edge stays parallel to an axis.
Vec3d tilted(const Vec3d& p) {
  const double x = 0.8 * p[0] - 0.6 * p[2], z = 0.6 * p[0] + 0.8 * p[2];
  return {(5 * x - 12 * p[1]) / 13, (12 * x + 5 * p[1]) / 13, z};
}

}  // namespace

Mesh sheet_over_slope(std::size_t n, double size) {
  const auto side = static_cast<std::uint32_t>(std::max(1.0, std::sqrt(static_cast<double>(n) / 2)));
  std::vector<Vec3d> positions;
  for (std::uint32_t row = 0; row <= side; ++row)
    for (std::uint32_t column = 0; column <= side; ++column) {
      const double x = static_cast<double>(column) / side, y = static_cast<double>(row) / side;
      positions.push_back({x, y, 0.05 * noise(3 * x, 3 * y, 1)[2]});
    }
  std::vector<Triangle> triangles = grid_triangles(side, side);
  const auto first = static_cast<std::uint32_t>(positions.size());
  for (const auto& [x, y] : {std::array{-size / 3, -size / 3}, {size, -size / 3}, {size, size}, {-size / 3, size}})
    positions.push_back({x, y, 0.3 * x - 1});
  // One of the two where a sample of every (n / 4096)-th triangle includes it.
  triangles.insert(triangles.begin() + static_cast<std::ptrdiff_t>(triangles.size() / 4096 / 2),
                   {first, first + 1, first + 2});
  triangles.push_back({first, first + 2, first + 3});
  return {.name = "sheet over a slope", .positions = std::move(positions), .triangles = std::move(triangles)};
}

Mesh cloths_apart(std::size_t n, double distance) {
  const Mesh cloths[] = {to_double(crumpled_cloth(n / 2, 1)),
                         moved(to_double(crumpled_cloth(n / 2, 2)), {distance, 0.3 * distance, -0.7 * distance})};
  return merged(cloths);
}

std::vector<Mesh> row_of_boxes(std::size_t count, int axis) {
  Random random(1);
  std::vector<Mesh> boxes;
  boxes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Vec3d low, high;
    for (int k = 0; k < 3; ++k) {
      low[k] = k == axis ? 2.0 * static_cast<double>(i) : random.unit();
      high[k] = low[k] + 0.9;
    }
    boxes.push_back(box(low, high));
  }
  return boxes;
}

Mesh specks_under_walls(std::size_t n, std::size_t walls) {
  Random random(5);
  std::vector<Vec3f> positions;
  positions.reserve(3 * (n + walls));
  const std::size_t step = n / walls;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d centre = {random.unit(), random.unit(), 0.05 * random.unit()};
    for (int corner = 0; corner < 3; ++corner) positions.push_back(to_float(add(centre, random.in_cube(5e-6))));
    if (i % step != step / 2 || i / step >= walls) continue;
    const double z = 0.06 + 0.1 * static_cast<double>(i / step) / static_cast<double>(walls);
    for (const Vec3d& p : {Vec3d{-0.5, -0.5, z}, Vec3d{1.5, -0.5, z}, Vec3d{0.5, 1.8, z}})
      positions.push_back(to_float(p));
  }
  const std::size_t count = positions.size() / 3;
  return {.name = "specks", .positions = std::move(positions), .triangles = separate_triangles(count)};
}

Mesh grating(std::size_t bars, double cosine, double sine) {
  std::vector<Mesh> all;
  all.reserve(bars);
  const double pitch = 1 / static_cast<double>(bars);
  for (std::size_t i = 0; i < bars; ++i) {
    const double y = static_cast<double>(i) * pitch;
    all.push_back(to_double(box({0, y, 0}, {1, y + 0.5 * pitch, 0.5 * pitch})));
  }
  Mesh mesh = merged(all);
  for (Vec3d& p : std::get<std::vector<Vec3d>>(mesh.positions))
    p = {cosine * p[0] - sine * p[1], sine * p[0] + cosine * p[1], p[2]};
  mesh.name = "grating";
  return to_float(mesh);
}

Mesh disc(std::size_t n, double height) {
  Builder builder;
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(n, 3));
  const std::uint32_t hub = builder.vertex({0, 0, height});
  for (std::uint32_t i = 0; i < count; ++i) {
    const CirclePoint p = circle_point(i, count);
    builder.vertex({p.cos, p.sin, 0});
  }
  builder.fan(hub, hub + 1, count, false);
  return builder.take("disc");
}

Mesh cylinder(std::size_t n, std::size_t rings) {
  Builder builder;
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(n / (2 * rings + 2), 3));
  const double length = 0.25;
  const std::uint32_t bottom = builder.vertex({0, 0, 0}), top = builder.vertex(tilted({0, 0, length}));
  for (std::size_t ring = 0; ring <= rings; ++ring)
    for (std::uint32_t i = 0; i < count; ++i) {
      const CirclePoint p = circle_point(i, count);
      builder.vertex(tilted({p.cos, p.sin, length * static_cast<double>(ring) / static_cast<double>(rings)}));
    }
  const auto ring_at = [&](std::size_t ring) { return top + 1 + static_cast<std::uint32_t>(ring) * count; };
  for (std::size_t ring = 0; ring < rings; ++ring) builder.wall(ring_at(ring), ring_at(ring + 1), count);
  builder.fan(bottom, ring_at(0), count, true);
  builder.fan(top, ring_at(rings), count, false);
  return builder.take("cylinder");
}

Mesh boxes_with_dust(std::size_t count) {
  constexpr double kDust = 6.123233995736766e-17;  // the cosine of 90° as doubles have it
  std::vector<Mesh> boxes;
  std::size_t side = 1;
  while (side * side < count) ++side;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(i % side), y = static_cast<double>(i / side);
    Mesh mesh = to_double(box({x, y, 0}, {x + 1, y + 1, 1}));
    for (Vec3d& p : std::get<std::vector<Vec3d>>(mesh.positions))
      p = {p[0] + 1e4, p[1] + 1e4, p[2] == 0 ? kDust * (p[0] - p[1]) : p[2]};
    boxes.push_back(std::move(mesh));
  }
  return merged(boxes);
}

std::vector<Mesh> turned_plates(std::size_t n) {
  const auto side = static_cast<std::uint32_t>(std::max(1.0, std::sqrt(static_cast<double>(n) / 8)));
  const auto plate = [side](double z, double cosine, double sine) {
    Builder builder;
    const auto at = [side](std::uint32_t i, std::uint32_t j, std::uint32_t layer) {
      return (layer * (side + 1) + j) * (side + 1) + i;
    };
    for (int layer = 0; layer < 2; ++layer)
      for (std::uint32_t j = 0; j <= side; ++j)
        for (std::uint32_t i = 0; i <= side; ++i) {
          const double x = static_cast<double>(i) / side - 0.5, y = static_cast<double>(j) / side - 0.5;
          builder.vertex({cosine * x - sine * y, sine * x + cosine * y, z + layer});
        }
    const auto quad = [&builder](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      builder.triangle(a, b, c);
      builder.triangle(a, c, d);
    };
    for (std::uint32_t j = 0; j < side; ++j)
      for (std::uint32_t i = 0; i < side; ++i) {
        quad(at(i, j, 0), at(i, j + 1, 0), at(i + 1, j + 1, 0), at(i + 1, j, 0));
        quad(at(i, j, 1), at(i + 1, j, 1), at(i + 1, j + 1, 1), at(i, j + 1, 1));
      }
    for (std::uint32_t i = 0; i < side; ++i) {
      quad(at(i, 0, 0), at(i + 1, 0, 0), at(i + 1, 0, 1), at(i, 0, 1));
      quad(at(side, i, 0), at(side, i + 1, 0), at(side, i + 1, 1), at(side, i, 1));
      quad(at(i + 1, side, 0), at(i, side, 0), at(i, side, 1), at(i + 1, side, 1));
      quad(at(0, i + 1, 0), at(0, i, 0), at(0, i, 1), at(0, i + 1, 1));
    }
    return builder.take("plate");
  };
  return {plate(0, 1, 0), plate(1, 0.96, 0.28)};
}

Mesh crossed_bars(std::size_t bars) {
  std::vector<Mesh> all;
  const double pitch = 2 / static_cast<double>(bars);
  for (std::size_t i = 0; i < bars / 2; ++i) {
    const double at = static_cast<double>(i) * pitch;
    all.push_back(to_double(box({0, at, 0}, {1, at + 0.4 * pitch, 0.4 * pitch})));
    all.push_back(to_double(box({at, 0, 0.6 * pitch}, {at + 0.4 * pitch, 1, pitch})));
  }
  return merged(all);
}

Mesh gear(std::size_t n) {
  Builder builder;
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(n / 4, 3));
  const std::uint32_t bottom = builder.vertex({0, 0, 0}), top = builder.vertex(tilted({0, 0, 0.3}));
  for (const double z : {0.0, 0.3})
    for (std::uint32_t i = 0; i < count; ++i) {
      const CirclePoint p = circle_point(i, count);
      const double r = i / 3 % 2 == 0 ? 1 : 0.9;
      builder.vertex(tilted({r * p.cos, r * p.sin, z}));
    }
  builder.fan(bottom, top + 1, count, true);
  builder.fan(top, top + 1 + count, count, false);
  builder.wall(top + 1, top + 1 + count, count);
  return builder.take("gear");
}

Mesh drilled_plates(std::size_t n) {
  Builder builder;
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(n / 8 * 4, 8));
  for (const double z : {0.0, 0.5}) {
    const std::uint32_t corner = builder.vertex(tilted({-2, -2, z}));
    for (const auto& [x, y] : {std::array{2.0, -2.0}, {2.0, 2.0}, {-2.0, 2.0}}) builder.vertex(tilted({x, y, z}));
    for (std::uint32_t i = 0; i < count; ++i) {  // the hole begins between the first corner and the last
      const CirclePoint p = circle_point(i + count / 2, count);
      builder.vertex(tilted({p.cos, p.sin, z}));
    }
    const std::uint32_t hole = corner + 4;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t next = (i + 1) % count, from = 4 * i / count, to = 4 * next / count;
      builder.triangle(corner + from, hole + next, hole + i);
      if (to != from) builder.triangle(corner + from, corner + to, hole + next);
    }
  }
  return builder.take("drilled plates");
}

Mesh needles_through_sheet(std::size_t n) {
  Random random(3);
  Builder builder;
  const auto side = static_cast<std::uint32_t>(std::max(1.0, std::sqrt(0.45 * static_cast<double>(n))));
  for (std::uint32_t row = 0; row <= side; ++row)
    for (std::uint32_t column = 0; column <= side; ++column) {
      const double x = static_cast<double>(column) / side, y = static_cast<double>(row) / side;
      builder.vertex({x, y, 0.05 * noise(3 * x, 3 * y, 1)[2]});
    }
  for (const Triangle& t : grid_triangles(side, side)) builder.triangle(t[0], t[1], t[2]);
  for (std::size_t i = 0; i < n / 10; ++i) {
    const double x = random.unit(), y = random.unit();
    const std::uint32_t first = builder.vertex({x, y, -1});
    builder.vertex({x + 0.3, y + 0.1, 1});
    builder.vertex({x + 0.3 + 1e-4, y + 0.1, 1});
    builder.triangle(first, first + 1, first + 2);
  }
  return builder.take("needles through a sheet");
}

std::vector<Mesh> nested_boxes(std::size_t count) {
  std::vector<Mesh> boxes;
  boxes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double at = 0.5 * static_cast<double>(i) / static_cast<double>(count);
    boxes.push_back(to_double(box({at, at, at}, {1 - 0.9 * at, 1 - 0.9 * at, 1 - 0.9 * at})));
  }
  return boxes;
}

}  // namespace sightline::scenes
