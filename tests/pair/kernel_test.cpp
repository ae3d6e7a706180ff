// The group kernel of each instruction set against the exact decision: what it certifies is so, what it drops is clear.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "exact/tri_tri.h"
#include "pair/group.h"
#include "support/compare.h"
#include "support/pairs.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Group;
using sightline::Kind;
using sightline::PairLists;
using sightline::Sharing;
using sightline::Simd;
using sightline::Vec3d;

/// Triangles with the numbers of their corners; corners of one object with one number are one position.
struct Member {
  Corners corners;
  std::array<std::uint32_t, 3> vertex;
  std::uint32_t object = 0;
  std::uint32_t least = 7;  ///< bit k: the least corner on axis k lies in the group's region
};

struct Case {
  std::vector<Member> members;
  std::vector<bool> self;  ///< per object
  int split = 0;
  bool exact = true;  ///< all coordinates are floats, taken as they are
  double scale = 1;
  Vec3d origin{};
  float low[3], high[3];
};

struct Answer {
  std::vector<std::uint32_t> crossing, undecided;
  std::uint64_t candidates = 0;
};

class Collect final : public sightline::PairSink {
 public:
  Answer answer;
  void take(const Group&, PairLists& lists) override {
    answer.crossing.insert(answer.crossing.end(), lists.crossing, lists.crossing + lists.crossing_count);
    answer.undecided.insert(answer.undecided.end(), lists.undecided, lists.undecided + lists.undecided_count);
    lists.crossing_count = lists.undecided_count = 0;
  }
};

void put_member(Group& group, int i, const Case& c) {
  const Member& member = c.members[i];
  for (int corner = 0; corner < 3; ++corner) {
    for (int k = 0; k < 3; ++k) {
      const double p = member.corners[corner][k];
      const auto x = static_cast<float>(c.exact ? p : p * c.scale - c.origin[k]);
      group.record[i][4 * corner + k] = x;
      group.least_corner[k] = x < group.least_corner[k] ? x : group.least_corner[k];
      group.greatest_corner[k] = x > group.greatest_corner[k] ? x : group.greatest_corner[k];
    }
    group.record[i][4 * corner + 3] = std::bit_cast<float>(member.vertex[corner]);
  }
  group.triangle[i] = static_cast<std::uint32_t>(i);
  group.object[i] = member.object;
  group.claims[i] = static_cast<std::uint8_t>(member.least);
}

/// The one place that fills a group.
std::unique_ptr<Group> make_group(const Case& c) {
  auto group = std::make_unique<Group>();
  std::memset(static_cast<void*>(group.get()), 0xFF, sizeof(Group));  // records past the end hold anything
  group->viewed = false;
  group->size = static_cast<int>(c.members.size());
  group->split = c.split;
  group->least_corner = sightline::Quad4{INFINITY, INFINITY, INFINITY, INFINITY};
  group->greatest_corner = -group->least_corner;
  for (int i = 0; i < group->size; ++i) put_member(*group, i, c);
  group->kinds = static_cast<int>(c.self.size());
  group->one_object = c.self.size() == 1;
  for (int kind = 0; kind < group->kinds; ++kind) std::fill(group->kin[kind], group->kin[kind] + Group::kWords, 0);
  for (int i = 0; i < group->size; ++i) {
    const std::uint32_t kind = c.members[i].object;
    group->kind[i] = static_cast<std::uint8_t>(kind);
    if (!c.self[kind]) group->kin[kind][i / 64] |= std::uint64_t{1} << (i % 64);
  }
  group->reach = group->slop = 0;
  for (int k = 0; k < 3; ++k) {
    group->low[k] = c.low[k];
    group->high[k] = c.high[k];
    const float low = group->least_corner[k], high = group->greatest_corner[k];
    const float magnitude = std::max(std::fabs(low), std::fabs(high));
    if (!(high - low <= group->reach)) group->reach = high - low;
    if (!c.exact && !(magnitude <= group->slop)) group->slop = magnitude;
  }
  return group;
}

Answer run_kernel(const Case& c, Simd simd, Sharing sharing) {
  const auto group = make_group(c);
  auto lists = std::make_unique<PairLists>();
  Collect collect;
  group_kernel(simd)(*group, sharing, *lists, collect);
  collect.answer.candidates = lists->candidate_count;
  return collect.answer;
}

/// True if the group is the place for the pair, and its two objects are to be tested.
bool belongs(const Case& c, int i, int j) {
  const Member &a = c.members[i], &b = c.members[j];
  return (a.least | b.least) == 7 && (a.object != b.object || c.self[a.object]);
}

