// Topology of a mesh: weld positions, join components, count the triangles at each edge. All of it is exact, and the
// same for every number of threads.
//
// 1. Weld: equal positions become one vertex (mesh/weld.h).
// 2. Blocks of triangles: degenerate ones, by an exact test of collinearity, and components (union-find on vertices).
//    The corners of the others go to the part of the mesh where their least vertex is: a part is a range of vertices.
// 3. Each part by itself: edges and sets of corners, at their lesser ends (mesh/edges.h).
// 4. Components are numbered by their first triangle.
#include "mesh/topology.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/buffer.h"
#include "base/float_environment.h"
#include "base/pages.h"
#include "base/union_find.h"
#include "base/zeroed.h"
#include "exact/points.h"
#include "input/object.h"
#include "input/watch.h"
#include "mesh/edges.h"
#include "mesh/weld.h"

namespace sightline {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint32_t kNone = 0xFFFFFFFFu;
constexpr size_t kBlock = 8192;  ///< triangles

Triangle welded(const std::vector<uint32_t>& vertex, const Triangle& t) {
  return {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
}

/// Calls work(scratch, block) for all blocks; a thread keeps its scratch from block to block.
template <typename Scratch, typename Work>
void for_each_block(size_t blocks, Workers& workers, std::vector<Scratch>& scratch, const Work& work) {
  scratch.resize(std::min<size_t>(workers.count(), blocks));
  std::atomic<size_t> next{0};
  workers.for_each(scratch.size(), [&](size_t mine) {
    for (size_t block; (block = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) work(scratch[mine], block);
  });
}

/// What counts in a part of a mesh (topology_of_part).
class Owned {
 public:
  /// An empty list: everything counts.
  Owned(const MeshView& mesh, std::span<const std::uint8_t> owned) : mesh_(mesh), owned_(owned) {}
  bool vertex(uint32_t v) const { return owned_.empty() || owned_[v] != 0; }
  bool edge(EdgeKey key) const {
    if (owned_.empty()) return true;
    const auto a = static_cast<uint32_t>(key >> 32), b = static_cast<uint32_t>(key);
    return owned_[a] == owned_[b] ? owned_[a] != 0 : owned_[lesser(a, b)] != 0;
  }
  /// Whether a triangle and its edges count.
  bool all(uint32_t a, uint32_t b, uint32_t c) const {
    return owned_.empty() || owned_[a] + owned_[b] + owned_[c] == 3;
  }
  bool corners(const Corners& v) const {
    if (owned_.empty()) return true;
    const int count = owned_[v.least] + owned_[v.middle] + owned_[v.most];
    return count == 3 || (count != 0 && owned_[lesser(lesser(v.least, v.middle), v.most)] != 0);
  }

 private:
  uint32_t lesser(uint32_t a, uint32_t b) const { return mesh_.position(b) < mesh_.position(a) ? b : a; }
  const MeshView& mesh_;
  std::span<const std::uint8_t> owned_;
};

// ---- 2. blocks of triangles

/// Ranges of as many vertices as one thread counts in its cache; at most 1024 ranges, because each block of triangles
/// writes to many of them.
struct Parts {
  explicit Parts(size_t all)
      : vertices(all), shift(std::max(11, static_cast<int>(std::bit_width((all - (all != 0)) >> 10)))) {}
  size_t count() const { return (vertices + (size_t{1} << shift) - 1) >> shift; }
  size_t of(uint32_t vertex) const { return vertex >> shift; }
  uint32_t first(size_t part) const { return static_cast<uint32_t>(part << shift); }
  size_t size(size_t part) const { return std::min(size_t{1} << shift, vertices - (part << shift)); }

  size_t vertices;
  int shift;
};

/// Lists that one thread fills, one for each part, in chunks.
class Lists {
 public:
  /// To be called first; again for the same lists it does nothing. `triangles`: how many there will be, about.
  void make(size_t lists, size_t triangles) {
    lists_.resize(lists);
    at_once_ = std::clamp<size_t>(triangles / kChunk / 2, 32, 4096);
  }
  /// Numbers, not a struct in memory: vectors of two that were just written one by one would be read back.
  void add(size_t list, uint32_t least, uint32_t middle, uint32_t most) {
    List& mine = lists_[list];
    if (mine.filled == kChunk) [[unlikely]]
      add_chunk(mine);
    Corners& to = mine.newest->corners[mine.filled++];
    to.least = least, to.middle = middle, to.most = most;
  }
  template <typename Visit>
  void each(size_t list, Poll& poll, const Visit& visit) const {
    if (lists_.empty()) return;
    size_t count = lists_[list].filled;
    for (const Chunk* chunk = lists_[list].newest; chunk != nullptr; chunk = chunk->older, count = kChunk) {
      poll(static_cast<int>(2 * count));
      for (size_t i = 0; i < count; ++i) visit(chunk->corners[i]);
    }
  }

 private:
  static constexpr size_t kChunk = 170;  // 2 kB
  struct Chunk {
    Chunk* older;
    Corners corners[kChunk];
  };
  struct List {
    Chunk* newest = nullptr;
    size_t filled = kChunk;
  };
  [[gnu::noinline]] void add_chunk(List& list) {
    if (left_ == 0) {
      left_ = at_once_;
      next_ = storage_.emplace_back().resize(left_);
    }
    --left_;
    next_->older = std::exchange(list.newest, next_);
    list.filled = 0;
    ++next_;
  }

  std::vector<List> lists_;
  std::vector<Buffer<Chunk>> storage_;
  Chunk* next_ = nullptr;
  size_t left_ = 0, at_once_ = 0;
};

/// What one thread found in its blocks of triangles.
struct alignas(64) Found {
  Lists lists;                ///< of triangles; {low, high, 0} is an edge
  std::vector<Corners> sets;  ///< of triangles that are not in the lists as a whole
  uint64_t joins = 0;         ///< each of them made one component of two
};

template <typename At>
bool is_flat(const At& at, const Triangle& t) {
  const auto corner = [&at](uint32_t i) {
    const auto& p = at(i);
    return Vec3d{p[0], p[1], p[2]};
  };
  return exact::collinear(corner(t[0]), corner(t[1]), corner(t[2]));
}

/// A degenerate triangle counts as a set of corners only, and not all edges of a triangle may count.
[[gnu::noinline]] void add_apart(const Corners& v, bool flat, const Owned& owned, const Parts& parts, Found& found) {
  // Where corners coincide, the greatest is repeated: (a, a, b) and (a, b, b) are one set.
  if (owned.corners(v)) found.sets.push_back({v.least, v.least == v.middle ? v.most : v.middle, v.most});
  const auto add = [&](uint32_t low, uint32_t high) {
    if (!flat && owned.edge(edge_key(low, high))) found.lists.add(parts.of(low), low, high, 0);
  };
  add(v.least, v.middle), add(v.least, v.most), add(v.middle, v.most);
}

struct Blocks {
  std::vector<Found> found;
  std::vector<std::vector<uint32_t>> degenerate;  ///< of each block
};

/// at(i): a position of the mesh.
template <typename At>
Blocks divide(const At& at, std::span<const Triangle> all, const uint32_t* vertex, const Owned& owned,
              const Parts& parts, SharedUnionFind& sets, Zeroed<std::uint8_t>& used, Workers& workers,
              const Poll& poll) {
  Blocks blocks;
  const size_t triangles = all.size();
  // Where blocks meet, threads write what others read, so there are few blocks.
  const size_t size = std::max(kBlock, triangles / (8 * workers.count()));
  blocks.degenerate.resize((triangles + size - 1) / size);
  const auto use = [flags = used.data()](uint32_t v) {
    const std::atomic_ref entry(flags[v]);  // other threads may need the cache line
    if (entry.load(std::memory_order_relaxed) == 0) entry.store(1, std::memory_order_relaxed);
  };
  for_each_block(blocks.degenerate.size(), workers, blocks.found, [&](Found& found, size_t block) {
    const size_t first = block * size, last = std::min(triangles, first + size);
    Poll own = poll;
    Lists& lists = found.lists;
    lists.make(parts.count(), triangles / blocks.found.size());
    uint64_t joins = 0;
    const auto one = [&, at, all, vertex, owned, parts, use](size_t i) {
      const Triangle& t = all[i];
      const auto [least, middle, most] = sorted_corners(vertex[t[0]], vertex[t[1]], vertex[t[2]]);
      use(least), use(middle), use(most);
      joins += sets.join(least, middle, most);
      const bool flat = least == middle || middle == most || is_flat(at, t);
      if (flat) blocks.degenerate[block].push_back(static_cast<uint32_t>(i));
      if (flat || !owned.all(least, middle, most)) return add_apart({least, middle, most}, flat, owned, parts, found);
      const size_t part = parts.of(least), other = parts.of(middle);
      lists.add(part, least, middle, most);
      if (other != part) lists.add(other, middle, most, 0);
    };
    constexpr size_t kBatch = 64;
    for (size_t i = first; i < last;) {
      own(4 * kBatch);  // a triangle is some steps
      for (const size_t end = std::min(last, i + kBatch); i < end; ++i) one(i);
    }
    found.joins += joins;
  });
  return blocks;
}

// ---- 3. vertices, edges and duplicates

struct Counts : EdgeCounts {
  uint64_t vertices = 0;  ///< that triangles use
  uint64_t joins = 0;     ///< of components
  std::vector<uint32_t> degenerate;
};

/// Fills in what is counted part by part.
void count_parts(const std::vector<Found>& found, const Parts& parts, const Owned& owned,
                 const Zeroed<std::uint8_t>& used, Workers& workers, const Poll& poll, Counts& sum) {
  struct alignas(64) Counter {
    EdgesAtVertices edges;
    EdgeCounts counts;
    uint64_t vertices = 0;
  };
  std::vector<Counter> counters;
  for_each_block(parts.count(), workers, counters, [&](Counter& counter, size_t part) {
    Poll own = poll;
    own.now();
    EdgesAtVertices& edges = counter.edges;
    edges.begin(parts.first(part), parts.size(part));
    for (const Found& of_thread : found)
      of_thread.lists.each(part, own, [&](const Corners& v) {
        if (v.most == 0) return edges.add_edge(v.least, v.middle);
        edges.add_triangle(v);
        if (edges.has(v.middle)) edges.add_edge(v.middle, v.most);
      });
    edges.count(counter.counts, own);
    for (size_t v = parts.first(part), end = v + parts.size(part); v < end; ++v)
      counter.vertices += used[v] & owned.vertex(static_cast<uint32_t>(v));
  });
  for (const Counter& counter : counters) {
    sum += counter.counts;
    sum.vertices += counter.vertices;
  }

  std::vector<Corners> sets;
  for (const Found& of_thread : found) sets.insert(sets.end(), of_thread.sets.begin(), of_thread.sets.end());
  Poll own = poll;
  sort_polled(sets, std::less<>(), own);
  for (size_t i = 1; i < sets.size(); ++i) sum.duplicates += sets[i] == sets[i - 1];
}

/// Steps 2 and 3.
Counts count(const MeshView& mesh, const uint32_t* vertex, size_t vertices, const Owned& owned, SharedUnionFind& sets,
             Workers& workers, const Poll& poll) {
  Zeroed<std::uint8_t> used(vertices, workers);
  const Parts parts(vertices);
  const Blocks blocks = with_positions(mesh, [&](const auto& at) {
    return divide(at, mesh.triangles, vertex, owned, parts, sets, used, workers, poll);
  });
  Counts counts;
  count_parts(blocks.found, parts, owned, used, workers, poll, counts);
  for (const Found& found : blocks.found) counts.joins += found.joins;
  for (const std::vector<uint32_t>& list : blocks.degenerate)
    counts.degenerate.insert(counts.degenerate.end(), list.begin(), list.end());
  return counts;
}

// ---- 4. numbers of the components

void number_components(const MeshView& mesh, SharedUnionFind& sets, Workers& workers, const Poll& poll,
                       Topology& topology) {
  const size_t count = mesh.triangles.size();
  topology.component = large_vector<uint32_t>(count);
  Zeroed<uint32_t> first(topology.vertex.size(), workers);  // of a root: ~ of the first triangle, so that 0 is none
  workers.for_blocks(count, kBlock, [&](size_t begin, size_t end) {
    Poll(poll).now();
    uint32_t last = kNone;
    for (size_t i = begin; i < end; ++i) {
      const uint32_t root = sets.root(topology.vertex[mesh.triangles[i][0]]);
      topology.component[i] = root;
      if (root == std::exchange(last, root)) continue;
      const std::atomic_ref entry(first[root]);
      const uint32_t mine = ~static_cast<uint32_t>(i);
      for (uint32_t seen = entry.load(std::memory_order_relaxed); seen < mine;)
        if (entry.compare_exchange_weak(seen, mine, std::memory_order_relaxed)) break;
    }
  });
  // Blocks count the components that begin in them, then write the numbers of these where the first triangles were.
  const auto begins = [&](size_t i) { return first[topology.component[i]] == ~static_cast<uint32_t>(i); };
  std::vector<std::vector<uint32_t>> roots((count + kBlock - 1) / kBlock);
  workers.for_blocks(count, kBlock, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (begins(i)) roots[begin / kBlock].push_back(topology.component[i]);
  });
  std::vector<uint32_t> base;
  for (const std::vector<uint32_t>& list : roots) {
    base.push_back(topology.components);
    topology.components += static_cast<uint32_t>(list.size());
  }
  workers.for_each(roots.size(), [&](size_t block) {
    for (size_t i = 0; i < roots[block].size(); ++i) first[roots[block][i]] = base[block] + static_cast<uint32_t>(i);
  });
  workers.for_blocks(count, kBlock, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) topology.component[i] = first[topology.component[i]];
  });
}

