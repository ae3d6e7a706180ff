#include <algorithm>

#include "base/parallel.h"
#include "cull/cell_depth.h"
#include "cull/visibility.h"

namespace sightline {
namespace {

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
    const std::vector<TriangleTable::VertexPiece> pieces = table_.vertex_pieces(1 << 14);
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

  void scan(const TriangleTable::VertexPiece& piece, std::vector<Hit>& hits) const {
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

}  // namespace

unsigned estimate_visibility(const TriangleTable& table, const Frame& frame, const Bins& bins,
                             const std::vector<Interest>& interests, Workers& workers) {
  if (table.triangle_count < kFewestTriangles) return 0;
  Estimate estimate(table, frame, bins, interests);
  return estimate.has_columns() ? estimate.run(workers) : 0;
}

}  // namespace sightline
