// Practical CInDeR, section 5.2: snowflakes fall on a bunny and a floor and stay where they hit, enlarged. In the
// second scene a user moves and turns the bunny. Flakes that stuck are not tested again, as in the paper.
#include <algorithm>
#include <optional>
#include <string>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

// A flake is higher than it falls in a frame, so that none passes through a surface unseen.
constexpr double kSize = 0.035, kFall = 0.03, kStuckSize = 2;
constexpr std::uint32_t kBody = 0, kFirstFlake = 2;  // the floor is object 1
// Body and floor meet flakes only, and flakes do not meet each other.
constexpr ObjectOptions kSolid{.groups = 1, .collides_with = 2}, kFlake{.groups = 2, .collides_with = 1};

class Snow : public StoredAnimation {
 public:
  Snow(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) : StoredAnimation(threads) {
    objects().push_back({.mesh = body_or(body, bunny_body(n - std::min(n / 2, 12 + 6 * flakes)))});
    add_object(box({-2, -0.6, -1.5}, {2, -0.1, 1.5}), "floor");
    add_flakes(flakes);
    for (std::uint32_t i = 0; i < objects().size(); ++i)
      scene_.add(objects()[i].mesh, i < kFirstFlake ? kSolid : kFlake);
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

 protected:
  void show_stuck(std::size_t flake, const Pose& pose) {
    poses_[flake] = pose;
    show_flake(flake, kSize * kStuckSize);
  }
  /// The flake has stuck to the body in this pose.
  virtual void on_body(std::size_t, const Pose&) {}

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
  /// Tests the flakes in the air against body and floor.
  void stick() {
    collide();
    std::vector<std::optional<std::uint32_t>> hit(poses_.size());  // by flake: body or floor
    for (const Meeting& meeting : meetings())
      if (meeting.a < kFirstFlake && meeting.b >= kFirstFlake && !hit[meeting.b - kFirstFlake])
        hit[meeting.b - kFirstFlake] = meeting.a;
    std::vector<std::size_t> still_flying;
    for (const std::size_t flake : flying_) {
      if (!hit[flake]) {
        still_flying.push_back(flake);
        continue;
      }
      objects()[kFirstFlake + flake].motion = {};
      scene_.remove(static_cast<ObjectId>(kFirstFlake + flake));
      show_flake(flake, kSize * kStuckSize);
      if (hit[flake] == kBody) on_body(flake, poses_[flake]);
    }
    flying_ = std::move(still_flying);
  }

  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_;
  std::vector<std::size_t> flying_;
};

/// A rotation about an axis of the coordinates, to a millionth of a turn.
Quaternion rotation_about(std::size_t axis, double degrees) {
  const CirclePoint half = turned(degrees / 720);
  Quaternion rotation{half.cos, 0, 0, 0};
  rotation[axis + 1] = half.sin;
  return rotation;
}

class MovingBody final : public Snow {
 public:
  MovingBody(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) : Snow(n, flakes, threads, body) {
    pose_.center = first_place_ = box_of(objects()[kBody].mesh).center();
    body_at_rest_ = points_of(objects()[kBody].mesh);
    for (Vec3d& p : body_at_rest_) p = minus(p, first_place_);
    show(kBody, body_at_rest_, pose_);
  }

  void advance() override {
    ++step_;
    if (!steered_) move_body(own_path(static_cast<double>(step_)));
    Snow::advance();
  }
  void steer(const Placement& placement) override {
    steered_ = true;
    move_body(placement);
  }

 private:
  /// A loop above the floor, slower than a flake is high.
  static Placement own_path(double step) {
    const double up = 1 - turned(step / 80).cos;
    return {.offset = {0.5 * turned(step / 150).sin, 0.15 * up, 0.25 * turned(step / 75).sin},
            .degrees = {0, 2 * step, 0}};
  }
  void move_body(const Placement& placement) {
    const Pose last = pose_;
    pose_.center = add(first_place_, placement.offset);
    pose_.rotation = product(rotation_about(2, placement.degrees[2]),
                             product(rotation_about(1, placement.degrees[1]), rotation_about(0, placement.degrees[0])));
    // The motion is that of the last step: small turns are twice the vector part of their quaternion.
    const Quaternion turn = product(pose_.rotation, inverse(last.rotation));
    Motion& motion = objects()[kBody].motion;
    motion.velocity = minus(pose_.center, last.center);
    motion.angular_velocity = times(turn[0] < 0 ? -2 : 2, {turn[1], turn[2], turn[3]});
    show(kBody, body_at_rest_, pose_);
    for (const auto& [flake, on_body] : carried_)
      show_stuck(flake, {pose_(on_body.center), product(pose_.rotation, on_body.rotation)});
  }
  void on_body(std::size_t flake, const Pose& pose) override {
    const Pose back{.center = {}, .rotation = inverse(pose_.rotation)};
    carried_.emplace_back(flake, Pose{back(minus(pose.center, pose_.center)), product(back.rotation, pose.rotation)});
  }

  std::size_t step_ = 0;
  bool steered_ = false;
  Vec3d first_place_{};
  Pose pose_;
  std::vector<Vec3d> body_at_rest_;
  std::vector<std::pair<std::size_t, Pose>> carried_;  ///< flakes on the body, in its own frame
};

template <typename Kind>
std::unique_ptr<Animation> made(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) {
  if (n == 0) n = 16'000 + 12 + 6 * flakes;
  return std::make_unique<Kind>(n, std::min(flakes, n / 12), threads, body);
}

}  // namespace

std::unique_ptr<Animation> snow(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) {
  return made<Snow>(n, flakes, threads, body);
}

std::unique_ptr<Animation> moving_body(std::size_t n, std::size_t flakes, unsigned threads, const Mesh* body) {
  return made<MovingBody>(n, flakes, threads, body);
}

}  // namespace sightline::scenes
