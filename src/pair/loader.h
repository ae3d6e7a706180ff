// Loads triangles into the frame of a group.
#pragma once

#include <cmath>

#include "image/frame.h"
#include "pair/group.h"
#include "scene/triangle_table.h"

namespace sightline {

/// A triangle that takes part in a region, and on which axes of the image (bits 0, 1, 2 for u, v, w) its least cell
/// lies in it.
struct Member {
  std::uint32_t triangle;
  std::uint32_t least;
};

/// A box in scaled coordinates, x, y, z. It need not be tight: boxes of triangles are clamped to it.
struct Region {
  double low[3], high[3];
};

// Two ways into a frame. `exact`: float32 input of ordinary magnitude is taken as it is, nothing is rounded, and equal
// positions are equal floats. Otherwise positions are scaled by a power of two (to triangles of about unit size), moved
// to the group's origin in double and rounded once to float; the filter's bound knows (Group::slop).
class Loader {
 public:
  /// `welded`: for each vertex of the table the first of its object that is equal to it, or null.
  Loader(const TriangleTable& table, const Frame& frame, const std::uint32_t* welded)
      : table_(table), welded_(welded), exact_(keeps_exact(table, frame)) {
    if (!exact_) {
      const int exponent = frame.mean_extent > 0 ? -std::ilogb(frame.mean_extent) : 0;
      scale_ = std::ldexp(1.0, std::min(1020, std::ilogb(frame.prescale) + exponent));
    }
    sharing_ = exact_ && is_soup(table) ? Sharing::by_position : Sharing::by_index;
  }

  /// Corners are shared by index in an indexed mesh, of which half as many vertices as triangles is typical. A soup in
  /// exact frames is compared by position; in rounded frames equal floats prove nothing, and the soup has to be welded
  /// first.
  static bool wants_weld(const TriangleTable& table, const Frame& frame) {
    return is_soup(table) && !keeps_exact(table, frame);
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

  /// Appends triangles to the group, in the frame of `origin`. Three passes, so that the cache misses of one triangle
  /// do not wait for those of another.
  void append(Group& group, const Member* members, int count, const double* origin, std::uint32_t& guess) const {
    const Triangle* corners[Group::kCapacity];
    const int first = group.size;
    group.size += count;
    for (int i = 0; i < count; ++i) {
      const std::uint32_t triangle = members[i].triangle;
      const auto& object = table_.object_of(triangle, guess);
      corners[i] = object.triangles + (triangle - object.first_triangle);
      __builtin_prefetch(corners[i]);
      group.triangle[first + i] = triangle;
      group.object[first + i] = guess;
    }
    for (int i = 0; i < count; ++i) {
      const auto& object = table_.objects[group.object[first + i]];
      for (const std::uint32_t corner : *corners[i])
        __builtin_prefetch(object.f64 != nullptr ? static_cast<const void*>(object.f64 + corner)
                                                 : static_cast<const void*>(object.f32 + corner));
    }
    claim(group, first, members, count);
    Bounds bounds{group.least_corner, group.greatest_corner};
    for (int i = 0; i < count; ++i) {
      const auto& object = table_.objects[group.object[first + i]];
      if (exact_)
        copy_corners(object, *corners[i], bounds, group.record[first + i]);
      else
        round_corners(object, *corners[i], origin, bounds, group.record[first + i]);
    }
    group.least_corner = bounds.least;
    group.greatest_corner = bounds.greatest;
  }

 private:
  struct Bounds {
    Quad4 least, greatest;
  };

  /// The members' claims as bits, a word at a time.
  static void claim(Group& group, int first, const Member* members, int count) {
    for (int i = 0; i < count;) {
      const int word = (first + i) / 64;
      std::uint64_t bits[3] = {};
      for (; i < count && (first + i) / 64 == word; ++i)
        for (int k = 0; k < 3; ++k) bits[k] |= std::uint64_t{members[i].least >> k & 1} << ((first + i) % 64);
      for (int k = 0; k < 3; ++k) group.least[k][word] |= bits[k];
    }
  }

  static bool is_soup(const TriangleTable& table) {
    return 10 * table.vertex_count > 6 * std::uint64_t{table.triangle_count};
  }
  static bool keeps_exact(const TriangleTable& table, const Frame& frame) {
    const double size = frame.mean_extent > 0 ? frame.mean_extent / frame.prescale : 1;
    return table.all_f32 && size > 0x1p-20 && size < 0x1p20;
  }

  static void put(Bounds& bounds, float* record, int corner, Quad4 quad, const Triangle& t) {
    bounds.least = quad < bounds.least ? quad : bounds.least;
    bounds.greatest = quad > bounds.greatest ? quad : bounds.greatest;
    __builtin_memcpy(record + 4 * corner, &quad, 16);
    __builtin_memcpy(record + 4 * corner + 3, &t[corner], 4);
    if (corner > 0) __builtin_memcpy(record + 15 + corner, &t[corner], 4);
  }
  static void copy_corners(const TriangleTable::Object& object, const Triangle& t, Bounds& bounds, float* record) {
    for (int corner = 0; corner < 3; ++corner) {
      const Vec3f* p = object.f32 + t[corner];
      Quad4 quad;
      if (t[corner] + 1 < object.vertex_count)
        __builtin_memcpy(&quad, p, 16);  // and the next vertex' x, which is not used
      else
        quad = Quad4{(*p)[0], (*p)[1], (*p)[2], 0};
      put(bounds, record, corner, quad, t);
    }
  }
  void round_corners(const TriangleTable::Object& object, const Triangle& t, const double* origin, Bounds& bounds,
                     float* record) const {
    Triangle vertices = t;
    if (welded_ != nullptr)
      for (std::uint32_t& vertex : vertices) vertex = welded_[object.first_vertex + vertex];
    for (int corner = 0; corner < 3; ++corner) {
      const Vec3d p = object.position(t[corner]);
      const Quad4 quad = {static_cast<float>(p[0] * scale_ - origin[0]), static_cast<float>(p[1] * scale_ - origin[1]),
                          static_cast<float>(p[2] * scale_ - origin[2]), 0};
      put(bounds, record, corner, quad, vertices);
    }
  }

  const TriangleTable& table_;
  const std::uint32_t* welded_;
  const bool exact_;
  double scale_ = 1;
  Sharing sharing_ = Sharing::by_index;
};

}  // namespace sightline
