// From triangle numbers to light: surfaces, edges, contacts that shine through, and the mean of the samples of each
// pixel.
#pragma once

#include <array>
#include <vector>

#include "base/parallel.h"
#include "picture/model.h"
#include "picture/view.h"

namespace sightline::picture {

/// Normals for shading: smooth where the surface is, flat at creases.
class Normals {
 public:
  explicit Normals(const Model& model);
  /// Computes the corners' normals of the triangles that the ids show; others are kept from earlier calls.
  void prepare(const std::vector<std::uint32_t>& ids, Workers& workers);

  /// Unit length, or 0 for a triangle without area. The winding gives its side.
  Vec3d face(std::uint32_t triangle) const;
  /// After prepare().
  const std::array<Vec3f, 3>& corners(std::uint32_t triangle) const { return corners_[slot_[triangle]]; }
  /// Triangles that were prepared have numbers below count().
  std::uint32_t number(std::uint32_t triangle) const { return slot_[triangle]; }
  std::size_t count() const { return corners_.size(); }

 private:
  std::array<Vec3f, 3> smooth(std::uint32_t triangle) const;

  const Model& model_;
  std::vector<std::uint32_t> vertex_;          ///< per position: equal positions of a part alike
  std::vector<std::uint32_t> start_, around_;  ///< triangles at each vertex
  std::vector<std::uint32_t> slot_;
  std::vector<std::array<Vec3f, 3>> corners_;
};

// Colours in linear light. Light is encoded by its square root: close to sRGB, and the same on every machine.

/// From the bytes of a screen.
inline Vec3d linear(int red, int green, int blue) {
  const auto square = [](int byte) { return byte / 255.0 * (byte / 255.0); };
  return {square(red), square(green), square(blue)};
}
inline std::uint8_t encode(double light) {
  return static_cast<std::uint8_t>(std::sqrt(std::clamp(light, 0.0, 1.0)) * 255 + 0.5);
}

/// Restrained tones for the parts, warm and cool by turns; one part alone is grey.
inline Vec3d part_colour(std::uint32_t part, std::uint32_t parts) {
  static const Vec3d kTones[] = {linear(206, 208, 211), linear(158, 182, 204), linear(206, 190, 164),
                                 linear(168, 196, 178), linear(196, 176, 196), linear(180, 180, 172),
                                 linear(148, 176, 190), linear(208, 200, 180)};
  return parts <= 1 ? kTones[0] : kTones[part % std::size(kTones)];
}

// A triangle in contact has its colour near the contact, and a tint farther off: a table top of two triangles must not
// be all in the colour of a contact because a cup stands on it.
inline constexpr double kTint = 0.12;

/// Of parts inside others: green, which is the colour of no kind of contact.
inline const Vec3d kInside = linear(0, 158, 115);

/// `share`: how much of its colour is shown; `cluster`: the nearest.
inline Vec3d base_colour(const Model& model, std::uint32_t triangle, double share, std::uint32_t cluster) {
  if (!model.colour.empty()) return model.colour[triangle];
  const Vec3d tone = part_colour(model.part[triangle], model.parts);
  if (model.paint[triangle] == 0) return tone;
  const auto colour = [](report::Paint paint) {
    const auto [red, green, blue] = report::paint_colour(paint);
    return linear(red, green, blue);
  };
  const Vec3d tinted = mix(tone, colour(model.paint[triangle]), kTint);
  return share > 0 ? mix(tinted, colour(paint_near(model, triangle, cluster)), share) : tinted;
}

/// Linear light; rows from the bottom.
struct Light {
  std::uint32_t width = 0, height = 0;
  std::vector<Vec3f> pixel;
  Vec3f& at(std::uint32_t x, std::uint32_t y) { return pixel[std::size_t{y} * width + x]; }
};

/// A point of a surface as the camera sees it.
struct Sample {
  double depth = 0;                          ///< 0: nothing is there
  Vec3d point = {}, normal = {}, flat = {};  ///< normals look towards the camera
};

/// Finds samples of a view.
class Surface {
 public:
  /// All triangles that ids and of() show are prepared in `normals`.
  Surface(const Model& model, const Normals& normals, const Lens& lens, const Ids& ids, std::uint32_t samples);
  Sample at(std::uint32_t x, std::uint32_t y) const { return of(ids_.at(x, y), x, y); }
  /// The same without the smooth normal.
  Sample place(std::uint32_t x, std::uint32_t y) const { return place_of(ids_.at(x, y), x, y); }
  /// The same of another triangle on that ray.
  Sample of(std::uint32_t id, std::uint32_t x, std::uint32_t y) const;
  const Ids& ids() const { return ids_; }
  const Lens& lens() const { return lens_; }
  std::uint32_t samples() const { return samples_; }             ///< a side of a pixel
  std::uint32_t width() const { return ids_.width / samples_; }  ///< in pixels
  std::uint32_t height() const { return ids_.height / samples_; }
  /// Size of a pixel at depth 1.
  double pixel() const { return (lens_.top - lens_.bottom) / ids_.height * samples_; }

 private:
  /// Of a triangle, the same for all its samples.
  struct Facet {
    Vec3d normal, side_1, side_2;  ///< sides from corner 0
    double low, high;              ///< depths of its corners
    double area;
  };
  Sample place_of(std::uint32_t id, std::uint32_t x, std::uint32_t y) const;

  const Model& model_;
  const Normals& normals_;
  const Lens& lens_;
  const Ids& ids_;
  std::uint32_t samples_;
  std::vector<Facet> facets_;  ///< by Normals::number
};

/// Depth of each pixel's middle sample, 0 where nothing is.
std::vector<float> depths(const Surface& surface, Workers& workers);
/// How much of the light from all around each pixel gets, 1 for all (ambient.cpp).
std::vector<float> ambient(const Surface& surface, const std::vector<float>& depth, Workers& workers);

/// Per pixel: how much of its colour a triangle in contact shows here, and the cluster of the nearest line.
struct Nearness {
  std::vector<float> share;
  std::vector<std::uint32_t> cluster;
};

/// Per pixel, for shade().
struct Fields {
  std::vector<float> ambient;
  Nearness near;
  /// Ids of the triangles of parts inside others alone, which shine through; null: there are none.
  const Ids* inside = nullptr;
};

/// `touched`: ids of the triangles in contact alone.
Light shade(const Model& model, const Surface& surface, const Ids& touched, const Fields& fields,
            const Light& background, Workers& workers);

}  // namespace sightline::picture
