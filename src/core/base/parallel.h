// Threads. This file and base/parallel.cpp are the only files that name the library that runs them (oneTBB).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sightline/version.h"

namespace sightline {

/// Calls a task of Workers; outside the class, so that it is not exported with it.
template <typename Task>
void call_task(const void* task, std::size_t i) {
  (*static_cast<const Task*>(task))(i);
}

/// Threads of one query; they work in an arena that no other query uses. More threads than cores are honoured: the
/// answer must not depend on them. Tasks run with the floating-point settings of FloatEnvironment, on every thread.
class SIGHTLINE_API Workers {
 public:
  /// Queries of fewer triangles are not worth waking another thread. A crumpled cloth on one and on two cores: 1,000
  /// triangles 103 and 103 µs, 2,000 triangles 214 and 193 µs, 4,000 triangles 415 and 308 µs.
  static constexpr std::uint64_t kWorthThreads = 2000;

  /// `threads` as in Options. 0 takes as many as the caller's arena has, by default one for each core, and the calling
  /// thread alone for fewer than kWorthThreads triangles.
  explicit Workers(unsigned threads, std::uint64_t triangles = std::numeric_limits<std::uint64_t>::max());
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  /// Runs everything on the calling thread.
  static Workers& none() {
    static Workers one(1);
    return one;
  }

  /// How many threads run tasks, the caller included. Fewer than requested if the host program limits oneTBB.
  unsigned count() const { return count_; }

  /// Calls task(i) for i in [0, n), in any order and on any worker.
  template <typename Task>
  void for_each(std::size_t n, const Task& task) {
    if (count_ == 1 || n <= 1) {
      for (std::size_t i = 0; i < n; ++i) task(i);
      return;
    }
    run(n, &call_task<Task>, &task);
  }

  /// Calls work(first, last) for blocks of `block` elements that cover [0, n); the last one may be shorter.
  template <typename Work>
  void for_blocks(std::size_t n, std::size_t block, const Work& work) {
    for_each(n / block + (n % block != 0), [&](std::size_t i) { work(i * block, std::min(n, (i + 1) * block)); });
  }

  /// Runs both functions, at the same time if a worker is free. To be called from within a task or from `isolated`.
  template <typename First, typename Second>
  void both(const First& first, const Second& second) {
    if (count_ == 1) {
      first();
      second();
    } else {
      run_both(call_of(first), call_of(second));
    }
  }

  /// While `function` waits for its own tasks, its thread takes up no other tasks of the query.
  template <typename Function>
  void isolated(const Function& function) {
    if (count_ == 1)
      function();
    else
      run_isolated(call_of(function));
  }

 private:
  struct Arena;
  class Arenas;
  /// Permission of the process for more threads than cores.
  struct Permission {
    bool given = false;
    ~Permission();
  };
  struct Call {
    void (*function)(const void*);
    const void* object;
    void operator()() const { function(object); }
  };
  template <typename Function>
  static Call call_of(const Function& function) {
    return {[](const void* object) { (*static_cast<const Function*>(object))(); }, &function};
  }
  void run(std::size_t n, void (*task)(const void*, std::size_t), const void* object);
  void run_both(const Call& first, const Call& second);
  void run_isolated(const Call& call);

  unsigned count_;
  Permission permission_;
  Arena* arena_ = nullptr;  ///< null where the calling thread is alone
};

}  // namespace sightline
