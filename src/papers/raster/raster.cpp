// What all implementations of Raster have in common: checks, counters, queries and the numbers of images.
#include "raster/raster.h"

#include <algorithm>

#include "base/format.h"
#include "raster/cover.h"

namespace sightline::papers::raster {

void check_target(const Target& target) {
  for (const std::uint32_t side : {target.width, target.height})
    if (side < 1 || side > kMostPixels)
      throw Error(formatted("raster: an image of {} x {} pixels; a side must be 1 to {}", target.width, target.height,
                            kMostPixels));
}

void check_camera(const Camera& camera, const Target& target) {
  if (camera.perspective && target.coverage == Coverage::conservative)
    throw Error("raster: conservative coverage needs an orthographic view");
}

void check_state(const State& state, const Target& target, std::size_t images, Query query, std::size_t queries) {
  if (state.stencil_test && !target.stencil)
    throw Error("raster: a stencil test, but the target has no stencil buffer");
  if ((state.color_mask != 0 || state.differ) && !target.color)
    throw Error("raster: colour is used, but the target has no colour buffer");
  for (const Image image : {state.floor, state.ceiling})
    if (image != kNoImage) check_image(image, images);
  if (query != kNoQuery) check_query(query, queries);
}

void check_query(Query query, std::size_t queries) {
  if (query >= queries) throw Error(formatted("raster: query {} does not exist", query));
}

void check_image(Image image, std::size_t images) {
  if (image >= images) throw Error(formatted("raster: image {} does not exist", image));
}

void check_keys(std::size_t keys, const Target& target) {
  const std::size_t pixels = std::size_t{target.width} * target.height;
  if (keys != pixels) throw Error(formatted("raster: {} keys for an image of {}", keys, pixels));
}

bool any_channel(const Color& color, std::uint8_t mask) {
  for (int channel = 0; channel < 4; ++channel)
    if ((mask >> channel & 1) != 0 && color[channel] != 0) return true;
  return false;
}

void Raster::target(const Target& target) {
  check_target(target);
  leave_target(target);
  target_ = target;
  images_ = 0;
  results_.clear();
  pending_ = {};
  enter_target();
}

void Raster::camera(const Camera& camera) {
  check_camera(camera, target_);
  leave_camera();
  camera_ = camera;
  enter_camera();
}

Query Raster::queries(std::size_t count) {
  results_.resize(results_.size() + count, 0);
  return static_cast<Query>(results_.size() - count);
}

void Raster::reset_queries() {
  finish();
  results_.clear();
}

void Raster::check(const State& state, Query query) const {
  check_camera(camera_, target_);
  check_state(state, target_, images_, query, results_.size());
}

void Raster::draw(const State& state, std::span<const std::uint32_t> triangles, Query query) {
  check(state, query);
  ++(query == kNoQuery ? counters_.renders : counters_.queries);
  counters_.triangles += triangles.size();
  submit(state, triangles, query);
}

void Raster::draw_if(Query only_if, const State& state, std::span<const std::uint32_t> triangles) {
  check_query(only_if, results_.size());
  if (pending_.has(only_if)) finish();
  if (results_[only_if] != 0) draw(state, triangles);
}

std::uint64_t Raster::result(Query query) {
  check_query(query, results_.size());
  finish();
  return results_[query];
}

Image Raster::image() {
  add_image();
  return images_++;
}

void Raster::copy_depth(Image to) {
  check_image(to, images_);
  store_depth(to);
}

void Raster::write(Image to, std::span<const std::uint32_t> keys) {
  check_image(to, images_);
  check_keys(keys.size(), target_);
  store_keys(to, keys);
}

std::vector<ColorAt> Raster::read_color_compact(std::uint8_t mask) {
  const std::vector<Color> all = read_color();
  std::vector<ColorAt> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (any_channel(all[i], mask))
      found.push_back(
          {static_cast<std::uint32_t>(i % target_.width), static_cast<std::uint32_t>(i / target_.width), all[i]});
  return found;
}

}  // namespace sightline::papers::raster
