// Compute programs: primitives into the lists of tiles.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// Lists of entries, tile by tile. An entry is a primitive and the command that draws it, or a sweep's element; its
// number is its place in the order. Tiles of 16 x 16 pixels that the primitive cannot touch are left out: outside its
// box, or with all samples on the outer side of an edge by more than the reach.
constexpr const char* kLists = R"glsl(
layout(std430, binding = 1) buffer Entries { uvec2 entries[]; };  // primitive, command or element
layout(std430, binding = 10) readonly buffer Pool { uint pool[]; };
layout(std430, binding = 4) buffer Tiles { uvec2 tiles[]; };  // y: count, then for `fill` where the next entry goes
layout(std430, binding = 5) buffer Lists { uint lists[]; };
layout(std430, binding = 7) buffer Large { uint large[]; };
uniform uint entry_first, entry_count, command_count, list_capacity;
uniform ivec2 tile_grid;
uniform ivec2 image_size;
uniform int one_each;  // elements of one triangle each, as at the last level of CULLIDE: no search

uint begin_of(uint owner);
uint owner_of(uint entry) {  // the last command or element that begins no later
  if (one_each != 0) return entry;
  uint low = 0u, high = command_count;
  while (high - low > 1u) {
    uint middle = (low + high) / 2u;
    if (begin_of(middle) <= entry) low = middle;
    else high = middle;
  }
  return low;
}
)glsl";

// begin_of: the first entry of a command or element. find: which primitive, and whose, an entry is. skipped: whether it
// draws nothing, whatever its primitive.
constexpr const char* kOfCommands = R"glsl(
layout(std430, binding = 2) readonly buffer Commands { Command commands[]; };
layout(std430, binding = 3) readonly buffer States { uvec4 states[]; };
layout(std430, binding = 11) readonly buffer Own { uint own[]; };
uint begin_of(uint owner) { return commands[owner].begin; }
uvec2 find(uint entry) {
  uint c = owner_of(entry), place = commands[c].first + entry - commands[c].begin;
  return uvec2(commands[c].from_pool != 0u ? pool[place] : own[place], c);
}
bool skipped(uvec2 entry) {
  Command c = commands[entry.y];
  int facing = prims[entry.x].facing;
  return culled(states[c.state].x >> 9 & 3u, facing) &&
         (c.second == kNone || culled(states[c.second].x >> 9 & 3u, facing));
}
)glsl";

// The thread of an element's first entry resets the element's word.
constexpr const char* kOfElements = R"glsl(
layout(std430, binding = 2) readonly buffer Elements { Element elements[]; };
uint begin_of(uint owner) { return elements[owner].begin; }
uvec2 find(uint entry) {
  uint e = owner_of(entry);
  if (elements[e].begin == entry) passed[e] = 0u;
  return uvec2(pool[elements[e].first + entry - elements[e].begin], e);
}
bool skipped(uvec2 entry) {
  return (elements[entry.y].use & (kTestForward | kDrawForward | kTestReverse | kDrawReverse)) == 0u;
}
)glsl";

// Faces from the pool, then lines.
constexpr const char* kOfInside = R"glsl(
uniform uint face_count, first_line;
uint begin_of(uint owner) { return owner; }
uvec2 find(uint entry) { return uvec2(entry < face_count ? pool[entry] : first_line + entry - face_count, 0u); }
bool skipped(uvec2 entry) { return false; }
)glsl";

constexpr const char* kReachOf = R"glsl(
struct Reach {
  ivec4 box;  // tiles, inclusive; empty if x > z
  dvec3 at, along_x, along_y;  // of the three edges
};

// The largest value of an edge over the samples of tile (0, 0), at the corner sample in the direction of growth, and
// what it changes by from tile to tile.
dvec3 edge_of(ivec2 from, ivec2 to, int by) {
  double dx = double(to.x - from.x), dy = double(to.y - from.y);
  double at = dx * double(128 - from.y) - dy * double(128 - from.x) + (size_of(dx) + size_of(dy)) * double(by);
  at += most(0.0LF, dx) * 3840.0LF + most(0.0LF, -dy) * 3840.0LF;
  return dvec3(at, -dy * 4096.0LF, dx * 4096.0LF);
}

Reach reach_of(uint entry) {
  uint p = entries[entry].x;
  Reach r;
  r.box = ivec4(1, 1, 0, 0);
  int kind = prims[p].kind;
  if (kind == 2 || skipped(entries[entry])) return r;
  ivec2 a = prims[p].corners.xy, b = prims[p].corners.zw, d = prims[p].last_anchor.xy;
  int by = kind == 1 ? 512 : conservative != 0 ? kReach : 0;
  ivec2 low = (min(min(a, b), d) - kReach) >> 8, high = (max(max(a, b), d) + kReach) >> 8;
  low = max(low, ivec2(0));
  high = min(high, image_size - 1);
  if (low.x > high.x || low.y > high.y) return r;
  r.box = ivec4(low >> 4, high >> 4);
  dvec3 first = edge_of(a, b, by), second = edge_of(b, d, by), third = edge_of(d, a, by);
  r.at = dvec3(first.x, second.x, third.x);
  r.along_x = dvec3(first.y, second.y, third.y);
  r.along_y = dvec3(first.z, second.z, third.z);
  return r;
}
bool touches(Reach r, ivec2 tile) {
  dvec3 side = r.at + r.along_x * double(tile.x) + r.along_y * double(tile.y);
  return !(side.x < 0.0LF || side.y < 0.0LF || side.z < 0.0LF);
}
void visit(Reach r, ivec2 tile, uint entry) {
  if (!touches(r, tile)) return;
  uint at = atomicAdd(tiles[uint(tile.y * tile_grid.x + tile.x)].y, 1u);
#ifdef FILL
  if (at < list_capacity) lists[at] = entry;
#endif
}
)glsl";

