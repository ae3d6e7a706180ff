#include "gl/shaders.h"

namespace sightline::papers::gl {

// `precise` everywhere that a rounding decides: no contraction, no reordering, so that the keys are those of
// raster/setup.cpp. Products of edge functions are whole numbers below 2^48 and exact in double.
const char* const kCommon = R"glsl(#version 450 core
struct Primitive {
  ivec4 corners;      // x0 y0 x1 y1, in 1/256 pixel, counter-clockwise
  ivec4 last_anchor;  // x2 y2, and the pixel that the plane is anchored at
  double z, zx, zy;   // depth at the anchor's sample and its slopes; a line: depths at both ends
  double low, high, spread;
  int facing;         // sign of the area as given; 2: never culled
  uint triangle;
  int kind;           // 0: area, 1: a line in image coverage, 2: nothing to draw
  int unused;
};
// A call to draw. Its entries are [begin, begin of the next); their primitives come from the pool or from the batch's
// own list, from place `first` on.
struct Command {
  uint state, query, second, begin, first, from_pool;  // `second`: a state to draw with once more, after the first
};
// Results are pairs of words: fragments, then the number of the first batch whose lists did not fit (0: all did), then
// the queries.
const uint kFront = 2u, kNone = 0xFFFFFFFFu;
uniform int depth_format;   // DepthFormat
uniform int conservative;
const int kReach = 129;     // raster/cover.h

// No arrays of doubles but in buffers and uniforms: NVIDIA's compiler (580.159) keeps an array that is indexed by a
// variable in floats. (tests/gl/arithmetic_test.cpp; arithmetic.cpp checks each driver.)
double far_key() { return depth_format == 0 ? 65535.0LF : depth_format == 1 ? 16777215.0LF : 4294967295.0LF; }

// Doubles by comparisons and additions only: OpenGL guarantees no more than float's precision for its functions.
double least(double a, double b) { return b < a ? b : a; }
double most(double a, double b) { return a < b ? b : a; }
double between(double z, double low, double high) { return z < low ? low : high < z ? high : z; }
double size_of(double a) { return a < 0.0LF ? -a : a; }
// Whole numbers, for less than 2^51 either way.
double down(double z) {
  precise double whole = (z + 6755399441055744.0LF) - 6755399441055744.0LF;
  return z < whole ? whole - 1.0LF : whole;
}
double up(double z) {
  precise double whole = (z + 6755399441055744.0LF) - 6755399441055744.0LF;
  return whole < z ? whole + 1.0LF : whole;
}

// A double as the nearest float, ties to even, by its bits: GLSL does not define how float() rounds. Not negative, and
// 0 or a normal number.
uint float_bits(double z) {
  uint bits = floatBitsToUint(float(z));
  if (bits > 0u && double(uintBitsToFloat(bits)) > z) --bits;
  precise double below = z - double(uintBitsToFloat(bits)), above = double(uintBitsToFloat(bits + 1u)) - z;
  return above < below || (above == below && (bits & 1u) != 0u) ? bits + 1u : bits;
}
uint nearest_key(double z) {
  if (depth_format == 3) return float_bits(z);
  precise double shifted = z + 4503599627370496.0LF;
  return unpackDouble2x32(shifted).x;
}
uint low_key(double z) {
  if (depth_format != 3) return uint(most(1.0LF, down(z) - 1.0LF));
  precise double lower = z - 5.9604644775390625e-8LF;
  return max(3u, float_bits(most(0.0LF, lower))) - 2u;
}
uint high_key(double z) {
  if (depth_format != 3) return uint(least(up(z) + 1.0LF, far_key() - 1.0LF));
  precise double higher = z + 5.9604644775390625e-8LF;
  return float_bits(higher) + 2u;
}
bool culled(uint cull, int facing) {
  if (facing == 2) return false;
  return (cull == 1u && facing <= 0) || (cull == 2u && facing >= 0);
}
bool passes(uint function, uint value, uint stored) {
  switch (function) {
    case 0u: return false;
    case 1u: return value < stored;
    case 2u: return value <= stored;
    case 3u: return value == stored;
    case 4u: return value >= stored;
    case 5u: return value > stored;
    case 6u: return value != stored;
  }
  return true;
}
bool tests_far(uint function) { return function == 4u || function == 5u; }
bool depth_passes(uint function, uvec2 ends, uint stored) {
  if (function == 3u) return ends.x <= stored && stored <= ends.y;
  if (function == 6u) return ends.x != stored || ends.y != stored;
  return passes(function, tests_far(function) ? ends.y : ends.x, stored);
}
)glsl";