// ---- the list of open edges

/// Calls visit(key, value, count) for each distinct (key, value), in ascending order, until it returns false: a
/// counting sort into lists by key, each sorted on its own. `each(emit)` calls emit(key, value) for all of them, twice.
template <typename Value, typename Each, typename Visit>
void each_run(size_t keys, const Each& each, const Visit& visit, Poll& poll) {
  std::vector<uint64_t> end(keys + 1, 0);
  each([&](uint32_t key, Value) { ++end[key]; });
  uint64_t sum = 0;
  for (uint64_t& e : end) sum += std::exchange(e, sum);
  std::vector<Value> values(sum);
  each([&](uint32_t key, Value value) { values[end[key]++] = value; });
  uint64_t begin = 0;
  for (uint32_t key = 0; key < keys; begin = end[key++]) {
    if (key % 1024 == 0) poll.now();
    sort_polled(std::span(values).subspan(begin, end[key] - begin), std::less<>(), poll);
    for (uint64_t i = begin, next; i < end[key]; i = next) {
      for (next = i + 1; next < end[key] && values[next] == values[i];) ++next;
      if (!visit(key, values[i], next - i)) return;
    }
  }
}

template <typename Skip>
auto each_edge(const MeshView& mesh, const std::vector<uint32_t>& vertex, const Skip& skip, Poll& poll) {
  return [&](const auto& emit) {
    poll.each(mesh.triangles.size(), [&](size_t i) {
      if (skip(i)) return;
      const Triangle v = welded(vertex, mesh.triangles[i]);
      for (int k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(v[k], v[(k + 1) % 3]);
        emit(low, high);
      }
    });
  };
}

