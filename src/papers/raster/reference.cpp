// The plain implementation of Raster: each call at once, one fragment after the other.

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "raster/cover.h"
#include "raster/fragment.h"

namespace sightline::papers::raster {
namespace {

class ReferenceRaster final : public Raster {
 public:
  void target(const Target& target) override {
    check_target(target);
    target_ = target;
    const std::size_t pixels = std::size_t{target.width} * target.height;
    depth_.assign(pixels, far_key(target.format));
    stencil_.assign(target.stencil ? pixels : 0, 0);
    color_.assign(target.color ? pixels : 0, Color{});
    images_.clear();
    queries_.clear();
    projection_ = Projection(camera_, target_);
  }
  const Target& target() const override { return target_; }
  void geometry(const Geometry& geometry) override { geometry_ = geometry; }
  void camera(const Camera& camera) override {
    check_camera(camera, target_);
    camera_ = camera;
    projection_ = Projection(camera_, target_);
  }
  void clear_depth(std::uint32_t key) override { std::fill(depth_.begin(), depth_.end(), key); }
  void clear_stencil(std::uint8_t value) override { std::fill(stencil_.begin(), stencil_.end(), value); }
  void clear_color(const Color& color) override { std::fill(color_.begin(), color_.end(), color); }

  Query queries(std::size_t count) override {
    queries_.resize(queries_.size() + count, 0);
    return static_cast<Query>(queries_.size() - count);
  }
  void reset_queries() override { queries_.clear(); }
  std::uint64_t result(Query query) override {
    check_query(query, queries_.size());
    return queries_[query];
  }
  void finish() override {}

  void draw(const State& state, std::span<const std::uint32_t> triangles, Query query) override {
    check_camera(camera_, target_);
    check_state(state, target_, images_.size(), query, queries_.size());
    ++(query == kNoQuery ? counters_.renders : counters_.queries);
    counters_.triangles += triangles.size();
    std::uint64_t passed = 0;
    for (const std::uint32_t triangle : triangles) passed += draw_triangle(state, triangle);
    if (query != kNoQuery) queries_[query] += passed;
  }

  void draw_if(Query only_if, const State& state, std::span<const std::uint32_t> triangles) override {
    if (result(only_if) != 0) draw(state, triangles, kNoQuery);
  }

  Image image() override {
    images_.emplace_back(depth_.size(), 0);
    return static_cast<Image>(images_.size() - 1);
  }
  void copy_depth(Image to) override {
    check_image(to, images_.size());
    images_[to] = depth_;
  }
  void write(Image to, std::span<const std::uint32_t> keys) override {
    check_image(to, images_.size());
    check_keys(keys.size(), target_);
    images_[to].assign(keys.begin(), keys.end());
  }
  std::vector<std::uint32_t> read_depth() override { return depth_; }
  std::vector<std::uint8_t> read_stencil() override { return stencil_; }
  std::vector<Color> read_color() override { return color_; }
  std::vector<ColorAt> read_color_compact(std::uint8_t mask) override {
    std::vector<ColorAt> found;
    for (std::size_t i = 0; i < color_.size(); ++i)
      if (any_channel(color_[i], mask))
        found.push_back(
            {static_cast<std::uint32_t>(i % target_.width), static_cast<std::uint32_t>(i / target_.width), color_[i]});
    return found;
  }
  const Counters& counters() const override { return counters_; }

 private:
  std::uint64_t draw_triangle(const State& state, std::uint32_t triangle) {
    const Triangle& t = geometry_.triangles[triangle];
    const Vec3d corner[3] = {geometry_.positions[t[0]], geometry_.positions[t[1]], geometry_.positions[t[2]]};
    const Color& color = state.triangle_colors != nullptr ? state.triangle_colors[triangle] : state.color;
    Primitive parts[Projection::kMost];
    const int count = projection_.triangle(corner[0], corner[1], corner[2], parts);
    std::uint64_t passed = 0;
    if (state.fill == Fill::solid) {
      for (int i = 0; i < count; ++i)
        if (!culled(state.cull, parts[i].area)) passed += fill(state, parts[i], color);
      return passed;
    }
    if (count > 0 && culled(state.cull, parts[0].area)) return 0;
    for (int i = 0; i < 3; ++i) {
      const auto [a, b] = edge_ends(t, i);
      Primitive line;
      if (projection_.line(corner[a], corner[b], &line) == 0) continue;
      passed += target_.coverage == Coverage::conservative ? fill(state, line, color) : draw_line(state, line, color);
    }
    return passed;
  }

  std::uint64_t fill(const State& state, Primitive p, const Color& color) {
    const bool conservative = target_.coverage == Coverage::conservative;
    if (p.area == 0 && !conservative) return 0;
    make_front(p);
    const DepthPlane plane(p, target_.coverage);
    const PixelBox box = pixel_box(p, target_);
    std::uint64_t passed = 0;
    for (std::int32_t y = box.y0; y < box.y1; ++y)
      for (std::int32_t x = box.x0; x < box.x1; ++x) {
        if (!covers(p, x, y, conservative)) continue;
        passed += fragment(state, x, y, ends_at(plane, x, y, target_), color) ? 1 : 0;
      }
    return passed;
  }

  std::uint64_t draw_line(const State& state, const Primitive& p, const Color& color) {
    std::uint64_t passed = 0;
    for_each_line_pixel(segment(p), whole(target_), [&](std::int32_t x, std::int32_t y, double z) {
      const std::uint32_t key = nearest_key(z, target_.format);
      passed += fragment(state, x, y, {key, key}, color) ? 1 : 0;
    });
    return passed;
  }

  bool fragment(const State& state, std::int32_t x, std::int32_t y, const Ends& ends, const Color& color) {
    ++counters_.fragments;
    const std::size_t at = std::size_t{target_.width} * y + x;
    const Pixel pixel{&depth_[at], stencil_.empty() ? nullptr : &stencil_[at], color_.empty() ? nullptr : &color_[at],
                      state.floor == kNoImage ? 0 : images_[state.floor][at],
                      state.ceiling == kNoImage ? 0 : images_[state.ceiling][at]};
    return shade(state, ends, color, pixel);
  }

  Target target_;
  Camera camera_;
  Geometry geometry_;
  Projection projection_;
  std::vector<std::uint32_t> depth_;
  std::vector<std::uint8_t> stencil_;
  std::vector<Color> color_;
  std::vector<std::vector<std::uint32_t>> images_;
  std::vector<std::uint64_t> queries_;
  Counters counters_;
};

}  // namespace

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

std::unique_ptr<Raster> make_reference_raster() { return std::make_unique<ReferenceRaster>(); }

}  // namespace sightline::papers::raster
