// Cuts of space that all ranks know, the rank of each leaf, and the exchange that brings triangles to their leaves.
#pragma once

#include "mpi/ranks.h"
#include "parts/cuts.h"
#include "parts/store.h"

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

template <typename Scalar>
class Distribution {
 public:
  /// All ranks call it. A sample of all triangles, the same on each rank, decides about the cuts and gives each leaf to
  /// a rank.
  Distribution(const Ranks& ranks, std::span<const Held<Scalar>> held);

  std::size_t leaves() const { return cuts_.leaves(); }
  const scale::Region& region(std::size_t leaf) const { return cuts_.region(leaf); }
  bool is_mine(std::size_t leaf) const { return rank_of_[leaf] == ranks_.rank(); }

  /// All ranks call it. Brings each triangle to the ranks whose leaves its box reaches. Returns the triangles of each
  /// leaf, in any order, with their ranks as homes if these are wanted.
  std::vector<scale::Triangles<Scalar>> exchange(std::span<const Held<Scalar>> held, bool homes) const;

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
