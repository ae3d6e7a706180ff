// Blocks of triangles: their boxes hold the triangles, in any place, and the search misses nothing.
#include "solid/meet.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "exact/tri_tri.h"
#include "scenes/scenes.h"
#include "support/random.h"

namespace {

using sightline::Box;
using sightline::box_of;
using sightline::Contact;
using sightline::Mesh;
using sightline::MeshView;
using sightline::Poll;
using sightline::Transform;
using sightline::Vec3d;
using sightline::Workers;
using sightline::solid::Blocks;
using sightline::solid::Meeting;
using sightline::solid::PlacedBlocks;
using testing_support::Random;
namespace scenes = sightline::scenes;

/// Each triangle is in a block of each level, in whose box it lies; each is there once.
void check(const MeshView& mesh) {
  const Blocks blocks(mesh.placed({}), Workers::none(), {});
  const PlacedBlocks placed(mesh, blocks);
  std::vector<int> seen(mesh.triangles.size(), 0);
  Box all;
  for (std::uint32_t place = 0; place < mesh.triangles.size(); ++place) {
    const std::uint32_t triangle = blocks.triangle(place);
    ++seen[triangle];
    const auto corners = mesh.corners(triangle);
    ASSERT_EQ(placed.corners(triangle), corners);
    for (int corner = 0; corner < 3; ++corner) {
      const auto [low, high] = placed.preimage({corners[corner], corners[corner]});
      const Vec3d stored = mesh.positions.stored(mesh.triangles[triangle][corner]);
      for (int k = 0; k < 3; ++k)
        ASSERT_TRUE(low[k] <= stored[k] && stored[k] <= high[k]) << low[k] << " " << stored[k] << " " << high[k];
    }
    all.add(box_of(corners));
    std::uint32_t block = place / Blocks::kLeaf;
    for (int level = 0; level < blocks.levels(); ++level, block /= Blocks::kFan)
      ASSERT_TRUE(placed.box(level, block).holds(box_of(corners))) << level;
  }
  for (const int times : seen) ASSERT_EQ(times, 1);
  ASSERT_EQ(blocks.size(blocks.levels() - 1), 1u);
  ASSERT_TRUE(placed.bounds().holds(all));
  if (placed.has_exact_bounds()) {
    ASSERT_EQ(placed.bounds(), all);
  }
}

TEST(Blocks, HoldTheirTriangles) {
  for (const std::size_t n : {20u, 320u, 5000u})
    for (const Mesh& mesh : {scenes::sphere(n), scenes::to_double(scenes::sphere(n)),
                             scenes::shuffled(scenes::sphere(n), 3), scenes::uniform_soup(n)})
      check(mesh);
  const Mesh cloth = scenes::shuffled(scenes::crumpled_cloth(100'000), 3);
  check(cloth);
  EXPECT_EQ(Blocks({}, Workers::none(), {}).levels(), 0);
}

/// The image of a point is a double, but its difference from the translation is not.
TEST(Blocks, HoldThemAtTheEndOfTheDoubles) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const double sign : {1.0, -1.0}) {
    const std::vector<Vec3d> points = {{sign * kMost, 0, 0}, {sign * kMost, 1, 0}, {sign * kMost, 0, 1e300}};
    const std::vector<sightline::Triangle> triangles = {{0, 1, 2}};
    Transform transform;
    transform.rows[0][3] = sign * -0x3p970;
    const MeshView mesh(points, triangles, transform);
    ASSERT_TRUE(std::isfinite(mesh.corners(0)[0][0]));
    check(mesh);
  }
}

/// Numbers of all sizes, in transforms and in points: the bounds of the images are the ones of blocks.cpp.
TEST(Blocks, HoldThemInAnyPlace) {
  Random random(41);
  const auto number = [&](int most) {
    const int kind = random.below(5);
    const double x = kind == 0   ? 0
                     : kind == 1 ? random.below(9) - 4
                                 : std::ldexp(random.in(-1, 1), random.below(2 * most) - most);
    return x;
  };
  int general = 0;
  for (int round = 0; round < 20000; ++round) {
    const bool in_double = random.chance(0.5);
    const int most = in_double ? (random.chance(0.5) ? 400 : 30) : (random.chance(0.5) ? 40 : 12);
    std::vector<Vec3d> doubles;
    std::vector<sightline::Vec3f> floats;
    for (int i = 0; i < 9; ++i) {
      const Vec3d p{number(most), number(most), number(most)};
      doubles.push_back(p);
      floats.push_back({float(p[0]), float(p[1]), float(p[2])});
    }
    const std::vector<sightline::Triangle> triangles = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
    Transform transform;
    const int kind = random.below(3);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k)
        transform.rows[i][k] = kind == 0 ? number(most) : kind == 1 ? k == (i + 1) % 3 ? number(most) : 0 : i == k;
      transform.rows[i][3] = number(most);
    }
    const MeshView mesh = in_double ? MeshView(doubles, triangles, transform) : MeshView(floats, triangles, transform);
    try {
      validate(mesh);
    } catch (const sightline::Error&) {
      continue;
    }
    general += kind == 0;
    check(mesh);
  }
  EXPECT_GT(general, 2000);
}

TEST(Blocks, TheSearchFindsAllContacts) {
  Random random(42);
  for (int round = 0; round < 40; ++round) {
    const Mesh a = scenes::lattice_soup(20 + random.below(200), 50 + round, true);
    const Mesh b = random.chance(0.5) ? scenes::lattice_soup(20 + random.below(200), 150 + round, true)
                                      : scenes::moved(scenes::cubes_in_contact_mesh(3), {9, 9, 9});
    const MeshView views[2] = {a.view(), b.view()};
    const Blocks blocks_a(views[0], Workers::none(), {}), blocks_b(views[1], Workers::none(), {});
    std::vector<Contact> expected, found;
    bool crossing = false;
    for (std::uint32_t i = 0; i < a.triangles.size(); ++i)
      for (std::uint32_t j = 0; j < b.triangles.size(); ++j)
        if (const auto kind = sightline::exact::decide(views[0].corners(i), views[1].corners(j), false)) {
          expected.push_back({0, 1, i, j, *kind});
          crossing |= *kind == sightline::Kind::crossing;
        }
    Poll poll;
    const PlacedBlocks placed_a(views[0], blocks_a), placed_b(views[1], blocks_b);
    const Meeting meeting = meet(placed_a, placed_b, &found, poll);
    EXPECT_EQ(meeting, crossing ? Meeting::crossing : expected.empty() ? Meeting::none : Meeting::touching);
    EXPECT_EQ(do_meet(placed_a, placed_b, poll), !expected.empty());
    if (crossing) continue;
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
