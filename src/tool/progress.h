// A progress line for people at a terminal, and an end on Ctrl-C that leaves no partial files.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sightline::tool {

/// SIGINT, SIGTERM and SIGHUP are recorded instead of ending the program; a closed pipe is an error code, not a signal.
void catch_signals();
/// The signal that interrupted the program, or 0.
int interrupt_signal();

/// Thrown on the main thread once an interrupt has been seen.
struct Interrupted {};
void stop_if_interrupted();

/// One line on standard error, drawn by its own thread when a step takes longer than half a second; nothing at all
/// where standard error is no terminal. The same thread handles interrupts: it cancels the query. If the main thread is
/// for another moment in a place that cannot be cancelled (a read, for example), it removes temporary files and ends
/// the program.
class Progress {
 public:
  explicit Progress(bool visible);
  ~Progress();

  /// A new step; `label` is safe to print. `items`: about as many advance() will count; 0: not known.
  void step(std::string label, std::uint64_t items = 0);
  /// Between steps: removes the line, and the caller may print.
  void clear();
  /// From any thread.
  void fraction(double done) { done_.store(done, std::memory_order_relaxed); }
  /// From any thread: so many items more are done.
  void advance(std::uint64_t items) {
    const std::uint64_t all = items_.load(std::memory_order_relaxed);
    const std::uint64_t now = items_done_.fetch_add(items, std::memory_order_relaxed) + items;
    if (all > 0) fraction(std::min(static_cast<double>(now) / static_cast<double>(all), 1.0));
  }

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void draw();
  void erase();

  const bool visible_;
  std::atomic<double> done_ = -1;  // below 0: not known
  std::atomic<std::uint64_t> items_ = 0, items_done_ = 0;
  std::mutex mutex_;  // of all below
  std::condition_variable wake_;
  std::string label_;
  Clock::time_point since_ = Clock::now();
  bool drawn_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace sightline::tool
