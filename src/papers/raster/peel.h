// Raster::peel: alternate surface peeling of many regions in one call.
//
// A region is an image of its own, of two objects. A peel of it begins with one of the objects. Layer 0 of a pixel is
// that object's nearest fragment; each further layer is the nearest fragment, of the two objects in turn, that is
// deeper than the layer before. Of several triangles at that depth, the one drawn last gives the id. The peel of a
// pixel ends where no such fragment is left. Two layers that follow each other make a pair of ids if they are close
// enough.
//
// No layer is an output: the distances are compared where the layers are, and only pairs of ids come back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "raster/raster.h"

namespace sightline::papers::raster {

struct PeelRegion {
  Camera camera;                                                 ///< orthographic
  std::uint32_t side = 1;                                        ///< pixels
  std::array<std::span<const std::uint32_t>, 2> triangles = {};  ///< of the two objects, in the order of drawing
  std::uint8_t starts = 1;                                       ///< bit i: a peel that begins with object i
  std::uint32_t reach = 0;  ///< two layers are a pair if they are less than this apart (layer_place)
};

/// An id of object 0 and an id of object 1.
struct IdPair {
  std::uint32_t region = 0, a = 0, b = 0;
  friend auto operator<=>(const IdPair&, const IdPair&) = default;
};

/// Sums over all peels.
struct PeelLayer {
  std::uint64_t peels = 0, peels_with_pairs = 0;    ///< in which the layer has a pixel, and a pair
  std::uint64_t pixels = 0, pixels_with_pairs = 0;  ///< of the layer
  friend bool operator==(const PeelLayer&, const PeelLayer&) = default;
};

struct Peeled {
  std::vector<IdPair> pairs;  ///< sorted, without repeats
  std::vector<PeelLayer> layers;
  double read_back_ms = 0;  ///< of the call, for the pairs after all layers were done
};

/// A depth key on a scale where differences are distances: fixed keys are on one; a float becomes a whole number of
/// 2^-32, rounded down.
inline std::uint32_t layer_place(std::uint32_t key, DepthFormat format) {
  if (format != DepthFormat::float32) return key;
  return static_cast<std::uint32_t>(std::min(std::bit_cast<float>(key), 0x1.fffffep-1f) * 0x1p32f);
}
/// PeelRegion::reach of a distance in scene units: rounded up, so that no layers closer than this are left out.
inline std::uint32_t reach_of(double distance, const Camera& camera, DepthFormat format) {
  if (!(distance > 0)) return 0;
  const double scale = format == DepthFormat::float32 ? 0x1p32 : units(format);
  const double places = std::ceil(distance / (camera.far - camera.near) * scale) + 1;
  return static_cast<std::uint32_t>(std::min(places, 4294967295.0));
}

/// Throws Error for a target in conservative coverage, a perspective camera and a side that no image has.
void check_peel(std::span<const PeelRegion> regions, const Target& target);

/// What a peel of a region has in its layers, before the sums.
struct PeelCounts {
  std::vector<std::uint64_t> pixels, pixels_with_pairs;  ///< by layer
  void add(std::size_t layer, std::uint64_t with, std::uint64_t paired) {
    if (layer >= pixels.size()) pixels.resize(layer + 1), pixels_with_pairs.resize(layer + 1);
    pixels[layer] += with;
    pixels_with_pairs[layer] += paired;
  }
  void add_to(std::vector<PeelLayer>& layers) const;
};

}  // namespace sightline::papers::raster
