// Boxes and their tree, the radix sort, disjoint sets, instruction sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/box_tree.h"
#include "base/instructions.h"
#include "base/radix_sort.h"
#include "base/union_find.h"
#include "support/random.h"

namespace testing_support {
namespace {

using sightline::Box;
using sightline::Workers;
using Pairs = std::vector<std::array<std::uint32_t, 2>>;

Box random_box(Random& random, double room, double size) {
  Box box;
  box.add(sightline::Vec3d{random.in(0, room), random.in(0, room), random.in(0, room)});
  for (int k = 0; k < 3; ++k) box.high[k] += random.in(0, size);
  return box;
}

Pairs all_pairs(const std::vector<Box>& boxes, const std::function<bool(const Box&, const Box&)>& reach) {
  Pairs pairs;
  for (std::uint32_t a = 0; a < boxes.size(); ++a)
    for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
      if (!boxes[a].empty() && !boxes[b].empty() && reach(boxes[a], boxes[b])) pairs.push_back({a, b});
  return pairs;
}

TEST(BoxTree, FindsAllPairsInOrder) {
  Random random(1);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 9u, 64u, 65u, 500u, 3000u}) {
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < count; ++i) {
      Box box = random_box(random, 10, 1);
      if (i % 7 == 0) box.high[i % 3] += 8;                     // a rod
      if (i % 11 == 0) box = {};                                // nothing
      if (i % 13 == 0 && i > 0) box = boxes.back();             // the same box twice
      if (i % 17 == 0 && i > 0) box.low[0] = boxes[0].high[0];  // touching
      boxes.push_back(box);
    }
    const auto meet = std::mem_fn(&Box::meets);
    const auto near = [](const Box& a, const Box& b) {
      for (int k = 0; k < 3; ++k)
        if (b.low[k] - a.high[k] > 0.25 || a.low[k] - b.high[k] > 0.25) return false;
      return true;
    };
    for (const unsigned threads : {1u, 3u}) {
      Workers workers(threads);
      EXPECT_EQ(sightline::pairs_of_boxes(boxes, meet, workers), all_pairs(boxes, meet)) << count;
      EXPECT_EQ(sightline::pairs_of_boxes(boxes, near, workers), all_pairs(boxes, near)) << count;
    }
  }
}

TEST(BoxTree, HugeAndTinyBoxes) {
  std::vector<Box> boxes;
  for (const double x : {-1.7e308, -1e300, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e300, 1.7e308}) {
    Box box;
    box.add(sightline::Vec3d{x, -x, x});
    boxes.push_back(box);
    box.add(sightline::Vec3d{0, 0, 0});
    boxes.push_back(box);
  }
  const auto meet = std::mem_fn(&Box::meets);
  EXPECT_EQ(sightline::pairs_of_boxes(boxes, meet), all_pairs(boxes, meet));
}

TEST(BoxTree, ACancelEndsIt) {
  Random random(2);
  std::vector<Box> boxes;
  for (int i = 0; i < 20'000; ++i) boxes.push_back(random_box(random, 1, 1));
  int calls = 0;
  const std::function<bool()> cancel = [&] { return ++calls > 3; };
  EXPECT_THROW(sightline::pairs_of_boxes(boxes, std::mem_fn(&Box::meets), Workers::none(), sightline::Poll(cancel)),
               sightline::Error);
}

TEST(RadixSort, IsAStableSort) {
  Random random(3);
  for (const std::size_t count : {0u, 1u, 2u, 1000u, 100'000u})
    for (const int bits : {1, 11, 12, 32, 64}) {
      struct Item {
        std::uint64_t key;
        std::size_t place;
        bool operator==(const Item&) const = default;
      };
      std::vector<Item> items;
      for (std::size_t i = 0; i < count; ++i) items.push_back({random.bits() >> (64 - bits), i});
      std::vector<Item> expected = items;
      std::ranges::stable_sort(expected, {}, &Item::key);
      sightline::radix_sort(
          items, bits, [](const Item& item) { return item.key; }, [] { return false; });
      EXPECT_TRUE(items == expected) << count << " items of " << bits << " bits";
    }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
TEST(Instructions, AsTheCompilerFindsThem) {
  const sightline::Instructions found = sightline::find_instructions();
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse3") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  const bool avx512_dl = avx512 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                         __builtin_cpu_supports("gfni") && __builtin_cpu_supports("vaes") &&
                         __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512vnni") &&
                         __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq");
  EXPECT_EQ(found.sse4, sse4);
  EXPECT_EQ(found.avx2, avx2);
  EXPECT_EQ(found.avx512, avx512);
  EXPECT_EQ(found.avx512_dl, avx512_dl);
}
#endif

TEST(SharedUnionFind, AllThreadsTogetherAgreeWithOne) {
  Random random(4);
  for (const std::uint32_t count : {10u, 1000u, 100'000u}) {
    std::vector<std::array<std::uint32_t, 2>> joins(count);  // a few large sets, and many of one or two
    for (auto& [a, b] : joins) {
      a = static_cast<std::uint32_t>(random.below(static_cast<int>(count)));
      b = random.chance(0.5) ? a / 2 : a;
    }
    sightline::UnionFind expected(count);
    for (const auto& [a, b] : joins) expected.join(a, b);
    for (const unsigned threads : {1u, 2u, 8u}) {
      Workers workers(threads);
      sightline::SharedUnionFind sets(count, workers);
      workers.for_blocks(joins.size(), 64, [&](std::size_t first, std::size_t last) {
        for (; first < last; ++first) sets.join(joins[first][0], joins[first][1]);
      });
      std::size_t wrong = 0;
      for (std::uint32_t i = 0; i < count; ++i) wrong += sets.root(i) != expected.root(i);
      EXPECT_EQ(wrong, 0u) << count << " numbers, " << threads << " threads";
    }
  }
}

TEST(UnionFind, TheRootIsTheLeast) {
  sightline::UnionFind sets(100);
  for (std::uint32_t i = 99; i >= 10; --i) sets.join(i, i - 10);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(sets.root(i), i % 10);
}

}  // namespace
}  // namespace testing_support
