// Divides the triangles of a column into groups, and runs the kernel on each.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "image/bin.h"
#include "pair/loader.h"
#include "pair/settler.h"
#include "parallel.h"

namespace sightline {

class DividerPool;

/// One worker's tools; not shared between threads.
class Divider {
 public:
  explicit Divider(DividerPool& pool);

  /// Finds the contacts of one column's entries; the settler collects them.
  void column(const Entry* entries, std::size_t count, std::int32_t u, std::int32_t v);

  Settler& settler() { return settler_; }
  std::uint64_t candidates() const { return lists_.candidate_count; }
  std::uint64_t groups() const { return groups_; }
  std::uint64_t members() const { return members_; }

 private:
  /// A member with its box, for dividing.
  struct Boxed {
    Member member;
    float low[3], high[3];
  };
  std::size_t within_reach(const Entry* entries, std::size_t count);
  void slices(const Entry* entries, std::size_t count, std::int32_t u, std::int32_t v, int near, int far);
  void test(const Member* members, std::size_t count, const Region& region);
  bool worth_testing(const Member* members, std::size_t count);
  Region region_of(std::int32_t u, std::int32_t v, std::int32_t near, std::int32_t far) const;
  void divide(std::vector<Boxed>& members, const Region& region, const double* origin, int depth);
  int best_cut(const std::vector<Boxed>& members, const Region& region, const double* origin, float& at) const;
  void test_boxed(const std::vector<Boxed>& members, const Region& region);
  void tile(const std::vector<Boxed>& members, const Region& region);
  void begin_group(const Region& region);
  void add(const Member* members, std::size_t count);
  void measure();
  void find_kin();
  void run();

  DividerPool& pool_;
  const TriangleTable& table_;
  const Frame& frame_;
  const Loader& loader_;
  Settler settler_;
  Group group_;
  PairLists lists_;
  std::vector<Member> members_now_;        ///< of the slice being tested
  std::vector<std::uint32_t> slab_begin_;  ///< scratch of slices()
  std::vector<Entry> by_slab_;
  std::vector<Entry> open_;
  std::vector<Entry> reachable_;
  double origin_[3] = {};
  std::uint32_t guess_ = 0;
  std::uint64_t groups_ = 0, members_ = 0;
  bool stopped_ = false;  ///< groups are no longer loaded nor tested; what was found is not all
};

/// Dividers at rest, and what they all need.
class DividerPool {
 public:
  /// `s` is asked now and then, from any worker, whether to give up.
  DividerPool(const TriangleTable& t, const Frame& f, const std::uint32_t* welded, GroupKernel k, Workers& w,
              std::function<bool()> s)
      : table(t), frame(f), loader(t, f, welded), kernel(k), workers(w), stop(std::move(s)) {}

  std::unique_ptr<Divider> take();
  void give(std::unique_ptr<Divider> divider);
  /// All that were ever made, once they are back.
  std::vector<std::unique_ptr<Divider>>& all() { return idle_; }

  const TriangleTable& table;
  const Frame& frame;
  const Loader loader;
  const GroupKernel kernel;
  Workers& workers;
  const std::function<bool()> stop;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Divider>> idle_;
};

}  // namespace sightline
