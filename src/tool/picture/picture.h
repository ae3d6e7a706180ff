// `--image`: the meshes and their contacts as a picture, by our own raster. The same bytes for the same input, whatever
// the threads, the instruction set and the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "input/settings.h"
#include "report/document.h"

namespace sightline::picture {

struct PictureOptions {
  std::uint32_t width = 1600, height = 1000;  ///< 16 … kMostSide
  int up = 2;                                 ///< the axis that points upwards: 0, 1, 2
  Simd simd = Simd::best;                     ///< the picture does not depend on it
  report::WriteOptions run = {};
};
inline constexpr std::uint32_t kLeastSide = 16, kMostSide = 4096;

/// Rows from the top, three bytes a pixel.
struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The whole model from the direction from which the largest cluster of contacts is seen best. Triangles in contact
/// have the colours of their kinds and shine through surfaces in front of them; the common points are drawn as lines on
/// top. Where that cluster is small in the picture, a corner shows it enlarged. Throws Error for a size out of range,
/// Cancelled if `cancel` returns true.
Picture draw(const report::Contacts& contacts, const PictureOptions& options);

/// As a PNG file.
void write_png(report::Output& output, const Picture& picture);

}  // namespace sightline::picture
