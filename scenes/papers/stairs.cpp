// Practical CInDeR, section 5.1: balls bounce down eleven solid steps. A ball that hits a step keeps its speed in x and
// z; that in y is reflected and dampened. Contacts between balls are ignored. The engine, or the method
// that drives the scene, finds which ball hits which step. With normals of contacts, a ball also hits the edge of a
// step, and is out of it at once.
#include <algorithm>
#include <string>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kSteps = 11;
constexpr double kRise = 0.5, kHalfWidth = 2, kRadius = 0.12;
// Per frame. A ball falls by at most 0.1 a frame, less than its radius: no step is jumped over.
constexpr double kGravity = 0.004, kFastest = 0.1, kDamping = 0.8;

class Stairs final : public StoredAnimation {
 public:
  Stairs(std::size_t n, std::size_t balls, unsigned threads) : StoredAnimation(threads), random_(50) {
    for (std::size_t i = 0; i < kSteps; ++i) {
      const double x = static_cast<double>(i), top = kRise * static_cast<double>(kSteps - i);
      // Not quite in contact with the next one.
      add_object(box({x + 0.01, top - 1, -kHalfWidth}, {x + 0.99, top, kHalfWidth}), "step " + std::to_string(i));
    }
    add_balls(n, balls);
    add_all_to_scene();
  }

  void advance() override {
    collide();
    if (normals_)
      leave();
    else
      for (const Meeting& meeting : meetings()) {
        if (meeting.a >= kSteps || meeting.b < kSteps) continue;
        double& fall = objects()[meeting.b].motion.velocity[1];
        if (fall < 0) fall *= -kDamping;
      }
    for (std::size_t i = kSteps; i < objects().size(); ++i) {
      Motion& motion = objects()[i].motion;
      Pose& pose = poses_[i - kSteps];
      pose = stepped(pose, motion);
      motion.velocity[1] = std::max(-kFastest, motion.velocity[1] - kGravity);
      if (pose.center[0] > kSteps + 0.5 || pose.center[1] < -1) launch(pose, motion);
      show(i, at_rest_, pose);
    }
  }

 private:
  /// A ball leaves a step along the normals; its speed along them is reflected and dampened.
  void leave() {
    for (const WayOut& way : ways_out()) {
      if (way.a >= kSteps || way.b < kSteps) continue;
      Vec3d& velocity = objects()[way.b].motion.velocity;
      const double along = dot(velocity, way.direction);
      if (along < 0) velocity = add(velocity, times(-(1 + kDamping) * along, way.direction));
      Vec3d& center = poses_[way.b - kSteps].center;
      center = add(center, times(way.depth, way.direction));
    }
  }
  void add_balls(std::size_t n, std::size_t balls) {
    const Mesh mesh = scaled(ball((n - std::min(n, 12 * kSteps)) / std::max<std::size_t>(1, balls)), kRadius);
    at_rest_ = points_of(mesh);
    poses_.resize(balls);
    for (std::size_t i = 0; i < balls; ++i) {
      launch(poses_[i], add_object(mesh, "ball " + std::to_string(i)).motion);
      // At first they are anywhere on the way down.
      double& x = poses_[i].center[0];
      x = random_.between(0, kSteps - 0.5);
      poses_[i].center[1] = kRise * (kSteps - static_cast<double>(static_cast<int>(x))) + random_.between(0.2, 0.8);
      show(kSteps + i, at_rest_, poses_[i]);
    }
  }
  void launch(Pose& pose, Motion& motion) {
    pose.center = {random_.between(0.1, 0.6), kRise * kSteps + random_.between(0.2, 0.9), random_.between(-1.2, 1.2)};
    motion.velocity = {random_.between(0.025, 0.045), random_.between(-0.01, 0.03), random_.between(-0.004, 0.004)};
    motion.angular_velocity = random_.in_cube(0.1);
  }

  Random random_;
  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_;
};

}  // namespace

std::unique_ptr<Animation> stairs(std::size_t n, std::size_t balls, unsigned threads) {
  return std::make_unique<Stairs>(n == 0 ? 12 * kSteps + 500 * balls : n, balls, threads);
}

}  // namespace sightline::scenes
