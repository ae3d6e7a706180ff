// One triangle very much larger than the rest. The engine lost its contacts: 108 of 190 at 1e16, none at 1e290.
#include <cmath>

#include "regimes/run.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;

std::string name_of(double s) { return "s = 1e" + std::to_string(static_cast<int>(std::lround(std::log10(s)))); }

/// Past 1e30 all pairs of the giant take the widest integers: fewer rows there.
std::vector<Tuned> rows(int exponent, std::size_t first) {
  const std::vector<Tuned> all = covering_options();
  std::vector<Tuned> some;
  for (std::size_t i = first; i < all.size(); i += (exponent > 20 ? 5 : 1) * (smaller_tests() ? 5 : 1))
    some.push_back(all[i]);
  return some;
}

class Giant : public testing::TestWithParam<int> {};

TEST_P(Giant, MeetsAllThatItMeets) {
  const double s = std::pow(10.0, GetParam());
  const RegimeScene scene = giant_over_sheet(s);
  const std::size_t count = truth(scene).size();
  EXPECT_TRUE(count == 190 || count == 182) << count << ": as rationals have it, by how 0.3 s is rounded";
  expect_exact(scene, rows(GetParam(), 0), name_of(s));
  expect_exact(as_one(scene), rows(GetParam(), 1), name_of(s) + ", one mesh");
}

TEST_P(Giant, AlongEachAxisAndInAnyPlace) {
  const double s = std::pow(10.0, GetParam());
  for (int by = 1; by < 3; ++by)
    expect_exact(turned(giant_over_sheet(s), by), rows(GetParam(), 2 * by), name_of(s) + ", turned");
  const std::vector<Tuned> all = covering_options();
  expect_exact(permuted(as_one(giant_over_sheet(s)), 7), {all[0], all[15]}, name_of(s) + ", permuted");
  expect_exact(dealt_out(giant_over_sheet(s), 3), {all[5], all[10]}, name_of(s) + ", dealt out");
}

INSTANTIATE_TEST_SUITE_P(Sizes, Giant, testing::Values(3, 9, 14, 15, 16, 17, 20, 30, 38, 39, 100, 200, 290, 307),
                         [](const auto& info) { return "e" + std::to_string(info.param); });

// More of the sheet: the giant is one of 200,000.
TEST(GiantScene, Of200000) {
  const RegimeScene scene = giant_over_sheet(1e40, smaller(316, 4, 91));
  const std::vector<Tuned> all = covering_options();
  expect_exact(scene, {all[0], all[6], all[11]}, "200,000");
}

}  // namespace
