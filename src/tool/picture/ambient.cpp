// Ambient occlusion from the depths alone: how much of the half-space over a pixel's surface is covered by its
// neighbours. Points on a spiral around the pixel are looked up; a point above the tangent plane takes light away, less
// with distance.
#include <array>

#include "picture/shade.h"

namespace sightline::picture {
namespace {

constexpr int kTaps = 20, kTurns = 16;
constexpr double kAmbientReach = 0.16;  // of the model's half

// Powers of one rotation: no sine or cosine, whose last bit differs between machines.
template <int count>
std::array<std::array<double, 2>, count> turns(double c, double s) {
  std::array<std::array<double, 2>, count> list;
  double x = 1, y = 0;
  for (auto& turn : list) {
    turn = {x, y};
    const double next = x * c - y * s;
    y = x * s + y * c;
    x = next;
  }
  return list;
}

struct Spiral {
  std::array<std::array<double, 2>, kTaps> tap = turns<kTaps>(-0.7373688780783197, 0.675490294261524);  // golden angle
  std::array<std::array<double, 2>, kTurns> turn = turns<kTurns>(0.9238795325112867, 0.3826834323650898);
  Spiral() {
    for (int i = 0; i < kTaps; ++i)
      for (double& x : tap[i]) x *= std::sqrt((i + 0.5) / kTaps);
  }
};

// A 4 x 4 pattern in which neighbours differ much; a mean over 4 x 4 pixels then has all of them.
constexpr int kPattern[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};

class Ambient {
 public:
  Ambient(const Surface& surface, const std::vector<float>& depth)
      : surface_(surface), depth_(depth), width_(surface.width()), height_(surface.height()) {}

  double at(std::uint32_t x, std::uint32_t y, const Spiral& spiral) const {
    const double z = depth_[std::size_t{y} * width_ + x];
    if (z == 0) return 1;
    const std::uint32_t ss = surface_.samples();
    const Sample mine = surface_.place(x * ss + ss / 2, y * ss + ss / 2);
    const double radius = std::clamp(kAmbientReach / (surface_.pixel() * z), 3.0, 0.12 * height_ + 3);  // in pixels
    const double reach = radius * surface_.pixel() * z;
    const auto [c, s] = spiral.turn[static_cast<std::size_t>(kPattern[(y % 4) * 4 + x % 4])];
    double taken = 0;
    for (const auto& [tx, ty] : spiral.tap) {
      const double px = x + 0.5 + radius * (tx * c - ty * s), py = y + 0.5 + radius * (tx * s + ty * c);
      if (px < 0 || py < 0 || px >= width_ || py >= height_) continue;
      const auto qx = static_cast<std::uint32_t>(px), qy = static_cast<std::uint32_t>(py);
      const double depth = depth_[std::size_t{qy} * width_ + qx];
      if (depth == 0) continue;
      const Vec3d to = point(qx, qy, depth) - mine.point;
      const double distance = dot(to, to), rise = dot(to, mine.flat) - 0.02 * reach;
      if (rise <= 0) continue;
      // Full strength near by, none at twice the reach: a surface far in front does not belong to this corner.
      const double fade = std::max(0.0, 1 - distance / (4 * reach * reach));
      taken += rise / std::sqrt(distance + 1e-4 * reach * reach) * fade;
    }
    return std::max(0.0, 1 - 1.7 * taken / kTaps);
  }

 private:
  Vec3d point(std::uint32_t x, std::uint32_t y, double z) const {
    const Lens& lens = surface_.lens();
    const double u = lens.left + (lens.right_edge - lens.left) * (x + 0.5) / width_;
    const double v = lens.bottom + (lens.top - lens.bottom) * (y + 0.5) / height_;
    return lens.origin + z * (u * lens.right + v * lens.up + lens.forward);
  }
  const Surface& surface_;
  const std::vector<float>& depth_;
  std::uint32_t width_, height_;
};

}  // namespace

std::vector<float> ambient(const Surface& surface, const std::vector<float>& depth, Workers& workers) {
  const std::uint32_t width = surface.width(), height = surface.height();
  static const Spiral spiral;
  const Ambient rough(surface, depth);
  std::vector<float> noisy(depth.size()), smooth(depth.size());
  workers.for_each(height, [&](std::size_t y) {
    for (std::uint32_t x = 0; x < width; ++x)
      noisy[y * width + x] = static_cast<float>(rough.at(x, static_cast<std::uint32_t>(y), spiral));
  });
  const double tolerance = 12 * surface.pixel();
  workers.for_each(height, [&](std::size_t row) {
    const auto y = static_cast<std::int64_t>(row);
    for (std::int64_t x = 0; x < width; ++x) {
      const std::size_t at = row * width + static_cast<std::size_t>(x);
      if (depth[at] == 0) {
        smooth[at] = 1;
        continue;
      }
      double sum = 0, count = 0;
      for (std::int64_t dy = -2; dy < 2; ++dy)
        for (std::int64_t dx = -2; dx < 2; ++dx) {
          if (x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) continue;
          const std::size_t other = static_cast<std::size_t>((y + dy) * width + x + dx);
          // Only what lies on the same surface.
          if (std::abs(depth[other] - depth[at]) > tolerance * depth[at]) continue;
          sum += noisy[other];
          count += 1;
        }
      smooth[at] = static_cast<float>(count > 0 ? sum / count : noisy[at]);
    }
  });
  return smooth;
}

}  // namespace sightline::picture
