// How the triangles of a scene lie, and the directions from which most of them are seen: for self-cullide.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

struct Facing {
  explicit Facing(const Scene& scene);
  struct Of {
    Vec3f normal = {0, 0, 0};     ///< unit length; 0 for a triangle without area, or too large or too small for a float
    float area = 0, longest = 0;  ///< of the triangle, and of its edges
  };
  std::vector<Of> triangles;
};

/// Chooses directions of view: of the 26 directions along the axes and between them, the one in which most of the added
/// area faces the viewer; area that faced one direction counts less for the next.
class Directions {
 public:
  explicit Directions(const Facing& facing) : facing_(facing) {}
  void add(std::span<const std::uint32_t> triangles) {
    for (const std::uint32_t t : triangles) add(facing_.triangles[t]);
  }
  Vec3d next();

 private:
  static constexpr int kSide = 6;  ///< bins along an edge of the cube
  struct Bin {
    Vec3d normal = {0, 0, 0};  ///< weighted sum
    double weight = 0;         ///< area
  };
  static double towards(const Bin& bin, const Vec3d& direction);
  void add(const Facing::Of& triangle);

  const Facing& facing_;
  std::array<Bin, 6 * kSide * kSide> bins_;  ///< area by normal, on a cube
};

/// The views of a pass of self-cullide over the triangles that were added to `directions`.
std::vector<View> views_of_pass(const Context& context, Directions& directions);

}  // namespace sightline::papers::method