/// Every pair is certified, left open, or dropped, and each only as it may be.
std::string check(const Case& c, Simd simd, Sharing sharing, int* certified) {
  const Answer answer = run_kernel(c, simd, sharing);
  std::string text;
  const auto complain = [&](const char* what, int i, int j) {
    text += std::string(what) + " (" + std::to_string(i) + ", " + std::to_string(j) + "), " +
            std::string(to_string(simd)) + (sharing == Sharing::by_index ? ", by index" : ", by position") +
            (c.exact ? "" : ", rounded") + "\n  const Corners a = " + hex(c.members[i].corners) +
            ";\n  const Corners b = " + hex(c.members[j].corners) + ";\n";
  };
  std::set<std::pair<int, int>> seen;
  const auto note = [&](std::uint32_t pair) {
    const int i = static_cast<int>(pair & 0xFF), j = static_cast<int>(pair >> 8);
    if (!seen.emplace(std::min(i, j), std::max(i, j)).second) complain("twice", i, j);
    if (!belongs(c, i, j)) complain("not a pair of this group", i, j);
    if (c.split > 0 && (std::min(i, j) >= c.split || std::max(i, j) < c.split)) complain("not across the split", i, j);
    return std::pair(i, j);
  };
  const auto decide = [&](int i, int j) {
    const Member &a = c.members[i], &b = c.members[j];
    return sightline::exact::decide(a.corners, b.corners, a.object == b.object);
  };
  for (const std::uint32_t pair : answer.crossing) {
    const auto [i, j] = note(pair);
    if (decide(i, j) != Kind::crossing) complain("certified as crossing, but is not", i, j);
  }
  for (const std::uint32_t pair : answer.undecided) note(pair);
  const int size = static_cast<int>(c.members.size());
  for (int i = 0; i < (c.split > 0 ? c.split : size); ++i)
    for (int j = c.split > 0 ? c.split : i + 1; j < size && text.size() < 2000; ++j)
      if (belongs(c, i, j) && !seen.contains({i, j}) && decide(i, j)) complain("lost", i, j);
  if (answer.candidates < seen.size()) text += "fewer candidates than answers\n";
  *certified += static_cast<int>(answer.candidates - answer.undecided.size());
  return text;
}

enum class Shape { unit, lattice, flat, tilted, sizes, far, tiny, huge, kCount };

double coordinate(Random& random, Shape shape, int axis, double size) {
  switch (shape) {
    case Shape::lattice:
      return random.below(4);
    case Shape::flat:
      return axis == 2 ? 1e-7 * random.in(-1, 1) : random.in(-1, 1);
    case Shape::far:
      return 1e5 + random.in(-1, 1);
    case Shape::tiny:
      return 0x1p-70 * random.in(-1, 1);
    case Shape::huge:
      return 0x1p80 * random.in(-1, 1);
    default:
      return size * random.in(-1, 1);
  }
}

/// A corner of a triangle of some size about `middle`, in a sloping plane but for about a unit in the last place of
/// float: signs there are as large as their errors.
Vec3d tilted_corner(Random& random, const Vec3d& middle, double size) {
  const double x = middle[0] + size * random.in(-1, 1), y = middle[1] + size * random.in(-1, 1);
  return {x, y, 0.37 * x - 0.81 * y + 0.1 + 1e-7 * random.in(-1, 1) * (random.chance(0.5) ? 1 : size)};
}

