// Compute program: all layers of all regions (raster/peel.h), tile by tile.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// A work group has a tile of 16 x 16 pixels, a thread a pixel. What all pixels need of a primitive is computed once for
// kChunk entries; a tile with no more entries than that computes it once for all layers.
//
// Neighbouring pixels mostly have the same pair: one that the pixel to the left or below has in the same layer is not
// stored. The pixel that has no such neighbour stores it, so that nothing is lost.
constexpr const char* kPeel = R"glsl(
layout(local_size_x = 256) in;
struct Tile {
  uint begin, middle, end, reach;
  int x, y, side;
  uint region, starts, unused0, unused1, unused2;
};
layout(std430, binding = 1) readonly buffer Entries { uint entries[]; };
layout(std430, binding = 2) readonly buffer Tiles { Tile tiles[]; };
// Pairs, deepest layer that was not counted, fragments; counts of each region, start and layer; pairs.
layout(std430, binding = 3) buffer Found { uint words[]; };
uniform uint tile_count, layer_capacity, pair_capacity, pairs_at;

const uint kChunk = 128u;
shared ivec4 edge_at[kChunk], edge_x[kChunk], edge_y[kChunk];
shared uint box_of[kChunk], id_of[kChunk];
shared uvec4 plane_of[kChunk], slope_of[kChunk], range_of[kChunk];
shared uvec2 pair_of[256];
shared uint live, paired, fragment_sum;

void prepare(uint slot, uint p, ivec2 origin) {
  ivec2 first = prims[p].corners.xy, second = prims[p].corners.zw, third = prims[p].last_anchor.xy;
  id_of[slot] = prims[p].triangle;
  plane_of[slot] = uvec4(unpackDouble2x32(prims[p].z), uvec2(prims[p].last_anchor.zw));
  slope_of[slot] = uvec4(unpackDouble2x32(prims[p].zx), unpackDouble2x32(prims[p].zy));
  range_of[slot] = uvec4(unpackDouble2x32(prims[p].low), unpackDouble2x32(prims[p].high));
  box_of[slot] = box_in_tile(first, second, third, 0, origin);
  ivec3 at, along_x, along_y;
  edges_in_tile(first, second, third, origin, at, along_x, along_y);
  edge_at[slot] = ivec4(at, 0);
  edge_x[slot] = ivec4(along_x, 0);
  edge_y[slot] = ivec4(along_y, 0);
}

bool covered(uint slot, ivec2 me) {
  uint box = box_of[slot];
  if (box == kNone || me.x < int(box & 255u) || me.y < int(box >> 8 & 255u) || me.x > int(box >> 16 & 255u) ||
      me.y > int(box >> 24))
    return false;
  ivec3 side = edge_at[slot].xyz + edge_x[slot].xyz * me.x + edge_y[slot].xyz * me.y;
  return (side.x | side.y | side.z) >= 0;
}

uint key_of(uint slot, ivec2 at) {
  uvec4 plane = plane_of[slot], slope = slope_of[slot], range = range_of[slot];
  return ends_of(packDouble2x32(plane.xy), packDouble2x32(slope.xy), packDouble2x32(slope.zw), packDouble2x32(range.xy),
                 packDouble2x32(range.zw), 0.0LF, at - ivec2(plane.zw)).x;
}

// layer_place of raster/peel.h. Each step is exact: products with powers of two, and the fraction of a number.
uint place_of(uint key) {
  if (depth_format != 3) return key;
  float high = min(uintBitsToFloat(key), uintBitsToFloat(0x3F7FFFFFu)) * 65536.0;
  uint whole = uint(high);
  return whole << 16 | uint((high - float(whole)) * 65536.0);
}

void main() {
  uint which = gl_WorkGroupID.x + gl_WorkGroupID.y * 32768u, thread = gl_LocalInvocationIndex;
  if (which >= tile_count) return;
  Tile tile = tiles[which];
  ivec2 origin = ivec2(tile.x, tile.y), me = ivec2(int(thread & 15u), int(thread >> 4));
  bool inside = all(lessThan(origin + me, ivec2(tile.side)));
  bool at_once = tile.end - tile.begin <= kChunk;
  if (thread == 0u) fragment_sum = 0u;
  if (at_once && thread < tile.end - tile.begin) prepare(thread, entries[tile.begin + thread], origin);
  barrier();

  uint fragments = 0u;
  for (uint from = tile.begin; from < tile.end; from += kChunk) {
    uint m = min(kChunk, tile.end - from);
    if (!at_once) {
      barrier();
      if (thread < m) prepare(thread, entries[from + thread], origin);
      barrier();
    }
    for (uint i = 0u; i < m; ++i) fragments += inside && covered(i, me) ? 1u : 0u;
  }
  if (fragments > 0u) atomicAdd(fragment_sum, fragments);
  barrier();
  if (thread == 0u) {
    uint old = atomicAdd(words[2], fragment_sum);
    if (old + fragment_sum < old) atomicAdd(words[3], 1u);
  }

  for (uint start = 0u; start < 2u; ++start) {
    if ((tile.starts >> start & 1u) == 0u) continue;
    bool alive = inside;
    uint last_key = 0u, last_id = 0u;
    for (uint layer = 0u;; ++layer) {
      uint object = (start + layer) & 1u, key = kNone, id = 0u;
      uint begin = object == 0u ? tile.begin : tile.middle, end = object == 0u ? tile.middle : tile.end;
      for (uint from = begin; from < end; from += kChunk) {
        uint m = min(kChunk, end - from), base = at_once ? begin - tile.begin : 0u;
        if (!at_once) {
          barrier();
          if (thread < m) prepare(thread, entries[from + thread], origin);
          barrier();
        }
        // A loop of at most one turn in place of an `if`: see tiles.cpp.
        for (uint i = base; i < base + m; ++i)
          for (bool once = alive && covered(i, me); once; once = false) {
            uint here = key_of(i, origin + me);
            if (here > last_key && here <= key) {
              key = here;
              id = id_of[i];
            }
          }
      }
      alive = alive && key != kNone;
      bool pair = alive && layer > 0u && place_of(key) - place_of(last_key) < tile.reach;
      uvec2 ids = object == 0u ? uvec2(id, last_id) : uvec2(last_id, id);
      if (thread == 0u) live = paired = 0u;
      barrier();
      if (alive) atomicAdd(live, 1u);
      if (pair) atomicAdd(paired, 1u);
      pair_of[thread] = pair ? ids : uvec2(0u);
      barrier();
      if (live == 0u) break;
      bool known = (me.x > 0 && pair_of[max(thread, 1u) - 1u] == ids) || (me.y > 0 && pair_of[max(thread, 16u) - 16u] == ids);
      if (pair && !known) {
        uint at = atomicAdd(words[0], 1u);
        if (at < pair_capacity) {
          words[pairs_at + 3u * at] = tile.region;
          words[pairs_at + 3u * at + 1u] = ids.x;
          words[pairs_at + 3u * at + 2u] = ids.y;
        }
      }
      if (thread == 0u) {
        uint at = 4u + 2u * ((2u * tile.region + start) * layer_capacity + layer);
        if (layer < layer_capacity) {
          atomicAdd(words[at], live);
          if (paired > 0u) atomicAdd(words[at + 1u], paired);
        } else {
          atomicMax(words[1], layer + 1u);
        }
      }
      last_key = key;
      last_id = id;
      barrier();
    }
    barrier();
  }
}
)glsl";

}  // namespace

std::string peel_shader() { return std::string(kCommon) + kPrimitives + kEdgesInTile + kPeel; }

}  // namespace sightline::papers::gl
