// Back-face culling of collision candidates: two tori that move rigidly toward each other (figures 4 and 5). In the
// paper's scene they pass through each other.
#include <cmath>
#include <string>

#include "scenes/papers/placing.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

class ApproachingTori final : public StoredAnimation {
 public:
  ApproachingTori(std::size_t n, unsigned threads, bool push) : StoredAnimation(threads), push_(push) {
    const Mesh mesh = torus(n / 2);
    at_rest_ = points_of(mesh);
    poses_ = {Pose{.center = {-2.1, 0, 0}, .rotation = rotation_about({1, 0, 0}, 0.3)},
              Pose{.center = {2.1, 0.15, 0.2}, .rotation = rotation_about({1, 0.3, 0}, 1)}};
    const Motion motions[] = {
        {.center = {}, .velocity = {0.02, 0.001, 0}, .angular_velocity = {0.005, 0.02, 0.01}},
        {.center = {}, .velocity = {-0.02, 0, -0.001}, .angular_velocity = {-0.01, 0.004, 0.025}}};
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      add_object(mesh, "torus " + std::to_string(i + 1)).motion = motions[i];
      show(i, at_rest_, poses_[i]);
    }
    free_ = poses_;
    if (push_) add_all_to_scene();
  }
  void advance() override {
    if (push_) {
      if (collide().empty())
        free_ = poses_;
      else
        bounce();
    }
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      poses_[i] = stepped(poses_[i], objects()[i].motion);
      show(i, at_rest_, poses_[i]);
    }
  }

 private:
  /// An impulse at the middle of the contacts, along the mean normal of the second torus there. Both tori have mass 1
  /// and the moment of inertia 1 about each axis.
  void bounce() {
    Vec3d at{}, normal{};
    for (const Contact& contact : report_.contacts) {
      const auto c = objects()[1].mesh.view().corners(contact.b);
      at = add(at, c[0]);
      normal = add(normal, cross(minus(c[1], c[0]), minus(c[2], c[0])));  // outwards, towards the first torus
    }
    at = times(1 / static_cast<double>(report_.contacts.size()), at);
    poses_ = free_;
    Motion &first = objects()[0].motion, &second = objects()[1].motion;
    const Vec3d arm[2] = {minus(at, free_[0].center), minus(at, free_[1].center)};
    const auto velocity = [&](const Motion& m, const Vec3d& r) {
      return add(m.velocity, cross(m.angular_velocity, r));
    };
    const Vec3d relative = minus(velocity(first, arm[0]), velocity(second, arm[1]));
    // Where the normals cancel, or the tori move apart there already, the impulse is against the relative velocity.
    const double length = std::sqrt(dot(normal, normal));
    Vec3d n = length > 0 ? times(1 / length, normal) : Vec3d{};
    if (!(dot(relative, n) < 0)) n = normalized(times(-1, relative));
    const Vec3d turn[2] = {cross(arm[0], n), cross(arm[1], n)};
    const double impulse = -2 * dot(relative, n) / (2 + dot(turn[0], turn[0]) + dot(turn[1], turn[1]));
    first.velocity = add(first.velocity, times(impulse, n));
    first.angular_velocity = add(first.angular_velocity, times(impulse, turn[0]));
    second.velocity = minus(second.velocity, times(impulse, n));
    second.angular_velocity = minus(second.angular_velocity, times(impulse, turn[1]));
    for (std::size_t i = 0; i < 2; ++i) objects()[i].motion.center = free_[i].center;
  }

  bool push_;
  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_, free_;  ///< free: the last places without contacts
};

}  // namespace

std::unique_ptr<Animation> approaching_tori(std::size_t n) {
  return std::make_unique<ApproachingTori>(n == 0 ? 10'000 : n, 1, false);
}

std::unique_ptr<Animation> pushing_tori(std::size_t n, unsigned threads) {
  return std::make_unique<ApproachingTori>(n == 0 ? 10'000 : n, threads, true);
}

}  // namespace sightline::scenes
