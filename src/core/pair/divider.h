// Divides the triangles of a column into groups, and runs the kernel on each.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "image/bin.h"
#include "pair/loader.h"
#include "pair/shadows.h"
#include "sightline/contact.h"

namespace sightline {

/// Decides the pairs that the filter left open, exactly, and collects the contacts.
class Settler final : public PairSink {
 public:
  /// Keeps the first `most` contacts in canonical order, and counts all.
  Settler(const TriangleTable& table, std::uint64_t most) : table_(table), most_(most) {}
  void take(const Group& group, PairLists& lists) override;
  /// Drops what is beyond the first `most`.
  void cut();

  std::vector<Contact> found;  ///< in no order
  std::uint64_t count = 0;     ///< of all contacts found
  std::uint64_t exact_count = 0;

 private:
  const TriangleTable& table_;
  const std::uint64_t most_;
};

class DividerPool;

/// Divides and tests columns for one worker; it is not shared between threads.
///
/// A column has *natives*, the triangles entered in it, and *guests*, triangles of coarser levels whose cell box holds
/// the column (rules/levels.h, L2). Natives meet natives and guests; two guests meet on a coarser level.
class Divider {
 public:
  explicit Divider(DividerPool& pool);

  /// Finds the contacts of one column of one level; the settler collects them.
  void column(std::size_t column);

  Settler& settler() { return settler_; }
  std::uint64_t candidates() const { return lists_.candidate_count; }

 private:
  struct Guest {
    Member member;
    int near, far;  ///< slabs
  };
  struct Part {
    std::vector<Boxed> natives, guests;
    Box region;
    std::size_t attempted =
        ~std::size_t{0};  ///< natives of the part for which shadows were tried last, without success
  };
  void find_guests(int level, std::int32_t u, std::int32_t v, int near, int far);
  std::span<const Entry> within_reach(std::span<const Entry> entries);
  void slices(std::span<const Entry> entries, const int* cell, int near, int far);
  void test(int level, std::int32_t u, std::int32_t v, int near, int far);
  bool worth_testing() const;
  Box region_of(int level, std::int32_t u, std::int32_t v, std::int32_t near, std::int32_t far) const;
  void divide(Part& part, int depth);
  struct Cut {
    int axis = -1;  ///< -1: no cut separates the natives well enough
    double at = 0;
    double growth = 1;  ///< natives of both parts together, compared with those of the whole
  };
  Cut best_cut(const std::vector<Boxed>& natives) const;
  void tile(const Part& part);
  void test_two(std::span<const Member> first, std::span<const Member> second, const Box& region,
                const Shadows* shadows = nullptr);
  void test_group(std::span<const Member> natives, std::span<const Boxed> guests, const Box& region,
                  const Shadows* shadows = nullptr);
  void meet(int natives, std::span<const Boxed> guests);
  bool apart(const Boxed& guest);
  void run(const Shadows* shadows = nullptr);
  bool is_wanted(std::uint32_t a, std::uint32_t b) const;
  void find_kin();
  bool ended() const;

  // pair/crowded.cpp
  bool divide_by_shadows(Part& part, const Cut& cut);
  bool refresh(const Part& part, const Shadows& shadows, std::uint32_t a, std::uint32_t b);
  void within(const Part& part, const Shadows& shadows, std::uint32_t node);
  void across(const Part& part, const Shadows& shadows, std::uint32_t a, std::uint32_t b);
  void take(const Shadows& shadows, std::uint32_t member);

  DividerPool& pool_;
  const TriangleTable& table_;
  const Frame& frame_;
  const Bins& bins_;
  const Loader& loader_;
  Settler settler_;
  Group group_;
  GroupFrame group_frame_;
  PairLists lists_;
  // Of the column, slice or group at hand.
  std::vector<Guest> guests_;
  std::vector<Member> natives_now_;
  std::vector<Boxed> guests_now_, near_;
  std::vector<Member> comparable_, giant_;
  std::vector<Member> block_;
  std::vector<std::uint32_t> block_places_;  ///< of the group's members in a tree of shadows
  std::vector<std::uint32_t> slab_begin_;
  std::vector<Entry> by_slab_, open_, reachable_;
  std::uint32_t guess_ = 0;
  std::uint64_t runs_ = 0;
  bool stopped_ = false;  ///< groups are no longer loaded nor tested; the contacts found are not all
};

/// Idle dividers, and the data that all dividers need.
class DividerPool {
 public:
  struct Rules {
    std::uint64_t most_contacts;  ///< that each settler keeps
    bool first;                   ///< a divider ends at its first group with a contact
    std::function<bool()> stop;   ///< polled now and then, from any worker: true ends the query
  };
  DividerPool(const TriangleTable& t, const Frame& f, const Bins& b, const std::uint32_t* welded, GroupKernel k,
              Workers& w, Rules r)
      : table(t), frame(f), bins(b), loader(t, f, welded), kernel(k), workers(w), rules(std::move(r)) {
    for (int level = 1; level < f.levels.count; ++level)
      if (b.column_begin[f.levels.first[level + 1]] > b.column_begin[f.levels.first[level]]) occupied.push_back(level);
  }

  std::unique_ptr<Divider> take();
  void give(std::unique_ptr<Divider> divider);
  /// All dividers that were ever made, once they are back.
  std::vector<std::unique_ptr<Divider>>& all() { return idle_; }

  const TriangleTable& table;
  const Frame& frame;
  const Bins& bins;
  const Loader loader;
  const GroupKernel kernel;
  Workers& workers;
  const Rules rules;
  std::vector<int> occupied;  ///< levels above 0 that have entries

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Divider>> idle_;
};

}  // namespace sightline
