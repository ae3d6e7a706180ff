// Only operations that IEEE rounds correctly: pictures depend on the answer.
#include "picture/up.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/box.h"
#include "base/vector.h"

namespace sightline::picture {
namespace {

constexpr double kSlab = 0.02;    // of the extent: what counts as the lower end
constexpr double kUpright = 0.9;  // least cosine between the axis and a flat bottom's normal
constexpr double kStands = 0.6, kFlat = 0.6, kDiffers = 0.5, kUsual = 0.12;  // weights
constexpr int kBins = 32;

// The model in the cube from 0 to 1 along each axis. Halves, as the extent of two finite doubles can be infinite.
struct Cube {
  Box box;
  Vec3d operator()(const Vec3d& p) const {
    Vec3d q = {};
    for (int axis = 0; axis < 3; ++axis)
      if (box.half(axis) > 0) q[axis] = (p[axis] / 2 - box.low[axis] / 2) / box.half(axis);
    return q;
  }
};

struct Axis {
  std::array<double, kBins> area = {};  // of the surface, by height
  double bottom = 0;                    // area of flat triangles in the lower end, over that of the box's side
  Vec3d low = {1, 1, 1}, high = {};     // of the corners in the lower end
};

double differs(const std::array<double, kBins>& area) {
  double sum = 0, apart = 0;
  for (int i = 0; i < kBins; ++i) {
    sum += area[i];
    apart += std::abs(area[i] - area[kBins - 1 - i]);
  }
  return sum > 0 ? apart / sum / 2 : 0;
}

}  // namespace

int guess_up(std::span<const report::Part> parts) {
  Cube cube;
  for (const report::Part& part : parts)
    for (const Triangle& triangle : part.mesh.triangles)
      for (const std::uint32_t vertex : triangle) cube.box.add(part.mesh.position(vertex));
  if (cube.box.empty()) return 2;
  Vec3d side = {};
  for (int axis = 0; axis < 3; ++axis) side[axis] = cube.box.half(axis);
  const double longest = std::max({side[0], side[1], side[2]});
  if (!(longest > 0)) return 2;
  for (double& x : side) x /= longest;

  std::array<Axis, 3> axes;
  Vec3d centroid = {};
  double whole = 0;
  for (const report::Part& part : parts)
    for (std::size_t i = 0; i < part.mesh.triangles.size(); ++i) {
      std::array<Vec3d, 3> corners = part.mesh.corners(i);
      for (Vec3d& corner : corners) corner = cube(corner);
      Vec3d u = corners[1] - corners[0], v = corners[2] - corners[0];
      for (int axis = 0; axis < 3; ++axis) u[axis] *= side[axis], v[axis] *= side[axis];
      const Vec3d normal = cross(u, v);
      const double area = std::sqrt(dot(normal, normal));
      const Vec3d middle = (1.0 / 3) * (corners[0] + corners[1] + corners[2]);
      centroid = centroid + area * middle;
      whole += area;
      for (int axis = 0; axis < 3; ++axis) {
        Axis& own = axes[axis];
        own.area[std::clamp(static_cast<int>(middle[axis] * kBins), 0, kBins - 1)] += area;
        bool inside = true;
        for (const Vec3d& corner : corners) {
          inside &= corner[axis] <= kSlab;
          if (corner[axis] > kSlab) continue;
          for (int other = 0; other < 3; ++other) {
            own.low[other] = std::min(own.low[other], corner[other]);
            own.high[other] = std::max(own.high[other], corner[other]);
          }
        }
        if (inside && std::abs(normal[axis]) > kUpright * area) own.bottom += area / 2;
      }
    }
  if (!(whole > 0)) return 2;
  centroid = (1 / whole) * centroid;

  int best = 2;
  double most = -1;
  for (const int axis : {2, 1, 0}) {
    const Axis& own = axes[axis];
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    if (!(side[axis] > 0)) continue;
    const bool stands = own.low[p] <= centroid[p] && centroid[p] <= own.high[p] && own.low[q] <= centroid[q] &&
                        centroid[q] <= own.high[q];
    const double base = std::sqrt(std::max(0.0, own.high[p] - own.low[p]) * std::max(0.0, own.high[q] - own.low[q]));
    const double flat = side[p] * side[q] > 0 ? std::min(1.0, own.bottom / (side[p] * side[q])) : 0;
    const double score =
        (stands ? kStands * base + kFlat * flat : 0) + kDiffers * differs(own.area) + (axis == 2 ? kUsual : 0);
    if (score > most) most = score, best = axis;
  }
  return best;
}

int up_of(const std::string& file, std::span<const report::Part> parts) {
  std::string low = file;
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (low.ends_with(".gltf") || low.ends_with(".glb")) return 1;
  if (low.ends_with(".3mf")) return 2;
  return guess_up(parts);
}

}  // namespace sightline::picture
