// When a scene whose objects move is distributed anew.
#include "mpi/balance.h"

#include <gtest/gtest.h>

#include <limits>

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

}  // namespace
}  // namespace sightline::test
