#include "method/hierarchy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>

#include "mesh/weld.h"

namespace sightline::papers::method {
namespace {

constexpr std::uint32_t kNone = kNoTriangle;

/// An edge of triangle `slot / 3`, listed at the lower of its two vertices.
struct HalfEdge {
  std::uint32_t high, slot;
};

/// The neighbours of triangles of an object across their edges. Triangles are numbered by their place in the list.
class DualGraph {
 public:
  DualGraph(const Scene& scene, const TriangleTable::Object& object, std::span<const std::uint32_t> triangles,
            std::span<const std::uint32_t> vertex) {
    const auto first_vertex = static_cast<std::uint32_t>(object.first_vertex);
    const auto corner = [&](std::size_t slot) {
      return vertex[scene.triangles[triangles[slot / 3]][slot % 3]] - first_vertex;
    };
    const auto ends = [&](std::size_t slot) {
      const std::uint32_t p = corner(slot), q = corner(slot % 3 == 2 ? slot - 2 : slot + 1);
      return std::pair(std::min(p, q), std::max(p, q));
    };
    // Half-edges by their lower vertex: count, scan, fill.
    const std::size_t slots = triangles.size() * 3;
    std::vector<std::uint32_t> begin(object.vertex_count + 1, 0);
    for (std::size_t slot = 0; slot < slots; ++slot) ++begin[ends(slot).first + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<HalfEdge> edges(slots);
    std::vector<std::uint32_t> place(begin.begin(), begin.end() - 1);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto [low, high] = ends(slot);
      edges[place[low]++] = {high, static_cast<std::uint32_t>(slot)};
    }
    across_.assign(slots, kNone);
    for (std::uint32_t v = 0; v < object.vertex_count; ++v)
      join({edges.data() + begin[v], edges.data() + begin[v + 1]});
  }

  std::vector<std::uint32_t> take() { return std::move(across_); }

 private:
  void join(std::span<HalfEdge> edges) {
    constexpr std::size_t kFew = 32;
    if (edges.size() > kFew)  // a fan's hub
      std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
        return std::pair(a.high, a.slot) < std::pair(b.high, b.slot);
      });
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (across_[edges[i].slot] != kNone) continue;
      std::size_t last = i;
      for (std::size_t j = i + 1; j < edges.size(); ++j) {
        if (edges[j].high == edges[i].high) {
          across_[edges[last].slot] = edges[j].slot / 3;
          last = j;
        } else if (edges.size() > kFew) {
          break;
        }
      }
      if (last != i) across_[edges[last].slot] = edges[i].slot / 3;
    }
  }

  std::vector<std::uint32_t> across_;
};

/// Recursive bisection of a graph whose nodes are 0 … n - 1, three neighbours each.
class Bisection {
 public:
  Bisection(std::vector<std::uint32_t> across, std::uint32_t leaf)
      : across_(std::move(across)), leaf_(std::max(leaf, 2u)) {
    const std::size_t count = across_.size() / 3;
    order_.resize(count);
    walked_.resize(count);
    place_.resize(count);
    seen_.resize(count, 0);
    std::iota(order_.begin(), order_.end(), 0u);
    std::iota(place_.begin(), place_.end(), 0u);
  }

  /// The upper nodes are split here; then each subtree is a graph of its own, which may fit into a worker's cache.
  std::vector<std::uint32_t> run(Workers& workers) {
    std::vector<Range> nodes = {{0, static_cast<std::uint32_t>(order_.size())}};
    walk(nodes.front());  // only to find a far end
    constexpr std::size_t kSubtrees = 8, kLarge = 4096;
    while (nodes.size() < kSubtrees && nodes.front().size() > std::max<std::size_t>(leaf_, kLarge)) {
      std::vector<Range> halves;
      for (const Range& node : nodes) {
        walk(node);
        halves.insert(halves.end(), {node.part(0, 2), node.part(1, 2)});
      }
      nodes.swap(halves);
    }
    if (nodes.size() == 1) {
      split(nodes.front());
      return std::move(order_);
    }
    workers.for_each(nodes.size(), [&](std::size_t i) {
      Bisection part(subgraph(nodes[i]), leaf_);
      part.split({0, nodes[i].size()});
      for (std::uint32_t& node : part.order_) node = order_[nodes[i].first + node];
      std::copy(part.order_.begin(), part.order_.end(), walked_.begin() + nodes[i].first);
    });
    return std::move(walked_);
  }

