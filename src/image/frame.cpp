#include "image/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "parallel.h"

namespace sightline {
namespace {

struct Bounds {
  double low[3] = {INFINITY, INFINITY, INFINITY};
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
};

template <typename Point>
Bounds bounds_of(const Point* points, std::size_t count) {
  using Scalar = typename Point::value_type;
  constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
  Scalar low[3] = {kInfinity, kInfinity, kInfinity}, high[3] = {-kInfinity, -kInfinity, -kInfinity};
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      low[k] = points[i][k] < low[k] ? points[i][k] : low[k];
      high[k] = points[i][k] > high[k] ? points[i][k] : high[k];
    }
  Bounds bounds;
  for (int k = 0; k < 3; ++k) {
    bounds.low[k] = low[k];
    bounds.high[k] = high[k];
  }
  return bounds;
}

void grow(Bounds& bounds, const Bounds& other) {
  for (int k = 0; k < 3; ++k) {
    bounds.low[k] = std::min(bounds.low[k], other.low[k]);
    bounds.high[k] = std::max(bounds.high[k], other.high[k]);
  }
}

Bounds scene_bounds(const TriangleTable& table, Workers& workers) {
  const std::vector<TriangleTable::VertexPiece> pieces = table.vertex_pieces(1 << 16);
  std::vector<Bounds> partial(pieces.size());
  workers.for_each(pieces.size(), [&](std::size_t i) {
    const auto& [object, first, last] = pieces[i];
    partial[i] = object->f32 != nullptr ? bounds_of(object->f32 + first, last - first)
                                        : bounds_of(object->f64 + first, last - first);
  });
  Bounds bounds;
  for (const Bounds& b : partial) grow(bounds, b);
  return bounds;
}

/// What a sample of the triangles says: their mean size, and where they are.
struct Sample {
  double mean_extent = 0;  ///< prescaled
  double low[3], high[3];  ///< prescaled bounds of the middle 99 % of the centres, per axis
};

Sample take_sample(const TriangleTable& table, double prescale) {
  constexpr std::uint32_t kSamples = 4096;
  const std::uint32_t step = std::max<std::uint32_t>(1, table.triangle_count / kSamples);
  Sample sample;
  std::vector<double> middle[3];
  std::uint32_t guess = 0;
  for (std::uint64_t id = step / 2; id < table.triangle_count; id += step) {
    const auto& object = table.object_of(static_cast<std::uint32_t>(id), guess);
    const Triangle& t = object.triangles[id - object.first_triangle];
    const Vec3d p = object.position(t[0]), q = object.position(t[1]), r = object.position(t[2]);
    double extent = 0;
    for (int k = 0; k < 3; ++k) {
      const double low = std::min({p[k], q[k], r[k]}) * prescale, high = std::max({p[k], q[k], r[k]}) * prescale;
      extent = std::max(extent, high - low);
      middle[k].push_back((low + high) / 2);
    }
    sample.mean_extent += extent;
  }
  const std::size_t count = middle[0].size(), tail = count / 200;
  sample.mean_extent /= static_cast<double>(count);
  for (int k = 0; k < 3; ++k) {
    std::nth_element(middle[k].begin(), middle[k].begin() + tail, middle[k].end());
    sample.low[k] = middle[k][tail];
    std::nth_element(middle[k].begin(), middle[k].end() - 1 - tail, middle[k].end());
    sample.high[k] = middle[k][count - 1 - tail];
  }
  return sample;
}

}  // namespace

Frame make_frame(const TriangleTable& table, const Options& options, Workers& workers) {
  const Bounds bounds = scene_bounds(table, workers);
  Frame frame;
  // Halves, so that the difference of two huge numbers stays finite.
  double extent[3], largest = 0;
  for (int k = 0; k < 3; ++k) largest = std::max(largest, bounds.high[k] * 0.5 - bounds.low[k] * 0.5);
  if (largest > 0) frame.prescale = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
  // The grid covers where nearly all triangles are. If that is nearly everything, it covers everything; but a ground
  // plane a thousand times larger than the model on it must not leave the model in a single cell.
  const Sample sample = take_sample(table, frame.prescale);
  double low[3];
  for (int k = 0; k < 3; ++k) {
    const double all_low = bounds.low[k] * frame.prescale, all_high = bounds.high[k] * frame.prescale;
    const double margin = 0.02 * (sample.high[k] - sample.low[k]) + sample.mean_extent;
    const double most_low = std::max(all_low, sample.low[k] - margin),
                 most_high = std::min(all_high, sample.high[k] + margin);
    const bool everything = all_high - all_low <= 1.5 * (most_high - most_low);
    low[k] = everything ? all_low : most_low;
    extent[k] = (everything ? all_high : most_high) - low[k];
  }

  const int depth = options.axis == Axis::automatic ? static_cast<int>(std::min_element(extent, extent + 3) - extent)
                                                    : static_cast<int>(options.axis) - 1;
  frame.axis[2] = depth;
  frame.axis[0] = (depth + 1) % 3;
  frame.axis[1] = (depth + 2) % 3;

  frame.mean_extent = sample.mean_extent;
  const double wanted = (options.cell > 0 ? options.cell : 4.0) * frame.mean_extent;
  const double u = extent[frame.axis[0]], v = extent[frame.axis[1]], w = extent[frame.axis[2]];
  // At most about one column for every two triangles, however small the sampled triangles are.
  const double most_columns = std::max(64.0, table.triangle_count / 2.0);
  double cell = std::max({wanted, std::sqrt(u * v / most_columns), std::max(u, v) / std::min(most_columns, 16384.0)});
  if (!(cell > 0)) cell = 1;
  const double slab = std::max(cell, w / kMaxSlabs);
  const double step[3] = {cell, cell, slab > 0 ? slab : 1};
  for (int k = 0; k < 3; ++k) {
    const int axis = frame.axis[k];
    frame.low[k] = bounds.low[axis] * frame.prescale;
    frame.high[k] = bounds.high[axis] * frame.prescale;
    // A float where vertices are placed in float: rounding it there would move the grid from where clipping expects it.
    frame.origin[k] = table.all_f32 ? static_cast<double>(static_cast<float>(low[axis])) : low[axis];
    frame.cells_per_unit[k] = 1 / step[k];
    const double most = k == 2 ? kMaxSlabs : kMaxCells;
    frame.size[k] = static_cast<std::int32_t>(std::clamp(std::ceil(extent[axis] / step[k]), 1.0, most));
  }
  return frame;
}

}  // namespace sightline
