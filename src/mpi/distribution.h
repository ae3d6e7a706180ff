// Cuts of space that all ranks know, the rank of each leaf, and the exchange that brings triangles to their leaves.
#pragma once

#include "mpi/ranks.h"
#include "parts/cuts.h"
#include "parts/store.h"
#include "sightline/source.h"

namespace sightline::mpi {

/// Triangles that a rank holds. In the exchange, triangle i has the number first + numbers[i].
template <typename Scalar>
struct Held {
  std::span<const std::uint64_t> numbers;
  std::span<const scale::Corners<Scalar>> corners;
  std::uint64_t first = 0;
};

/// Throws Error for triangles without a number, for numbers of 63 bits and more, and for coordinates that are not
/// finite. `name` begins the message.
template <typename Scalar>
void check(const Held<Scalar>& held, const std::string& name);

/// Where the triangles of a rank come from.
template <typename Scalar>
class Supply {
 public:
  virtual ~Supply() = default;
  virtual std::uint64_t size() const = 0;
  /// The box of one of them, for a sample.
  virtual Box box(std::uint64_t place) = 0;
  /// Up to `most` further triangles, which stay until the next call; none at the end.
  virtual Held<Scalar> next(std::size_t most) = 0;
};

/// Lists in memory, which were checked.
template <typename Scalar>
class HeldSupply : public Supply<Scalar> {
 public:
  explicit HeldSupply(std::span<const Held<Scalar>> lists) : lists_(lists) {}
  std::uint64_t size() const override;
  Box box(std::uint64_t place) override;
  Held<Scalar> next(std::size_t most) override;

 private:
  std::span<const Held<Scalar>> lists_;
  std::size_t sampled_list_ = 0, list_ = 0, next_ = 0;
  std::uint64_t sampled_begin_ = 0;  ///< of the sampled list
};

/// A list in memory that loses its pages behind the triangles that were taken.
template <typename Scalar>
class SpentSupply : public HeldSupply<Scalar> {
 public:
  /// `held` has the contents of the lists.
  SpentSupply(std::span<const Held<Scalar>> held, std::vector<std::uint64_t>& numbers,
              std::vector<scale::Corners<Scalar>>& corners)
      : HeldSupply<Scalar>(held), numbers_(numbers), corners_(corners) {}
  Held<Scalar> next(std::size_t most) override;

 private:
  std::vector<std::uint64_t>& numbers_;
  std::vector<scale::Corners<Scalar>>& corners_;
  std::size_t dropped_ = 0;
};

/// The triangles `first` … of a source, which are read and checked on the way.
template <typename Scalar>
class SourceSupply : public Supply<Scalar> {
 public:
  SourceSupply(TriangleSource& source, std::uint64_t first, std::uint64_t count)
      : source_(source), first_(first), count_(count) {}
  std::uint64_t size() const override { return count_; }
  Box box(std::uint64_t place) override;
  Held<Scalar> next(std::size_t most) override;

 private:
  TriangleSource& source_;
  std::uint64_t first_, count_, done_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::vector<scale::Corners<Scalar>> corners_;
};

/// The triangles that a rank received, by leaf, in any order. They lie in pieces, so that no list is copied as it
/// grows.
template <typename Scalar>
class Received {
 public:
  explicit Received(std::size_t leaves) : leaves_(leaves) {}
  std::size_t leaves() const { return leaves_.size(); }
  void add(std::size_t leaf, scale::Tag tag, const scale::Corners<Scalar>& corners);
  void add(std::size_t leaf, scale::Tag tag, const scale::Corners<Scalar>& corners, scale::Home home);
  /// All of a leaf, which then has none.
  scale::Triangles<Scalar> take(std::size_t leaf);

 private:
  static constexpr std::size_t kPiece = 4096;
  std::vector<std::vector<scale::Triangles<Scalar>>> leaves_;
};

/// Leaves have about this number of triangles at most, so that the answer of one takes little memory, unless a rank has
/// more than kMostLeaves of them then.
constexpr std::uint64_t kLeafTriangles = std::uint64_t{1} << 18;
constexpr std::uint64_t kMostLeaves = 64;

template <typename Scalar>
class Distribution {
 public:
  /// All ranks call it. A sample of all triangles, the same on each rank, decides about the cuts and gives each leaf to
  /// a rank.
  Distribution(const Ranks& ranks, Supply<Scalar>& supply, std::uint64_t leaf_triangles);

  std::size_t leaves() const { return cuts_.leaves(); }
  const scale::Region& region(std::size_t leaf) const { return cuts_.region(leaf); }
  bool is_mine(std::size_t leaf) const { return rank_of_[leaf] == ranks_.rank(); }

  /// All ranks call it. Brings each triangle to the ranks whose leaves its box reaches, with its rank as its home if
  /// homes are wanted.
  Received<Scalar> exchange(Supply<Scalar>& supply, bool homes) const;

 private:
  /// A triangle on its way to a rank.
  struct Item {
    scale::Tag tag;
    scale::Corners<Scalar> corners;
    std::uint32_t leaf;
  };
  using Outgoing = std::vector<std::vector<Item>>;  ///< by rank
  void add(const Held<Scalar>& held, std::size_t i, std::vector<std::uint32_t>& leaves, Outgoing& to) const;

  const Ranks& ranks_;
  scale::Cuts cuts_;
  std::vector<int> rank_of_;  ///< of each leaf
};

/// By ascending number. Throws Error for a number that occurs twice; name(number) begins its message.
template <typename Scalar, typename Name>
void sort_by_number(scale::Triangles<Scalar>& triangles, const Name& name) {
  std::vector<std::size_t> order(triangles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto number = [&](std::size_t i) { return triangles.tags[i].number(); };
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return number(x) < number(y); });
  scale::Triangles<Scalar> sorted;
  sorted.tags.reserve(triangles.size());
  sorted.corners.reserve(triangles.size());
  sorted.homes.reserve(triangles.homes.size());
  for (const std::size_t i : order) {
    if (sorted.size() > 0 && sorted.tags.back().number() == number(i))
      throw Error(formatted("{} was given twice", name(number(i))));
    sorted.tags.push_back(triangles.tags[i]);
    sorted.corners.push_back(triangles.corners[i]);
    if (!triangles.homes.empty()) sorted.homes.push_back(triangles.homes[i]);
  }
  triangles = std::move(sorted);
}

}  // namespace sightline::mpi
