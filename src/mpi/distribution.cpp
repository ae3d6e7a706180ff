#include "mpi/distribution.h"

#include <cmath>
#include <exception>
#include <numeric>
#include <tuple>

#include "base/box_tree.h"
#include "base/pages.h"

namespace sightline::mpi {
namespace {

using scale::Cuts;
using scale::Home;
using scale::Tag;
using scale::Triangles;

constexpr std::uint64_t kLeastSample = std::uint64_t{1} << 16;
constexpr std::uint64_t kSamplePerLeaf = 32;
constexpr std::uint64_t kLeavesPerRank = 4;          ///< at least, so that their loads balance
constexpr std::size_t kRead = std::size_t{1} << 15;  ///< triangles that are taken from a supply at a time

std::uint64_t leaf_count(const Ranks& ranks, std::uint64_t triangles, std::uint64_t leaf_triangles) {
  const auto size = static_cast<std::uint64_t>(ranks.size());
  return std::clamp(triangles / leaf_triangles, kLeavesPerRank * size, kMostLeaves * size);
}

/// `part`: of all triangles.
template <typename Scalar>
std::vector<Box> local_sample(Supply<Scalar>& supply, double part) {
  const std::uint64_t mine = supply.size();
  const auto count = static_cast<std::size_t>(std::ceil(part * static_cast<double>(mine)));
  std::vector<Box> sample;
  for (std::size_t i = 0; i < count; ++i) {
    const auto place =
        static_cast<std::uint64_t>(static_cast<double>(i) / static_cast<double>(count) * static_cast<double>(mine));
    const Box box = supply.box(std::min(mine - 1, place));
    if (box.finite()) sample.push_back(box);  // else an Error in the exchange
  }
  return sample;
}

/// How many boxes of all triangles each box of the sample meets, about, by a second sample of this rank. Its
/// boxes come in rounds, each of which is spread over all triangles; many hits end it early.
template <typename Scalar>
std::vector<std::uint64_t> local_neighbours(Supply<Scalar>& supply, const BoxTree& tree, std::span<const Box> sample) {
  constexpr std::uint64_t kRound = 256, kMost = 1 << 14, kPart = 64, kHitsPerBox = 64;
  std::vector<std::uint64_t> hits(sample.size());
  const std::uint64_t all = supply.size();
  const std::uint64_t rounds = (std::clamp(all / kPart, std::min(all, kMost / 4), kMost) + kRound - 1) / kRound;
  std::uint64_t tested = 0, found = 0;
  double phase = 0;
  for (std::uint64_t round = 0; round < rounds && found <= rounds * kRound * kHitsPerBox; ++round) {
    for (std::uint64_t i = 0; i < kRound; ++i, ++tested) {
      const double place = (static_cast<double>(i) + phase) / static_cast<double>(kRound) * static_cast<double>(all);
      const Box box = supply.box(std::min(all - 1, static_cast<std::uint64_t>(place)));
      tree.find([&](const Box& other) { return other.meets(box); },
                [&](std::uint32_t item) {
                  if (sample[item].meets(box)) ++hits[item], ++found;
                  return false;
                });
    }
    phase = std::fmod(phase + 0.6180339887498949, 1);  // the golden section: any number of rounds is spread well
  }
  for (std::uint64_t& count : hits)
    count = static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(all) /
                                       static_cast<double>(std::max<std::uint64_t>(tested, 1)));
  return hits;
}

/// Some boxes of the sample, with the work for each: for the triangle, and for those that it meets. One of these costs
/// an eighth.
struct Probes {
  std::vector<Box> boxes;
  std::vector<double> work;
};
template <typename Scalar>
Probes probes_of(const Ranks& ranks, Supply<Scalar>& supply, std::span<const Box> sample) {
  constexpr std::size_t kStep = 2;
  Probes probes;
  for (std::size_t i = 0; i < sample.size(); i += kStep) probes.boxes.push_back(sample[i]);
  std::vector<std::uint64_t> neighbours;
  ranks.together([&] { neighbours = local_neighbours(supply, BoxTree(probes.boxes), probes.boxes); });
  for (const std::uint64_t count : ranks.sum(neighbours)) probes.work.push_back(1 + static_cast<double>(count) / 8);
  return probes;
}

std::vector<double> loads(const Cuts& cuts, const Probes& probes) {
  std::vector<double> load(cuts.leaves());
  for (std::size_t i = 0; i < probes.boxes.size(); ++i)
    cuts.for_leaves(probes.boxes[i], [&](std::uint32_t leaf) { load[leaf] += probes.work[i]; });
  return load;
}

/// The sample with the boxes of a leaf several times, if the leaf has more work than half of a rank's share, so that it
/// is cut finer.
std::vector<Box> weighted(const Cuts& cuts, std::span<const Box> sample, const Probes& probes, int ranks) {
  const std::vector<double> load = loads(cuts, probes);
  const double most = std::accumulate(load.begin(), load.end(), 0.0) / (2.0 * ranks);
  constexpr double kMostTimes = 8;  // where no cut divides a leaf, this limits the memory
  std::vector<Box> boxes;
  for (const Box& box : sample) {
    double times = 1;
    cuts.for_leaves(box, [&](std::uint32_t leaf) { times = std::max(times, load[leaf] / most); });
    boxes.insert(boxes.end(), static_cast<std::size_t>(std::min(times, kMostTimes)), box);
  }
  return boxes;
}

/// The rank of each leaf. Leaves with the most work come first, each to the rank that has the least, among those with
/// room for its triangles: a rank gets at most 1.15 times its share of them, as far as leaves allow it.
std::vector<int> ranks_of_leaves(std::span<const double> load, std::span<const double> triangles, int ranks) {
  const double room = 1.15 * std::accumulate(triangles.begin(), triangles.end(), 0.0) / ranks;
  std::vector<double> rank_load(static_cast<std::size_t>(ranks)), rank_triangles(static_cast<std::size_t>(ranks));
  std::vector<std::size_t> order(load.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return load[x] > load[y]; });
  std::vector<int> rank_of(load.size());
  for (const std::size_t leaf : order) {
    std::size_t best = 0;
    const auto key = [&](std::size_t rank) {
      const double over = std::max(0.0, rank_triangles[rank] + triangles[leaf] - room);
      return std::tuple(over, rank_load[rank], rank_triangles[rank]);
    };
    for (std::size_t rank = 1; rank < rank_load.size(); ++rank)
      if (key(rank) < key(best)) best = rank;
    rank_load[best] += load[leaf];
    rank_triangles[best] += triangles[leaf];
    rank_of[leaf] = static_cast<int>(best);
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
std::uint64_t HeldSupply<Scalar>::size() const {
  std::uint64_t count = 0;
  for (const Held<Scalar>& list : lists_) count += list.corners.size();
  return count;
}

template <typename Scalar>
Box HeldSupply<Scalar>::box(std::uint64_t place) {
  if (place < sampled_begin_) sampled_begin_ = sampled_list_ = 0;
  while (place - sampled_begin_ >= lists_[sampled_list_].corners.size())
    sampled_begin_ += lists_[sampled_list_++].corners.size();
  return scale::box_of_corners(lists_[sampled_list_].corners[place - sampled_begin_]);
}

template <typename Scalar>
Held<Scalar> HeldSupply<Scalar>::next(std::size_t most) {
  while (list_ < lists_.size() && next_ == lists_[list_].corners.size()) ++list_, next_ = 0;
  if (list_ == lists_.size()) return {};
  const Held<Scalar>& list = lists_[list_];
  const std::size_t begin = next_, count = std::min(most, list.corners.size() - begin);
  next_ += count;
  return {list.numbers.subspan(begin, count), list.corners.subspan(begin, count), list.first};
}

template <typename Scalar>
Held<Scalar> SpentSupply<Scalar>::next(std::size_t most) {
  const Held<Scalar> held = HeldSupply<Scalar>::next(most);
  // The triangles before these were sent. Pages that they share with these stay until the next call.
  const std::size_t taken =
      held.corners.empty() ? corners_.size() : static_cast<std::size_t>(held.corners.data() - corners_.data());
  drop_pages(numbers_.data(), taken * sizeof(std::uint64_t), dropped_ * sizeof(std::uint64_t));
  drop_pages(corners_.data(), taken * sizeof(scale::Corners<Scalar>), dropped_ * sizeof(scale::Corners<Scalar>));
  dropped_ = taken;
  return held;
}

template <typename Scalar>
Box SourceSupply<Scalar>::box(std::uint64_t place) {
  scale::Corners<Scalar> corners;
  try {
    source_.read(first_ + place, std::span(&corners, 1));
  } catch (const Error&) {
    while (!next(kRead).corners.empty()) {  // the error to report is the first one
    }
    throw;
  }
  return scale::box_of_corners(corners);
}

template <typename Scalar>
Held<Scalar> SourceSupply<Scalar>::next(std::size_t most) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, count_ - done_));
  numbers_.resize(count);
  corners_.resize(count);
  if (count == 0) return {};
  std::iota(numbers_.begin(), numbers_.end(), first_ + done_);
  source_.read(first_ + done_, std::span(corners_));
  done_ += count;
  const Held<Scalar> held{numbers_, corners_};
  check(held, source_.file() + ": ");
  return held;
}