constexpr const char* kBinSmall = R"glsl(
layout(local_size_x = 64) in;
const int kMostTiles = 32;
void main() {
  uint entry = gl_GlobalInvocationID.x + gl_WorkGroupID.y * (gl_NumWorkGroups.x * 64u);
  if (entry >= entry_count) return;
  entry += entry_first;
#ifndef FILL
  entries[entry] = find(entry);
#endif
  Reach r = reach_of(entry);
  if (r.box.x > r.box.z) return;
  int width = r.box.z - r.box.x + 1, height = r.box.w - r.box.y + 1;
  if (width * height > kMostTiles) {
#ifndef FILL
    uint at = atomicAdd(large_count, 1u);
    large[at] = entry;
    atomicMax(large_groups[1], at / 1024u + 1u);
#endif
    return;
  }
  for (int y = r.box.y; y <= r.box.w; ++y)
    for (int x = r.box.x; x <= r.box.z; ++x) visit(r, ivec2(x, y), entry);
}
)glsl";

// Work groups in rows of 1024, so that one dimension of the dispatch never goes over its limit.
constexpr const char* kBinLarge = R"glsl(
layout(local_size_x = 64) in;
void main() {
  uint which = gl_WorkGroupID.x + gl_WorkGroupID.y * 1024u;
  if (which >= large_count) return;
  uint entry = large[which];
  Reach r = reach_of(entry);
  int width = r.box.z - r.box.x + 1, height = r.box.w - r.box.y + 1;
  for (int i = int(gl_LocalInvocationID.x); i < width * height; i += 64)
    visit(r, ivec2(r.box.x + i % width, r.box.y + i / width), entry);
}
)glsl";

// Counts become places in the array of lists, for each tile that has a list; where among the others it lies does not
// matter, so that a work group takes room for its 256 tiles with one atomic addition. `fill` moves y on to the end.
constexpr const char* kPlace = R"glsl(
layout(local_size_x = 256) in;
layout(std430, binding = 4) buffer Tiles { uvec2 tiles[]; };
layout(std430, binding = 9) writeonly buffer Busy { uint busy[]; };
uniform uint tile_count;
shared uint entries_before[256], lists_before[256];
shared uint first_entry, first_list;
void main() {
  uint me = gl_LocalInvocationID.x, tile = gl_GlobalInvocationID.x;
  uint count = tile < tile_count ? tiles[tile].y : 0u, has = count > 0u ? 1u : 0u;
  entries_before[me] = count;
  lists_before[me] = has;
  barrier();
  for (uint step = 1u; step < 256u; step *= 2u) {
    uint e = me >= step ? entries_before[me - step] : 0u, l = me >= step ? lists_before[me - step] : 0u;
    barrier();
    entries_before[me] += e;
    lists_before[me] += l;
    barrier();
  }
  if (me == 255u) {
    first_entry = atomicAdd(total_low, entries_before[255]);
    if (first_entry + entries_before[255] < first_entry) atomicAdd(total_high, 1u);
    first_list = atomicAdd(nonempty, lists_before[255]);
    uint lists = first_list + lists_before[255];  // rows of 256, the first as long as it has to be
    atomicMax(tile_groups[0], min(lists, 256u));
    atomicMax(tile_groups[1], (lists + 255u) / 256u);
  }
  barrier();
  if (has == 0u) return;
  tiles[tile] = uvec2(first_entry + entries_before[me] - count);
  busy[first_list + lists_before[me] - 1u] = tile;
}
)glsl";

}  // namespace

std::string list_shader(bool sweep, bool large, bool fill) {
  std::string text = std::string(kCommon) + kPrimitives + (sweep ? kSweepElement : "") + kHeader + kLists +
                     (sweep ? kOfElements : kOfCommands) + kReachOf + (large ? kBinLarge : kBinSmall);
  if (sweep) text = with("SWEEP", text);
  return fill ? with("FILL", text) : text;
}
std::string inside_list_shader(bool large, bool fill) {
  const std::string text =
      std::string(kCommon) + kPrimitives + kHeader + kLists + kOfInside + kReachOf + (large ? kBinLarge : kBinSmall);
  return fill ? with("FILL", text) : text;
}
std::string place_shader() { return std::string(kCommon) + kHeader + kPlace; }

}  // namespace sightline::papers::gl
