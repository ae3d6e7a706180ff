// Compute programs: the two passes of a sweep (raster/raster.h: Raster::sweep), tile by tile.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// One program for both passes. Forward, it first puts the tile's list into the order of the elements, which the way
// back reads from its end.
//
// A work group has a tile of 16 x 16 pixels, a thread a pixel, 32 threads a block of 8 x 4. For kChunk entries at a
// time the group computes what all pixels need, and which entries meet which block. A block then processes only its own
// entries. So lists of thousands of small triangles, which take longest, take a fraction of the time.
//
// A pixel has two depths: that of all groups before, and that of these and the current group. The second replaces the
// first when the next group begins. So all elements of a group are tested before any of them is drawn, and an entry
// does both.
constexpr const char* kSweepTile = R"glsl(
layout(local_size_x = 256) in;
layout(std430, binding = 1) readonly buffer Entries { uvec2 entries[]; };  // primitive, element
layout(std430, binding = 2) readonly buffer Elements { Element elements[]; };
layout(std430, binding = 4) buffer Tiles { uvec2 tiles[]; };  // begin and end of the list; left at 0
layout(std430, binding = 9) readonly buffer Busy { uint busy[]; };
uniform uint list_capacity, clear_key;
uniform ivec2 tile_grid, image_size;
uniform int reverse;

const uint kBlocks = 8u, kMaskWords = kChunk / 32u;
const uint kTested = 1u, kDrawn = 2u, kGreater = 4u;
shared uint use_of[kChunk], group_of[kChunk], element_of[kChunk], hit[kChunk];
shared uint masks[kBlocks * kMaskWords];
shared uint fragment_sum;

void prepare(uint slot, uint entry, ivec2 origin) {
  uint p = entries[entry].x, e = entries[entry].y;
  Element element = elements[e];
  bool tested = (element.use & (reverse != 0 ? kTestReverse : kTestForward)) != 0u;
  bool drawn = (element.use & (reverse != 0 ? kDrawReverse : kDrawForward)) != 0u;
  if (reverse != 0 && (element.use & kIfPassed) != 0u) drawn = drawn && (passed[e] & 1u) != 0u;
  use_of[slot] = (tested ? kTested : 0u) | (drawn ? kDrawn : 0u) | ((element.use & kStrictly) != 0u ? kGreater : 0u);
  group_of[slot] = element.group;
  element_of[slot] = e;
  hit[slot] = 0u;
  put(slot, p, tested || drawn, false, origin);
}

// No pixel of the block is covered unless this holds: each edge at the sample where it is largest.
bool meets(uint slot, uint block) {
  uint box = box_of[slot];
  ivec2 low = ivec2(int(block & 1u) * 8, int(block >> 1) * 4), high = low + ivec2(7, 3);
  if (high.x < int(box & 255u) || high.y < int(box >> 8 & 255u) || low.x > int(box >> 16 & 255u) ||
      low.y > int(box >> 24))
    return false;
  ivec3 x = edge_x[slot].xyz, y = edge_y[slot].xyz;
  ivec3 side = edge_at[slot].xyz + max(x * low.x, x * high.x) + max(y * low.y, y * high.y);
  return (side.x | side.y | side.z) >= 0;
}

void main() {
  uint which = gl_WorkGroupID.x + gl_WorkGroupID.y * 256u;
  uint thread = gl_LocalInvocationIndex;
  // Lists that do not fit were not written: the host checks this, makes room and repeats the sweep.
  if (total_high > 0u || total_low > list_capacity || which >= nonempty) return;
  uint tile = busy[which];
  ivec2 origin = origin_of(tile, tile_grid), me = pixel_of(thread);
  bool inside = all(lessThan(origin + me, image_size));
  uint begin = tiles[tile].x, count = tiles[tile].y - begin;
  if (reverse == 0) sort(begin, count);

  uint depth = clear_key, with_group = clear_key, group = kNothing, fragments = 0u;
  for (uint first = 0u; first < count; first += kChunk) {
    uint m = min(kChunk, count - first);
    if (thread < kBlocks * kMaskWords) masks[thread] = 0u;
    if (thread < m) prepare(thread, sorted[begin + (reverse != 0 ? count - 1u - first - thread : first + thread)], origin);
    barrier();
    for (uint i = thread; i < kBlocks * kChunk; i += 256u) {
      uint slot = i % kChunk, block = i / kChunk;
      if (slot < m && meets(slot, block)) atomicOr(masks[block * kMaskWords + slot / 32u], 1u << (slot & 31u));
    }
    barrier();
    for (uint word = 0u; word < kMaskWords; ++word)
      for (uint bits = masks[thread / 32u * kMaskWords + word]; bits != 0u; bits &= bits - 1u) {
        uint slot = word * 32u + uint(findLSB(bits));
        if (group_of[slot] != group) {
          group = group_of[slot];
          depth = with_group;
        }
        // A loop of at most one turn in place of an `if`: see tiles.cpp.
        for (bool once = inside && covered(slot, me); once; once = false) {
          uvec2 ends = ends_in(slot, origin + me);
          uint use = use_of[slot];
          if ((use & kTested) != 0u && ((use & kGreater) != 0u ? ends.y > depth : ends.y >= depth)) hit[slot] = 1u;
          if ((use & kDrawn) != 0u) with_group = min(with_group, ends.x);
          fragments += (use & kTested) + (use >> 1 & 1u);
        }
      }
    barrier();
    if (thread < m && hit[thread] != 0u) {
      if (reverse == 0)
        passed[element_of[thread]] = 1u;
      else
        atomicOr(passed[element_of[thread]], 2u);
    }
  }
  if (thread == 0u) fragment_sum = 0u;
  barrier();
  if (fragments > 0u) atomicAdd(fragment_sum, fragments);
  barrier();
  if (thread != 0u) return;
  if (reverse != 0) tiles[tile] = uvec2(0u);
  uint old = atomicAdd(fragments_low, fragment_sum);
  if (old + fragment_sum < old) atomicAdd(fragments_high, 1u);
}
)glsl";

}  // namespace

std::string sweep_tile_shader() {
  return with("SWEEP", std::string(kCommon) + kPrimitives + "const uint kChunk = 128u;\n" + kEdgesInTile + kInTile +
                           kSweepElement + kHeader + kSortList + kSweepTile);
}

}  // namespace sightline::papers::gl
