// Branch and bound over pairs of boxes of two trees, the nearer pair first.
#include "solid/gap.h"

#include <cmath>

#include "solid/distance.h"

namespace sightline::solid {
namespace {

double axis_gap(const Box& a, const Box& b, int k) { return std::max({a.lo[k] - b.hi[k], b.lo[k] - a.hi[k], 0.0}); }

/// Within a few roundings of the distance of two boxes.
double box_gap(const Box& a, const Box& b) {
  return std::hypot(axis_gap(a, b, 0), axis_gap(a, b, 1), axis_gap(a, b, 2));
}

/// p - q >= limit, exactly. Rounding is monotone, so only a rounded difference equal to the limit leaves a doubt, which
/// the rounding error settles (Knuth's two-sum: exact without overflow).
bool differ_by(double p, double q, double limit) {
  const double d = p - q;
  if (d != limit) return d > limit;
  const double back = d - p;
  return (p - (d - back)) - (q + back) >= 0;
}

/// True only if all points of the boxes are at least the limit apart. One axis alone is decided exactly: plates at the
/// very clearance are common. hypot of three rounded differences is within 1e-15 of the truth.
bool surely_apart(const Box& a, const Box& b, double limit) {
  for (int k = 0; k < 3; ++k)
    if (differ_by(a.lo[k], b.hi[k], limit) || differ_by(b.lo[k], a.hi[k], limit)) return true;
  return box_gap(a, b) * (1 - 1e-14) > limit;
}

class Search {
 public:
  Search(const MeshView& a, const Tree& tree_a, const MeshView& b, const Tree& tree_b, double clearance, bool always)
      : a_(a), b_(b), tree_a_(tree_a), tree_b_(tree_b), clearance_(clearance), always_(always) {}

  Gap run() {
    if (tree_a_.empty() || tree_b_.empty()) return {false, Box::kInfinity};
    descend(0, 0);
    return {below_, below_ || always_ ? best_ : Box::kInfinity};
  }

 private:
  /// A pair of boxes is passed over if it can change neither answer: until one pair of triangles is known to be below
  /// the clearance, only what is surely apart; the value itself may err by a rounding.
  bool hopeless(const Box& a, const Box& b) const {
    if (!below_ && !surely_apart(a, b, clearance_)) return false;
    return !(below_ || always_) || box_gap(a, b) >= best_;
  }

  void descend(std::uint32_t i, std::uint32_t j) {
    const Tree::Node &a = tree_a_.nodes()[i], &b = tree_b_.nodes()[j];
    if (hopeless(a.box, b.box)) return;
    if (a.right == 0 && b.right == 0) return leaves(a, b);
    const bool split_a = b.right == 0 || (a.right != 0 && a.end - a.begin >= b.end - b.begin);
    std::uint32_t first[2] = {split_a ? i + 1 : i, split_a ? j : j + 1};
    std::uint32_t second[2] = {split_a ? a.right : i, split_a ? j : b.right};
    const auto key = [&](const std::uint32_t* p) {
      return box_gap(tree_a_.nodes()[p[0]].box, tree_b_.nodes()[p[1]].box);
    };
    if (key(second) < key(first)) std::swap(first, second);
    descend(first[0], first[1]);
    descend(second[0], second[1]);
  }

  void leaves(const Tree::Node& a, const Tree::Node& b) {
    for (std::uint32_t i = a.begin; i < a.end; ++i) {
      const Corners ta = a_.corners(tree_a_.triangles()[i]);
      const Box box = box_of(ta);
      if (hopeless(box, b.box)) continue;
      for (std::uint32_t j = b.begin; j < b.end; ++j) {
        const Corners tb = b_.corners(tree_b_.triangles()[j]);
        if (!hopeless(box, box_of(tb))) measure(ta, tb);
      }
    }
  }

  /// Pairs close to each other in the search have nearly the same nearest direction: it rules out most of them.
  void measure(const Corners& a, const Corners& b) {
    const double limit = below_ ? best_ : always_ ? std::max(best_, clearance_) : clearance_;
    if (apart_along(a, b, last_, limit)) return;
    const Distance d = distance(a, b, clearance_);
    last_ = d.apart;
    best_ = std::min(best_, d.value);
    if (!below_) below_ = d.below == Below::yes || (d.below == Below::unsure && closer_than(a, b, clearance_));
  }

  const MeshView &a_, &b_;
  const Tree &tree_a_, &tree_b_;
  const double clearance_;
  const bool always_;
  bool below_ = false;
  double best_ = Box::kInfinity;
  Vec3d last_{};
};

}  // namespace

Gap gap(const MeshView& a, const Tree& tree_a, const MeshView& b, const Tree& tree_b, double clearance, bool always) {
  return Search(a, tree_a, b, tree_b, clearance, always).run();
}

}  // namespace sightline::solid
