// peel: in conservative precision the exact list, at every resolution; in image precision what the paper states.
#include <gtest/gtest.h>

#include <algorithm>

#include "method/run.h"
#include "scenes/scenes.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/engine_fuzz.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Scene;
using sightline::papers::MethodName;
using sightline::papers::Precision;
using sightline::papers::Report;
using sightline::papers::View;
using sightline::papers::method::MethodSettings;
namespace scenes = sightline::scenes;

Report collide(const std::vector<Mesh>& objects, const MethodSettings& options = {}) {
  Scene scene;
  for (const Mesh& mesh : objects) scene.add(mesh);
  return sightline::papers::method::run(scene, options);
}

MethodSettings peel(Precision precision, unsigned resolution) {
  MethodSettings options;
  options.method = MethodName::peel;
  options.paper.precision = precision;
  options.paper.resolution = resolution;
  return options;
}

const std::vector<View> kViews = {{{-1, 0, 0}}, {{0, 1, 0}}, {{0, 0, -1}}, {{0.3, -0.5, 0.8}}};

/// Returns the number of contacts.
std::size_t expect_exact(const std::vector<Mesh>& objects, const MethodSettings& options, const std::string& what) {
  const Report exact = collide(objects), found = collide(objects, options);
  EXPECT_EQ(difference(exact.contacts, found, views(objects)), "") << what;
  EXPECT_FALSE(found.method.can_miss) << what;
  return exact.contacts.size();
}

// ---- conservative

class PeelConservative : public testing::TestWithParam<std::size_t> {};

TEST_P(PeelConservative, LosesNothing) {
  const Item& item = corpus()[GetParam()];
  const Mesh mesh = mesh_of(item);
  std::size_t turn = GetParam();
  for (const unsigned resolution : {4u, 33u, 128u, 512u}) {
    MethodSettings options = peel(Precision::conservative, resolution);
    options.paper.views = {kViews[++turn % kViews.size()]};
    options.paper.depth = static_cast<sightline::papers::DepthBits>(turn % 4);
    const std::vector<Mesh> parts = turn % 2 == 0 ? dealt(mesh, 2) : sliced(mesh, 3);
    try {
      expect_exact(parts, options, item.name + ", " + std::to_string(resolution));
    } catch (const sightline::Error& error) {  // refused, not wrong
      EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
      EXPECT_FALSE(item.cgal);
    }
  }
}

