// self-cullide in conservative precision: the exact list, at any resolution, from any views, of any mesh.
#include <gtest/gtest.h>

#include <algorithm>

#include "method/run_method.h"
#include "scenes/papers/papers.h"
#include "scenes/scenes.h"
#include "support/sizes.h"

namespace testing_support {
namespace {

MethodSettings conservative(unsigned resolution) {
  return with(MethodName::self_cullide, Precision::conservative, resolution);
}

void expect_exact(const Objects& objects, const Report& expected, const MethodSettings& options) {
  SCOPED_TRACE(objects.name + ", " + std::to_string(*options.paper.resolution) + " pixels, depth " +
               std::string(to_string(options.paper.depth)) + ", " + std::to_string(options.paper.views.size()) +
               " views");
  try {
    const Report report = collide(objects, options);
    EXPECT_EQ(difference(expected.contacts, report, views(objects.meshes)), "");
    EXPECT_FALSE(report.method.can_miss);
    EXPECT_TRUE(report.complete);
  } catch (const sightline::Error& error) {
    EXPECT_NE(std::string(error.what()).find("too large for an image"), std::string::npos) << error.what();
  }
}

MethodSettings settings_by(std::size_t how) {
  constexpr unsigned kResolutions[] = {32, 1, 64, 500, 8, 1024};
  MethodSettings options = conservative(kResolutions[how % 6]);
  options.paper.views = some_views(how / 2);
  options.paper.depth = static_cast<sightline::papers::DepthBits>(how % 4);
  options.paper.random_hierarchy = how % 11 == 0;
  options.paper.hand_over = how % 3 != 0;
  options.paper.choose_views = how % 5 != 0;
  options.threads = 1 + how % 2;
  return options;
}

TEST(SelfConservative, EqualsTheExactListOnTheCorpus) {
  std::size_t how = 0;
  for (const Item& item : corpus()) {
    if (item.big || item.wide) continue;
    const Mesh mesh = mesh_of(item);
    for (int round = 0; round < 3; ++round, ++how) {
      const Objects objects = arranged(item.name, mesh, round == 0 ? 1 : how);
      expect_exact(objects, collide(objects), settings_by(how));
    }
  }
}

TEST(SelfConservative, EqualsTheExactListAtAllResolutions) {
  const std::size_t n = smaller<std::size_t>(3000, 4);
  const std::vector<Objects> scenes = {
      {"deformed body", {sightline::scenes::deformed_body(3000)}, Objects::all},  // fewer triangles have no contact
      {"two cows", {sightline::scenes::two_cows(n)}, Objects::all},
      {"cloth", {sightline::scenes::crumpled_cloth(n)}, Objects::all},
      {"tube", {sightline::scenes::self_intersecting_tube(n)}, Objects::all},
      {"tube as a soup", {unindexed(sightline::scenes::self_intersecting_tube(n))}, Objects::all},
      {"cubes", {sightline::scenes::cubes_in_contact_mesh(3)}, Objects::all},
      {"loose triangles", {sightline::scenes::uniform_soup(300)}, Objects::all},
      {"spheres", sightline::scenes::spheres(10, 80), Objects::none},
      {"spheres, one by itself", sightline::scenes::spheres(10, 80), Objects::first},
      {"spheres by themselves", sightline::scenes::spheres(10, 80), Objects::all}};
  for (const Objects& objects : scenes) {
    const Report expected = collide(objects);
    EXPECT_GT(expected.contacts.size(), 0u) << objects.name;
    for (const unsigned resolution : {32u, 100u, 500u, 1024u, smaller(4096u, 4u)})
      expect_exact(objects, expected, conservative(resolution));
  }
}

/// Triangles between corners of a small lattice: edges of many triangles, duplicates, folds, segments and points.
Mesh lattice(Random& random, int side, int count, bool as_soup) {
  Builder builder;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) builder.corner({double(x), double(y), z * (random.chance(0.1) ? 1.25 : 1)});
  const auto any = [&] { return static_cast<std::uint32_t>(random.below(side * side * side)); };
  for (int i = 0; i < count; ++i) {
    if (i > 0 && random.chance(0.1)) {
      builder.triangles.push_back(builder.triangles[static_cast<std::size_t>(random.below(i))]);
      continue;
    }
    const std::uint32_t a = any();  // near each other, mostly
    const auto near = [&] {
      const std::uint32_t step = random.chance(0.5) ? 1 : static_cast<std::uint32_t>(side);
      return random.chance(0.8) ? (a + step) % static_cast<std::uint32_t>(side * side * side) : any();
    };
    builder.indexed(a, near(), near());
  }
  return as_soup ? unindexed(builder.mesh()) : builder.mesh();
}

TEST(SelfConservative, EqualsTheExactListOnRandomMeshes) {
  Random random(11);
  for (std::size_t round = 0; round < smaller<std::size_t>(400); ++round) {
    std::vector<Mesh> meshes;
    for (int i = 0; i <= random.below(3); ++i)
      meshes.push_back(lattice(random, 2 + random.below(4), 1 + random.below(60), random.chance(0.3)));
    const Objects objects{"round " + std::to_string(round), std::move(meshes),
                          static_cast<Objects::Self>(random.below(3))};
    expect_exact(objects, collide(objects), settings_by(round));
    if (HasFailure()) return;
  }
}

TEST(SelfConservative, ObjectsThatDoNotCollideWithEachOther) {
  const std::vector<Mesh> meshes = sightline::scenes::spheres(8, 80);
  sightline::Scene scene;
  for (std::size_t i = 0; i < meshes.size(); ++i)
    scene.add(meshes[i], {.self = i % 2 == 0, .groups = 1u << (i % 3), .collides_with = 3u << (i % 3)});
  const auto expected = scene.collide().contacts;
  for (const unsigned resolution : {16u, 200u})
    EXPECT_EQ(sightline::papers::method::run(scene, conservative(resolution)).contacts, expected);
}

// Not only correct: it prunes what has no contact.
TEST(SelfConservative, PrunesMostOfABody) {
  const Objects scenes[] = {{"deformed body", {sightline::scenes::deformed_body(5000)}, Objects::all},
                            {"soup", {unindexed(sightline::scenes::deformed_body(5000))}, Objects::all},
                            {"sphere", {sightline::scenes::sphere(5000)}, Objects::all}};
  for (const Objects& objects : scenes) {
    const Report report = collide(objects, conservative(1024));
    EXPECT_LT(report.method.pcs.size(), objects.triangles() / 2) << objects.name;
    MethodSettings one_pixel = conservative(1);
    EXPECT_LT(report.method.pairs_tested, collide(objects, one_pixel).method.pairs_tested / 2) << objects.name;
  }
}

TEST(SelfConservative, SameSetsWithAnyNumberOfThreads) {
  const Objects objects{"cloth", {sightline::scenes::crumpled_cloth(2000)}, Objects::all};
  MethodSettings options = conservative(300);
  options.paper.record_dropped = true;
  const Report one = collide(objects, options);
  options.threads = 3;
  const Report more = collide(objects, options);
  EXPECT_EQ(one.contacts, more.contacts);
  EXPECT_EQ(one.method.pcs, more.method.pcs);
  EXPECT_EQ(one.method.dropped, more.method.dropped);
}

TEST(SelfConservative, IsTheDefault) {
  const Objects objects{"tube", {sightline::scenes::self_intersecting_tube(800)}, Objects::all};
  MethodSettings options;
  options.method = MethodName::self_cullide;
  const Report report = collide(objects, options);
  EXPECT_EQ(report.method.precision, Precision::conservative);
  EXPECT_EQ(report.contacts, collide(objects).contacts);
  options.paper.views = {View{{0, 0, -1}, 60, {0, 0, 9}}};
  EXPECT_THROW(collide(objects, options), sightline::Error);  // in perspective only with image precision
}

}  // namespace
}  // namespace testing_support
