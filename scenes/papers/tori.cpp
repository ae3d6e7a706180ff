// Back-face culling of collision candidates: two tori that move rigidly toward each other (figures 4 and 5).
#include <string>

#include "scenes/papers/placing.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

class ApproachingTori final : public StoredAnimation {
 public:
  explicit ApproachingTori(std::size_t n) {
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
  }
  void advance() override {
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      poses_[i] = stepped(poses_[i], objects()[i].motion);
      show(i, at_rest_, poses_[i]);
    }
  }

 private:
  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_;
};

}  // namespace

std::unique_ptr<Animation> approaching_tori(std::size_t n) {
  return std::make_unique<ApproachingTori>(n == 0 ? 10'000 : n);
}

}  // namespace sightline::scenes
