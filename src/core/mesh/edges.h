// Edges and duplicate triangles by counting in hash tables, for a part of a mesh that holds all copies of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sightline/mesh.h"

namespace sightline {

using EdgeKey = std::uint64_t;  ///< smaller vertex, larger vertex
inline EdgeKey edge_key(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return EdgeKey{low} << 32 | high;
}
inline std::uint64_t edge_hash(EdgeKey key) {
  key *= 0x9E3779B97F4A7C15u;
  return (key ^ key >> 32) * 0xD6E8FEB86659FD93u;
}

/// The set of a triangle's corners: its two smallest numbers as an edge, and the largest. Where corners coincide, the
/// largest is repeated: (a, a, b) and (a, b, b) are one set.
struct CornerSet {
  EdgeKey edge;
  std::uint32_t third;
};
inline CornerSet corner_set(const Triangle& v) {
  const std::uint32_t low = std::min(v[0], v[1]), high = std::max(v[0], v[1]);
  const std::uint32_t least = std::min(low, v[2]), most = std::max(high, v[2]);
  const std::uint32_t middle = std::max(low, std::min(high, v[2]));
  return {edge_key(least, least == middle ? most : middle), most};
}

struct EdgeCounts {
  std::uint64_t open = 0, nonmanifold = 0, duplicates = 0;
  EdgeCounts& operator+=(const EdgeCounts& other) {
    open += other.open, nonmanifold += other.nonmanifold, duplicates += other.duplicates;
    return *this;
  }
};

/// Open addressing; the caller states before each round how many keys come at most. Emptied in constant time: an
/// entry counts only if it has the number of the current round.
class EdgeTable {
 public:
  /// Empties the table and makes room for this many distinct edges, and for half as many sets of corners. The leading
  /// bits of their hashes that are alike, because they distribute edges over tables, find no place in the table.
  void begin(std::size_t edges, int alike = 0) {
    alike_ = alike;
    const std::size_t slots = std::bit_ceil(std::max<std::size_t>(edges + edges / 3, 8));
    if (slots > entries_.size() || ++round_ == kRounds) {
      entries_.assign(std::max(slots, entries_.size()), Entry{});
      sets_.assign(entries_.size() / 2, Entry{});
      round_ = 1;
    }
    shift_ = 64 - std::countr_zero(entries_.size());
  }

  /// Where the search for this edge begins. The memory there is fetched, for a use a while later.
  std::uint32_t slot_of(EdgeKey key) const {
    const std::size_t slot = edge_hash(key) << alike_ >> shift_;
    __builtin_prefetch(&entries_[slot], 1);
    return static_cast<std::uint32_t>(slot);
  }
  /// One triangle more at this edge.
  void add_edge(EdgeKey key, std::uint32_t slot, EdgeCounts& counts) {
    Entry& entry = find(key, slot);
    const std::uint32_t at = entry.state & kCount;
    // The count is 0 to 4, where 3 and 4 stand for all odd and even numbers above 2.
    entry.state += at < 4 ? 1u : ~0u;
    counts.open += 1 - 2 * std::uint64_t{at % 2};
    counts.nonmanifold += at == 2;
  }
  /// One triangle more with these corners.
  void add_set(const CornerSet& set, std::uint32_t slot, EdgeCounts& counts) {
    // The first set of an edge lies with the edge, others in a table of their own.
    Entry& entry = find(set.edge, slot);
    if ((entry.state & kHasThird) == 0) {
      entry.state |= kHasThird;
      entry.third = set.third;
    } else {
      counts.duplicates += entry.third == set.third || !is_new(set);
    }
  }

 private:
  struct Entry {
    EdgeKey key = 0;
    std::uint32_t state = 0;  ///< round, has a third corner, count
    std::uint32_t third = 0;
  };
  static constexpr std::uint32_t kCount = 7, kHasThird = 8, kRound = 16, kRounds = 1u << 28;

  /// Whether the key is new or not cannot be predicted, so no branch depends on that alone.
  Entry& find(EdgeKey key, std::size_t slot) {
    while (entries_[slot].state / kRound == round_ && entries_[slot].key != key)
      slot = (slot + 1) & (entries_.size() - 1);
    Entry& entry = entries_[slot];
    const std::uint32_t fresh = round_ * kRound;
    entry.state = entry.state / kRound == round_ ? entry.state : fresh;
    entry.key = key;
    return entry;
  }
  bool is_new(const CornerSet& set) {
    const std::uint64_t hash = edge_hash(set.edge + set.third * 0xC2B2AE3D27D4EB4Fu);
    for (std::size_t slot = hash >> shift_ >> 1;; slot = (slot + 1) & (sets_.size() - 1)) {
      Entry& entry = sets_[slot];
      if (entry.state / kRound != round_) {
        entry = {set.edge, round_ * kRound, set.third};
        return true;
      }
      if (entry.key == set.edge && entry.third == set.third) return false;
    }
  }

  std::vector<Entry> entries_, sets_;
  std::uint32_t round_ = 0;
  int shift_ = 64, alike_ = 0;
};

}  // namespace sightline
