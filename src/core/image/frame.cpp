#include "image/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/box.h"
#include "base/parallel.h"
#include "input/watch.h"

namespace sightline {
namespace {

Box scene_bounds(const TriangleTable& table, Workers& workers, Watch& watch) {
  const std::vector<TriangleTable::Run> pieces = table.vertex_pieces(1 << 16);
  std::vector<Box> partial(pieces.size());
  workers.for_each(pieces.size(), [&](std::size_t i) {
    if (watch.stop()) return;
    const auto& [object, first, last] = pieces[i];
    partial[i] = object->bounds(first, last);
  });
  Box bounds;
  for (const Box& box : partial) bounds.add(box);
  return bounds;
}

/// A length that may have overflowed.
double finite(double length) { return std::min(length, std::numeric_limits<double>::max()); }

struct Sample {
  double extent = 0;       ///< of a typical triangle
  double low[3], high[3];  ///< bounds of the middle 99 % of the centres, per axis
};

/// The root mean square, since a triangle costs by the columns that its box covers; without those that are very much
/// larger than the median, which no cell suits.
double typical(std::vector<double>& extents) {
  constexpr double kMostMedians = 64;
  const auto middle = extents.begin() + static_cast<std::ptrdiff_t>(extents.size() / 2);
  std::nth_element(extents.begin(), middle, extents.end());
  const double unit = *middle > 0 ? *middle : *std::max_element(extents.begin(), extents.end());
  if (unit == 0) return 0;
  double sum = 0, count = 0;
  for (const double extent : extents)
    if (const double ratio = extent / unit; ratio <= kMostMedians) {
      sum += ratio * ratio;
      ++count;
    }
  return finite(unit * std::sqrt(sum / count));
}

Sample take_sample(const TriangleTable& table) {
  constexpr std::uint32_t kSamples = 4096;
  const std::uint32_t step = std::max<std::uint32_t>(1, table.triangle_count / kSamples);
  Sample sample;
  std::vector<double> middle[3], extents;
  std::uint32_t guess = 0;
  for (std::uint64_t id = step / 2; id < table.triangle_count; id += step) {
    const auto& object = table.object_of(static_cast<std::uint32_t>(id), guess);
    const Box box = box_of(object.corners(static_cast<std::uint32_t>(id)));
    double extent = 0;
    for (int k = 0; k < 3; ++k) {
      extent = std::max(extent, finite(box.high[k] - box.low[k]));
      middle[k].push_back(box.middle(k));
    }
    extents.push_back(extent);
  }
  sample.extent = typical(extents);
  const std::size_t count = middle[0].size(), tail = count / 200;
  for (int k = 0; k < 3; ++k) {
    std::nth_element(middle[k].begin(), middle[k].begin() + tail, middle[k].end());
    sample.low[k] = middle[k][tail];
    std::nth_element(middle[k].begin(), middle[k].end() - 1 - tail, middle[k].end());
    sample.high[k] = middle[k][count - 1 - tail];
  }
  return sample;
}

struct Range {
  double low, extent;
};

/// The grid covers where nearly all triangles are. If that is nearly everything, it covers everything; but a ground
/// plane a thousand times larger than the model on it must not leave the model in a single cell.
Range grid_range(const Box& bounds, const Sample& sample, int k) {
  const double margin = 0.02 * finite(sample.high[k] - sample.low[k]) + sample.extent;
  const double low = std::max(bounds.low[k], sample.low[k] - margin),
               high = std::min(bounds.high[k], sample.high[k] + margin);
  const double all = finite(bounds.high[k] - bounds.low[k]), most = finite(high - low);
  return all / 1.5 <= most ? Range{bounds.low[k], all} : Range{low, most};
}

/// Slabs are thinner than columns are wide: a slice of a column takes whole slabs, so that thin ones fill it better.
constexpr double kSlabsPerCell = 5;

}  // namespace

Frame make_frame(const TriangleTable& table, const Settings& options, Workers& workers, Watch& watch) {
  const Box bounds = scene_bounds(table, workers, watch);
  if (watch.stopped()) return {};
  const Sample sample = take_sample(table);
  Range range[3];
  for (int k = 0; k < 3; ++k) range[k] = grid_range(bounds, sample, k);
  const auto shorter = [](const Range& a, const Range& b) { return a.extent < b.extent; };
  const int depth = options.axis == Axis::automatic
                        ? static_cast<int>(std::min_element(range, range + 3, shorter) - range)
                        : static_cast<int>(options.axis) - 1;
  Frame frame;
  frame.axis[2] = depth;
  frame.axis[0] = (depth + 1) % 3;
  frame.axis[1] = (depth + 2) % 3;
  frame.extent = sample.extent;

  const double wanted = finite((options.cell > 0 ? options.cell : 5.0) * sample.extent);
  const double u = range[frame.axis[0]].extent, v = range[frame.axis[1]].extent, w = range[depth].extent;
  // At most about one column for every two triangles, however small the sampled triangles are.
  const double most_columns = std::max(64.0, table.triangle_count / 2.0);
  const double cell = std::max({wanted, std::sqrt(u) * std::sqrt(v) / std::sqrt(most_columns),
                                std::max(u, v) / std::min(most_columns, 16384.0)});
  const double step[3] = {cell, cell, std::max(cell / kSlabsPerCell, w / kMaxSlabs)};
  for (int k = 0; k < 3; ++k) {
    const auto& [low, extent] = range[frame.axis[k]];
    frame.low[k] = bounds.low[frame.axis[k]];
    frame.high[k] = bounds.high[frame.axis[k]];
    frame.origin[k] = low;
    frame.cells_per_unit[k] =
        std::clamp(1 / step[k], rules::kLeastCellsPerUnit<double>, rules::kMostCellsPerUnit<double>);
    const double most = k == 2 ? kMaxSlabs : kMaxCells;
    frame.size[k] = static_cast<std::int32_t>(std::clamp(std::ceil(extent * frame.cells_per_unit[k]), 1.0, most));
  }
  frame.levels = rules::Levels(frame.size[0], frame.size[1]);
  return frame;
}

}  // namespace sightline
