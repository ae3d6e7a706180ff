// What the boxes of objects leave, and what the raster is given of it; the cameras that boxes give.
#include "method/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "method/quick_cullide.h"
#include "method/run_method.h"
#include "scenes/scenes.h"
#include "support/random.h"

namespace testing_support {
namespace {

using namespace sightline::papers::method;
using sightline::Box;
namespace raster = sightline::papers::raster;

MethodSettings any_options() {
  MethodSettings options = with(MethodName::quick_cullide, Precision::conservative, 64);
  options.paper.views = {View{{0, 0, -1}}, View{{-1, 0, 0}}};
  return options;
}

std::vector<std::uint32_t> left_of(const Objects& objects, unsigned threads = 1) {
  Inside inside(objects, any_options(), threads);
  return near_others(*inside.context);
}

Box box_of(const Scene& scene, std::uint32_t triangle) {
  Box box;
  for (const Vec3d& p : scene.corners(triangle)) box.add(p);
  return box;
}

/// Triangles of different objects whose boxes meet must both stay, and so must all of an object with `self`; what is
/// outside all other objects' boxes, and so outside the box around where they lie in its own, must leave.
void check(const Objects& objects) {
  SCOPED_TRACE(objects.name);
  Inside inside(objects, any_options(), 2);
  const Scene& scene = inside.scene;
  const std::vector<std::uint32_t> left = near_others(*inside.context);
  ASSERT_TRUE(std::is_sorted(left.begin(), left.end(), std::less_equal<>()));
  const auto stays = [&](std::uint32_t t) { return std::binary_search(left.begin(), left.end(), t); };
  for (std::uint32_t a = 0; a < scene.triangles.size(); ++a) {
    const std::uint32_t object = scene.object_of[a];
    if (scene.table.objects[object].options.self) {
      EXPECT_TRUE(stays(a)) << a << " of an object with self";
      continue;
    }
    Box hull;
    for (std::uint32_t o = 0; o < scene.boxes.size(); ++o) {
      if (o == object || !scene.boxes[o].meets(scene.boxes[object])) continue;
      Box part;
      for (int axis = 0; axis < 3; ++axis) {
        part.low[axis] = std::max(scene.boxes[o].low[axis], scene.boxes[object].low[axis]);
        part.high[axis] = std::min(scene.boxes[o].high[axis], scene.boxes[object].high[axis]);
      }
      hull.add(part);
    }
    const Box box = box_of(scene, a);
    if (!box.meets(hull)) {
      EXPECT_FALSE(stays(a)) << a;
    }
    if (stays(a)) continue;
    for (std::uint32_t b = 0; b < scene.triangles.size(); ++b)
      if (scene.object_of[b] != object && box.meets(box_of(scene, b))) {
        FAIL() << a << " was dropped, and its box meets that of " << b;
      }
  }
}

/// Few values, so that most boxes touch somewhere at equal coordinates.
Objects on_a_lattice(std::uint64_t seed, double scale) {
  Random random(seed);
  Objects objects{"lattice " + std::to_string(seed) + ", scale " + std::to_string(scale), {}, Objects::none};
  objects.self = static_cast<Objects::Self>(random.below(4) == 0 ? 1 : 0);
  const int count = 1 + random.below(9);
  for (int o = 0; o < count; ++o) {
    Builder builder;
    const Vec3d at = {1.0 * random.below(12), 1.0 * random.below(12), 1.0 * random.below(12)};
    const auto point = [&] {
      Vec3d p;
      for (int axis = 0; axis < 3; ++axis) p[axis] = (at[axis] + static_cast<double>(random.below(5)) - 8) * scale;
      if (random.below(8) == 0) p[random.below(3)] = -0.0;
      return p;
    };
    const int triangles = 1 + random.below(40);
    for (int t = 0; t < triangles; ++t) builder.triangle(point(), point(), point());
    objects.meshes.push_back(builder.mesh());
  }
  return objects;
}

TEST(Boxes, NothingThatMayTouchLeaves) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    constexpr double kScales[] = {1, 1.0 / 3, 1e307, 5e-324, 1e-305};
    check(on_a_lattice(seed, kScales[seed % 5]));
    if (HasFatalFailure()) return;
  }
}

TEST(Boxes, OnScenesOfObjects) {
  check({"spheres", sightline::scenes::spheres(20, 80), Objects::none});
  check({"spheres, one by itself", sightline::scenes::spheres(12, 80), Objects::first});
  check({"cubes", sightline::scenes::cubes_in_contact(4), Objects::none});
  check({"two objects", sightline::scenes::two_objects(900, 400), Objects::none});
  check({"identical", {sightline::scenes::sphere(320), sightline::scenes::sphere(320)}, Objects::none});
}

