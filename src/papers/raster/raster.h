// Raster: the drawing commands of the papers. Clear, depth and stencil tests, masks, culling, filled and line drawing,
// occlusion queries, read-back. A method is written once over this interface; a device implements it.
//
// Conventions, the same for every implementation:
// - Pixel (x, y) is the square [x, x+1] x [y, y+1]; row 0 is at the bottom; its sample is its centre.
// - Corners are snapped to 1/256 pixel, to nearest. A filled triangle in `image` coverage draws the pixels whose sample
//   is inside; a sample on an edge belongs to it if the edge is a left or a top edge of the triangle, so that
//   triangles with a common edge draw each pixel along it exactly once. Without area after snapping, nothing is drawn.
// - A line in `image` coverage draws one pixel for each sample column (row, if steeper than 45 degrees) from its lower
//   end, inclusive, to its upper end, exclusive: the pixel that holds the line where it passes the column.
// - Front faces are those whose corners run counter-clockwise in the image.
// - Depth is kept as an unsigned key that grows with the distance. Fixed formats use the whole numbers 2 … 2^n - 3 for
//   the range from near to far, rounded to nearest at the sample; float32 uses the float's bits. 0 and the largest key
//   are what a buffer is cleared to, and no fragment has them.
//   The depth at a sample is computed in double, in an order that setup.h fixes, and clamped to the corners' range:
//   every implementation, instruction set and thread count gives the same keys, bit for bit.
// - `conservative` coverage draws every pixel whose closed square meets the closed triangle (or line), whatever its
//   area; a fragment then has a near and a far end, which bound all depths of the triangle over that pixel. Tests with
//   less, lequal and floors and ceilings compare the near end and write it; greater and gequal compare the far end and
//   write that; equal passes where the stored key lies between the ends, notequal unless both ends equal it.
// - Calls take effect in the order in which they are made, fragment by fragment, as if there was one thread. Work may
//   be put off until a result is needed; the memory behind spans must stay in place until then (`finish`).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "input/settings.h"
#include "raster/camera.h"

namespace sightline {
class Workers;
}

namespace sightline::papers::raster {

enum class Compare : std::uint8_t { never, less, lequal, equal, gequal, greater, notequal, always };
enum class DepthFormat : std::uint8_t { fixed16, fixed24, fixed32, float32 };
enum class Coverage : std::uint8_t { image, conservative };
/// incr and decr stop at 255 and 0.
enum class StencilOp : std::uint8_t { keep, replace, incr, decr };
enum class Cull : std::uint8_t { none, back, front };
enum class Fill : std::uint8_t { solid, line };

/// Four channels r, g, b, a of 16 bits; two of them make an id of 32 bits.
using Color = std::array<std::uint16_t, 4>;
enum Channel : std::uint8_t { kRed = 1, kGreen = 2, kBlue = 4, kAlpha = 8, kRgba = 15 };

using Query = std::uint32_t;
inline constexpr Query kNoQuery = std::numeric_limits<Query>::max();
/// A stored image of depth keys, of the target's size.
using Image = std::uint32_t;
inline constexpr Image kNoImage = std::numeric_limits<Image>::max();

struct State {
  bool depth_test = true;  ///< off: every fragment passes and depth is not written
  Compare depth = Compare::less;
  bool depth_write = true;

  bool stencil_test = false;
  Compare stencil = Compare::always;  ///< (reference & mask) compared with (stored & mask), as in OpenGL
  std::uint8_t stencil_reference = 0, stencil_mask = 255;
  StencilOp stencil_fail = StencilOp::keep, depth_fail = StencilOp::keep, depth_pass = StencilOp::keep;

  Cull cull = Cull::none;
  Fill fill = Fill::solid;

  std::uint8_t color_mask = 0;  ///< of Channel
  Color color = {};
  const Color* triangle_colors = nullptr;  ///< instead of `color`: one for each triangle of the geometry
  const Color& color_of(std::uint32_t triangle) const {
    return triangle_colors != nullptr ? triangle_colors[triangle] : color;
  }

