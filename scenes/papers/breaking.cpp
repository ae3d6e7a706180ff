// Quick-CULLIDE, figure 5: a body falls on a larger one again and again and breaks pieces out of it. A piece is a
// Voronoi cell of the large body's triangles, so it is an open surface. In the papers' scene the pieces fall through
// each other and stop at a height. On a ground they come to rest without contacts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::scenes {
namespace {

constexpr std::size_t kDefault = 285'000, kCells = 420, kCellsAnImpact = 60, kFalling = 0, kRest = 1, kGround = 2;
constexpr double kGravity = 0.004, kDropFrom = 3.2, kFallingSize = 0.45, kAir = 0.94;

/// A piece at rest around its own centre.
struct Piece {
  std::vector<Vec3d> at_rest;
  Pose pose, free{};  ///< free: on a ground, its last place without a contact
  int blocked = 0;    ///< grows with each step that was blocked, by 4 if something still did, else by 1
  bool rests = false;
};
constexpr int kBlockedAtRest = 64, kBlockedAfterBreak = 32;

class Breaking final : public StoredAnimation {
 public:
  Breaking(std::size_t n, unsigned threads, const Mesh* falling, const Mesh* broken, bool on_ground)
      : StoredAnimation(threads), random_(250), on_ground_(on_ground) {
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
    if (on_ground_) add_ground();
    add_all_to_scene();
  }

  void advance() override {
    Motion& motion = objects()[kFalling].motion;
    motion.velocity[1] -= kGravity;
    pose_ = stepped(pose_, motion);
    const bool at_top = motion.velocity[1] > -kGravity && motion.velocity[1] <= 0;
    if ((at_top && pose_.center[1] < kDropFrom) || pose_.center[1] < -0.5) drop();
    show(kFalling, falling_at_rest_, pose_);
    if (on_ground_)
      settle_pieces();
    else
      move_pieces();
    if (motion.velocity[1] < 0) strike();
  }

 private:
  std::size_t first_piece() const { return on_ground_ ? kGround + 1 : kGround; }

