// Quick-CULLIDE, figure 4: a square cloth falls over a round table and folds, by Verlet integration. With normals of
// contacts, the cloth leaves the table along them, and otherwise along the normals of the table's triangles.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenes/papers/parts.h"
#include "scenes/papers/placing.h"
#include "scenes/papers/verlet.h"
#include "scenes/random.h"
#include "sightline/depth.h"

namespace sightline::scenes {
namespace {

constexpr double kSide = 2, kTableRadius = 0.4, kStart = 0.06;
constexpr double kGravity = 9.8 / (60 * 60);  // per frame, sixty of them a second
constexpr std::size_t kDefault = 21'600;      // 20 000 for the cloth

// In thicknesses. Two layers cross in a query when they are closer than twice this, so the query finds them before they
// meet.
constexpr double kJitter = 0.75;
constexpr int kOldest = 5;
constexpr double kSoftness = 0.4, kLayerFriction = 0.2, kObstacleFriction = 0.35;
constexpr std::uint32_t kLayerReach = 3;

Vec3d centroid(const Particles& cloth, const Triangle& t) {
  return times(1.0 / 3, add(cloth.position[t[0]], add(cloth.position[t[1]], cloth.position[t[2]])));
}
Vec3d normal(const Particles& cloth, const Triangle& t) {
  const Vec3d& p = cloth.position[t[0]];
  const Vec3d n = cross(minus(cloth.position[t[1]], p), minus(cloth.position[t[2]], p));
  return times(1 / std::sqrt(dot(n, n) + 1e-30), n);
}
double side(const Particles& cloth, const Triangle& of, const Triangle& relative_to) {
  const Vec3d d = minus(centroid(cloth, of), centroid(cloth, relative_to));
  return dot(d, normal(cloth, relative_to)) >= 0 ? 1 : -1;
}

/// Keeps layers of cloth apart with an engine that only finds contacts. Each query gets the cloth with each vertex
/// moved along its normal by a random amount, other amounts in each query. Where layers are closer than these amounts,
/// some of their triangles cross. Those pairs, with the side on which they were, keep a distance for a few queries from
/// then on.
class LayerKeeper {
 public:
  /// `thickness`: distance that layers keep. Cells of the grid closer than kLayerReach belong to one layer.
  LayerKeeper(std::uint32_t rows, std::uint32_t columns, double thickness, const MeshView& obstacle)
      : rows_(rows), columns_(columns), thickness_(thickness), obstacle_(obstacle) {
    scene_.add({}, {.self = true});
    scene_.add(obstacle);
    pushes_.resize(std::size_t{rows} * columns, {0, {}});
  }

  /// Runs a query by `detect`. The triangles are those of the grid, two to a cell in row order. `normals`: those of
  /// contacts are the ways out of the obstacle.
  template <typename Detect>
  void run_query(const Particles& cloth, const std::vector<Triangle>& triangles, bool normals, const Detect& detect) {
    ++queries_;
    show(cloth);
    scene_.replace(0, {shown_, triangles});
    detect(scene_, report_);
    renew_pairs(cloth, triangles);
    renew_touches();
    if (normals) turn_touches(triangles);
  }

  /// Pushes apart the pairs that the queries found; to be called in every step.
  void push(Particles& cloth, const std::vector<Triangle>& triangles) {
    for (const Pair& pair : pairs_) {
      push_pair(cloth, triangles[pair.a], triangles[pair.b], pair.side_a);
      push_pair(cloth, triangles[pair.b], triangles[pair.a], pair.side_b);
    }
    push_out(cloth, triangles);
  }

 private:
  /// Triangle a lies on the side `side_a` of b, 1 along its normal and -1 against it, and b on `side_b` of a.
  struct Pair {
    std::uint32_t a, b;
    double side_a, side_b;
    int age;
  };
  struct Touch {
    std::uint32_t triangle;
    Vec3d normal;
    double height;  ///< the obstacle's plane: dot(normal, p) = height
  };
  struct Push {
    double depth;
    Vec3d normal;
  };

