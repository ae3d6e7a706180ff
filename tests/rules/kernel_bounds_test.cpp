// The bounds of the pair kernel against exact arithmetic, for each instruction set that this machine has: with fused
// operations and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "exact/tri_tri.h"
#include "extremes.h"
#include "kernel_batches.h"
#include "pair/group.h"

namespace {

using namespace extremes;
using kernel_batches::Batch;
using kernel_batches::Filter;
using kernel_batches::kernels;
using kernel_batches::Named;

constexpr int kShift = 80;

/// As the engine measures a group: Divider::measure.
void load(const std::vector<Sample>& samples, bool rounded, Batch& batch) {
  batch.reach = batch.slop = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (int k = 0; k < 12; ++k) batch.point[i][k / 3][k % 3] = static_cast<float>(samples[i][k]);
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] =
          std::minmax({batch.point[i][0][k], batch.point[i][1][k], batch.point[i][2][k], batch.point[i][3][k]});
      batch.reach = std::max(batch.reach, high - low);
    }
    if (rounded) batch.slop = std::max(batch.slop, largest(samples[i]));
  }
}
void evaluate(const Named& kernel, Filter filter, bool rounded, const std::vector<Sample>& samples,
              std::vector<Result>& results) {
  static Batch batch;
  load(samples, rounded, batch);
  kernel.run(filter, batch);
  for (std::size_t i = 0; i < samples.size(); ++i) results[i] = {batch.value[i], batch.bound[i]};
}

/// Coordinates of at most 1, and one of 1/2 or more, since a batch has one reach.
Sample draw_unit(Random& random) {
  Sample s = draw_plain<float>(random);
  int exponent = 0;
  std::frexp(largest(s), &exponent);
  for (double& x : s) x = std::ldexp(x, -exponent);
  return s;
}
void mutate_unit(Random& random, Sample& s) {
  mutate_plain<float>(random, s);
  for (double& x : s) x = std::clamp(x, -1.0, 1.0);
}

bool takes_direction(Filter filter) { return filter == Filter::along || filter == Filter::across; }
const char* name_of(Filter filter) {
  constexpr const char* kNames[] = {"plane", "determinant", "across", "along"};
  return kNames[static_cast<int>(filter)];
}
/// The number that a filter computes, exactly, times 2^(3 shift).
template <typename I = Integer>
I value_of(Filter filter, const Sample& s, int shift) {
  if (filter != Filter::across) return determinant<I>(s, shift, filter == Filter::along);
  I sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += integer<I>(s[6 + k], shift) * (integer<I>(s[9 + k], shift) - integer<I>(s[k], shift));
  return sum << shift;
}

double worst_exact(const Named& kernel, Filter filter) {
  Search search;
  search.draw = draw_unit;
  search.mutate = mutate_unit;
  search.evaluate = [&](const auto& samples, auto& results) { evaluate(kernel, filter, false, samples, results); };
  search.ratio = [&](const Sample& s, const Result& r) { return ratio(r, value_of(filter, s, kShift), 3 * kShift); };
  return report(std::string(kernel.name) + ", " + name_of(filter), worst(search, 1));
}

/// The largest over edges from 1 down to some units in the last place and to none at all, with the fourth point across
/// the frame or near.
double worst_rounded(const Named& kernel, Filter filter) {
  double most = 0;
  for (const int exponent : {1, 6, 12, 18, 21, 26})
    for (const bool near : {false, true}) {
      const double size = std::ldexp(1, -exponent);
      Search search;
      search.draw = [&](Random& random) {
        Sample s = draw_rounded(random, size, near ? size : 2);
        if (takes_direction(filter))  // the direction is what it is
          for (int k = 6; k < 9; ++k) s[k] = static_cast<float>(random.in(-1, 1));
        return s;
      };
      search.mutate = [&](Random& random, Sample& s) {
        mutate_rounded(random, s);
        if (takes_direction(filter))
          for (int k = 6; k < 9; ++k) s[k] = static_cast<float>(s[k]);
      };
      search.evaluate = [&](const auto& samples, auto& results) { evaluate(kernel, filter, true, samples, results); };
      search.ratio = [&](const Sample& s, const Result& r) {
        return ratio(r, value_of(filter, s, kShift), 3 * kShift);
      };
      search.generations = 120;
      most = std::max(most, worst(search, 2));
    }
  return report(std::string(kernel.name) + ", rounded " + name_of(filter), most);
}

