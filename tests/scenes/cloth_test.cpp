// The cloth on the table falls, drapes, folds, and stays out of itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure.h"

using namespace measure;

namespace {

struct Shape {
  double lowest = 1e30, highest = -1e30, farthest = 0;
  double level = 0;  ///< share of triangles that lie level
  int directions = 0;
};

Shape shape_of(const MeshView& mesh) {
  Shape shape;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3d p = mesh.position(i);
    shape.lowest = std::min(shape.lowest, p[1]);
    shape.highest = std::max(shape.highest, p[1]);
    shape.farthest = std::max(shape.farthest, std::sqrt(p[0] * p[0] + p[2] * p[2]));
  }
  bool seen[8] = {};
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto [a, b, c] = mesh.corners(i);
    const double x = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
    const double y = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
    const double z = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const double length = std::sqrt(x * x + y * y + z * z);
    shape.level += std::abs(y) > 0.9 * length ? 1.0 / static_cast<double>(mesh.triangles.size()) : 0;
    if (std::abs(y) < 0.5 * length) seen[(x > 0) + 2 * (z > 0) + 4 * (std::abs(x) > std::abs(z))] = true;
  }
  shape.directions = static_cast<int>(std::count(std::begin(seen), std::end(seen), true));
  return shape;
}

TEST(ClothOnTable, DrapesAndRests) {
  const auto animation = scenes::cloth_on_table(5000);
  const Shape start = shape_of(animation->frame().objects[0].mesh);
  EXPECT_GT(start.lowest, 0);
  EXPECT_GT(start.level, 0.99);
  advance(*animation, 150);
  const Mesh& cloth = animation->frame().objects[0].mesh;
  const Shape draped = shape_of(cloth);
  EXPECT_GT(draped.highest, -0.01) << "it rests on the table, not in it";
  EXPECT_LT(draped.highest, 0.1);
  EXPECT_LT(draped.lowest, -0.4) << "its corners hang down";
  EXPECT_GT(draped.lowest, -1.4) << "it does not stretch";
  EXPECT_LT(draped.farthest, 1.2);
  EXPECT_LT(draped.level, 0.6);
  EXPECT_GE(draped.directions, 7) << "folds face every way";
  EXPECT_LT(self_intersections(cloth.view(), {.threads = 1}).contacts.size(), cloth.triangles.size() / 200);
}

TEST(ClothOnTable, MovesLessAndLess) {
  const auto animation = scenes::cloth_on_table(2000);
  const auto moved_by = [&](int frames) {
    const Mesh before = animation->frame().objects[0].mesh;
    advance(*animation, frames);
    double sum = 0;
    const MeshView now = animation->frame().objects[0].mesh;
    for (std::size_t i = 0; i < now.positions.size(); ++i)
      sum += std::abs(now.position(i)[1] - before.view().position(i)[1]);
    return sum / static_cast<double>(now.positions.size());
  };
  const double falling = moved_by(20);
  advance(*animation, 200);
  EXPECT_LT(moved_by(20), 0.2 * falling);
}

}  // namespace
