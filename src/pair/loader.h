// Loads triangles into the frame of a group.
#pragma once

#include <cmath>

#include "image/frame.h"
#include "pair/group.h"
#include "scene/triangle_table.h"

namespace sightline {

/// A triangle that takes part in a region, and on which axes of the image (bits 0, 1, 2 for u, v, w) its least cell lies in it.
struct Member {
  std::uint32_t triangle;
  std::uint32_t least;
};

/// A box in scaled coordinates, x, y, z. It need not be tight: boxes of triangles are clamped to it.
struct Region {
  double low[3], high[3];
};

// Two ways into a frame. `exact`: float32 input of ordinary magnitude is taken as it is, nothing is rounded, and equal
// positions are equal floats. Otherwise positions are scaled by a power of two (to triangles of about unit size), moved to the
// group's origin in double and rounded once to float; the filter's bound knows (Group::slop).
class Loader {
 public:
  Loader(const TriangleTable& table, const Frame& frame) : table_(table) {
    // A power of two near the size of a triangle, from the prescaled mean.
    const double size = frame.mean_extent > 0 ? frame.mean_extent / frame.prescale : 1;
    exact_ = table.all_f32 && size > 0x1p-20 && size < 0x1p20;
    if (exact_) {
      scale_ = 1;
    } else {
      const int exponent = frame.mean_extent > 0 ? -std::ilogb(frame.mean_extent) : 0;
      scale_ = std::ldexp(1.0, std::min(1020, std::ilogb(frame.prescale) + exponent));
    }
    // Corners are shared by index in an indexed mesh, of which half as many vertices as triangles is typical. A soup
    // in exact frames is compared by position; in rounded frames equal floats prove nothing.
    sharing_ = exact_ && table.vertex_count > table.triangle_count + std::uint64_t{table.triangle_count} / 4
                   ? Sharing::by_position
                   : Sharing::by_index;
  }

  bool exact() const { return exact_; }
  double scale() const { return scale_; }
  Sharing sharing() const { return sharing_; }

  /// Box of a triangle relative to `origin` (scaled), rounded monotonically; the same for all boxes of one origin.
  void box(std::uint32_t triangle, const double* origin, std::uint32_t& guess, float* low, float* high) const {
    const auto& object = table_.object_of(triangle, guess);
    const Triangle& t = object.triangles[triangle - object.first_triangle];
    if (exact_) {
      const Vec3f &p = object.f32[t[0]], &q = object.f32[t[1]], &r = object.f32[t[2]];
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(p[k], std::min(q[k], r[k]));
        high[k] = std::max(p[k], std::max(q[k], r[k]));
      }
      return;
    }
    const Vec3d p = object.position(t[0]), q = object.position(t[1]), r = object.position(t[2]);
    for (int k = 0; k < 3; ++k) {
      low[k] = static_cast<float>(std::min(p[k], std::min(q[k], r[k])) * scale_ - origin[k]);
      high[k] = static_cast<float>(std::max(p[k], std::max(q[k], r[k])) * scale_ - origin[k]);
    }
  }

  /// Fills the group's records at `at` and the fields beside them; records stay in the frame of `origin`.
  void load(Group& group, int at, std::uint32_t triangle, const double* origin, std::uint32_t& guess) const {
    const auto& object = table_.object_of(triangle, guess);
    const Triangle& t = object.triangles[triangle - object.first_triangle];
    float* r = group.record[at];
    group.triangle[at] = triangle;
    group.object[at] = static_cast<std::uint32_t>(&object - table_.objects.data());
    if (object.self) group.self[at / 64] |= std::uint64_t{1} << (at % 64);
    for (int corner = 0; corner < 3; ++corner, r += 4) {
      if (exact_) {
        const Vec3f& p = object.f32[t[corner]];
        r[0] = p[0];
        r[1] = p[1];
        r[2] = p[2];
      } else {
        const Vec3d p = object.position(t[corner]);
        for (int k = 0; k < 3; ++k) {
          r[k] = static_cast<float>(p[k] * scale_ - origin[k]);
          const float magnitude = std::fabs(r[k]);
          group.slop = magnitude > group.slop ? magnitude : group.slop;
        }
      }
      __builtin_memcpy(r + 3, &t[corner], 4);
    }
  }

  Vec3d scaled_corner(std::uint32_t triangle, std::uint32_t& guess) const {
    const auto& object = table_.object_of(triangle, guess);
    Vec3d p = object.position(object.triangles[triangle - object.first_triangle][0]);
    for (double& c : p) c *= scale_;
    return p;
  }

 private:
  const TriangleTable& table_;
  double scale_ = 1;
  bool exact_ = true;
  Sharing sharing_ = Sharing::by_index;
};

}  // namespace sightline