 private:
  std::vector<std::uint32_t> subgraph(const Range& range) const {
    std::vector<std::uint32_t> across(std::size_t{3} * range.size(), kNone);
    for (std::uint32_t i = 0; i < range.size(); ++i)
      for (std::uint32_t edge = 0; edge < 3; ++edge) {
        const std::uint32_t other = across_[std::size_t{3} * order_[range.first + i] + edge];
        if (other != kNone && place_[other] - range.first < range.size())
          across[std::size_t{3} * i + edge] = place_[other] - range.first;
      }
    return across;
  }

  void split(const Range& node) {
    if (node.size() <= leaf_) return;
    walk(node);
    split(node.part(0, 2));
    split(node.part(1, 2));
  }

  /// Puts the range into the order in which a walk from its last node meets it; components follow each other.
  void walk(const Range& range) {
    ++stamp_;
    std::uint32_t head = range.first, tail = range.first, next = range.last;
    const auto visit = [&](std::uint32_t node) {
      seen_[node] = stamp_;
      walked_[tail++] = node;
    };
    while (tail < range.last) {
      while (seen_[order_[next - 1]] == stamp_) --next;
      visit(order_[next - 1]);
      for (; head < tail; ++head)
        for (std::uint32_t edge = 0; edge < 3; ++edge) {
          const std::uint32_t other = across_[std::size_t{3} * walked_[head] + edge];
          if (other != kNone && place_[other] - range.first < range.size() && seen_[other] != stamp_) visit(other);
        }
    }
    for (std::uint32_t i = range.first; i < range.last; ++i) {
      order_[i] = walked_[i];
      place_[order_[i]] = i;
    }
  }

  std::vector<std::uint32_t> across_;
  std::uint32_t leaf_;
  std::vector<std::uint32_t> order_, walked_;  ///< walked_ is scratch
  std::vector<std::uint32_t> place_, seen_;    ///< per node: its place in order_, and the last walk that met it
  std::uint32_t stamp_ = 0;
};

}  // namespace

Range Range::part(std::uint32_t i, std::uint32_t n) const {
  Range part = *this;
  for (; n > 1; n /= 2) {
    const std::uint32_t middle = part.first + part.size() / 2;
    (i % n >= n / 2 ? part.first : part.last) = middle;
  }
  return part;
}

std::vector<std::uint32_t> welded(const Scene& scene) {
  std::vector<std::uint32_t> vertex(scene.positions.size());
  for (const TriangleTable::Object& object : scene.table.objects) {
    const auto first = static_cast<std::uint32_t>(object.first_vertex);
    const std::vector<std::uint32_t> own =
        weld(std::span<const Vec3d>(scene.positions).subspan(first, object.vertex_count));
    for (std::uint32_t v = 0; v < own.size(); ++v) vertex[first + v] = first + own[v];
  }
  return vertex;
}

std::vector<std::uint32_t> across_edges(const Scene& scene, std::uint32_t object,
                                        std::span<const std::uint32_t> triangles,
                                        std::span<const std::uint32_t> vertex) {
  return DualGraph(scene, scene.table.objects[object], triangles, vertex).take();
}

Hierarchy::Hierarchy(const Scene& scene) : scene_(scene), order_(scene.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  for (const TriangleTable::Object& object : scene.table.objects) first_.push_back(object.first_triangle);
  first_.push_back(scene.table.triangle_count);
}

Hierarchy::Hierarchy(const Scene& scene, std::vector<std::uint32_t> triangles)
    : scene_(scene), order_(std::move(triangles)) {
  const auto place = [&](std::uint32_t triangle) {
    return static_cast<std::uint32_t>(std::lower_bound(order_.begin(), order_.end(), triangle) - order_.begin());
  };
  for (const TriangleTable::Object& object : scene.table.objects) first_.push_back(place(object.first_triangle));
  first_.push_back(static_cast<std::uint32_t>(order_.size()));
}

void Hierarchy::extract(Context& context) {
  const std::size_t count = order_.size();
  const std::size_t bytes = count * (3 * sizeof(Vec3d) + sizeof(Triangle));
  const std::size_t all = scene_.positions.size() * sizeof(Vec3d) + scene_.triangles.size() * sizeof(Triangle);
  if (bytes >= all || 3 * count > 0xFFFFFFFFu) return;
  context.extract = {UninitializedArray<Vec3d>(3 * count), UninitializedArray<Triangle>(count)};
  numbers_.resize(count);
  std::iota(numbers_.begin(), numbers_.end(), 0u);
  constexpr std::size_t kBlock = 1024;
  context.workers.for_each((count + kBlock - 1) / kBlock, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, count); ++i) {
      const std::array<Vec3d, 3> corners = scene_.corners(order_[i]);
      std::copy(corners.begin(), corners.end(), context.extract.positions.data() + 3 * i);
      const auto first = static_cast<std::uint32_t>(3 * i);
      context.extract.triangles[i] = {first, first + 1, first + 2};
    }
  });
  context.raster.geometry(context.extract.geometry(scene_.box));
  extracted_ = true;
}

