// Compute programs: a tile's list drawn in order, and what is done to whole images.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// A work group has a tile, a thread one pixel of it; 32 threads have a block of 8 x 4, so that few of them process a
// small triangle. The tile's list is put into order in shared memory, up to kList entries at a time, and drawn entry by
// entry: each pixel gets its fragments in the order of the calls, and its depth, stencil and colour stay in registers.
// (Tiles of 8 x 8 pixels: on an H200 4.4 instead of 6.1 ms for the dense lists of the breaking scene, but 5.1 instead
// of 1.9 ms for the cloth, which fills the image.) What all pixels need of an entry is computed once, for kChunk
// entries at a time (kInTile).
constexpr const char* kTile = R"glsl(
layout(local_size_x = 256) in;
layout(std430, binding = 1) readonly buffer Entries { uvec2 entries[]; };
layout(std430, binding = 2) readonly buffer Commands { Command commands[]; };
layout(std430, binding = 3) readonly buffer States { uvec4 states[]; };
layout(std430, binding = 5) readonly buffer Lists { uint lists[]; };
layout(std430, binding = 7) buffer Epochs { uint epochs[]; };  // of each tile: the clear that its depths came after
layout(std430, binding = 8) buffer Tiles { uvec2 tiles[]; };  // begin and end of the list; left at 0
layout(std430, binding = 9) readonly buffer Busy { uint busy[]; };
layout(std430, binding = 10) buffer Depth { uint depths[]; };
layout(std430, binding = 11) buffer Results { uint results[]; };
#ifdef MORE
#define STATE uvec4
#define STATE_OF(words) (words)
#define FLAGS_OF(state) (state).x
layout(std430, binding = 4) buffer Color { uvec2 color_image[]; };      // r g, b a
layout(std430, binding = 12) buffer Stencil { uint stencil_image[]; };
layout(std430, binding = 13) readonly buffer Floor { uint floors[]; };
layout(std430, binding = 14) readonly buffer Ceiling { uint ceilings[]; };
layout(std430, binding = 15) readonly buffer Colors { uvec2 colors[]; };
#else
// The flags are all that is needed of a state.
#define STATE uint
#define STATE_OF(words) (words).x
#define FLAGS_OF(state) (state)
#endif
uniform uint entry_first, entry_count, batch;
uniform ivec2 tile_grid;
uniform ivec2 image_size;
uniform int has_stencil, has_color;
uniform uint list_capacity, epoch, clear_key;

const uint kList = 512u;
const uint kFirst = 1u, kSecond = 2u, kTested = 4u, kLine = 8u;
shared uint unsorted[kList + 3u];
shared uint sorted[kList];
shared uint gathered;
shared uint passed[kChunk], query_of[kChunk], prim_of[kChunk];
shared uint use_of[kChunk];  // kFirst, kSecond, …
shared STATE first_state[kChunk], second_state[kChunk];
#ifdef MORE
shared uint triangle_of[kChunk];
#endif
shared uint fragment_sum;

uint depth;
#ifdef MORE
uvec3 pixel;  // stencil, r g, b a
uint floor_key, ceiling_key;

uint stencil_after(uint op, uint stored, uint reference) {
  return op == 1u ? reference : op == 2u ? min(stored + 1u, 255u) : op == 3u ? max(stored, 1u) - 1u : stored;
}
#endif

// raster/fragment.h: shade.
bool shade(STATE state, uvec2 ends, uint slot) {
  uint flags = FLAGS_OF(state);
#ifdef MORE
  if ((flags & 0x1000u) != 0u && ends.x <= floor_key) return false;
  if ((flags & 0x2000u) != 0u && ends.x > ceiling_key) return false;
  uvec2 color = (flags & 0x4000u) != 0u ? colors[triangle_of[slot]] : state.zw;
  if ((flags & 0x800u) != 0u && color.y == pixel.y) return false;
  uint reference = state.y & 255u, mask = state.y >> 8 & 255u;
  if ((flags & 32u) != 0u && !passes(flags >> 6 & 7u, reference & mask, pixel.x & mask)) {
    pixel.x = stencil_after(state.y >> 16 & 3u, pixel.x, reference);
    return false;
  }
#endif
  uint function = flags >> 1 & 7u;
  bool good = (flags & 1u) == 0u || depth_passes(function, ends, depth);
#ifdef MORE
  if ((flags & 32u) != 0u) pixel.x = stencil_after(good ? state.y >> 20 & 3u : state.y >> 18 & 3u, pixel.x, reference);
#endif
  if (!good) return false;
  if ((flags & 17u) == 17u) depth = tests_far(function) ? ends.y : ends.x;
#ifdef MORE
  uint channels = state.y >> 24 & 15u;
  uvec2 keep = uvec2(((channels & 1u) != 0u ? 0u : 0xFFFFu) | ((channels & 2u) != 0u ? 0u : 0xFFFF0000u),
                     ((channels & 4u) != 0u ? 0u : 0xFFFFu) | ((channels & 8u) != 0u ? 0u : 0xFFFF0000u));
  pixel.yz = (pixel.yz & keep) | (color & ~keep);
#endif
  return true;
}

