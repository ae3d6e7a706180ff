// Disjoint sets of numbers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/zeroed.h"

namespace sightline {

/// The root of a set is its least number.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::uint32_t root(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = root(a), y = root(b);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// The same for several threads at once. Sets only grow, and a root is linked to a smaller root only; so the root is
/// the least number again, in any order of the joins.
class SharedUnionFind {
 public:
  /// `workers`: those that will join. One thread alone needs no locked instructions.
  explicit SharedUnionFind(std::size_t count, Workers& workers) : up_(count, workers), alone_(workers.count() == 1) {}

  std::uint32_t root(std::uint32_t x) {
    while (true) {
      const std::uint32_t parent = above(x);
      if (parent == x) return x;
      const std::uint32_t next = above(parent);
      if (next == parent) return parent;
      entry(x).store(next + 1, std::memory_order_relaxed);  // x is no root, so no join writes here
      x = next;
    }
  }
  /// True if a and b were in two sets. So each join that returns true makes one set less, whatever the threads.
  bool join(std::uint32_t a, std::uint32_t b) {
    while (true) {
      a = root(a), b = root(b);
      if (a == b) return false;
      const std::atomic_ref<std::uint32_t> up = entry(std::max(a, b));
      const std::uint32_t to = std::min(a, b) + 1;
      std::uint32_t none = 0;
      if (alone_) up.store(to, std::memory_order_relaxed);
      if (alone_ || up.compare_exchange_strong(none, to, std::memory_order_relaxed)) return true;
    }
  }

  /// Joins all three; returns how many of the two joins were of two sets.
  std::uint64_t join(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t r = root(a);
    // In a mesh with some order most vertices lie directly under their root.
    return (above(b) != r && join(r, b)) + std::uint64_t{above(c) != r && join(r, c)};
  }

 private:
  std::atomic_ref<std::uint32_t> entry(std::uint32_t x) { return std::atomic_ref(up_[x]); }
  std::uint32_t above(std::uint32_t x) {
    const std::uint32_t up = entry(x).load(std::memory_order_relaxed);
    return up == 0 ? x : up - 1;
  }
  Zeroed<std::uint32_t> up_;  ///< 0 for a root, else one more than the number above; memory begins as zeros
  bool alone_;
};

}  // namespace sightline
