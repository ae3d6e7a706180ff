// The steps, which all ranks take together:
// 1. A sample of all triangles, the same on each rank, decides about the cuts and gives each leaf to a rank.
// 2. Rounds of all-to-all exchanges bring each triangle to the ranks whose leaves its box reaches.
// 3. Each rank answers its leaves (scale/parts/leaf.h).
// 4. Numbers add up; contacts, degenerate triangles and links of components go to rank 0.
#include "sightline/mpi.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/float_environment.h"
#include "mpi/collect.h"
#include "parts/leaf.h"

namespace sightline::mpi {
namespace {

using scale::Corners;
using scale::Cuts;
using scale::Region;
using scale::Tag;
using scale::Totals;
using scale::Triangles;

constexpr std::size_t kSample = std::size_t{1} << 16;
constexpr std::size_t kLeavesPerRank = 4;             ///< so that their loads balance
constexpr std::size_t kRound = std::size_t{1} << 16;  ///< triangles that a rank sends in one exchange, about

template <typename Scalar>
std::span<const Corners<Scalar>> corners_of(const Share& share) {
  if constexpr (sizeof(Scalar) == 4)
    return share.f32;
  else
    return share.f64;
}

/// A triangle on its way to a rank.
template <typename Scalar>
struct Item {
  Tag tag;
  Corners<Scalar> corners;
  std::uint32_t leaf;
};

/// The rank of each leaf. Heavy leaves first, each to the rank that has the least.
std::vector<int> ranks_of_leaves(const Cuts& cuts, std::span<const Box> sample, int ranks) {
  std::vector<std::uint64_t> load(cuts.leaves()), rank_load(static_cast<std::size_t>(ranks));
  for (const Box& box : sample) cuts.for_leaves(box, [&](std::uint32_t leaf) { ++load[leaf]; });
  std::vector<std::size_t> order(load.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return load[x] > load[y]; });
  std::vector<int> rank_of(load.size());
  for (const std::size_t leaf : order) {
    const auto least = std::min_element(rank_load.begin(), rank_load.end());
    *least += load[leaf] + 1;
    rank_of[leaf] = static_cast<int>(least - rank_load.begin());
  }
  return rank_of;
}

template <typename Scalar>
void sort_by_number(Triangles<Scalar>& triangles) {
  std::vector<std::size_t> order(triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto number = [&](std::size_t i) { return triangles.tags[i].number(); };
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return number(x) < number(y); });
  Triangles<Scalar> sorted;
  for (const std::size_t i : order) {
    if (sorted.size() > 0 && sorted.tags.back().number() == number(i))
      throw Error(formatted("triangle {} was given twice", number(i)));
    sorted.tags.push_back(triangles.tags[i]);
    sorted.corners.push_back(triangles.corners[i]);
  }
  triangles = std::move(sorted);
}

template <typename Scalar>
class Run {
 public:
  Run(const Ranks& ranks, const Share& share, const MpiOptions& options)
      : ranks_(ranks), share_(share), corners_(corners_of<Scalar>(share)), options_(options) {}

  HugeReport run() {
    ranks_.together([&] {
      check_share();
      lists_ = std::make_shared<HugeReport::Lists>(options_.scratch, static_cast<std::size_t>(options_.list_memory));
    });
    totals_.facts.triangles = corners_.size();
    const std::vector<Box> sample = ranks_.gathered(local_sample());
    const auto leaves = kLeavesPerRank * static_cast<std::size_t>(ranks_.size());
    const Cuts cuts(sample, std::max<std::size_t>(sample.size() / leaves, 1), {});
    exchange(cuts, ranks_of_leaves(cuts, sample, ranks_.size()));
    ranks_.together([&] { answer(cuts); });
    return collected();
  }