  void add_ground() {
    top_ = box_of(objects()[kRest].mesh).low[1] - 0.01;
    add_object(box({-2.8, top_ - 0.1, -2.4}, {2.8, top_, 2.4}), "ground");
    // The falling body is not in this scene: it lands on pieces and lies among them until it jumps back.
    still_.add(objects()[kRest].mesh);
    still_.add(objects()[kGround].mesh);
  }

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
    std::size_t struck = 0;
    for (const Contact& contact : contacts)
      if (contact.object_a == kFalling && contact.object_b == kRest) {
        at = add(at, objects()[kRest].mesh.view().corners(contact.b)[0]);
        ++struck;
      }
    if (struck > 0) break_off(times(1 / static_cast<double>(struck), at));
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
    if (!on_ground_) return;
    still_.replace(0, objects()[kRest].mesh);
    for (Piece& piece : pieces_) piece.rests = false, piece.blocked = std::min(piece.blocked, kBlockedAfterBreak);
    for (std::size_t i = still_.size() - kStillFirst; i < pieces_.size(); ++i) loosen(i);
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
    piece.free = piece.pose;
    pieces_.push_back(std::move(piece));
  }
  /// Moves the pieces until they lie on the ground.
  void move_pieces() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Motion& motion = objects()[first_piece() + i].motion;
      Pose& pose = pieces_[i].pose;
      if (pose.center[1] < 0.04) {
        motion = {.center = pose.center};
        continue;
      }
      motion.velocity[1] -= kGravity;
      pose = stepped(pose, motion);
      show(first_piece() + i, pieces_[i].at_rest, pose);
    }
  }

  // ---- with a ground: no frame has a contact among what is left, the ground and the pieces

  static constexpr std::size_t kStillFirst = 2;  ///< the object of piece 0 in still_

  void show_piece(std::size_t i, const Pose& pose) {
    show(first_piece() + i, pieces_[i].at_rest, pose);
    still_.move(static_cast<ObjectId>(kStillFirst + i), objects()[first_piece() + i].mesh.view().positions);
  }
  /// A new piece has common corners with its neighbours: it shrinks until it meets nothing. A piece that does not come
  /// free is dust, and is shown as one point.
  void loosen(std::size_t i) {
    const auto id = still_.add(objects()[first_piece() + i].mesh);
    const std::vector<Vec3d> whole = pieces_[i].at_rest;
    for (const double scale : {0.96, 0.9, 0.8, 0.6, 0.3, 0.0}) {
      for (std::size_t v = 0; v < whole.size(); ++v) pieces_[i].at_rest[v] = times(scale, whole[v]);
      show_piece(i, pieces_[i].pose);
      detect(still_, {}, found_);
      const auto mine = [id](const Contact& c) { return c.object_b == id; };  // later pieces are not there yet
      if (std::ranges::none_of(found_.contacts, mine)) return;
    }
  }
  /// Each piece makes a step. Pieces whose step leads to a contact go back, until there is none.
  void settle_pieces() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Piece& piece = pieces_[i];
      Motion& motion = objects()[first_piece() + i].motion;
      if (piece.rests) continue;
      motion.velocity = times(kAir, motion.velocity);  // so that the pieces stay above the ground
      motion.velocity[1] -= kGravity;
      piece.free = piece.pose;
      piece.pose = stepped(piece.pose, motion);
      show_piece(i, piece.pose);
    }
    std::vector<bool> went_back(pieces_.size());
    // A small piece can be inside the ground after a step, without a contact.
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (!pieces_[i].rests && box_of(objects()[first_piece() + i].mesh).low[1] < top_) {
        went_back[i] = true;
        go_back(i, true);
      }
    for (bool any = true; any;) {
      any = false;
      detect(still_, {}, found_);
      for (const Contact& contact : found_.contacts)
        for (const auto& [object, other] :
             {std::pair(contact.object_a, contact.object_b), std::pair(contact.object_b, contact.object_a)}) {
          if (moves(object) && !went_back[object - kStillFirst]) {
            went_back[object - kStillFirst] = any = true;
            go_back(object - kStillFirst, !moves(other));
          }
        }
    }
  }
  bool moves(std::uint32_t object) const { return object >= kStillFirst && !pieces_[object - kStillFirst].rests; }
  /// After a step that was blocked, a piece tries to fall straight down, or to jump a little to one side, in turn. It
  /// rests when that has not helped for some time.
  void go_back(std::size_t i, bool by_something_still) {
    Piece& piece = pieces_[i];
    Motion& motion = objects()[first_piece() + i].motion;
    piece.pose = piece.free;
    piece.blocked += by_something_still ? 4 : 1;
    const bool jump = piece.blocked / 4 % 2 != 0;
    const double lively = 1 - static_cast<double>(piece.blocked) / kBlockedAtRest;
    motion.velocity = jump ? random_.in_cube(0.02 * lively) : Vec3d{};
    motion.velocity[1] = jump ? std::abs(motion.velocity[1]) : 0;
    motion.angular_velocity = jump ? random_.in_cube(0.06 * lively) : Vec3d{};
    if (piece.blocked >= kBlockedAtRest) {
      piece.rests = true;
      motion = {};
    }
    show_piece(i, piece.pose);
  }

  Random random_;
  bool on_ground_;
  double top_ = 0;  ///< of the ground
  Scene still_;     ///< what is left, the ground, the pieces
  papers::Report found_;
  Mesh whole_;
  std::vector<Vec3d> falling_at_rest_, seeds_;
  Pose pose_;
  std::vector<std::uint32_t> cell_;  ///< per triangle of the whole
  std::vector<bool> left_;           ///< per cell
  std::vector<Piece> pieces_;
};

}  // namespace

std::unique_ptr<Animation> breaking(std::size_t n, unsigned threads, const Mesh* falling, const Mesh* broken) {
  return std::make_unique<Breaking>(n == 0 ? kDefault : n, threads, falling, broken, false);
}

std::unique_ptr<Animation> breaking_on_ground(std::size_t n, unsigned threads) {
  return std::make_unique<Breaking>(n == 0 ? kDefault : n, threads, nullptr, nullptr, true);
}

}  // namespace sightline::scenes