  bool one_layer(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t cells = columns_ - 1;
    const auto apart = [](std::uint32_t x, std::uint32_t y) { return x > y ? x - y : y - x; };
    return apart(a / 2 / cells, b / 2 / cells) < kLayerReach && apart(a / 2 % cells, b / 2 % cells) < kLayerReach;
  }

  void show(const Particles& cloth) {
    shown_.resize(cloth.size());
    for (std::uint32_t row = 0; row < rows_; ++row)
      for (std::uint32_t column = 0; column < columns_; ++column) {
        const std::uint32_t at = row * columns_ + column;
        const Vec3d u =
            minus(cloth.position[column + 1 < columns_ ? at + 1 : at], cloth.position[column > 0 ? at - 1 : at]);
        const Vec3d v =
            minus(cloth.position[row + 1 < rows_ ? at + columns_ : at], cloth.position[row > 0 ? at - columns_ : at]);
        const Vec3d n = cross(u, v);
        const double unit = static_cast<double>(mix(queries_ << 32 | at) >> 11) * 0x1p-52 - 1;  // in [-1, 1)
        shown_[at] = add(cloth.position[at], times(kJitter * thickness_ * unit / std::sqrt(dot(n, n) + 1e-30), n));
      }
  }

  void renew_pairs(const Particles& cloth, const std::vector<Triangle>& triangles) {
    std::vector<Pair> renewed;
    auto old = pairs_.begin();
    const auto keep_old_before = [&](std::uint32_t a, std::uint32_t b) {
      for (; old != pairs_.end() && std::tie(old->a, old->b) < std::tie(a, b); ++old)
        if (++old->age <= kOldest) renewed.push_back(*old);
    };
    for (const Contact& contact : report_.contacts) {
      if (contact.object_b != 0 || one_layer(contact.a, contact.b)) continue;
      keep_old_before(contact.a, contact.b);
      if (old != pairs_.end() && old->a == contact.a && old->b == contact.b) {
        renewed.push_back(*old++);
        renewed.back().age = 0;
        continue;
      }
      const Triangle &a = triangles[contact.a], &b = triangles[contact.b];
      renewed.push_back({contact.a, contact.b, side(cloth, a, b), side(cloth, b, a), 0});
    }
    keep_old_before(~0u, ~0u);
    pairs_ = std::move(renewed);
  }

  void renew_touches() {
    touches_.clear();
    for (const Contact& contact : report_.contacts) {
      if (contact.object_a != 0 || contact.object_b != 1) continue;
      const auto c = obstacle_.corners(contact.b);
      const Vec3d n = normalized(cross(minus(c[1], c[0]), minus(c[2], c[0])));
      touches_.push_back({contact.a, n, dot(n, c[0])});
    }
  }

  /// Each touch takes the normal of its contact, and the plane in which the triangle is free of the obstacle's. A
  /// normal that leads behind the obstacle's triangle is not taken.
  void turn_touches(const std::vector<Triangle>& triangles) {
    std::vector<Contact> own;
    for (const Contact& contact : report_.contacts)
      if (contact.object_a == 0 && contact.object_b == 1) own.push_back(contact);
    const std::vector<ContactNormal> normals = contact_normals({shown_, triangles}, obstacle_, own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Vec3d& n = normals[i].direction;
      if (!(dot(n, touches_[i].normal) > 0)) continue;
      const auto c = obstacle_.corners(own[i].b);
      touches_[i].normal = n;
      touches_[i].height = std::max({dot(n, c[0]), dot(n, c[1]), dot(n, c[2])});
    }
  }