void prepare(uint slot, uint entry, ivec2 origin) {
  uint p = entries[entry].x;
  Command c = commands[entries[entry].y];
  uvec4 state = states[c.state];
  int facing = prims[p].facing;
  uint use = culled(state.x >> 9 & 3u, facing) ? 0u : kFirst;
  if (c.second != kNone && !culled(states[c.second].x >> 9 & 3u, facing)) use |= kSecond;
  if (c.query != kNone) use |= kTested;
  bool line = prims[p].kind == 1;
  use_of[slot] = line ? use | kLine : use;
  prim_of[slot] = p;
  query_of[slot] = c.query;
  passed[slot] = 0u;
  first_state[slot] = STATE_OF(state);
  second_state[slot] = c.second == kNone ? STATE(0u) : STATE_OF(states[c.second]);
#ifdef MORE
  triangle_of[slot] = prims[p].triangle;
#endif
  put(slot, p, (use & (kFirst | kSecond)) != 0u, line, origin);
}

uint draw(uint slot, ivec2 me, ivec2 origin) {
  ivec2 at = origin + me;
  uvec2 ends;
  uint use = use_of[slot];
  if ((use & kLine) != 0u) {
    uint key;
    if (!line_at(prim_of[slot], at, key)) return 0u;
    ends = uvec2(key, key);
  } else {
    ends = ends_in(slot, at);
  }
  uint drawn = 0u;
  if ((use & kFirst) != 0u) {
    ++drawn;
    if (shade(first_state[slot], ends, slot) && (use & kTested) != 0u) atomicAdd(passed[slot], 1u);
  }
  if ((use & kSecond) != 0u) {
    ++drawn;
    shade(second_state[slot], ends, slot);
  }
  return drawn;
}