TEST(Boxes, OneObject) {
  const Mesh sphere = sightline::scenes::sphere(80);
  EXPECT_TRUE(left_of({"alone", {sphere}, Objects::none}).empty());
  Inside inside({"by itself", {sphere}, Objects::all}, any_options());
  EXPECT_EQ(near_others(*inside.context).size(), sphere.triangles.size());
  EXPECT_TRUE(inside.report.passes.empty()) << "nothing could leave";
  EXPECT_TRUE(left_of({"nothing", {}, Objects::none}).empty());
}

TEST(Boxes, IdenticalObjectsKeepAll) {
  const Mesh sphere = sightline::scenes::sphere(320);
  EXPECT_EQ(left_of({"three", {sphere, sphere, sphere}, Objects::none}).size(), 3 * sphere.triangles.size());
}

/// Boxes at two ends of a large one: most of it lies in the box around them, and in neither.
Objects crowded(int others) {
  Objects objects{"crowded", {sightline::scenes::sphere(5120)}, Objects::none};
  const Mesh ball = sightline::scenes::sphere(80);
  for (int i = 0; i < others; ++i) {
    const double along = (i % 2 == 0 ? 1 : -1) * (0.58 + 0.001 * i);
    Builder small;
    small.append(ball);
    for (Vec3d& p : small.positions)
      for (double& x : p) x = along + 0.3 * x;
    objects.meshes.push_back(small.mesh());
  }
  return objects;
}

TEST(Boxes, ManyOthersAreToldApart) {
  for (const int others : {2, 3, 30, 80}) {
    const Objects objects = crowded(others);
    check(objects);
    const auto left = left_of(objects);
    const auto of_the_large = std::count_if(left.begin(), left.end(), [](std::uint32_t t) { return t < 5120; });
    EXPECT_GT(of_the_large, 0) << others;
    EXPECT_LT(of_the_large, 2000) << others;
  }
}

/// More pairs of objects than are worth looking at: all stay.
TEST(Boxes, AHeapOfThousands) {
  Builder builder;
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  Objects objects{"heap", std::vector<Mesh>(3000, builder.mesh()), Objects::none};
  builder.positions = {{10, 0, 0}, {11, 0, 0}, {10, 1, 0}};
  objects.meshes.resize(3002, builder.mesh());  // two that only each other meets, and that a sweep looks at last
  EXPECT_EQ(left_of(objects).size(), 3002u);
}

/// The most pairs that are looked at cost about as much as the triangles: all of these overlap, and all stay.
TEST(Boxes, ACrowd) {
  Objects objects{"crowd", {}, Objects::none};
  for (int i = 0; i < 400; ++i)
    objects.meshes.push_back(sightline::scenes::sphere(20, {0.001 * i, 0.002 * (i % 7), 0.001 * (i % 11)}));
  objects.meshes.push_back(sightline::scenes::sphere(20, {10, 0, 0}));
  EXPECT_EQ(left_of(objects).size(), objects.triangles()) << "not even the one that is alone is found";
  objects.meshes.erase(objects.meshes.begin(), objects.meshes.begin() + 360);  // few enough to be looked at
  EXPECT_EQ(left_of(objects).size(), objects.triangles() - objects.meshes.back().triangles.size());
}

/// So many triangles that the grid has its largest side, and its rows all bits of a word.
TEST(Boxes, TheFinestGrid) {
  Random random(3);
  Builder large, small;
  for (int i = 0; i < 33000; ++i) {
    const Vec3d p = {random.in(0, 1), random.in(0, 1), random.in(0, 1)};
    large.triangle(p, {p[0] + 0.001, p[1], p[2]}, {p[0], p[1] + 0.001, p[2] + 0.001});
  }
  for (int i = 0; i < 40; ++i) {
    const Vec3d p = {random.in(0, 1), random.in(0, 1), i % 2 == 0 ? random.in(-1, 0) : random.in(1, 2)};
    small.triangle(p, {p[0] + 0.1, p[1], p[2] + 0.2}, {p[0], p[1] + 0.1, p[2]});
  }
  Objects objects{"finest", {large.mesh()}, Objects::none};
  for (const Vec3d& at : {Vec3d{0.1, 0.1, 0.1}, Vec3d{0.97, 0.5, 0.5}, Vec3d{0.5, 0.02, 0.9}})
    objects.meshes.push_back(sightline::scenes::sphere(20, at, 0.02));
  check(objects);
  EXPECT_LT(left_of(objects).size(), 200u);
  objects.meshes.push_back(small.mesh());
  check(objects);
}