  /// Each corner of a that lies over b and too close, or on the wrong side.
  void push_pair(Particles& cloth, const Triangle& a, const Triangle& b, double side) const {
    const Vec3d n = times(side, normal(cloth, b));
    const Vec3d &p = cloth.position[b[0]], e1 = minus(cloth.position[b[1]], p), e2 = minus(cloth.position[b[2]], p);
    const double d11 = dot(e1, e1), d12 = dot(e1, e2), d22 = dot(e2, e2), det = d11 * d22 - d12 * d12;
    if (det <= 0) return;
    for (const std::uint32_t corner : a) {
      const Vec3d d = minus(cloth.position[corner], cloth.position[b[0]]);
      const double height = dot(d, n);
      if (height >= thickness_ || height < -2 * thickness_) continue;
      const double u = (d22 * dot(d, e1) - d12 * dot(d, e2)) / det, v = (d11 * dot(d, e2) - d12 * dot(d, e1)) / det;
      const double weights[] = {1 - u - v, u, v};
      if (std::min({weights[0], u, v}) < -0.2) continue;
      const double share = kSoftness * (thickness_ - height) /
                           (1 + weights[0] * weights[0] + weights[1] * weights[1] + weights[2] * weights[2]);
      cloth.shift(corner, times(share, n));
      cloth.rub(corner, n, kLayerFriction);
      for (std::size_t i = 0; i < 3; ++i) cloth.shift(b[i], times(-share * weights[i], n));
    }
  }

  void push_out(Particles& cloth, const std::vector<Triangle>& triangles) {
    touched_.clear();
    for (const Touch& touch : touches_)
      for (const std::uint32_t corner : triangles[touch.triangle]) {
        const double depth = thickness_ / 2 + touch.height - dot(touch.normal, cloth.position[corner]);
        if (depth <= 0 || depth > 8 * thickness_) continue;
        Push& push = pushes_[corner];
        if (push.depth == 0) touched_.push_back(corner);
        if (push.depth == 0 || depth < push.depth) push = {depth, touch.normal};
      }
    for (const std::uint32_t corner : touched_) {
      Push& push = pushes_[corner];
      cloth.shift(corner, times(push.depth, push.normal));
      cloth.rub(corner, push.normal, kObstacleFriction);
      push.depth = 0;
    }
  }

  std::uint32_t rows_, columns_;
  double thickness_;
  MeshView obstacle_;
  std::vector<Vec3d> shown_;
  Scene scene_;
  papers::Report report_;
  std::uint64_t queries_ = 0;
  std::vector<Pair> pairs_;  ///< ascending by a, then b
  std::vector<Touch> touches_;
  std::vector<Push> pushes_;            ///< per particle, the least way out of the obstacle
  std::vector<std::uint32_t> touched_;  ///< particles that have a push
};

class ClothOnTable final : public StoredAnimation {
 public:
  ClothOnTable(std::size_t n, unsigned threads, bool rests)
      : StoredAnimation(threads),
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
      if (i % kStepsPerQuery == 0)
        keeper_.run_query(cloth_, objects()[0].mesh.triangles, normals_,
                          [this](Scene& scene, papers::Report& found) { detect(scene, {}, found); });
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
      std::size_t moved = 0;
      const auto take_back = [&](std::uint32_t triangle) {
        for (const std::uint32_t v : objects()[0].mesh.triangles[triangle]) {
          if (back[v]) continue;
          back[v] = true;
          ++moved;
          cloth_.position[v] = cloth_.last[v] = safe_[v];
        }
      };
      for (const Contact& contact : collide()) {
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
    objects()[0].mesh.triangles = grid_triangles(cells_, cells_, true);
  }

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
};

}  // namespace

std::unique_ptr<Animation> cloth_on_table(std::size_t n, unsigned threads) {
  return std::make_unique<ClothOnTable>(n == 0 ? kDefault : n, threads, false);
}

std::unique_ptr<Animation> resting_cloth(std::size_t n, unsigned threads) {
  return std::make_unique<ClothOnTable>(n == 0 ? kDefault : n, threads, true);
}

}  // namespace sightline::scenes
