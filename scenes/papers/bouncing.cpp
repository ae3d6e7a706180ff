// Practical CInDeR, section 5.3: balls fall on a bunny and bounce off it along the normals that the method returns,
// each as a ball off a plane. Contacts between balls are ignored, and so is a plane that the ball moves away from, as
// in the paper. With the normals of penetrations only those of the bunny's edges inside a ball count, as in the paper;
// with contacts, those of the bunny's triangles in contact.
//
// Where we differ: a ball that moves against a plane goes back to its last place without a contact before it leaves
// along its new velocity. The paper's balls stay in the surface for some frames, with bounces in odd directions. A
// plane that has the ball's centre behind it is ignored: it belongs to the far side of something thin, such as an ear.
// With normals of contacts, there is one plane for each ball, and the ball leaves by the depth instead of going back.
#include <algorithm>
#include <cmath>
#include <string>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

constexpr std::uint32_t kBody = 0, kFirstBall = 1;
// Per frame. A ball moves by less than its radius, so it cannot get into the body without a contact on the way.
constexpr double kRadius = 0.1, kGravity = 0.0015, kFastest = 0.06;
constexpr double kBounce = 0.6, kRub = 0.95;  // shares of the speed that are left: across the surface, along it
// A ball does not rest on a surface whose normal is less upright than kFlat: it leaves such a one with this speed.
constexpr double kSlow = 0.006, kFlat = 0.8, kOffSteep = 0.004;
constexpr int kSlowHits = 8, kHitsInARow = 40;  // then a ball rests

struct Ball {
  Pose pose, free;         ///< free: its last place without a contact
  int slow = 0, hits = 0;  ///< slow hits on something flat in a row, all hits in a row
  bool rests = false;
};

/// The planes that a ball meets, without those that have its centre behind them.
struct Planes {
  bool hit = false;                   ///< it meets any, those included
  std::size_t against = 0, left = 0;  ///< how many the ball moves against, or along or away from
  Vec3d sum{};                        ///< of the normals that the ball moves against
  Vec3d out{};                        ///< by the normals of contacts: the way out of the body
};

class Bouncing final : public StoredAnimation {
 public:
  Bouncing(std::size_t n, std::size_t balls, unsigned threads, const Mesh* body)
      : StoredAnimation(threads), random_(53), balls_(balls) {
    objects().push_back({.mesh = body_or(body, bunny_body(n * 16 / 31))});
    const std::size_t left = n - std::min(n, objects()[kBody].mesh.triangles.size());
    const Mesh mesh = scaled(ball(left / std::max<std::size_t>(1, balls)), kRadius);
    at_rest_ = points_of(mesh);
    scene_.add(objects()[kBody].mesh, {.groups = 1, .collides_with = 2});
    for (std::size_t i = 0; i < balls; ++i) {
      add_object(mesh, "ball " + std::to_string(i));
      launch(i);
      balls_[i].pose.center[1] += 0.2 * static_cast<double>(i);  // one after the other
      balls_[i].free = balls_[i].pose;
      show(kFirstBall + i, at_rest_, balls_[i].pose);
    }
    for (std::size_t i = 0; i < balls; ++i)
      scene_.add(objects()[kFirstBall + i].mesh, {.groups = 2, .collides_with = 1});
  }

  void advance() override {
    collide();
    find_planes();
    for (std::size_t i = 0; i < balls_.size(); ++i) {
      Ball& ball = balls_[i];
      if (ball.rests) continue;
      Motion& motion = objects()[kFirstBall + i].motion;
      if (planes_[i].hit)
        bounce(ball, motion, planes_[i]);
      else
        fly(ball, motion);
      motion.center = ball.pose.center;
      if (!ball.rests) ball.pose = stepped(ball.pose, motion);
      if (ball.pose.center[1] < -0.5) launch(i);
      show(kFirstBall + i, at_rest_, ball.pose);
    }
  }

 private:
  void launch(std::size_t i) {
    Ball& ball = balls_[i];
    ball = {};
    ball.pose.center = {random_.between(-1, 0.8), random_.between(2.4, 3), random_.between(-0.4, 0.4)};
    ball.free = ball.pose;
    Motion& motion = objects()[kFirstBall + i].motion;
    motion.velocity = {random_.between(-0.004, 0.004), 0, random_.between(-0.004, 0.004)};
    motion.angular_velocity = random_.in_cube(0.1);
  }