TEST(Boxes, ThreadsDoNotMatter) {
  const Objects objects{"spheres", sightline::scenes::spheres(30, 1280), Objects::none};
  const auto one = left_of(objects, 1);
  EXPECT_LT(one.size(), objects.triangles());
  EXPECT_GT(one.size(), 0u);
  for (const unsigned threads : {2u, 7u}) EXPECT_EQ(left_of(objects, threads), one);
}

TEST(Boxes, BothMethodsBeginWithTheSame) {
  const Objects objects{"spheres", sightline::scenes::spheres(20, 320), Objects::none};
  MethodSettings options = any_options();
  const Report quick = collide(objects, options);
  options.method = MethodName::cullide;
  const Report slow = collide(objects, options);
  ASSERT_EQ(slow.method.passes.front().level, "boxes");
  EXPECT_EQ(slow.method.passes.front().pcs_before, objects.triangles());
  EXPECT_LT(slow.method.passes.front().pcs_after, objects.triangles());
  EXPECT_EQ(quick.method.passes.front().pcs_after, slow.method.passes.front().pcs_after);
  EXPECT_EQ(slow.contacts, collide(objects).contacts);
}

// ---- what the raster is given

TEST(Extract, DrawsTheSameTriangles) {
  Inside inside(crowded(10), any_options());
  Context& context = *inside.context;
  Hierarchy hierarchy = first_hierarchy(context);
  Level objects = object_level(context, hierarchy);
  EXPECT_EQ(hierarchy.drawn().data(), hierarchy.all().data()) << "the scene's numbers, as long as nothing is said";
  const Level patches = sub_object_level(objects, hierarchy);
  ASSERT_GT(patches.elements().size(), 11u);
  const std::span<const std::uint32_t> drawn = hierarchy.drawn();
  ASSERT_EQ(drawn.size(), hierarchy.all().size());
  ASSERT_NE(drawn.data(), hierarchy.all().data());
  const raster::Geometry given = context.extract.geometry(inside.scene.box);
  ASSERT_EQ(given.triangles.size(), drawn.size());
  std::set<std::uint32_t> seen;
  for (std::uint32_t e = 0; e < patches.elements().size(); ++e) {
    const Range range = patches.elements()[e].triangles;
    for (std::uint32_t i = 0; i < range.size(); ++i) {
      const std::uint32_t triangle = patches.triangles_of(e)[i];
      EXPECT_TRUE(seen.insert(triangle).second);
      EXPECT_EQ(inside.scene.object_of[triangle], patches.elements()[e].object);
      const sightline::Triangle& t = given.triangles[hierarchy.drawn(range)[i]];
      const auto corners = inside.scene.corners(triangle);
      for (int c = 0; c < 3; ++c) EXPECT_EQ(given.positions[t[c]], corners[c]);
    }
  }
  EXPECT_EQ(seen.size(), drawn.size());
}

TEST(Extract, NotWhereMostIsLeft) {
  const Mesh sphere = sightline::scenes::sphere(320);
  Inside inside({"two", {sphere, sphere}, Objects::none}, any_options());
  Hierarchy hierarchy = first_hierarchy(*inside.context);
  hierarchy.extract(*inside.context);
  EXPECT_EQ(hierarchy.drawn().data(), hierarchy.all().data());
}

/// The same levels with the scene's geometry and with an extract: the same passes, the same set.
TEST(Extract, LeavesTheSame) {
  for (const Precision precision : {Precision::image, Precision::conservative}) {
    MethodSettings options = any_options();
    options.paper.precision = precision;
    options.paper.resolution = 256;
    options.paper.views.push_back(View{{-0.3, -0.5, -0.8}});
    std::vector<std::uint32_t> left[2];
    std::vector<sightline::papers::Pass> passes[2];
    for (const int extracted : {0, 1}) {
      Inside inside(crowded(12), options);
      Hierarchy hierarchy = first_hierarchy(*inside.context);
      Level objects = object_level(*inside.context, hierarchy);
      if (extracted == 1) hierarchy.extract(*inside.context);
      Level triangles = triangle_level(objects);
      quick_prune(triangles);
      left[extracted] = triangles.triangles();
      passes[extracted] = inside.report.passes;
    }
    EXPECT_GT(left[0].size(), 0u);
    EXPECT_EQ(left[0], left[1]);
    ASSERT_EQ(passes[0].size(), passes[1].size());
    for (std::size_t i = 0; i < passes[0].size(); ++i) {
      EXPECT_EQ(passes[0][i].pcs_after, passes[1][i].pcs_after);
      EXPECT_EQ(passes[0][i].fragments, passes[1][i].fragments);
    }
  }
}

