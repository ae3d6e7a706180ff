// Back-face culling by relative velocity.
//
// Vanecek: Back-Face Culling Applied to Collision Detection of Polyhedra. Purdue CSD-TR-93-020, 1993.
//
//   paper                     here
//   s_i, s_j                  objects i, j of the scene
//   r, r', omega              Motion::center, velocity, angular_velocity
//   f, n_f                    MovingFace, a triangle; MovingFace::normal
//   Pi(f), p_k                MovingFace::corner
//   a_ij^L, omega_ji^L        RelativeMotion: a_, w_
//   v_ij(p)                   RelativeMotion::at
//   F_i, S                    the triangles of object i, those that stay
//   epsilon                   the error bound of recedes(), and the margin for the time step
//
// Steps, for each object i:
//   1. Which way is out: the winding, checked (winding.h). Where it is not known, all triangles stay.
//   2. For each other object j: a_ij and omega_ji in the frame of i.
//   3. Bounding spheres (`bounding_spheres`): j is skipped if the spheres of i and j do not meet, and for a face if the
//      sphere of j lies behind the face's plane.
//   4. A face stays if it may be hit by some j: at one of its points the relative velocity does not point inwards by
//      more than epsilon. Without rotation one dot product decides.
//
// Where we differ, and why:
// - The frame of i is at its centre and parallel to the world, so R_i is 1: positions come in world coordinates.
// - a_ij^L = r_ij' + omega_j x (r_j - r_i). In Eq. (8) as printed, a_ij goes into the local frame without the term
//   r_i x omega_ji, which comes from p = p^L R_i + r_i; with it the terms in r_i cancel.
// - Pi(f) is the triangle itself. It is its own convex hull, so its three corners make the test necessary and
//   sufficient; the paper's eight points are for faces with many corners. Triangles that make up one flat face could
//   share an octagon; it would only drop less, and the faces would have to be found first.
// - More than two objects: the paper has pairs; here a face stays for all if one object may hit it.
// - Orientation is checked instead of assumed. Faces of open objects stay: both their sides can be hit.
// - `time_step` h. The test holds at this instant; a rotating body turns, and a face that receded may advance. Let
//   g(t) = v_ij(p(t)) . n(t) be the normal velocity of a point of the face, C its distance from the centre of i, D that
//   from the centre of j now, and S = |r_ij'| + |omega_i| C, which bounds its speed as seen from the centre of j. Then
//     |v'| <= |omega_i|^2 C + |omega_j| S,  |n'| <= |omega_i|,  |v| <= S + |omega_j| (D + h S) until h,
//   so |g'| <= K = |omega_i|^2 C + |omega_j| S + |omega_i| (S + |omega_j| (D + h S)).
//   If g(0) < -K h, g keeps its sign until h. Let p meet a point q of j at some time t <= h, for the first time.
//   Before, q was outside of i, above the face near p; so q came down on the face: g(t) >= 0. Hence a face with g < 0
//   until h is not the first to be hit. Without rotation K = 0: it never is. The spheres of step 3 are moved apart by
//   what the bodies can move until h.
// - A hit in a corner or on an edge is one of all triangles there. At least one of them advances (else the point would
//   not), so the contact is found; its receding neighbours are not listed.
#include "method/velocity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/vector.h"
#include "mesh/topology.h"
#include "method/method.h"
#include "method/winding.h"

namespace sightline::papers::method {
namespace {

double length(const Vec3d& a) { return std::hypot(a[0], a[1], a[2]); }

constexpr double kRelativeError = 1e-13;  ///< bounds the error of a few operations in double, with a large margin

/// Step 1's triangles of one object, and a sphere around them.
struct Body {
  std::vector<MovingFace> faces;
  std::vector<std::int8_t> outward;  ///< 0: not known, the face stays
  Vec3d center = {0, 0, 0};          ///< of the sphere
  double radius = 0;
  double reach = 0;  ///< from the centre of motion
};

MovingFace face_of(const std::array<Vec3d, 3>& corners, const Vec3d& center, int outward) {
  MovingFace face;
  for (int k = 0; k < 3; ++k) face.corner[k] = corners[k] - center;
  const Vec3d e = corners[1] - corners[0], f = corners[2] - corners[0], n = cross(e, f);
  const double size = length(n);
  if (!(size > 0) || outward == 0) return face;  // no normal: the face stays
  face.normal = (outward / size) * n;
  face.error = kRelativeError * length(e) * length(f) / size;
  return face;
}

Body body_of(const Context& context, const TriangleTable::Object& object, const Motion& motion) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Body body;
  const MeshView mesh = view_of(object);
  body.outward = winding(mesh, topology(mesh, context.workers)).of_solid;
  Vec3d low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};
  for (std::uint32_t t = 0; t < object.triangle_count; ++t) {
    const auto corners = context.scene.corners(object.first_triangle + t);
    body.faces.push_back(face_of(corners, motion.center, body.outward[t]));
    for (const Vec3d& p : corners) {
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], p[axis]);
        high[axis] = std::max(high[axis], p[axis]);
      }
      body.reach = std::max(body.reach, length(p - motion.center));
    }
  }
  body.center = 0.5 * low + 0.5 * high;
  for (std::uint32_t t = 0; t < object.triangle_count; ++t)
    for (const Vec3d& p : context.scene.corners(object.first_triangle + t))
      body.radius = std::max(body.radius, length(p - body.center));
  body.radius *= 1 + kRelativeError;
  return body;
}

