// Alternate surface peeling, figure 10: sharp objects fall on a cloth and tear it. Its triangles are split where it is
// hit, and parted where it has been pressed down long enough.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/papers/verlet.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kCloth = 0, kClothDefault = 1600, kFallingDefault = 2100;
constexpr double kSide = 4, kSize = 0.35, kGravity = 0.0015, kFastest = 0.06, kClothGravity = 0.0006;
constexpr int kPressed = 4, kSteps = 4;  // frames of contact before it tears; steps of the cloth in a frame
constexpr std::size_t kTearsAFrame = 8;

/// A cloth whose triangles can be split and torn apart. Vertices keep their place in the uncut cloth, so that the
/// length of each edge at rest is known whatever was cut.
class TearableCloth {
 public:
  /// A square of cells × cells cells around the origin, pinned at its border.
  TearableCloth(std::uint32_t cells, double side) {
    for (std::uint32_t row = 0; row <= cells; ++row)
      for (std::uint32_t column = 0; column <= cells; ++column) {
        const bool border = row == 0 || column == 0 || row == cells || column == cells;
        place_.push_back({side * column / cells - side / 2, side * row / cells - side / 2});
        particles_.add({place_.back()[0], 0, place_.back()[1]}, border ? 0 : 1);
      }
    triangles_ = grid_triangles(cells, cells, true);
  }

  const std::vector<Triangle>& triangles() const { return triangles_; }
  Particles& particles() { return particles_; }

  const std::vector<Link>& links() {
    if (!std::exchange(changed_, false)) return links_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : triangles_)
      for (std::size_t i = 0; i < 3; ++i) edges.push_back(std::minmax(t[i], t[(i + 1) % 3]));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    links_.clear();
    for (const auto& [a, b] : edges) {
      const double x = place_[a][0] - place_[b][0], y = place_[a][1] - place_[b][1];
      links_.push_back({a, b, 1.03 * std::sqrt(x * x + y * y), 0.8});  // a little slack: it sags
    }
    return links_;
  }

  /// Cuts the longest edge of the triangle, and with it the triangle beyond, unless it is shorter than `least`.
  void split(std::uint32_t triangle, double least) {
    const Triangle t = triangles_[triangle];
    double longest = least * least;
    std::uint32_t a = 0, b = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t p = t[i], q = t[(i + 1) % 3];
      const double x = place_[p][0] - place_[q][0], y = place_[p][1] - place_[q][1];
      if (x * x + y * y > longest) longest = x * x + y * y, a = p, b = q;
    }
    if (a == b) return;
    changed_ = true;
    const auto middle = static_cast<std::uint32_t>(particles_.size());
    const bool pinned = particles_.mobility[a] == 0 && particles_.mobility[b] == 0;
    particles_.add(times(0.5, add(particles_.position[a], particles_.position[b])), pinned ? 0 : 1);
    particles_.last[middle] = times(0.5, add(particles_.last[a], particles_.last[b]));
    place_.push_back({(place_[a][0] + place_[b][0]) / 2, (place_[a][1] + place_[b][1]) / 2});
    for (std::size_t i = 0, count = triangles_.size(); i < count; ++i) {
      Triangle first = triangles_[i], second = first;
      const auto at_a = std::find(first.begin(), first.end(), a), at_b = std::find(first.begin(), first.end(), b);
      if (at_a == first.end() || at_b == first.end()) continue;
      *at_a = middle;
      second[static_cast<std::size_t>(at_b - first.begin())] = middle;
      triangles_[i] = first;
      triangles_.push_back(second);
    }
  }

  /// Parts the triangles around the vertex along a line through it in the uncut cloth. False if all lie on one side,
  /// or the vertex is pinned.
  bool tear(std::uint32_t vertex, const std::array<double, 2>& line) {
    if (particles_.mobility[vertex] == 0) return false;
    std::vector<std::pair<std::uint32_t, std::size_t>> beyond;  // triangle and corner
    std::size_t around = 0;
    for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
      const Triangle& t = triangles_[i];
      const auto corner = std::find(t.begin(), t.end(), vertex);
      if (corner == t.end()) continue;
      ++around;
      double side = 0;
      for (const std::uint32_t v : t)
        side += line[0] * (place_[v][1] - place_[vertex][1]) - line[1] * (place_[v][0] - place_[vertex][0]);
      if (side > 0) beyond.emplace_back(i, static_cast<std::size_t>(corner - t.begin()));
    }
    if (beyond.empty() || beyond.size() == around) return false;
    changed_ = true;
    const auto twin = static_cast<std::uint32_t>(particles_.size());
    particles_.add(particles_.position[vertex]);
    particles_.last[twin] = particles_.last[vertex];
    place_.push_back(place_[vertex]);
    for (const auto& [triangle, corner] : beyond) triangles_[triangle][corner] = twin;
    return true;
  }

 private:
  std::vector<Triangle> triangles_;
  Particles particles_;
  std::vector<std::array<double, 2>> place_;  ///< in the uncut cloth
  std::vector<Link> links_;
  bool changed_ = true;  ///< links_ are of an earlier cloth
};

class TornCloth final : public StoredAnimation {
 public:
  TornCloth(std::size_t n_cloth, std::size_t n_falling, std::size_t falling, unsigned threads)
      : StoredAnimation(threads),
        cells_(std::max(4u, static_cast<std::uint32_t>(std::round(std::sqrt(n_cloth / 2.0))))),
        cloth_(cells_, kSide),
        random_(41) {
    objects().push_back({.mesh = {.name = "cloth", .positions = {}, .triangles = {}}, .self = true});
    const Mesh mesh = scaled(shard(n_falling), kSize);
    at_rest_ = points_of(mesh);
    pressed_.resize(falling);
    for (std::size_t i = 0; i < falling; ++i) {
      Motion& motion = add_object(mesh, "shard " + std::to_string(i)).motion;
      const double height = 0.6 + 0.25 * static_cast<double>(i);
      poses_.push_back({.center = {random_.between(-1.6, 1.6), height, random_.between(-1.6, 1.6)},
                        .rotation = rotation_about(random_.in_cube(1), random_.between(-0.25, 0.25))});
      motion.velocity = {0, -0.03, 0};
      motion.angular_velocity = random_.in_cube(0.01);
      show(i + 1, at_rest_, poses_[i]);
    }
    show_cloth();
    add_all_to_scene();
  }

  void advance() override {
    scene_.replace(kCloth, objects()[kCloth].mesh);
    collide();
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
    show(i + 1, at_rest_, poses_[i]);
  }
  void show_cloth() {
    objects()[kCloth].mesh.triangles = cloth_.triangles();
    set_points(objects()[kCloth].mesh, cloth_.particles().position);
  }

  std::uint32_t cells_;
  TearableCloth cloth_;
  Random random_;
  std::vector<Vec3d> at_rest_;
  std::vector<Pose> poses_;
  std::vector<int> pressed_;  ///< frames of contact so far
};

}  // namespace

std::unique_ptr<Animation> torn_cloth(std::size_t n, std::size_t falling, unsigned threads) {
  const std::size_t usual = kClothDefault + kFallingDefault * falling;
  const double scale = n == 0 ? 1 : static_cast<double>(n) / static_cast<double>(usual);
  const auto part = [&](std::size_t of) { return static_cast<std::size_t>(scale * static_cast<double>(of)); };
  return std::make_unique<TornCloth>(part(kClothDefault), part(kFallingDefault), falling, threads);
}

}  // namespace sightline::scenes
