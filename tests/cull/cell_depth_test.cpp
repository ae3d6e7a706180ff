// What the visibility cull keeps of a cell, against the list of everything that was written there.
#include "cull/cell_depth.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace {

using sightline::CellDepth;
using testing_support::Random;

struct Interval {
  std::uint32_t object;
  int from, to;
};

/// The definition: all intervals of the other objects lie beyond `to`, or all lie before `from`.
bool clear_of(const std::vector<Interval>& written, std::uint32_t object, int from, int to) {
  bool beyond = true, before = true;
  for (const Interval& other : written) {
    if (other.object == object) continue;
    beyond = beyond && other.from > to;
    before = before && other.to < from;
  }
  return beyond || before;
}

Interval draw(Random& random, int objects, int slabs) {
  const int a = random.below(slabs), b = random.chance(0.5) ? a : random.below(slabs);
  return {static_cast<std::uint32_t>(random.below(objects)), std::min(a, b), std::max(a, b)};
}

void expect_model(const CellDepth& cell, const std::vector<Interval>& written, Random& random, int objects, int slabs) {
  for (int i = 0; i < 20; ++i) {
    // One object more than was written: it sees all of them as others.
    const Interval tested = draw(random, objects + 1, slabs);
    EXPECT_EQ(cell.clear(tested.object, tested.from, tested.to),
              clear_of(written, tested.object, tested.from, tested.to))
        << "object " << tested.object << " from " << tested.from << " to " << tested.to << " among " << written.size();
  }
}

TEST(CellDepth, IsTheListOfIntervals) {
  Random random(1);
  for (int round = 0; round < 20000; ++round) {
    const int objects = 1 + random.below(5), slabs = 1 + random.below(round % 3 == 0 ? 4 : 40);
    CellDepth cell;
    std::vector<Interval> written;
    for (int count = random.below(12); count > 0; --count) {
      const Interval interval = draw(random, objects, slabs);
      cell.add(interval.object, interval.from, interval.to);
      written.push_back(interval);
    }
    expect_model(cell, written, random, objects, slabs);
  }
}

// Workers write cells of their own, which are joined: in any order, with empty ones among them.
TEST(CellDepth, JoinedIsTheListOfBoth) {
  Random random(2);
  for (int round = 0; round < 20000; ++round) {
    const int objects = 1 + random.below(5), slabs = 1 + random.below(12), parts = 1 + random.below(4);
    CellDepth cell;
    std::vector<Interval> written;
    for (int part = 0; part < parts; ++part) {
      CellDepth other;
      for (int count = random.below(5); count > 0; --count) {
        const Interval interval = draw(random, objects, slabs);
        other.add(interval.object, interval.from, interval.to);
        written.push_back(interval);
      }
      cell.near.add(other.near);
      cell.far.add(other.far);
    }
    expect_model(cell, written, random, objects, slabs);
  }
}

TEST(CellDepth, NothingWrittenIsClear) {
  const CellDepth cell;
  EXPECT_TRUE(cell.clear(0, 0, 0));
  EXPECT_TRUE(cell.clear(3, 0, sightline::kMaxSlabs - 1));
}

TEST(CellDepth, FirstAndLastSlab) {
  CellDepth cell;
  cell.add(1, 0, sightline::kMaxSlabs - 1);
  EXPECT_TRUE(cell.clear(1, 5, 7));
  EXPECT_FALSE(cell.clear(0, 0, 0));
  EXPECT_FALSE(cell.clear(0, sightline::kMaxSlabs - 1, sightline::kMaxSlabs - 1));
}

}  // namespace
