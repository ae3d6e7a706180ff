// The stages of a query: their times, as they end.
#pragma once

#include <chrono>

#include "sightline/contact.h"

namespace sightline {

/// Appends a stage with the time since the last one.
class StageClock {
 public:
  explicit StageClock(Stats& stats) : stats_(stats) {}
  void stage(std::string_view name, std::uint64_t count, std::string_view unit) {
    const auto now = Clock::now();
    stats_.stages.push_back({name, std::chrono::duration<double, std::milli>(now - last_).count(), count, unit});
    last_ = now;
    stats_.milliseconds = std::chrono::duration<double, std::milli>(now - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Stats& stats_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace sightline
