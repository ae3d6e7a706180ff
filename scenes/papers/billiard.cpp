// Alternate surface peeling, figure 9: a deforming lizard walks among billiard balls and pushes them about.
#include <algorithm>
#include <cmath>
#include <string>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

constexpr double kRadius = 0.25, kHalfLength = 4.5, kHalfWidth = 2.5;
constexpr double kWalk = 0.025, kPush = 0.04, kFriction = 0.985;

/// The lizard at this phase of its gait, in turns: the spine waves, diagonal legs swing together.
Vec3d walking(const Vec3d& p, double phase) {
  const double wave = (0.05 + 0.09 * std::max(0.0, -p[0])) * turned(p[0] / 2.6 + phase).sin;
  const double leg = std::clamp((std::abs(p[2]) - 0.15) / 0.35, 0.0, 1.0);
  const bool first_pair = (p[0] > 0) == (p[2] > 0);
  const CirclePoint swing = turned(phase + (first_pair ? 0 : 0.5));
  return {p[0] + 0.16 * leg * swing.cos, p[1] + 0.1 * leg * std::max(0.0, -swing.sin), p[2] + wave};
}

class Billiard final : public StoredAnimation {
 public:
  Billiard(std::size_t n, std::size_t balls, unsigned threads) : StoredAnimation(threads) {
    const Mesh lizard = lizard_body(std::max<std::size_t>(500, n * 21 / 1821));
    lizard_at_rest_ = points_of(lizard);
    objects().push_back({.mesh = lizard});
    add_balls((n - std::min(n, lizard.triangles.size())) / std::max<std::size_t>(1, balls), balls);
    show_lizard();
    add_all_to_scene();
  }

  void advance() override {
    collide();
    respond();
    ++step_;
    show_lizard();
    for (std::size_t i = 1; i < objects().size(); ++i) {
      Motion& motion = objects()[i].motion;
      roll(motion);
      poses_[i - 1] = stepped(poses_[i - 1], motion);
      show(i, ball_at_rest_, poses_[i - 1]);
    }
  }

 private:
  void add_balls(std::size_t triangles_each, std::size_t balls) {
    const Mesh mesh = scaled(ball(triangles_each), kRadius);
    ball_at_rest_ = points_of(mesh);
    Random random(40);
    while (poses_.size() < balls) {
      const Vec3d center = {random.between(-kHalfLength, kHalfLength), kRadius,
                            random.between(-kHalfWidth, kHalfWidth)};
      // If the balls do not fit on the table, they lie closer together.
      const double apart = balls <= 60 ? 2.2 * kRadius : 0.4 * kRadius;
      const bool free = std::none_of(poses_.begin(), poses_.end(), [&](const Pose& other) {
        const Vec3d d = minus(center, other.center);
        return dot(d, d) < apart * apart;
      });
      if (!free) continue;
      poses_.push_back({.center = center, .rotation = rotation_about(random.in_cube(1), random.between(-1, 1))});
      Motion& motion = add_object(mesh, "ball " + std::to_string(poses_.size())).motion;
      motion.velocity = {random.between(-0.02, 0.02), 0, random.between(-0.02, 0.02)};
      show(poses_.size(), ball_at_rest_, poses_.back());
    }
  }
  /// Balls of one mass exchange their speeds along the line between them; the lizard pushes without being pushed.
  void respond() {
    for (const Meeting& meeting : meetings()) {
      Motion& b = objects()[meeting.b].motion;
      if (meeting.a == 0) {
        push_away(b, meeting.at);
        continue;
      }
      Motion& a = objects()[meeting.a].motion;
      const Vec3d along = normalized(minus(b.center, a.center));
      const double closing = dot(minus(a.velocity, b.velocity), along);
      if (closing <= 0) continue;
      a.velocity = minus(a.velocity, times(closing, along));
      b.velocity = add(b.velocity, times(closing, along));
    }
  }
  static void push_away(Motion& ball, const Vec3d& from) {
    Vec3d away = minus(ball.center, from);
    away[1] = 0;
    away = normalized(away);
    const double speed = dot(ball.velocity, away);
    if (speed < kPush) ball.velocity = add(ball.velocity, times(kPush - speed, away));
  }
  /// Friction, cushions, and the rotation that keeps the lowest point at rest.
  static void roll(Motion& motion) {
    Vec3d& v = motion.velocity;
    v = times(kFriction, v);
    if (std::abs(motion.center[0] + v[0]) > kHalfLength) v[0] = motion.center[0] > 0 ? -std::abs(v[0]) : std::abs(v[0]);
    if (std::abs(motion.center[2] + v[2]) > kHalfWidth) v[2] = motion.center[2] > 0 ? -std::abs(v[2]) : std::abs(v[2]);
    motion.angular_velocity = times(1 / kRadius, cross({0, 1, 0}, v));
  }
  void show_lizard() {
    const double phase = static_cast<double>(step_) / 48;
    std::vector<Vec3d> points = lizard_at_rest_;
    const Pose pose{.center = {-kHalfLength + kWalk * static_cast<double>(step_), 0, 0}, .rotation = {1, 0, 0, 0}};
    for (Vec3d& p : points) p = walking(p, phase);
    show_deformed(0, points, pose);
  }

  std::size_t step_ = 0;
  std::vector<Vec3d> lizard_at_rest_, ball_at_rest_;
  std::vector<Pose> poses_;
};

}  // namespace

std::unique_ptr<Animation> billiard(std::size_t n, std::size_t balls, unsigned threads) {
  return std::make_unique<Billiard>(n == 0 ? 2100 + 4500 * balls : n, balls, threads);
}

}  // namespace sightline::scenes
