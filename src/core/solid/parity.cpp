#include "solid/parity.h"

#include <cmath>

namespace sightline::solid {

PointImage::PointImage(std::span<const Vec3d> points, int ray, Poll& poll) : axis_{(ray + 1) % 3, (ray + 2) % 3, ray} {
  poll.each(points.size(), [&](std::size_t i) { bounds_.add(points[i]); });
  // About one cell for each point, square where the points are spread evenly.
  constexpr double kMostCells = 1024;
  for (int k = 0; k < 2; ++k) {
    half_low_[k] = 0.5 * bounds_.low[axis_[k]];
    const double extent = 0.5 * bounds_.high[axis_[k]] - half_low_[k];
    const double cells = std::clamp(std::ceil(std::sqrt(static_cast<double>(points.size()))), 1.0, kMostCells);
    scale_[k] = cells / extent;
    if (!(scale_[k] < 0x1p1000)) scale_[k] = 0;  // no extent to speak of: one cell
    size_[k] = scale_[k] > 0 ? static_cast<std::uint32_t>(cells) : 1;
  }
  const auto cell_of = [&](const Vec3d& p) { return cell(1, p[axis_[1]]) * size_[0] + cell(0, p[axis_[0]]); };
  begin_.assign(std::size_t{size_[0]} * size_[1] + 1, 0);
  poll.each(points.size(), [&](std::size_t i) { ++begin_[cell_of(points[i]) + 1]; });
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  order_.resize(points.size());
  placed_.resize(points.size());
  poll.each(points.size(), [&](std::size_t i) {
    const std::uint32_t at = next[cell_of(points[i])]++;
    order_[at] = static_cast<std::uint32_t>(i);
    placed_[at] = points[i];
  });
}

std::vector<std::uint8_t> inside_by_image(const Body& body, std::span<const Vec3d> points, Poll poll) {
  const PointImage image(points, body.ray, poll);
  std::vector<Flag> flags;
  flags.reserve(points.size());
  for (const Vec3d& p : points) flags.push_back(Flag::near(p));
  // Each piece counts for itself; parities add up in any order.
  constexpr std::size_t kPiece = 1 << 15, kMostPieces = 16;
  const std::size_t count = body.mesh.triangles.size();
  const std::size_t pieces = std::clamp<std::size_t>(count / kPiece, 1, kMostPieces);
  std::vector<std::uint8_t> odd(pieces * points.size(), 0);
  body.workers.for_each(pieces, [&](std::size_t piece) {
    Poll own = poll;
    std::uint8_t* const mine = odd.data() + piece * points.size();
    for (std::size_t i = count * piece / pieces; i < count * (piece + 1) / pieces; ++i) {
      own();
      if (!body.solid[i]) continue;
      const std::array<Vec3d, 3> t = body.mesh.corners(i);
      const std::uint64_t tests = image.below(box_of(t), [&](std::uint32_t p) {
        own();
        mine[p] ^= ray_crosses(t, flags[p], body.ray);
      });
      own(static_cast<int>(tests / 16));
    }
  });
  for (std::size_t i = points.size(); i < odd.size(); ++i) odd[i % points.size()] ^= odd[i];
  odd.resize(points.size());
  return odd;
}

std::vector<std::uint8_t> inside_by_tree(const Body& body, std::span<const Vec3d> points, Poll poll) {
  std::vector<std::uint8_t> odd(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) odd[i] = inside(body, Flag::near(points[i]), poll);
  return odd;
}

// Crossings cost the same either way. What is left, in nanoseconds (2-core development machine): streaming a triangle
// and looking at a point in a cell; building the tree, for each triangle and level; descending it, for each level.
bool image_pays(const Body& body, std::span<const Vec3d> points, bool has_tree, Poll& poll) {
  constexpr double kStream = 12, kTest = 2, kBuild = 8, kDescend = 40;
  constexpr std::size_t kSamples = 64;
  const std::size_t count = body.mesh.triangles.size();
  const double levels = std::log2(static_cast<double>(count) + 1);
  const double tree = (has_tree ? 0 : kBuild * levels * count) + kDescend * levels * points.size();
  if (kStream * count > tree) return false;
  const PointImage image(points, body.ray, poll);
  const std::size_t step = std::max<std::size_t>(1, count / kSamples);
  double tests = 0;
  for (std::size_t i = 0; i < count; i += step)
    tests += static_cast<double>(step * image.tests(box_of(body.mesh.corners(i))));
  return kStream * count + kTest * tests < tree;
}

}  // namespace sightline::solid
