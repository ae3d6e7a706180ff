#include "cull/visibility.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "cull/cell_depth.h"

namespace sightline {
namespace {

/// The cull pays from here on (docs/decisions.md).
constexpr unsigned kLeastPercent = 20;

constexpr int kMostBlockCells = 16;

/// False if the box has so many cells that the triangles are better drawn one by one, each on its own level; such a
/// block always stays.
bool is_compact(const CellBox& box) {
  return (box.high[0] - box.low[0] + 1) * (box.high[1] - box.low[1] + 1) <= kMostBlockCells;
}

class Culler {
 public:
  Culler(const TriangleTable& table, const Frame& frame, const Bins& bins, Workers& workers, Watch& watch,
         Selection& selection)
      : table_(table), frame_(frame), bins_(bins), workers_(workers), watch_(watch), selection_(selection) {}

  /// The number of triangles that left.
  std::uint64_t run() {
    draw();
    if (watch_.stop()) return 0;
    merge();
    spread();
    std::vector<std::uint64_t> gone(selection_.runs.size(), 0);
    workers_.for_each(selection_.runs.size(), [&](std::size_t part) { gone[part] = keep_hidden(part); });
    rebalance(selection_);
    return std::accumulate(gone.begin(), gone.end(), std::uint64_t{0});
  }
  std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& image : images_) bytes += image.capacity() * sizeof(CellDepth);
    for (const auto& boxes : boxes_) bytes += boxes.capacity() * sizeof(CellBox);
    return bytes;
  }

 private:
  /// Calls visit(block as a run) for all blocks of a run, in order.
  template <typename Visit>
  static void each_block(const Run& run, const Visit& visit) {
    for (std::uint32_t first = run.first; first < run.last; first += std::min(kBlock, run.last - first))
      visit(Run{run.object, first, first + std::min(kBlock, run.last - first)});
  }

  std::uint32_t index_of(const Run& block) const {
    return static_cast<std::uint32_t>(block.object - table_.objects.data());
  }
  const Interest& interest_of(const Run& block) const { return selection_.interests[index_of(block)]; }

  /// Calls visit(column) for the cells of a box, until a call returns false. Returns false if a call did.
  template <typename Visit>
  bool each_column(const CellBox& box, const Visit& visit) const {
    for (int v = box.low[1]; v <= box.high[1]; ++v)
      for (int u = box.low[0]; u <= box.high[0]; ++u)
        if (!visit(frame_.levels.column(0, u, v))) return false;
    return true;
  }

  /// Draws every part into an image of its own; the boxes are kept for the test.
  void draw() {
    images_.resize(selection_.runs.size());
    boxes_.resize(selection_.runs.size());
    workers_.for_each(images_.size(), [&](std::size_t part) {
      images_[part].assign(frame_.levels.columns(), {});
      for (const Run& run : selection_.runs[part])
        in_pieces(run, watch_, [&](const Run& piece) {
          each_block(piece, [&](const Run& block) { draw(block, images_[part], boxes_[part]); });
        });
    });
  }

  void draw(const Run& block, std::vector<CellDepth>& image, std::vector<CellBox>& boxes) const {
    const std::uint32_t id = index_of(block);
    const CellBox& box = boxes.emplace_back(box_of(bins_, block));
    if (!interest_of(block).holds(box.low, box.high)) return;
    if (is_compact(box)) {
      each_column(box, [&](std::size_t column) {
        image[column].add(id, box.low[2], box.high[2]);
        return true;
      });
    } else {
      rasterize(table_, frame_, bins_, selection_.interests, block,
                [&](std::size_t column, const Entry& e, const CellBox&) {
                  image[column].add(id, e.slab, e.slab + e.span());
                });
    }
  }

  void merge() {
    constexpr std::size_t kPiece = 4096;
    std::vector<CellDepth>& all = images_[0];
    workers_.for_blocks(all.size(), kPiece, [&](std::size_t first, std::size_t last) {
      for (std::size_t part = 1; part < images_.size(); ++part)
        for (std::size_t i = first; i < last; ++i) all[i].add(images_[part][i]);
    });
  }

