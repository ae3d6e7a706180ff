#include "method/boxes.h"

#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace sightline::papers::method {

int longest_axis(const std::vector<ElementBox>& boxes) {
  Box all;
  Vec3d sizes = {0, 0, 0};
  for (const ElementBox& box : boxes) {
    all.add(box);
    for (int axis = 0; axis < 3; ++axis) sizes[axis] += box.high[axis] - box.low[axis];
  }
  int best = 0;
  const auto room = [&](int axis) { return (all.high[axis] - all.low[axis]) / std::max(sizes[axis], 1e-300); };
  for (int axis = 1; axis < 3; ++axis)
    if (room(axis) > room(best)) best = axis;
  return best;
}

void sort_along(int axis, std::vector<ElementBox>& boxes) {
  struct Key {
    double low;
    std::uint32_t at;
  };
  std::vector<Key> keys(boxes.size());  // a quarter of a box's bytes to move
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = {boxes[i].low[axis], i};
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.low < b.low; });
  std::vector<ElementBox> sorted;
  sorted.reserve(boxes.size());
  for (const Key& key : keys) sorted.push_back(boxes[key.at]);
  boxes.swap(sorted);
}

namespace {

/// Three coordinates, in cells of a grid, and one that is always 0.
using Cell [[gnu::vector_size(8)]] = std::int16_t;
Cell least(Cell a, Cell b) { return a < b ? a : b; }
Cell most(Cell a, Cell b) { return a > b ? a : b; }

/// Where other objects' boxes lie in an object's: the box around those parts, and a grid in that.
class Others {
 public:
  Others() = default;
  Others(std::span<const Box> parts, std::uint32_t triangles)
      : side_(1 << std::clamp(static_cast<int>(std::bit_width(triangles)) / 3, 1, kMostBits)),
        rows_(static_cast<std::size_t>(side_) * side_, 0) {
    for (const Box& part : parts) hull_.add(part);
    for (int axis = 0; axis < 3; ++axis) {
      const double extent = hull_.high[axis] / 2 - hull_.low[axis] / 2;  // halves: it may be twice the largest number
      scale_[axis] = extent > 1e-300 ? side_ / extent : 0;
    }
    for (const Box& part : parts)
      each_row(cell(part.low), cell(part.high), [&](std::size_t row, std::uint32_t bits) {
        rows_[row] |= bits;
        return false;
      });
  }

  /// Cells are 1 … side in the hull, 0 below and side + 1 above it. A cell's number never goes down where a coordinate
  /// goes up (each operation rounds, and rounding keeps order), so that boxes that meet have a common cell.
  Cell cell(const Vec3d& p) const {
    Cell cell = {0, 0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
      const double place = (p[axis] / 2 - hull_.low[axis] / 2) * scale_[axis];
      const double inside = std::min(std::max(place, 0.0), side_ - 1.0);
      const int in = static_cast<int>(inside) + 1;
      const int up_to = p[axis] > hull_.high[axis] ? side_ + 1 : in;
      cell[axis] = static_cast<std::int16_t>(p[axis] < hull_.low[axis] ? 0 : up_to);
    }
    return cell;
  }
  /// False only if the box whose least and largest corners are in these cells meets none of the others' boxes.
  bool meet(Cell low, Cell high) const {
    const Cell first = {1, 1, 1, 0}, last = first * static_cast<std::int16_t>(side_);
    if (std::bit_cast<std::uint64_t>((high < first) | (low > last)) != 0) return false;
    return each_row(most(low, first), least(high, last),
                    [&](std::size_t row, std::uint32_t bits) { return (rows_[row] & bits) != 0; });
  }

 private:
  static constexpr int kMostBits = 5;  ///< a row is the bits of a word

