// From triangle numbers to light: surfaces, edges, contacts that shine through, and the mean of the samples of each
// pixel.
#pragma once

#include <vector>

#include "picture/normals.h"
#include "picture/view.h"

namespace sightline::picture {

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
  Surface(const Model& model, const Normals& normals, const Lens& lens, const Ids& ids, std::uint32_t samples)
      : model_(model), normals_(normals), lens_(lens), ids_(ids), samples_(samples) {}
  Sample at(std::uint32_t x, std::uint32_t y) const { return of(ids_.at(x, y), x, y); }
  /// The same of another triangle on that ray.
  Sample of(std::uint32_t id, std::uint32_t x, std::uint32_t y) const;
  const Ids& ids() const { return ids_; }
  const Lens& lens() const { return lens_; }
  std::uint32_t samples() const { return samples_; }  ///< a side of a pixel
  /// Size of a pixel at depth 1.
  double pixel() const { return (lens_.top - lens_.bottom) / ids_.height * samples_; }

 private:
  const Model& model_;
  const Normals& normals_;
  const Lens& lens_;
  const Ids& ids_;
  std::uint32_t samples_;
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
};

/// `touched`: ids of the triangles in contact alone.
Light shade(const Model& model, const Surface& surface, const Ids& touched, const Fields& fields,
            const Light& background, Workers& workers);

}  // namespace sightline::picture
