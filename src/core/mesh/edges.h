// Edges and duplicate triangles of a mesh, counted at their lesser ends.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/poll.h"
#include "sightline/mesh.h"

namespace sightline {

using EdgeKey = std::uint64_t;  ///< smaller vertex, larger vertex
inline EdgeKey edge_key(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return EdgeKey{low} << 32 | high;
}

/// The corners of a triangle in ascending order.
struct Corners {
  std::uint32_t least, middle, most;
  auto operator<=>(const Corners&) const = default;
};
inline Corners sorted_corners(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t low = std::min(a, b), high = std::max(a, b);
  return {std::min(low, c), std::max(low, std::min(high, c)), std::max(high, c)};
}

struct EdgeCounts {
  std::uint64_t open = 0, nonmanifold = 0, duplicates = 0;
  EdgeCounts& operator+=(const EdgeCounts& other) {
    open += other.open, nonmanifold += other.nonmanifold, duplicates += other.duplicates;
    return *this;
  }
};

/// All edges whose lesser ends lie in one range of vertices, and all triangles whose least corners do. A vertex has
/// room for the greater ends of 16 edges: a cache line. In a mesh without borders each of them is there twice, which
/// vectors find without a branch. Vertices with more edges are sorted.
class EdgesAtVertices {
 public:
  /// Empties it. Its vertices: `first` and the `count` - 1 after it.
  void begin(std::uint32_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    if (ends_.size() < kEnds * count) ends_.resize(kEnds * count);
    filled_.assign(count, Filled{});
    more_.clear();
  }
  bool has(std::uint32_t vertex) const { return vertex - first_ < count_; }

  /// One triangle more at an edge.
  void add_edge(std::uint32_t low, std::uint32_t high) {
    Filled& filled = filled_[low - first_];
    if (filled.ends >= kEnds) return add_more({low, high, 0});
    ends_of(low)[filled.ends++] = high;
  }
  /// A triangle without the edge from its middle corner to its greatest one.
  void add_triangle(const Corners& v) {
    Filled& filled = filled_[v.least - first_];
    if (filled.ends > kEnds - 2) return add_more(v);
    std::uint32_t* const ends = ends_of(v.least) + filled.ends;
    ends[0] = v.middle;
    ends[1] = v.most;
    filled.triangles |= static_cast<std::uint16_t>(1u << filled.ends);
    filled.ends = static_cast<std::uint8_t>(filled.ends + 2);
  }

  /// Counts what was added since begin().
  void count(EdgeCounts& counts, Poll& poll) {
    sort_polled(more_, std::less<>(), poll);
    std::size_t next = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      poll();
      const Filled& filled = filled_[i];
      const std::uint32_t* const ends = ends_.data() + kEnds * i;
      if (filled.more)
        next = count_sorted(static_cast<std::uint32_t>(first_ + i), filled, next, counts, poll);
      else if (filled.ends != 0)
        count_few(ends, filled, counts);
    }
  }

 private:
  static constexpr unsigned kEnds = 16;
  struct Filled {
    std::uint16_t triangles = 0;  ///< a bit for each triangle: the place of its middle corner, followed by its greatest
    std::uint8_t ends = 0;
    bool more = false;  ///< there are others in more_
  };
  using Four = std::uint32_t __attribute__((vector_size(16)));

  std::uint32_t* ends_of(std::uint32_t vertex) { return ends_.data() + kEnds * std::size_t{vertex - first_}; }
  /// Of an edge: {low, high, 0}, which no triangle is.
  void add_more(const Corners& v) {
    filled_[v.least - first_].more = true;
    more_.push_back(v);
  }

  void count_few(const std::uint32_t* ends, const Filled& filled, EdgeCounts& counts) const {
    alignas(16) std::int32_t others[kEnds];  // -1 for each other triangle at the edge
    const bool pairs = filled.ends <= 4   ? compare<1>(ends, filled.ends, others)
                       : filled.ends <= 8 ? compare<2>(ends, filled.ends, others)
                                          : compare<4>(ends, filled.ends, others);
    if (!pairs) count_unpaired(ends, filled.ends, others, counts);
    const unsigned last = std::bit_floor(unsigned{filled.triangles});
    for (unsigned rest = filled.triangles & ~last; rest != 0; rest &= rest - 1)
      counts.duplicates += repeats(ends, filled.triangles, static_cast<unsigned>(std::countr_zero(rest)));
  }

