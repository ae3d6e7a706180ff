// Raster::inside: which points of edges lie inside which solids, in one pass over all faces.
//
// Rules, the same for every implementation:
// - An edge has a sample in each sample column (row, if steeper than 45 degrees) from its lower end, inclusive, to its
//   upper end, exclusive: the point where the line passes the column, rounded to 1/65536 pixel across. Its depth is the
//   line's there, as a key.
// - The ray of a sample goes through this point, not through the centre of a pixel: edges and faces are compared at one
//   place. It crosses a face if the point lies in the face; a point on a side of the face belongs to the face if the
//   side is a left or a top one. All of this is exact (Face::place), so a ray crosses a closed surface an even number
//   of times.
// - A face touches a sample if the sample lies in it, or within 1/256 pixel of it along x and y, and their depths
//   differ by less than the face's margin (Face): corners are snapped to 1/256 pixel, which may move a face and an edge
//   that touch past each other. Faces that are seen edge-on cross no ray, but can touch.
// - For each sample and each solid that it does not belong to, and whose pair is wanted (Solid): the crossings of all
//   faces of the solid are balanced if as many go in as out (`sided`; else if their number is even). If they are not
//   balanced, the solid is open there, and the sample is reported as `open`. If they are, no face touches the sample,
//   and an odd number of faces is before it, the sample lies inside and is reported.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "raster/cover.h"

