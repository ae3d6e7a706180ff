// Compute program: which points of edges lie inside which solids (raster/inside.h), tile by tile.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// Work groups have a tile of 16 x 16 pixels; the z-th of them takes the z-th 16 lines of it, and so on in turn. The
// tile's list is put into order: faces, solid after solid, then lines. (Each group does so, with the same result.) A
// line has at most 16 samples in a tile, one for each column or row: 16 threads take a line, and each keeps the tally
// of its sample in registers while it goes through all faces of the tile. What all threads need of a face is computed
// once, for kChunk faces at a time; most tiles have no more. Doubles are kept as two words each (reason: common.cpp).
//
// llvmpipe (Mesa 22.3) leaves all loops of a program after 65,535 turns in all. So it is checked that each sample has
// met all faces; else `too_long` is kGaveUp, and the host does the work.
constexpr const char* kInside = R"glsl(
layout(local_size_x = 256) in;
layout(std430, binding = 1) readonly buffer Entries { uvec2 entries[]; };  // primitive
layout(std430, binding = 4) readonly buffer Tiles { uvec2 tiles[]; };      // begin and end of the list
layout(std430, binding = 7) readonly buffer Solids { uvec4 solids[]; };    // groups, collides_with, sided
layout(std430, binding = 9) readonly buffer Busy { uint busy[]; };
layout(std430, binding = 11) readonly buffer SolidOf { uint solid_of[]; };  // by triangle
layout(std430, binding = 12) buffer Found {
  uint found_count, samples_low, samples_high;
  uint too_long;  // 1: the lists did not fit; kGaveUp
  uvec4 found[];  // edge, solid and (highest bit) open, pixel, key
};
uniform uint list_capacity, face_count, found_capacity;
uniform ivec2 tile_grid, image_size;
uniform double spare;

const uint kChunk = 128u;
const uint kGaveUp = 2u;
const uint kOdd = 1u, kTouched = 2u, kOddInAll = 4u;
shared uvec2 side_of[3u * kChunk];               // doubles: edge functions at the tile's corner
shared ivec4 step_of[3u * kChunk];               // what they change by along x and y
shared uvec4 slope_of[kChunk], range_of[kChunk];  // doubles zx and zy, low and high
shared uvec4 plane_of[kChunk];                    // double z, anchor
shared uvec2 margin_of[kChunk];                   // a double
shared ivec4 box_of[kChunk];                      // the corners' box and 1/256 pixel around it
shared uvec2 owner_of[kChunk];                    // solid; 2: faces the viewer, 0: faces away, 1: edge-on
shared uint faces_here, sample_sum;

void prepare(uint slot, uint entry, ivec2 origin) {
  uint p = entries[entry].x;
  ivec2 corner[3] = ivec2[3](prims[p].corners.xy, prims[p].corners.zw, prims[p].last_anchor.xy);
  for (int i = 0; i < 3; ++i) {
    ivec2 from = corner[i], to = corner[(i + 1) % 3];
    int dx = to.x - from.x, dy = to.y - from.y;
    // Products of whole numbers below 2^53, and their difference a multiple of 256: exact.
    double at = double(dx) * (double(origin.y) * 65536.0LF - double(from.y) * 256.0LF) -
                double(dy) * (double(origin.x) * 65536.0LF - double(from.x) * 256.0LF);
    if (!(dy < 0 || (dy == 0 && dx < 0))) at -= 1.0LF;
    side_of[3u * slot + uint(i)] = unpackDouble2x32(at);
    step_of[3u * slot + uint(i)] = ivec4(-dy, dx, 0, 0);
  }
  ivec2 low = min(min(corner[0], corner[1]), corner[2]), high = max(max(corner[0], corner[1]), corner[2]);
  box_of[slot] = ivec4((low - 1) * 256 - origin * 65536, (high + 1) * 256 - origin * 65536);
  double range = prims[p].high - prims[p].low, slack = prims[p].spread * 0.0078125LF;
  precise double margin = least(slack, range) + spare;
  plane_of[slot] = uvec4(unpackDouble2x32(prims[p].z), uvec2(prims[p].last_anchor.zw));
  slope_of[slot] = uvec4(unpackDouble2x32(prims[p].zx), unpackDouble2x32(prims[p].zy));
  range_of[slot] = uvec4(unpackDouble2x32(prims[p].low), unpackDouble2x32(prims[p].high));
  margin_of[slot] = unpackDouble2x32(margin);
  owner_of[slot] = uvec2(solid_of[prims[p].triangle], uint(prims[p].facing + 1));
}

