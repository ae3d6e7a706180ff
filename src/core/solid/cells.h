// Samples of the cells into which segments cut a triangle.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "base/poll.h"
#include "solid/flag.h"

namespace sightline::solid {

struct Segment {
  Vec3d p, q;
};

/// A triangle with area, and segments in its plane.
class Cells {
 public:
  explicit Cells(const std::array<Vec3d, 3>& triangle);

  /// True if p is in the triangle's plane.
  bool in_plane(const Vec3d& p) const { return exact::orient3d(t_[0], t_[1], t_[2], p) == 0; }
  /// True if the flag lies in a triangle of the plane.
  bool covers(const std::array<Vec3d, 3>& triangle, const Flag& flag) const;
  /// Adds a segment of the plane; one that misses the triangle's interior cuts nothing and is dropped.
  void add(const Segment& segment);

  /// Calls visit with a flag in every cell of the triangle's interior without the segments (on one side of the plane;
  /// Flag::flipped is on the other), until a call returns true. Returns true if a call did. A cell may be sampled more
  /// than once.
  ///
  /// Why no cell is left out: without segments the interior is one cell, and the flag at a corner is in it. Otherwise
  /// the boundary of a cell holds a piece of a segment: if it were part of the triangle's boundary only, the cell would
  /// be the whole interior. Points where something begins or ends on a segment (its ends, corners of the triangle, ends
  /// of other segments, crossings with other segments and with the triangle's edges) cut it into intervals, along each
  /// of which the cells on its left and right are the same. An interval inside the triangle has two ends, and is
  /// sampled from an end on both sides, unless both ends are crossings with the triangle's edges; then it is all of the
  /// segment's part in the triangle, and it is sampled from one of these.
  bool sample(const std::function<bool(const Flag&)>& visit, Poll& poll) const;

 private:
  struct Cut {
    std::vector<Vec3d> points;             // ends of other segments strictly inside this one
    std::vector<std::uint32_t> crossings;  // other segments that cross it properly
  };
  int turn(const Vec3d& a, const Vec3d& b, const Vec3d& p) const { return exact::orient2d(axis_, a, b, p); }
  Split crossing(const Segment& s, const Segment& r) const {
    return {s.p, s.q, crossing_point(s.p, s.q, r.p, r.q, axis_)};
  }
  bool holds(const Vec3d& p) const;
  bool between(const Segment& s, const Vec3d& p) const;
  std::vector<Cut> cuts(Poll& poll) const;
  void cut(std::uint32_t i, std::uint32_t j, std::vector<Cut>& cuts) const;
  template <typename Base>
  bool around(const Segment& s, const Base& base, const std::function<bool(const Flag&)>& visit, bool& any) const;
  bool along(const Segment& s, const Cut& cut, const std::function<bool(const Flag&)>& visit, Poll& poll) const;

  std::array<Vec3d, 3> t_;
  int axis_ = 0, area_ = 0;  // the projection in which the plane is seen, and the triangle's orientation there
  std::vector<Segment> segments_;
};

}  // namespace sightline::solid
