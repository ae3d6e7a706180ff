// Branch and bound over pairs of boxes of two trees, the nearer pair first.
//
// The answer is the least distance over all pairs of triangles, rounded. Rounding is monotone: it is as well the least
// rounded distance. So a pair can be dropped once its distance is known to be at least a double that is not below the
// rounded answer; this `bound_` is the limit at first. Until a distance below the limit is found, only pairs that are
// truly not below the limit are dropped; later also those whose distance rounds to the bound or above.
//
// Each pair gets bounds in double first. If they prove that it is nearer than all pairs before, it becomes the nearest
// pair, and its exact distance is not computed yet. If they prove that it is not nearer, it is dropped. Otherwise the
// nearest pair and this one are measured exactly; this happens where several pairs have the same distance. The pair
// that is the nearest in the end is always measured exactly.
//
// A search that takes long compares lenses (solid/lens.h) as well as boxes.
#include <cmath>

#include "exact/points.h"
#include "solid/distance.h"
#include "solid/lens.h"
#include "solid/relate.h"

namespace sightline::solid {
namespace {

/// A number as a sum of two doubles, the second one small.
struct Twofold {
  double x = 0, y = 0;
};
Twofold sum(double p, double q) {  // exact without overflow, after Knuth
  const double x = p + q, back = x - p;
  return {x, (p - (x - back)) + (q - back)};
}
Twofold square(double p) {  // exact without overflow and underflow, after Dekker
  const double split = 0x1.0000002p27 * p, high = split - (split - p), low = p - high, x = p * p;
  return {x, ((high * high - x) + 2 * high * low) + low * low};
}

/// p - q >= limit, exactly. Rounding is monotone, so only a rounded difference equal to the limit leaves a doubt, which
/// the rounding error settles.
bool differ_by(double p, double q, double limit) {
  const Twofold d = sum(p, -q);
  return d.x > limit || (d.x == limit && d.y >= 0);
}

class Search {
 public:
  Search(const MeshView& a, const BoxTree& tree_a, const MeshView& b, const BoxTree& tree_b, double limit, Poll& poll)
      : a_(a), b_(b), tree_a_(tree_a), tree_b_(tree_b), poll_(poll), nearest_squared_(Squared::of(limit)) {
    Box all = tree_a.nodes()[0].box;
    all.add(tree_b.nodes()[0].box);
    double extent = 0;
    for (int k = 0; k < 3; ++k) extent = std::max(extent, all.half(k));
    scale_ = exact::power_of_two(-std::clamp(exact::exponent_of(extent), -1000, 1000));
    set_bound(limit, std::nextafter(limit, 0));
  }

  std::optional<Gap> run() {
    descend(0, 0);
    measure_nearest();
    if (!found_) return std::nullopt;
    return Gap{bound_, nearest_points(measured_.a, measured_.b, measured_.feature)};
  }

 private:
  /// Of the limit at first: then the floor is the largest double below it.
  void set_bound(double bound, double floor) {
    bound_ = bound;
    floor_ = floor;
    const double scaled = bound * scale_;
    scaled_squared_ = scaled * scaled * (1 + 0x1p-48) + 0x1p-1000;
    halfway_ = {Box::kInfinity, 0};
    if (!found_ || nearest_ || !(scaled > 0x1p-200)) return;  // not exact, or squares may underflow
    const double step = scaled - floor * scale_;
    halfway_ = square(scaled);
    halfway_.y += step * (0.25 * step - scaled);
  }

  static double along(const Box& a, const Box& b, int k) {
    return std::max({a.low[k] - b.high[k], b.low[k] - a.high[k], 0.0});
  }
  /// The square of the distance of two boxes, scaled. The extent of everything is scaled to [2^-75, 2^25], so nothing
  /// overflows but what overflows already as a difference. At most six roundings, and 2^-1074 for each underflow.
  double scaled_squared(const Box& a, const Box& b) const {
    const double x = along(a, b, 0) * scale_, y = along(a, b, 1) * scale_, z = along(a, b, 2) * scale_;
    return x * x + y * y + z * z;
  }

  /// A test with twice the digits: true only if the distance of the boxes is above halfway_, so that it rounds to the
  /// bound or above. Terms of relative size 2^-106 are left out, and those of size 2^-51 are rounded ten times: 2^-96
  /// is more than all of it.
  bool rounds_to_bound(const Box& a, const Box& b) const {
    Twofold all;
    for (int k = 0; k < 3; ++k) {
      const bool a_first = b.low[k] > a.high[k];
      const Twofold d = a_first ? sum(b.low[k], -a.high[k]) : sum(a.low[k], -b.high[k]);
      if (!(d.x > 0)) continue;
      const double x = d.x * scale_, y = d.y * scale_;
      const Twofold squared = square(x), added = sum(all.x, squared.x);
      all = {added.x, all.y + added.y + (squared.y + 2 * x * y)};
    }
    return (all.x - halfway_.x) + (all.y - halfway_.y) > 0x1p-96 * halfway_.x;
  }

  /// True only if the boxes can be dropped. One axis alone is decided without any slack: plates face to face are
  /// common. A rounded difference is not above the rounded distance, nor is it above the limit if the true one is not.
  /// With all axes, the slack of scaled_squared_ is more than the roundings here and there; within it, where boxes lie
  /// corner to corner, more digits decide.
  bool hopeless(const Box& a, const Box& b) const {
    for (int k = 0; k < 3; ++k) {
      if (along(a, b, k) < bound_) continue;
      if (found_ || differ_by(a.low[k], b.high[k], bound_) || differ_by(b.low[k], a.high[k], bound_)) return true;
    }
    const double squared = scaled_squared(a, b);
    if (squared > scaled_squared_) return true;
    return squared > (1 - 0x1p-48) * halfway_.x && rounds_to_bound(a, b);
  }