  /// Copies the depths of a coarse level to all columns of level 0 below it.
  void spread() {
    const rules::Levels& levels = frame_.levels;
    for (int level = levels.count - 2; level >= 0; --level)
      for (std::int32_t v = 0; v < levels.height[level]; ++v)
        for (std::int32_t u = 0; u < levels.width[level]; ++u)
          images_[0][levels.column(level, u, v)].add(
              images_[0][levels.column(level + 1, u >> rules::kLevelShift, v >> rules::kLevelShift)]);
  }

  /// Keeps the blocks that are not clear in some cell; returns the number of triangles of interest in the other blocks.
  std::uint64_t keep_hidden(std::size_t part) const {
    std::vector<Run> kept;
    std::uint64_t gone = 0;
    const CellBox* box = boxes_[part].data();
    for (const Run& run : selection_.runs[part])
      each_block(run, [&](const Run& block) {
        const bool of_interest = interest_of(block).holds(box->low, box->high);
        if (!of_interest || clear(block, *box))
          gone += of_interest ? block.last - block.first : 0;
        else if (!kept.empty() && kept.back().object == block.object && kept.back().last == block.first)
          kept.back().last = block.last;
        else
          kept.push_back(block);
        ++box;
      });
    selection_.runs[part] = std::move(kept);
    return gone;
  }

  bool clear(const Run& block, const CellBox& box) const {
    const std::uint32_t id = index_of(block);
    return !block.object->options.self && is_compact(box) &&
           each_column(box, [&](std::size_t column) { return images_[0][column].clear(id, box.low[2], box.high[2]); });
  }

  const TriangleTable& table_;
  const Frame& frame_;
  const Bins& bins_;
  Workers& workers_;
  Watch& watch_;
  Selection& selection_;
  std::vector<std::vector<CellDepth>> images_;  // per part; the first one becomes that of all
  std::vector<std::vector<CellBox>> boxes_;     // per part, of its blocks
};

/// Smaller scenes are not worth an estimate.
constexpr std::uint32_t kFewestTriangles = 8192;

/// The vertices in a sample of the columns, many of them there: a few vertices in every column would leave out what
/// lies between, and find clear what is not. A column is in the sample if its u and v end in certain bits, which is
/// seen at once in the packed cells of the vertices.
class Estimate {
 public:
  Estimate(const TriangleTable& table, const Frame& frame, const Bins& bins, const std::vector<Interest>& interests)
      : table_(table), bins_(bins), interests_(interests) {
    // 1 column in 2^(bits of u and v) is in the sample.
    for (int k = 0; table.vertex_count / kSkip >> (bits_[0] + bits_[1]) > kMostHits; k = 1 - k) ++bits_[k];
    for (int k = 0; k < 2; ++k) mask_ |= ((std::uint64_t{1} << bits_[k]) - 1) << (16 * k);
    width_ = (static_cast<std::size_t>(frame.size[0]) >> bits_[0]) + 1;
    image_.resize(width_ * ((static_cast<std::size_t>(frame.size[1]) >> bits_[1]) + 1));
  }
  bool has_columns() const { return image_.size() >= kFewestColumns; }

  /// Per cent of the vertices that are of interest and yet clear.
  unsigned run(Workers& workers) {
    const std::vector<TriangleTable::Run> pieces = table_.vertex_pieces(1 << 14);
    std::vector<std::vector<Hit>> hits(std::min(workers.count(), 16u));
    workers.for_each(hits.size(), [&](std::size_t part) {
      hits[part].reserve(2 * kMostHits / hits.size());
      for (std::size_t i = part; i < pieces.size(); i += hits.size()) scan(pieces[i], hits[part]);
    });
    std::size_t all = 0, clear = 0;
    const int reach = block_reach();
    for (const auto& part : hits)
      for (const Hit& hit : part)
        if (hit.of_interest) image_[hit.column].add(hit.object, hit.slab, hit.slab);
    for (const auto& part : hits)
      for (const Hit& hit : part) {
        ++all;
        clear += hit.of_interest && !table_.objects[hit.object].options.self &&
                 image_[hit.column].clear(hit.object, hit.slab - reach, hit.slab + reach);
      }
    return all == 0 ? 0 : static_cast<unsigned>(100 * clear / all);
  }

