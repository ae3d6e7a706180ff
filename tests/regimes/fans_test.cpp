// Triangles whose boxes overlap though few of them are in contact: around common corners, and long ones side by side.
// Here the engine leaves pairs out by shadows and links (pair/shadows.h). Held against brute force.
#include <algorithm>
#include <cmath>

#include "regimes/run.h"
#include "scenes/scenes.h"
#include "support/random.h"

namespace {

using namespace testing_support;
using sightline::Triangle;
using sightline::Vec3d;
namespace scenes = sightline::scenes;

RegimeScene one(Mesh mesh) {
  RegimeScene scene;
  scene.objects.push_back(std::move(mesh));
  scene.self.push_back(true);
  return scene;
}

/// A soup of triangles with a corner at the hub.
struct Soup {
  std::vector<Vec3d> positions;
  void add(const Vec3d& a, const Vec3d& b, const Vec3d& c) { positions.insert(positions.end(), {a, b, c}); }
  Mesh mesh() const {
    std::vector<Triangle> triangles;
    for (std::uint32_t i = 0; i + 2 < positions.size(); i += 3) triangles.push_back({i, i + 1, i + 2});
    return {.name = "fan", .positions = positions, .triangles = triangles};
  }
};

Vec3d in_cube(Random& random) { return {random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)}; }
Vec3d plus(const Vec3d& a, const Vec3d& b, double times = 1) {
  return {a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]};
}
/// The corner of a triangle that comes first changes from triangle to triangle.
void add_turned(Soup& soup, Random& random, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d t[3] = {a, b, c};
  const int first = random.below(3);
  soup.add(t[first], t[(first + 1) % 3], t[(first + 2) % 3]);
}

/// Short arcs in all directions around a hub; some overlap.
Mesh hedgehog(int n, double arc, const Vec3d& hub, double scale = 1) {
  Random random(7);
  Soup soup;
  for (int i = 0; i < n; ++i) {
    const Vec3d p = in_cube(random), q = plus(p, in_cube(random), arc);
    add_turned(soup, random, hub, plus(hub, p, scale), plus(hub, q, random.in(0.2, 5) * scale));
  }
  return soup.mesh();
}

/// Integers around a hub: spokes on one line, arcs on arcs, duplicates, degenerate triangles.
Mesh lattice_fan(int n, int side) {
  Random random(9);
  Soup soup;
  const auto spoke = [&] {
    return Vec3d{double(random.below(2 * side + 1) - side), double(random.below(2 * side + 1) - side),
                 double(random.below(2 * side + 1) - side)};
  };
  const Vec3d hub = {3, -5, 8};
  for (int i = 0; i < n; ++i) {
    const Vec3d p = plus(hub, spoke()), q = random.chance(0.1) ? hub : plus(hub, spoke());
    add_turned(soup, random, hub, p, random.chance(0.1) ? plus(plus(p, p), hub, -1) : q);
  }
  return soup.mesh();
}

/// Wedges of discs in several planes through one hub: the discs cross.
Mesh crossed_discs(std::size_t n) {
  const Mesh flat = scenes::disc(n);
  const Mesh discs[] = {flat, scenes::with_axes(flat, {1, 2, 0}), scenes::with_axes(flat, {2, 0, 1}),
                        scenes::disc(n, 0.3), scenes::moved(scenes::disc(n), {0, 0, 0.01})};
  return scenes::merged(discs);
}

/// Closed cylinders through each other: hubs, walls and rims in one tree, with contacts between all of them. So many
/// triangles that parts of the tree get new directions, of two lists, too, and that threads share it.
Mesh crossed_cylinders(std::size_t n) {
  const Mesh one = scenes::cylinder(n);
  const Mesh cylinders[] = {one, scenes::moved(scenes::with_axes(one, {1, 2, 0}), {0.3, 0.1, -0.2}),
                            scenes::moved(one, {0.01, 0.02, 0.003})};
  return scenes::merged(cylinders);
}

/// Hedgehogs of different sizes in one place: leaves of many hubs, and of triangles that have none.
Mesh many_hubs(int hubs) {
  Random random(13);
  std::vector<Mesh> all;
  for (int i = 0; i < hubs; ++i)
    all.push_back(hedgehog(40 + 60 * random.below(5), 0.05, plus({1, 2, 3}, in_cube(random), 0.2)));
  all.push_back(scenes::to_double(scenes::uniform_soup(200)));
  return scenes::merged(all);
}