namespace sightline::papers::raster {

struct InsideSolid {
  std::uint32_t groups = 1, collides_with = 0xFFFFFFFF;  ///< as those of ObjectOptions
  bool sided = true;  ///< front and back faces are known: all triangles are wound alike, outwards or inwards
};
inline bool wanted(const InsideSolid& a, const InsideSolid& b) {
  return (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

struct InsideQuery {
  std::span<const std::uint32_t> faces;     ///< triangles, solid after solid
  std::span<const std::uint32_t> edges;     ///< 3 * triangle + i: from corner i of the triangle to the next
  std::span<const std::uint32_t> solid_of;  ///< by triangle of the geometry; only those of faces and edges count
  std::span<const InsideSolid> solids;
};

/// A sample inside a solid.
struct Inside {
  std::uint32_t edge, solid;
  std::uint32_t x, y;  ///< the pixel that holds the sample
  std::uint32_t key;   ///< its depth
  bool open = false;   ///< not known: the solid is open there
  friend auto operator<=>(const Inside&, const Inside&) = default;
};

namespace inside {

/// Samples are counted in 1/65536 pixel.
inline constexpr std::int32_t kFine = 65536, kFineHalf = kFine / 2, kFinePerSub = kFine / kSubpixels;

/// Depths that differ by less are the same: more than the rounding of a plane and of a key.
inline double spare(DepthFormat format) { return format == DepthFormat::float32 ? 4 * rules::kDepthUnitFloat : 2.0; }
double depth_of(std::uint32_t key, DepthFormat format);

/// A face ready to be crossed. Its corners run counter-clockwise.
struct Face {
  Face(Primitive p, DepthFormat format);

  enum class Place : std::uint8_t { away, near, inside };
  Place place(std::int32_t x, std::int32_t y) const {
    const auto [x_low, x_high] = std::minmax({this->x[0], this->x[1], this->x[2]});
    const auto [y_low, y_high] = std::minmax({this->y[0], this->y[1], this->y[2]});
    if (x < (x_low - 1) * kFinePerSub || x > (x_high + 1) * kFinePerSub || y < (y_low - 1) * kFinePerSub ||
        y > (y_high + 1) * kFinePerSub)
      return Place::away;
    bool is_inside = facing != 0;
    for (int i = 0; i < 3; ++i) {
      const std::int64_t dx = this->x[(i + 1) % 3] - this->x[i], dy = this->y[(i + 1) % 3] - this->y[i];
      const bool inclusive = dy < 0 || (dy == 0 && dx < 0);  // left or top
      const std::int64_t side = dx * (y - std::int64_t{this->y[i]} * kFinePerSub) -
                                dy * (x - std::int64_t{this->x[i]} * kFinePerSub) - (inclusive ? 0 : 1);
      if (side + (std::abs(dx) + std::abs(dy)) * kFinePerSub < -1) return Place::away;
      is_inside = is_inside && side >= 0;
    }
    return is_inside ? Place::inside : Place::near;
  }
  double depth(std::int32_t x, std::int32_t y) const {
    const double from_x = (x - (x0 * kFine + kFineHalf)) * (1.0 / kFine);
    const double from_y = (y - (y0 * kFine + kFineHalf)) * (1.0 / kFine);
    return std::clamp((z + zy * from_y) + zx * from_x, low, high);
  }

  std::int32_t x[3], y[3];      ///< in 1/256 pixel
  double z, zx, zy, low, high;  ///< of DepthPlane
  double x0, y0;                ///< its anchor
  double margin;                ///< see above, and at the constructor
  std::int32_t facing;          ///< the sign of the area as given; 0: edge-on
};

/// A sample of an edge.
struct Sample {
  std::int32_t x, y;            ///< the pixel
  std::int32_t fine_x, fine_y;  ///< the point
  double depth;                 ///< of the line, before it becomes a key
};

/// Calls visit(sample) for the samples of a line whose pixels lie within the box.
template <typename Visit>
void for_each_sample(const Segment& line, const PixelBox& within, const Visit& visit) {
  auto [x0, y0, z0, x1, y1, z1] = line;
  const bool steep = std::abs(y1 - y0) > std::abs(x1 - x0);
  if (steep) std::swap(x0, y0), std::swap(x1, y1);
  if (x0 > x1) std::swap(x0, x1), std::swap(y0, y1), std::swap(z0, z1);
  const std::int32_t begin = steep ? within.y0 : within.x0, end = steep ? within.y1 : within.x1;
  const std::int32_t low = steep ? within.x0 : within.y0, high = steep ? within.x1 : within.y1;
  const std::int32_t first = std::max(begin, static_cast<std::int32_t>(std::ceil((x0 - kHalf) / kSubpixels)));
  for (std::int32_t i = first; i < end && i * kSubpixels + kHalf < x1; ++i) {
    const double u = (i * kSubpixels + kHalf - x0) / (x1 - x0);
    const auto across = static_cast<std::int32_t>(std::floor((y0 + (y1 - y0) * u) * kFinePerSub + 0.5));
    const std::int32_t j = across >> 16, along = i * kFine + kFineHalf;
    if (j < low || j >= high) continue;
    const double depth = z0 + (z1 - z0) * u;
    if (steep)
      visit(Sample{j, i, across, along, depth});
    else
      visit(Sample{i, j, along, across, depth});
  }
}

/// What a ray has crossed of one solid so far.
struct Tally {
  std::uint32_t flags = 0;
  std::int32_t balance = 0;  ///< faces that the ray enters by, less those that it leaves by
  enum Flag : std::uint32_t { kOdd = 1, kTouched = 2, kOddInAll = 4 };

  /// A face whose place is not `away`.
  void meet(double face, double margin, double sample, bool crosses, std::int32_t facing, bool sided) {
    const bool before = face + margin <= sample;
    if (!before && face - margin < sample) flags |= kTouched;
    if (!crosses) return;
    if (before) flags ^= kOdd;
    flags ^= kOddInAll;
    if (sided) balance += facing;
  }
  bool open() const { return balance != 0 || (flags & kOddInAll) != 0; }
  bool inside() const { return (flags & (kOdd | kTouched)) == kOdd; }
};

/// The plain implementation, on one thread; `samples` counts the samples within the image.
std::vector<Inside> find(const InsideQuery& query, const Geometry& geometry, const Projection& projection,
                         const Target& target, std::uint64_t& samples);

}  // namespace inside

/// The point of the scene at a place of the image (in pixels) and a depth.
Vec3d scene_point(const Camera& camera, const Target& target, double x, double y, std::uint32_t key);

}  // namespace sightline::papers::raster