  void descend(std::uint32_t i, std::uint32_t j) {
    poll_();
    const BoxTree::Node &a = tree_a_.nodes()[i], &b = tree_b_.nodes()[j];
    if (hopeless(a.box, b.box) || ((lenses_a_ || ++descents_ > patience_) && beyond(i, j))) return;
    if (a.right == 0 && b.right == 0) return leaves(a, b);
    const bool split_a = b.right == 0 || (a.right != 0 && a.end - a.begin >= b.end - b.begin);
    std::uint32_t first[2] = {split_a ? i + 1 : i, split_a ? j : j + 1};
    std::uint32_t second[2] = {split_a ? a.right : i, split_a ? j : b.right};
    const auto key = [&](const std::uint32_t* p) {
      return scaled_squared(tree_a_.nodes()[p[0]].box, tree_b_.nodes()[p[1]].box);
    };
    if (key(second) < key(first)) std::swap(first, second);
    descend(first[0], first[1]);
    descend(second[0], second[1]);
  }

  /// True only if the lenses of two nodes are as far apart as the bound.
  bool beyond(std::uint32_t i, std::uint32_t j) {
    if (bound_ == Box::kInfinity) return false;
    if (!lenses_a_) {
      lenses_a_.emplace(a_, tree_a_, scale_);
      lenses_b_.emplace(b_, tree_b_, scale_);
    }
    const Lens *a = lenses_a_->of(i, poll_), *b = lenses_b_->of(j, poll_);
    if (a == nullptr || b == nullptr) return false;
    return slab(*a, *b, scaled_between(tree_a_.nodes()[i].box, tree_b_.nodes()[j].box, scale_)) >= bound_ * scale_;
  }

  void leaves(const BoxTree::Node& a, const BoxTree::Node& b) {
    Corners of_a[BoxTree::kLeaf], of_b[BoxTree::kLeaf];
    std::size_t count_a = 0, count_b = 0;
    for (std::uint32_t i = a.begin; i < a.end; ++i) of_a[count_a++] = a_.corners(tree_a_.items()[i]);
    for (std::uint32_t j = b.begin; j < b.end; ++j) {
      const Corners& t = of_b[count_b] = b_.corners(tree_b_.items()[j]);
      if (!hopeless(a.box, box_of(t)) && !beyond_plane(t, {of_a, count_a})) ++count_b;
    }
    if (count_b == 0) return;
    for (const Corners& ta : std::span<const Corners>(of_a, count_a)) {
      const Box box = box_of(ta);
      if (hopeless(box, b.box) || beyond_plane(ta, {of_b, count_b})) continue;
      for (const Corners& tb : std::span<const Corners>(of_b, count_b))
        if (!hopeless(box, box_of(tb))) measure({ta, tb, {}});
    }
  }

  /// In a search that takes long: true only if the plane of a triangle proves that all others are as far as the bound.
  bool beyond_plane(const Corners& t, std::span<const Corners> others) const {
    return lenses_a_ && slab_at_plane(t, others, scale_) >= bound_;
  }

  struct Pair {
    Corners a, b;
    Feature feature;
  };

  /// Pairs close to each other in the search have nearly the same nearest direction: it rules out most of them.
  void measure(Pair pair) {
    poll_(4);
    if (slab({&pair.a, 1}, {&pair.b, 1}, direction_) >= bound_) return;
    const Estimate estimate = solid::estimate(pair.a, pair.b);
    direction_ = estimate.direction;
    if (estimate.lower >= bound_) return;
    pair.feature = estimate.feature;
    if (estimate.upper <= floor_) {
      nearest_ = pair;
      found_ = true;
      set_bound(estimate.upper, estimate.lower);
      return;
    }
    measure_nearest();
    if (estimate.lower < bound_ && !hopeless(box_of(pair.a), box_of(pair.b))) measure_exactly(pair);
  }

  void measure_nearest() {
    if (!nearest_) return;
    const Pair pair = *nearest_;
    nearest_.reset();
    nearest_squared_ = {};
    measure_exactly(pair);
  }

  void measure_exactly(const Pair& pair) {
    poll_.now();
    auto squared = squared_below(pair.a, pair.b, pair.feature, nearest_squared_);
    if (!squared) return;
    found_ = true;
    nearest_squared_ = std::move(*squared);
    measured_ = pair;
    const double distance = root(nearest_squared_);
    set_bound(distance, std::nextafter(distance, 0));
  }

  const MeshView &a_, &b_;
  const BoxTree &tree_a_, &tree_b_;
  /// Pairs of nodes, before lenses are made: there is room for one at each node.
  const std::size_t patience_ = 1000 + (tree_a_.nodes().size() + tree_b_.nodes().size()) / 16;
  Poll& poll_;
  std::size_t descents_ = 0;
  std::optional<Lenses> lenses_a_, lenses_b_;
  double scale_;
  bool found_ = false;           // a distance below the limit
  std::optional<Pair> nearest_;  // the nearest pair so far, where it is not measured yet
  Squared nearest_squared_;      // else its exact distance, or that of the limit
  Pair measured_;                // the last one whose exact distance was the least
  double bound_, floor_;         // the least distance so far is at most the one, and at least the other
  double scaled_squared_;        // of the bound, with slack for boxes
  Twofold halfway_;              // to the next double below the bound: its square, scaled; infinite if not known
  Vec3d direction_{};
};

}  // namespace

std::optional<Gap> gap(const MeshView& a, const BoxTree& tree_a, const MeshView& b, const BoxTree& tree_b, double limit,
                       Poll& poll) {
  return Search(a, tree_a, b, tree_b, limit, poll).run();
}

}  // namespace sightline::solid
