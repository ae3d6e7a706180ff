// Brute force against what is simpler still: rationals on the corpus, and all pairs without a tree.
#include "oracle/brute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "exact/tri_tri.h"
#include "oracle/rational.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/pairs.h"
#include "support/regimes.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Contact;

TEST(Brute, AgreesWithRationalsOnMeshes) {
  for (const char* name : {"soup_dense", "lattice_tenth_float", "degenerates_tenth", "needles", "signed_zeros",
                           "positions_without_triangles", "empty", "scenes_heavy_tailed", "two_tori"}) {
    const std::vector<Mesh> parts = dealt(mesh_of(corpus_item(name)), 3);
    const std::vector<MeshView> objects = views(parts);
    for (const std::vector<bool>& self : {std::vector<bool>{true, false, true}, {false, false, false}})
      EXPECT_EQ(difference(oracle::contacts(objects, self), oracle::brute_contacts(objects, self), objects), "")
          << name;
  }
}

/// No boxes, no order: every pair.
std::vector<Contact> all_pairs(const RegimeScene& scene) {
  std::vector<Contact> found;
  for (std::uint32_t o = 0; o < scene.objects.size(); ++o)
    for (std::uint32_t p = o; p < scene.objects.size(); ++p) {
      const MeshView a = scene.objects[o], b = scene.objects[p];
      if (o == p && !scene.self[o]) continue;
      for (std::uint32_t i = 0; i < a.triangles.size(); ++i)
        for (std::uint32_t j = o == p ? i + 1 : 0; j < b.triangles.size(); ++j)
          if (const auto kind = sightline::exact::decide(a.corners(i), b.corners(j), o == p))
            found.push_back({o, p, i, j, *kind});
    }
  return found;
}

TEST(Brute, AgreesWithAllPairsOfTheRegimes) {
  for (const Regime& regime : regimes()) {
    const RegimeScene scene = regime.make(smaller<std::size_t>(200, 2));
    EXPECT_EQ(
        difference(all_pairs(scene), oracle::brute_contacts(views(scene.objects), scene.self), views(scene.objects)),
        "")
        << regime.name;
  }
}

// More than one thread takes part.
TEST(Brute, AgreesWithAllPairsOfThousands) {
  const RegimeScene scene = giant_over_sheet(1e20, 50);
  EXPECT_EQ(
      difference(all_pairs(scene), oracle::brute_contacts(views(scene.objects), scene.self), views(scene.objects)), "");
}

/// A small triangle, and one up to 1e300 times larger that passes through it or near it; often with a common corner, in
/// one plane, on one line, or with coordinates of the small one's that the large one has exactly.
Pair pair_of_scales(Random& random) {
  const auto scale = [&](int from, int to) { return std::pow(10.0, from + random.below(to - from + 1)); };
  const double small = scale(-300, 6), large = std::min(small * scale(0, 300), 1e307);
  Pair pair;
  for (auto& p : pair[0])
    for (double& x : p) x = random.chance(0.3) ? small * random.below(3) : small * random.in(-1, 1);
  const double u = random.unit(), v = random.chance(0.3) ? 0 : (1 - u) * random.unit();
  Vec3d through, d, e;
  for (int k = 0; k < 3; ++k) {
    through[k] = pair[0][0][k] + u * (pair[0][1][k] - pair[0][0][k]) + v * (pair[0][2][k] - pair[0][0][k]);
    d[k] = large * random.in(-1, 1);
    e[k] = large * random.in(-1, 1);
  }
  for (int k = 0; k < 3; ++k) {
    pair[1][0][k] = through[k] - d[k];
    pair[1][1][k] = through[k] + (random.chance(0.1) ? 0 : d[k]);
    pair[1][2][k] = through[k] + e[k];
  }
  if (random.chance(0.2)) pair[1][random.below(3)] = pair[0][random.below(3)];
  if (random.chance(0.1)) pair[1][random.below(3)] = pair[0][random.below(3)];
  if (random.chance(0.2)) {  // one plane of an axis
    const int axis = random.below(3);
    const double at = random.chance(0.5) ? 0 : scale(-300, 300);
    for (Corners& t : pair)
      for (auto& p : t) p[axis] = at;
  }
  if (random.chance(0.05)) pair[1][2] = pair[1][0];
  return pair;
}

class Decision : public testing::TestWithParam<int> {};

TEST_P(Decision, AgreesWithRationalsAtAllRatios) {
  Random random(100 + GetParam());
  int contacts = 0, failures = 0;
  const int count = smaller(3000);
  for (int i = 0; i < count && failures < 5; ++i) {
    const Pair pair = pair_of_scales(random);
    for (const bool one_object : {false, true}) {
      const auto expected =
          oracle::contact(pair[0], pair[1], one_object ? oracle::Rule::same_object : oracle::Rule::cross_object);
      const bool right = sightline::exact::decide(pair[0], pair[1], one_object) == expected &&
                         sightline::exact::decide(pair[1], pair[0], one_object) == expected;
      EXPECT_TRUE(right) << hex(pair[0]) << "\n" << hex(pair[1]) << (one_object ? ", one object" : "");
      failures += !right;
      contacts += expected.has_value();
    }
  }
  EXPECT_GT(contacts, count / 2);
  EXPECT_LT(contacts, 2 * count - count / 4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Decision, testing::Range(0, 4));

}  // namespace
