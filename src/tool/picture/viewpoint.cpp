#include <numeric>

#include "picture/model.h"
#include "picture/view.h"

namespace sightline::picture {
namespace {

constexpr std::uint32_t kSide = 96;

struct Look {
  Vec3d direction;  // up is z
  double liked;
};

// Eight corners of the compass from four heights, and from straight above and below. The first is the usual
// three-quarter view.
std::vector<Look> looks() {
  const double near = 0.8314696123025452, far = 0.5555702330196022;  // 33.75 degrees
  const double compass[8][2] = {{near, far},   {-far, near}, {-near, far}, {far, near},
                                {-near, -far}, {far, -near}, {near, -far}, {-far, -near}};
  const double heights[4][2] = {{0.5, 1}, {1.1, 0.9}, {0.12, 0.85}, {-0.5, 0.65}};
  std::vector<Look> list;
  for (const auto& [height, liked] : heights)
    for (int i = 0; i < 8; ++i)
      list.push_back({normalized({-compass[i][0], compass[i][1], -height}), liked - 0.004 * i});
  list.push_back({{0, 0, -1}, 0.6});
  list.push_back({{0, 0, 1}, 0.5});
  return list;
}

}  // namespace

Vec3d choose_direction(const Model& model, Drawer& drawer, int up, const report::WriteOptions& options) {
  const auto turned = [up](const Vec3d& d) {  // z of the list becomes the axis that is up
    Vec3d result;
    result[up] = d[2];
    result[(up + 1) % 3] = d[0];
    result[(up + 2) % 3] = d[1];
    return result;
  };
  const std::vector<Look> list = looks();
  if (model.place_triangles.empty()) {
    if (options.progress) options.progress(list.size());
    return turned(list.front().direction);
  }

  std::vector<std::uint32_t> all(model.triangles.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<bool> mine(model.triangles.size());
  for (const std::uint32_t t : model.place_triangles) mine[t] = true;
  const Vec3d middle = 0.5 * (model.place_low + model.place_high);
  const Vec3d size = model.place_high - model.place_low;
  const double half = std::max(0.55 * std::sqrt(dot(size, size)), 1e-3);

  double best = 0;
  Vec3d chosen = list.front().direction;
  for (const Look& look : list) {
    if (options.cancel && options.cancel()) throw report::Cancelled{};
    if (options.progress) options.progress(1);
    raster::Camera camera = {
        .origin = middle, .left = -half, .right_edge = half, .bottom = -half, .top = half, .near = -8, .far = 8};
    set_axes(camera, turned(look.direction), turned({0, 0, 1}));
    const Ids ids = drawer.draw_block(camera, kSide, kSide, all);
    std::uint64_t seen = 0;
    for (const std::uint32_t id : ids.id) seen += id != kNothing && mine[id];
    const double score = static_cast<double>(seen) * look.liked;
    if (score > best) {
      best = score;
      chosen = look.direction;
    }
  }
  return turned(chosen);
}

}  // namespace sightline::picture
