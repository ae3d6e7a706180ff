// Out of core and in core: the same contacts, points and facts, whatever the cuts, buffers and threads are.
#include <cmath>

#include "scale/mesh_source.h"
#include "scenes/scenes.h"
#include "support/corpus.h"
#include "support/engine_fuzz.h"
#include "support/random.h"
#include "support/sizes.h"

namespace sightline::test {
namespace {

using testing_support::Random;

class HugeCorpus : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HugeCorpus, IsTheAnswerInCore) {
  const testing_support::Item& item = testing_support::corpus()[GetParam()];
  const Mesh mesh = testing_support::mesh_of(item);
  const std::string expected = Answer::in_core(mesh);
  for (const std::uint64_t leaf : {std::uint64_t{item.big ? 400u : 3u}, std::uint64_t{mesh.triangles.size() / 9 + 1}}) {
    const HugeReport report = out_of_core(mesh, {.leaf_triangles = leaf, .list_bytes = 5000}, 2);
    EXPECT_EQ(first_difference(expected, Answer::of(report)), "") << item.name << ", leaves of " << leaf;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HugeCorpus,
                         ::testing::ValuesIn(testing_support::corpus_where([](const auto&) { return true; })),
                         [](const auto& param) { return testing_support::corpus()[param.param].name; });

TEST(Huge, ThousandRandomMeshesWithAnyCuts) {
  Random random(20);
  const int count = testing_support::smaller(1000);
  std::uint64_t leaves = 0, contacts = 0, shared = 0;
  for (int i = 0; i < count; ++i) {
    const Mesh mesh = testing_support::random_mesh(random);
    const scale::HugeTuning tuning{.leaf_triangles = 1 + static_cast<std::uint64_t>(random.below(20)),
                                   .fan_out = 2 + static_cast<std::size_t>(random.below(40)),
                                   .list_bytes = random.chance(0.5) ? std::size_t{3000} : std::size_t{0}};
    const unsigned threads = 1 + static_cast<unsigned>(random.below(4));
    const HugeReport report = out_of_core(mesh, tuning, threads);
    leaves += report.leaves, contacts += report.found, shared += report.records - mesh.triangles.size();
    ASSERT_EQ(first_difference(Answer::in_core(mesh), Answer::of(report)), "")
        << "mesh " << i << " of " << mesh.triangles.size() << " triangles, leaves of " << tuning.leaf_triangles
        << ", fan out " << tuning.fan_out << ", " << threads << " threads";
  }
  EXPECT_GT(leaves, 4u * static_cast<unsigned>(count)) << "there must be cuts";
  EXPECT_GT(contacts, 100u * static_cast<unsigned>(count));
  EXPECT_GT(shared, 10u * static_cast<unsigned>(count)) << "triangles must be in several leaves";
}

struct Scene {
  const char* name;
  Mesh mesh;
};
std::vector<Scene> scenes_of(std::size_t n) {
  return {{"cloth", scenes::crumpled_cloth(n)},
          {"tube", scenes::self_intersecting_tube(n)},
          {"tori", scenes::two_tori(n / 2)},
          {"flat", scenes::flat_bodies(n / 2, scenes::FlatCoordinates::exact, false)},
          {"uniform soup", scenes::uniform_soup(n)},
          {"heavy-tailed soup", scenes::heavy_tailed_soup(n)},
          {"needles", scenes::needle_soup(n / 4)},
          {"lattice", scenes::lattice_soup(n / 4, 1, true)},
          {"cubes", scenes::cubes_in_contact_mesh(6)},
          {"slope", scenes::sheet_over_slope(n, 1e4)},
          {"disc", scenes::disc(n)},
          {"dust", scenes::boxes_with_dust(n / 12)}};
}

TEST(Huge, ScenesWithSeveralThreads) {
  for (const Scene& scene : scenes_of(testing_support::smaller<std::size_t>(12000, 10, 1000))) {
    const std::string expected = Answer::in_core(scene.mesh);
    for (const unsigned threads : {1u, 2u, 5u})
      for (const std::uint64_t leaf : {std::uint64_t{100}, std::uint64_t{3000}})
        EXPECT_EQ(first_difference(expected, Answer::of(out_of_core(scene.mesh, {.leaf_triangles = leaf}, threads))),
                  "")
            << scene.name << ", leaves of " << leaf << ", " << threads << " threads";
  }
}

TEST(Huge, AMeshOfMoreThanTheMemoryIsCut) {
  const Mesh mesh = scenes::crumpled_cloth(300'000);
  const HugeReport report = out_of_core(mesh, {}, 2);
  EXPECT_GT(report.leaves, 6u) << "it does not fit as a whole";
  EXPECT_LT(report.records, mesh.triangles.size() * 5 / 4) << "few triangles reach across cuts";
  EXPECT_EQ(first_difference(Answer::in_core(mesh), Answer::of(report)), "");
}

TEST(Huge, AnswersOnTheGpu) {
  for (const DeviceInfo& info : devices())
    if (info.name == "cuda" && !info.missing.empty()) GTEST_SKIP() << info.missing;
  const Mesh mesh = scenes::crumpled_cloth(20'000);
  for (const std::uint64_t leaf : {std::uint64_t{3000}, std::uint64_t{100'000}}) {
    MeshSource source(mesh);
    const HugeReport report =
        scale::self_intersections(source, {.threads = 2, .device = Device::cuda()}, {.leaf_triangles = leaf});
    EXPECT_EQ(report.stats.device, "cuda");
    EXPECT_EQ(first_difference(Answer::in_core(mesh), Answer::of(report)), "") << "leaves of " << leaf;
  }
}

TEST(Huge, AMeshThatFitsIsOneLeafWithoutScratchData) {
  const HugeReport report = out_of_core(scenes::self_intersecting_tube(1000), {});
  EXPECT_EQ(report.leaves, 1u);
  EXPECT_EQ(report.scratch_bytes, 0u);
  EXPECT_GT(report.found, 0u);
}

TEST(Huge, NumbersPast32Bits) {
  const Mesh mesh = scenes::lattice_soup(500, 3, true);
  const std::uint64_t first = (std::uint64_t{1} << 32) - 100;
  for (const std::uint64_t leaf : {std::uint64_t{0}, std::uint64_t{20}}) {
    const HugeReport report = out_of_core(mesh, {.leaf_triangles = leaf, .list_bytes = 5000, .first_number = first});
    EXPECT_EQ(first_difference(Answer::in_core(mesh, first), Answer::of(report)), "");
  }
}

TEST(Huge, ComponentsThatOnlyOtherLeavesJoin) {
  // A chain of triangles along a spiral: most leaves have several pieces of it, and other leaves join them.
  testing_support::Builder builder;
  const int count = 2000;
  std::vector<std::uint32_t> corners;
  for (int i = 0; i <= count; ++i) {
    const double t = 0.02 * i, r = 1 + 0.1 * t;
    corners.push_back(builder.corner({r * std::cos(t), r * std::sin(t), 0.001 * i}));
  }
  for (int i = 0; i + 1 < count; i += 2)
    builder.indexed(corners[static_cast<std::size_t>(i)], corners[static_cast<std::size_t>(i) + 1],
                    corners[static_cast<std::size_t>(i) + 2]);
  builder.triangle({9, 9, 9}, {10, 9, 9}, {9, 10, 9});
  for (const std::uint64_t leaf : {std::uint64_t{4}, std::uint64_t{30}, std::uint64_t{200}}) {
    const HugeReport report = out_of_core(builder.mesh(), {.leaf_triangles = leaf});
    EXPECT_EQ(report.facts.components, 2u) << leaf;
    EXPECT_GT(report.leaves, 4u);
  }
}

TEST(Huge, WithoutIntersectionsThereAreNoPoints) {
  const Mesh mesh = scenes::self_intersecting_tube(1000);
  MeshSource source(mesh);
  const HugeReport report = self_intersections(source, {.intersections = false});
  EXPECT_EQ(report.found, self_intersections(mesh).found);
  report.for_contacts([](const HugeContact& contact) {
    EXPECT_EQ(contact.geometry.size, 0);
    return true;
  });
}

}  // namespace
}  // namespace sightline::test
