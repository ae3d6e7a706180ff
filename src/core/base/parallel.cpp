// Arenas are kept. In oneTBB 2021.8, an arena that had work is never freed, even after its destruction: it keeps 7 kB
// and more, and each arena makes every later one slower. The same holds for the arena that oneTBB makes for each thread
// that runs a loop outside of any arena. So even a query with the default number of threads runs in an arena of ours.
#include "base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/float_environment.h"

namespace sightline {
namespace {

/// oneTBB orders what tasks write before what the caller reads afterwards, and the other way round. These atomics order
/// it once more for ThreadSanitizer, which does not see the synchronisation in libtbb; also if a task or the caller
/// ends by an exception.
class Handover {
 public:
  Handover() { begun_.store(true, std::memory_order_release); }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  ~Handover() { done_.load(std::memory_order_acquire); }

  /// Lives as long as a task runs.
  class Task {
   public:
    explicit Task(Handover& handover) : handover_(handover) { handover_.begun_.load(std::memory_order_acquire); }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task() { handover_.done_.fetch_add(1, std::memory_order_release); }

   private:
    Handover& handover_;
    const FloatEnvironment environment_;
  };

 private:
  std::atomic<bool> begun_{false};
  std::atomic<std::size_t> done_{0};
};

}  // namespace

struct Workers::Arena {
  /// oneTBB gives the tasks of an arena the floating-point settings of the thread that made it.
  explicit Arena(unsigned threads) : count(threads), arena(static_cast<int>(threads)) {
    const FloatEnvironment environment;
    arena.initialize();
  }
  const unsigned count;
  tbb::task_arena arena;
};

/// All arenas that no query uses at the moment, and the limit of threads of the process.
class Workers::Arenas {
 public:
  /// Never destroyed: a query may end after the end of main.
  static Arenas& all() {
    static Arenas* const arenas = new Arenas;
    return *arenas;
  }
  Arenas() { idle_.reserve(kMostIdleThreads / 2 + 1); }  // so that giving back cannot fail

  /// Allows the process this many threads until `forbid`. Of several limits oneTBB takes the least. So there is one
  /// limit of ours at a time, and the larger one is made before the smaller one is removed. The limit is temporary: it
  /// would also limit a host program that needs even more threads.
  void allow(unsigned count) {
    const std::lock_guard lock(mutex_);
    if (limit() < count && allowed_ < count) {
      auto larger = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, count);
      larger_.swap(larger);
      allowed_ = count;
    }
    ++above_cores_;
  }
  void forbid() {
    const std::lock_guard lock(mutex_);
    if (--above_cores_ != 0) return;
    larger_.reset();
    allowed_ = 0;
  }
  static std::size_t limit() { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); }

  Arena* take(unsigned count) {
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = idle_.size(); i-- > 0;)
        if (idle_[i]->count == count) {
          Arena* const arena = idle_[i].release();
          idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
          idle_threads_ -= count;
          return arena;
        }
    }
    return new Arena(count);
  }

  void give(Arena* arena) {
    const std::lock_guard lock(mutex_);
    idle_.emplace_back(arena);
    idle_threads_ += arena->count;
    while (idle_threads_ > kMostIdleThreads) {
      idle_threads_ -= idle_.front()->count;
      idle_.erase(idle_.begin());
    }
  }

 private:
  /// About 2 kB are kept for each thread of an idle arena, so 8 MB in all; the arena longest idle goes first.
  static constexpr std::size_t kMostIdleThreads = 4096;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> idle_;  ///< the last one was used last
  std::size_t idle_threads_ = 0;
  std::size_t above_cores_ = 0;  ///< queries with more threads than cores
  unsigned allowed_ = 0;         ///< by larger_
  std::unique_ptr<tbb::global_control> larger_;
};

Workers::Permission::~Permission() {
  if (given) Arenas::all().forbid();
}

Workers::Workers(unsigned threads, std::uint64_t triangles) : count_(1) {
  if (threads == 1 || (threads == 0 && triangles < kWorthThreads)) return;
  Arenas& arenas = Arenas::all();
  if (threads > static_cast<unsigned>(tbb::info::default_concurrency())) {
    arenas.allow(threads);
    permission_.given = true;
  }
  const unsigned wanted =
      threads != 0 ? threads : static_cast<unsigned>(std::max(1, tbb::this_task_arena::max_concurrency()));
  count_ = static_cast<unsigned>(std::min<std::size_t>(wanted, Arenas::limit()));
  if (count_ > 1) arena_ = arenas.take(count_);
}

Workers::~Workers() {
  if (arena_ != nullptr) Arenas::all().give(arena_);
}

void Workers::run(std::size_t n, void (*task)(const void*, std::size_t), const void* object) {
  Handover handover;
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const Handover::Task own(handover);
          for (std::size_t i = range.begin(); i != range.end(); ++i) task(object, i);
        },
        tbb::simple_partitioner());
  });
}

void Workers::run_both(const Call& first, const Call& second) {
  Handover handover;
  const auto guarded = [&handover](const Call& call) {
    return [&handover, &call] {
      const Handover::Task own(handover);
      call();
    };
  };
  tbb::parallel_invoke(guarded(first), guarded(second));
}

void Workers::run_isolated(const Call& call) {
  arena_->arena.execute([&] { tbb::this_task_arena::isolate(call); });
}

}  // namespace sightline
