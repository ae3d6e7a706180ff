// Divides the triangles of a column into groups, and runs the kernel on each.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "image/bin.h"
#include "pair/loader.h"
#include "pair/shadows.h"
#include "rules/box_side.h"
#include "sightline/contact.h"

namespace sightline {

/// Decides the pairs that the filter left open, exactly, and collects the contacts.
class Settler final : public PairSink {
 public:
  explicit Settler(const TriangleTable& table) : table_(table) {}
  /// Begins a query: keeps the first `most` contacts in canonical order, and counts all.
  void begin(std::uint64_t most, LatticeKernel lattice, WideKernel wide) {
    found.clear();
    count = exact_count = 0;
    most_ = most;
    lattice_ = lattice;
    wide_ = wide;
  }
  void take(const Group& group, PairLists& lists) override;
  /// Drops what is beyond the first `most`.
  void cut();

  std::vector<Contact> found;  ///< in no order
  std::uint64_t count = 0;     ///< of all contacts found
  std::uint64_t exact_count = 0;

 private:
  void record(const Group& group, std::uint32_t pair, Kind kind);
  bool on_fine_lattice(const Group& group) const;
  std::array<std::array<Vec3d, 3>, 2> corners(const Group& group, std::uint32_t pair) const;
  void decide_wide(const Group& group, const PairLists& lists, std::int8_t* verdicts) const;

  const TriangleTable& table_;
  std::uint64_t most_ = 0;
  LatticeKernel lattice_ = nullptr;
  WideKernel wide_ = nullptr;
};

class DividerPool;

/// Divides and tests columns for one worker; it is not shared between threads.
///
/// A column has *natives*, the triangles entered in it, and *guests*, triangles of coarser levels whose cell box holds
/// the column (rules/levels.h, L2). Natives meet natives and guests; two guests meet on a coarser level.
class Divider {
 public:
  explicit Divider(DividerPool& pool);

  /// Begins a query; storage is kept.
  void begin();
  /// Finds the contacts of one column of one level; the settler collects them.
  void column(std::size_t column);
  /// Finds the contacts of these natives, which fit into a group, with the guests, and with each other if `among`. If
  /// not, the boxes of the guests meet some box of the natives: only larger guests are compared with the group first.
  /// `shadows`, if any, replace the boxes of the natives among each other.
  void test_group(std::span<const Member> natives, std::span<const Boxed> guests, const Box& region, bool among = true,
                  const Shadows* shadows = nullptr);

  Settler& settler() { return settler_; }
  std::uint64_t candidates() const { return lists_.candidate_count; }

  /// Of pair/across.cpp.
  struct Scratch {
    std::vector<std::uint32_t> partners;
    std::vector<Member> natives;
    struct Facet {
      Box box;
      rules::BoxPlane plane;
    };
    std::vector<Facet> facets;  ///< of the natives
    std::vector<Boxed> guests;
  };
  Scratch scratch;

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
  void meet(int natives, std::span<const Boxed> guests);
  bool apart(const Boxed& guest);
  void run(const Shadows* shadows = nullptr);
  bool is_wanted(std::uint32_t a, std::uint32_t b) const;
  void find_kin();
  bool ended() const;

  // pair/crowded.cpp
  bool divide_by_shadows(Part& part, const Cut& cut);
  bool refresh(const Part& part, const Shadows& shadows, std::span<const std::uint32_t> first,
               std::span<const std::uint32_t> second, std::size_t& tried);
  template <typename First, typename Second>
  void share(std::size_t members, const First& first, const Second& second);
  void within(const Part& part, const Shadows& shadows, std::uint32_t node, std::size_t tried);
  void across(const Part& part, const Shadows& shadows, std::uint32_t a, std::uint32_t b, std::size_t tried);
  bool meeting(const Shadows& shadows, const Shadows::Node& first, const Shadows::Node& second);
  void test_meeting(const Part& part, const Shadows& shadows);
  std::span<const Member> take(const Shadows& shadows);

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
  std::vector<std::uint32_t> meeting_[2];    ///< members of two nodes
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
    std::uint64_t most_contacts = 0;  ///< that each settler keeps
    bool first = false;               ///< a divider ends at its first group with a contact
    std::function<bool()> stop;       ///< polled now and then, from any worker: true ends the query
  };
  /// What is passed here outlives the pool; `begin` comes after its contents are those of the query.
  DividerPool(const TriangleTable& t, const Frame& f, const Bins& b) : table(t), frame(f), bins(b) {}
  /// Begins a query. Dividers of earlier queries are used again.
  void begin(const std::uint32_t* welded, Simd simd, Workers& w, Rules r);

  std::unique_ptr<Divider> take();
  void give(std::unique_ptr<Divider> divider);
  /// All dividers that were ever made, once they are back.
  std::vector<std::unique_ptr<Divider>>& all() { return idle_; }

  const TriangleTable& table;
  const Frame& frame;
  const Bins& bins;
  std::optional<Loader> loader;
  GroupKernel kernel = nullptr;
  LatticeKernel lattice = nullptr;
  WideKernel wide = nullptr;
  Workers* workers = nullptr;
  Rules rules = {};
  std::vector<int> occupied;  ///< levels above 0 that have entries

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Divider>> idle_;
};

}  // namespace sightline
