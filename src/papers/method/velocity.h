// Relative velocities of rigid bodies, and the faces that move away, for the method `velocity`.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "input/triangle_table.h"
#include "method/faces.h"
#include "method/left.h"
#include "method/run.h"
#include "sightline/papers.h"

namespace sightline::papers::method {

/// How points of body i move as seen from body j, Eq. (8): v(p) = a + p x w, with p relative to the centre of i.
class RelativeMotion {
 public:
  RelativeMotion(const Motion& i, const Motion& j);

  Vec3d at(const Vec3d& local) const;
  bool rotates() const { return rotates_; }
  const Vec3d& w() const { return w_; }

  /// A bound on how fast the normal velocity of a face of i changes from now until `step` later. `reach` is the largest
  /// distance of its points from the centre of i, `distance` from that of j.
  double change(double reach, double distance, double step) const;
  /// A bound on the speed of those points as seen from j, now.
  double speed(double reach, double distance) const;

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
bool recedes(const MovingFace& face, const RelativeMotion& motion, const Vec3d& to_j, double step);

/// Faces that can be the first to be hit. `faces` and `motions`: per object of the table.
void velocity(const TriangleTable& table, std::span<const Faces* const> faces, std::span<const Motion> motions,
              const MethodOptions& options, Workers& workers, Left& left);

}  // namespace sightline::papers::method
