// The parts of the out-of-core query by themselves: cuts, sorted runs, scratch files.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "parts/cuts.h"
#include "parts/runs.h"
#include "report/temporary_folder.h"
#include "support/random.h"

namespace sightline::test {
namespace {

using scale::Cuts;
using scale::Key;
using scale::Region;
using scale::Runs;
using testing_support::Random;

std::vector<Box> random_boxes(Random& random, int count) {
  std::vector<Box> boxes;
  for (int i = 0; i < count; ++i) {
    Box box;
    for (int corner = 0; corner < 2; ++corner)
      box.add(Vec3d{double(random.below(9)), random.chance(0.5) ? random.unit() : random.below(3),
                    double(random.below(2))});
    boxes.push_back(box);
  }
  return boxes;
}

TEST(Cuts, EachPointIsInOneLeafAndABoxIsInAllLeavesOfItsPoints) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const std::vector<Box> boxes = random_boxes(random, 200);
    const Cuts cuts(boxes, static_cast<std::size_t>(1 + random.below(30)), {});
    ASSERT_GT(cuts.leaves(), 1u);
    for (const Box& box : boxes) {
      std::vector<std::uint32_t> leaves;
      cuts.for_leaves(box, [&](std::uint32_t leaf) { leaves.push_back(leaf); });
      for (int i = 0; i < 20; ++i) {
        Vec3d p;
        for (std::size_t k = 0; k < 3; ++k) {
          const int which = random.below(3);
          p[k] = which == 0 ? box.low[k] : which == 1 ? box.high[k] : random.in(box.low[k], box.high[k]);
        }
        int holding = 0;
        for (std::size_t leaf = 0; leaf < cuts.leaves(); ++leaf) {
          if (!cuts.region(leaf).holds(p)) continue;
          ++holding;
          EXPECT_TRUE(std::ranges::find(leaves, leaf) != leaves.end());
        }
        ASSERT_EQ(holding, 1);
      }
    }
  }
}

TEST(Cuts, BoxesAtOnePlaceAreNotCut) {
  Box box;
  box.add(Vec3d{1, 2, 3});
  EXPECT_EQ(Cuts(std::vector<Box>(100, box), 10, {}).leaves(), 1u);
  EXPECT_EQ(Cuts({}, 10, {}).leaves(), 1u);
}

TEST(Cuts, MostMiddlesAreTheLargestCoordinate) {
  std::vector<Box> boxes(100);
  for (std::size_t i = 0; i < boxes.size(); ++i) boxes[i].add(Vec3d{i < 30 ? 0.0 : 1.0, 0, 0});
  EXPECT_EQ(Cuts(boxes, 80, {}).leaves(), 2u);
}

TEST(Runs, RecordsComeInOrderFromAnyNumberOfRuns) {
  Random random(2);
  for (const std::size_t memory : {std::size_t{200}, std::size_t{3000}, std::size_t{100'000}, std::size_t{1} << 24}) {
    testing_support::TemporaryFolder folder;
    disk::ScratchFile file(folder.path());
    EXPECT_EQ(folder.files(), 0u) << "no name leads to a scratch file";
    Runs runs(file, memory);
    std::map<Key, std::vector<std::byte>> expected;
    for (int i = 0; i < 20'000; ++i) {
      const Key key{random.bits() >> 63, random.bits() >> random.below(60), random.bits()};
      std::vector<std::byte> payload(static_cast<std::size_t>(random.below(20) == 0 ? 255 : random.below(60)));
      for (std::byte& byte : payload) byte = static_cast<std::byte>(random.below(256));
      runs.add(key, payload);
      expected[key] = payload;
    }
    runs.finish();
    EXPECT_EQ(runs.size(), expected.size());
    EXPECT_EQ(file.size() > 0, memory < (std::size_t{1} << 24));
    for (int twice = 0; twice < 2; ++twice) {
      auto at = expected.begin();
      runs.for_each([&](const Key& key, std::span<const std::byte> payload) {
        EXPECT_TRUE(at != expected.end() && key == at->first && std::ranges::equal(payload, at->second));
        ++at;
        return true;
      });
      EXPECT_TRUE(at == expected.end());
    }
    int seen = 0;
    runs.for_each([&](const Key&, std::span<const std::byte>) { return ++seen < 7; });
    EXPECT_EQ(seen, 7);
  }
}

TEST(ScratchFile, ReturnsWhatWasAppended) {
  testing_support::TemporaryFolder folder;
  disk::ScratchFile file(folder.path());
  const std::vector<std::byte> a(5000, std::byte{1}), b(7000, std::byte{2});
  const std::uint64_t at_a = file.append(a), at_b = file.append(b);
  std::vector<std::byte> back(7000);
  file.read(at_b, back);
  EXPECT_EQ(back, b);
  file.release(at_b, b.size());
  back.resize(5000);
  file.read(at_a, back);
  EXPECT_EQ(back, a);
  EXPECT_EQ(file.peak(), 12'000u);
}

}  // namespace
}  // namespace sightline::test