const char* const kPrimitives = R"glsl(
layout(std430, binding = 0) readonly buffer Primitives { Primitive prims[]; };

// `from`: pixels from the anchor.
uvec2 ends_of(double plane, double zx, double zy, double low, double high, double spread, ivec2 from) {
  precise double z = (plane + zy * double(from.y)) + zx * double(from.x);
  if (conservative == 0) {
    uint key = nearest_key(between(z, low, high));
    return uvec2(key, key);
  }
  precise double nearer = z - spread, farther = z + spread;
  return uvec2(low_key(between(nearer, low, high)), high_key(between(farther, low, high)));
}
uvec2 ends_at(uint p, ivec2 at) {
  return ends_of(prims[p].z, prims[p].zx, prims[p].zy, prims[p].low, prims[p].high, prims[p].spread,
                 at - prims[p].last_anchor.zw);
}

// The line in image coverage: the pixel of the sample column (row) that it passes, from its lower end, inclusive, to
// its upper end, exclusive (raster/cover.h: for_each_line_pixel). False if it does not draw this pixel.
bool line_at(uint p, ivec2 at, out uint key) {
  double x0 = double(prims[p].corners.x), y0 = double(prims[p].corners.y), z0 = prims[p].z;
  double x1 = double(prims[p].corners.z), y1 = double(prims[p].corners.w), z1 = prims[p].zx;
  bool steep = size_of(y1 - y0) > size_of(x1 - x0);
  double t;
  if (steep) { t = x0; x0 = y0; y0 = t; t = x1; x1 = y1; y1 = t; }
  if (x0 > x1) { t = x0; x0 = x1; x1 = t; t = y0; y0 = y1; y1 = t; t = z0; z0 = z1; z1 = t; }
  int i = steep ? at.y : at.x, j = steep ? at.x : at.y;
  double sample_at = double(i * 256 + 128);
  if (sample_at < x0 || !(sample_at < x1)) return false;
  precise double u = (sample_at - x0) / (x1 - x0);
  precise double across = (y0 + (y1 - y0) * u) / 256.0LF;
  if (int(down(across)) != j) return false;
  precise double z = z0 + (z1 - z0) * u;
  key = nearest_key(z);
  return true;
}
)glsl";

