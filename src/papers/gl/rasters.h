// The two implementations of Raster on OpenGL, and what they have in common. They throw Error where this machine has no
// OpenGL 4.5, and must be used on the thread that made them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gl/inside.h"
#include "gl/lists.h"
#include "gl/primitives.h"
#include "raster/raster.h"

namespace sightline::papers::gl {

class GlRaster : public raster::Raster {
 protected:
  void enter_geometry() override { primitives_.geometry(geometry_); }
  void enter_view() override { primitives_.view(camera_, target_); }
  void add_image() override {
    Buffer& image = context_.image(images_);
    image.reserve(context_, 4 * pixels(), "an image of depths");
    context_.fill(image, 4 * pixels(), 0);
  }
  void store_keys(raster::Image to, std::span<const std::uint32_t> keys) override {
    glFinish();
    glNamedBufferSubData(context_.image(to).id(), 0, static_cast<GLsizeiptr>(keys.size_bytes()), keys.data());
  }

  std::vector<raster::Inside> find_inside(const raster::InsideQuery& query, std::uint64_t& samples) override {
    return insides_.find(query, geometry_, camera_, target_, samples);
  }

  void upload_colors(const raster::Color* colors) {
    context_.buffer(Context::kColors)
        .assign(context_, colors, geometry_.triangles.size() * sizeof(raster::Color), "colours");
  }
  /// One value a pixel.
  template <typename T>
  std::vector<T> read(Context::Slot slot) {
    std::vector<T> values(pixels());
    context_.read(context_.buffer(slot), 0, pixels() * sizeof(T), values.data(), "a read-back");
    return values;
  }

  Session session_;
  Context& context_ = *session_;
  Primitives primitives_{context_};
  Insides insides_{context_};
};

/// Draws are collected and run together, tile by tile, in compute programs; the results of all queries come back in one
/// piece.
std::unique_ptr<raster::Raster> make_tile_raster();
/// The graphics pipeline as the papers use it: one draw and one occlusion query for each call.
std::unique_ptr<raster::Raster> make_query_raster();

}  // namespace sightline::papers::gl
