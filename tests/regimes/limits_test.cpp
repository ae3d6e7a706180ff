// `first` and `max_contacts`: what they return in every regime, and that they bound time and memory. 20,000 equal
// triangles took 44 s and 9.2 GB with `first`, 35 s and 9.2 GB with `max_contacts = 10`.
#include <chrono>
#include <fstream>

#include "regimes/run.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;

class Limits : public testing::TestWithParam<std::size_t> {};

TEST_P(Limits, FirstIsAContactIfThereIsOne) {
  const RegimeScene scene = regimes()[GetParam()].make(smaller<std::size_t>(9000, 2, 4000));
  const std::vector<Contact> expected = truth(scene);
  const std::vector<Tuned> rows = covering_options();
  for (std::size_t i = 0; i < rows.size(); i += smaller_tests() ? 9 : 3) {
    Tuned options = rows[i];
    options.first = true;
    const Report report = collide(scene, options);
    if (expected.empty()) {
      EXPECT_TRUE(report.contacts.empty() && report.found == 0 && report.complete) << describe(options);
      continue;
    }
    ASSERT_EQ(report.contacts.size(), 1u) << describe(options) << ", of " << expected.size();
    EXPECT_TRUE(std::binary_search(expected.begin(), expected.end(), report.contacts[0])) << describe(options);
    EXPECT_EQ(report.found, 1u);
    EXPECT_FALSE(report.complete);
    // Fixed by the input and the image, not by threads.
    for (const unsigned threads : {1u, 2u, 7u}) {
      options.threads = threads;
      EXPECT_EQ(collide(scene, options).contacts, report.contacts) << describe(options);
    }
  }
}

TEST_P(Limits, MaxContactsKeepsTheHead) {
  const RegimeScene scene = regimes()[GetParam()].make(smaller<std::size_t>(9000, 2, 4000));
  const std::vector<Contact> expected = truth(scene);
  const std::vector<Tuned> rows = covering_options();
  std::size_t row = 0;
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{7}, expected.size() / 2,
                                 expected.size() - !expected.empty(), expected.size(), expected.size() + 1}) {
    Tuned options = rows[(row += 5) % rows.size()];
    options.max_contacts = most;
    const Report report = collide(scene, options);
    const std::size_t kept = std::min(most, expected.size());
    const std::vector<MeshView> objects = views(scene.objects);
    EXPECT_EQ(difference(std::span(expected).first(kept), report.contacts, objects), "")
        << "at most " << most << ", " << describe(options);
    EXPECT_EQ(report.found, expected.size()) << "at most " << most << ", " << describe(options);
    EXPECT_EQ(report.complete, expected.size() <= most);
    EXPECT_FALSE(report.cancelled);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Limits, testing::Range<std::size_t>(0, regimes().size()),
                         [](const auto& info) { return regimes()[info.param].name; });

/// A field of /proc/self/status in bytes.
std::size_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == field + ":") {
      std::size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

constexpr std::size_t kMostBytes = 200'000'000, kTooManyBytes = 1'000'000'000;

struct Cost {
  Report report;
  double seconds;
  std::size_t bytes;  ///< the most that was resident at once during the query
};

/// The query gives up after `patience` seconds or with a gigabyte, so that an engine without bounds fails and does not
/// fill the machine.
Cost measure(const MeshView& mesh, Tuned options, double patience) {
  using Clock = std::chrono::steady_clock;
  std::ofstream("/proc/self/clear_refs") << 5;  // the high-water mark begins anew
  const auto start = Clock::now();
  const auto spent = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  options.cancel = [&spent, patience] { return spent() > patience || status_bytes("VmRSS") > kTooManyBytes; };
  Report report = sightline::self_intersections(mesh, options);
  return {std::move(report), spent(), status_bytes("VmHWM")};
}

Mesh equal_triangles(int count) {
  Builder builder;
  for (int i = 0; i < count; ++i) builder.triangle({0.1, 0.2, 0.3}, {1, 0.5, 0.2}, {0.4, 0.9, 0.8});
  return builder.mesh();
}

TEST(LimitsOfCost, FirstOfManyEqualTriangles) {
  const Mesh mesh = equal_triangles(20'000);
  for (const Simd simd : {Simd::best, Simd::scalar}) {
    const Cost cost = measure(mesh, {.first = true, .simd = simd}, 5);
    EXPECT_EQ(cost.report.contacts.size(), 1u);
    EXPECT_FALSE(cost.report.cancelled);
    EXPECT_LT(cost.seconds, smaller_tests() ? 5 : 1);
    if (!smaller_tests()) {
      EXPECT_LT(cost.bytes, kMostBytes);
    }
  }
}

TEST(LimitsOfCost, MaxContactsOfManyEqualTriangles) {
  const std::size_t count = smaller<std::size_t>(20'000);
  const Mesh mesh = equal_triangles(static_cast<int>(count));
  const Cost cost = measure(mesh, {.max_contacts = 10}, 60);
  EXPECT_FALSE(cost.report.cancelled);
  EXPECT_EQ(cost.report.found, count * (count - 1) / 2);
  ASSERT_EQ(cost.report.contacts.size(), 10u);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(cost.report.contacts[i].b, i + 1);
  if (!smaller_tests()) {
    EXPECT_LT(cost.bytes, kMostBytes);
  }
}

}  // namespace
