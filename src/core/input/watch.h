// Progress, cancellation, the stages and the end of a query, on every device.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/float_environment.h"
#include "input/settings.h"

namespace sightline {

/// The options with isolated callbacks: a callback's change to the floating-point settings of its thread ends with the
/// call.
inline Settings shielded(Settings options) {
  if (options.cancel)
    options.cancel = [cancel = std::move(options.cancel)] {
      const FloatEnvironment environment;
      return cancel();
    };
  if (options.progress)
    options.progress = [progress = std::move(options.progress)](double fraction) {
      const FloatEnvironment environment;
      progress(fraction);
    };
  return options;
}

/// Passes progress on to the caller and polls the caller's cancel, from any worker.
class Watch {
 public:
  explicit Watch(const Options& options) : options_(options) {}
  explicit Watch(const Options&&) = delete;  // the options must outlive it

  /// True if the query must end. Called before each task, and at least every few milliseconds within long ones.
  bool stop() {
    if (stopped()) return true;
    if (options_.cancel && options_.cancel()) stopped_.store(true, std::memory_order_relaxed);
    return stopped();
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  /// Progress counts tasks from here on.
  void expect(std::size_t tasks) { tasks_ = tasks; }
  void done_one() {
    const std::size_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!options_.progress) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || done <= reported_) return;
    reported_ = done;
    options_.progress(static_cast<double>(done) / static_cast<double>(tasks_));
  }
  /// All tasks are done: the last progress is 1, whichever task was reported last.
  void finish() {
    if (options_.progress && !stopped() && reported_ < tasks_) options_.progress(1.0);
  }

 private:
  const Options& options_;
  std::size_t tasks_ = 0;
  std::atomic<bool> stopped_{false};
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  std::size_t reported_ = 0;
};

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

/// How many contacts the options leave in the list.
inline std::uint64_t most_contacts(const Options& options) {
  return options.first ? std::min<std::uint64_t>(1, options.max_contacts) : options.max_contacts;
}

/// Cuts the list and sets `found`, `complete` and `cancelled`. `found` counts the list before any cut.
inline void finish_report(Report& report, const Options& options, std::uint64_t found, bool stopped) {
  const std::uint64_t most = most_contacts(options);
  report.cancelled = stopped;
  report.complete = !stopped && found <= most && !(options.first && found > 0);
  if (report.contacts.size() > most) report.contacts.resize(most);
  report.found = options.first ? std::min<std::uint64_t>(found, 1) : found;
}

}  // namespace sightline
