#include "solid/blocks.h"

#include <cmath>

#include "base/image_of.h"

namespace sightline::solid {
namespace {

float float_below(double x) {
  const float f = nearest_float(x);
  return static_cast<double>(f) > x ? std::nextafter(f, -std::numeric_limits<float>::infinity()) : f;
}
float float_above(double x) { return -float_below(-x); }

/// Bits of x spread to every third place.
std::uint64_t spread(std::uint32_t x) {
  std::uint64_t y = x & 0x3FF;
  y = (y | y << 16) & 0x30000FF;
  y = (y | y << 8) & 0x300F00F;
  y = (y | y << 4) & 0x30C30C3;
  return (y | y << 2) & 0x9249249;
}

}  // namespace

Blocks::Blocks(const MeshView& mesh, Workers& workers, Poll poll) {
  if (mesh.triangles.empty()) return;
  if (mesh.positions.is_double())
    build(mesh.positions.f64(), mesh.triangles, workers, poll);
  else
    build(mesh.positions.f32(), mesh.triangles, workers, poll);
}

template <typename Point>
void Blocks::build(std::span<const Point> points, std::span<const Triangle> triangles, Workers& workers,
                   const Poll& poll) {
  fill(points, triangles, workers, poll);
  // A strip of kLeaf triangles is about that many times as long as one of them; in random order a block is about as
  // large as the mesh. In between the sort costs more than it gains.
  if (!(mean_block_extent_ <= 2 * kLeaf * mean_extent_)) {
    sort(points, triangles, poll);
    fill(points, triangles, workers, poll);
  }
  while (levels_.back().size() > 1) {
    const std::vector<FloatBox>& below = levels_.back();
    std::vector<FloatBox> level;
    level.reserve(below.size() / kFan + 1);
    for (std::size_t first = 0; first < below.size(); first += kFan) {
      FloatBox all = below[first];
      for (std::size_t i = first + 1; i < std::min<std::size_t>(below.size(), first + kFan); ++i)
        for (int k = 0; k < 3; ++k) {
          all.low[k] = std::min(all.low[k], below[i].low[k]);
          all.high[k] = std::max(all.high[k], below[i].high[k]);
        }
      level.push_back(all);
    }
    levels_.push_back(std::move(level));
  }
}

template <typename Point>
void Blocks::fill(std::span<const Point> points, std::span<const Triangle> triangles, Workers& workers,
                  const Poll& poll) {
  using Scalar = typename Point::value_type;
  const std::size_t count = triangles.size(), blocks = count / kLeaf + (count % kLeaf != 0);
  levels_.assign(1, std::vector<FloatBox>(blocks));
  constexpr std::size_t kPiece = 1 << 12;
  struct Sum {
    Box bounds;
    double triangles = 0, blocks = 0;
  };
  std::vector<Sum> sums(blocks / kPiece + 1);
  workers.for_blocks(blocks, kPiece, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    Sum& sum = sums[first / kPiece];
    for (std::size_t block = first; block < last; ++block) {
      own(kLeaf);
      Point low, high;
      low.fill(std::numeric_limits<Scalar>::infinity());
      high.fill(-std::numeric_limits<Scalar>::infinity());
      for (std::size_t i = block * kLeaf; i < std::min<std::size_t>(count, (block + 1) * kLeaf); ++i) {
        const Triangle& t = triangles[triangle(static_cast<std::uint32_t>(i))];
        const Point &p = points[t[0]], &q = points[t[1]], &r = points[t[2]];
        for (int k = 0; k < 3; ++k) {
          const Scalar lo = std::min({p[k], q[k], r[k]}), hi = std::max({p[k], q[k], r[k]});
          low[k] = std::min(low[k], lo);
          high[k] = std::max(high[k], hi);
          sum.triangles += static_cast<double>(hi) / 2 - static_cast<double>(lo) / 2;
        }
      }
      FloatBox& box = levels_[0][block];
      for (int k = 0; k < 3; ++k) {
        box.low[k] = float_below(low[k]);
        box.high[k] = float_above(high[k]);
        sum.blocks += static_cast<double>(high[k]) / 2 - static_cast<double>(low[k]) / 2;
      }
      sum.bounds.add(Box{{low[0], low[1], low[2]}, {high[0], high[1], high[2]}});
    }
  });
  Sum all;
  for (const Sum& sum : sums) {
    all.bounds.add(sum.bounds);
    all.triangles += sum.triangles;
    all.blocks += sum.blocks;
  }
  bounds_ = all.bounds;
  mean_extent_ = all.triangles / static_cast<double>(count);
  mean_block_extent_ = all.blocks / static_cast<double>(blocks);
}

/// Along a curve of Morton's through 1024 cells an axis.
template <typename Point>
void Blocks::sort(std::span<const Point> points, std::span<const Triangle> triangles, Poll poll) {
  std::vector<std::uint64_t> keys(triangles.size());
  poll.each(triangles.size(), [&](std::size_t i) {
    std::uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
      const double x = points[triangles[i][0]][k], half = bounds_.half(k);
      const double cell = half > 0 ? (0.5 * x - 0.5 * bounds_.low[k]) / half * 1023 : 0;
      key |= spread(static_cast<std::uint32_t>(std::clamp(cell, 0.0, 1023.0))) << k;
    }
    keys[i] = key << 32 | i;
  });
  sort_polled(keys, std::less<>(), poll);
  order_.resize(triangles.size());
  for (std::size_t i = 0; i < keys.size(); ++i) order_[i] = static_cast<std::uint32_t>(keys[i]);
}

