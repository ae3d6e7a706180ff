// Quick-CULLIDE, figure 6: leaves that bend fall from a tree and collide with each other and its branches.
#include <algorithm>
#include <cmath>
#include <string>

#include "scenes/papers/placing.h"
#include "scenes/random.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kDefault = 40'000, kTree = 0;
constexpr double kLength = 0.16, kGravity = 0.0012, kDrag = 0.965, kSway = 0.0014;
constexpr double kOffBranch = 0.012, kOffLeaf = 0.004;

/// A leaf flat in the plane y = 0: along in [-1, 1], across to each side.
struct LeafGrid {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;
};

LeafGrid leaf_grid(std::size_t n) {
  const auto wide = static_cast<std::uint32_t>(std::max(1.0, std::round(std::sqrt(static_cast<double>(n)) / 2)));
  const auto longer = static_cast<std::uint32_t>(std::max(1.0, std::round(static_cast<double>(n) / (2.0 * wide))));
  LeafGrid grid;
  for (std::uint32_t i = 0; i <= longer; ++i)
    for (std::uint32_t j = 0; j <= wide; ++j) {
      const double s = 2.0 * i / longer - 1, t = 2.0 * j / wide - 1;
      grid.points.push_back({s, 0, t * (0.05 + 0.45 * (1 - s * s))});
    }
  grid.triangles = grid_triangles(longer, wide);
  return grid;
}

struct Leaf {
  Pose pose;
  Vec3d velocity{}, spin{};
  double phase = 0;
  int hangs = 0;  ///< frames until it falls
};

class Leaves final : public StoredAnimation {
 public:
  Leaves(std::size_t n, std::size_t count, unsigned threads) : StoredAnimation(threads), random_(300) {
    objects().push_back({.mesh = tree_body(n / 2)});
    crown_ = box_of(objects()[kTree].mesh);
    const std::size_t left = n - std::min(n, objects()[kTree].mesh.triangles.size());
    grid_ = leaf_grid(left / std::max<std::size_t>(1, count));
    leaves_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      add_object({}, "leaf " + std::to_string(i)).mesh.triangles = grid_.triangles;
      renew(leaves_[i], random_.integer(0, 120));
      show(i);
    }
    add_all_to_scene();
  }

  void advance() override {
    for (const Contact& contact : collide()) respond(contact);
    ++step_;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      fall(leaves_[i]);
      show(i);
    }
  }

 private:
  /// Moves the leaf to a random place in the upper part of the tree.
  void renew(Leaf& leaf, int hangs) {
    const Vec3d size = minus(crown_.high, crown_.low), p = random_.in_cube(0.45);
    leaf.pose.center = add(crown_.center(), {p[0] * size[0], size[1] * (0.2 + 0.5 * p[1]), p[2] * size[2]});
    leaf.pose.rotation = rotation_about(random_.in_cube(1), random_.between(-1, 1));
    leaf.velocity = {};
    leaf.spin = random_.in_cube(0.05);
    leaf.phase = random_.unit();
    leaf.hangs = hangs;
  }
  void respond(const Contact& contact) {
    const Vec3d at = objects()[contact.object_a].mesh.view().corners(contact.a)[0];
    for (const std::uint32_t object : {contact.object_a, contact.object_b}) {
      if (object == kTree || leaves_[object - 1].hangs > 0) continue;
      Leaf& leaf = leaves_[object - 1];
      const Vec3d away = minus(leaf.pose.center, at);
      const double length = std::sqrt(dot(away, away) + 1e-6);
      const double share = (contact.object_a == kTree ? kOffBranch : kOffLeaf) / length;
      // Many contacts at once are one push.
      leaf.velocity = add(times(0.8, leaf.velocity), times(0.2 * share, away));
      leaf.spin = add(times(0.9, leaf.spin), times(0.1, cross(away, {0, 1, 0})));
    }
  }
  void fall(Leaf& leaf) {
    if (leaf.hangs > 0) {
      --leaf.hangs;
      return;
    }
    const Vec3d wind = noise(add(times(0.8, leaf.pose.center), {0, 0.01 * static_cast<double>(step_), leaf.phase}), 9);
    leaf.velocity = add(times(kDrag, leaf.velocity), {kSway * wind[0], -kGravity, kSway * wind[2]});
    leaf.spin = add(times(0.98, leaf.spin), times(0.002, {wind[2], wind[1], wind[0]}));
    leaf.pose = stepped(leaf.pose, {leaf.pose.center, leaf.velocity, leaf.spin});
    if (leaf.pose.center[1] < crown_.low[1] - 0.3) renew(leaf, 20);
  }
  /// Leaves deform, so they have no rigid motion.
  void show(std::size_t i) {
    const Leaf& leaf = leaves_[i];
    const CirclePoint beat = turned(leaf.phase + static_cast<double>(step_) / 50);
    std::vector<Vec3d> bent = grid_.points;
    for (Vec3d& p : bent) {
      const double curl = (0.25 + 0.2 * beat.sin) * p[0] * p[0] + (0.3 + 0.3 * beat.cos) * p[2] * p[2];
      p = times(kLength, {p[0], curl, p[2]});
    }
    show_deformed(i + 1, bent, leaf.pose);
  }

  Random random_;
  Box crown_{};
  LeafGrid grid_;
  std::vector<Leaf> leaves_;
  std::size_t step_ = 0;
};

}  // namespace

std::unique_ptr<Animation> leaves(std::size_t n, std::size_t count, unsigned threads) {
  return std::make_unique<Leaves>(n == 0 ? kDefault : n, count, threads);
}

}  // namespace sightline::scenes
