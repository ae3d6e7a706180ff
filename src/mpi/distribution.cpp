#include "mpi/distribution.h"

#include <cmath>
#include <exception>
#include <numeric>

namespace sightline::mpi {
namespace {

using scale::Cuts;
using scale::Home;
using scale::Tag;
using scale::Triangles;

constexpr std::size_t kSample = std::size_t{1} << 16;
constexpr std::size_t kLeavesPerRank = 4;             ///< so that their loads balance
constexpr std::size_t kRound = std::size_t{1} << 16;  ///< triangles that a rank sends in one exchange, about

template <typename Scalar>
std::uint64_t count_of(std::span<const Held<Scalar>> held) {
  std::uint64_t count = 0;
  for (const Held<Scalar>& list : held) count += list.corners.size();
  return count;
}

template <typename Scalar>
std::vector<Box> local_sample(const Ranks& ranks, std::span<const Held<Scalar>> held) {
  const std::uint64_t mine = count_of(held), all = std::max<std::uint64_t>(ranks.sum(mine), 1);
  const double part = std::min(1.0, static_cast<double>(kSample) / static_cast<double>(all));
  const auto count = static_cast<std::size_t>(std::ceil(part * static_cast<double>(mine)));
  std::vector<Box> sample;
  std::size_t list = 0;
  std::uint64_t begin = 0;  // of the list
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = std::min(
        mine - 1,
        static_cast<std::uint64_t>(static_cast<double>(i) / static_cast<double>(count) * static_cast<double>(mine)));
    while (place - begin >= held[list].corners.size()) begin += held[list++].corners.size();
    sample.push_back(scale::box_of_corners(held[list].corners[place - begin]));
  }
  return sample;
}

Cuts cuts_of(const Ranks& ranks, const std::vector<Box>& sample) {
  const std::size_t leaves = kLeavesPerRank * static_cast<std::size_t>(ranks.size());
  return Cuts(sample, std::max<std::size_t>(sample.size() / leaves, 1), {});
}

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

}  // namespace

template <typename Scalar>
void check(const Held<Scalar>& held, const std::string& name) {
  if (held.numbers.size() != held.corners.size())
    throw Error(formatted("{}{} numbers for {} triangles", name, held.numbers.size(), held.corners.size()));
  for (std::size_t i = 0; i < held.corners.size(); ++i) {
    if (held.numbers[i] >= Tag::kShared)
      throw Error(formatted("{}triangle {}: the number is too large", name, held.numbers[i]));
    for (std::size_t k = 0; k < 9; ++k)
      if (const Scalar x = held.corners[i][k / 3][k % 3]; !std::isfinite(x))
        throw Error(formatted("{}triangle {}: {} of corner {} is {}, not a finite number", name, held.numbers[i],
                              "xyz"[k % 3], k / 3, x));
  }
}

template <typename Scalar>
Distribution<Scalar>::Distribution(const Ranks& ranks, std::span<const Held<Scalar>> held)
    : ranks_(ranks), cuts_({}, 1, {}) {
  const std::vector<Box> sample = ranks.gathered(local_sample(ranks, held));
  cuts_ = cuts_of(ranks, sample);
  rank_of_ = ranks_of_leaves(cuts_, sample, ranks.size());
}

template <typename Scalar>
void Distribution<Scalar>::add(const Held<Scalar>& held, std::size_t i, std::vector<std::uint32_t>& leaves,
                               Outgoing& to) const {
  leaves.clear();
  cuts_.for_leaves(scale::box_of_corners(held.corners[i]), [&](std::uint32_t leaf) { leaves.push_back(leaf); });
  const Tag tag{(held.first + held.numbers[i]) | (leaves.size() > 1 ? Tag::kShared : 0)};
  for (const std::uint32_t leaf : leaves)
    to[static_cast<std::size_t>(rank_of_[leaf])].push_back({tag, held.corners[i], leaf});
}

template <typename Scalar>
std::vector<Triangles<Scalar>> Distribution<Scalar>::exchange(std::span<const Held<Scalar>> held, bool homes) const {
  std::vector<Triangles<Scalar>> received(cuts_.leaves());
  // A rank that fails goes on without triangles, so that no other one waits.
  std::exception_ptr failure;
  const auto attempt = [&failure](const auto& work) {
    try {
      if (!failure) work();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  Outgoing to(static_cast<std::size_t>(ranks_.size()));
  std::vector<std::uint32_t> leaves;
  std::uint64_t left = count_of(held);
  for (std::size_t list = 0, next = 0; ranks_.max(left) > 0;) {
    for (std::vector<Item>& items : to) items.clear();
    attempt([&] {
      for (std::size_t sent = 0; sent < kRound && left > 0; ++next, --left) {
        while (next == held[list].corners.size()) ++list, next = 0;
        add(held[list], next, leaves, to);
        sent += leaves.size();
      }
    });
    const auto in = ranks_.exchanged(to);
    attempt([&] {
      Home home = -1;
      for (std::size_t i = 0; i < in.items.size(); ++i) {
        Triangles<Scalar>& leaf = received[in.items[i].leaf];
        leaf.tags.push_back(in.items[i].tag);
        leaf.corners.push_back(in.items[i].corners);
        if (!homes) continue;
        while (home + 1 < ranks_.size() && static_cast<std::size_t>(in.begins[static_cast<std::size_t>(home) + 1]) <= i)
          ++home;
        leaf.homes.push_back(home);
      }
    });
    if (failure) left = 0;
  }
  ranks_.together([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return received;
}

template void check<float>(const Held<float>&, const std::string&);
template void check<double>(const Held<double>&, const std::string&);
template class Distribution<float>;
template class Distribution<double>;

}  // namespace sightline::mpi