  /// Calls visit with each row of these cells, until it returns true.
  template <typename Visit>
  bool each_row(Cell low, Cell high, const Visit& visit) const {
    const std::uint32_t bits = (0xFFFFFFFFu >> (31 - (high[0] - low[0]))) << (low[0] - 1);
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        if (visit(static_cast<std::size_t>((z - 1) * side_ + y - 1), bits)) return true;
    return false;
  }

  int side_ = 0;
  Box hull_;
  Vec3d scale_ = {0, 0, 0};
  std::vector<std::uint32_t> rows_;
};

/// The triangles that are left, and their boxes.
class Leftover {
 public:
  explicit Leftover(Context& context)
      : context_(context),
        scene_(context.scene),
        boxes_(context.scene.boxes),
        first_(boxes_.size() + 1, scene_.table.triangle_count) {
    for (std::size_t o = 0; o < boxes_.size(); ++o) first_[o] = scene_.table.objects[o].first_triangle;
  }

  std::uint32_t count() const { return first_.back() - first_.front(); }
  std::uint64_t objects() const {
    std::uint64_t some = 0;
    for (std::size_t o = 0; o < boxes_.size(); ++o) some += first_[o] < first_[o + 1] ? 1 : 0;
    return some;
  }

  /// One round. False if it was stopped, or if there are so many pairs of boxes that they are not worth it.
  bool shrink() {
    std::vector<std::vector<Box>> parts;
    if (!meet_objects(parts)) return false;
    std::vector<Others> others(boxes_.size());
    constexpr std::size_t kBlock = 64;  // fewer are not worth starting a worker
    context_.workers.for_each((boxes_.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
      for (std::size_t o = block * kBlock; o < std::min((block + 1) * kBlock, boxes_.size()); ++o)
        if (!parts[o].empty()) others[o] = Others(parts[o], first_[o + 1] - first_[o]);
    });
    if (whole_) place_vertices(others, parts);
    std::vector<Run> runs;
    for (std::uint32_t o = 0; o < boxes_.size(); ++o) {
      if (!scene_.table.objects[o].options.self && parts[o].empty()) continue;
      for (std::uint32_t i = first_[o]; i < first_[o + 1]; i += std::min(kRun, first_[o + 1] - i))
        runs.push_back({o, i, i + std::min(kRun, first_[o + 1] - i), {}, {}});
    }
    context_.workers.for_each(runs.size(), [&](std::size_t i) { filter(runs[i], others[runs[i].object]); });
    take(runs);
    return true;
  }

  std::vector<std::uint32_t> triangles() && {
    if (whole_) {
      triangles_.resize(scene_.table.triangle_count);
      std::iota(triangles_.begin(), triangles_.end(), 0u);
    }
    return std::move(triangles_);
  }

 private:
  static constexpr std::uint32_t kRun = 2048;
  struct Run {
    std::uint32_t object, first, last;
    std::vector<std::uint32_t> left;
    Box box;  ///< of those
  };

  /// For each object, the parts of its box that are in others'.
  bool meet_objects(std::vector<std::vector<Box>>& parts) const {
    std::vector<ElementBox> boxes;
    for (std::uint32_t o = 0; o < boxes_.size(); ++o)
      if (first_[o] < first_[o + 1]) boxes.push_back({boxes_[o], o, o});
    parts.resize(boxes_.size());
    // Thousands of objects in one heap have millions of pairs: the number of pairs is limited to the cost of testing
    // all triangles. (3000 objects of 100 triangles that all overlap: 1 s and 546 MB without the limit, and no
    // triangle was removed.)
    const std::uint64_t most = 4 * std::uint64_t{scene_.table.triangle_count} + 65536;
    const auto unknown = [](const ElementBox&, const ElementBox&) { return false; };
    return sweep(boxes, context_.stop, most, unknown, [&](const ElementBox& a, const ElementBox& b) {
      parts[a.element].push_back(a.common(b));
      parts[b.element].push_back(a.common(b));
    });
  }

