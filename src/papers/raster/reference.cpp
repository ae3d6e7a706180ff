// The plain implementation of Raster: each call at once, one fragment after the other.

#include <algorithm>
#include <cmath>

#include "raster/cover.h"
#include "raster/fragment.h"
#include "raster/inside.h"

namespace sightline::papers::raster {
namespace {

class ReferenceRaster final : public Raster {
 public:
  void clear_depth(std::uint32_t key) override { std::fill(depth_.begin(), depth_.end(), key); }
  void clear_stencil(std::uint8_t value) override { std::fill(stencil_.begin(), stencil_.end(), value); }
  void clear_color(const Color& color) override { std::fill(color_.begin(), color_.end(), color); }
  std::vector<std::uint32_t> read_depth() override { return depth_; }
  std::vector<std::uint8_t> read_stencil() override { return stencil_; }
  std::vector<Color> read_color() override { return color_; }

 private:
  void enter_target() override {
    depth_.assign(pixels(), far_key(target_.format));
    stencil_.assign(target_.stencil ? pixels() : 0, 0);
    color_.assign(target_.color ? pixels() : 0, Color{});
    stored_.clear();
  }
  void enter_view() override { projection_ = Projection(camera_, target_); }
  void submit(const State& state, std::span<const std::uint32_t> triangles, Query query) override {
    std::uint64_t passed = 0;
    for (const std::uint32_t triangle : triangles) passed += draw_triangle(state, triangle);
    if (query != kNoQuery) results_[query] += passed;
  }
  std::vector<Inside> find_inside(const InsideQuery& query, std::uint64_t& samples) override {
    return inside::find(query, geometry_, projection_, target_, samples);
  }
  void add_image() override { stored_.emplace_back(depth_.size(), 0); }
  void store_depth(Image to) override { stored_[to] = depth_; }
  void store_keys(Image to, std::span<const std::uint32_t> keys) override {
    stored_[to].assign(keys.begin(), keys.end());
  }

  std::uint64_t draw_triangle(const State& state, std::uint32_t triangle) {
    const Triangle& t = geometry_.triangles[triangle];
    const std::array<Vec3d, 3> corner = geometry_.corners(triangle);
    const Color& color = state.color_of(triangle);
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
        passed +=
            fragment(state, x, y, ends_of(plane.at(x, y), plane.low, plane.high, plane.half, target_), color) ? 1 : 0;
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
                      state.floor == kNoImage ? 0 : stored_[state.floor][at],
                      state.ceiling == kNoImage ? 0 : stored_[state.ceiling][at]};
    return shade(state, ends, color, pixel);
  }

  Projection projection_;
  std::vector<std::uint32_t> depth_;
  std::vector<std::uint8_t> stencil_;
  std::vector<Color> color_;
  std::vector<std::vector<std::uint32_t>> stored_;  ///< images
};

}  // namespace

std::unique_ptr<Raster> make_reference_raster() { return std::make_unique<ReferenceRaster>(); }

}  // namespace sightline::papers::raster