TEST(KernelBounds, PlanesOfExactFrames) {
  ASSERT_FALSE(kernels().empty());
  for (const Named& kernel : kernels()) {
    const double most = worst_exact(kernel, Filter::plane);
    EXPECT_LE(most, 1) << kernel.name;
    EXPECT_GT(most, 0.4) << kernel.name;
  }
}
TEST(KernelBounds, DeterminantsOfExactFrames) {
  for (const Named& kernel : kernels())
    for (const Filter filter : {Filter::determinant, Filter::along}) {
      const double most = worst_exact(kernel, filter);
      EXPECT_LE(most, 1) << kernel.name;
      EXPECT_GT(most, filter == Filter::along ? 0.25 : 0.4) << kernel.name;
    }
}
TEST(KernelBounds, PlanesOfRoundedFrames) {
  for (const Named& kernel : kernels()) {
    const double most = worst_rounded(kernel, Filter::plane);
    EXPECT_LE(most, 1) << kernel.name;
    EXPECT_GT(most, 0.85) << kernel.name;
  }
}
TEST(KernelBounds, DeterminantsOfRoundedFrames) {
  for (const Named& kernel : kernels())
    for (const Filter filter : {Filter::determinant, Filter::along}) {
      const double most = worst_rounded(kernel, filter);
      EXPECT_LE(most, 1) << kernel.name;
      EXPECT_GT(most, 0.85) << kernel.name;
    }
}

TEST(KernelBounds, Directions) {
  for (const Named& kernel : kernels()) {
    const double exact = worst_exact(kernel, Filter::across), rounded = worst_rounded(kernel, Filter::across);
    EXPECT_LE(std::max(exact, rounded), 1) << kernel.name;
    EXPECT_GT(exact, 0.3) << kernel.name;
    EXPECT_GT(rounded, 0.5) << kernel.name;
  }
}

/// Without PlaneBound's term of second order, the bound that it replaced, u (10 P (D + slop) + 5 slop S D), is
/// exceeded where edges are some rounding units long. (No wrong answer followed: certain signs need longer edges, and a
/// determinant has at most 4 of the 6 units that its terms can have.)
TEST(KernelBounds, ErrorsOfSecondOrderExceedTheFirst) {
  const auto first_order = [](const Sample& s) {
    const double u = 0x1p-24, slop = largest(s);
    float e[2][3];
    double reach = 0, products = 0, edges = 0;
    for (int k = 0; k < 3; ++k) {
      const float p[4] = {float(s[k]), float(s[3 + k]), float(s[6 + k]), float(s[9 + k])};
      e[0][k] = p[1] - p[0];
      e[1][k] = p[2] - p[0];
      edges += std::fabs(e[0][k]) + std::fabs(e[1][k]);
      const auto [low, high] = std::minmax({p[0], p[1], p[2], p[3]});
      reach = std::max<double>(reach, high - low);
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i != j) products += std::fabs(e[0][i] * e[1][j]);
    return u * (10.01 * products * (reach + slop) + 5.01 * slop * edges * reach);
  };
  Search search;
  search.draw = [](Random& random) { return draw_rounded(random, 0x1p-22, 2); };
  search.mutate = mutate_rounded;
  const Named kernel = kernels().front();
  search.evaluate = [&](const auto& samples, auto& results) {
    evaluate(kernel, Filter::plane, true, samples, results);
  };
  search.ratio = [&](const Sample& s, const Result& r) {
    const double bound = first_order(s);
    return bound > 0 ? ratio({r.value, bound}, determinant(s, kShift), 3 * kShift) : 0;
  };
  EXPECT_GT(report("rounded plane, bound of first order", worst(search, 3)), 1);
}

/// Magnitudes 0: within 2^10 of each other; 1: any; 2: edges from the origin whose products are near the least number.
/// `low` and `edge` are the same for a batch, which has one reach.
Sample draw_magnitudes(Random& random, int kind, int low, int edge) {
  const int span = kind == 0 ? 10 : 277, from[4] = {0, edge, -150 - edge, 0};
  Sample s;
  for (int k = 0; k < 12; ++k) {
    const int exponent = kind < 2 ? std::min(low + random.below(span), 128) : from[k / 3] + random.below(7) - 3;
    const double magnitude = std::min(std::ldexp(random.in(0.5, 1), exponent), 0x1.fffffep127);
    const bool zero = kind == 2 ? k < 3 : random.chance(0.1);
    s[k] = zero ? 0 : static_cast<float>(random.chance(0.5) ? magnitude : -magnitude);
  }
  return s;
}

