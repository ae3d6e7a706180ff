// The buffers of a target, and recorded draws carried out on them, tile by tile.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "raster/cpu/bin.h"

namespace sightline::papers::raster::cpu {

/// A buffer of the target, tile after tile. A tile that was cleared and not drawn to since has no memory: only its
/// value.
template <typename T>
class TileStore {
 public:
  /// All tiles at `value`; 0 tiles release the memory.
  void reset(std::size_t tiles, const T& value) {
    if (tiles != cleared_.size()) memory_.reset();
    cleared_.assign(tiles, 1);
    value_.assign(tiles, value);
  }
  bool exists() const { return !cleared_.empty(); }
  bool cleared(std::size_t tile) const { return cleared_[tile] != 0; }
  const T& value(std::size_t tile) const { return value_[tile]; }  ///< of a cleared tile

  /// Must be called before tiles are stored from several threads.
  void allocate() {
    if (memory_ == nullptr && exists())
      memory_ = std::make_unique_for_overwrite<T[]>(cleared_.size() * kTilePixels + kPadding);
  }
  void clear(std::size_t tile, const T& value) {
    cleared_[tile] = 1;
    value_[tile] = value;
  }
  void load(std::size_t tile, T* to) const {
    if (cleared_[tile] != 0)
      std::fill_n(to, kTilePixels, value_[tile]);
    else
      std::memcpy(to, memory_.get() + tile * kTilePixels, kTilePixels * sizeof(T));
  }
  void store(std::size_t tile, const T* from) {
    cleared_[tile] = 0;
    std::memcpy(memory_.get() + tile * kTilePixels, from, kTilePixels * sizeof(T));
  }
  /// A stored tile.
  const T* data(std::size_t tile) const { return memory_.get() + tile * kTilePixels; }

 private:
  std::vector<std::uint8_t> cleared_;  // not bool: tiles are written from several threads
  std::vector<T> value_;
  std::unique_ptr<T[]> memory_;
};

class Frame {
 public:
  Frame(Workers& workers, TileKernel kernel) : workers_(workers), kernel_(kernel) {}

  void reset(const Target& target);

  void add_image();
  void copy_depth(Image to);
  void write(Image to, std::span<const std::uint32_t> keys);
  std::vector<std::uint32_t> read_depth();
  std::vector<std::uint8_t> read_stencil();
  std::vector<Color> read_color();
  std::vector<ColorAt> read_color_compact(std::uint8_t mask);

  /// Runs calls for which `parts` has been prepared; returns the number of fragments. With `keep`, the new depths are
  /// used and then dropped (targets without other buffers; true is returned in `kept`), and `replay` can make them
  /// again. This saves memory traffic for the many images of which only the queries are needed.
  std::uint64_t run(const Calls& calls, const Parts& parts, std::span<std::uint64_t> queries, bool keep, bool* kept);
  /// Makes the depths of a run that was kept. Must be called before anything else.
  void replay(const Calls& calls, const Parts& parts);

 private:
  struct Tile;
  struct Run;
  void run_range(Run& run, std::size_t first, std::size_t last);
  void run_tiles(Run& run, std::size_t clear_end);
  std::uint64_t run_tile(const Run& run, std::size_t tile, std::size_t clear_end);
  PixelBox pixels_of(std::size_t tile) const;
  template <typename T>
  std::vector<T> read(const TileStore<T>& store);

  Workers& workers_;
  TileKernel kernel_;
  Target target_;
  Grid grid_;
  TileStore<std::uint32_t> depth_;
  TileStore<std::uint8_t> stencil_;
  TileStore<Color> color_;
  std::vector<std::unique_ptr<std::uint32_t[]>> images_;  ///< tile after tile
  Bins bins_;
  std::vector<std::size_t> active_;
};

}  // namespace sightline::papers::raster::cpu
