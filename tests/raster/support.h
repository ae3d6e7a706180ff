// Help for the tests of Raster: the implementations under test, and small scenes in pixel coordinates.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "gl/device.h"
#include "raster/raster.h"

namespace sightline::papers::raster::test {

/// Camera coordinates are pixels; depth keys run from near = 0 to far = 1.
inline Camera pixel_camera(double width, double height) {
  Camera camera;
  camera.left = 0, camera.right_edge = width, camera.bottom = 0, camera.top = height;
  camera.forward = {0, 0, 1};  // depth is z; right x up = forward here, a mirror image, which no rule depends on
  camera.near = 0, camera.far = 1;
  return camera;
}

struct Scene {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;

  std::uint32_t add(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const auto first = static_cast<std::uint32_t>(positions.size());
    positions.insert(positions.end(), {a, b, c});
    triangles.push_back({first, first + 1, first + 2});
    return static_cast<std::uint32_t>(triangles.size() - 1);
  }
  Geometry geometry() const { return {positions, triangles}; }
  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> list(triangles.size());
    std::iota(list.begin(), list.end(), 0u);
    return list;
  }
};

/// An implementation under test.
struct Which {
  const char* name;
  enum Kind { plain, cpu, gl_batched, gl_each } kind;
  unsigned threads = 1;

  bool on_gl() const { return kind == gl_batched || kind == gl_each; }
  /// All of them have the same masks and keys. The only rule that one does not keep: OpenGL's depth buffer has no 32
  /// fixed bits.
  bool has(DepthFormat format) const { return kind != gl_each || format != DepthFormat::fixed32; }
};
inline const Which kAll[] = {{"plain", Which::plain},
                             {"cpu1", Which::cpu, 1},
                             {"cpu3", Which::cpu, 3},
                             {"gl_batched", Which::gl_batched},
                             {"gl_each", Which::gl_each}};

inline std::unique_ptr<Raster> make_raster(const Which& which, Workers& workers) {
  switch (which.kind) {
    case Which::plain:
      return make_reference_raster();
    case Which::cpu:
      return make_cpu_raster(workers);
    default:
      return gl::make_raster(which.kind == Which::gl_each ? GlQueries::each : GlQueries::batched);
  }
}

/// Draws if a fragment has passed in the query before.
inline void draw_if(Raster& raster, Query query, const State& state, std::span<const std::uint32_t> triangles) {
  if (raster.result(query) > 0) raster.draw(state, triangles);
}

/// Draws on a small target in pixel coordinates.
class Canvas {
 public:
  Canvas(const Which& which, const Target& target) : workers_(which.threads) {
    raster_ = make_raster(which, workers_);
    raster_->target(target);
    raster_->camera(pixel_camera(target.width, target.height));
  }
  Raster* operator->() { return raster_.get(); }
  Raster& operator*() { return *raster_; }
  Scene& scene() { return scene_; }

  /// A triangle of the scene; to be followed by `ready` before it is drawn.
  std::uint32_t add(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return scene_.add(a, b, c); }
  /// Two triangles, counter-clockwise, at one depth.
  std::vector<std::uint32_t> rectangle(double x0, double y0, double x1, double y1, double z) {
    return {add({x0, y0, z}, {x1, y0, z}, {x1, y1, z}), add({x0, y0, z}, {x1, y1, z}, {x0, y1, z})};
  }
  void ready() { raster_->geometry(scene_.geometry()); }

  /// Fragments that pass.
  std::uint64_t draw(const State& state, const std::vector<std::uint32_t>& triangles) {
    const Query query = raster_->queries(1);
    raster_->draw(state, triangles, query);
    return raster_->result(query);
  }
  /// How often each pixel is drawn, as text, the top row first: '.' for 0.
  std::string counts(const std::vector<std::uint32_t>& triangles, State state = {}) {
    raster_->clear_stencil(0);
    state.depth_test = false;
    state.stencil_test = true;
    state.depth_pass = StencilOp::incr;
    raster_->draw(state, triangles);
    const auto stencil = raster_->read_stencil();
    const Target& target = raster_->target();
    std::string text;
    for (std::uint32_t y = target.height; y-- > 0;) {
      for (std::uint32_t x = 0; x < target.width; ++x) {
        const int n = stencil[y * target.width + x];
        text += n == 0 ? '.' : static_cast<char>('0' + std::min(n, 9));
      }
      text += '\n';
    }
    return text;
  }

 private:
  Workers workers_;
  std::unique_ptr<Raster> raster_;
  Scene scene_;
};

class RasterTest : public testing::TestWithParam<Which> {
 protected:
  void SetUp() override {
    if (GetParam().on_gl() && !gl::missing().empty()) GTEST_SKIP() << "gl: " << gl::missing();
  }
};
inline std::string name_of(const testing::TestParamInfo<Which>& info) { return info.param.name; }

}  // namespace sightline::papers::raster::test