/// Long needles between points of a lattice, through a grid of the same points: they touch corners and edges, and lie
/// on planes of boxes.
Mesh needles_through_lattice(int side) {
  Random random(15);
  Soup soup;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const double x = i, y = j;
      soup.add({x, y, 0}, {x + 1, y, 0}, {x + 1, y + 1, 0});
      soup.add({x, y, 0}, {x + 1, y + 1, 0}, {x, y + 1, 0});
    }
  const auto corner = [&](double z) {
    return Vec3d{double(random.below(side + 1)), double(random.below(side + 1)), z};
  };
  for (int i = 0; i < 10 * side; ++i) {
    const Vec3d p = corner(-side * random.below(2)), q = corner(side);
    soup.add(p, q, plus(q, {0, 0.25 * random.below(3), 0.25 * random.below(2)}));
  }
  return soup.mesh();
}

/// Boxes in boxes, of which some touch the next one or lie on each other.
Mesh touching_nested_boxes(std::size_t count) {
  Random random(16);
  std::vector<Mesh> boxes = scenes::nested_boxes(count);
  for (std::size_t i = 0; i + 1 < count; ++i)
    if (random.chance(0.1)) {
      auto& points = std::get<std::vector<Vec3d>>(boxes[i + 1].positions);
      const auto& outer = std::get<std::vector<Vec3d>>(boxes[i].positions);
      const int axes = 1 + random.below(3);
      for (std::size_t k = 0; k < points.size(); ++k)
        for (int axis = 0; axis < axes; ++axis) points[k][axis] = outer[k][axis];
    }
  return scenes::merged(boxes);
}

/// Random wedges in one plane, long ones among them: many overlap.
Mesh overlapping_wedges(int n) {
  Random random(11);
  Soup soup;
  const Vec3d hub = {0.1, 0.2, 0.3};
  for (int i = 0; i < n; ++i) {
    const double turn = random.in(0, 6.283), width = random.chance(0.02) ? 2 : random.in(0, 0.01);
    add_turned(soup, random, hub, plus(hub, {std::cos(turn), std::sin(turn), 0}, random.in(0.5, 2)),
               plus(hub, {std::cos(turn + width), std::sin(turn + width), 0}));
  }
  return soup.mesh();
}

Mesh scaled_far(const Mesh& mesh, double factor, double offset) {
  return scenes::moved(scenes::scaled(mesh, factor), {offset, -offset, 0.5 * offset});
}

std::vector<Tuned> few(std::size_t first) {
  const std::vector<Tuned> all = covering_options();
  std::vector<Tuned> some;
  for (std::size_t i = first; i < all.size(); i += smaller_tests() ? 10 : 3) some.push_back(all[i]);
  return some;
}

struct Fan {
  const char* name;
  Mesh (*make)();
};
void PrintTo(const Fan& fan, std::ostream* out) { *out << fan.name; }

const Fan kFans[] = {
    {"disc", [] { return scenes::disc(900); }},
    {"disc_float", [] { return scenes::to_float(scenes::disc(900)); }},
    {"disc_soup", [] { return scenes::to_soup(scenes::to_float(scenes::disc(900))); }},
    {"cone", [] { return scenes::disc(900, 0.4); }},
    {"needle_cone", [] { return scenes::disc(700, 50); }},
    {"cylinder", [] { return scenes::cylinder(1600); }},
    {"cylinder_rings", [] { return scenes::cylinder(5000, 3); }},
    {"crossed", [] { return crossed_discs(220); }},
    {"crossed_cylinders", [] { return crossed_cylinders(smaller_tests() ? 900 : 2600); }},
    {"many_hubs", [] { return many_hubs(smaller_tests() ? 6 : 16); }},
    {"gear", [] { return scenes::gear(2400); }},
    {"drilled", [] { return scenes::drilled_plates(1600); }},
    {"crossed_bars", [] { return scenes::crossed_bars(120); }},
    {"needles_sheet", [] { return scenes::needles_through_sheet(1500); }},
    {"needles_lattice", [] { return needles_through_lattice(smaller_tests() ? 12 : 24); }},
    {"nested_boxes", [] { return touching_nested_boxes(smaller_tests() ? 100 : 280); }},
    {"wedges", [] { return overlapping_wedges(900); }},
    {"hedgehog",
     [] {
       return hedgehog(1000, 0.05, {0, 0, 0});
     }},
    {"hedgehog_wide",
     [] {
       return hedgehog(700, 1.5, {1, 1, 1});
     }},
    {"hedgehog_far",
     [] {
       return hedgehog(900, 0.05, {1e8, -1e7, 1e6});
     }},
    {"lattice", [] { return lattice_fan(600, 3); }},
    {"lattice_wide", [] { return lattice_fan(900, 40); }},
    {"huge",
     [] {
       return scenes::scaled(hedgehog(700, 0.05, {0, 0, 0}), 1e300);
     }},
    {"tiny",
     [] {
       return scenes::scaled(hedgehog(700, 0.05, {0, 0, 0}), 1e-300);
     }},
    {"huge_disc", [] { return scenes::scaled(scenes::disc(700, 0.2), 1.5e308); }},
    {"subnormal_disc", [] { return scenes::scaled(scenes::disc(700, 0.2), 1e-320); }},
    {"disc_far", [] { return scaled_far(scenes::disc(700), 1, 1e12); }},
    {"grating", [] { return scenes::grating(90, 0.8, 0.6); }},
    {"grating_double", [] { return scaled_far(scenes::to_double(scenes::grating(90, 0.8, 0.6)), 1e-3, 1e3); }},
    {"grating_huge", [] { return scenes::scaled(scenes::to_double(scenes::grating(80, 0.28, 0.96)), 1e307); }},
    {"crossed_gratings",
     [] {
       const Mesh layers[] = {scenes::grating(60, 0.8, 0.6),
                              scenes::moved(scenes::grating(60, 0.6, -0.8), {0.1, 0.3, 0.004})};
       return scenes::merged(layers);
     }},
};

