// Placing meshes: rigid poses as unit quaternions, boxes, and real bodies in the place of generated ones.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenes/papers/papers.h"
#include "scenes/vector.h"
#include "sightline/query.h"

namespace sightline::scenes {

/// A point of the unit circle, to a millionth of a turn.
inline CirclePoint turned(double turns) {
  constexpr std::uint64_t kSteps = 1u << 20;
  const double part = turns - std::floor(turns);
  return circle_point(static_cast<std::uint64_t>(part * kSteps + 0.5), kSteps);
}

/// w + x i + y j + z k.
using Quaternion = std::array<double, 4>;

struct Pose {
  Vec3d center{};
  Quaternion rotation{1, 0, 0, 0};

  Vec3d rotated(const Vec3d& p) const {
    const Vec3d axis{rotation[1], rotation[2], rotation[3]};
    const Vec3d twice = times(2, cross(axis, p));
    return add(p, add(times(rotation[0], twice), cross(axis, twice)));
  }
  Vec3d operator()(const Vec3d& p) const { return add(center, rotated(p)); }
};

/// The pose one frame later: explicit Euler for the rotation, brought back to unit length.
Pose stepped(const Pose& pose, const Motion& motion);
/// A rotation about an axis by an angle whose half has this tangent; no libm needed.
Quaternion rotation_about(const Vec3d& axis, double tangent_of_half);

/// The rotation by b, then by a.
constexpr Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
constexpr Quaternion inverse(const Quaternion& unit) { return {unit[0], -unit[1], -unit[2], -unit[3]}; }

struct Box {
  Vec3d low, high;
  Vec3d center() const { return times(0.5, add(low, high)); }
};
Box box_of(const MeshView& mesh);

std::vector<Vec3d> points_of(const MeshView& mesh);
/// The mesh with these positions instead, rounded to float.
void set_points(Mesh& mesh, const std::vector<Vec3d>& points);
/// The points of the body at rest in this pose, into the mesh's positions.
void place(Mesh& mesh, const std::vector<Vec3d>& at_rest, const Pose& pose);
Mesh placed(const Mesh& mesh, const Pose& pose);
/// Scaled evenly and moved so that it stands on the middle of the box's floor and is as high as the box.
Mesh fitted(const Mesh& mesh, const Box& box);
/// `real` in the place of the generated body, or that body itself where there is none.
Mesh body_or(const Mesh* real, Mesh generated);

/// Two objects that meet, and a corner of a triangle that does.
struct Meeting {
  std::uint32_t a, b;  ///< a < b
  Vec3d at;
};

/// How object b leaves object a: by the normals of their contacts, on the side of a's front.
struct WayOut {
  std::uint32_t a, b;  ///< a < b
  Vec3d direction;     ///< of b
  double depth;
};

/// An animation that keeps its frame and changes it in place, and a scene for its queries.
class StoredAnimation : public Animation {
 public:
  explicit StoredAnimation(unsigned threads = 1) : threads_(threads) {}
  const AnimationFrame& frame() const override { return frame_; }
  void drive(Detector detector) override { detector_ = std::move(detector); }
  void use_normals() override { normals_ = true; }
  void steer(const Placement&) override {}

 protected:
  std::vector<AnimatedObject>& objects() { return frame_.objects; }
  /// Adds an object at the end of the frame.
  AnimatedObject& add_object(Mesh mesh, std::string name);
  /// The object's mesh at rest, brought into this pose; also in the scene, if it is there.
  void show(std::size_t object, const std::vector<Vec3d>& at_rest, const Pose& pose);
  /// The same without a rigid motion.
  void show_deformed(std::size_t object, const std::vector<Vec3d>& points, const Pose& pose);
  /// Adds views of the frame's meshes to the scene.
  void add_all_to_scene();
  /// The contacts of scene_, whose objects are the first ones of the frame; report_ has all that was found.
  const std::vector<Contact>& collide();
  /// What the detector finds in the scene. `motions`: as for a Detector.
  void detect(Scene& scene, std::span<const Motion> motions, papers::Report& found);
  /// The pairs of distinct objects in report_, in order, each once: those with a contact, with a corner of triangle a
  /// of the first one, then those with a penetration only, with a corner of its triangle.
  std::vector<Meeting> meetings() const;
  /// The way out for each pair of distinct objects with contacts, in order.
  std::vector<WayOut> ways_out() const;

  unsigned threads_;
  Detector detector_;  ///< empty: the exact engine
  bool normals_ = false;
  AnimationFrame frame_;
  Scene scene_;
  papers::Report report_;
};

}  // namespace sightline::scenes