 private:
  struct Hit {
    std::uint32_t object, column;
    std::int16_t slab;
    bool of_interest;
  };

  void scan(const TriangleTable::Run& piece, std::vector<Hit>& hits) const {
    const auto object = static_cast<std::uint32_t>(piece.object - table_.objects.data());
    const std::uint64_t* cells = bins_.vertex_cells.data() + piece.object->first_vertex;
    const std::uint64_t mask = mask_, pattern = mask & 0x5555'5555u;
    const auto sampled = [=](std::uint32_t i) { return (cells[i] & mask) == pattern; };
    // One cache line in two; neighbours in the list lie close together, so that every surface in the column still
    // shows.
    constexpr std::uint32_t kLine = 8, kStep = kSkip * kLine;
    for (std::uint32_t line = piece.first; line < piece.last; line += kStep) {
      const std::uint32_t end = std::min(piece.last, line + kLine);
      for (std::uint32_t i = line; i < end; ++i)
        if (sampled(i)) hits.push_back(hit(object, load_cell(cells, i)));
    }
  }

  Hit hit(std::uint32_t object, CellBox::Lanes cell) const {
    const std::size_t column = (static_cast<std::size_t>(cell[1]) >> bits_[1]) * width_ + (cell[0] >> bits_[0]);
    return {object, static_cast<std::uint32_t>(column), cell[2], interests_[object].holds(cell, cell)};
  }

  /// How many slabs a block reaches beyond its vertices in a column, on the average: half of its depth.
  int block_reach() const {
    constexpr std::uint32_t kBlocks = 64;
    std::uint32_t guess = 0;
    int depth = 0;
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      const auto id = static_cast<std::uint32_t>(std::uint64_t{table_.triangle_count} * i / kBlocks);
      const auto& object = table_.object_of(id, guess);
      const std::uint32_t first = id - object.first_triangle;
      const CellBox box = box_of(bins_, {&object, first, std::min(object.triangle_count, first + kBlock)});
      depth += box.high[2] - box.low[2];
    }
    return depth / static_cast<int>(2 * kBlocks);
  }

  static constexpr std::uint32_t kSkip = 2;
  static constexpr std::uint64_t kMostHits = 3072;
  static constexpr std::size_t kFewestColumns = 8;
  const TriangleTable& table_;
  const Bins& bins_;
  const std::vector<Interest>& interests_;
  int bits_[2] = {};
  std::uint64_t mask_ = 0;
  std::size_t width_ = 1;
  std::vector<CellDepth> image_;  // of the sampled columns
};

/// Per cent of all triangles that the cull would remove beyond the object cull, estimated from a sample in a coarse
/// image.
unsigned estimate_visibility(const TriangleTable& table, const Frame& frame, const Bins& bins,
                             const std::vector<Interest>& interests, Workers& workers) {
  if (table.triangle_count < kFewestTriangles) return 0;
  Estimate estimate(table, frame, bins, interests);
  return estimate.has_columns() ? estimate.run(workers) : 0;
}

}  // namespace

VisibilityOutcome cull_by_visibility(const TriangleTable& table, const Frame& frame, const Bins& bins,
                                     VisibilityCull when, Workers& workers, Watch& watch, Selection& selection) {
  if (when == VisibilityCull::off) return {0, "culled, switched off"};
  if (when == VisibilityCull::automatic)
    if (const unsigned percent = estimate_visibility(table, frame, bins, selection.interests, workers);
        percent < kLeastPercent)
      return {percent, "% expected, skipped"};
  Culler culler(table, frame, bins, workers, watch, selection);
  const std::uint64_t culled = culler.run();
  return {culled, "triangles culled", culler.bytes()};
}

}  // namespace sightline