PlacedBlocks::PlacedBlocks(const MeshView& mesh, const Blocks& blocks) : mesh_(mesh), blocks_(&blocks) {
  if (!mesh.is_placed()) return;
  const auto& rows = mesh.transform().rows;
  way_ = Way::axes;
  for (const auto& row : rows)
    if ((row[0] != 0) + (row[1] != 0) + (row[2] != 0) > 1) way_ = Way::general;
  const Vec3d by{rows[0][3], rows[1][3], rows[2][3]};
  if (mesh.transform() == Transform::translation(by)) way_ = Way::translation;
}

// Way::translation: products with 1 and 0 are exact, so an image is the rounded sum. It is monotone.
//
// Way::axes: a coordinate of the image depends on one coordinate only, monotonely: products, sums and roundings are
// monotone, and products with 0 add nothing. So it takes its extremes at the ends of the box.
//
// Way::general: let s be the sum of the absolute products and of the translation, at most over the box. The image of a
// point is computed with 3 products and 3 sums, so its error is below 2^-50 s, and products that underflow add less
// than 2^-1070. Rounding to float adds at most 2^-24 of the value or, for small ones, 2^-150. The extremes of the
// affine map here have errors of the same size. All of it is below 2^-22 s + 2^-140 (float), 2^-48 s + 2^-1060
// (double).
//
// A box of floats around doubles may be infinite: products with 0 are left out.
Box PlacedBlocks::image(const Box& stored) const {
  if (way_ == Way::identity) return stored;
  const bool is_double = mesh_.positions.is_double();
  if (way_ == Way::translation) return {translated(stored.low), translated(stored.high)};
  Box box;
  for (int i = 0; i < 3; ++i) {
    const std::array<double, 4>& row = mesh_.transform().rows[i];
    double low = 0, high = 0, sum = std::fabs(row[3]);
    for (int k = 0; k < 3; ++k) {
      if (row[k] == 0) continue;
      const auto [p, q] = std::minmax({row[k] * stored.low[k], row[k] * stored.high[k]});
      low += p;
      high += q;
      sum += std::max(std::fabs(p), std::fabs(q));
    }
    low += row[3];
    high += row[3];
    if (way_ == Way::axes) {
      box.low[i] = is_double ? low : nearest_float(low);
      box.high[i] = is_double ? high : nearest_float(high);
      continue;
    }
    const double slack = is_double ? 0x1p-48 * sum + 0x1p-1060 : 0x1p-22 * sum + 0x1p-140;
    const bool bounded = low - slack > -Box::kInfinity && high + slack < Box::kInfinity;  // false for NaN too
    box.low[i] = bounded ? low - slack : -Box::kInfinity;
    box.high[i] = bounded ? high + slack : Box::kInfinity;
  }
  return box;
}

// Way::translation: let X be the rounded image of x by t. x + t is within 2^-22 |X| + 2^-140 of X, and X + 2^-22 |X|
// grows with X. The operations here, and the rounding to float, add 2^-22 (|X| + |t|) + 2^-140 at most.
Blocks::FloatBox PlacedBlocks::preimage(const Box& placed) const {
  Blocks::FloatBox stored;
  for (int k = 0; k < 3; ++k) {
    const double by = way_ == Way::translation ? mesh_.transform().rows[k][3] : 0;
    const auto slack = [by](double x) { return 0x1p-20 * (std::fabs(x) + std::fabs(by)) + 0x1p-138; };
    const bool known = way_ == Way::identity || way_ == Way::translation;
    const double low = known ? (placed.low[k] - by) - slack(placed.low[k]) : -Box::kInfinity;
    const double high = known ? (placed.high[k] - by) + slack(placed.high[k]) : Box::kInfinity;
    // A double beyond all floats lies beyond the largest one, not at infinity.
    constexpr float kLargest = std::numeric_limits<float>::max();
    // Not a number: the difference and the slack are both beyond all doubles.
    stored.low[k] =
        low > -Box::kInfinity ? std::min(nearest_float(low), kLargest) : -std::numeric_limits<float>::infinity();
    stored.high[k] =
        high < Box::kInfinity ? std::max(nearest_float(high), -kLargest) : std::numeric_limits<float>::infinity();
  }
  return stored;
}

Vec3d PlacedBlocks::translated(const Vec3d& p) const {
  const auto& rows = mesh_.transform().rows;
  const Vec3d q{p[0] + rows[0][3], p[1] + rows[1][3], p[2] + rows[2][3]};
  if (mesh_.positions.is_double()) return q;
  return {nearest_float(q[0]), nearest_float(q[1]), nearest_float(q[2])};
}

std::array<Vec3d, 3> PlacedBlocks::corners(std::uint32_t triangle) const {
  const Triangle& t = mesh_.triangles[triangle];
  const Positions& points = mesh_.positions;
  if (way_ == Way::identity) return {points.stored(t[0]), points.stored(t[1]), points.stored(t[2])};
  if (way_ == Way::translation)
    return {translated(points.stored(t[0])), translated(points.stored(t[1])), translated(points.stored(t[2]))};
  std::array<Vec3d, 3> corners;
  for (int i = 0; i < 3; ++i) {
    if (points.is_double()) {
      corners[i] = image_of(points.f64()[t[i]], mesh_.transform());
    } else {
      const Vec3f p = image_of(points.f32()[t[i]], mesh_.transform());
      corners[i] = {p[0], p[1], p[2]};
    }
  }
  return corners;
}

}  // namespace sightline::solid
