// Quick-CULLIDE, figure 4: a square cloth falls over a round table and folds, by Verlet integration.
#include <algorithm>
#include <cmath>

#include "scenes/noise.h"
#include "scenes/papers/papers.h"
#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/papers/proximity.h"
#include "scenes/papers/verlet.h"
#include "scenes/vector.h"
#include "sightline/query.h"

namespace sightline::scenes {
namespace {

constexpr double kSide = 2, kTableRadius = 0.4, kStart = 0.06;
constexpr double kGravity = 9.8 / (60 * 60);  // per frame, sixty of them a second
constexpr std::size_t kDefault = 21'600;      // 20 000 for the cloth

class ClothOnTable final : public StoredAnimation {
 public:
  ClothOnTable(std::size_t n, unsigned threads, bool rests)
      : threads_(threads),
        rests_(rests),
        cells_(static_cast<std::uint32_t>(std::max(4.0, std::round(std::sqrt(static_cast<double>(n) * 20 / 43.2))))),
        spacing_(kSide / cells_),
        table_(table(n - std::min(n * 19 / 20, std::size_t{2} * cells_ * cells_), kTableRadius)),
        // The least thickness that folds smoothly: curvature is limited to about a cell.
        keeper_(cells_ + 1, cells_ + 1, 0.55 * spacing_, table_),
        links_(grid_links(cells_ + 1, cells_ + 1, spacing_, 0.15)) {
    // Coarse cloth is thick and may move far between two queries; fine cloth needs more queries.
    queries_per_frame_ = std::max(1, static_cast<int>(std::round(cells_ / 50.0)));
    objects().push_back({.mesh = {.name = "cloth", .positions = {}, .triangles = {}}, .self = true});
    objects().push_back({.mesh = table_});
    lay_out();
    set_points(objects()[0].mesh, cloth_.position);
    safe_ = cloth_.position;
    scene_.add({}, {.self = true});
    scene_.add(table_);
  }

  void advance() override {
    if (resting_) return;
    ++frame_;
    if (rests_) go_back();
    const int steps = queries_per_frame_ * kStepsPerQuery;
    const VerletStep step{.gravity = {0, -kGravity / (steps * steps), 0},
                          .keep = 1 - drag() / steps,
                          .fastest = 0.4 * spacing_ / kStepsPerQuery};
    for (int i = 0; i < steps; ++i) {
      if (rests_ && i > 0 && i % kStepsPerQuery == 0) go_back();
      if (i % kStepsPerQuery == 0) keeper_.run_query(cloth_, objects()[0].mesh.triangles, threads_);
      cloth_.integrate(step);
      cloth_.relax(links_);
      cloth_.relax(links_);
      keeper_.push(cloth_, objects()[0].mesh.triangles);
    }
    if (rests_ && frame_ > kCalming && (slow() || frame_ >= kLatest)) come_to_rest();
    set_points(objects()[0].mesh, cloth_.position);
  }

 private:
  static constexpr int kStepsPerQuery = 4;
  static constexpr int kCalming = 130, kLatest = 190;  // frames

  /// Drag increases towards the end of an animation in which the cloth comes to rest.
  double drag() const { return rests_ && frame_ > kCalming ? 0.03 + 0.02 * (frame_ - kCalming) : 0.03; }

  bool slow() const {
    double fastest = 0;
    for (std::size_t i = 0; i < cloth_.size(); ++i) {
      const Vec3d d = minus(cloth_.position[i], cloth_.last[i]);
      fastest = std::max(fastest, dot(d, d));
    }
    return fastest < 1e-10 * kSide * kSide;
  }
  void come_to_rest() {
    go_back();
    cloth_.last = cloth_.position;
    resting_ = true;
  }

  /// Particles of triangles that cross return to their last positions without a crossing, and stop there. Then the
  /// cloth is checked again. Each round moves at least one more particle back, since triangles with all corners moved
  /// back do not cross. So the rounds end, at the latest with all particles moved back.
  void go_back() {
    std::vector<bool> back(cloth_.size());
    for (;;) {
      scene_.replace(0, {cloth_.position, objects()[0].mesh.triangles});
      scene_.collide(found_, {.threads = threads_});
      std::size_t moved = 0;
      const auto take_back = [&](std::uint32_t triangle) {
        for (const std::uint32_t v : objects()[0].mesh.triangles[triangle]) {
          if (back[v]) continue;
          back[v] = true;
          ++moved;
          cloth_.position[v] = cloth_.last[v] = safe_[v];
        }
      };
      for (const Contact& contact : found_.contacts) {
        if (contact.kind == Kind::touching && contact.object_b == 1) continue;  // the cloth may lie on the table
        take_back(contact.a);
        if (contact.object_b == 0) take_back(contact.b);
      }
      if (moved == 0) break;
    }
    safe_ = cloth_.position;
  }

  /// Flat above the table, turned a little against the table's segments, and not quite even: real folds are not
  /// symmetric.
  void lay_out() {
    const Pose pose{.center = {0.013, kStart, 0.007}, .rotation = rotation_about({0, 1, 0}, 0.11)};
    for (std::uint32_t row = 0; row <= cells_; ++row)
      for (std::uint32_t column = 0; column <= cells_; ++column) {
        const double x = column * spacing_ - kSide / 2, z = row * spacing_ - kSide / 2;
        cloth_.add(pose({x, 0.01 * noise(4 * x, 4 * z, 5)[0], z}));
      }
    for (std::uint32_t row = 0; row < cells_; ++row)
      for (std::uint32_t column = 0; column < cells_; ++column) {
        const std::uint32_t at = row * (cells_ + 1) + column, next = at + cells_ + 1;
        objects()[0].mesh.triangles.push_back({at, next + 1, at + 1});
        objects()[0].mesh.triangles.push_back({at, next, next + 1});
      }
  }

  unsigned threads_;
  bool rests_, resting_ = false;
  int frame_ = 0;
  std::uint32_t cells_;
  double spacing_;
  Mesh table_;
  LayerKeeper keeper_;
  std::vector<Link> links_;
  Particles cloth_;
  int queries_per_frame_ = 1;
  std::vector<Vec3d> safe_;  ///< where nothing crosses
  Scene scene_;
  Report found_;
};

}  // namespace

std::unique_ptr<Animation> cloth_on_table(std::size_t n, unsigned threads) {
  return std::make_unique<ClothOnTable>(n == 0 ? kDefault : n, threads, false);
}

std::unique_ptr<Animation> resting_cloth(std::size_t n, unsigned threads) {
  return std::make_unique<ClothOnTable>(n == 0 ? kDefault : n, threads, true);
}

}  // namespace sightline::scenes
