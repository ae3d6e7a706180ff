// The oracles against each other: neither is trusted before they agree.
#include <gtest/gtest.h>

#include "oracle/cgal.h"
#include "oracle/rational.h"
#include "support/compare.h"
#include "support/corpus.h"

namespace {

using namespace testing_support;
using oracle::Corners;
using oracle::Rule;
using sightline::Kind;

class Oracles : public testing::TestWithParam<std::size_t> {};

TEST_P(Oracles, RationalsAndCgalAgree) {
  const Mesh mesh = mesh_of(corpus()[GetParam()]);
  const auto contacts = oracle::self_contacts(mesh);
  const auto soup = oracle::cgal_soup(mesh);
  EXPECT_EQ(oracle::among_area(mesh, contacts), soup);
  if (const auto surface = oracle::cgal_mesh(mesh)) {
    EXPECT_EQ(*surface, soup);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Oracles,
                         testing::ValuesIn(corpus_where([](const Item& item) { return item.cgal && !item.big; })),
                         [](const auto& info) { return corpus()[info.param].name; });

TEST(Rational, HandMadeKinds) {
  const Mesh mesh = corpus_item("hand_made").make();
  // In the order of the corpus: one pair of triangles at a time.
  const std::vector<std::optional<Kind>> in_one_object = {
      Kind::touching,  Kind::touching,  Kind::touching, Kind::coplanar, std::nullopt,   std::nullopt,   Kind::crossing,
      Kind::touching,  std::nullopt,    Kind::coplanar, Kind::crossing, Kind::touching, Kind::touching, Kind::coplanar,
      std::nullopt,    std::nullopt,    Kind::touching, Kind::crossing, std::nullopt,   std::nullopt,   Kind::touching,
      Kind::duplicate, Kind::duplicate, Kind::touching, std::nullopt,   std::nullopt,   std::nullopt};
  ASSERT_EQ(mesh.triangles.size(), 2 * in_one_object.size());
  const MeshView view = mesh;
  for (std::uint32_t i = 0; i < in_one_object.size(); ++i) {
    const Corners a = view.corners(2 * i), b = view.corners(2 * i + 1);
    EXPECT_EQ(oracle::contact(a, b, Rule::same_object), in_one_object[i]) << "pair " << i;
    EXPECT_EQ(oracle::contact(b, a, Rule::same_object), in_one_object[i]) << "pair " << i;
    // Between objects the only pairs without a common point are the two parallel ones at the end.
    EXPECT_EQ(oracle::contact(a, b, Rule::cross_object).has_value(), i < 25) << "pair " << i;
  }
}

TEST(Rational, NumbersAreTakenExactly) {
  for (const double x : {0.1, -0.1, 1e300, 1e-300, 4.9e-324, 2.2e-308, 1.7976931348623157e308, 0.0, 1.0 / 3})
    EXPECT_EQ(oracle::nearest_double(mpq_class(x)), x);
  EXPECT_EQ(oracle::nearest_double(mpq_class("1/10")), 0.1);
  EXPECT_EQ(oracle::nearest_double(mpq_class("-1/3")), -1.0 / 3);
  EXPECT_EQ(oracle::nearest_double(mpq_class(1) + mpq_class(0x1p-53)), 1.0);                      // tie to even, down
  EXPECT_EQ(oracle::nearest_double(mpq_class(0x1p-52) + 1 + mpq_class(0x1p-53)), 1.0 + 0x1p-51);  // tie to even, up
  EXPECT_EQ(oracle::nearest_double(mpq_class(0x1p-1074) / 2), 0.0);
  EXPECT_EQ(oracle::nearest_double(mpq_class(0x1p-1074) * 3 / 4), 0x1p-1074);
}

TEST(Rational, PolygonOfTwoTriangles) {
  const Corners a = {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}}};
  EXPECT_EQ(oracle::common_points(a, {{{4, 4, 0}, {-2, 4, 0}, {4, -2, 0}}}).size(), 6u);
  EXPECT_EQ(oracle::common_points(a, a).size(), 3u);
  EXPECT_EQ(oracle::common_points(a, {{{1, 1, -1}, {1, 1, 1}, {2, 2, 1}}}).size(), 2u);
  EXPECT_EQ(oracle::common_points(a, {{{1, 1, 0}, {1, 1, 1}, {2, 2, 1}}}).size(), 1u);
  EXPECT_EQ(oracle::common_points(a, {{{1, 1, 1}, {1, 1, 2}, {2, 2, 1}}}).size(), 0u);
}

}  // namespace