const char* const kEdgesInTile = R"glsl(
// Samples of the tile at `origin` that lie in the box of three corners, or within `by` of it: first and last pixel in
// the tile, 8 bits each; 0xFFFFFFFF: none.
uint box_in_tile(ivec2 a, ivec2 b, ivec2 c, int by, ivec2 origin) {
  ivec2 low = min(min(a, b), c), high = max(max(a, b), c);
  low = max(((low - by - 128 + 255) >> 8) - origin, ivec2(0));
  high = min(((high + by - 128) >> 8) - origin, ivec2(15));
  if (low.x > high.x || low.y > high.y) return 0xFFFFFFFFu;
  return uint(low.x) | uint(low.y) << 8 | uint(high.x) << 16 | uint(high.y) << 24;
}
// The edge functions at the tile's first sample, divided by 256 and rounded down, and what a pixel's step changes them
// by, which is a whole number: so their sign is exact in 32 bits.
void edges_in_tile(ivec2 a, ivec2 b, ivec2 c, ivec2 origin, out ivec3 first, out ivec3 along_x, out ivec3 along_y) {
  ivec2 corner[3] = ivec2[3](a, b, c);
  for (int i = 0; i < 3; ++i) {
    ivec2 from = corner[i], to = corner[(i + 1) % 3];
    int dx = to.x - from.x, dy = to.y - from.y;
    double at = double(dx) * double(origin.y * 256 + 128 - from.y) - double(dy) * double(origin.x * 256 + 128 - from.x);
    if (conservative != 0)
      at += double(abs(dx) + abs(dy)) * double(kReach);
    else if (!(dy < 0 || (dy == 0 && dx < 0)))
      at -= 1.0LF;  // neither a left nor a top edge: a sample on it is outside
    first[i] = int(between(down(at / 256.0LF), -1073741824.0LF, 1073741823.0LF));
    along_x[i] = -dy;
    along_y[i] = dx;
  }
}
)glsl";

const char* const kInTile = R"glsl(
// What all pixels of a tile need of an entry, computed once. Doubles are kept as two words each (reason: kCommon).
shared ivec4 edge_at[kChunk], edge_x[kChunk], edge_y[kChunk];  // of three edges
shared uint box_of[kChunk];                       // box_in_tile
shared uvec4 slope_of[kChunk], range_of[kChunk];  // doubles zx and zy, low and high
shared uvec4 plane_of[kChunk];                    // double z, anchor
shared uvec2 spread_of[kChunk];                   // a double
void put(uint slot, uint p, bool used, bool line, ivec2 origin) {
  ivec2 first = prims[p].corners.xy, second = prims[p].corners.zw, third = prims[p].last_anchor.xy;
  plane_of[slot] = uvec4(unpackDouble2x32(prims[p].z), uvec2(prims[p].last_anchor.zw));
  slope_of[slot] = uvec4(unpackDouble2x32(prims[p].zx), unpackDouble2x32(prims[p].zy));
  range_of[slot] = uvec4(unpackDouble2x32(prims[p].low), unpackDouble2x32(prims[p].high));
  spread_of[slot] = unpackDouble2x32(prims[p].spread);
  // A line may leave its box by rounding only.
  int by = line ? 256 : conservative != 0 ? kReach : 0;
  box_of[slot] = used ? box_in_tile(first, second, third, by, origin) : 0xFFFFFFFFu;
  ivec3 at = ivec3(0), along_x = ivec3(0), along_y = ivec3(0);
  if (!line) edges_in_tile(first, second, third, origin, at, along_x, along_y);
  edge_at[slot] = ivec4(at, 0);
  edge_x[slot] = ivec4(along_x, 0);
  edge_y[slot] = ivec4(along_y, 0);
}
// Of a line, all pixels of its box: line_at decides. Without a box, none: 255 is right of all of them.
bool covered(uint slot, ivec2 me) {
  uint box = box_of[slot];
  if (me.x < int(box & 255u) || me.y < int(box >> 8 & 255u) || me.x > int(box >> 16 & 255u) || me.y > int(box >> 24))
    return false;
  ivec3 side = edge_at[slot].xyz + edge_x[slot].xyz * me.x + edge_y[slot].xyz * me.y;
  return (side.x | side.y | side.z) >= 0;
}
uvec2 ends_in(uint slot, ivec2 at) {
  uvec4 plane = plane_of[slot], slope = slope_of[slot], range = range_of[slot];
  return ends_of(packDouble2x32(plane.xy), packDouble2x32(slope.xy), packDouble2x32(slope.zw),
                 packDouble2x32(range.xy), packDouble2x32(range.zw), packDouble2x32(spread_of[slot]),
                 at - ivec2(plane.zw));
}
// 32 threads have a block of 8 x 4 pixels.
ivec2 pixel_of(uint thread) {
  return ivec2(thread & 7u | thread >> 2 & 8u, thread >> 3 & 3u | thread >> 4 & 12u);
}
ivec2 origin_of(uint tile, ivec2 grid) { return ivec2(int(tile) % grid.x, int(tile) / grid.x) * 16; }
)glsl";

