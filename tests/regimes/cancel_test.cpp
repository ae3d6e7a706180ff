// A query of a million triangles ends soon after `cancel` returns true, whatever stage it is in. `place`, `bin` and
// `weld` did not poll.
#include <algorithm>
#include <chrono>

#include "regimes/run.h"
#include "scenes/scenes.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;

using Clock = std::chrono::steady_clock;

struct Polls {
  std::vector<double> at;  ///< milliseconds from the start of the query at which `cancel` was called
  double end = 0;
  Report report;
};

/// On one thread; `cancel` is true from its k-th call on.
Polls run(const RegimeScene& scene, std::size_t k, Tuned options = {}) {
  Scene engine;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) engine.add(scene.objects[i], {.self = scene.self[i]});
  Polls polls;
  const auto start = Clock::now();
  const auto spent = [start] { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); };
  options.threads = 1;
  options.cancel = [&] {
    polls.at.push_back(spent());
    return polls.at.size() >= k;
  };
  engine.collide(polls.report, options);
  polls.end = spent();
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
        const auto saddle = [](double above) { return [above](double x, double y) { return above + 0.5 * x * y; }; };
        const auto flat = [](double, double) { return 0.25; };
        return {{sheet(side, saddle(0)), sheet(side, saddle(0.2)), sheet(side / 2, flat)}, {false, false, false}};
      }
    }
  }
};

/// Stages that take some time and in which `cancel` was not called. Stages follow one another, so that the sums of
/// their times are where they begin and end.
std::string stages_without_polls(const Polls& polls) {
  constexpr double kShort = 5;  // milliseconds
  std::string names;
  double begin = 0;
  for (const sightline::Stage& stage : polls.report.stats.stages) {
    const double end = begin + stage.milliseconds;
    const bool polled = std::any_of(polls.at.begin(), polls.at.end(), [&](double t) { return t > begin && t < end; });
    if (!polled && stage.milliseconds > kShort)
      names += std::string(stage.name) + " (" + std::to_string(stage.milliseconds) + " ms) ";
    begin = end;
  }
  return names;
}

TEST_P(Cancel, IsPolledInEveryStage) {
  const RegimeScene made = scene();
  const Tuned options{.visibility = VisibilityCull::on};
  const Polls all = run(made, kNever, options);
  ASSERT_FALSE(all.report.cancelled);
  EXPECT_EQ(stages_without_polls(all), "");
  const std::size_t polls = all.at.size();
  ASSERT_GT(polls, 3u);
  for (const std::size_t k : {std::size_t{1}, polls / 8, polls / 4, polls / 2, polls - 1}) {
    if (k == 0) continue;
    const Polls some = run(made, k, options);
    EXPECT_TRUE(some.report.cancelled) << "call " << k << " of " << polls;
    EXPECT_FALSE(some.report.complete);
    ASSERT_GE(some.at.size(), k);
    EXPECT_LT(some.end - some.at[k - 1], std::max(50.0, all.end / 4)) << "ms after call " << k << " of " << polls;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Cancel, testing::Range(0, 3), [](const auto& info) {
  return std::string(info.param == 0 ? "cloth" : info.param == 1 ? "soup" : "objects");
});

}  // namespace