/// All magnitudes that floats have, in one determinant: what is certain is right.
TEST(KernelBounds, UnderflowAndOverflowMakeNothingCertain) {
  for (const Named& kernel : kernels())
    for (const Filter filter : {Filter::plane, Filter::determinant, Filter::across, Filter::along}) {
      Random random(4);
      int certain = 0;
      for (int round = 0; round < 90; ++round) {
        std::vector<Sample> samples(Batch::kCount);
        const int low = random.below(270) - 149, edge = -random.below(150);
        for (Sample& s : samples) {
          s = draw_magnitudes(random, round % 3, low, edge);
          // The kernel's directions are of the second order of a group's reach, which is below 2^30.
          if (filter == Filter::across)
            for (int k = 6; k < 9; ++k) s[k] = std::clamp(s[k], -0x1p68, 0x1p68);
        }
        std::vector<Result> results(Batch::kCount);
        evaluate(kernel, filter, false, samples, results);
        for (std::size_t i = 0; i < samples.size(); ++i) {
          const int sign = certain_sign(results[i]);
          certain += sign != 0;
          if (sign != 0) {
            ASSERT_EQ(sign, sign_of(value_of<mp::cpp_int>(filter, samples[i], 150)))
                << kernel.name << " " << static_cast<int>(filter) << " value " << results[i].value << " bound "
                << results[i].bound;
          }
        }
      }
      EXPECT_GT(certain, 200) << kernel.name << " " << static_cast<int>(filter);
    }
}

struct Counter : sightline::PairSink {
  int kept = 0;
  void take(const sightline::Group&, sightline::PairLists& lists) override {
    kept += lists.undecided_count + lists.crossing_count;
    lists.undecided_count = lists.crossing_count = 0;
  }
};

/// Triangles in contact, one of them a sliver of 2^68 by 2^-8: the product of edge and normal overflows, that of all
/// three vectors does not. The kernel dropped this pair while it formed the bound without the former.
TEST(KernelBounds, AGiantSliverKeepsItsContact) {
  const float corners[2][3][3] = {
      {{0, 0, 0}, {0x1.1f0834p+68, 0x1.13a33ep+68, -0x1.09f03cp+68}, {-0x1.815f4p-8, -0x1.ec335p-8, 0x1.c4c85ep-8}},
      {{0x1.cc14b8p-12, -0x1.7c498ap-8, -0x1.3e2428p-7},
       {0x1.8d934cp-8, -0x1.099028p-10, 0x1.c0149p-7},
       {0x1.4be1bcp-9, 0x1.56dce6p-10, 0x1.33c84cp-12}}};
  sightline::exact::TrianglePair pair;
  const auto group = std::make_unique<sightline::Group>();
  std::memset(static_cast<void*>(group->record), 0, sizeof group->record);
  group->size = 2;
  group->triangle[0] = 0, group->triangle[1] = 1;
  group->object[0] = group->object[1] = 0;
  group->claims[0] = group->claims[1] = 7;
  for (int i = 0; i < 2; ++i)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t vertex = 3 * static_cast<std::uint32_t>(i) + c;
      std::memcpy(group->record[i] + 4 * c, corners[i][c], 12);
      std::memcpy(group->record[i] + 4 * c + 3, &vertex, 4);
      for (int k = 0; k < 3; ++k) pair.points.at[vertex][k] = corners[i][c][k];
    }
  for (int k = 0; k < 3; ++k) group->low[k] = -0x1p69f, group->high[k] = 0x1p69f;
  group->reach = 0x1.2p68f;
  ASSERT_NE(pair.decide(true), sightline::exact::Verdict::clear);
  const auto lists = std::make_unique<sightline::PairLists>();
  for (const auto simd :
       {sightline::Simd::scalar, sightline::Simd::sse4, sightline::Simd::avx2, sightline::Simd::avx512})
    if (const auto kernel = sightline::group_kernel(simd)) {
      Counter counter;
      kernel(*group, sightline::Sharing::by_index, *lists, counter);
      EXPECT_EQ(counter.kept, 1) << static_cast<int>(simd);
    }
}

}  // namespace
