// Orientations and their bounds against exact arithmetic. Compiled twice: with operations rounded one by one, as on the
// host, and with products and sums fused, as on a GPU.
#include "rules/plane.h"

#include <gtest/gtest.h>

#include "extremes.h"

namespace sightline::rules {
namespace {

using namespace extremes;

#ifdef SIGHTLINE_TEST_FUSED
#define SUITE PlaneFused
constexpr const char* kHow = "fused";
#else
#define SUITE Plane
constexpr const char* kHow = "plain";
#endif

class SUITE : public testing::Test {
 protected:
  void SetUp() override {
#if defined(SIGHTLINE_TEST_FUSED) && defined(__x86_64__)
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no fused operations";
#endif
  }
};

template <typename T>
double worst_orientation(const char* name) {
  constexpr int kShift = sizeof(T) == 4 ? 80 : 110;
  Search search;
  search.draw = draw_plain<T>;
  search.mutate = mutate_plain<T>;
  search.evaluate = [](const std::vector<Sample>& samples, std::vector<Result>& results) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      Vector<T> p[4];
      for (int k = 0; k < 4; ++k)
        p[k] = {static_cast<T>(samples[i][3 * k]), static_cast<T>(samples[i][3 * k + 1]),
                static_cast<T>(samples[i][3 * k + 2])};
      const auto e = rules::Plane<T>::through(p[0], p[1], p[2]).at(p[3]);
      results[i] = {static_cast<double>(e.value), static_cast<double>(e.bound)};
    }
  };
  search.ratio = [](const Sample& s, const Result& r) {
    return extremes::ratio({r.value, r.bound}, determinant(s, kShift), 3 * kShift);
  };
  return report(name, worst(search, 1));
}

TEST_F(SUITE, OrientationInFloat) {
  const double most = worst_orientation<float>("orientation, float");
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.6) << kHow;
}
TEST_F(SUITE, OrientationInDouble) {
  const double most = worst_orientation<double>("orientation, double");
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.6) << kHow;
}

template <typename T>
double worst_turn(const char* name) {
  constexpr int kShift = sizeof(T) == 4 ? 80 : 110;
  Search search;
  search.draw = draw_plain<T>;
  search.mutate = mutate_plain<T>;
  search.evaluate = [](const std::vector<Sample>& samples, std::vector<Result>& results) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      T x[6];
      for (int k = 0; k < 6; ++k) x[k] = static_cast<T>(samples[i][k]);
      const auto e = turn(x[2] - x[0], x[3] - x[1], x[4] - x[0], x[5] - x[1]);
      results[i] = {static_cast<double>(e.value), static_cast<double>(e.bound)};
    }
  };
  search.ratio = [](const Sample& s, const Result& r) {
    Integer x[6];
    for (int k = 0; k < 6; ++k) x[k] = integer(s[k], kShift);
    return extremes::ratio(r, (x[2] - x[0]) * (x[5] - x[1]) - (x[3] - x[1]) * (x[4] - x[0]), 2 * kShift);
  };
  return report(name, worst(search, 2));
}

TEST_F(SUITE, Turns) {
  for (const double most : {worst_turn<float>("turn, float"), worst_turn<double>("turn, double")}) {
    EXPECT_LE(most, 1);
    EXPECT_GT(most, 0.6) << kHow;
  }
}

/// LocalTriangles of cuda/filter.cuh: the plane of the first three points at the fourth.
Result local(const Sample& s, bool rounded) {
  float p[4][3], a[3], b[3], d[3], extent = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) p[i][k] = static_cast<float>(s[3 * i + k]);
  for (int k = 0; k < 3; ++k) {
    a[k] = p[1][k] - p[0][k];
    b[k] = p[2][k] - p[0][k];
    d[k] = p[3][k] - p[0][k];
    extent = std::fmax(extent, std::fmax(std::fabs(a[k]), std::fabs(b[k])));
  }
  const float yz = a[1] * b[2], zy = a[2] * b[1], zx = a[2] * b[0], xz = a[0] * b[2], xy = a[0] * b[1],
              yx = a[1] * b[0];
  const float products = std::fabs(yz) + std::fabs(zy) + std::fabs(zx) + std::fabs(xz) + std::fabs(xy) + std::fabs(yx);
  LocalBound bounds = LocalBound::of(LocalBound::weight(products));
  if (rounded) bounds.widen(kLocalEdges * extent, largest(s));
  const float det = std::fma(yz - zy, d[0], std::fma(zx - xz, d[1], (xy - yx) * d[2]));
  return {det, bounds.at(std::fabs(d[0]) + std::fabs(d[1]) + std::fabs(d[2]))};
}