/// `result` has the welded vertices.
Topology counted(const MeshView& mesh, const Owned& owned, Workers& workers, const Poll& poll, Topology result) {
  SharedUnionFind sets(result.vertex.size(), workers);
  Counts counts = count(mesh, result.vertex.data(), result.vertex.size(), owned, sets, workers, poll);
  result.vertices = counts.vertices;
  result.open_edges = counts.open;
  result.nonmanifold_edges = counts.nonmanifold;
  result.duplicates = counts.duplicates;
  result.degenerate = std::move(counts.degenerate);
  number_components(mesh, sets, workers, poll, result);
  return result;
}

}  // namespace

Topology topology(const MeshView& mesh, unsigned threads, const std::function<bool()>& cancel) {
  const FloatEnvironment environment;
  const Settings settings = shielded({Options{.cancel = cancel}});
  Workers workers(threads, mesh.triangles.size());
  return topology(mesh, workers, Poll(settings.cancel));
}

Topology topology(const MeshView& mesh, Workers& workers, Poll poll) {
  validate(mesh, "mesh", workers);
  Topology result;
  result.vertex = weld(mesh, workers, poll);
  return counted(mesh, {mesh, {}}, workers, poll, std::move(result));
}

Topology topology_of_part(const MeshView& mesh, std::span<const std::uint8_t> owned, Workers& workers, Poll poll) {
  Topology result;
  result.vertex = large_vector<uint32_t>(mesh.positions.size());
  std::iota(result.vertex.begin(), result.vertex.end(), 0u);
  return counted(mesh, {mesh, owned}, workers, poll, std::move(result));
}

