// Quick-CULLIDE, figure 5: a body falls on a larger one again and again and breaks pieces out of it. A piece is a
// Voronoi cell of the large body's triangles, so it is an open surface.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kDefault = 285'000, kCells = 420, kCellsAnImpact = 60, kFalling = 0, kRest = 1, kFirstPiece = 2;
constexpr double kGravity = 0.004, kDropFrom = 3.2, kFallingSize = 0.45;

/// A piece at rest around its own centre.
struct Piece {
  std::vector<Vec3d> at_rest;
  Pose pose;
};

class Breaking final : public StoredAnimation {
 public:
  Breaking(std::size_t n, unsigned threads, const Mesh* falling, const Mesh* broken)
      : StoredAnimation(threads), random_(250) {
    const Mesh body = scaled(body_or(falling, bunny_body(n * 35 / 285)), kFallingSize);
    const Vec3d middle = box_of(body).center();
    falling_at_rest_ = points_of(body);
    for (Vec3d& p : falling_at_rest_) p = minus(p, middle);
    objects().push_back({.mesh = body});
    objects().push_back({.mesh = body_or(broken, dragon_body(n * 250 / 285))});
    whole_ = objects()[kRest].mesh;
    assign_cells();
    drop();
    show(kFalling, falling_at_rest_, pose_);
    add_all_to_scene();
  }

  void advance() override {
    Motion& motion = objects()[kFalling].motion;
    motion.velocity[1] -= kGravity;
    pose_ = stepped(pose_, motion);
    const bool at_top = motion.velocity[1] > -kGravity && motion.velocity[1] <= 0;
    if ((at_top && pose_.center[1] < kDropFrom) || pose_.center[1] < -0.5) drop();
    show(kFalling, falling_at_rest_, pose_);
    move_pieces();
    if (motion.velocity[1] < 0) strike();
  }

 private:
  /// Assigns each triangle to the nearest of some of the corners.
  void assign_cells() {
    const MeshView view = whole_;
    for (std::size_t i = 0; i < kCells; ++i) {
      const auto triangle = random_.below(static_cast<std::uint32_t>(view.triangles.size()));
      seeds_.push_back(view.corners(triangle)[0]);
    }
    left_.assign(kCells, true);
    cell_.resize(view.triangles.size());
    for (std::size_t t = 0; t < cell_.size(); ++t) {
      const auto c = view.corners(t);
      cell_[t] = nearest_cell(times(1.0 / 3, add(c[0], add(c[1], c[2]))));
    }
  }
  std::uint32_t nearest_cell(const Vec3d& p) const {
    double least = std::numeric_limits<double>::max();
    std::uint32_t nearest = 0;
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const Vec3d d = minus(seeds_[i], p);
      if (const double distance = dot(d, d); distance < least) least = distance, nearest = i;
    }
    return nearest;
  }
  /// Moves the falling body to the top again, above a cell that is still there.
  void drop() {
    std::uint32_t target = random_.below(kCells);
    for (std::size_t i = 0; i < kCells && !left_[target]; ++i) target = (target + 1) % kCells;
    pose_ = {.center = {seeds_[target][0], kDropFrom, seeds_[target][2]},
             .rotation = rotation_about(random_.in_cube(1), random_.between(-0.5, 0.5))};
    objects()[kFalling].motion = {.center = pose_.center, .velocity = {}, .angular_velocity = random_.in_cube(0.03)};
  }
  /// If the falling body meets what is left, the cells nearest to the contacts come off and the falling body jumps
  /// back.
  void strike() {
    const std::vector<Contact>& contacts = collide();
    if (contacts.empty()) return;
    Vec3d at{};
    for (const Contact& contact : contacts) at = add(at, objects()[kRest].mesh.view().corners(contact.b)[0]);
    at = times(1 / static_cast<double>(contacts.size()), at);
    break_off(at);
    Vec3d& velocity = objects()[kFalling].motion.velocity;
    velocity = times(-0.55, velocity);
  }
  void break_off(const Vec3d& at) {
    std::vector<std::pair<double, std::uint32_t>> nearest;
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const Vec3d d = minus(seeds_[i], at);
      if (left_[i]) nearest.emplace_back(dot(d, d), i);
    }
    std::sort(nearest.begin(), nearest.end());
    nearest.resize(std::min(nearest.size(), kCellsAnImpact));
    std::vector<std::vector<Triangle>> taken(kCells);
    for (const auto& [distance, cell] : nearest) left_[cell] = false;
    std::vector<Triangle>& rest = objects()[kRest].mesh.triangles;
    rest.clear();
    for (std::size_t t = 0; t < cell_.size(); ++t)
      (left_[cell_[t]] ? rest : taken[cell_[t]]).push_back(whole_.triangles[t]);
    for (const auto& [distance, cell] : nearest)
      if (!taken[cell].empty()) add_piece(std::move(taken[cell]), at);
    scene_.replace(kRest, objects()[kRest].mesh);
  }
  void add_piece(std::vector<Triangle> triangles, const Vec3d& struck_at) {
    std::vector<std::uint32_t> used;
    for (const Triangle& t : triangles) used.insert(used.end(), t.begin(), t.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (Triangle& t : triangles)
      for (std::uint32_t& v : t)
        v = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), v) - used.begin());
    Piece piece;
    for (const std::uint32_t v : used) {
      piece.at_rest.push_back(whole_.view().position(v));
      piece.pose.center = add(piece.pose.center, times(1 / static_cast<double>(used.size()), piece.at_rest.back()));
    }
    for (Vec3d& p : piece.at_rest) p = minus(p, piece.pose.center);
    const Vec3d away = minus(piece.pose.center, struck_at);
    const double speed = random_.between(0.01, 0.03) / std::sqrt(dot(away, away) + 0.01);
    Vec3d velocity = times(speed, away);
    velocity[1] = std::abs(velocity[1]) + random_.between(0, 0.03);
    AnimatedObject& object = add_object({}, "piece " + std::to_string(pieces_.size()));
    object.mesh.triangles = std::move(triangles);
    object.motion = {.center = piece.pose.center, .velocity = velocity, .angular_velocity = random_.in_cube(0.08)};
    place(object.mesh, piece.at_rest, piece.pose);
    pieces_.push_back(std::move(piece));
  }
  /// Moves the pieces until they lie on the ground.
  void move_pieces() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Motion& motion = objects()[kFirstPiece + i].motion;
      Pose& pose = pieces_[i].pose;
      if (pose.center[1] < 0.04) {
        motion = {.center = pose.center};
        continue;
      }
      motion.velocity[1] -= kGravity;
      pose = stepped(pose, motion);
      show(kFirstPiece + i, pieces_[i].at_rest, pose);
    }
  }

  Random random_;
  Mesh whole_;
  std::vector<Vec3d> falling_at_rest_, seeds_;
  Pose pose_;
  std::vector<std::uint32_t> cell_;  ///< per triangle of the whole
  std::vector<bool> left_;           ///< per cell
  std::vector<Piece> pieces_;
};

}  // namespace

std::unique_ptr<Animation> breaking(std::size_t n, unsigned threads, const Mesh* falling, const Mesh* broken) {
  return std::make_unique<Breaking>(n == 0 ? kDefault : n, threads, falling, broken);
}

}  // namespace sightline::scenes