template <typename Scalar>
void Received<Scalar>::add(std::size_t leaf, Tag tag, const scale::Corners<Scalar>& corners) {
  std::vector<Triangles<Scalar>>& pieces = leaves_[leaf];
  if (pieces.empty() || pieces.back().size() == kPiece) {
    pieces.emplace_back();
    if (pieces.size() > 1) pieces.back().tags.reserve(kPiece), pieces.back().corners.reserve(kPiece);
  }
  pieces.back().tags.push_back(tag);
  pieces.back().corners.push_back(corners);
}

template <typename Scalar>
void Received<Scalar>::add(std::size_t leaf, Tag tag, const scale::Corners<Scalar>& corners, Home home) {
  add(leaf, tag, corners);
  leaves_[leaf].back().homes.push_back(home);
}

template <typename Scalar>
Triangles<Scalar> Received<Scalar>::take(std::size_t leaf) {
  std::vector<Triangles<Scalar>> pieces = std::move(leaves_[leaf]);
  Triangles<Scalar> all;
  if (pieces.empty()) return all;
  const std::size_t count = kPiece * (pieces.size() - 1) + pieces.back().size();
  all.tags.reserve(count);
  all.corners.reserve(count);
  all.homes.reserve(pieces[0].homes.empty() ? 0 : count);
  for (Triangles<Scalar>& piece : pieces) {
    all.tags.insert(all.tags.end(), piece.tags.begin(), piece.tags.end());
    all.corners.insert(all.corners.end(), piece.corners.begin(), piece.corners.end());
    all.homes.insert(all.homes.end(), piece.homes.begin(), piece.homes.end());
    piece = {};
  }
  return all;
}

