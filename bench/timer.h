// Wall-clock time, and the stages of a peer's run.
#pragma once

#include <chrono>

#include "bench/bench.h"

namespace sightline::bench {

class Timer {
 public:
  double milliseconds() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Ends a stage that began where the last one ended.
class StageClock {
 public:
  explicit StageClock(Answer& answer) : answer_(answer) {}
  void stage(std::string_view name) {
    const double now = timer_.milliseconds();
    answer_.stats.stages.push_back({name, now - last_, 0, {}});
    answer_.milliseconds = last_ = now;
  }

 private:
  Answer& answer_;
  Timer timer_;
  double last_ = 0;
};

}  // namespace sightline::bench
