// A buffer of the target, tile after tile. A tile that was cleared and not drawn to since has no memory: only its
// value.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "raster/cpu/tile.h"

namespace sightline::papers::raster::cpu {

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

}  // namespace sightline::papers::raster::cpu