double worst_local(const char* name, bool rounded, bool certain) {
  Search search;
  search.draw = [rounded](Random& random) { return rounded ? draw_rounded(random) : draw_plain<float>(random); };
  search.mutate = rounded ? mutate_rounded : mutate_plain<float>;
  search.evaluate = [rounded](const std::vector<Sample>& samples, std::vector<Result>& results) {
    for (std::size_t i = 0; i < samples.size(); ++i) results[i] = local(samples[i], rounded);
  };
  search.ratio = [certain](const Sample& s, const Result& r) {
    return certain && !(std::fabs(r.value) > r.bound) ? 0 : extremes::ratio(r, determinant(s, 80), 240);
  };
  return report(name, worst(search, 3));
}

TEST_F(SUITE, PlanesOfTheGpu) {
  const double as_given = worst_local("plane on the GPU, float32", false, false);
  EXPECT_LE(as_given, 1);
  EXPECT_GT(as_given, 0.5) << kHow;
  // The bound is one only where the answer is certain: bounds.h, 5.
  const double rounded = worst_local("plane on the GPU, float64", true, true);
  EXPECT_LE(rounded, 1);
  EXPECT_GT(rounded, 0.3) << kHow;
}

/// All magnitudes that T has, in one sample: what is certain is right.
template <typename T>
void check_all_magnitudes(int count) {
  constexpr int kLeast = sizeof(T) == 4 ? -149 : -1074, kMost = sizeof(T) == 4 ? 128 : 1024, kFine = 1074;
  Random random(5);
  std::array<int, 4> certain = {};
  for (int round = 0; round < count; ++round) {
    Sample s;
    const int span = random.chance(0.5) ? 1 + random.below(10) : kMost - kLeast;
    const int low = kLeast + random.below(kMost - kLeast - span + 1);
    for (double& x : s)
      x = random.chance(0.1)
              ? 0
              : static_cast<double>(static_cast<T>(std::ldexp(random.in(0.5, 0.999), low + 1 + random.below(span)))) *
                    (random.chance(0.5) ? 1 : -1);
    Vector<T> p[4];
    for (int k = 0; k < 4; ++k)
      p[k] = {static_cast<T>(s[3 * k]), static_cast<T>(s[3 * k + 1]), static_cast<T>(s[3 * k + 2])};
    mp::cpp_int x[6];
    for (int k = 0; k < 6; ++k) x[k] = integer<mp::cpp_int>(s[k < 2 ? k : k < 4 ? k + 1 : k + 2], kFine);
    const int exact = sign_of(determinant<mp::cpp_int>(s, kFine)),
              exact_turn = sign_of(mp::cpp_int((x[2] - x[0]) * (x[5] - x[1]) - (x[3] - x[1]) * (x[4] - x[0])));
    const int found[] = {rules::Plane<T>::through(p[0], p[1], p[2]).at(p[3]).sign(),
                         turn(p[1].x - p[0].x, p[1].y - p[0].y, p[2].x - p[0].x, p[2].y - p[0].y).sign(),
                         certain_sign(local(s, true)), sizeof(T) == 4 ? certain_sign(local(s, false)) : 0};
    for (int k = 0; k < 4; ++k) {
      certain[k] += found[k] != 0;
      if (found[k] != 0) {
        ASSERT_EQ(found[k], k == 1 ? exact_turn : exact) << k;
      }
    }
  }
  for (int k = 0; k < (sizeof(T) == 4 ? 4 : 2); ++k) EXPECT_GT(certain[k], count / 50) << k;
}
TEST_F(SUITE, AllMagnitudesOfFloat) { check_all_magnitudes<float>(6000); }
TEST_F(SUITE, AllMagnitudesOfDouble) { check_all_magnitudes<double>(3000); }

}  // namespace
}  // namespace sightline::rules
