// Practical CInDeR, section 5.2: snowflakes fall on a bunny and a floor and stay where they hit, enlarged.
#include <algorithm>
#include <string>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

// A flake is higher than it falls in a frame, so that none passes through a surface unseen.
constexpr double kSize = 0.035, kFall = 0.03, kStuckSize = 2;
constexpr std::size_t kBody = 0, kFloor = 1, kFirstFlake = 2;

class Snow final : public StoredAnimation {
 public:
  Snow(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) : StoredAnimation(threads) {
    objects().push_back({.mesh = body_or(body, bunny_body(n - std::min(n / 2, 12 + 6 * flakes)))});
    add_object(box({-2, -0.6, -1.5}, {2, -0.1, 1.5}), "floor");
    add_flakes(flakes);
    scene_.add(objects()[kBody].mesh);
    scene_.add(objects()[kFloor].mesh);
    scene_.add({});
  }

  void advance() override {
    for (const std::size_t flake : flying_) {
      Motion& motion = objects()[kFirstFlake + flake].motion;
      const Vec3d drift = noise(times(1.5, motion.center), 3);
      motion.velocity = {0.006 * drift[0], -kFall, 0.006 * drift[2]};
      poses_[flake] = stepped(poses_[flake], motion);
      show_flake(flake, kSize);
    }
    stick();
  }

 private:
  void add_flakes(std::size_t count) {
    const Mesh mesh = flake();
    at_rest_ = points_of(mesh);
    Random random(1000);
    poses_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      Motion& motion = add_object(mesh, "flake " + std::to_string(i)).motion;
      poses_[i].center = {random.between(-1.5, 1.4), random.between(2.3, 8), random.between(-1, 1)};
      poses_[i].rotation = rotation_about(random.in_cube(1), random.between(-2, 2));
      motion = {.center = {}, .velocity = {0, -kFall, 0}, .angular_velocity = random.in_cube(0.08)};
      flying_.push_back(i);
      show_flake(i, kSize);
    }
  }
  void show_flake(std::size_t flake, double size) {
    std::vector<Vec3d> sized = at_rest_;
    for (Vec3d& p : sized) p = times(size, p);
    show(kFirstFlake + flake, sized, poses_[flake]);
  }
  /// Tests the flakes in the air, six triangles each in one mesh, against body and floor.
  void stick() {
    std::vector<Mesh> meshes;
    for (const std::size_t flake : flying_) meshes.push_back(objects()[kFirstFlake + flake].mesh);
    const Mesh in_air = merged(meshes);
    scene_.replace(2, in_air);
    std::vector<bool> hit(flying_.size());
    for (const Contact& contact : collide())
      if (contact.object_b == 2) hit[contact.b / 6] = true;
    scene_.replace(2, {});
    std::vector<std::size_t> still_flying;
    for (std::size_t i = 0; i < flying_.size(); ++i) {
      if (!hit[i]) {
        still_flying.push_back(flying_[i]);
        continue;
      }
      objects()[kFirstFlake + flying_[i]].motion = {};
      show_flake(flying_[i], kSize * kStuckSize);
    }
    flying_ = std::move(still_flying);
  }

  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_;
  std::vector<std::size_t> flying_;
};

}  // namespace

std::unique_ptr<Animation> snow(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) {
  if (n == 0) n = 16'000 + 12 + 6 * flakes;
  return std::make_unique<Snow>(n, std::min(flakes, n / 12), threads, body);
}

}  // namespace sightline::scenes