  // What a fragment shader would do. These discard before the stencil and depth tests.
  Image floor = kNoImage;    ///< only fragments whose near end is deeper than the image's key
  Image ceiling = kNoImage;  ///< only fragments whose near end is not deeper than the image's key
  bool differ = false;       ///< only fragments whose (b, a) differs from the (r, g) stored in their pixel

  friend bool operator==(const State&, const State&) = default;
};

/// What is drawn: all corners and triangles of a scene under one numbering.
struct Geometry {
  std::span<const Vec3d> positions;
  std::span<const Triangle> triangles;
  Box box = {};  ///< one that holds all positions; of nothing if it is not known

  std::array<Vec3d, 3> corners(std::uint32_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {positions[t[0]], positions[t[1]], positions[t[2]]};
  }
};

struct Target {
  std::uint32_t width = 0, height = 0;  ///< 1 … kMostPixels
  DepthFormat format = DepthFormat::fixed24;
  Coverage coverage = Coverage::image;
  bool stencil = false;
  bool color = false;
  friend bool operator==(const Target&, const Target&) = default;
};
/// Throws Error for an image without pixels, or with too many.
void check_target(const Target& target);
/// The largest side. With 1/256 pixel, corners stay below 2^23 in size, and edge functions exact in double; and 2 GiB,
/// the largest buffer on most GPUs, hold one image of depths.
inline constexpr std::uint32_t kMostPixels = 16384;

/// Work done so far.
struct Counters {
  std::uint64_t renders = 0;    ///< draw calls without a query
  std::uint64_t queries = 0;    ///< draw calls with one
  std::uint64_t triangles = 0;  ///< in all draw calls
  std::uint64_t fragments = 0;  ///< generated, before any test
};

struct ColorAt {
  std::uint32_t x, y;
  Color color;
};

/// Largest key of a format: what a depth buffer is cleared to for less.
SIGHTLINE_API std::uint32_t far_key(DepthFormat format);
/// Key units between near and far: fixed formats only.
double units(DepthFormat format);

/// What a sweep does with an element.
enum SweepUse : std::uint8_t {
  kTestForward = 1,
  kDrawForward = 2,
  kTestReverse = 4,
  kDrawReverse = 8,
  kIfPassed = 16,  ///< drawn in reverse only if a fragment of it passed forward
  kStrictly = 32,  ///< tested with GREATER instead of GEQUAL
};
enum SweepPassed : std::uint8_t { kPassedForward = 1, kPassedReverse = 2 };

struct SweepElement {
  std::uint32_t first, count;  ///< of the sweep's list of triangles
  std::uint32_t group;         ///< elements of a group follow each other
  std::uint8_t use;            ///< of SweepUse
};

struct PeelRegion;  // raster/peel.h
struct Peeled;
struct InsideQuery;  // raster/inside.h
struct Inside;

/// The calls check their arguments, count and keep results here; what they do to the target is the implementation's.
class Raster {
 public:
  virtual ~Raster() = default;

  /// A new target: throws Error unless 1 <= width, height <= kMostPixels. Images and queries of the old one are gone.
  void target(const Target& target);
  const Target& target() const { return target_; }
  void geometry(const Geometry& geometry);
  /// Hint: later draws will mostly be subranges of this list. The list must stay in place and unchanged until the next
  /// call or, with nothing left to be done (`finish`), until something is drawn. A device copies it once instead of
  /// each part each time.
  virtual void pool(std::span<const std::uint32_t> triangles) { static_cast<void>(triangles); }
  /// Throws Error for a perspective camera with conservative coverage.
  void camera(const Camera& camera);

  /// `key` is 0 or far_key.
  virtual void clear_depth(std::uint32_t key) = 0;
  virtual void clear_stencil(std::uint8_t value) = 0;
  virtual void clear_color(const Color& color) = 0;