void main() {
  uint which = gl_WorkGroupID.x + gl_WorkGroupID.y * 256u;
  uint thread = gl_LocalInvocationIndex;
  // Lists that do not fit were not written. The host checks this, makes room and runs this batch and those after it
  // again; until then, none of them draws.
  if (total_high > 0u || total_low > list_capacity) {
    if (which == 0u && thread == 0u && results[2] == 0u) results[2] = batch;
    return;
  }
  if (which >= nonempty || results[2] != 0u) return;
  uint tile = busy[which];
  ivec2 origin = origin_of(tile, tile_grid), me = pixel_of(thread);
  bool inside = all(lessThan(origin + me, image_size));
  uint at = uint((origin.y + me.y) * image_size.x + origin.x + me.x);
  if (inside) {
    depth = epochs[tile] == epoch ? depths[at] : clear_key;
#ifdef MORE
    pixel = uvec3(has_stencil != 0 ? stencil_image[at] : 0u, has_color != 0 ? color_image[at] : uvec2(0u));
    floor_key = floors[at];
    ceiling_key = ceilings[at];
#endif
  }
  uint begin = tiles[tile].x, count = tiles[tile].y - begin, fragments = 0u;
  uint from = entry_first, width = entry_count, end = entry_first + entry_count;  // the current window of entries
  while (from < end) {
    uint to = width >= end - from ? end : from + width;
    // The tile's entries of a window that has no more of them than there is room for.
    for (;;) {
      barrier();
      if (thread == 0u) gathered = 0u;
      barrier();
      for (uint i = thread; i < count; i += 256u) {
        uint entry = lists[begin + i];
        if (entry >= from && entry < to) {
          uint place = atomicAdd(gathered, 1u);
          if (place < kList) unsorted[place] = entry;
        }
      }
      barrier();
      if (gathered <= kList) break;
      to = from + (to - from) / 2u;
    }
    if (count > kList) width = (to - from) * 2u;
    uint n = gathered;
    if (thread < 3u) unsorted[n + thread] = kNone;  // so that four can be looked at a time
    barrier();
    for (uint i = thread; i < n; i += 256u) {
      uint entry = unsorted[i], before = 0u;
      for (uint j = 0u; j < n; j += 4u)
        before += (unsorted[j] < entry ? 1u : 0u) + (unsorted[j + 1u] < entry ? 1u : 0u) +
                  (unsorted[j + 2u] < entry ? 1u : 0u) + (unsorted[j + 3u] < entry ? 1u : 0u);
      sorted[before] = entry;
    }
    barrier();
    for (uint first = 0u; first < n; first += kChunk) {
      uint m = min(kChunk, n - first);
      if (thread < m) prepare(thread, sorted[first + thread], origin);
      barrier();
      // A loop of at most one turn in place of an `if`: llvmpipe leaves a loop that no thread is in, but runs both
      // sides of an `if` with all threads switched off.
      for (uint i = 0u; i < m; ++i)
        for (bool once = inside && covered(i, me); once; once = false) fragments += draw(i, me, origin);
      barrier();
      if (thread < m && passed[thread] > 0u) {
        uint query = query_of[thread] + kFront;
        uint old = atomicAdd(results[2u * query], passed[thread]);
        if (old + passed[thread] < old) atomicAdd(results[2u * query + 1u], 1u);
      }
    }
    from = to;
  }
  if (inside) {
    depths[at] = depth;
#ifdef MORE
    if (has_stencil != 0) stencil_image[at] = pixel.x;
    if (has_color != 0) color_image[at] = pixel.yz;
#endif
  }
  barrier();
  if (thread == 0u) {
    fragment_sum = 0u;
    epochs[tile] = epoch;
    tiles[tile] = uvec2(0u);
  }
  barrier();
  if (fragments > 0u) atomicAdd(fragment_sum, fragments);
  barrier();
  if (thread == 0u && fragment_sum > 0u) {
    uint old = atomicAdd(results[0], fragment_sum);
    if (old + fragment_sum < old) atomicAdd(results[1], 1u);
  }
}
)glsl";

// Writes the key that the depth buffer was cleared to into the tiles that nothing was drawn into since.
constexpr const char* kSettle = R"glsl(#version 450 core
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 10) buffer Depth { uint depths[]; };
layout(std430, binding = 7) readonly buffer Epochs { uint epochs[]; };
uniform ivec2 image_size;
uniform uint epoch, clear_key;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, image_size))) return;
  if (epochs[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] != epoch)
    depths[at.y * image_size.x + at.x] = clear_key;
}
)glsl";

// Words of a buffer, two in turn.
constexpr const char* kFill = R"glsl(#version 450 core
layout(local_size_x = 256) in;
layout(std430, binding = 0) writeonly buffer Words { uint words[]; };
uniform uint count, even, odd;
void main() {
  uint stride = gl_NumWorkGroups.x * 256u;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += stride) words[i] = (i & 1u) == 0u ? even : odd;
}
)glsl";

// Pixels with a channel of the mask that is not 0, in any order.
constexpr const char* kCompact = R"glsl(#version 450 core
layout(local_size_x = 256) in;
layout(std430, binding = 4) readonly buffer Color { uvec2 color_image[]; };
layout(std430, binding = 5) buffer Found { uint count, unused[3]; uvec4 found[]; };
uniform uint pixel_count, capacity;
uniform uint mask_rg, mask_ba;
void main() {
  uint i = gl_GlobalInvocationID.x + gl_WorkGroupID.y * (gl_NumWorkGroups.x * 256u);
  if (i >= pixel_count) return;
  uvec2 color = color_image[i];
  if (((color.x & mask_rg) | (color.y & mask_ba)) == 0u) return;
  uint at = atomicAdd(count, 1u);
  if (at < capacity) found[at] = uvec4(i, color, 0u);
}
)glsl";

}  // namespace

std::string tile_shader(bool more) {
  const std::string text =
      std::string(kCommon) + kPrimitives + "const uint kChunk = 64u;\n" + kEdgesInTile + kInTile + kHeader + kTile;
  return more ? with("MORE", text) : text;
}
std::string settle_shader() { return kSettle; }
std::string words_shader() { return kFill; }
std::string compact_shader() { return kCompact; }

}  // namespace sightline::papers::gl
