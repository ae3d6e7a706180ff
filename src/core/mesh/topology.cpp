// Topology of a mesh: weld positions, join components, count the triangles at each edge. All of it is exact, and the
// same for every number of threads.
//
// 1. Weld: equal positions become one vertex (mesh/weld.h).
// 2. Blocks of consecutive triangles: each vertex gets the number of the block that has it, or a mark if several have
//    it. Components are joined on the way (union-find on welded vertices).
// 3. Each block by itself: degenerate triangles, by an exact test of collinearity; then edges and sets of corners,
//    counted in a table that fits a cache. An edge can be in two blocks only if both of its ends are: such edges, about
//    a tenth in a mesh with some order, go to step 4. So do sets of three such corners.
// 4. Edges and sets that blocks may share, distributed by their hash over parts that no two threads use. A part whose
//    table would not fit a cache is distributed again.
// 5. Components are numbered by their first triangle.
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
constexpr size_t kBlock = 8192;  ///< triangles; the table of their edges takes 512 kB

Triangle welded(const std::vector<uint32_t>& vertex, const Triangle& t) {
  return {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
}

/// Calls work(scratch, block, first, last) for all blocks of triangles; a thread keeps its scratch from block to block.
template <typename Scratch, typename Work>
void for_triangle_blocks(size_t count, Workers& workers, std::vector<Scratch>& scratch, const Work& work) {
  const size_t blocks = (count + kBlock - 1) / kBlock;
  scratch.resize(std::min<size_t>(workers.count(), blocks));
  std::atomic<size_t> next{0};
  workers.for_each(scratch.size(), [&](size_t mine) {
    for (size_t block; (block = next.fetch_add(1, std::memory_order_relaxed)) < blocks;)
      work(scratch[mine], block, block * kBlock, std::min(count, (block + 1) * kBlock));
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
  bool corners(const Triangle& v) const {
    if (owned_.empty()) return true;
    const int count = owned_[v[0]] + owned_[v[1]] + owned_[v[2]];
    return count == 3 || (count != 0 && owned_[lesser(lesser(v[0], v[1]), v[2])] != 0);
  }

 private:
  uint32_t lesser(uint32_t a, uint32_t b) const { return mesh_.position(b) < mesh_.position(a) ? b : a; }
  const MeshView& mesh_;
  std::span<const std::uint8_t> owned_;
};

// ---- 2. blocks and components

/// Of each vertex: 0 if no triangle has it, the number of the block that has it, counted from 1, or kNone for several.
class Owners {
 public:
  explicit Owners(size_t vertices) : block_(vertices) {}

  /// True if the vertex had no block before.
  bool mark(uint32_t vertex, uint32_t block) {
    const std::atomic_ref entry(block_[vertex]);
    uint32_t seen = entry.load(std::memory_order_relaxed);
    if (seen == block || seen == kNone) return false;
    if (seen == 0 && entry.compare_exchange_strong(seen, block, std::memory_order_relaxed)) return true;
    entry.store(kNone, std::memory_order_relaxed);
    return false;
  }
  bool several(uint32_t vertex) const { return block_[vertex] == kNone; }

 private:
  Zeroed<uint32_t> block_;
};

struct Joined {
  uint64_t vertices = 0;  ///< that triangles use
  uint64_t joins = 0;     ///< each of them made one component of two
};

/// Joins the components.
Joined mark_blocks(const MeshView& mesh, const std::vector<uint32_t>& vertex, const Owned& owned, Owners& owners,
                   SharedUnionFind& sets, Workers& workers, const Poll& poll) {
  std::vector<Joined> of_threads;
  for_triangle_blocks(mesh.triangles.size(), workers, of_threads,
                      [&](Joined& mine, size_t block, size_t first, size_t last) {
                        Poll own = poll;
                        Joined counts;
                        own.each(last - first, [&](size_t i) {
                          const Triangle v = welded(vertex, mesh.triangles[first + i]);
                          for (const uint32_t corner : v)
                            counts.vertices += owners.mark(corner, static_cast<uint32_t>(block + 1)) && owned.vertex(corner);
                          counts.joins += sets.join(v[0], v[1]);
                          counts.joins += sets.join(v[0], v[2]);
                        });
                        mine.vertices += counts.vertices;
                        mine.joins += counts.joins;
                      });
  Joined sum;
  for (const Joined& mine : of_threads) sum.vertices += mine.vertices, sum.joins += mine.joins;
  return sum;
}

// ---- 3. degenerate triangles

bool is_degenerate(const MeshView& mesh, const Triangle& t, size_t i) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
  const Triangle& stored = mesh.triangles[i];
  const Vec3d a = mesh.position(stored[0]), b = mesh.position(stored[1]), c = mesh.position(stored[2]);
  return exact::collinear(a, b, c);
}

// ---- 3 and 4. edges and duplicates

/// The results and the working memory of one thread.
struct Counter {
  static constexpr int kPartBits = 6;
  static constexpr size_t kParts = size_t{1} << kPartBits;
  EdgeTable table;
  EdgeCounts counts;
  std::vector<EdgeKey> edges[kParts];  ///< those that several blocks may have
  std::vector<CornerSet> sets[kParts];

  static size_t part_of(EdgeKey key) { return edge_hash(key) >> (64 - kPartBits); }
};

/// Triangles of a block that are counted together: the entries of their edges are fetched first.
struct Batch {
  static constexpr size_t kSize = 32;
  CornerSet sets[kSize];
  EdgeKey edges[3 * kSize];
  uint32_t set_slots[kSize], edge_slots[3 * kSize];
  bool set_is_shared[kSize], edge_is_shared[3 * kSize], degenerate[kSize];
  bool set_counts[kSize];

  void fill(const MeshView& mesh, const std::vector<uint32_t>& vertex, const Owned& owned, const Owners& owners,
            const EdgeTable& table, size_t first, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const Triangle v = welded(vertex, mesh.triangles[first + i]);
      const bool several[3] = {owners.several(v[0]), owners.several(v[1]), owners.several(v[2])};
      set_is_shared[i] = several[0] && several[1] && several[2];
      degenerate[i] = is_degenerate(mesh, v, first + i);
      set_counts[i] = owned.corners(v);
      for (size_t k = 0; k < 3; ++k) {
        edges[3 * i + k] = edge_key(v[k], v[(k + 1) % 3]);
        edge_slots[3 * i + k] = table.slot_of(edges[3 * i + k]);
        edge_is_shared[3 * i + k] = several[k] && several[(k + 1) % 3];
      }
      sets[i] = corner_set(v);
      // It is one of the three edges.
      set_slots[i] = sets[i].edge == edges[3 * i]       ? edge_slots[3 * i]
                     : sets[i].edge == edges[3 * i + 1] ? edge_slots[3 * i + 1]
                                                        : edge_slots[3 * i + 2];
    }
  }
};

/// Counts what only this block can have, and puts aside what others may have too.
void count_block(const MeshView& mesh, const std::vector<uint32_t>& vertex, const Owned& owned, const Owners& owners,
                 size_t first, size_t last, Counter& counter, std::vector<uint32_t>& degenerate, Poll poll) {
  counter.table.begin(3 * (last - first));
  Batch batch;
  for (; first < last; first += Batch::kSize) {
    const size_t count = std::min(Batch::kSize, last - first);
    poll(4 * Batch::kSize);
    batch.fill(mesh, vertex, owned, owners, counter.table, first, count);
    for (size_t i = 0; i < count; ++i) {
      if (batch.set_counts[i] && batch.set_is_shared[i])
        counter.sets[Counter::part_of(batch.sets[i].edge)].push_back(batch.sets[i]);
      else if (batch.set_counts[i])
        counter.table.add_set(batch.sets[i], batch.set_slots[i], counter.counts);
      if (batch.degenerate[i]) {
        degenerate.push_back(static_cast<uint32_t>(first + i));
        continue;
      }
      for (size_t k = 3 * i; k < 3 * i + 3; ++k)
        if (!owned.edge(batch.edges[k]))
          continue;
        else if (batch.edge_is_shared[k])
          counter.edges[Counter::part_of(batch.edges[k])].push_back(batch.edges[k]);
        else
          counter.table.add_edge(batch.edges[k], batch.edge_slots[k], counter.counts);
    }
  }
}

/// The entries of a batch are fetched before they are used.
void count_all(std::span<const EdgeKey> edges, std::span<const CornerSet> sets, EdgeTable& table, EdgeCounts& counts) {
  uint32_t slots[Batch::kSize];
  const auto in_batches = [&slots](const auto& items, const auto& slot_of, const auto& add) {
    for (size_t first = 0; first < items.size(); first += Batch::kSize) {
      const size_t count = std::min(Batch::kSize, items.size() - first);
      for (size_t i = 0; i < count; ++i) slots[i] = slot_of(items[first + i]);
      for (size_t i = 0; i < count; ++i) add(items[first + i], slots[i]);
    }
  };
  in_batches(
      edges, [&](EdgeKey key) { return table.slot_of(key); },
      [&](EdgeKey key, uint32_t slot) { table.add_edge(key, slot, counts); });
  in_batches(
      sets, [&](const CornerSet& set) { return table.slot_of(set.edge); },
      [&](const CornerSet& set, uint32_t slot) { table.add_set(set, slot, counts); });
}

/// Lists by a number that `list_of` gives each item, one behind the other: a counting sort.
template <typename Item>
struct Lists {
  Buffer<Item> items;
  std::vector<size_t> end;  ///< of each list

  template <typename Each, typename ListOf>
  Lists(size_t lists, const Each& each, const ListOf& list_of) : end(lists, 0) {
    each([&](const Item& item) { ++end[list_of(item)]; });
    size_t sum = 0;
    for (size_t& e : end) sum += std::exchange(e, sum);
    items.resize(sum);
    each([&](const Item& item) { items[end[list_of(item)]++] = item; });
  }
  std::span<const Item> list(size_t i) const {
    const size_t begin = i == 0 ? 0 : end[i - 1];
    return {items.data() + begin, end[i] - begin};
  }
};

void count_shared(std::vector<Counter>& counters, size_t part, EdgeTable& table, EdgeCounts& counts, const Poll& poll) {
  size_t keys = 0;
  for (const Counter& counter : counters) keys += counter.edges[part].size() + 2 * counter.sets[part].size();
  constexpr size_t kFits = 3 * kBlock;  // as in a block
  if (keys <= kFits) {
    table.begin(keys, Counter::kPartBits);
    for (const Counter& counter : counters) count_all(counter.edges[part], counter.sets[part], table, counts);
    return;
  }
  const int bits = std::bit_width((keys - 1) / kFits);
  const auto list_of = [bits](EdgeKey key) { return edge_hash(key) << Counter::kPartBits >> (64 - bits); };
  const auto each = [&](const auto& member) {
    return [&counters, member, part](const auto& visit) {
      for (Counter& counter : counters)
        for (const auto& item : (counter.*member)[part]) visit(item);
    };
  };
  const Lists<EdgeKey> edges(size_t{1} << bits, each(&Counter::edges), list_of);
  const Lists<CornerSet> sets(size_t{1} << bits, each(&Counter::sets), [&](const CornerSet& set) { return list_of(set.edge); });
  for (size_t i = 0; i < edges.end.size(); ++i) {
    Poll(poll).now();
    table.begin(edges.list(i).size() + 2 * sets.list(i).size(), Counter::kPartBits + bits);
    count_all(edges.list(i), sets.list(i), table, counts);
  }
}

EdgeCounts count_edges(const MeshView& mesh, const std::vector<uint32_t>& vertex, const Owned& owned, const Owners& owners,
                       Workers& workers, const Poll& poll, std::vector<uint32_t>& all_degenerate) {
  std::vector<Counter> counters;
  std::vector<std::vector<uint32_t>> degenerate((mesh.triangles.size() + kBlock - 1) / kBlock);
  for_triangle_blocks(mesh.triangles.size(), workers, counters,
                      [&](Counter& counter, size_t block, size_t first, size_t last) {
                        count_block(mesh, vertex, owned, owners, first, last, counter, degenerate[block], poll);
                      });
  for (const std::vector<uint32_t>& list : degenerate)
    all_degenerate.insert(all_degenerate.end(), list.begin(), list.end());
  std::vector<EdgeCounts> shared(Counter::kParts);
  if (degenerate.size() > 1)
    workers.for_each(Counter::kParts, [&](size_t part) {
      Poll(poll).now();
      EdgeTable table;
      count_shared(counters, part, table, shared[part], poll);
    });
  EdgeCounts sum;
  for (const Counter& counter : counters) sum += counter.counts;
  for (const EdgeCounts& counts : shared) sum += counts;
  return sum;
}

// ---- 5. numbers of the components

void number_components(const MeshView& mesh, SharedUnionFind& sets, Workers& workers, const Poll& poll,
                       Topology& topology) {
  const size_t count = mesh.triangles.size();
  topology.component = large_vector<uint32_t>(count);
  Zeroed<uint32_t> first(topology.vertex.size());  // of a root: ~ of the first triangle, so that 0 is none
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
  Owners owners(result.vertex.size());
  SharedUnionFind sets(result.vertex.size());
  result.vertices = mark_blocks(mesh, result.vertex, owned, owners, sets, workers, poll).vertices;
  const EdgeCounts edges = count_edges(mesh, result.vertex, owned, owners, workers, poll, result.degenerate);
  result.open_edges = edges.open;
  result.nonmanifold_edges = edges.nonmanifold;
  result.duplicates = edges.duplicates;
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
  const std::vector<uint32_t> vertex = weld(mesh, workers, {}, Equal::any);
  Owners owners(vertex.size());
  SharedUnionFind sets(vertex.size());
  const Owned all(mesh, {});
  const Joined joined = mark_blocks(mesh, vertex, all, owners, sets, workers, {});
  TopologyCounts result;
  const EdgeCounts edges = count_edges(mesh, vertex, all, owners, workers, {}, result.degenerate);
  result.components = joined.vertices - joined.joins;
  result.vertices = joined.vertices;
  result.open_edges = edges.open;
  result.nonmanifold_edges = edges.nonmanifold;
  result.duplicates = edges.duplicates;
  result.closed = result.degenerate.size() < mesh.triangles.size() && edges.open == 0;
  return result;
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
