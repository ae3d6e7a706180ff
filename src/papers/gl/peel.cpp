#include "gl/peel.h"

#include <algorithm>
#include <chrono>

#include "gl/lists.h"
#include "gl/shaders.h"
#include "raster/cover.h"

namespace sightline::papers::gl {
namespace {

constexpr std::size_t kHeaderWords = 4;  ///< pairs, deepest layer, fragments (low and high word)
constexpr std::size_t kPairWords = 3;

/// The tiles of a primitive, half open.
struct TileBox {
  std::uint32_t x0, y0, x1, y1;
};
TileBox tiles_of(const GpuPrimitive& p, std::uint32_t side) {
  const auto [x_low, x_high] = std::minmax({p.x0, p.x1, p.x2});
  const auto [y_low, y_high] = std::minmax({p.y0, p.y1, p.y2});
  const auto most = static_cast<std::int32_t>(side);
  const auto first = [&](std::int32_t low) {  // the first sample at or behind it
    return static_cast<std::uint32_t>(std::clamp((low + raster::kHalf - 1) >> 8, 0, most)) / kListTile;
  };
  const auto last = [&](std::int32_t high) {
    return tiles_along(static_cast<std::uint32_t>(std::clamp(((high - raster::kHalf) >> 8) + 1, 0, most)));
  };
  return {first(x_low), first(y_low), last(x_high), last(y_high)};
}

template <typename Visit>
void for_each_tile(const TileBox& box, std::uint32_t across, const Visit& visit) {
  for (std::uint32_t y = box.y0; y < box.y1; ++y)
    for (std::uint32_t x = box.x0; x < box.x1; ++x) visit(std::size_t{y} * across + x);
}

}  // namespace

void RegionPeeler::add(const raster::Geometry& geometry, raster::DepthFormat format, const raster::PeelRegion& region,
                       std::uint32_t number, std::span<const std::uint32_t> ids) {
  const raster::Projection projection(region.camera, {region.side, region.side, format});
  const std::size_t begin = primitives_.size();
  std::size_t middle = begin;
  for (const int object : {0, 1}) {
    for (const std::uint32_t triangle : region.triangles[object]) {
      const Triangle& t = geometry.triangles[triangle];
      raster::Primitive parts[raster::Projection::kMost];
      const int count =
          projection.triangle(geometry.positions[t[0]], geometry.positions[t[1]], geometry.positions[t[2]], parts);
      for (int i = 0; i < count; ++i)
        if (parts[i].area != 0)
          primitives_.push_back(record_of(parts[i], 1, ids[triangle], false, raster::Coverage::image));
    }
    if (object == 0) middle = primitives_.size();
  }
  // Count, scan, fill: for each tile the entries of object 0, then those of object 1, in the order of drawing.
  const std::uint32_t across = tiles_along(region.side);
  std::vector<std::array<std::uint32_t, 2>> next(std::size_t{across} * across, {0, 0});
  const auto for_each_entry = [&](const auto& visit) {
    for (std::size_t p = begin; p < primitives_.size(); ++p)
      for_each_tile(tiles_of(primitives_[p], region.side), across,
                    [&](std::size_t tile) { visit(p, next[tile][p < middle ? 0 : 1]); });
  };
  for_each_entry([](std::size_t, std::uint32_t& count) { ++count; });
  auto sum = static_cast<std::uint32_t>(entries_.size());
  for (std::size_t tile = 0; tile < next.size(); ++tile) {
    const auto [first, second] = next[tile];
    next[tile] = {sum, sum + first};
    if (first + second > 0)
      tiles_.push_back({sum,
                        sum + first,
                        sum + first + second,
                        region.reach,
                        static_cast<std::int32_t>(tile % across * kListTile),
                        static_cast<std::int32_t>(tile / across * kListTile),
                        static_cast<std::int32_t>(region.side),
                        number,
                        region.starts,
                        {0, 0, 0}});
    sum += first + second;
  }
  entries_.resize(sum);
  for_each_entry([&](std::size_t p, std::uint32_t& at) { entries_[at++] = static_cast<std::uint32_t>(p); });
}

void RegionPeeler::upload() {
  context_.buffer(Context::kPeelPrimitives)
      .assign(context_, primitives_.data(), primitives_.size() * sizeof(GpuPrimitive), "regions");
  context_.buffer(Context::kPeelEntries).assign(context_, entries_.data(), entries_.size() * 4, "regions");
  context_.buffer(Context::kPeelTiles).assign(context_, tiles_.data(), tiles_.size() * sizeof(GpuTile), "regions");
}

void RegionPeeler::submit(raster::DepthFormat format, std::size_t counts, std::uint32_t layers,
                          std::uint32_t capacity) {
  const Buffer& found = context_.buffer(Context::kPeelFound);
  context_.fill(found, 4 * (kHeaderWords + counts), 0);
  context_.compute("peel", peel_shader);
  context_.set("depth_format", static_cast<GLint>(format));
  context_.set("conservative", 0);
  context_.set("tile_count", static_cast<GLuint>(tiles_.size()));
  context_.set("layer_capacity", static_cast<GLuint>(layers));
  context_.set("pair_capacity", static_cast<GLuint>(capacity));
  context_.set("pairs_at", static_cast<GLuint>(kHeaderWords + counts));
  context_.bind(0, Context::kPeelPrimitives);
  context_.bind(1, Context::kPeelEntries);
  context_.bind(2, Context::kPeelTiles);
  context_.bind(3, found);
  const auto groups = static_cast<GLuint>(tiles_.size()), wide = std::min<GLuint>(groups, 32768);
  glDispatchCompute(wide, (groups + wide - 1) / wide, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("peel");
}

bool RegionPeeler::run(const raster::Geometry& geometry, raster::DepthFormat format,
                       std::span<const raster::PeelRegion> regions, std::span<const std::uint32_t> ids,
                       raster::Peeled& result, raster::Counters& counters) {
  primitives_.clear();
  entries_.clear();
  tiles_.clear();
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    add(geometry, format, regions[i], i, ids);
    if (!fits(primitives_.size() * sizeof(GpuPrimitive)) || !fits(entries_.size() * 4) ||
        !fits(tiles_.size() * sizeof(GpuTile)))
      return false;
  }
  result = {};
  for (const raster::PeelRegion& region : regions) {
    counters.renders += 2;
    counters.triangles += region.triangles[0].size() + region.triangles[1].size();
  }
  if (tiles_.empty()) return true;
  upload();

  std::vector<std::uint32_t> words;
  std::uint32_t layers = 16, capacity = 4096;
  std::size_t counts = 0;
  std::chrono::steady_clock::time_point start;
  for (bool done = false; !done;) {
    counts = std::size_t{4} * layers * regions.size();  // of two peels: pixels, pixels with a pair
    words.resize(kHeaderWords + counts + kPairWords * capacity);
    if (!fits(4 * words.size()))
      throw Error("gl: the pairs of all regions do not fit into a buffer; take fewer pixels");
    context_.buffer(Context::kPeelFound).reserve(context_, 4 * words.size(), "pairs of ids");
    submit(format, counts, layers, capacity);
    glFinish();
    start = std::chrono::steady_clock::now();
    context_.read(context_.buffer(Context::kPeelFound), 0, 4 * words.size(), words.data(), "pairs of ids");
    done = words[0] <= capacity && words[1] <= layers;
    capacity = std::max(capacity, words[0]);
    layers = std::max(layers, words[1]);
  }
  counters.fragments += std::uint64_t{words[3]} << 32 | words[2];
  for (std::size_t peel = 0; peel < 2 * regions.size(); ++peel) {
    raster::PeelCounts own;
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const std::uint32_t* at = words.data() + kHeaderWords + 2 * (peel * layers + layer);
      if (at[0] > 0) own.add(layer, at[0], at[1]);
    }
    own.add_to(result.layers);
  }
  for (std::size_t i = 0; i < words[0]; ++i) {
    const std::uint32_t* at = words.data() + kHeaderWords + counts + kPairWords * i;
    result.pairs.push_back({at[0], at[1], at[2]});
  }
  std::sort(result.pairs.begin(), result.pairs.end());
  result.pairs.erase(std::unique(result.pairs.begin(), result.pairs.end()), result.pairs.end());
  result.read_back_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return true;
}

}  // namespace sightline::papers::gl
