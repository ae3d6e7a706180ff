// Samples of the cells into which segments cut a patch.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "base/box_tree.h"
#include "base/poll.h"
#include "solid/flag.h"

namespace sightline::solid {

struct Segment {
  Vec3d p, q;
  friend auto operator<=>(const Segment&, const Segment&) = default;
};

/// Triangles of one plane, each with area.
class Patch {
 public:
  using Corners = std::array<Vec3d, 3>;
  explicit Patch(std::vector<Corners> triangles);

  std::span<const Corners> triangles() const { return triangles_; }
  /// Calls visit(triangle) for all triangles whose boxes meet the box, and maybe for others, until a call returns true.
  template <typename Visit>
  void find(const Box& box, const Visit& visit) const {
    if (tree_.empty())
      (void)std::any_of(triangles_.begin(), triangles_.end(), visit);
    else
      tree_.find([&](const Box& other) { return other.meets(box); },
                 [&](std::uint32_t i) { return visit(triangles_[i]); });
  }
  int axis() const { return axis_; }
  /// Orientation of three points of the plane, in the projection along axis().
  int turn(const Vec3d& a, const Vec3d& b, const Vec3d& p) const { return exact::orient2d(axis_, a, b, p); }
  /// On which side of the plane p lies; 0 in the plane.
  int side(const Vec3d& p) const { return exact::orient3d(triangles_[0][0], triangles_[0][1], triangles_[0][2], p); }
  /// How many of the triangles hold the flag, which lies near the plane: 0, or up to `most`.
  std::size_t covering(const Flag& flag, Poll& poll, std::size_t most = ~std::size_t{0}) const;

 private:
  std::vector<Corners> triangles_;
  BoxTree tree_;  // of many triangles
  int axis_ = 0;  // the plane is not parallel to it
};

/// A patch whose triangles are joined by common edges, and segments in its plane. Triangles may overlap. The interior
/// of the patch is here the union of the open triangles and of the open edges that have triangles on both sides.
class Cells {
 public:
  explicit Cells(const Patch::Corners& triangle) : Cells(Patch({triangle})) {}
  explicit Cells(Patch patch);

  const Patch& patch() const { return patch_; }
  /// Adds a segment of the plane.
  void add(const Segment& segment);

  /// Calls visit with a flag in every cell of the patch's interior without the segments (on one side of the plane;
  /// Flag::flipped is on the other), until a call returns true. Returns true if a call did. A cell may be sampled more
  /// than once.
  ///
  /// Why no cell is left out: the interior is connected. Without segments in it, it is one cell, and the flag at a
  /// corner is in it. Otherwise the boundary of a cell holds a piece of a segment in the interior. Points where
  /// something begins or ends on a segment (its ends, ends of other segments and of border edges, crossings with these)
  /// cut it into intervals, along each of which the cells on its left and right are the same. An interval is sampled
  /// from an end, on both sides. At most one crossing of a segment is left out: the other ends of its two intervals are
  /// sampled.
  ///
  /// A segment that nothing cuts is one interval. Where just one other segment ends at an end of it, and nothing passes
  /// through that end, the cells on the left and right of both are the same. Such segments form chains. A chain is
  /// sampled once, or not at all if it ends so at a segment that is cut, which is sampled there.
  bool sample(const std::function<bool(const Flag&)>& visit, Poll& poll) const;

 private:
  class Arrangement;

  Patch patch_;
  std::vector<Segment> segments_, border_;  // border: edges of the patch with triangles on one side only
};

}  // namespace sightline::solid
