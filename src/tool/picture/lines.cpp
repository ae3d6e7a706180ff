#include "picture/lines.h"

namespace sightline::picture {
namespace {

constexpr double kCore = 1.9, kHalo = 4.2, kDot = 3.6;  // pixels at a height of 1000
constexpr double kHidden = 0.55;

struct Projected {
  double x, y, z;
};

}  // namespace

void Pen::line(double x0, double y0, double x1, double y1, double thickness, double strength) {
  line_where(x0, y0, x1, y1, thickness, [strength](std::int64_t, std::int64_t, double) { return strength; });
}

void Pen::blend(Light& light, const Vec3d& color) const {
  for (std::size_t i = 0; i < cover_.size(); ++i)
    if (cover_[i] > 0)
      for (int c = 0; c < 3; ++c)
        light.pixel[i][c] = static_cast<float>((1 - double{cover_[i]}) * light.pixel[i][c] + cover_[i] * color[c]);
}

ContactLines::ContactLines(const Model& model, const Lens& lens, std::uint32_t width, std::uint32_t height,
                           const std::vector<float>& depth, double scale)
    : width_(width),
      height_(height),
      core_(width, height),
      halo_(width, height),
      cluster_(std::size_t{width} * height, kNothing) {
  std::uint32_t cluster = 0;  // of the contact that is being drawn
  const double pixel = (lens.top - lens.bottom) / height;
  const auto project = [&](const Vec3d& p) {
    const Vec3d c = lens.to_camera(p);
    const double z = std::max(c[2], lens.near * 0.5);
    return Projected{(c[0] / z - lens.left) / (lens.right_edge - lens.left) * width, (c[1] / z - lens.bottom) / pixel,
                     z};
  };
  const auto stroke = [&](const Projected& a, const Projected& b, double thickness) {
    // On the curve both surfaces are at the same depth; a few pixels of slope are allowed for.
    const auto seen = [&](std::int64_t x, std::int64_t y, double share) {
      const double z = a.z + (b.z - a.z) * share;
      const double front = depth[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
      return front == 0 || z <= front + 8 * pixel * z;
    };
    core_.line_where(a.x, a.y, b.x, b.y, thickness * scale, [&](std::int64_t x, std::int64_t y, double share) {
      std::uint32_t& kept = cluster_[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
      kept = std::min(kept, cluster);
      return seen(x, y, share) ? 1 : kHidden;
    });
    halo_.line_where(a.x, a.y, b.x, b.y, (thickness + kHalo - kCore) * scale,
                     [&](std::int64_t x, std::int64_t y, double share) { return seen(x, y, share) ? 0.75 : 0.15; });
  };
  const report::Outlines& outlines = model.outlines;
  for (std::size_t i = 0; i + 1 < outlines.start.size(); ++i) {
    const std::uint64_t first = outlines.start[i], size = outlines.size(i);
    cluster = model.cluster[i];
    if (size == 1) {
      const Projected p = project(outlines.points[first]);
      stroke(p, p, kDot);
    }
    for (std::uint64_t k = 0; k + 1 < size + (size > 2 ? 1 : 0); ++k)
      stroke(project(outlines.points[first + k]), project(outlines.points[first + (k + 1) % size]), kCore);
  }
}

void ContactLines::blend(Light& light) const {
  halo_.blend(light, linear(255, 255, 255));
  core_.blend(light, linear(24, 26, 32));
}

// Two sweeps pass on the offset to the nearest line pixel (Danielsson's distances): off by less than a pixel. Of two
// lines at the same distance the more serious kind wins.
Nearness ContactLines::nearness(double reach) const {
  struct Seed {
    std::int32_t dx, dy;
    std::uint32_t cluster;
    std::int64_t distance() const { return std::int64_t{dx} * dx + std::int64_t{dy} * dy; }
  };
  constexpr Seed kFar{30000, 30000, kNothing};
  std::vector<Seed> seeds(cluster_.size(), kFar);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    if (cluster_[i] != kNothing) seeds[i] = {0, 0, cluster_[i]};
  const std::int32_t w = static_cast<std::int32_t>(width_), h = static_cast<std::int32_t>(height_);
  const auto relax = [&](std::int32_t x, std::int32_t y, std::int32_t sx, std::int32_t sy) {
    if (x + sx < 0 || y + sy < 0 || x + sx >= w || y + sy >= h) return;
    Seed& mine = seeds[std::size_t{width_} * static_cast<std::size_t>(y) + static_cast<std::size_t>(x)];
    Seed other = seeds[std::size_t{width_} * static_cast<std::size_t>(y + sy) + static_cast<std::size_t>(x + sx)];
    if (other.cluster == kNothing) return;
    other.dx += sx, other.dy += sy;
    const std::int64_t theirs = other.distance(), ours = mine.distance();
    if (theirs < ours || (theirs == ours && other.cluster < mine.cluster)) mine = other;
  };
  for (std::int32_t y = 0; y < h; ++y) {
    for (std::int32_t x = 0; x < w; ++x)
      for (const auto& [sx, sy] : {std::pair{-1, 0}, {-1, -1}, {0, -1}, {1, -1}}) relax(x, y, sx, sy);
    for (std::int32_t x = w; x-- > 0;) relax(x, y, 1, 0);
  }
  for (std::int32_t y = h; y-- > 0;) {
    for (std::int32_t x = w; x-- > 0;)
      for (const auto& [sx, sy] : {std::pair{1, 0}, {1, 1}, {0, 1}, {-1, 1}}) relax(x, y, sx, sy);
    for (std::int32_t x = 0; x < w; ++x) relax(x, y, -1, 0);
  }
  Nearness near{std::vector<float>(seeds.size()), std::vector<std::uint32_t>(seeds.size(), kNothing)};
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (seeds[i].cluster == kNothing) continue;
    const double distance = std::sqrt(static_cast<double>(seeds[i].distance()));
    const double t = std::clamp(1.6 - 1.6 * distance / reach, 0.0, 1.0);
    near.share[i] = static_cast<float>(t * t * (3 - 2 * t));
    near.cluster[i] = seeds[i].cluster;
  }
  return near;
}

}  // namespace sightline::picture
