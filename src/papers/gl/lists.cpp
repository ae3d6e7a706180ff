#include "gl/lists.h"

#include <algorithm>

#include "gl/shaders.h"

namespace sightline::papers::gl {

std::uint32_t list_capacity(Context& context, bool sweep) {
  std::size_t bytes = context.buffer(Context::kLists).capacity();
  if (sweep) bytes = std::min(bytes, context.buffer(Context::kSorted).capacity());
  return static_cast<std::uint32_t>(std::min<std::size_t>(bytes / 4, 0xFFFFFFFFu));
}

void set_target(Context& context, const raster::Target& target) {
  context.set("depth_format", static_cast<GLint>(target.format));
  context.set("conservative", target.coverage == raster::Coverage::conservative ? 1 : 0);
  context.set("image_size", target.width, target.height);
}

void Lists::set_uniforms() const {
  set_target(context, target);
  context.set("tile_grid", tiles_along(target.width), tiles_along(target.height));
  context.set("entry_first", first_entry);
  context.set("entry_count", entries);
  context.set("command_count", commands);
  context.set("list_capacity", list_capacity(context, sweep));
  context.set("one_each", one_each ? 1 : 0);
}

void Lists::bin(bool fill) const {
  constexpr const char* kNames[2][2][2] = {{{"count", "fill"}, {"count large", "fill large"}},
                                           {{"sweep count", "sweep fill"}, {"sweep count large", "sweep fill large"}}};
  for (const bool large : {false, true}) {
    const char* const name = kNames[sweep ? 1 : 0][large ? 1 : 0][fill ? 1 : 0];
    use(name, [&] { return list_shader(sweep, large, fill); });
    if (large)
      glDispatchComputeIndirect(offsetof(ListHeader, large_groups));
    else
      context.dispatch(entries);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
    context.traced(name);
  }
}

void Lists::measure() const {
  context.bind(0, primitives.buffer());
  context.bind(1, Context::kEntries);
  context.bind(4, Context::kTiles);
  context.bind(5, Context::kLists);
  context.bind(6, header);
  context.bind(7, Context::kLarge);
  context.bind(9, Context::kBusy);
  context.bind(10, Context::kPool);
  glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, header.id());
  bin(false);
  const auto tiles = static_cast<GLuint>(tiles_of(target));
  context.compute("place", place_shader);
  context.set("tile_count", tiles);
  glDispatchCompute((tiles + 255) / 256, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context.traced("place");
}

}  // namespace sightline::papers::gl
