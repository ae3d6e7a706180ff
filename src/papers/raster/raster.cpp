// What all implementations of Raster have in common: checks, counters, queries, the numbers of images, and the sweep in
// single calls.
#include "raster/raster.h"

#include <algorithm>

#include "base/format.h"
#include "raster/fragment.h"

namespace sightline::papers::raster {
namespace {

constexpr State kDraw = {.depth = Compare::less, .depth_write = true};
constexpr State kTest = {.depth = Compare::gequal, .depth_write = false};
constexpr State kTestStrictly = {.depth = Compare::greater, .depth_write = false};

void check_exists(const char* what, std::uint32_t number, std::size_t count) {
  if (number >= count) throw Error(formatted("raster: {} {} does not exist", what, number));
}

}  // namespace

void check_target(const Target& target) {
  for (const std::uint32_t side : {target.width, target.height})
    if (side < 1 || side > kMostPixels)
      throw Error(formatted("raster: an image of {} x {} pixels; a side must be 1 to {}", target.width, target.height,
                            kMostPixels));
}

void Raster::target(const Target& target) {
  check_target(target);
  leave_target(target);
  target_ = target;
  images_ = 0;
  results_.clear();
  enter_target();
  enter_view();
}

void Raster::geometry(const Geometry& geometry) {
  flush();
  geometry_ = geometry;
  enter_geometry();
  enter_view();
}

void Raster::camera(const Camera& camera) {
  check(camera);
  flush();
  camera_ = camera;
  enter_view();
}

void Raster::check(const Camera& camera) const {
  if (camera.perspective && target_.coverage == Coverage::conservative)
    throw Error("raster: conservative coverage needs an orthographic view");
}

Query Raster::queries(std::size_t count) {
  results_.resize(results_.size() + count, 0);
  return static_cast<Query>(results_.size() - count);
}

void Raster::reset_queries() {
  finish();
  results_.clear();
}

void Raster::draw(const State& state, std::span<const std::uint32_t> triangles, Query query) {
  check(camera_);
  if (state.stencil_test && !target_.stencil)
    throw Error("raster: a stencil test, but the target has no stencil buffer");
  if ((state.color_mask != 0 || state.differ) && !target_.color)
    throw Error("raster: colour is used, but the target has no colour buffer");
  for (const Image image : {state.floor, state.ceiling})
    if (image != kNoImage) check_exists("image", image, images_);
  if (query != kNoQuery) check_exists("query", query, results_.size());
  ++(query == kNoQuery ? counters_.renders : counters_.queries);
  counters_.triangles += triangles.size();
  submit(state, triangles, query);
}

void Raster::sweep(std::span<const std::uint32_t> triangles, std::span<const SweepElement> elements,
                   std::span<std::uint8_t> passed) {
  const std::size_t count = elements.size();
  const Query forward = queries(count), reverse = queries(count);
  const auto of = [&](std::size_t i) { return triangles.subspan(elements[i].first, elements[i].count); };
  const auto one_way = [&](Query query, std::uint8_t test, std::uint8_t draw, const auto& at) {
    clear_depth(far_key(target().format));
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      const std::uint32_t group = elements[at(begin)].group;
      for (end = begin; end < count && elements[at(end)].group == group; ++end) {
        const std::size_t i = at(end);
        if ((elements[i].use & test) != 0)
          this->draw((elements[i].use & kStrictly) != 0 ? kTestStrictly : kTest, of(i), query + static_cast<Query>(i));
      }
      for (std::size_t j = begin; j < end; ++j) {
        const std::size_t i = at(j);
        const bool conditional = draw == kDrawReverse && (elements[i].use & kIfPassed) != 0;
        if ((elements[i].use & draw) != 0 && (!conditional || results_[forward + i] > 0)) this->draw(kDraw, of(i));
      }
    }
  };
  one_way(forward, kTestForward, kDrawForward, [](std::size_t i) { return i; });
  // A wait: only where what is drawn in reverse depends on the first pass.
  if (std::any_of(elements.begin(), elements.end(), [](const SweepElement& e) { return (e.use & kIfPassed) != 0; }))
    finish();
  one_way(reverse, kTestReverse, kDrawReverse, [&](std::size_t i) { return count - 1 - i; });
  for (std::size_t i = 0; i < count; ++i) {
    const auto query = static_cast<Query>(i);
    passed[i] = static_cast<std::uint8_t>((result(forward + query) > 0 ? kPassedForward : 0) |
                                          (result(reverse + query) > 0 ? kPassedReverse : 0));
  }
}

std::uint64_t Raster::result(Query query) {
  check_exists("query", query, results_.size());
  finish();
  return results_[query];
}

Image Raster::image() {
  flush();
  add_image();
  return images_++;
}

void Raster::copy_depth(Image to) {
  check_exists("image", to, images_);
  flush();
  store_depth(to);
}

void Raster::write(Image to, std::span<const std::uint32_t> keys) {
  check_exists("image", to, images_);
  if (keys.size() != pixels()) throw Error(formatted("raster: {} keys for an image of {}", keys.size(), pixels()));
  flush();
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
