// Raster::peel in single calls: the default of every implementation without a faster way, and what those are tested
// against. Each layer is drawn twice, once for its depths and once for its ids, and both are read back.
#include "raster/peel.h"

#include <chrono>

#include "base/format.h"
#include "raster/cover.h"

namespace sightline::papers::raster {

void check_peel(std::span<const PeelRegion> regions, const Target& target) {
  if (target.coverage != Coverage::image) throw Error("raster: layers are peeled in image coverage only");
  for (const PeelRegion& region : regions) {
    check_target({region.side, region.side, target.format});
    if (region.camera.perspective) throw Error("raster: layers are peeled in an orthographic view only");
  }
}

void PeelCounts::add_to(std::vector<PeelLayer>& layers) const {
  if (layers.size() < pixels.size()) layers.resize(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    layers[i].peels += pixels[i] > 0 ? 1 : 0;
    layers[i].peels_with_pairs += pixels_with_pairs[i] > 0 ? 1 : 0;
    layers[i].pixels += pixels[i];
    layers[i].pixels_with_pairs += pixels_with_pairs[i];
  }
}

namespace {

std::uint32_t id_of(const Color& color) { return std::uint32_t{color[0]} << 16 | color[1]; }

/// The peels of one region.
class SinglePeels {
 public:
  SinglePeels(Raster& raster, const PeelRegion& region, const std::vector<Color>& colors)
      : raster_(raster), region_(region), colors_(colors), floor_(raster.image()) {}

  /// Pairs are appended.
  PeelCounts run(int object, std::uint32_t number, std::vector<IdPair>& pairs) {
    PeelCounts counts;
    std::vector<std::uint32_t> last_keys, last_ids;
    const DepthFormat format = raster_.target().format;
    for (std::size_t layer = 0;; ++layer, object = 1 - object) {
      const std::vector<std::uint32_t> keys = draw(object, layer > 0);
      const std::vector<std::uint32_t> ids = ids_of(object, layer > 0);
      std::uint64_t with = 0, paired = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i] == far_key(format)) continue;
        ++with;
        if (layer == 0 || layer_place(keys[i], format) - layer_place(last_keys[i], format) >= region_.reach) continue;
        ++paired;
        pairs.push_back(object == 0 ? IdPair{number, ids[i], last_ids[i]} : IdPair{number, last_ids[i], ids[i]});
      }
      if (with == 0) return counts;
      counts.add(layer, with, paired);
      raster_.write(floor_, keys);
      last_keys = keys;
      last_ids = ids;
    }
  }

 private:
  std::vector<std::uint32_t> draw(int object, bool behind) {
    State state;
    if (behind) state.floor = floor_;
    raster_.clear_depth(far_key(raster_.target().format));
    raster_.draw(state, region_.triangles[object]);
    return raster_.read_depth();
  }
  std::vector<std::uint32_t> ids_of(int object, bool behind) {
    State state;
    if (behind) state.floor = floor_;
    state.depth = Compare::equal;
    state.depth_write = false;
    state.color_mask = kRed | kGreen;
    state.triangle_colors = colors_.data();
    raster_.clear_color({});
    raster_.draw(state, region_.triangles[object]);
    std::vector<std::uint32_t> ids;
    for (const Color& color : raster_.read_color()) ids.push_back(id_of(color));
    return ids;
  }

  Raster& raster_;
  const PeelRegion& region_;
  const std::vector<Color>& colors_;
  Image floor_;
};

}  // namespace

void Raster::peel(std::span<const PeelRegion> regions, std::span<const std::uint32_t> ids, Peeled& result) {
  check_peel(regions, target_);
  finish();
  result = {};
  std::vector<Color> colors;
  colors.reserve(ids.size());
  for (const std::uint32_t id : ids)
    colors.push_back({static_cast<std::uint16_t>(id >> 16), static_cast<std::uint16_t>(id), 0, 0});
  Counters sum = counters();
  const DepthFormat format = target_.format;
  for (std::uint32_t number = 0; number < regions.size(); ++number) {
    const PeelRegion& region = regions[number];
    target({region.side, region.side, format, Coverage::image, false, true});
    camera(region.camera);
    for (const auto& triangles : region.triangles) {  // only to count
      finish();
      const std::uint64_t before = counters().fragments;
      draw({}, triangles);
      finish();
      ++sum.renders;
      sum.triangles += triangles.size();
      sum.fragments += counters().fragments - before;
    }
    SinglePeels peels(*this, region, colors);
    for (int object = 0; object < 2; ++object)
      if ((region.starts >> object & 1) != 0) peels.run(object, number, result.pairs).add_to(result.layers);
  }
  finish();
  counters_ = sum;
  const auto start = std::chrono::steady_clock::now();
  std::sort(result.pairs.begin(), result.pairs.end());
  result.pairs.erase(std::unique(result.pairs.begin(), result.pairs.end()), result.pairs.end());
  result.read_back_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace sightline::papers::raster
