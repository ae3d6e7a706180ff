// The work of ranks: how leaves are given to them, and when a scene whose objects move is distributed anew.
#include "mpi/balance.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/box_tree.h"
#include "mpi/distribution.h"
#include "mpi/world.h"
#include "support/random.h"

namespace sightline::test {
namespace {

TEST(MpiBalance, PaysWhenTheLossesReachTheCost) {
  mpi::Balance balance(1);
  EXPECT_FALSE(balance.pays());
  balance.distributed(100);
  EXPECT_FALSE(balance.pays());
  for (int frame = 0; frame < 9; ++frame) {
    balance.frame(30, 40, 2);  // 30 and 10: a loss of 10
    EXPECT_FALSE(balance.pays()) << frame;
  }
  balance.frame(30, 40, 2);
  EXPECT_TRUE(balance.pays());
}

TEST(MpiBalance, ADistributionThatDidNotHelpMakesTheNextOneDearer) {
  mpi::Balance balance(1);
  const auto frames_until_it_pays = [&](std::uint64_t loss) {
    balance.distributed(100);
    int frames = 0;
    while (!balance.pays()) balance.frame(loss + 5, 10 + loss, 2), ++frames;
    return frames;
  };
  // Ranks take loss + 5 and 5: each frame loses half of the difference.
  EXPECT_EQ(frames_until_it_pays(20), 10);
  EXPECT_EQ(frames_until_it_pays(20), 10) << "nothing was known before";
  EXPECT_EQ(frames_until_it_pays(20), 20);
  EXPECT_EQ(frames_until_it_pays(20), 40);
  EXPECT_EQ(frames_until_it_pays(4), 400) << "the one before did not help";
  EXPECT_EQ(frames_until_it_pays(4), 50) << "this one did";
}

TEST(MpiBalance, BalancedRanksNeverPay) {
  mpi::Balance balance(1);
  balance.distributed(100);
  for (int frame = 0; frame < 1000; ++frame) balance.frame(50, 150, 3);
  EXPECT_FALSE(balance.pays());
}

TEST(MpiBalance, PatienceNoneAndWithoutEnd) {
  mpi::Balance none(0), endless(std::numeric_limits<double>::infinity());
  for (mpi::Balance* balance : {&none, &endless}) {
    balance->distributed(0);
    balance->frame(1000, 1000, 4);
  }
  EXPECT_TRUE(none.pays());
  EXPECT_FALSE(endless.pays());
}

/// A sheet of loose triangles, with clusters in which a triangle meets 20 others to 200.
std::vector<CornersF> clustered() {
  testing_support::Random random(9);
  std::vector<CornersF> list;
  const auto add = [&](double x, double y, double z, double size) {
    CornersF& corners = list.emplace_back();
    const Vec3d at{random.in(0, x), random.in(0, y), random.in(0, z)};
    for (Vec3f& p : corners)
      for (std::size_t k = 0; k < 3; ++k) p[k] = static_cast<float>(at[k] + random.in(-size, size));
  };
  for (int i = 0; i < 30'000; ++i) add(100, 100, 0, 0.1);
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < 300 * (k + 1); ++i) {
      add(3, 3, 3, 0.6);
      for (Vec3f& p : list.back()) p[0] += 10.f * static_cast<float>(k), p[1] += 50;
    }
  return list;
}

TEST(MpiBalance, RanksGetEqualWorkAndRoomForIt) {
  const std::vector<CornersF> all = clustered();
  std::vector<CornersF> corners;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(i % static_cast<std::size_t>(ranks())) == rank())
      corners.push_back(all[i]), numbers.push_back(i);
  const mpi::Held<float> held{numbers, corners};
  mpi::HeldSupply<float> supply({&held, 1});
  const mpi::Distribution<float> distribution(world(), supply, mpi::kLeafTriangles);
  mpi::Received<float> received = distribution.exchange(supply, false);
  std::uint64_t triangles = 0, pairs = 0;
  for (std::size_t leaf = 0; leaf < received.leaves(); ++leaf) {
    std::vector<Box> boxes;
    for (const auto& one : received.take(leaf).corners) boxes.push_back(scale::box_of_corners(one));
    triangles += boxes.size();
    pairs += pairs_of_boxes(boxes, [](const Box& a, const Box& b) { return a.meets(b); }).size();
  }
  // A triangle costs as much as four candidates, about.
  const std::uint64_t work = 4 * triangles + pairs, n = static_cast<std::uint64_t>(ranks());
  EXPECT_LE(world().max(triangles) * n * 10, world().sum(triangles) * 13);
  EXPECT_LE(world().max(work) * n * 10, world().sum(work) * 13);
}

}  // namespace
}  // namespace sightline::test