void Hierarchy::connect(std::uint32_t object, std::uint32_t leaf, std::span<const std::uint32_t> vertex,
                        Workers& workers) {
  const Range range = this->object(object);
  if (range.size() == 0) return;
  const std::vector<std::uint32_t> before(order_.begin() + range.first, order_.begin() + range.last);
  const std::vector<std::uint32_t> order = Bisection(across_edges(scene_, object, before, vertex), leaf).run(workers);
  for (std::uint32_t i = 0; i < range.size(); ++i) order_[range.first + i] = before[order[i]];
}

namespace {

constexpr int kMostBits = 5;  ///< a side: at most 32^3 cells in an object's box

/// About a cell for each triangle, as far as that goes.
int cell_bits(std::uint32_t triangles) {
  return std::clamp(static_cast<int>(std::bit_width(triangles)) / 3, 1, kMostBits);
}

/// Bit i of a cell's coordinate at bit 3 i.
std::uint32_t spread_bits(std::uint32_t v) {
  std::uint32_t out = 0;
  for (int bit = 0; bit < kMostBits; ++bit) out |= (v >> bit & 1u) << (3 * bit);
  return out;
}

/// Cells of an object's box, by number along the curve. Halves are taken first: a box may be as wide as two of the
/// largest numbers.
class Cells {
 public:
  Cells(const Box& box, int bits) : side_(1 << bits), low_(box.low) {
    for (int axis = 0; axis < 3; ++axis) {
      const double extent = box.high[axis] / 2 - box.low[axis] / 2;
      scale_[axis] = extent > 1e-300 ? side_ / extent : 0;
    }
    for (std::uint32_t i = 0; i < spread_.size(); ++i) spread_[i] = spread_bits(i);
  }
  std::uint16_t of(const Vec3d& p) const {
    std::uint32_t code = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double at = (p[axis] / 2 - low_[axis] / 2) * scale_[axis];
      code |= spread_[static_cast<std::uint32_t>(std::min(at, side_ - 1))] << axis;
    }
    return static_cast<std::uint16_t>(code);
  }

 private:
  double side_;
  Vec3d low_;
  Vec3d scale_;
  std::array<std::uint32_t, 1 << kMostBits> spread_;
};

}  // namespace

void Hierarchy::sort_in_space(std::uint32_t object, Workers& workers) {
  const Range range = this->object(object);
  if (range.size() == 0) return;
  const std::vector<std::uint32_t> before(order_.begin() + range.first, order_.begin() + range.last);
  const auto corner = [&](std::uint32_t i) { return scene_.positions[scene_.triangles[before[i]][0]]; };
  constexpr std::uint32_t kBlock = 16384;
  const std::uint32_t blocks = (range.size() + kBlock - 1) / kBlock;
  const auto each = [&](std::size_t block, const auto& visit) {
    const auto first = static_cast<std::uint32_t>(block) * kBlock;
    for (std::uint32_t i = first; i < first + std::min(kBlock, range.size() - first); ++i) visit(i);
  };
  std::vector<Box> boxes(blocks);
  workers.for_each(blocks, [&](std::size_t block) {
    Box box;
    each(block, [&](std::uint32_t i) { box.add(corner(i)); });
    boxes[block] = box;
  });
  Box all;
  for (const Box& box : boxes) all.add(box);
  const int bits = cell_bits(range.size());
  const Cells cells(all, bits);
  const std::unique_ptr<std::uint16_t[]> code(new std::uint16_t[range.size()]);
  workers.for_each(blocks,
                   [&](std::size_t block) { each(block, [&](std::uint32_t i) { code[i] = cells.of(corner(i)); }); });
  // Stable: within a cell the order stays what it was.
  std::vector<std::uint32_t> place(std::size_t{1} << (3 * bits), 0);
  for (std::uint32_t i = 0; i < range.size(); ++i) ++place[code[i]];
  std::uint32_t sum = range.first;
  for (std::uint32_t& at : place) sum += std::exchange(at, sum);
  for (std::uint32_t i = 0; i < range.size(); ++i) order_[place[code[i]]++] = before[i];
}

void Hierarchy::shuffle(std::uint32_t object) {
  const Range range = this->object(object);
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  for (std::uint32_t i = range.size(); i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto j = static_cast<std::uint32_t>((state >> 33) % i);
    std::swap(order_[range.first + i - 1], order_[range.first + j]);
  }
}

}  // namespace sightline::papers::method