// The sample of a line in a column (row) of the tile: its place from the tile's corner in 1/65536 pixel. False: none.
bool sample_at(uint p, int column, ivec2 origin, out ivec2 place, out uint key) {
  double x0 = double(prims[p].corners.x), y0 = double(prims[p].corners.y), z0 = prims[p].z;
  double x1 = double(prims[p].corners.z), y1 = double(prims[p].corners.w), z1 = prims[p].zx;
  bool steep = size_of(y1 - y0) > size_of(x1 - x0);
  double t;
  if (steep) { t = x0; x0 = y0; y0 = t; t = x1; x1 = y1; y1 = t; }
  if (x0 > x1) { t = x0; x0 = x1; x1 = t; t = y0; y0 = y1; y1 = t; t = z0; z0 = z1; z1 = t; }
  int i = (steep ? origin.y : origin.x) + column;
  double along = double(i * 256 + 128);
  if (along < x0 || !(along < x1)) return false;
  precise double u = (along - x0) / (x1 - x0);
  precise double across = (y0 + (y1 - y0) * u) * 256.0LF + 0.5LF;
  precise double z = z0 + (z1 - z0) * u;
  int fine = int(down(across)), j = fine >> 16;
  ivec2 pixel = steep ? ivec2(j, i) : ivec2(i, j);
  if (any(lessThan(pixel, origin)) || any(greaterThanEqual(pixel, min(origin + 16, image_size)))) return false;
  int middle = column * 65536 + 32768;
  place = steep ? ivec2(fine - origin.x * 65536, middle) : ivec2(middle, fine - origin.y * 65536);
  key = nearest_key(z);
  return true;
}

// raster/inside.h: Face::place. 0: away, 1: near, 2: inside.
int side_at(uint i, dvec2 at) {
  ivec4 by = step_of[i];
  double side = packDouble2x32(side_of[i]) + (double(by.x) * at.x + double(by.y) * at.y);
  return side >= 0.0LF ? 2 : side < -(double(abs(by.x)) + double(abs(by.y))) * 256.0LF - 1.0LF ? 0 : 1;
}
int place_in(uint slot, ivec2 place, dvec2 at) {
  ivec4 box = box_of[slot];
  if (place.x < box.x || place.y < box.y || place.x > box.z || place.y > box.w) return 0;
  int least_side = min(min(side_at(3u * slot, at), side_at(3u * slot + 1u, at)), side_at(3u * slot + 2u, at));
  return owner_of[slot].y == 1u ? min(least_side, 1) : least_side;
}

void report(uint edge, uint solid, uint flags, int balance, ivec2 pixel, uint key) {
  bool open = balance != 0 || (flags & kOddInAll) != 0u;
  if (!open && (flags & (kOdd | kTouched)) != kOdd) return;
  uint at = atomicAdd(found_count, 1u);
  if (at < found_capacity)
    found[at] = uvec4(edge, solid | (open ? 0x80000000u : 0u), uint(pixel.x) | uint(pixel.y) << 16, key);
}