class Fans : public testing::TestWithParam<Fan> {};

TEST_P(Fans, AsOneMesh) { expect_exact(one(GetParam().make()), few(0), GetParam().name); }
TEST_P(Fans, InAnotherOrder) { expect_exact(permuted(one(GetParam().make()), 3), few(1), GetParam().name); }
TEST_P(Fans, Turned) { expect_exact(turned(one(GetParam().make()), 1), few(2), GetParam().name); }

/// Objects share the hub: there it is a contact. Some are tested against themselves and some are not.
TEST_P(Fans, DealtOut) {
  RegimeScene scene = dealt_out(one(GetParam().make()), 3);
  scene.self = {true, false, true};
  expect_exact(scene, few(1), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Fans, testing::ValuesIn(kFans), [](const auto& info) { return info.param.name; });

// Zero has two signs; a hub at either is one position.
TEST(FanScene, HubsWithNegativeZeros) {
  Mesh mesh = scenes::to_soup(scenes::disc(700));
  auto& points = std::get<std::vector<Vec3d>>(mesh.positions);
  for (std::size_t i = 0; i < points.size(); i += 2)
    for (double& x : points[i])
      if (x == 0) x = -0.0;
  expect_exact(one(std::move(mesh)), few(0), "zeros");
}

// A disc costs about as many candidates as it has triangles, not the square of that.
TEST(FanScene, CandidatesGrowWithTheTriangles) {
  for (const std::size_t n : {2'000u, 20'000u}) {
    for (const Mesh& mesh :
         {scenes::disc(n), scenes::disc(n, 0.3), scenes::to_soup(scenes::to_float(scenes::disc(n)))}) {
      const Report report = collide(one(mesh), Tuned{});
      EXPECT_TRUE(report.contacts.empty());
      EXPECT_LT(report.stats.candidates, 4 * n);
    }
    const Report bars = collide(one(scenes::grating(n / 12, 0.8, 0.6)), Tuned{});
    EXPECT_TRUE(bars.contacts.empty());
    EXPECT_LT(bars.stats.candidates, 20 * n);
  }
}

// Lists that are long enough to be sorted by all threads: of one object, and of three.
TEST(FanScene, LongListsAreInOrder) {
  constexpr std::size_t kCount = 800;
  Soup soup;
  for (std::size_t i = 0; i < kCount; ++i) soup.add({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  for (const std::size_t objects : {1u, 3u}) {
    const RegimeScene scene = objects == 1 ? one(soup.mesh()) : dealt_out(one(soup.mesh()), objects);
    Report first;
    for (const unsigned threads : {1u, 2u, 7u}) {
      Tuned options;
      options.threads = threads;
      Report report = collide(scene, options);
      ASSERT_EQ(report.contacts.size(), objects == 1 ? kCount * (kCount - 1) / 2 : report.found);
      EXPECT_GT(report.contacts.size(), 200'000u);
      EXPECT_TRUE(std::is_sorted(report.contacts.begin(), report.contacts.end()));
      EXPECT_EQ(std::adjacent_find(report.contacts.begin(), report.contacts.end()), report.contacts.end());
      if (threads == 1)
        first = std::move(report);
      else
        EXPECT_TRUE(report.contacts == first.contacts) << threads << " threads";
    }
  }
}

// The first contact does not depend on the number of threads, and a limit keeps the first ones.
TEST(FanScene, FirstAndMost) {
  const RegimeScene scene = one(overlapping_wedges(3000));
  Tuned options;
  const Report all = collide(scene, options);
  ASSERT_GT(all.contacts.size(), 100u);
  options.max_contacts = 50;
  const Report some = collide(scene, options);
  EXPECT_TRUE(std::equal(some.contacts.begin(), some.contacts.end(), all.contacts.begin()));
  EXPECT_EQ(some.contacts.size(), 50u);
  EXPECT_EQ(some.found, all.contacts.size());
  options = {};
  options.first = true;
  options.threads = 1;
  const Report first = collide(scene, options);
  options.threads = 7;
  EXPECT_EQ(first.contacts, collide(scene, options).contacts);
}

}  // namespace
