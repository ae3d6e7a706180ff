// Relative velocities of rigid bodies, for the method `velocity`.
#pragma once

#include <array>

#include "sightline/papers.h"

namespace sightline::papers::method {

/// How points of body i move as seen from body j, Eq. (8): v(p) = a + p x w, with p relative to the centre of i.
class RelativeMotion {
 public:
  RelativeMotion(const Motion& i, const Motion& j);

  Vec3d at(const Vec3d& local) const;
  bool rotates() const { return rotates_; }

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

/// Corners relative to the body's centre, and the unit normal that points out of it.
struct MovingFace {
  std::array<Vec3d, 3> corner;
  Vec3d normal = {0, 0, 0};
  double error = 0;  ///< of the normal
};

/// True if all points of the face move away from what lies above it, from now until `step` later. `to_j` leads from the
/// centre of i to that of j.
bool recedes(const MovingFace& face, const RelativeMotion& motion, const Vec3d& to_j, double step);

}  // namespace sightline::papers::method