const char* const kHeader = R"glsl(
// Of the lists of all tiles; with SWEEP, and of what a sweep found.
layout(std430, binding = 6) buffer Header {
  uint total_low, total_high;  // entries of all lists
  uint nonempty, large_count;
  uint tile_groups[4], large_groups[4];  // of indirect dispatches
#ifdef SWEEP
  uint fragments_low, fragments_high, unused[2];
  uint passed[];  // of each element; 1: forward, 2: in reverse
#endif
};
)glsl";

const char* const kSweepElement = R"glsl(
// An element of a sweep (raster/raster.h: SweepElement). Its entries are [begin, begin of the next), its primitives
// those of the pool from place `first` on.
struct Element {
  uint first, begin, group, use;
};
const uint kTestForward = 1u, kDrawForward = 2u, kTestReverse = 4u, kDrawReverse = 8u, kIfPassed = 16u, kStrictly = 32u;
)glsl";

const char* const kSortList = R"glsl(
layout(std430, binding = 3) coherent buffer Sorted { uint sorted[]; };
layout(std430, binding = 5) readonly buffer Lists { uint lists[]; };
uniform uint entry_count;
const uint kNothing = 0xFFFFFFFFu;
const uint kWords = 1024u, kWindow = kWords * 32u;
shared uint scratch[kWords];
shared uint before[256];

// lists[begin …] in ascending order to sorted[begin …].
void sort(uint begin, uint count) {
  uint thread = gl_LocalInvocationIndex;
  if (count <= 256u) {  // each counts those before it
    uint entry = thread < count ? lists[begin + thread] : kNothing, smaller = 0u;
    scratch[thread] = entry;
    barrier();
    if (thread < count) {
      for (uint j = 0u; j < count; j += 4u)  // what is behind the last is not smaller
        smaller += (scratch[j] < entry ? 1u : 0u) + (scratch[j + 1u] < entry ? 1u : 0u) +
                   (scratch[j + 2u] < entry ? 1u : 0u) + (scratch[j + 3u] < entry ? 1u : 0u);
      sorted[begin + smaller] = entry;
    }
  } else {  // a bit for each number, kWindow of them at a time
    uint done = 0u;
    for (uint from = 0u; from < entry_count; from += kWindow) {
      barrier();
      for (uint i = thread; i < kWords; i += 256u) scratch[i] = 0u;
      barrier();
      for (uint i = thread; i < count; i += 256u) {
        uint place = lists[begin + i] - from;
        if (place < kWindow) atomicOr(scratch[place >> 5], 1u << (place & 31u));
      }
      barrier();
      uint own = 0u;
      for (uint i = 0u; i < kWords / 256u; ++i) own += uint(bitCount(scratch[thread * (kWords / 256u) + i]));
      before[thread] = own;
      barrier();
      for (uint step = 1u; step < 256u; step *= 2u) {
        uint more = thread >= step ? before[thread - step] : 0u;
        barrier();
        before[thread] += more;
        barrier();
      }
      uint at = begin + done + before[thread] - own;
      for (uint i = 0u; i < kWords / 256u; ++i) {
        uint word = thread * (kWords / 256u) + i;
        for (uint bits = scratch[word]; bits != 0u; bits &= bits - 1u)
          sorted[at++] = from + word * 32u + uint(findLSB(bits));
      }
      done += before[255];
    }
  }
  memoryBarrierBuffer();
  barrier();
}
)glsl";

std::string with(const char* define, const std::string& text) {
  const std::size_t second_line = text.find('\n') + 1;
  return text.substr(0, second_line) + "#define " + define + "\n" + text.substr(second_line);
}

}  // namespace sightline::papers::gl