  /// While all triangles are left, a vertex has many: its cell is found once.
  void place_vertices(const std::vector<Others>& others, const std::vector<std::vector<Box>>& parts) {
    cells_ = UninitializedArray<Cell>(scene_.positions.size());
    struct Vertices {
      std::uint32_t object;
      std::size_t first, last;
    };
    std::vector<Vertices> runs;
    for (std::uint32_t o = 0; o < boxes_.size(); ++o) {
      const TriangleTable::Object& object = scene_.table.objects[o];
      if (object.options.self || parts[o].empty()) continue;
      const std::size_t end = object.first_vertex + object.vertex_count;
      for (std::size_t v = object.first_vertex; v < end; v += kRun) runs.push_back({o, v, std::min(v + kRun, end)});
    }
    context_.workers.for_each(runs.size(), [&](std::size_t i) {
      const Others& of = others[runs[i].object];
      for (std::size_t v = runs[i].first; v < runs[i].last; ++v) cells_[v] = of.cell(scene_.positions[v]);
    });
  }

  void filter(Run& run, const Others& others) const {
    const bool self = scene_.table.objects[run.object].options.self;
    for (std::uint32_t i = run.first; i < run.last; ++i) {
      const std::uint32_t triangle = whole_ ? i : triangles_[i];
      const Triangle& t = scene_.triangles[triangle];
      const auto cell = [&](std::uint32_t v) { return whole_ ? cells_[v] : others.cell(scene_.positions[v]); };
      if (!self) {
        const Cell a = cell(t[0]), b = cell(t[1]), c = cell(t[2]);
        if (!others.meet(least(least(a, b), c), most(most(a, b), c))) continue;
      }
      run.left.push_back(triangle);
      for (const Vec3d& p : scene_.corners(triangle)) run.box.add(p);
    }
  }

  void take(const std::vector<Run>& runs) {
    std::vector<std::uint32_t> left;
    std::size_t count = 0;
    for (const Run& run : runs) count += run.left.size();
    left.reserve(count);
    std::fill(boxes_.begin(), boxes_.end(), Box{});
    std::fill(first_.begin(), first_.end(), 0);
    for (const Run& run : runs) {
      left.insert(left.end(), run.left.begin(), run.left.end());
      boxes_[run.object].add(run.box);
      first_[run.object + 1] = static_cast<std::uint32_t>(left.size());
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin(),
                     [](std::uint32_t before, std::uint32_t end) { return std::max(before, end); });
    triangles_.swap(left);
    whole_ = false;
  }

  Context& context_;
  const Scene& scene_;
  std::vector<Box> boxes_;            ///< per object
  std::vector<std::uint32_t> first_;  ///< per object and one more: its triangles in `triangles_`
  std::vector<std::uint32_t> triangles_;
  UninitializedArray<Cell> cells_;  ///< per vertex, in the first round
  bool whole_ = true;               ///< all triangles are left, and not written down
};

}  // namespace

std::vector<std::uint32_t> near_others(Context& context) {
  Leftover left(context);
  const auto& objects = context.scene.table.objects;
  if (std::all_of(objects.begin(), objects.end(), [](const auto& object) { return object.options.self; }))
    return std::move(left).triangles();
  PassClock clock(context, "boxes", {0, 0, 0});
  clock.pass().pcs_before = left.count();
  clock.pass().elements_before = left.objects();
  constexpr int kRounds = 2;  // docs/decisions.md has what each leaves
  for (int round = 0; round < kRounds && left.shrink(); ++round) {
  }
  clock.pass().pcs_after = left.count();
  clock.pass().elements_after = left.objects();
  std::vector<std::uint32_t> triangles = std::move(left).triangles();
  if (context.options.record_dropped)
    for (std::uint32_t t = 0, at = 0; t < context.scene.table.triangle_count; ++t) {
      if (at < triangles.size() && triangles[at] == t)
        ++at;
      else
        context.drop(t);
    }
  clock.end();
  return triangles;
}

}  // namespace sightline::papers::method