  void find_planes() {
    planes_.assign(balls_.size(), {});
    if (normals_) return find_ways_out();
    if (report_.method.method == papers::MethodName::cinder) {
      for (const papers::Penetration& found : report_.method.penetrations)
        if (found.object_a == kBody) add_plane(found.object_b - kFirstBall, found.a, found.normal);
      return;
    }
    for (const Contact& contact : report_.contacts) {
      const auto c = objects()[kBody].mesh.view().corners(contact.a);
      const Vec3d n = cross(minus(c[1], c[0]), minus(c[2], c[0]));
      const double length = std::sqrt(dot(n, n));
      add_plane(contact.object_b - kFirstBall, contact.a, length > 0 ? times(1 / length, n) : Vec3d{});
    }
  }
  /// With normals of contacts, one plane for each ball.
  void find_ways_out() {
    for (const WayOut& way : ways_out()) {
      if (way.a != kBody) continue;
      Planes& planes = planes_[way.b - kFirstBall];
      planes.hit = true;
      planes.out = times(way.depth, way.direction);
      if (dot(objects()[way.b].motion.velocity, way.direction) < 0) {
        planes.against = 1;
        planes.sum = way.direction;
      } else {
        planes.left = 1;
      }
    }
  }
  /// The plane of a triangle of the body.
  void add_plane(std::size_t ball, std::uint32_t triangle, const Vec3d& normal) {
    Planes& planes = planes_[ball];
    planes.hit = true;
    const Vec3d from_plane = minus(balls_[ball].pose.center, objects()[kBody].mesh.view().corners(triangle)[0]);
    if (dot(from_plane, normal) <= 0) return;
    if (dot(objects()[kFirstBall + ball].motion.velocity, normal) < 0) {
      ++planes.against;
      planes.sum = add(planes.sum, normal);
    } else {
      ++planes.left;
    }
  }

  void bounce(Ball& ball, Motion& motion, const Planes& planes) const {
    if (normals_) ball.pose.center = add(ball.pose.center, planes.out);
    if (planes.left > 0 && planes.against == 0) return;  // it moves away already; the next step leads farther out
    if (!normals_) ball.pose = ball.free;
    Vec3d& v = motion.velocity;
    bool flat = false;
    if (planes.against > 0) {
      const Vec3d n = normalized(planes.sum);
      const double across = dot(v, n);  // below 0, as the ball moves against each of the normals
      flat = n[1] > kFlat;
      const double away = std::max(-kBounce * across, flat ? 0 : kOffSteep);
      v = add(times(kRub, minus(v, times(across, n))), times(away, n));
      v = add(v, minus(Vec3d{0, -kGravity, 0}, times(-kGravity * n[1], n)));  // the surface holds the rest of gravity
    } else {
      v = times(-kBounce, v);  // only planes of far sides: the way that it came
    }
    limit(v);
    ball.slow = flat && dot(v, v) < kSlow * kSlow ? ball.slow + 1 : 0;
    if (ball.slow < kSlowHits && ++ball.hits < kHitsInARow) return;
    ball.rests = true;
    motion.velocity = motion.angular_velocity = {};
  }
  static void fly(Ball& ball, Motion& motion) {
    ball.free = ball.pose;
    ball.hits = 0;
    motion.velocity[1] -= kGravity;
    limit(motion.velocity);
  }
  static void limit(Vec3d& velocity) {
    const double speed = std::sqrt(dot(velocity, velocity));
    if (speed > kFastest) velocity = times(kFastest / speed, velocity);
  }

  Random random_;
  std::vector<Vec3d> at_rest_;
  std::vector<Ball> balls_;
  std::vector<Planes> planes_;  ///< per ball
};

}  // namespace

std::unique_ptr<Animation> bouncing(std::size_t n, std::size_t balls, unsigned threads, const Mesh* body) {
  return std::make_unique<Bouncing>(n == 0 ? 16'000 + 500 * balls : n, balls, threads, body);
}

}  // namespace sightline::scenes
