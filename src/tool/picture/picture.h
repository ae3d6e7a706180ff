// `--image`: the meshes and their contacts as a picture, by our own raster. The same bytes for the same input, whatever
// the threads, the instruction set and the machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "input/settings.h"
#include "report/document.h"

namespace sightline::picture {

struct PictureOptions {
  std::uint32_t width = 1600, height = 1000;  ///< 16 … kMostSide
  int up = 2;                                 ///< the axis that points upwards: 0, 1, 2
  Simd simd = Simd::best;                     ///< the picture does not depend on it
  report::WriteOptions run = {};              ///< draw() of contacts counts kDrawSteps items of progress
};
inline constexpr std::uint64_t kDrawSteps = 100;
inline constexpr std::uint32_t kLeastSide = 16, kMostSide = 4096;

/// Rows from the top, three bytes a pixel.
struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// What a picture shows beside surfaces and contacts. Texts are UTF-8. A picture with a side below 300 pixels has no
/// texts.
struct Notes {
  std::string title = {}, facts = {};  ///< two lines above the model; without a title there are none, and no legend
  bool clean = true;                   ///< false: a list without contacts is no proof that there are none
  std::vector<std::pair<std::uint32_t, std::string>> names = {};  ///< parts and their names, the important ones first
  /// The nearest points of two parts that are near each other: a line between them.
  struct Gap {
    std::array<Vec3d, 2> ends{};
    std::string text = {};
  };
  std::vector<Gap> gaps = {};
  std::vector<std::uint32_t> inner = {};  ///< parts inside others: they shine through what is in front of them
};

/// The whole model from the direction from which the largest cluster of contacts is seen best. Triangles in contact
/// have the colours of their kinds and shine through surfaces in front of them; the common points are drawn as lines on
/// top. Where that cluster is small in the picture, a corner shows it enlarged. Throws Error for a size out of range,
/// Cancelled if `cancel` returns true.
Picture draw(const report::Contacts& contacts, const PictureOptions& options, const Notes& notes = {});

/// The moments of one scene, all from the direction that suits the moment with the most contacts, in one window that
/// holds all of them. Corners are not enlarged.
std::vector<Picture> draw_moments(std::span<const report::Contacts> moments, const PictureOptions& options);

/// The colour of a triangle of a figure: absent triangles are not drawn, plain ones have the tone of their mesh, pale
/// ones are light grey; those of a set (red) and of contacts (green) shine through surfaces in front of them.
enum class Ink : std::uint8_t { absent, plain, pale, set, contact, culled };
struct FigureMesh {
  MeshView mesh;
  std::vector<Ink> inks;  ///< one for each triangle; empty: all plain
};
/// The meshes along `direction` on white; absent triangles count for the size of the window, so that figures of one
/// scene can be compared.
Picture draw(std::span<const FigureMesh> meshes, const Vec3d& direction, const PictureOptions& options);

/// The bytes of a PNG file.
std::string png_of(const Picture& picture);
/// As a PNG file.
void write_png(report::Output& output, const Picture& picture);
/// The bytes of an animated PNG, which repeats without end. Programs that show no animations show the first picture.
/// All pictures have one size. Throws Error if there is none.
std::string animated_png_of(std::span<const Picture> pictures, std::uint32_t milliseconds_each);

}  // namespace sightline::picture