 private:
  void check_share() const {
    if (share_.numbers.size() != corners_.size())
      throw Error(formatted("{} numbers for {} triangles", share_.numbers.size(), corners_.size()));
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      if (share_.numbers[i] >= Tag::kShared)
        throw Error(formatted("triangle {}: the number is too large", share_.numbers[i]));
      for (std::size_t k = 0; k < 9; ++k)
        if (const Scalar x = corners_[i][k / 3][k % 3]; !std::isfinite(x))
          throw Error(formatted("triangle {}: {} of corner {} is {}, not a finite number", share_.numbers[i],
                                "xyz"[k % 3], k / 3, x));
    }
  }

  std::vector<Box> local_sample() const {
    const std::uint64_t all = std::max<std::uint64_t>(ranks_.sum(corners_.size()), 1);
    const double part = std::min(1.0, static_cast<double>(kSample) / static_cast<double>(all));
    const auto count = static_cast<std::size_t>(std::ceil(part * static_cast<double>(corners_.size())));
    std::vector<Box> sample;
    for (std::size_t i = 0; i < count; ++i) {
      const auto place = static_cast<std::size_t>(static_cast<double>(i) / static_cast<double>(count) *
                                                  static_cast<double>(corners_.size()));
      sample.push_back(scale::box_of_corners(corners_[place]));
    }
    return sample;
  }

  void exchange(const Cuts& cuts, const std::vector<int>& rank_of) {
    std::vector<std::vector<Item<Scalar>>> to(static_cast<std::size_t>(ranks_.size()));
    std::vector<std::uint32_t> leaves;
    received_.resize(cuts.leaves());
    for (std::size_t next = 0; ranks_.max(corners_.size() - next) > 0;) {
      for (auto& list : to) list.clear();
      for (std::size_t sent = 0; sent < kRound && next < corners_.size(); ++next) {
        leaves.clear();
        cuts.for_leaves(scale::box_of_corners(corners_[next]), [&](std::uint32_t leaf) { leaves.push_back(leaf); });
        const Tag tag{share_.numbers[next] | (leaves.size() > 1 ? Tag::kShared : 0)};
        for (const std::uint32_t leaf : leaves)
          to[static_cast<std::size_t>(rank_of[leaf])].push_back({tag, corners_[next], leaf});
        sent += leaves.size();
      }
      for (const Item<Scalar>& item : ranks_.exchanged(to)) {
        received_[item.leaf].tags.push_back(item.tag);
        received_[item.leaf].corners.push_back(item.corners);
      }
    }
  }

  void answer(const Cuts& cuts) {
    const HugeOptions none;
    const scale::Control control(none);
    const scale::LeafOptions options{.threads = options_.threads,
                                     .intersections = options_.intersections,
                                     .most_contacts = std::numeric_limits<std::uint64_t>::max()};
    for (std::size_t leaf = 0; leaf < received_.size(); ++leaf) {
      Triangles<Scalar> triangles = std::move(received_[leaf]);
      if (triangles.size() == 0) continue;
      sort_by_number(triangles);
      scale::answer_leaf(triangles, cuts.region(leaf), options, control, totals_, *lists_);
    }
    // The lists of rank 0 still grow.
    if (ranks_.rank() == 0) return;
    lists_->contacts.finish();
    lists_->degenerate.finish();
    lists_->links.finish();
  }

  HugeReport collected() {
    const std::uint64_t shift = ranks_.sum_before(totals_.nodes), nodes = ranks_.sum(totals_.nodes);
    ranks_.together([&] { collect(ranks_, lists_->contacts, 0); });
    ranks_.together([&] { collect(ranks_, lists_->degenerate, 0); });
    ranks_.together([&] { collect(ranks_, lists_->links, shift); });
    std::uint64_t joined = 0;
    ranks_.together([&] {
      if (ranks_.rank() != 0) return;
      lists_->contacts.finish();
      lists_->degenerate.finish();
      lists_->links.finish();
      joined = scale::joined_components(lists_->links, nodes);
    });
    if (ranks_.rank() == 0) totals_.facts.components += joined;
    HugeReport report;
    HugeFacts& facts = report.facts = totals_.facts;
    for (std::uint64_t* number : {&facts.triangles, &facts.vertices, &facts.components, &facts.open_edges,
                                  &facts.nonmanifold_edges, &facts.duplicates, &facts.degenerate})
      *number = ranks_.sum(*number);
    for (int kind = 0; kind < kKindCount; ++kind)
      report.found += report.counts[kind] = ranks_.sum(totals_.counts[kind]);
    report.leaves = ranks_.sum(totals_.leaves);
    report.records = ranks_.sum(totals_.records);
    report.scratch_bytes = ranks_.sum(lists_->scratch.peak());
    report.stats.triangles = facts.triangles;
    report.stats.candidates = ranks_.sum(totals_.candidates);
    report.stats.decided_exact = ranks_.sum(totals_.decided_exact);
    report.stats.decided_filtered = ranks_.sum(totals_.decided_filtered);
    report.stats.simd = totals_.simd;
    report.stats.threads = totals_.threads;
    if (ranks_.rank() != 0) lists_ = std::make_shared<HugeReport::Lists>(options_.scratch, 4096);
    report.lists = std::move(lists_);
    return report;
  }

  const Ranks& ranks_;
  const Share& share_;
  std::span<const Corners<Scalar>> corners_;
  const MpiOptions& options_;
  std::shared_ptr<HugeReport::Lists> lists_;
  std::vector<Triangles<Scalar>> received_;  ///< of each leaf of this rank
  Totals totals_;
};

}  // namespace

HugeReport self_intersections(MPI_Comm comm, const Share& share, const MpiOptions& options) {
  const FloatEnvironment environment;
  const Ranks ranks(comm);
  const bool wide = ranks.max(share.f64.size()) > 0;
  ranks.together([&] {
    if (wide && !share.f32.empty()) throw Error("float32 corners, where another rank has float64 corners");
  });
  return wide ? Run<double>(ranks, share, options).run() : Run<float>(ranks, share, options).run();
}

}  // namespace sightline::mpi