template <typename Scalar>
Distribution<Scalar>::Distribution(const Ranks& ranks, Supply<Scalar>& supply, std::uint64_t leaf_triangles)
    : ranks_(ranks), cuts_({}, 1, {}) {
  const std::uint64_t all = std::max<std::uint64_t>(ranks.sum(supply.size()), 1);
  const std::uint64_t leaves = leaf_count(ranks, all, leaf_triangles);
  const auto wanted = static_cast<double>(std::max(kLeastSample, kSamplePerLeaf * leaves));
  std::vector<Box> sample;
  ranks.together([&] { sample = local_sample(supply, std::min(1.0, wanted / static_cast<double>(all))); });
  sample = ranks.gathered(sample);
  const std::size_t most = std::max<std::size_t>(sample.size() / leaves, 1);
  cuts_ = Cuts(sample, most, {});
  const Probes probes = probes_of(ranks, supply, sample);
  cuts_ = Cuts(weighted(cuts_, sample, probes, ranks.size()), most, {});
  std::vector<double> triangles(cuts_.leaves());
  for (const Box& box : sample) cuts_.for_leaves(box, [&](std::uint32_t leaf) { ++triangles[leaf]; });
  rank_of_ = ranks_of_leaves(loads(cuts_, probes), triangles, ranks.size());
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
Received<Scalar> Distribution<Scalar>::exchange(Supply<Scalar>& supply, bool homes) const {
  Received<Scalar> received(cuts_.leaves());
  // A rank that fails goes on without triangles, so that no other one waits.
  std::exception_ptr failure;
  const auto attempt = [&failure](const auto& work) {
    try {
      if (!failure) work();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  // Triangles that a rank sends in one round, about: so few that one rank can receive those of all.
  const std::size_t round =
      std::clamp<std::size_t>((std::size_t{1} << 20) / static_cast<std::size_t>(ranks_.size()), 1 << 10, 1 << 16);
  Outgoing to(static_cast<std::size_t>(ranks_.size()));
  std::vector<std::uint32_t> leaves;
  Held<Scalar> held;
  std::size_t next = 0;
  for (bool more = supply.size() > 0; ranks_.max(more ? 1 : 0) > 0;) {
    for (std::vector<Item>& items : to) items.clear();
    attempt([&] {
      for (std::size_t sent = 0; more && sent < round;) {
        if (next == held.corners.size()) held = supply.next(kRead), next = 0;
        more = !held.corners.empty();
        if (!more) break;
        add(held, next++, leaves, to);
        sent += leaves.size();
      }
    });
    const auto in = ranks_.exchanged(to);
    attempt([&] {
      Home home = -1;
      for (std::size_t i = 0; i < in.items.size(); ++i) {
        const Item& item = in.items[i];
        if (!homes) {
          received.add(item.leaf, item.tag, item.corners);
          continue;
        }
        while (home + 1 < ranks_.size() && static_cast<std::size_t>(in.begins[static_cast<std::size_t>(home) + 1]) <= i)
          ++home;
        received.add(item.leaf, item.tag, item.corners, home);
      }
    });
    if (failure) more = false;
  }
  ranks_.together([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return received;
}

template void check<float>(const Held<float>&, const std::string&);
template class HeldSupply<float>;
template class SpentSupply<float>;
template class SourceSupply<float>;
template class Received<float>;
template class Distribution<float>;
template void check<double>(const Held<double>&, const std::string&);
template class HeldSupply<double>;
template class SpentSupply<double>;
template class SourceSupply<double>;
template class Received<double>;
template class Distribution<double>;

}  // namespace sightline::mpi