void main() {
  uint which = gl_WorkGroupID.x + gl_WorkGroupID.y * 256u;
  uint thread = gl_LocalInvocationIndex;
  if (total_high > 0u || total_low > list_capacity) {  // not written: the host makes room and repeats
    if (which == 0u && thread == 0u) too_long = 1u;
    return;
  }
  if (which >= nonempty) return;
  uint tile = busy[which];
  ivec2 origin = ivec2(int(tile) % tile_grid.x, int(tile) / tile_grid.x) * 16;
  uint begin = tiles[tile].x, count = tiles[tile].y - begin;
  if (thread == 0u) {
    faces_here = 0u;
    sample_sum = 0u;
  }
  barrier();
  uint own_faces = 0u;
  for (uint i = thread; i < count; i += 256u) own_faces += lists[begin + i] < face_count ? 1u : 0u;
  if (own_faces > 0u) atomicAdd(faces_here, own_faces);
  barrier();
  uint faces = faces_here, lines = count - faces, samples = 0u;
  uint start = gl_WorkGroupID.z * 16u, first;
  if (start >= lines) return;
  sort(begin, count);
  bool all_met = true;
  for (first = start; first < lines; first += 16u * gl_NumWorkGroups.z) {
    uint mine = first + thread / 16u, edge = 0u, key = 0u, own = kNothing;
    ivec2 place = ivec2(0);
    bool there = false;
    if (mine < lines) {
      uint p = entries[sorted[begin + faces + mine]].x;
      edge = prims[p].triangle;
      own = solid_of[edge / 3u];
      there = sample_at(p, int(thread & 15u), origin, place, key);
    }
    if (there) ++samples;
    double depth = depth_format == 3 ? double(uintBitsToFloat(key)) : double(key);
    dvec2 at = dvec2(double(place.x), double(place.y));
    ivec2 pixel = origin + (place >> 16);
    uvec4 own_solid = there ? solids[own] : uvec4(0u);
    uint current = kNothing, flags = 0u, met = 0u;
    int balance = 0;
    bool compared = false, sided = true;
    for (uint from = 0u; from < faces; from += kChunk) {
      uint m = min(kChunk, faces - from);
      if (faces > kChunk || first == start) {
        barrier();
        if (thread < m) prepare(thread, sorted[begin + from + thread], origin);
        barrier();
      }
      for (uint i = 0u; there && i < m; ++i) {
        ++met;
        uvec2 owner = owner_of[i];
        if (owner.x != current) {
          if (compared) report(edge, current, flags, balance, pixel, key);
          current = owner.x;
          uvec4 solid = solids[current];
          sided = solid.z != 0u;
          compared = current != own && (own_solid.x & solid.y) != 0u && (solid.x & own_solid.y) != 0u;
          flags = 0u;
          balance = 0;
        }
        int where = compared ? place_in(i, place, at) : 0;
        for (bool once = where > 0; once; once = false) {  // not `if`: see tiles.cpp
          uvec4 plane = plane_of[i], slope = slope_of[i], range = range_of[i];
          dvec2 away = (at + dvec2(origin) * 65536.0LF - (dvec2(ivec2(plane.zw)) * 65536.0LF + 32768.0LF)) *
                       (1.0LF / 65536.0LF);
          precise double z = (packDouble2x32(plane.xy) + packDouble2x32(slope.zw) * away.y) +
                             packDouble2x32(slope.xy) * away.x;
          double face = between(z, packDouble2x32(range.xy), packDouble2x32(range.zw));
          precise double nearer = face - packDouble2x32(margin_of[i]), farther = face + packDouble2x32(margin_of[i]);
          if (!(farther <= depth) && nearer < depth) flags |= kTouched;
          if (where == 2) {
            if (farther <= depth) flags ^= kOdd;
            flags ^= kOddInAll;
            if (sided) balance += int(owner.y) - 1;
          }
        }
      }
    }
    if (compared) report(edge, current, flags, balance, pixel, key);
    all_met = all_met && (!there || met == faces);
  }
  if (!all_met || first < lines) too_long = kGaveUp;
  if (samples > 0u) atomicAdd(sample_sum, samples);
  barrier();
  if (thread != 0u || sample_sum == 0u) return;
  uint old = atomicAdd(samples_low, sample_sum);
  if (old + sample_sum < old) atomicAdd(samples_high, 1u);
}
)glsl";

}  // namespace

std::string inside_tile_shader() { return std::string(kCommon) + kPrimitives + kHeader + kSortList + kInside; }

}  // namespace sightline::papers::gl
