// Threads: how many there are, what they leave behind, and which queries share them.
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "assembly/classify.h"
#include "scenes/scenes.h"
#include "sightline/assembly.h"
#include "support/corpus.h"

namespace {

using namespace testing_support;
using sightline::Options;
using sightline::Report;
using sightline::Scene;
using sightline::Workers;
using Clock = std::chrono::steady_clock;

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

// Sanitizers keep freed memory for themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsComparable = false;
#else
constexpr bool kMemoryIsComparable = true;
#endif

struct TwoBoxes {
  const Mesh left = sightline::scenes::box({0, 0, 0}, {1, 1, 1}),
             right = sightline::scenes::box({0.5, 0, 0}, {2, 1, 1});
  Scene scene;
  Report report;
  TwoBoxes() {
    scene.add(left);
    scene.add(right);
  }
};

/// Runs `query` from `from` to `to` times, and returns the least time of a hundred of them, in microseconds each.
template <typename Query>
double least_time(int from, int to, const Query& query) {
  double least = 1e300;
  for (int i = from; i < to; i += 100) {
    const auto start = Clock::now();
    for (int k = 0; k < 100; ++k) query();
    least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - start).count() / 100);
  }
  return least;
}

/// Memory and time of query 2,000 and of query 20,000 are the same.
template <typename Query>
void expect_constant(const Query& query) {
  const double early = least_time(0, 2'000, query);
  const double before = resident_megabytes();
  least_time(2'000, 18'000, query);
  const double late = least_time(18'000, 20'000, query);
  if (kMemoryIsComparable) {
    EXPECT_LT(resident_megabytes() - before, 1.0);
  }
  EXPECT_LT(late, 4 * early + 1);
}

TEST(BackToBack, QueriesWithDefaultOptions) {
  TwoBoxes boxes;
  expect_constant([&] { boxes.scene.collide(boxes.report); });
  EXPECT_FALSE(boxes.report.contacts.empty());
  EXPECT_EQ(boxes.report.stats.threads, 1u) << "not worth waking another thread";
}

TEST(BackToBack, QueriesWithThreads) {
  TwoBoxes boxes;
  for (const unsigned threads : {2u, 7u}) {
    expect_constant([&] { boxes.scene.collide(boxes.report, {.threads = threads}); });
    EXPECT_EQ(boxes.report.stats.threads, threads);
  }
}

TEST(BackToBack, ChangesOfTheScene) {
  TwoBoxes boxes;
  expect_constant([&] {
    boxes.scene.move(1, boxes.right.view().positions);
    boxes.scene.replace(0, boxes.left);
    boxes.scene.remove(boxes.scene.add(boxes.left));
  });
}

TEST(BackToBack, Classifications) {
  sightline::Assembly assembly;
  assembly.add(sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  assembly.add(sightline::scenes::box({2, 0, 0}, {3, 1, 1}));
  expect_constant([&] { EXPECT_EQ(clashes(assembly, {.clearance = 1.5}).pairs.size(), 1u); });
}

// A server that starts a thread for each request. A loop in an arena of the thread's own would leave 8 kB behind.
TEST(BackToBack, QueriesFromThreadsThatEnd) {
  const Mesh mesh = sightline::scenes::sphere(5'000);
  std::thread([&] { EXPECT_EQ(sightline::self_intersections(mesh).stats.threads, Workers(0).count()); }).join();
  const auto start_and_join = [](unsigned threads) {
    std::thread([=] { Workers(threads).for_each(50, [](std::size_t) { std::this_thread::yield(); }); }).join();
  };
  for (const unsigned threads : {0u, 2u, 5u}) {
    for (int i = 0; i < 100; ++i) start_and_join(threads);
    const double before = resident_megabytes();
    for (int i = 0; i < 1000; ++i) start_and_join(threads);
    if (kMemoryIsComparable) {
      EXPECT_LT(resident_megabytes() - before, 1.0) << threads;
    }
  }
}

// ---- numbers of threads

/// The most tasks that were under way at the same time, and whether `wanted` ever were. Waits for them a while.
class Crowd {
 public:
  explicit Crowd(int wanted) : wanted_(wanted) {}
  void task() {
    const int now = ++present_;
    int most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    while (most_ < wanted_ && Clock::now() < deadline_) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // time for one too many
    --present_;
  }
  int most() const { return most_; }

 private:
  const int wanted_;
  const Clock::time_point deadline_ = Clock::now() + std::chrono::seconds(10);
  std::atomic<int> present_{0}, most_{0};
};

TEST(Threads, AsManyAsWereWanted) {
  for (const unsigned count : {1u, 2u, 3u, 8u, 20u}) {
    Workers workers(count);
    EXPECT_EQ(workers.count(), count);
    Crowd crowd(static_cast<int>(count));
    workers.for_each(4 * count, [&](std::size_t) { crowd.task(); });
    EXPECT_EQ(crowd.most(), static_cast<int>(count)) << "more than cores, too";
  }
}

// oneTBB takes the least of all limits.
TEST(Threads, AQueryWithFewerIsNoLimit) {
  const auto most_of = [](Workers& workers) {
    Crowd crowd(static_cast<int>(workers.count()));
    workers.for_each(4 * workers.count(), [&](std::size_t) { crowd.task(); });
    return crowd.most();
  };
  Workers before(5);
  {
    Workers larger(11);
    Workers after(7);
    EXPECT_EQ(most_of(larger), 11);
    EXPECT_EQ(most_of(after), 7);
  }
  EXPECT_EQ(most_of(before), 5);
}

TEST(Threads, NeverMoreThanWereWanted) {
  constexpr unsigned kCount = 3;
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 12);
  Crowd crowd(kCount);
  const auto task = [&] { crowd.task(); };
  tbb::task_arena(8).execute([&] {  // the caller has more
    Workers workers(kCount);
    for (int run = 0; run < 5; ++run) {
      workers.for_each(40, [&](std::size_t) { task(); });
      workers.for_each(6, [&](std::size_t) {
        workers.for_each(3, [&](std::size_t) { task(); });
        workers.both(task, task);
        workers.isolated([&] { workers.both(task, task); });
      });
      workers.isolated([&] { workers.both(task, task); });
    }
  });
  EXPECT_EQ(crowd.most(), static_cast<int>(kCount));
}

TEST(Threads, OneIsTheCallingThreadEverywhere) {
  if (threads_of_this_process() > 1) GTEST_SKIP() << "another case has left threads; ctest runs each alone";
  // Large enough for every loop that would share its work: trees, parities, topology, validation.
  const Mesh outer = sightline::scenes::sphere(70'000);
  const Mesh inner = transformed(outer, [](const Vec3d& p) { return Vec3d{0.9 * p[0], 0.9 * p[1], 0.9 * p[2]}; });
  const std::vector<MeshView> parts{outer, inner};
  sightline::Scene scene;
  for (const MeshView& part : parts) scene.add(part, {}, 1);
  const Report contacts = scene.collide({.threads = 1});
  for (const auto way : {sightline::Containment::image, sightline::Containment::tree}) {
    const auto all = sightline::classify(parts, contacts, {.query = {.threads = 1}}, way).pairs;
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].relation, sightline::Relation::contains);
  }
  EXPECT_EQ(sightline::self_intersections(outer, {.threads = 1}).stats.threads, 1u);
  EXPECT_EQ(threads_of_this_process(), 1u);
}

TEST(Threads, SmallQueriesStayOnTheCallingThread) {
  if (threads_of_this_process() > 1) GTEST_SKIP() << "another case has left threads; ctest runs each alone";
  TwoBoxes boxes;
  boxes.scene.collide(boxes.report);
  boxes.scene.move(0, boxes.right.view().positions);
  sightline::Assembly assembly;
  assembly.add(boxes.left);
  assembly.add(boxes.right);
  EXPECT_EQ(clashes(assembly, {.clearance = 1}).pairs.size(), 1u);
  EXPECT_EQ(threads_of_this_process(), 1u);
}

TEST(Threads, TheHostProgramsLimitsHold) {
  const Mesh mesh = sightline::scenes::sphere(20'000);
  const Options three{.threads = 3};
  tbb::task_arena(2).execute([&] { EXPECT_EQ(sightline::self_intersections(mesh).stats.threads, 2u); });
  tbb::task_arena(1).execute([&] { EXPECT_EQ(sightline::self_intersections(mesh).stats.threads, 1u); });
  tbb::task_arena(1).execute([&] { EXPECT_EQ(sightline::self_intersections(mesh, three).stats.threads, 3u); });
  {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    EXPECT_EQ(sightline::self_intersections(mesh, three).stats.threads, 2u) << "what ran, not what was wanted";
  }
  EXPECT_EQ(sightline::self_intersections(mesh, three).stats.threads, 3u);
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
  EXPECT_EQ(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism), 16u)
      << "no limit of ours is left";
}

// ---- sharing

/// A thread that is to wait for another one within a loop, and tasks that it must not take up meanwhile.
class Trap {
 public:
  /// To be called by two tasks of the loop: the one on the thread that set the trap ends first, and then waits.
  void loop_task() {
    ++started_;
    wait_for([&] { return started_ >= 2; });
    if (std::this_thread::get_id() == owner_)
      waiting_ = true;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
  }
  void set() { owner_ = std::this_thread::get_id(); }
  void wait_until_set_off() const {
    wait_for([&] { return waiting_.load(); });
  }
  void other_task() {
    ++others_;
    if (std::this_thread::get_id() == owner_ && !over_) ++caught_;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void end() { over_ = true; }
  void expect_none_caught(int others) const {
    EXPECT_TRUE(waiting_) << "there was nothing to see";
    EXPECT_EQ(others_, others);
    EXPECT_EQ(caught_, 0);
  }

 private:
  template <typename Condition>
  static void wait_for(const Condition& condition) {
    const auto deadline = Clock::now() + std::chrono::seconds(10);
    while (!condition() && Clock::now() < deadline) std::this_thread::yield();
  }
  std::thread::id owner_;
  std::atomic<int> started_{0}, others_{0}, caught_{0};
  std::atomic<bool> waiting_{false}, over_{false};
};

// A thread that waits for its query must not take up a task of the host program, which may hold its locks.
TEST(Sharing, AQueryRunsNoTasksOfItsCaller) {
  const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
  for (int run = 0; run < 3; ++run) {
    Trap trap;
    tbb::task_arena(5).execute([&] {
      trap.set();
      tbb::task_group group;
      group.run([&] {  // on another thread, from which the first one could steal
        trap.wait_until_set_off();
        for (int i = 0; i < 30; ++i) group.run([&] { trap.other_task(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      });
      Workers(2).for_each(2, [&](std::size_t) { trap.loop_task(); });
      trap.end();
      group.wait();
    });
    trap.expect_none_caught(30);
  }
}

// The same among the tasks of one query: the tree of a part is built by the thread that needs it first, within a lock.
TEST(Sharing, IsolatedWorkRunsNoOtherTasks) {
  for (int run = 0; run < 3; ++run) {
    Workers workers(5);
    Trap trap;
    workers.for_each(2, [&](std::size_t i) {
      if (i == 0) {
        trap.set();
        workers.isolated([&] { workers.both([&] { trap.loop_task(); }, [&] { trap.loop_task(); }); });
        trap.end();
      } else {
        trap.wait_until_set_off();
        workers.for_each(30, [&](std::size_t) { trap.other_task(); });
      }
    });
    trap.expect_none_caught(30);
  }
}

TEST(Sharing, AQueryWithinAQuery) {
  const Mesh mesh = corpus_item("lattice_field").make();
  const auto expected = sightline::self_intersections(mesh).contacts;
  for (const unsigned threads : {0u, 2u, 5u}) {
    std::atomic<int> inner{0}, wrong{0};
    Options options{.threads = threads};
    options.cancel = [&] {
      if (inner++ < 20) wrong += sightline::self_intersections(mesh, {.threads = threads}).contacts != expected;
      return false;
    };
    EXPECT_EQ(sightline::self_intersections(mesh, options).contacts, expected);
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(inner, 0);
  }
}

TEST(Sharing, ManyThreadsOfTheHostAtOnce) {
  const Mesh mesh = sightline::scenes::crumpled_cloth(6'000);
  const auto expected = sightline::self_intersections(mesh).contacts;
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 16; ++i)
    callers.emplace_back([&, i] {
      for (int run = 0; run < 4; ++run)
        wrong += sightline::self_intersections(mesh, {.threads = i % 4 == 0 ? 6 : 0u}).contacts != expected;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Sharing, AnExceptionLeavesTheArenaUsable) {
  struct Stop {};
  for (int i = 0; i < 50; ++i) {
    Workers workers(4);
    EXPECT_THROW(workers.for_each(100,
                                  [](std::size_t k) {
                                    if (k == 50) throw Stop();
                                  }),
                 Stop);
    std::atomic<int> calls{0};
    workers.for_each(100, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, 100);
  }
}

TEST(Blocks, CoverEverythingOnce) {
  Workers workers(3);
  for (const std::size_t n : {0u, 1u, 6u, 7u, 8u, 14u, 15u, 1000u}) {
    std::vector<std::atomic<int>> seen(n);
    workers.for_blocks(n, 7, [&](std::size_t first, std::size_t last) {
      EXPECT_LT(first, last);
      EXPECT_LE(last - first, 7u);
      for (std::size_t i = first; i < last; ++i) ++seen[i];
    });
    for (const auto& count : seen) EXPECT_EQ(count, 1);
  }
}

}  // namespace
