// The bodies of the papers' scenes: what they promise to be.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "measure.h"
#include "scenes/papers/parts.h"
#include "scenes/scenes.h"

using namespace measure;

bool measure::consistently_wound(const MeshView& mesh) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      if (!edges.emplace(t[i], t[(i + 1) % 3]).second) return false;
  return std::all_of(edges.begin(), edges.end(), [&](const auto& e) { return edges.contains({e.second, e.first}); });
}

namespace {

void expect_solid(const Mesh& mesh) {
  SCOPED_TRACE(mesh.name);
  EXPECT_TRUE(topology(mesh).closed());
  EXPECT_EQ(topology(mesh).components, 1u);
  EXPECT_TRUE(topology(mesh).degenerate.empty());
  EXPECT_TRUE(consistently_wound(mesh));
  EXPECT_GT(signed_volume(mesh), 0);
  EXPECT_TRUE(self_intersections(mesh.view(), {.threads = 1}).contacts.empty());
}

TEST(PaperBodies, CreaturesAreSolidsWithoutSelfContacts) {
  for (const std::size_t n : {1500, 6000})
    for (const auto body : {scenes::bunny_body, scenes::cow_body, scenes::dragon_body, scenes::lizard_body}) {
      const Mesh mesh = body(n);
      expect_solid(mesh);
      EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), static_cast<double>(n), 0.1 * static_cast<double>(n));
    }
  expect_solid(scenes::tree_body(8000));
}

TEST(PaperBodies, PartsAreSolids) {
  for (const std::size_t n : {60, 500, 700, 2100}) {
    expect_solid(scenes::ball(n));
    expect_solid(scenes::shard(n));
  }
  expect_solid(scenes::table(1500, 0.4));
  expect_solid(scenes::flake());
  EXPECT_EQ(scenes::flake().triangles.size(), 6u);
  EXPECT_EQ(scenes::ball(4500).triangles.size(), 4500u);
}

TEST(PaperBodies, DeformedBunnyMeetsItselfInOneArea) {
  for (const std::size_t n : {3000, 5000, 20'000, 60'000}) {
    SCOPED_TRACE(n);
    const Mesh bunny = scenes::deformed_body(n);
    const Report report = self_intersections(bunny.view(), {.threads = 1});
    EXPECT_FALSE(report.contacts.empty());
    EXPECT_EQ(scenes::contact_areas(bunny, report.contacts), 1u);
    EXPECT_TRUE(topology(bunny).closed());
  }
}

TEST(PaperBodies, RealBodyIsPushedThroughItselfInOneArea) {
  const Mesh body = scenes::cow_body(3000);  // any body that we did not bend
  const Mesh pushed = scenes::deformed_body(0, &body);
  const Report report = self_intersections(pushed.view(), {.threads = 1});
  EXPECT_EQ(pushed.triangles, body.triangles);
  EXPECT_EQ(scenes::contact_areas(pushed, report.contacts), 1u);
}

TEST(PaperBodies, TwoCowsCrossOften) {
  const Mesh cows = scenes::two_cows(3000);
  EXPECT_EQ(topology(cows).components, 2u);
  EXPECT_GT(self_intersections(cows.view(), {.threads = 1}).contacts.size(), 200u);
}

TEST(PaperBodies, BunnyAndDragonInterpenetrate) {
  const std::vector<Mesh> pair = scenes::bunny_and_dragon(5600);
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_NEAR(static_cast<double>(pair[0].triangles.size()), 2700, 270);
  EXPECT_NEAR(static_cast<double>(pair[1].triangles.size()), 2900, 290);
  const Mesh small = scenes::cow_body(800);  // in the place of the bunny, as high as it
  const std::vector<Mesh> with_real = scenes::bunny_and_dragon(5600, &small);
  EXPECT_EQ(with_real[0].triangles, small.triangles);
  AnimationFrame frame;
  for (const Mesh& mesh : pair) frame.objects.push_back({.mesh = mesh});
  EXPECT_GT(contacts(frame).contacts.size(), 100u);
}

TEST(PaperBodies, AreasAreCountedByAdjacency) {
  const Mesh tubes[] = {scenes::self_intersecting_tube(1000),
                        scenes::moved(scenes::self_intersecting_tube(1000), {9, 0, 0})};
  const Mesh both = scenes::merged(tubes);
  const Report one = self_intersections(tubes[0].view(), {.threads = 1});
  const Report two = self_intersections(both.view(), {.threads = 1});
  EXPECT_EQ(scenes::contact_areas(both, two.contacts), 2 * scenes::contact_areas(tubes[0], one.contacts));
  EXPECT_EQ(scenes::contact_areas(both, {}), 0u);
}

}  // namespace
