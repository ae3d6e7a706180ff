// Axis-aligned boxes.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "sightline/mesh.h"

namespace sightline {

/// A closed box; empty as constructed. Touching boxes meet.
struct Box {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3d low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};

  void add(const Vec3d& p) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  void add(const Box& b) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], b.low[k]), high[k] = std::max(high[k], b.high[k]);
  }
  bool empty() const { return !(low[0] <= high[0]); }
  bool finite() const {
    for (int k = 0; k < 3; ++k)
      if (!(-kInfinity < low[k] && high[k] < kInfinity)) return false;
    return true;
  }
  bool holds(const Vec3d& p) const {
    return low[0] <= p[0] && p[0] <= high[0] && low[1] <= p[1] && p[1] <= high[1] && low[2] <= p[2] && p[2] <= high[2];
  }
  bool holds(const Box& b) const { return holds(b.low) && holds(b.high); }
  bool meets(const Box& b) const {
    bool meet = true;  // without branches, which would not be predictable in a tree
    for (int k = 0; k < 3; ++k) meet &= low[k] <= b.high[k], meet &= b.low[k] <= high[k];
    return meet;
  }
  /// True if their interiors have no common point: a plane across an axis has the boxes on its two sides, or in it.
  bool beside(const Box& b) const {
    for (int k = 0; k < 3; ++k)
      if (high[k] <= b.low[k] || b.high[k] <= low[k]) return true;
    return false;
  }
  /// False only if the boxes are farther apart than `reach`. A difference is rounded monotonely, so it cannot be above
  /// `reach` if the true one is not.
  bool in_reach(const Box& b, double reach) const {
    bool apart = false;
    for (int k = 0; k < 3; ++k) apart |= b.low[k] - high[k] > reach, apart |= low[k] - b.high[k] > reach;
    return !apart;
  }
  /// The intersection of two boxes that meet.
  Box common(const Box& b) const {
    Box both;
    for (int k = 0; k < 3; ++k) both.low[k] = std::max(low[k], b.low[k]), both.high[k] = std::min(high[k], b.high[k]);
    return both;
  }
  /// Half of low + high, without overflow.
  double middle(int axis) const { return 0.5 * low[axis] + 0.5 * high[axis]; }
  Vec3d centre() const { return {middle(0), middle(1), middle(2)}; }
  /// The greatest high - low, which may overflow.
  double longest() const { return std::max({0.0, high[0] - low[0], high[1] - low[1], high[2] - low[2]}); }
  /// Half of high - low, without overflow.
  double half(int axis) const { return 0.5 * high[axis] - 0.5 * low[axis]; }
  friend bool operator==(const Box&, const Box&) = default;
};

inline Box box_of(std::span<const Vec3d> points) {
  Box box;
  for (const Vec3d& p : points) box.add(p);
  return box;
}

}  // namespace sightline
