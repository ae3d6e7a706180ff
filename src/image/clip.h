// Conservative coverage of a large triangle: which cells it covers, and its depth interval in each.
#pragma once

#include <algorithm>
#include <cmath>

namespace sightline {

/// Corners in cell coordinates (Frame::place), not truncated.
struct PlacedTriangle {
  double corner[3][3];
};

// Cell coordinates are affine in the position up to rounding; |place - exact| < 1e-6 cells for coordinates below 2^15,
// and the clipping below, whose input is exact in double, moves a cut by less than 1e-9 cells: the cut point of an edge
// is always between the edge's ends, and its distance from the cutting line is the rounding of one subtraction. A
// margin of 1/64 cell on every side of a cell, and in depth, covers both a thousandfold. No slope is ever divided by:
// an edge almost parallel to the cut may be cut at the wrong place *along* itself, but only within the margin's width
// of the line.
inline constexpr double kClipMargin = 1.0 / 64;

class ClippedPolygon {
 public:
  explicit ClippedPolygon(const PlacedTriangle& triangle) : size_(3) {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) point_[i][k] = triangle.corner[i][k];
  }
  bool empty() const { return size_ == 0; }

  /// Keeps what lies in low ≤ coordinate k ≤ high.
  void keep_between(int k, double low, double high) {
    keep_side(k, low, 1);
    keep_side(k, high, -1);
  }
  void range(int k, double& low, double& high) const {
    low = INFINITY;
    high = -INFINITY;
    for (int i = 0; i < size_; ++i) {
      low = std::min(low, point_[i][k]);
      high = std::max(high, point_[i][k]);
    }
  }

 private:
  /// Keeps sign · (coordinate k - at) ≥ 0.
  void keep_side(int k, double at, double sign) {
    double kept[kMost][3];
    int count = 0;
    for (int i = 0; i < size_; ++i) {
      const double* p = point_[i];
      const double* q = point_[i + 1 == size_ ? 0 : i + 1];
      const double side_p = sign * (p[k] - at), side_q = sign * (q[k] - at);
      if (side_p >= 0) std::copy(p, p + 3, kept[count++]);
      if ((side_p >= 0) == (side_q >= 0)) continue;
      const double t = std::clamp(side_p / (side_p - side_q), 0.0, 1.0);
      for (int j = 0; j < 3; ++j) kept[count][j] = p[j] + t * (q[j] - p[j]);
      kept[count++][k] = at;
    }
    size_ = count;
    for (int i = 0; i < count; ++i) std::copy(kept[i], kept[i] + 3, point_[i]);
  }

  static constexpr int kMost = 8;  // three corners, and at most one more for each of four cuts
  double point_[kMost][3];
  int size_;
};

/// Calls visit(u, v, nearest slab, farthest slab) for every cell of a frame of `size` that the triangle may cover.
template <typename Visit>
void cover_cells(const PlacedTriangle& triangle, const std::int32_t* size, const Visit& visit) {
  const auto clamp_cell = [size](int k, double c) {
    return static_cast<std::int32_t>(std::clamp(std::floor(c), 0.0, static_cast<double>(size[k] - 1)));
  };
  const ClippedPolygon whole(triangle);
  double low, high;
  whole.range(1, low, high);
  const std::int32_t v_last = clamp_cell(1, high + kClipMargin);
  for (std::int32_t v = clamp_cell(1, low - kClipMargin); v <= v_last; ++v) {
    // The outermost cells hold everything beyond them.
    ClippedPolygon row = whole;
    row.keep_between(1, v == 0 ? -INFINITY : v - kClipMargin, v == size[1] - 1 ? INFINITY : v + 1 + kClipMargin);
    if (row.empty()) continue;
    row.range(0, low, high);
    const std::int32_t u_last = clamp_cell(0, high + kClipMargin);
    for (std::int32_t u = clamp_cell(0, low - kClipMargin); u <= u_last; ++u) {
      ClippedPolygon cell = row;
      cell.keep_between(0, u == 0 ? -INFINITY : u - kClipMargin, u == size[0] - 1 ? INFINITY : u + 1 + kClipMargin);
      if (cell.empty()) continue;
      double near, far;
      cell.range(2, near, far);
      visit(u, v, clamp_cell(2, near - kClipMargin), clamp_cell(2, far + kClipMargin));
    }
  }
}

}  // namespace sightline
