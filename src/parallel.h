// Threads: the only place that knows which library runs them (oneTBB).
#pragma once

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace sightline {

/// Workers of one query. More threads than cores are honoured: the answer must not depend on them.
class Workers {
 public:
  explicit Workers(unsigned threads)
      : count_(threads != 0 ? threads : static_cast<unsigned>(tbb::info::default_concurrency())),
        allow_(tbb::global_control::max_allowed_parallelism, std::max<std::size_t>(count_, allowed())),
        arena_(static_cast<int>(count_)) {}

  unsigned count() const { return count_; }

  /// Calls task(i) for i in [0, n), in any order and on any worker.
  template <typename Task>
  void for_each(std::size_t n, const Task& task) {
    if (n == 0) return;
    if (count_ == 1 || n == 1) {
      for (std::size_t i = 0; i < n; ++i) task(i);
      return;
    }
    // TBB orders what workers write before what the caller reads afterwards, and the other way round. It is said here once
    // more, so that ThreadSanitizer, which does not see into libtbb, knows too.
    std::atomic<bool> begun{false};
    begun.store(true, std::memory_order_release);
    std::atomic<std::size_t> done{0};
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, n, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            if (!begun.load(std::memory_order_acquire)) return;
            for (std::size_t i = range.begin(); i != range.end(); ++i) task(i);
            done.fetch_add(range.size(), std::memory_order_release);
          },
          tbb::simple_partitioner());
    });
    done.load(std::memory_order_acquire);
  }

  /// Both, at the same time if a worker is free. To be called from within a task.
  template <typename First, typename Second>
  void both(const First& first, const Second& second) {
    if (count_ == 1) {
      first();
      second();
    } else {
      tbb::parallel_invoke(first, second);
    }
  }

 private:
  static std::size_t allowed() {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  }
  unsigned count_;
  tbb::global_control allow_;
  tbb::task_arena arena_;
};

}  // namespace sightline
