// The parts of the fast implementation: primitives ready to be filled, recorded draws, and tiles that run them.
//
// A tile is 64 x 64 pixels, worked on in a scratch copy that fits the first-level cache. Every tile runs, in the order
// of the calls, the primitives that may cover it; as no pixel belongs to two tiles, this is the order that raster.h
// promises, whatever the number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "input/settings.h"
#include "raster/cover.h"

namespace sightline::papers::raster::cpu {

inline constexpr int kTile = 64;
inline constexpr int kTilePixels = kTile * kTile;
/// Vectors may read and write back (unchanged) this many pixels past a tile's end.
inline constexpr int kPadding = 64;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// A primitive ready to be filled. Pixel (x, y) is inside edge i if edge[i] + dx[i] x + dy[i] y > 0. This is the edge
/// function of cover.h over 256, rounded down (its low eight bits are the same at all samples), plus 1/2: all of it is
/// exact in double, and never 0. On row y the edge is passed at x = ceil((edge + dy y) * cross), which is exact for
/// 0 <= x <= 64: the true quotient is at least 1/2 / 2^23 away from a whole number and the computed one is off by
/// 2^-45. Edge 0 bounds on the left, edge 1 on the right, edge 2 on the left if cross[2] < 0.
struct Part {
  double edge[3], cross[3];
  double z, zx, zy, low, high, half;  ///< of DepthPlane; low < 0 if it is not bounded
  std::int32_t dx[3], dy[3];
  std::int16_t x0, y0;     ///< DepthPlane's anchor
  std::uint32_t triangle;  ///< which colour it has
};
static_assert(sizeof(Part) == 128);

/// A line in `image` coverage is a Part, too, with its Segment in edge and cross.
inline Segment segment(const Part& part) {
  return {part.edge[0], part.edge[1], part.edge[2], part.cross[0], part.cross[1], part.cross[2]};
}

/// Where it may draw, and what belongs to the same triangle.
struct PartBox {
  std::int16_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< half open, in pixels; empty if it draws nothing
  std::uint32_t next = kNone;                   ///< the next part of a clipped triangle
  std::int32_t facing = 0;                      ///< sign of the area
};

enum class Kind : std::uint8_t {
  depth,  ///< depth test and write only
  fused,  ///< a depth test (greater or gequal) that writes nothing, counted; then a depth write (less or lequal) of the
          ///< same triangle
  plain,  ///< anything but colour
  full,   ///< anything
};

/// What a draw does with a fragment.
struct Plan {
  State state;
  Kind kind = Kind::full;
  Compare second = Compare::less;  ///< fused: the second draw's depth function
};

struct Op {
  std::uint32_t plan;
  std::uint32_t first, count;  ///< of the recorded triangles
  Query query;
  std::uint32_t lines = kNone;  ///< Fill::line: where its list of parts begins
};

/// One part in one tile. A fused draw of a clipped triangle is split again: all tests, then all writes.
enum class Half : std::uint32_t { both, first, second };
struct Entry {
  std::uint32_t op;
  std::uint32_t part : 30;
  std::uint32_t half : 2;
};

/// The pixels of a tile, rows of 64; null where the target lacks a buffer.
struct Surface {
  std::uint32_t* depth;
  std::uint8_t* stencil;
  Color* color;
  const std::uint32_t* const* images;  ///< of State::floor and ceiling, this tile's part of each
};

struct TileJob {
  std::span<const Entry> entries;
  const Op* ops;
  const Plan* plans;
  const Part* parts;
  const PartBox* boxes;
  PixelBox pixels;  ///< the tile, in the target
  Target target;
  Surface surface;
  std::uint64_t* queries;  ///< added to atomically; may be null
};

/// Runs the entries in order; returns the number of fragments.
using TileKernel = std::uint64_t (*)(const TileJob& job);
/// Null if this machine or this build lacks it. `scalar` is the kernel of plain.h.
TileKernel tile_kernel(Simd simd);

}  // namespace sightline::papers::raster::cpu
