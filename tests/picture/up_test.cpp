// The upward axis: known bodies, each in all six orders of its axes, must be found to stand on their feet.
#include "picture/up.h"

#include <gtest/gtest.h>

#include "scenes/scenes.h"

namespace sightline {
namespace {

Mesh table() {
  const std::vector<Mesh> parts = {scenes::box({0, 0, 7}, {12, 6, 7.5}), scenes::box({0, 0, 0}, {0.5, 0.5, 7}),
                                   scenes::box({11.5, 0, 0}, {12, 0.5, 7}), scenes::box({0, 5.5, 0}, {0.5, 6, 7}),
                                   scenes::box({11.5, 5.5, 0}, {12, 6, 7})};
  return scenes::merged(parts);
}
// Legs, body, head and tail: symmetric from left to right.
Mesh animal() {
  std::vector<Mesh> parts = {scenes::sphere(2000, {0, 0, 5}, 2), scenes::sphere(2000, {2.5, 0, 5}, 2),
                             scenes::sphere(500, {5.5, 0, 6.5}, 1), scenes::sphere(200, {-3, 0, 5.5}, 0.4)};
  for (const double x : {-0.8, 3.2})
    for (const double y : {-1.2, 1.2}) parts.push_back(scenes::box({x - 0.3, y - 0.3, 0}, {x + 0.3, y + 0.3, 4}));
  return scenes::merged(parts);
}
// A round bottom rim, a spout and a handle.
Mesh pot() {
  const std::vector<Mesh> parts = {scenes::sphere(2000, {0, 0, 3}, 3), scenes::torus(800, {3.4, 0, 3.4}, 1.2, 0.25),
                                   scenes::box({-4.5, -0.4, 2.5}, {-2.5, 0.4, 4.5}),
                                   scenes::box({-1.8, -1.8, 0}, {1.8, 1.8, 1})};
  return scenes::merged(parts);
}

int up_of_mesh(const Mesh& mesh, const std::string& file = "a.obj") {
  const report::Part part{.file = file, .name = "a", .mesh = mesh, .facts = {}};
  return picture::up_of(file, {&part, 1});
}

constexpr std::array<std::array<int, 3>, 6> kOrders = {
    {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};

TEST(Up, BodiesStandOnTheirFeetInEveryOrderOfAxes) {
  const std::pair<const char*, Mesh> bodies[] = {{"table", table()}, {"animal", animal()}, {"pot", pot()}};
  for (const auto& [name, body] : bodies)
    for (const auto& axes : kOrders) {
      // Coordinate i of the result is coordinate axes[i]: z of the body is where axes[i] is 2.
      const int expected = static_cast<int>(std::find(axes.begin(), axes.end(), 2) - axes.begin());
      EXPECT_EQ(up_of_mesh(scenes::with_axes(body, axes)), expected) << name << " with z as axis " << expected;
    }
}

TEST(Up, PlaceAndSizeDoNotMatter) {
  const Mesh lying = scenes::with_axes(scenes::to_double(animal()), {1, 2, 0});  // z of the animal is y
  for (const double size : {1e-30, 1.0, 1e30, 1e300})
    for (const double offset : {0.0, 1e3})
      EXPECT_EQ(up_of_mesh(scenes::scaled(scenes::moved(lying, {offset, -offset, offset}), size)), 1)
          << size << ", " << offset;
}

TEST(Up, WithoutEvidenceItIsZ) {
  EXPECT_EQ(up_of_mesh(scenes::sphere(2000)), 2);
  EXPECT_EQ(up_of_mesh(scenes::box({0, 0, 0}, {1, 1, 1})), 2);
  EXPECT_EQ(up_of_mesh(Mesh{}), 2);
  Mesh point;
  point.positions = std::vector<Vec3d>{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
  point.triangles = {{0, 1, 2}};
  EXPECT_EQ(up_of_mesh(point), 2);
}

TEST(Up, TheFormatComesFirst) {
  for (const char* file : {"a.glb", "A.GLB", "a.glTF"}) EXPECT_EQ(up_of_mesh(table(), file), 1) << file;
  EXPECT_EQ(up_of_mesh(scenes::with_axes(table(), {1, 2, 0}), "A.3MF"), 2);
  EXPECT_EQ(up_of_mesh(scenes::with_axes(table(), {1, 2, 0}), "a.3mf"), 2);
}

}  // namespace
}  // namespace sightline