/// Random triangles; corners are often those of another one.
Case draw(Random& random, Shape shape, bool exact, int size) {
  Case c;
  c.exact = exact;
  const int objects = random.chance(0.5) ? 1 : 1 + random.below(4);
  for (int o = 0; o < objects; ++o) c.self.push_back(objects == 1 || random.chance(0.5));
  std::vector<std::vector<Vec3d>> pool(c.self.size());
  const double share = random.chance(0.3) ? 0 : 0.4;
  const bool positions_alone = random.chance(0.2);  // equal corners with different numbers
  for (int i = 0; i < size; ++i) {
    Member m;
    m.object = static_cast<std::uint32_t>(random.below(objects));
    if (random.chance(0.3)) m.least = static_cast<std::uint32_t>(random.below(8));
    auto& points = pool[m.object];
    const double scale = shape == Shape::sizes ? std::ldexp(1.0, random.below(40) - 10) : 1;
    const Vec3d middle{random.in(-1, 1), random.in(-1, 1), 0};
    const double size_here = std::ldexp(1.0, -random.below(14));
    for (int k = 0; k < 3; ++k) {
      Vec3d p = tilted_corner(random, middle, size_here);
      for (int axis = 0; axis < 3; ++axis) {
        if (shape != Shape::tilted) p[axis] = coordinate(random, shape, axis, scale);
        if (exact) p[axis] = static_cast<float>(p[axis]);
      }
      if (!points.empty() && random.chance(share)) {
        m.vertex[k] = static_cast<std::uint32_t>(random.below(static_cast<int>(points.size())));
        m.corners[k] = points[m.vertex[k]];
        if (!positions_alone) continue;
        p = m.corners[k];
      }
      m.vertex[k] = static_cast<std::uint32_t>(points.size());
      m.corners[k] = p;
      points.push_back(p);
    }
    c.members.push_back(m);
  }
  if (size > 1 && random.chance(0.3)) c.split = 1 + random.below(size - 1);
  if (!exact) {
    c.scale = shape == Shape::tiny && random.chance(0.5) ? 0x1p70 : 1;
    for (double& x : c.origin) x = shape == Shape::far ? 1e5 : random.in(-1, 1);
  }
  // The region may be smaller than what is in it, and flat: boxes are clamped to it.
  for (int k = 0; k < 3; ++k) {
    const double middle = exact && shape == Shape::far ? 1e5 : 0, half = random.chance(0.2) ? 0 : random.in(0, 2);
    c.low[k] = static_cast<float>(middle - half);
    c.high[k] = static_cast<float>(middle + half);
  }
  return c;
}

class Kernel : public testing::TestWithParam<Simd> {
 protected:
  void SetUp() override {
    if (!available(GetParam())) GTEST_SKIP() << "this machine cannot run " << to_string(GetParam());
  }
};

TEST_P(Kernel, CertifiesOnlyWhatIsSo) {
  Random random(77);
  constexpr int kSizes[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 100, 128, 200, 255, 256};
  int failures = 0;
  for (int shape = 0; shape < static_cast<int>(Shape::kCount); ++shape) {
    int certified = 0;
    const int rounds = smaller(36, 3);
    for (int round = 0; round < rounds && failures < 3; ++round) {
      const bool exact = round % 2 == 0;
      const Case c = draw(random, static_cast<Shape>(shape), exact, kSizes[random.below(15)]);
      // Rounded frames may not be compared by position: equal floats prove nothing there.
      for (const Sharing sharing : {Sharing::by_index, Sharing::by_position}) {
        if (!exact && sharing == Sharing::by_position) continue;
        const std::string text = check(c, GetParam(), sharing, &certified);
        failures += !text.empty();
        EXPECT_EQ(text, "") << "shape " << shape << ", round " << round;
      }
    }
    // The filter must be worth having: without it the test above would pass with every pair left open.
    if (GetParam() != Simd::scalar && static_cast<Shape>(shape) == Shape::unit) {
      EXPECT_GT(certified, smaller(10000));
    }
  }
}

// Pairs that touch, cross by a hair or miss by one, moved apart so that each meets only its partner.
TEST_P(Kernel, HardPairs) {
  Random random(78);
  int failures = 0, certified = 0;
  for (const Family& family : pair_families()) {
    const int rounds = smaller(24, 4);
    for (int round = 0; round < rounds && failures < 3; ++round) {
      Case c;
      c.exact = round % 2 == 0;
      c.self = {true, false};
      const bool apart = random.chance(0.5);
      for (int i = 0; i < 24; ++i) {
        Pair pair = family.draw(random);
        for (int side = 0; side < 2; ++side) {
          Member m{pair[side], {}, apart ? static_cast<std::uint32_t>(side) : 0u, 7};
          for (int k = 0; k < 3; ++k) {
            if (c.exact)
              for (double& x : m.corners[k]) x = static_cast<float>(x);
            m.vertex[k] = static_cast<std::uint32_t>(6 * i + 3 * side + k);
          }
          c.members.push_back(m);
        }
        // Equal corners of one object have one number, as in an indexed mesh.
        Member &a = c.members[2 * i], &b = c.members[2 * i + 1];
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            if (a.corners[k] == b.corners[l] && round % 3 != 0) b.vertex[l] = a.vertex[k];
      }
      for (const Member& m : c.members)
        for (const Vec3d& p : m.corners)
          for (const double x : p)
            if (c.exact && !std::isfinite(x)) c.members.clear();  // not a float
      for (int k = 0; k < 3; ++k) c.low[k] = -8, c.high[k] = 8;
      if (!c.exact) c.scale = random.chance(0.5) ? 1 : 0x1p-20;
      if (c.members.empty()) continue;
      const Sharing sharing = c.exact && round % 4 == 0 ? Sharing::by_position : Sharing::by_index;
      const std::string text = check(c, GetParam(), sharing, &certified);
      failures += !text.empty();
      EXPECT_EQ(text, "") << family.name;
    }
  }
}

