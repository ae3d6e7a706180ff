// A query of a million triangles ends soon after `cancel` returns true, whatever stage it is in. `place`, `bin` and
// `weld` did not poll.
#include <time.h>

#include <algorithm>

#include "regimes/run.h"
#include "scenes/scenes.h"

namespace {

using namespace testing_support;

/// Of this thread: other work on the machine does not count.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Polls {
  std::vector<double> at;  ///< when `cancel` was called, the start and the end included
  Report report;
  double longest() const {
    double most = 0;
    for (std::size_t i = 1; i < at.size(); ++i) most = std::max(most, at[i] - at[i - 1]);
    return most;
  }
};

/// On one thread; `cancel` is true from its k-th call on.
Polls run(const RegimeScene& scene, std::size_t k, Options options = {}) {
  Scene engine;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) engine.add(scene.objects[i], {.self = scene.self[i]});
  Polls polls;
  options.threads = 1;
  options.cancel = [&polls, k] {
    polls.at.push_back(cpu_seconds());
    return polls.at.size() > k;  // the start is in the list
  };
  polls.at.push_back(cpu_seconds());
  engine.collide(polls.report, options);
  polls.at.push_back(cpu_seconds());
  return polls;
}

constexpr std::size_t kNever = std::size_t{1} << 60;

class Cancel : public testing::TestWithParam<int> {
 protected:
  static RegimeScene scene() {
    const auto count = smaller<std::size_t>(1'000'000);
    namespace scenes = sightline::scenes;
    switch (GetParam()) {
      case 0:  // indexed, float32
        return {{scenes::crumpled_cloth(count)}, {true}};
      case 1: {  // a soup of doubles: vertices have to be welded
        return {{as_double(scenes::uniform_soup(count))}, {true}};
      }
      default: {  // objects: with the cull of what is visible
        const int side = smaller(500, 3);
        return {{sheet(side, [](double x, double y) { return 0.1 * x * y; }),
                 sheet(side, [](double x, double y) { return 0.3 + 0.1 * x * y; })},
                {false, false}};
      }
    }
  }
};

TEST_P(Cancel, IsPolledInEveryStage) {
  const RegimeScene made = scene();
  const Options options{.visibility = VisibilityCull::on};
  const Polls all = run(made, kNever, options);
  ASSERT_FALSE(all.report.cancelled);
  const double total = all.at.back() - all.at.front();
  const double most = std::max(0.05, total / 25);
  EXPECT_LT(all.longest(), most) << "of " << total << " s, with " << all.at.size() - 2 << " polls";
  const std::size_t polls = all.at.size() - 2;
  ASSERT_GT(polls, 10u);
  for (const std::size_t k : {std::size_t{1}, polls / 8, polls / 4, polls / 2, polls - 1}) {
    const Polls some = run(made, k, options);
    EXPECT_TRUE(some.report.cancelled) << "call " << k << " of " << polls;
    EXPECT_FALSE(some.report.complete);
    EXPECT_LT(some.at.back() - some.at[std::min(k, some.at.size() - 1)], most) << "call " << k << " of " << polls;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Cancel, testing::Range(0, 3), [](const auto& info) {
  return std::string(info.param == 0 ? "cloth" : info.param == 1 ? "soup" : "objects");
});

}  // namespace
