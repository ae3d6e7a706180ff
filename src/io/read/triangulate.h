// Polygons to triangles, the same ones on every machine (method: docs/formats.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "read/read_memory.h"

namespace sightline::read {

using Point2 = std::array<double, 2>;

/// Sign of the area of a, b, c: positive if counter-clockwise. Exact while coordinates are 0 or within 1e-140 … 1e140.
int orientation(const Point2& a, const Point2& b, const Point2& c);

/// Writes corners.size() - 2 triangles of corner numbers (0 … n - 1) for a polygon with at least three corners. False
/// if the polygon is not convex and has more than `most` corners; nothing is written then.
bool triangulate(std::span<const Vec3d> corners, std::uint64_t most, std::span<Triangle> out);

/// Throws Error: the face is not convex and has more corners than Limits::polygon_corners.
[[noreturn]] void throw_not_convex(const Source& source, std::uint64_t face, std::uint64_t corners);

/// Faces in file order. Polygons are triangulated at the end, when all positions are known.
class FaceList {
 public:
  void reserve(std::size_t triangles) { triangles_.reserve(triangles); }
  /// At least three corners.
  void add(std::span<const std::uint32_t> corners);
  /// Many faces of three corners.
  void add(std::vector<Triangle> triangles);
  std::size_t triangle_count() const { return triangles_.size(); }
  /// Where a corner of the face lies that was added last.
  struct Place {
    std::size_t at;
    bool of_triangle;
  };
  Place place_of_last(std::size_t corner) const {
    if (corners_added_last_ == 3) return {3 * (triangles_.size() - 1) + corner, true};
    return {corners_.size() - corners_added_last_ + corner, false};
  }
  std::uint32_t& corner(const Place& place) {
    return place.of_triangle ? triangles_[place.at / 3][place.at % 3] : corners_[place.at];
  }
  /// Calls visit(corners) for the faces in order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    std::size_t next = 0;
    const auto single = [&](std::size_t end) {
      for (; next < end; ++next) visit(std::span<const std::uint32_t>(triangles_[next]));
    };
    for (const Polygon& polygon : polygons_) {
      single(polygon.first_triangle);
      visit(std::span(corners_).subspan(polygon.first_corner, polygon.corner_count));
      next += polygon.corner_count - 2;
    }
    single(triangles_.size());
  }
  /// All faces of the lists, one list after the other.
  static FaceList joined(std::vector<FaceList> lists, Workers& workers);
  /// Moves triangles and faces to the model. Every corner must be an index into the model's positions.
  void move_to(Model& model, const Source& source);

 private:
  struct Polygon {
    std::size_t first_triangle;
    std::size_t first_corner;
    std::uint64_t face;
    std::uint32_t corner_count;
  };
  bool triangulate_one(const Polygon& polygon, const Positions& points, std::uint64_t most);
  void triangulate_all(const Positions& points, const Source& source);

  std::vector<Triangle> triangles_;
  std::vector<Polygon> polygons_;
  std::vector<std::uint32_t> corners_;
  std::uint64_t faces_ = 0;
  std::size_t corners_added_last_ = 0;
};

}  // namespace sightline::read