/// All pairs of a group on a lattice, against the exact decision. `side`: the greatest difference of coordinates.
TEST_P(Kernel, FineLattices) {
  const sightline::LatticeKernel settle = sightline::lattice_kernel(GetParam());
  if (GetParam() == Simd::scalar) {
    EXPECT_EQ(settle, nullptr);
    return;
  }
  Random random(80);
  std::uint64_t open = 0, all = 0;
  std::map<int, int> verdicts;
  for (const int side : {1, 2, 3, 5, 20, 126, 127})
    for (const int exponent : {-37, -24, -3, 0, 4, 22}) {
      Case c;
      c.self = {true, true};
      const double unit = std::ldexp(1.0, exponent);
      const bool in_plane = exponent % 2 == 0;
      const bool sloping = random.chance(0.5);
      const int origin = random.below(2000) - 1000;
      int u[3], v[3];
      for (int axis = 0; axis < 3; ++axis)
        u[axis] = random.below(side / 12 + 1), v[axis] = -random.below(side / 12 + 1);
      for (int i = 0; i < smaller(60, 2); ++i) {
        Member m{{}, {}, static_cast<std::uint32_t>(random.below(2)), 7};
        for (Vec3d& p : m.corners) {
          for (double& x : p) x = unit * (origin + random.below(side + 1));
          if (in_plane && random.chance(0.8)) p[i % 3] = unit * origin;
        }
        // Or near a sloping plane: determinants are small differences of large products.
        if (sloping && side > 5) {
          for (Vec3d& p : m.corners) {
            const int s = random.below(7), t = random.below(7);
            for (int axis = 0; axis < 3; ++axis)
              p[axis] = unit * (origin + s * u[axis] + t * v[axis] + (random.chance(0.1) ? 1 : 0));
          }
        }
        c.members.push_back(m);
      }
      const auto group = make_group(c);
      if (!(group->reach > 0x1p-30f && group->reach < 0x1p30f)) continue;
      std::vector<std::uint32_t> pairs;
      for (int i = 0; i < group->size; ++i)
        for (int j = i + 1; j < group->size; ++j) pairs.push_back(static_cast<std::uint32_t>(i | j << 8));
      const auto count = pairs.size();
      pairs.resize(count + 16);  // a vector past the end can be read
      std::vector<std::int8_t> found(count);
      settle(*group, pairs.data(), static_cast<int>(count), found.data());
      for (std::size_t k = 0; k < count; ++k) {
        const Member &a = c.members[pairs[k] & 0xFF], &b = c.members[pairs[k] >> 8];
        const auto expected = sightline::exact::pair_of(a.corners, b.corners).decide(a.object == b.object);
        ++all;
        if (found[k] == sightline::kOpenVerdict) {
          ++open;
          continue;
        }
        ++verdicts[found[k]];
        ASSERT_EQ(found[k], static_cast<int>(expected)) << hex(a.corners) << "\n" << hex(b.corners);
      }
    }
  for (int verdict = -1; verdict < 4; ++verdict) EXPECT_GT(verdicts[verdict], smaller(50, 50)) << verdict;
  EXPECT_LT(open, all / 2);
}

/// The plane of a is spanned by (p, q) and (r, s) with a small determinant, so that sides of b's corners are small
/// numbers times their heights: far below the sum of the terms, and beyond 64 bits or not.
Pair nearly_dependent_pair(Random& random) {
  std::int64_t p = 1 + random.below(5), q = 1, r = 1, s = 0;  // p s - q r = ±1 from here on
  while (p < std::int64_t{1} << 49) {
    const int k = 1 + random.below(8);
    p = std::exchange(r, p) + k * p;
    q = std::exchange(s, q) + k * q;
  }
  const std::int64_t times = 1 + random.below(100), turns = times * r / p;
  r = times * r - turns * p;
  s = times * s - turns * q;
  const int axis = random.below(3), steps = 52 - random.below(4);
  const double height = std::ldexp(1.0, random.below(14)), from = random.chance(0.5) ? 0 : 0x1p52;
  const auto at = [&](std::int64_t x, std::int64_t y, double z) {
    Vec3d point;
    point[axis] = static_cast<double>(x);
    point[(axis + 1) % 3] = static_cast<double>(y);
    point[(axis + 2) % 3] = (from + z) * height;
    return point;
  };
  const auto number = [&] { return static_cast<std::int64_t>(random.bits() >> (64 - steps)); };
  Pair pair;
  pair[0] = {at(0, 0, 0), at(p, q, 0), at(r, s, 0)};
  for (Vec3d& x : pair[1]) {
    const double z[] = {0, static_cast<double>(number()), -static_cast<double>(number()), 1.0 + random.below(9)};
    x = at(number(), number(), z[random.below(4)]);
  }
  return pair;
}

