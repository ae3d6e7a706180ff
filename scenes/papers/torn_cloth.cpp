// Alternate surface peeling, figure 10: sharp objects fall on a cloth and tear it. Its triangles are split where it is
// hit, and parted where it has been pressed down long enough.
#include <algorithm>
#include <cmath>
#include <string>

#include "scenes/papers/papers.h"
#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/papers/tearing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"
#include "sightline/query.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kCloth = 0, kClothDefault = 1600, kFallingDefault = 2100;
constexpr double kSide = 4, kSize = 0.35, kGravity = 0.0015, kFastest = 0.06, kClothGravity = 0.0006;
constexpr int kPressed = 4, kSteps = 4;  // frames of contact before it tears; steps of the cloth in a frame
constexpr std::size_t kTearsAFrame = 8;

class TornCloth final : public StoredAnimation {
 public:
  TornCloth(std::size_t n_cloth, std::size_t n_falling, std::size_t falling, unsigned threads)
      : threads_(threads),
        cells_(std::max(4u, static_cast<std::uint32_t>(std::round(std::sqrt(n_cloth / 2.0))))),
        cloth_(cells_, kSide),
        random_(41) {
    objects().push_back({.mesh = {.name = "cloth", .positions = {}, .triangles = {}}, .self = true});
    const Mesh mesh = scaled(shard(n_falling), kSize);
    at_rest_ = points_of(mesh);
    pressed_.resize(falling);
    for (std::size_t i = 0; i < falling; ++i) {
      objects().push_back({.mesh = mesh});
      objects().back().mesh.name = "shard " + std::to_string(i);
      const double height = 0.6 + 0.25 * static_cast<double>(i);
      poses_.push_back({.center = {random_.between(-1.6, 1.6), height, random_.between(-1.6, 1.6)},
                        .rotation = rotation_about(random_.in_cube(1), random_.between(-0.25, 0.25))});
      objects().back().motion.velocity = {0, -0.03, 0};
      objects().back().motion.angular_velocity = random_.in_cube(0.01);
      show(i);
    }
    show_cloth();
    for (const AnimatedObject& object : objects()) scene_.add(object.mesh);
  }

  void advance() override {
    scene_.replace(kCloth, objects()[kCloth].mesh);
    scene_.collide(report_, {.threads = threads_});
    press();
    tear();
    for (int i = 0; i < kSteps; ++i) {
      cloth_.particles().integrate(
          {.gravity = {0, -kClothGravity / (kSteps * kSteps), 0}, .keep = 0.99, .fastest = 0.03});
      for (int k = 0; k < 3; ++k) cloth_.particles().relax(cloth_.links());
    }
    show_cloth();
    for (std::size_t i = 0; i < poses_.size(); ++i) fall(i);
  }

 private:
  /// Vertices that are hit move along with the object that hits them.
  void press() {
    std::vector<bool> moved(cloth_.particles().size());
    std::vector<bool> touching(poses_.size());
    for (const Contact& contact : report_.contacts) {
      if (contact.object_a != kCloth || contact.object_b == kCloth) continue;
      touching[contact.object_b - 1] = true;
      Vec3d along = times(0.9, objects()[contact.object_b].motion.velocity);
      for (const std::uint32_t v : cloth_.triangles()[contact.a]) {
        if (moved[v]) continue;
        moved[v] = true;
        cloth_.particles().shift(v, along);
      }
    }
    for (std::size_t i = 0; i < poses_.size(); ++i) pressed_[i] = touching[i] ? pressed_[i] + 1 : 0;
  }
  void tear() {
    const double least = 0.4 * kSide / cells_;
    std::size_t tears = 0;
    std::uint32_t last = ~0u;
    for (const Contact& contact : report_.contacts) {
      if (contact.object_a != kCloth || contact.object_b == kCloth || contact.a == last) continue;
      if (pressed_[contact.object_b - 1] < kPressed || tears >= kTearsAFrame) continue;
      last = contact.a;
      // Triangles are only added at the end and changed in place, so the contact's index still names this triangle.
      cloth_.split(contact.a, least);
      const CirclePoint line = turned(random_.unit());
      const Triangle t = cloth_.triangles()[contact.a];
      if (cloth_.tear(t[random_.below(3)], {line.cos, line.sin})) ++tears;
    }
  }
  void fall(std::size_t i) {
    Motion& motion = objects()[i + 1].motion;
    if (poses_[i].center[1] < -4) {
      motion = {.center = poses_[i].center};
      return;
    }
    // The cloth holds it up a little.
    const double held = pressed_[i] > 0 ? 0.9 : 1;
    motion.velocity[1] = std::max(-kFastest, held * motion.velocity[1] - (pressed_[i] > 0 ? 0.5 : 1) * kGravity);
    poses_[i] = stepped(poses_[i], motion);
    show(i);
  }
  void show(std::size_t i) {
    objects()[i + 1].motion.center = poses_[i].center;
    place(objects()[i + 1].mesh, at_rest_, poses_[i]);
  }
  void show_cloth() {
    objects()[kCloth].mesh.triangles = cloth_.triangles();
    set_points(objects()[kCloth].mesh, cloth_.particles().position);
  }

  unsigned threads_;
  std::uint32_t cells_;
  TearableCloth cloth_;
  Random random_;
  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_;
  std::vector<int> pressed_;  ///< frames of contact so far
  Scene scene_;
  Report report_;
};

}  // namespace

std::unique_ptr<Animation> torn_cloth(std::size_t n, std::size_t falling, unsigned threads) {
  const std::size_t usual = kClothDefault + kFallingDefault * falling;
  const double scale = n == 0 ? 1 : static_cast<double>(n) / static_cast<double>(usual);
  const auto part = [&](std::size_t of) { return static_cast<std::size_t>(scale * static_cast<double>(of)); };
  return std::make_unique<TornCloth>(part(kClothDefault), part(kFallingDefault), falling, threads);
}

}  // namespace sightline::scenes