  /// Whether each of the ends is there twice. Ends are greater than the vertex, so 0 stands for none.
  template <int Vectors>
  static bool compare(const std::uint32_t* ends, unsigned count, std::int32_t* others) {
    alignas(16) static constexpr std::uint32_t kMask[2 * kEnds] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
                                                                   ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    using Counts = std::int32_t __attribute__((vector_size(16)));
    Four mask[Vectors], x[Vectors];
    Counts sum[Vectors];
    for (int i = 0; i < Vectors; ++i) {
      std::memcpy(&x[i], ends + 4 * i, sizeof x[i]);
      std::memcpy(&mask[i], kMask + kEnds - count + 4 * static_cast<unsigned>(i), sizeof mask[i]);
      x[i] &= mask[i];
    }
    for (int i = 0; i < Vectors; ++i)
      sum[i] = (x[i] == turned<1>(x[i])) + (x[i] == turned<2>(x[i])) + (x[i] == turned<3>(x[i]));
    for (int i = 0; i < Vectors; ++i)
      for (int j = i + 1; j < Vectors; ++j) {
        const Counts e0 = x[i] == x[j], e1 = x[i] == turned<1>(x[j]), e2 = x[i] == turned<2>(x[j]),
                     e3 = x[i] == turned<3>(x[j]);
        sum[i] += e0 + e1 + e2 + e3;
        sum[j] += e0 + turned<3>(e1) + turned<2>(e2) + turned<1>(e3);
      }
    Counts wrong{};
    for (int i = 0; i < Vectors; ++i) {
      wrong |= (sum[i] + 1) & Counts(mask[i]);
      std::memcpy(others + 4 * i, &sum[i], sizeof sum[i]);
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &wrong, sizeof halves);
    return (halves[0] | halves[1]) == 0;
  }
  template <int By, typename Vector>
  static Vector turned(Vector x) {
    return __builtin_shufflevector(x, x, By, (By + 1) % 4, (By + 2) % 4, (By + 3) % 4);
  }

  static void count_unpaired(const std::uint32_t* ends, unsigned count, const std::int32_t* others,
                             EdgeCounts& counts) {
    for (unsigned i = 0; i < count; ++i) {
      counts.open += others[i] == 0;
      if (others[i] >= -1 || std::find(ends, ends + i, ends[i]) != ends + i) continue;
      counts.open += others[i] % 2 == 0;
      ++counts.nonmanifold;
    }
  }
  /// Whether a triangle with a later place has the same corners.
  static bool repeats(const std::uint32_t* ends, unsigned triangles, unsigned place) {
    const auto at = [ends](unsigned i) {
      std::uint64_t corners;
      std::memcpy(&corners, ends + i, sizeof corners);
      return corners;
    };
    const std::uint64_t mine = at(place);
    for (unsigned later = triangles & (~1u << place); later != 0; later &= later - 1)
      if (at(static_cast<unsigned>(std::countr_zero(later))) == mine) return true;
    return false;
  }

  /// Returns where in more_ the next vertex begins.
  std::size_t count_sorted(std::uint32_t vertex, const Filled& filled, std::size_t next, EdgeCounts& counts,
                           Poll& poll) {
    all_.clear();
    const auto add = [this](std::uint32_t middle, std::uint32_t most) {
      all_.emplace_back(middle, most);
      if (most != 0) all_.emplace_back(most, 0);
    };
    const std::uint32_t* const ends = ends_of(vertex);
    for (unsigned i = 0; i < filled.ends; ++i)
      if ((filled.triangles >> i & 1) != 0) {
        add(ends[i], ends[i + 1]);
        ++i;
      } else {
        add(ends[i], 0);
      }
    for (; next < more_.size() && more_[next].least == vertex; ++next) add(more_[next].middle, more_[next].most);
    sort_polled(all_, std::less<>(), poll);
    for (std::size_t i = 0, end; i < all_.size(); i = end) {
      for (end = i + 1; end < all_.size() && all_[end].first == all_[i].first; ++end)
        counts.duplicates += all_[end].second != 0 && all_[end] == all_[end - 1];
      counts.open += (end - i) % 2;
      counts.nonmanifold += end - i > 2;
    }
    return next;
  }

  std::uint32_t first_ = 0;
  std::size_t count_ = 0;
  Buffer<std::uint32_t> ends_;
  std::vector<Filled> filled_;
  std::vector<Corners> more_;
  /// Of a vertex with many edges: their ends, with the triangle's greatest corner where the end is its middle one.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all_;
};

}  // namespace sightline
