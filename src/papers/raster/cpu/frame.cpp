#include "raster/cpu/frame.h"

#include <algorithm>
#include <atomic>

namespace sightline::papers::raster::cpu {
namespace {

/// A buffer of one tile while the tile is worked on: still in the store, cleared to a value, or in the scratch copy.
template <typename T>
class Working {
 public:
  Working(TileStore<T>& store, std::size_t tile, T* scratch) : store_(store), tile_(tile), scratch_(scratch) {}

  T* pixels() {
    if (!store_.exists()) return nullptr;
    if (place_ == Place::store) store_.load(tile_, scratch_);
    if (place_ == Place::cleared) std::fill_n(scratch_, kTilePixels, value_);
    place_ = Place::scratch;
    return scratch_;
  }
  void clear(const T& value) {
    place_ = Place::cleared;
    cleared_ = true;
    value_ = value;
  }
  /// Writes the buffer back. `written` is false if it was only read.
  void put(bool written) {
    if (!store_.exists()) return;
    if (place_ == Place::scratch && written)
      store_.store(tile_, scratch_);
    else if (cleared_)
      store_.clear(tile_, value_);
  }

 private:
  enum class Place : std::uint8_t { store, cleared, scratch };
  TileStore<T>& store_;
  std::size_t tile_;
  T* scratch_;
  Place place_ = Place::store;
  bool cleared_ = false;  ///< at some time, last to value_
  T value_{};
};

}  // namespace

struct Frame::Tile {
  alignas(64) std::uint32_t depth[kTilePixels + kPadding];
  alignas(64) std::uint8_t stencil[kTilePixels + kPadding];
  alignas(64) Color color[kTilePixels + kPadding];
};

struct Frame::Run {
  const Calls& calls;
  const Parts& parts;
  std::span<std::uint64_t> queries;  ///< empty: none are counted
  bool keep = false;
  std::size_t clears = 0;  ///< done so far
  std::atomic<std::uint64_t> fragments = 0;
};

void Frame::reset(const Target& target) {
  target_ = target;
  grid_ = {static_cast<int>(target.width + kTile - 1) / kTile, static_cast<int>(target.height + kTile - 1) / kTile};
  depth_.reset(grid_.size(), far_key(target.format));
  stencil_.reset(target.stencil ? grid_.size() : 0, 0);
  color_.reset(target.color ? grid_.size() : 0, Color{});
  images_.clear();
}

PixelBox Frame::pixels_of(std::size_t tile) const {
  const int x = static_cast<int>(tile % static_cast<std::size_t>(grid_.columns)) * kTile;
  const int y = static_cast<int>(tile / static_cast<std::size_t>(grid_.columns)) * kTile;
  const PixelBox all = whole(target_);
  return {x, y, std::min(x + kTile, all.x1), std::min(y + kTile, all.y1)};
}

void Frame::add_image() { images_.push_back(std::make_unique<std::uint32_t[]>(grid_.size() * kTilePixels + kPadding)); }

void Frame::copy_depth(Image to) {
  workers_.for_each(grid_.size(), [&](std::size_t tile) { depth_.load(tile, images_[to].get() + tile * kTilePixels); });
}

void Frame::write(Image to, std::span<const std::uint32_t> keys) {
  workers_.for_each(grid_.size(), [&](std::size_t tile) {
    const PixelBox box = pixels_of(tile);
    for (int y = box.y0; y < box.y1; ++y)
      std::copy_n(keys.data() + std::size_t{target_.width} * static_cast<std::size_t>(y) + box.x0, box.x1 - box.x0,
                  images_[to].get() + tile * kTilePixels + (y - box.y0) * kTile);
  });
}

template <typename T>
std::vector<T> Frame::read(const TileStore<T>& store) {
  if (!store.exists()) return {};
  std::vector<T> all(std::size_t{target_.width} * target_.height);
  workers_.for_each(grid_.size(), [&](std::size_t tile) {
    T scratch[kTilePixels];
    store.load(tile, scratch);
    const PixelBox box = pixels_of(tile);
    for (int y = box.y0; y < box.y1; ++y)
      std::copy_n(scratch + (y - box.y0) * kTile, box.x1 - box.x0,
                  all.data() + std::size_t{target_.width} * static_cast<std::size_t>(y) + box.x0);
  });
  return all;
}

std::vector<std::uint32_t> Frame::read_depth() { return read(depth_); }
std::vector<std::uint8_t> Frame::read_stencil() { return read(stencil_); }
std::vector<Color> Frame::read_color() { return read(color_); }

std::vector<ColorAt> Frame::read_color_compact(std::uint8_t mask) {
  if (!color_.exists()) return {};
  std::vector<std::vector<ColorAt>> bands(static_cast<std::size_t>(grid_.rows));
  workers_.for_each(bands.size(), [&](std::size_t row) {
    for (int line = 0; line < kTile; ++line)
      for (int column = 0; column < grid_.columns; ++column) {
        const std::size_t tile = grid_.tile(column, static_cast<int>(row));
        const PixelBox box = pixels_of(tile);
        if (box.y0 + line >= box.y1 || (color_.cleared(tile) && !any_channel(color_.value(tile), mask))) continue;
        for (int x = 0; x < box.x1 - box.x0; ++x) {
          const Color& color = color_.cleared(tile) ? color_.value(tile) : color_.data(tile)[line * kTile + x];
          if (any_channel(color, mask))
            bands[row].push_back(
                {static_cast<std::uint32_t>(box.x0 + x), static_cast<std::uint32_t>(box.y0 + line), color});
        }
      }
  });
  std::vector<ColorAt> found;
  for (const auto& band : bands) found.insert(found.end(), band.begin(), band.end());
  return found;
}

std::uint64_t Frame::run_tile(const Run& run, std::size_t tile, std::size_t clear_end) {
  Tile scratch;
  Working<std::uint32_t> depth(depth_, tile, scratch.depth);
  Working<std::uint8_t> stencil(stencil_, tile, scratch.stencil);
  Working<Color> color(color_, tile, scratch.color);
  std::vector<const std::uint32_t*> images;
  for (const auto& image : images_) images.push_back(image.get() + tile * kTilePixels);
  const Calls& calls = run.calls;
  std::span<const Entry> entries = bins_.of(tile);
  std::uint64_t fragments = 0;
  for (std::size_t c = run.clears; c <= clear_end; ++c) {
    const std::size_t end = c < clear_end ? run.calls.clears[c].before : calls.ops.size();
    const std::size_t count = static_cast<std::size_t>(
        std::partition_point(entries.begin(), entries.end(), [&](const Entry& e) { return e.op < end; }) -
        entries.begin());
    if (count > 0) {
      const Surface surface{depth.pixels(), stencil.pixels(), color.pixels(), images.data()};
      fragments += kernel_({entries.first(count), calls.ops.data(), calls.plans.data(), run.parts.parts(),
                            run.parts.boxes(), pixels_of(tile), target_, surface, run.queries.data()});
      entries = entries.subspan(count);
    }
    if (c == clear_end) break;
    const Clear& clear = run.calls.clears[c];
    if (clear.buffer == Buffer::depth) depth.clear(clear.depth);
    if (clear.buffer == Buffer::stencil) stencil.clear(clear.stencil);
    if (clear.buffer == Buffer::color) color.clear(clear.color);
  }
  if (!run.keep) {
    depth.put(run.calls.writes_depth);
    stencil.put(true);
    color.put(true);
  }
  return fragments;
}

void Frame::run_tiles(Run& run, std::size_t clear_end) {
  active_.clear();
  std::size_t entries = 0;
  for (std::size_t tile = 0; tile < grid_.size(); ++tile) {
    if (!bins_.of(tile).empty()) {
      active_.push_back(tile);
      entries += bins_.of(tile).size();
    } else if (!run.keep) {
      for (std::size_t c = run.clears; c < clear_end; ++c) {
        const Clear& clear = run.calls.clears[c];
        if (clear.buffer == Buffer::depth) depth_.clear(tile, clear.depth);
        if (clear.buffer == Buffer::stencil) stencil_.clear(tile, clear.stencil);
        if (clear.buffer == Buffer::color) color_.clear(tile, clear.color);
      }
    }
  }
  if (!run.keep && run.calls.writes_depth) depth_.allocate();
  stencil_.allocate();
  color_.allocate();
  const auto one = [&](std::size_t i) {
    run.fragments.fetch_add(run_tile(run, active_[i], clear_end), std::memory_order_relaxed);
  };
  constexpr std::size_t kFew = 32;  // fewer are not worth starting a worker
  if (entries < kFew)
    for (std::size_t i = 0; i < active_.size(); ++i) one(i);
  else
    workers_.for_each(active_.size(), one);
}

/// Lists that would take too much memory are made for one half of the calls, and then for the other half.
void Frame::run_range(Run& run, std::size_t first, std::size_t last) {
  const Calls& calls = run.calls;
  if (!bins_.fill(workers_, calls, run.parts, grid_, first, last)) {
    run.keep = false;
    const std::size_t middle = first + (last - first) / 2;
    run_range(run, first, middle);
    run_range(run, middle, last);
    return;
  }
  std::size_t clear_end = run.calls.clears.size();
  if (last < calls.triangles.size()) {
    const std::size_t op = calls.op_of(last - 1);
    clear_end = run.clears;
    while (clear_end < run.calls.clears.size() && run.calls.clears[clear_end].before <= op) ++clear_end;
  }
  run_tiles(run, clear_end);
  run.clears = clear_end;
}

std::uint64_t Frame::run(const Calls& calls, const Parts& parts, std::span<std::uint64_t> queries, bool keep,
                         bool* kept) {
  Run run{calls, parts, queries, keep && calls.writes_depth && !stencil_.exists() && !color_.exists()};
  run_range(run, 0, calls.triangles.size());
  *kept = run.keep;
  return run.fragments;
}

void Frame::replay(const Calls& calls, const Parts& parts) {
  Run run{calls, parts, {}};
  run_tiles(run, calls.clears.size());
}

}  // namespace sightline::papers::raster::cpu