TEST(Peel, ConservativeOnRandomScenes) {
  Random random(11);
  std::size_t contacts = 0;
  for (int round = 0; round < smaller(400); ++round) {
    std::vector<std::uint8_t> bytes(1 + random.below(400));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
    for (const FuzzScene& scene : decode_frames(bytes)) {
      MethodSettings options = peel(Precision::conservative, 1u << random.below(8));
      options.paper.views = {View{{random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)}}};
      options.paper.depth = static_cast<sightline::papers::DepthBits>(random.below(4));
      if (random.chance(0.3)) options.paper.epsilon = random.in(0, 2);
      try {
        contacts += expect_exact(scene.objects, options, "round " + std::to_string(round));
      } catch (const sightline::Error& error) {
        EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(contacts, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Corpus, PeelConservative,
                         testing::ValuesIn(corpus_where([](const Item& item) { return !item.big && !item.wide; })),
                         [](const auto& info) { return corpus()[info.param].name; });

TEST(Peel, ConservativeAtAllResolutionsAndViews) {
  const std::vector<Mesh> bodies = scenes::two_objects(1200, 400);
  for (const unsigned resolution : {1u, 4u, 16u, 64u, 333u})
    for (const View& view : kViews) {
      MethodSettings options = peel(Precision::conservative, resolution);
      options.paper.views = {view};
      expect_exact(bodies, options, std::to_string(resolution));
    }
  expect_exact(bodies, peel(Precision::conservative, 1024), "1024");
}

TEST(Peel, ConservativeIn4096) {
  MethodSettings options = peel(Precision::conservative, smaller(4096u, 4u));
  options.paper.views = {kViews[3]};
  expect_exact({scenes::box({0, 0, 0}, {3, 3, 3}), scenes::box({1, 1, 1}, {4, 2, 5})}, options, "4096");
}

TEST(Peel, ConservativeWithManyRegionsAndViews) {
  MethodSettings options = peel(Precision::conservative, 256);
  expect_exact(scenes::spheres(20, 80), options, "spheres");
  expect_exact(scenes::cubes_in_contact(3), options, "cubes");
  options.paper.views = kViews;
  expect_exact(scenes::spheres(20, 80), options, "spheres, four views");
  expect_exact(scenes::cubes_in_contact(3), options, "cubes, four views");
}

TEST(Peel, ConservativeDropsWhatIsApart) {
  const std::vector<Mesh> bodies = scenes::two_objects(3000, 1500);
  const Report found = collide(bodies, peel(Precision::conservative, 256));
  std::vector<sightline::papers::TriangleRef> in_contact;
  for (const auto& c : found.contacts) in_contact.insert(in_contact.end(), {{c.object_a, c.a}, {c.object_b, c.b}});
  std::sort(in_contact.begin(), in_contact.end());
  in_contact.erase(std::unique(in_contact.begin(), in_contact.end()), in_contact.end());
  EXPECT_LT(found.method.pcs.size(), 3 * in_contact.size());
  RecordProperty("pcs", static_cast<int>(found.method.pcs.size()));
  RecordProperty("in_contact", static_cast<int>(in_contact.size()));
}

TEST(Peel, EpsilonWidensTheConservativeSet) {
  const std::vector<Mesh> bodies = scenes::two_objects(1200, 400);
  std::size_t last = 0;
  for (const double epsilon : {0.0, 0.01, 0.1, 1.0, 1e9}) {
    MethodSettings options = peel(Precision::conservative, 128);
    options.paper.epsilon = epsilon;
    const Report found = collide(bodies, options);
    EXPECT_EQ(difference(collide(bodies).contacts, found, views(bodies)), "") << epsilon;
    EXPECT_GE(found.method.pcs.size(), last) << epsilon;
    last = found.method.pcs.size();
  }
  // Triangles closer than epsilon along the view are candidates: two plates 0.5 apart.
  const std::vector<Mesh> plates = {scenes::box({0, 0, 0}, {4, 4, 1}), scenes::box({1, 1, 1.5}, {3, 3, 2}),
                                    scenes::box({3.5, 3.5, 0}, {4, 4, 2})};
  for (const double epsilon : {0.0, 1.0}) {
    MethodSettings options = peel(Precision::conservative, 64);
    options.paper.epsilon = epsilon;
    EXPECT_EQ(difference(collide(plates).contacts, collide(plates, options), views(plates)), "");
  }
}

TEST(Peel, ConservativeWithTinyAndFlatRegions) {
  // A region without extent, objects far larger than their region, and coordinates near the smallest numbers.
  Builder a, b, c;
  a.triangle({0, 0, 0}, {1e9, 0, 0}, {0, 1e9, 0});
  b.triangle({0, 0, 0}, {-1e9, 1, 0}, {0, -1e9, 1});
  c.triangle({1e9, 0, 0}, {1e9, 1e-9, 0}, {1e9, 0, 1e-9});
  for (const double scale : {1.0, 1e-9, 1e-300, 1e-316, 1e200}) {
    std::vector<Mesh> objects;
    for (const Builder* builder : {&a, &b, &c})
      objects.push_back(transformed(builder->mesh(), [&](const Vec3d& p) {
        return Vec3d{p[0] * scale, p[1] * scale, p[2] * scale};
      }));
    for (const View& view : kViews) {
      MethodSettings options = peel(Precision::conservative, 64);
      options.paper.views = {view};
      expect_exact(objects, options, std::to_string(scale));
    }
  }
}

// ---- image

double miss_ratio(const std::vector<Mesh>& objects, const MethodSettings& options) {
  const Report exact = collide(objects), found = collide(objects, options);
  EXPECT_TRUE(found.method.can_miss);
  EXPECT_TRUE(std::includes(exact.contacts.begin(), exact.contacts.end(), found.contacts.begin(), found.contacts.end()))
      << "an invented contact";
  return 1 - static_cast<double>(found.contacts.size()) / static_cast<double>(exact.contacts.size());
}

TEST(Peel, SharedIdsMissLessThanUniqueOnesAndSmallImagesMore) {
  const std::vector<Mesh> bodies = scenes::two_objects(2900, 2700);
  double sum[3] = {0, 0, 0};
  for (const View& view : kViews) {
    MethodSettings options = peel(Precision::image, 256);
    options.paper.views = {view};
    sum[0] += miss_ratio(bodies, options) / 4;
    options.paper.resolution = 128;
    sum[1] += miss_ratio(bodies, options) / 4;
    options.paper.resolution = 256;
    options.paper.unique_ids = true;
    sum[2] += miss_ratio(bodies, options) / 4;
  }
  std::printf("miss ratios: 256 shared %.4f, 128 shared %.4f, 256 unique %.4f\n", sum[0], sum[1], sum[2]);
  EXPECT_LT(sum[0], sum[1]);
  EXPECT_LT(sum[0], 0.8 * sum[2]);
  EXPECT_LT(miss_ratio(bodies, peel(Precision::image, 1024)), 0.5 * sum[0]);
}

TEST(Peel, SeveralViewsMissLessThanOne) {
  const std::vector<Mesh> bodies = scenes::two_objects(1200, 900);
  MethodSettings options = peel(Precision::image, 64);
  const double one = miss_ratio(bodies, options);
  options.paper.views = kViews;
  EXPECT_LT(miss_ratio(bodies, options), one);
}

TEST(Peel, AlternatesUntilNothingIsLeft) {
  // A comb of three plates against one plate between each two: the layers of both alternate.
  std::vector<Mesh> teeth, between;
  for (int i = 0; i < 3; ++i) {
    teeth.push_back(scenes::box({0, 0, 2.0 * i}, {4, 4, 2.0 * i + 0.5}));
    between.push_back(scenes::box({1, 1, 2.0 * i + 0.45}, {3, 3, 2.0 * i + 1.5}));
  }
  const std::vector<Mesh> combs = {scenes::merged(teeth), scenes::merged(between)};
  MethodSettings options = peel(Precision::image, 64);
  options.paper.from_both = false;
  options.paper.views = {View{}};
  const Report found = collide(combs, options);
  std::size_t layers = 0, with_pairs = 0;
  for (const auto& pass : found.method.passes) {
    if (pass.level != "layer") continue;
    layers += pass.elements_before;
    with_pairs += pass.elements_after;
  }
  EXPECT_GE(layers, 5u);  // (0.45, 0.5 …): a tooth, what is between, a tooth, …
  EXPECT_GE(with_pairs, 2u);
}

TEST(Peel, ThreadsDoNotMatter) {
  const std::vector<Mesh> balls = scenes::spheres(12, 320);
  for (const Precision precision : {Precision::image, Precision::conservative}) {
    MethodSettings options = peel(precision, 256);
    options.threads = 1;
    const Report one = collide(balls, options);
    for (const unsigned threads : {2u, 5u}) {
      options.threads = threads;
      const Report many = collide(balls, options);
      EXPECT_EQ(many.contacts, one.contacts);
      EXPECT_EQ(many.method.pcs, one.method.pcs);
      EXPECT_EQ(many.method.pairs_tested, one.method.pairs_tested);
    }
  }
}

TEST(Peel, CanBeCancelled) {
  MethodSettings options = peel(Precision::conservative, 64);
  options.cancel = [] { return true; };
  const Report report = collide(scenes::two_objects(300, 200), options);
  EXPECT_TRUE(report.cancelled);
  EXPECT_FALSE(report.complete);
}

TEST(Peel, NoRegionNoPass) {
  const std::vector<Mesh> apart = {scenes::box({0, 0, 0}, {1, 1, 1}), scenes::box({2, 0, 0}, {3, 1, 1})};
  for (const Precision precision : {Precision::image, Precision::conservative}) {
    const Report found = collide(apart, peel(precision, 64));
    EXPECT_TRUE(found.contacts.empty());
    EXPECT_TRUE(found.method.passes.empty());
    EXPECT_TRUE(found.method.pcs.empty());
  }
}

TEST(Peel, NothingIsPairedAtEpsilonZeroInImagePrecision) {
  MethodSettings options = peel(Precision::image, 64);
  options.paper.epsilon = 0;
  EXPECT_TRUE(collide(scenes::two_objects(300, 200), options).contacts.empty());
}

TEST(Peel, RefusesWhatItCannotDo) {
  const std::vector<Mesh> bodies = scenes::two_objects(300, 200);
  MethodSettings options = peel(Precision::image, 64);
  options.paper.views = {{{0, 0, -1}, 60, {0, 0, 5}}};
  EXPECT_THROW(collide(bodies, options), sightline::Error);
  options = peel(Precision::image, 64);
  options.paper.rigid = {0, 7};
  EXPECT_THROW(collide(bodies, options), sightline::Error);
}

// ---- the preset, and what is ours

TEST(Peel, ThePresetIsThePapers) {
  const sightline::papers::Peel preset = sightline::papers::Peel::as_published();
  EXPECT_EQ(preset.images.precision, Precision::image);
  ASSERT_EQ(preset.images.views.size(), 1u);
  EXPECT_EQ(preset.images.views[0].direction, (Vec3d{0, 0, -1}));
  EXPECT_FALSE(preset.epsilon);
  EXPECT_FALSE(preset.unique_ids);
  EXPECT_FALSE(preset.greedy_ids);
  EXPECT_FALSE(preset.from_both);
  EXPECT_TRUE(preset.rigid.empty());
}

TEST(Peel, EachOfOurChangesMissesLess) {
  const std::vector<Mesh> bodies = scenes::two_objects(2900, 2700);
  double missed[2][2] = {{0, 0}, {0, 0}};
  for (const bool greedy_ids : {false, true})
    for (const bool from_both : {false, true})
      for (const View& view : kViews) {
        MethodSettings options = peel(Precision::image, 128);
        options.paper.views = {view};
        options.paper.greedy_ids = greedy_ids;
        options.paper.from_both = from_both;
        missed[greedy_ids][from_both] += miss_ratio(bodies, options) / 4;
      }
  std::printf("miss ratios: as published %.4f, greedy ids %.4f, from both %.4f, both %.4f\n", missed[0][0],
              missed[1][0], missed[0][1], missed[1][1]);
  EXPECT_LT(missed[1][0], missed[0][0]);
  EXPECT_LT(missed[0][1], missed[0][0]);
  EXPECT_LT(missed[1][1], missed[1][0]);
  EXPECT_LT(missed[1][1], missed[0][1]);
}

TEST(Peel, ASecondPeelBeginsWithTheNearerObject) {
  // A triangle hangs over a plate, and its tip, far smaller than a pixel, reaches below the plate. In all samples the
  // triangle is nearer than the plate, which belongs to the farther object: from the plate on there is no second layer.
  Builder hanging;
  hanging.triangle({2, 2, -0.001}, {1, 1, 0.5}, {3, 1, 0.5});
  const std::vector<Mesh> objects = {scenes::merged(std::vector<Mesh>{scenes::box({0, 0, -10}, {4, 4, 0}),
                                                                      scenes::box({3.5, 3.5, 0.2}, {3.9, 3.9, 1})}),
                                     hanging.mesh()};
  MethodSettings options = peel(Precision::image, 64);
  options.paper.views = {View{}};
  options.paper.from_both = false;
  EXPECT_EQ(collide(objects, options).contacts.size(), 0u);
  options.paper.from_both = true;
  EXPECT_GT(collide(objects, options).contacts.size(), 0u);
}

TEST(Peel, ARegionIsSeenFromItsFlatSide) {
  // A sheet in y = 0 and a box through it: along z the sheet has no pixels.
  Builder sheet;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const double x = i, z = j;
      sheet.triangle({x, 0, z}, {x + 1, 0, z}, {x + 1, 0, z + 1});
      sheet.triangle({x, 0, z}, {x + 1, 0, z + 1}, {x, 0, z + 1});
    }
  const std::vector<Mesh> objects = {sheet.mesh(), scenes::box({2.3, -1, 2.3}, {5.6, 1, 5.6})};
  MethodSettings options = peel(Precision::image, 64);
  const std::size_t chosen = collide(objects, options).contacts.size();
  options.paper.views = {View{}};
  EXPECT_EQ(collide(objects, options).contacts.size(), 0u);
  EXPECT_GT(chosen, 0u);
}

TEST(Peel, AllRegionsAreOneCall) {
  const Report found = collide(scenes::spheres(20, 320), peel(Precision::image, 256));
  std::size_t calls = 0;
  for (const auto& pass : found.method.passes) {
    if (pass.level != "peel") continue;
    ++calls;
    EXPECT_GT(pass.elements_before, 5u);
    EXPECT_EQ(pass.renders, 2 * pass.elements_before);
    EXPECT_EQ(pass.queries, 0u);
  }
  EXPECT_EQ(calls, 1u);
}

TEST(Peel, RigidPairsAreLeftToTheExactEngine) {
  const std::vector<Mesh> balls = scenes::spheres(12, 320);
  const std::vector<sightline::Contact> exact = collide(balls).contacts;
  ASSERT_FALSE(exact.empty());
  const std::uint32_t soft = exact.front().object_a;  // the others are rigid
  MethodSettings options = peel(Precision::conservative, 64);
  for (std::uint32_t i = 0; i < balls.size(); ++i)
    if (i != soft) options.paper.rigid.push_back(i);
  EXPECT_EQ(collide(balls, options).contacts, exact);
  // Nothing is paired at epsilon 0, but all contacts of rigid pairs are there.
  options.paper.precision = Precision::image;
  options.paper.epsilon = 0;
  std::vector<sightline::Contact> of_rigid = exact;
  std::erase_if(of_rigid, [&](const sightline::Contact& c) { return c.object_a == soft || c.object_b == soft; });
  ASSERT_FALSE(of_rigid.empty());
  const Report found = collide(balls, options);
  EXPECT_EQ(found.contacts, of_rigid);
  EXPECT_TRUE(found.method.can_miss);
  options.paper.rigid.clear();
  EXPECT_TRUE(collide(balls, options).contacts.empty());
}

// ---- self-collision

Report collide_with_itself(const std::vector<Mesh>& objects, const MethodSettings& options = {}) {
  Scene scene;
  for (const Mesh& mesh : objects) scene.add(mesh, {.self = true});
  return sightline::papers::method::run(scene, options);
}

class PeelSelf : public testing::TestWithParam<std::size_t> {};

TEST_P(PeelSelf, ConservativeIsExact) {
  const Item& item = corpus()[GetParam()];
  const Mesh mesh = mesh_of(item);
  const std::vector<sightline::Contact> exact = collide_with_itself({mesh}).contacts;
  std::size_t turn = GetParam();
  for (const unsigned resolution : {32u, 257u}) {
    MethodSettings options = peel(Precision::conservative, resolution);
    if (++turn % 3 != 0) options.paper.views = {kViews[turn % kViews.size()]};
    options.paper.depth = static_cast<sightline::papers::DepthBits>(turn % 4);
    try {
      const Report found = collide_with_itself({mesh}, options);
      EXPECT_EQ(difference(exact, found, views({mesh})), "") << item.name << ", " << resolution;
      EXPECT_TRUE(found.complete);
    } catch (const sightline::Error& error) {  // refused, not wrong
      EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
      EXPECT_FALSE(item.cgal);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, PeelSelf,
                         testing::ValuesIn(corpus_where([](const Item& item) { return !item.big && !item.wide; })),
                         [](const auto& info) { return corpus()[info.param].name; });

TEST(Peel, SelfAtAllResolutions) {
  const std::vector<Mesh> objects = {scenes::crumpled_cloth(900), scenes::bumpy_body(700)};
  const Report exact = collide_with_itself(objects);
  EXPECT_GT(exact.contacts.size(), 20u);
  for (const unsigned resolution : {1u, 32u, 128u, 1024u, smaller(4096u, 4u)}) {
    const Report found = collide_with_itself(objects, peel(Precision::conservative, resolution));
    EXPECT_EQ(difference(exact.contacts, found, views(objects)), "") << resolution;
    EXPECT_TRUE(found.complete);
  }
}

TEST(Peel, SelfInImagePrecisionSamples) {
  const Mesh cloth = scenes::crumpled_cloth(3000);
  const Report exact = collide_with_itself({cloth});
  double last = 0;
  for (const unsigned resolution : {64u, 1024u}) {
    const Report found = collide_with_itself({cloth}, peel(Precision::image, resolution));
    EXPECT_TRUE(
        std::includes(exact.contacts.begin(), exact.contacts.end(), found.contacts.begin(), found.contacts.end()))
        << "an invented contact";
    EXPECT_TRUE(found.method.can_miss);
    EXPECT_FALSE(found.complete);
    const double share = static_cast<double>(found.contacts.size()) / static_cast<double>(exact.contacts.size());
    std::printf("self, image, %u: %.4f found\n", resolution, share);
    EXPECT_GT(share, last);
    last = share;
  }
  EXPECT_GT(last, 0.9);
}

TEST(Peel, RandomScenesWithSelf) {
  Random random(12);
  std::size_t contacts = 0, found_contacts = 0;
  for (int round = 0; round < smaller(300); ++round) {
    std::vector<std::uint8_t> bytes(1 + random.below(400));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
    for (const FuzzScene& scene : decode_frames(bytes)) {
      const Precision precision = random.chance(0.5) ? Precision::image : Precision::conservative;
      MethodSettings options = peel(precision, 1u << random.below(9));
      if (random.chance(0.5)) options.paper.views = {View{{random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)}}};
      options.paper.depth = static_cast<sightline::papers::DepthBits>(random.below(4));
      if (random.chance(0.3)) options.paper.epsilon = random.in(0, 2);
      options.paper.unique_ids = random.chance(0.2);
      options.paper.greedy_ids = random.chance(0.5);
      options.paper.from_both = random.chance(0.5);
      for (std::uint32_t i = 0; i < scene.objects.size(); ++i)
        if (random.chance(0.3)) options.paper.rigid.push_back(i);
      const Report exact = collide_with_itself(scene.objects);
      try {
        const Report found = collide_with_itself(scene.objects, options);
        contacts += exact.contacts.size();
        found_contacts += found.contacts.size();
        EXPECT_TRUE(
            std::includes(exact.contacts.begin(), exact.contacts.end(), found.contacts.begin(), found.contacts.end()))
            << "round " << round;
        if (precision == Precision::conservative) {
          EXPECT_EQ(difference(exact.contacts, found, views(scene.objects)), "") << "round " << round;
        }
      } catch (const sightline::Error& error) {
        EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(contacts, 1000u);
  EXPECT_GT(found_contacts, contacts / 2);
}

TEST(Peel, RigidObjectsWithSelf) {
  const std::vector<Mesh> cloths = {scenes::crumpled_cloth(600), scenes::crumpled_cloth(500)};
  const Report exact = collide_with_itself(cloths);
  MethodSettings options = peel(Precision::conservative, 64);
  for (const std::vector<sightline::ObjectId>& rigid :
       {std::vector<sightline::ObjectId>{1}, std::vector<sightline::ObjectId>{0, 1}}) {
    options.paper.rigid = rigid;
    EXPECT_EQ(difference(exact.contacts, collide_with_itself(cloths, options), views(cloths)), "");
  }
}

}  // namespace