/// Step 3. How far points of i and of j can come together until the end of the time step.
double approach(const Body& i, const Body& j, const Motion& motion_i, const Motion& motion_j, double step) {
  return step * (length(motion_i.velocity - motion_j.velocity) + length(motion_i.angular_velocity) * i.reach +
                 length(motion_j.angular_velocity) * j.reach);
}

bool spheres_meet(const Body& i, const Body& j, double approach) {
  // Not `<=`: a distance that overflowed does not prove that the spheres are apart.
  return !(length(i.center - j.center) * (1 - kRelativeError) > i.radius + j.radius + approach);
}

/// True if no part of the sphere of j is above the plane of the face, now or until the end of the time step.
bool sphere_behind(const MovingFace& face, const Vec3d& center_i, const Body& j, double approach) {
  const Vec3d to_sphere = j.center - center_i - face.corner[0];
  const double error = (kRelativeError + face.error) * (length(to_sphere) + length(center_i) + length(j.center));
  return dot(face.normal, face.normal) > 0 && dot(to_sphere, face.normal) + j.radius + approach + error < 0;
}

/// Steps 2 to 4 for one pair: marks the faces of i that j may hit.
void mark(const Context& context, const std::vector<Body>& bodies, std::size_t i, std::size_t j,
          std::vector<std::uint8_t>& stays) {
  const Motion &motion_i = context.motions[i], &motion_j = context.motions[j];
  const double step = context.options.time_step;
  const bool spheres = context.options.bounding_spheres;
  const RelativeMotion motion(motion_i, motion_j);  // 2
  const double near = spheres ? approach(bodies[i], bodies[j], motion_i, motion_j, step) : 0;
  if (spheres && !spheres_meet(bodies[i], bodies[j], near)) return;  // 3
  const std::uint32_t first = context.scene.table.objects[i].first_triangle;
  for (std::size_t t = 0; t < bodies[i].faces.size(); ++t) {
    const MovingFace& face = bodies[i].faces[t];
    if (stays[first + t] != 0) continue;
    if (spheres && sphere_behind(face, motion_i.center, bodies[j], near)) continue;             // 3
    if (!recedes(face, motion, motion_j.center - motion_i.center, step)) stays[first + t] = 1;  // 4
  }
}

}  // namespace

RelativeMotion::RelativeMotion(const Motion& i, const Motion& j)
    : a_(i.velocity - j.velocity + cross(j.angular_velocity, j.center - i.center)),
      w_(j.angular_velocity - i.angular_velocity),
      linear_(length(i.velocity - j.velocity)),
      angular_i_(length(i.angular_velocity)),
      angular_j_(length(j.angular_velocity)),
      rotates_(angular_i_ > 0 || angular_j_ > 0) {}

Vec3d RelativeMotion::at(const Vec3d& local) const { return rotates_ ? a_ + cross(local, w_) : a_; }

double RelativeMotion::speed(double reach, double distance) const {
  return linear_ + angular_i_ * reach + angular_j_ * distance;
}

double RelativeMotion::change(double reach, double distance, double step) const {
  const double s = linear_ + angular_i_ * reach;
  return angular_i_ * angular_i_ * reach + angular_j_ * s + angular_i_ * (s + angular_j_ * (distance + step * s));
}

bool recedes(const MovingFace& face, const RelativeMotion& motion, const Vec3d& to_j, double step) {
  if (!motion.rotates()) {
    const Vec3d v = motion.at({});
    return dot(v, face.normal) < -length(v) * (kRelativeError + face.error);
  }
  double reach = 0;
  for (const Vec3d& p : face.corner) reach = std::max(reach, length(p));
  const double distance = reach + length(to_j);
  const double epsilon = motion.speed(reach, distance) * (kRelativeError + face.error) +
                         (step > 0 ? step * motion.change(reach, distance, step) : 0);
  for (const Vec3d& p : face.corner)
    if (!(dot(motion.at(p), face.normal) < -epsilon)) return false;
  return true;
}

std::vector<std::uint32_t> velocity(Context& context) {
  const auto& objects = context.scene.table.objects;
  if (context.motions.size() != objects.size()) throw Error("velocity: every object needs a motion");
  PassClock clock(context, "velocity", {});
  std::vector<Body> bodies(objects.size());
  context.workers.for_each(objects.size(), [&](std::size_t i) {  // 1
    bodies[i] = body_of(context, objects[i], context.motions[i]);
  });
  std::vector<std::uint8_t> stays(context.scene.triangles.size(), 0);
  context.workers.for_each(objects.size(), [&](std::size_t i) {
    for (std::size_t j = 0; j < objects.size(); ++j)
      if (j != i) mark(context, bodies, i, j, stays);  // 2 to 4
  });
  std::vector<std::uint32_t> left;
  for (std::uint32_t t = 0; t < stays.size(); ++t)
    if (stays[t] != 0) left.push_back(t);
  clock.pass().pcs_before = clock.pass().elements_before = stays.size();
  clock.pass().pcs_after = clock.pass().elements_after = left.size();
  clock.end();
  context.report.culled = stays.size() - left.size();
  return left;
}

}  // namespace sightline::papers::method
