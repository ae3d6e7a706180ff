// Each regime against brute force: as it is, as one mesh, dealt out to objects, in another order, and turned.
#include "regimes/run.h"

namespace {

using namespace testing_support;

constexpr std::size_t kTriangles = 12'000;  // past 8192, from where on not every triangle is sampled

class InRegime : public testing::TestWithParam<std::size_t> {
 protected:
  const Regime& regime() const { return regimes()[GetParam()]; }
  RegimeScene scene() const { return regime().make(smaller(kTriangles, std::size_t{10}, std::size_t{8600})); }
  /// Every `step`-th row of the covering options, from `first` on.
  std::vector<Tuned> rows(std::size_t first, std::size_t step) const {
    const std::vector<Tuned> all = covering_options();
    std::vector<Tuned> some;
    if (regime().wide) step *= 4;
    if (smaller_tests()) step *= 5;
    for (std::size_t i = first; i < all.size(); i += step) some.push_back(all[i]);
    return some;
  }
};

TEST_P(InRegime, AsItIs) { expect_exact(scene(), rows(0, 1), regime().name); }
TEST_P(InRegime, AsOneMesh) { expect_exact(as_one(scene()), rows(1, 3), regime().name); }
TEST_P(InRegime, DealtOut) {
  expect_exact(dealt_out(scene(), 4), rows(2, 4), regime().name);
  expect_exact(dealt_out(scene(), 30), rows(1, 6), regime().name + ", 30 objects");
}
TEST_P(InRegime, InAnotherOrder) {
  expect_exact(permuted(scene(), 1), rows(0, 5), regime().name);
  expect_exact(permuted(as_one(scene()), 2), rows(3, 5), regime().name);
}
TEST_P(InRegime, Turned) {
  expect_exact(turned(scene(), 1), rows(0, 3), regime().name);
  expect_exact(turned(scene(), 2), rows(1, 5), regime().name);
}

TEST_P(InRegime, Large) {
  expect_exact(regime().make(smaller<std::size_t>(regime().most, 8)), rows(GetParam() % 5, 7), regime().name);
}

INSTANTIATE_TEST_SUITE_P(Scenes, InRegime, testing::Range<std::size_t>(0, regimes().size()),
                         [](const auto& info) { return regimes()[info.param].name; });

}  // namespace
