// The faces of a moving body, and when a face recedes. Host and device code: nvcc compiles it with
// --expt-relaxed-constexpr, so that it may use std::array, and with --fmad=false, so that both round alike.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/vector.h"
#include "rules/host_device.h"
#include "sightline/papers.h"

namespace sightline::papers::moving {

/// Bounds the error of a few operations in double, with a large margin.
inline constexpr double kRelativeError = 1e-13;

/// Without overflow and underflow; one square root where neither can happen. Not std::hypot: the GPU has another one.
SIGHTLINE_HD inline double length(const Vec3d& a) {
  const double square = dot(a, a);
  if (square > 1e-280 && square < 1e280) return std::sqrt(square);
  const double x = std::fabs(a[0]), y = std::fabs(a[1]), z = std::fabs(a[2]);
  const double most = x > y ? (x > z ? x : z) : (y > z ? y : z);
  if (!(most > 0) || !(most < std::numeric_limits<double>::infinity())) return x + y + z;  // 0, or not finite
  const Vec3d u = {x / most, y / most, z / most};
  return most * std::sqrt(dot(u, u));
}

/// The normal of a triangle by the right-hand rule.
struct Normal {
  Vec3d unit = {0, 0, 0};  ///< zero if the triangle has no normal in double
  double error = 0;        ///< bounds that of `unit`
  double thin = 0;         ///< one over the least height of the triangle
};
SIGHTLINE_HD inline Normal normal_of(const std::array<Vec3d, 3>& corners) {
  const Vec3d e = corners[1] - corners[0], f = corners[2] - corners[0], n = cross(e, f);
  const double size = length(n);
  Normal normal;
  if (!(size > 0) || !(size < std::numeric_limits<double>::infinity())) return normal;
  const double length_e = length(e), length_f = length(f), length_g = length(corners[2] - corners[1]);
  const double longer = length_e < length_f ? length_f : length_e;
  normal.unit = (1 / size) * n;
  normal.error = kRelativeError * length_e * length_f / size;
  normal.thin = (longer < length_g ? length_g : longer) / size;
  return normal;
}

/// Π(f) of a face of several triangles: points in its plane whose convex hull contains the face.
struct Polygon {
  static constexpr std::uint32_t kMostPoints = 8;
  std::array<Vec3d, kMostPoints> point;
  std::uint32_t count = 0;
  Vec3d normal = {0, 0, 0};  ///< unit length, out of the object
  double error = 0;          ///< of the normal
  double thin = 0;           ///< the largest of its triangles (Normal::thin)

  std::span<const Vec3d> points() const { return {point.data(), count}; }
};

/// Some faces, in float and relative to the centre of all faces, in units of their reach (Body): for a test of many
/// faces at once.
struct FaceBlock {
  static constexpr std::uint32_t kFaces = 64;
  static constexpr int kLine = 7;
  /// With the unit normal n and the mean p of the face's points: n (0 to 2), n x p (3 to 5), n . p (6).
  float line[kLine][kFaces];
  float radius[kFaces];  ///< of the face's points around p
  float thin[kFaces];    ///< Normal::thin; infinite: this test cannot decide about the face
};
/// Bounds of a block.
struct FaceRange {
  static constexpr std::uint32_t kParts = 8, kInPart = FaceBlock::kFaces / kParts;
  /// Around all points of some faces, in the units of the block.
  struct Sphere {
    float center[3];
    float reach;
  };
  Sphere all;
  float low[FaceBlock::kLine], high[FaceBlock::kLine];
  float radius, thin;   ///< the largest
  Sphere part[kParts];  ///< of kInPart faces each
};

/// How points of body i move as seen from body j, Eq. (8): v(p) = a + p x w, with p relative to the centre of i.
class RelativeMotion {
 public:
  RelativeMotion(const Motion& i, const Motion& j)
      : a_(i.velocity - j.velocity + cross(j.angular_velocity, j.center - i.center)),
        w_(j.angular_velocity - i.angular_velocity),
        linear_(length(i.velocity - j.velocity)),
        angular_i_(length(i.angular_velocity)),
        angular_j_(length(j.angular_velocity)),
        rotates_(angular_i_ > 0 || angular_j_ > 0) {}

  SIGHTLINE_HD Vec3d at(const Vec3d& local) const { return rotates_ ? a_ + cross(local, w_) : a_; }
  SIGHTLINE_HD bool rotates() const { return rotates_; }
  SIGHTLINE_HD const Vec3d& w() const { return w_; }

  /// A bound on how fast the normal velocity of a face of i changes from now until `step` later. `reach` is the largest
  /// distance of its points from the centre of i, `distance` from that of j.
  SIGHTLINE_HD double change(double reach, double distance, double step) const {
    const double s = linear_ + angular_i_ * reach;
    return angular_i_ * angular_i_ * reach + angular_j_ * s + angular_i_ * (s + angular_j_ * (distance + step * s));
  }
  /// A bound on the speed of those points as seen from j, now.
  SIGHTLINE_HD double speed(double reach, double distance) const {
    return linear_ + angular_i_ * reach + angular_j_ * distance;
  }

 private:
  Vec3d a_, w_;
  double linear_, angular_i_, angular_j_;  ///< sizes of r_ij', w_i, w_j
  bool rotates_;
};

/// Π(f) relative to the body's centre, and the unit normal that points out of the body.
struct MovingFace {
  std::array<Vec3d, Polygon::kMostPoints> point = {};
  std::uint32_t count = 3;
  Vec3d normal = {0, 0, 0};
  double error = 0;  ///< of the normal

  std::span<const Vec3d> points() const { return {point.data(), count}; }
  std::span<Vec3d> points() { return {point.data(), count}; }
};

/// True if all points of the face move away from what lies above it, from now until `step` later. `to_j` leads from the
/// centre of i to that of j.
SIGHTLINE_HD inline bool recedes(const MovingFace& face, const RelativeMotion& motion, const Vec3d& to_j, double step) {
  if (!motion.rotates()) {
    const Vec3d v = motion.at(to_j);  // the same everywhere
    return dot(v, face.normal) < -length(v) * (kRelativeError + face.error);
  }
  double reach = 0;
  for (std::uint32_t k = 0; k < face.count; ++k) {
    const double here = length(face.point[k]);
    reach = reach < here ? here : reach;
  }
  const double distance = reach + length(to_j);
  const double epsilon = motion.speed(reach, distance) * (kRelativeError + face.error) +
                         (step > 0 ? step * motion.change(reach, distance, step) : 0);
  for (std::uint32_t k = 0; k < face.count; ++k)
    if (!(dot(motion.at(face.point[k]), face.normal) < -epsilon)) return false;
  return true;
}

}  // namespace sightline::papers::moving