/// Pairs of all families in blocks, against the exact decision.
TEST_P(Kernel, WideDecisions) {
  const sightline::WideKernel decide = sightline::wide_kernel(GetParam());
  if (GetParam() == Simd::scalar || GetParam() == Simd::sse4) {
    EXPECT_EQ(decide, nullptr);
    return;
  }
  std::vector<Family> families = pair_families();
  families.push_back({"nearly_dependent", nearly_dependent_pair, 20000});
  std::map<int, int> verdicts;
  for (const Family& family : families) {
    Random random(81);
    int open = 0;
    const int blocks = smaller(family.count / 8, 10);
    for (int block = 0; block < blocks; ++block) {
      constexpr int kSize = sightline::exact::PairBlock::kSize;
      sightline::exact::PairBlock pairs;
      std::array<Pair, kSize> drawn;
      for (int k = 0; k < kSize; ++k) {
        drawn[k] = family.draw(random);
        pairs.put(k, drawn[k][0], drawn[k][1]);
      }
      const auto one_object = static_cast<unsigned>(random.below(256));
      std::int8_t found[kSize];
      decide(pairs, one_object, found);
      for (int k = 0; k < kSize; ++k) {
        const auto& [a, b] = drawn[k];
        if (found[k] == sightline::kOpenVerdict) {
          ++open;
          continue;
        }
        ++verdicts[found[k]];
        const auto expected = sightline::exact::pair_of(a, b).decide((one_object >> k & 1) != 0);
        ASSERT_EQ(found[k], static_cast<int>(expected)) << family.name << "\n" << hex(a) << "\n" << hex(b);
      }
    }
    // What is left open has degenerate triangles (lattices), or is far from general position.
    if (family.name == "meeting" || family.name == "word_edges" || family.name == "tenth") {
      EXPECT_LT(open, 3 * blocks) << family.name;
    }
  }
  for (int verdict = -1; verdict < 4; ++verdict) EXPECT_GT(verdicts[verdict], smaller(50, 50)) << verdict;
}

/// Wedges about common corners, in one plane but for rounding: edges on one line, in one direction or in opposite ones,
/// corners on edges, and equal corners. All corners are points of a small grid, and each point has one number.
TEST_P(Kernel, WedgesInOnePlane) {
  Random random(79);
  const Vec3d u{0.25, 0.5, -0.125}, v{-0.5, 0.375, 0.25};
  int failures = 0, certified = 0;
  const int rounds = smaller(60, 6);
  for (int round = 0; round < rounds && failures < 3; ++round) {
    Case c;
    c.exact = round % 2 == 0;
    c.self = {true};
    const Vec3d slope{c.exact ? 0 : 0.1, c.exact ? 0 : 0.3, c.exact ? 0 : 0.7};  // no longer representable
    for (int i = 0; i < 60; ++i) {
      Member m{{}, {}, 0, 7};
      for (int k = 0; k < 3; ++k) {
        const int s = random.below(5) - 2, t = random.below(5) - 2;
        m.vertex[k] = static_cast<std::uint32_t>(5 * (s + 2) + t + 2);
        for (int axis = 0; axis < 3; ++axis)
          m.corners[k][axis] = s * u[axis] + t * v[axis] + slope[axis] * (s * 0.37 + t * 0.61 + 1);
      }
      c.members.push_back(m);
    }
    for (int k = 0; k < 3; ++k) c.low[k] = -8, c.high[k] = 8;
    for (const Sharing sharing : {Sharing::by_index, Sharing::by_position}) {
      if (!c.exact && sharing == Sharing::by_position) continue;
      const std::string text = check(c, GetParam(), sharing, &certified);
      failures += !text.empty();
      EXPECT_EQ(text, "") << "round " << round;
    }
  }
  if (GetParam() != Simd::scalar) {
    EXPECT_GT(certified, smaller(10000));
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Kernel, testing::Values(Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