TopologyCounts topology_counts(const MeshView& mesh, Workers& workers) {
  Buffer<uint32_t> vertex;
  const size_t vertices = weld(mesh, vertex.resize(mesh.positions.size()), workers, {}, Equal::numbered);
  SharedUnionFind sets(vertices, workers);
  Counts counts = count(mesh, vertex.data(), vertices, {mesh, {}}, sets, workers, {});
  return {.vertices = counts.vertices,
          .components = counts.vertices - counts.joins,
          .open_edges = counts.open,
          .nonmanifold_edges = counts.nonmanifold,
          .duplicates = counts.duplicates,
          .closed = counts.degenerate.size() < mesh.triangles.size() && counts.open == 0,
          .degenerate = std::move(counts.degenerate)};
}

std::vector<std::array<uint32_t, 2>> open_edges(const MeshView& mesh, const Topology& topology, size_t most,
                                                Poll poll) {
  std::vector<std::array<uint32_t, 2>> found;
  if (most == 0) return found;
  const auto skip = [&](size_t i) {
    return std::binary_search(topology.degenerate.begin(), topology.degenerate.end(), static_cast<uint32_t>(i));
  };
  const auto add = [&](uint32_t low, uint32_t high, uint64_t count) {
    if (count % 2 != 0) found.push_back({low, high});
    return found.size() < most;
  };
  each_run<uint32_t>(topology.vertex.size(), each_edge(mesh, topology.vertex, skip, poll), add, poll);
  return found;
}

}  // namespace sightline
