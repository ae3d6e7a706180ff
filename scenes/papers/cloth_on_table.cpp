// Quick-CULLIDE, figure 4: a square cloth falls over a round table and folds, by Verlet integration.
#include <algorithm>
#include <cmath>

#include "scenes/noise.h"
#include "scenes/papers/papers.h"
#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/papers/proximity.h"
#include "scenes/papers/verlet.h"

namespace sightline::scenes {
namespace {

constexpr double kSide = 2, kTableRadius = 0.4, kStart = 0.06;
constexpr double kGravity = 9.8 / (60 * 60);  // per frame, sixty of them a second
constexpr std::size_t kDefault = 21'600;      // 20 000 for the cloth

class ClothOnTable final : public StoredAnimation {
 public:
  ClothOnTable(std::size_t n, unsigned threads)
      : threads_(threads),
        cells_(static_cast<std::uint32_t>(std::max(4.0, std::round(std::sqrt(static_cast<double>(n) * 20 / 43.2))))),
        spacing_(kSide / cells_),
        table_(table(n - std::min(n * 19 / 20, std::size_t{2} * cells_ * cells_), kTableRadius)),
        // The least that folds smoothly: curvature is limited to about a cell.
        keeper_(cells_ + 1, cells_ + 1, 0.55 * spacing_, table_),
        links_(grid_links(cells_ + 1, cells_ + 1, spacing_, 0.15)) {
    // Coarse cloth is thick and may move far between two looks; fine cloth needs more of them.
    looks_ = std::max(1, static_cast<int>(std::round(cells_ / 50.0)));
    objects().push_back({.mesh = {.name = "cloth", .positions = {}, .triangles = {}}, .self = true});
    objects().push_back({.mesh = table_});
    lay_out();
    set_points(objects()[0].mesh, cloth_.position);
  }

  void advance() override {
    const int steps = looks_ * kStepsPerLook;
    const VerletStep step{.gravity = {0, -kGravity / (steps * steps), 0},
                          .keep = 1 - 0.03 / steps,
                          .fastest = 0.4 * spacing_ / kStepsPerLook};
    for (int i = 0; i < steps; ++i) {
      if (i % kStepsPerLook == 0) keeper_.look(cloth_, objects()[0].mesh.triangles, threads_);
      cloth_.integrate(step);
      cloth_.relax(links_);
      cloth_.relax(links_);
      keeper_.push(cloth_, objects()[0].mesh.triangles);
    }
    set_points(objects()[0].mesh, cloth_.position);
  }

 private:
  static constexpr int kStepsPerLook = 4;

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
  std::uint32_t cells_;
  double spacing_;
  Mesh table_;
  LayerKeeper keeper_;
  std::vector<Link> links_;
  Particles cloth_;
  int looks_ = 1;
};

}  // namespace

std::unique_ptr<Animation> cloth_on_table(std::size_t n, unsigned threads) {
  return std::make_unique<ClothOnTable>(n == 0 ? kDefault : n, threads);
}

}  // namespace sightline::scenes