TEST(Extract, ContactsAreTheExactOnes) {
  const Objects objects = crowded(20);
  for (const MethodName method : {MethodName::cullide, MethodName::quick_cullide})
    for (const bool random : {false, true}) {
      MethodSettings options = any_options();
      options.method = method;
      options.paper.random_hierarchy = random;
      EXPECT_EQ(collide(objects, options).contacts, collide(objects).contacts);
    }
}

// ---- cameras

TEST(Cameras, OfBoxesAreThoseOfAllPoints) {
  Random random(7);
  const auto awkward = [&]() -> double {
    switch (random.below(6)) {
      case 0:
        return -0.0;
      case 1:
        return 0.1 * static_cast<double>(random.below(20));
      case 2:
        return random.in(-1, 1) * 1e-310;
      case 3:
        return random.in(-1, 1) * 1e16;
      default:
        return random.in(-3, 7);
    }
  };
  for (int round = 0; round < 200; ++round) {
    const double scale = round % 10 == 9 ? 1e290 : round % 10 == 8 ? 1e-290 : 1;
    Builder builder;
    const int count = 1 + random.below(20);
    for (int i = 0; i < count; ++i) {
      const auto point = [&] { return Vec3d{awkward() * scale, awkward() * scale, awkward() * scale}; };
      builder.triangle(point(), point(), point());
    }
    MethodSettings options = any_options();
    options.paper.views = {View{{1, 0, 0}},          View{{-1, 0, 0}},  View{{0, 1, 0}},
                           View{{0, -2, 0}},         View{{0, 0, 1}},   View{{0, 0, -1}},
                           View{{-0.3, -0.5, -0.8}}, View{{0.3, 0, 0}}, View{{0, 3e7, 0}}};
    Inside inside({"points", {builder.mesh()}, Objects::none}, options, 2);
    inside.context->look_at_all();
    ASSERT_EQ(inside.context->cameras.size(), options.paper.views.size());
    for (std::size_t i = 0; i < options.paper.views.size(); ++i) {
      const raster::Camera expected = raster::fit_camera(options.paper.views[i], inside.scene.positions);
      EXPECT_TRUE(inside.context->cameras[i] == expected) << round << ", view " << i;
    }
  }
}

TEST(Cameras, ABoxHasOnlyAxes) {
  Box box;
  EXPECT_TRUE(box.empty());
  EXPECT_FALSE(raster::seen_along_axis(raster::aim(View{}, box), box)) << "a box of nothing";
  box.add(Vec3d{1, 2, 3});
  box.add(Vec3d{4, 5, 7});
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      View view;
      view.direction = {0, 0, 0};
      view.direction[axis] = sign;
      EXPECT_TRUE(raster::seen_along_axis(raster::aim(view, box), box)) << axis << " " << sign;
    }
  EXPECT_FALSE(raster::seen_along_axis(raster::aim(View{{1, 1e-9, 0}}, box), box));
  EXPECT_FALSE(raster::seen_along_axis(raster::aim(View{{1, 1, 1}}, box), box));
  raster::Camera far_off = raster::aim(View{{1, 0, 0}}, box);
  far_off.origin = {-1.7e308, 0, 0};
  box.add(Vec3d{1.7e308, 0, 0});
  EXPECT_FALSE(raster::seen_along_axis(far_off, box)) << "overflow";
}

// ---- memory

TEST(Memory, BlocksAreUsedAgainAndNotForever) {
  constexpr std::size_t kBytes = 3 << 20;
  const void* first = nullptr;
  {
    UninitializedArray<std::uint8_t> block(kBytes);
    first = block.data();
  }
  {
    UninitializedArray<std::uint8_t> again(kBytes - 1000), other(kBytes - 1000);
    EXPECT_EQ(again.data(), first);
    EXPECT_NE(again.data(), other.data());
  }
  std::vector<UninitializedArray<std::uint8_t>> small;  // more than may be idle
  for (std::size_t i = 0; i <= kMostIdleBlocks; ++i) {
    small.emplace_back(100);
    EXPECT_NE(small.back().data(), first) << "a large block is not for a small array";
  }
  std::vector<UninitializedArray<std::uint8_t>> many;
  for (int i = 0; i < 40; ++i) many.emplace_back(std::size_t{5} << 20);
  many.clear();
  EXPECT_LE(idle_bytes(), kMostIdleBytes);
  EXPECT_GT(idle_bytes(), 0u);
  const std::size_t before = idle_bytes();
  { UninitializedArray<std::uint8_t> huge(2 * kMostIdleBytes); }
  EXPECT_EQ(idle_bytes(), before);
  EXPECT_EQ(UninitializedArray<Vec3d>(0).size(), 0u);
  EXPECT_THROW(UninitializedArray<Vec3d>(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
}  // namespace testing_support