  /// Makes `count` new queries with consecutive numbers, all at 0; returns the first.
  Query queries(std::size_t count);
  /// Drops all queries.
  void reset_queries();
  /// Draws these triangles in this order. Fragments that pass all tests are added to the query.
  void draw(const State& state, std::span<const std::uint32_t> triangles, Query query = kNoQuery);
  /// The two passes of CULLIDE over elements, each with an empty depth buffer: from the first group to the last, then
  /// from the last to the first. A group's elements are tested, each by itself, and then drawn with LESS. `passed`
  /// holds, for each element, the passes in which a fragment of it passed its test (SweepPassed). Waits. May or may not
  /// use up query numbers, as single calls would; the contents of the depth buffer afterwards are undefined. A device
  /// is fast where the triangles are those of the pool, from its beginning.
  virtual void sweep(std::span<const std::uint32_t> triangles, std::span<const SweepElement> elements,
                     std::span<std::uint8_t> passed);
  /// Alternate surface peeling of all regions, each in an image of its own (raster/peel.h). `ids` has one number for
  /// each triangle of the geometry, not 0 for those that are drawn. Needs a target in image coverage and takes its
  /// depth format. Replaces the result. The target is undefined afterwards: the next call sets one. Counted as one draw
  /// for each object of each region.
  virtual void peel(std::span<const PeelRegion> regions, std::span<const std::uint32_t> ids, Peeled& result);
  /// Points of edges that lie inside solids (raster/inside.h), sorted. Waits; buffers and queries stay as they are.
  std::vector<Inside> inside(const InsideQuery& query);
  /// Fragments that passed in draws with the query.
  std::uint64_t result(Query query);
  /// Returns when all earlier calls are done.
  virtual void finish() { flush(); }

  Image image();  ///< a new one, all 0
  void copy_depth(Image to);
  void write(Image to, std::span<const std::uint32_t> keys);

  // Read-back, row by row from the bottom.
  virtual std::vector<std::uint32_t> read_depth() = 0;
  virtual std::vector<std::uint8_t> read_stencil() = 0;
  virtual std::vector<Color> read_color() = 0;
  /// Only the pixels in which some channel of the mask is not 0, in row order: nothing is lost, and few pixels are
  /// read.
  virtual std::vector<ColorAt> read_color_compact(std::uint8_t mask);

  virtual const Counters& counters() { return counters_; }

 protected:
  std::size_t pixels() const { return std::size_t{target_.width} * target_.height; }
  /// Throws Error for a perspective camera with conservative coverage.
  void check(const Camera& camera) const;

  /// Runs the calls that are put off, so that what they depend on may change.
  virtual void flush() {}
  /// Before target_ is replaced; the argument is a valid target.
  virtual void leave_target(const Target&) { finish(); }
  /// target_ is new, and there are no images and queries.
  virtual void enter_target() = 0;
  virtual void enter_geometry() {}  ///< geometry_ is new
  virtual void enter_view() = 0;    ///< target_, geometry_ or camera_ is new
  /// A draw that was checked and counted.
  virtual void submit(const State& state, std::span<const std::uint32_t> triangles, Query query) = 0;
  virtual std::vector<Inside> find_inside(const InsideQuery& query, std::uint64_t& samples) = 0;
  virtual void add_image() = 0;  ///< number images_
  virtual void store_depth(Image to) = 0;
  virtual void store_keys(Image to, std::span<const std::uint32_t> keys) = 0;

  Target target_;
  Geometry geometry_;
  Camera camera_;
  Counters counters_;
  Image images_ = 0;                    ///< number of images
  std::vector<std::uint64_t> results_;  ///< by query, as far as draws are done
};

/// The plain implementation: one thread, one fragment after the other. The fast ones are tested against it.
std::unique_ptr<Raster> make_reference_raster();
/// Tiles in parallel, vectors across pixels. Throws Error if this machine lacks the instruction set.
SIGHTLINE_API std::unique_ptr<Raster> make_cpu_raster(Workers& workers, Simd simd = Simd::best);

}  // namespace sightline::papers::raster
