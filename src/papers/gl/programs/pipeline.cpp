// The graphics pipeline's programs, for one query at a time.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// Keys in a depth buffer of 32-bit floats. Fixed formats: key / 2^24, exact. Floats: their own bits, but for the two
// that hardware may not keep: the smallest key, 1, would be a denormal; and 1.0 is left free for a depth that fails
// every test.
constexpr const char* kDepthCode = R"glsl(
float encode(uint key) {
  if (depth_format != 3) return float(key) * 5.9604644775390625e-8;
  return uintBitsToFloat(key == 1u ? 0x00800000u : key == 0x3F800000u ? 0x3F7FFFFFu : key);
}
uint decode(float depth) {
  if (depth_format != 3) return uint(depth * 16777216.0);
  uint key = floatBitsToUint(depth);
  return key == 0x00800000u ? 1u : key == 0x3F7FFFFFu ? 0x3F800000u : key;
}
)glsl";

// Two triangles around each primitive: the box of all pixels within kReach of it. It is wider than any coverage,
// conservative or not: a pixel is covered only if its centre lies within kReach = 129/256 of the primitive's box on
// both axes (raster/cover.h), and the corners are whole numbers of 1/256 pixel, which float and the viewport's power of
// two keep exactly. So whatever rule the hardware fills by, each covered pixel gets one fragment, and triangles without
// area do too; the fragment program then decides by our own rule.
constexpr const char* kVertex = R"glsl(
layout(std430, binding = 1) readonly buffer List { uint list[]; };
uniform ivec2 image_size;
uniform int half_side;  // of the viewport
uniform uint cull;
flat out uint primitive;
void main() {
  uint p = list[gl_VertexID / 6];
  int corner = gl_VertexID % 6;
  primitive = p;
  gl_Position = vec4(2.0, 2.0, 0.0, 1.0);
  if (prims[p].kind == 2 || culled(cull, prims[p].facing)) return;
  ivec2 a = prims[p].corners.xy, b = prims[p].corners.zw, c = prims[p].last_anchor.xy;
  int by = prims[p].kind == 1 ? 512 : kReach;
  ivec2 low = clamp((min(min(a, b), c) - by) >> 8, ivec2(0), image_size);
  ivec2 high = clamp(((max(max(a, b), c) + by) >> 8) + 1, ivec2(0), image_size);
  bool right = corner == 1 || corner == 2 || corner == 4, top = corner == 2 || corner == 4 || corner == 5;
  ivec2 at = ivec2(right ? high.x : low.x, top ? high.y : low.y);
  gl_Position = vec4((vec2(at) - float(half_side)) / float(half_side), 0.0, 1.0);
}
)glsl";

constexpr const char* kFragment = R"glsl(
flat in uint primitive;
layout(std430, binding = 2) buffer Counts { uint fragments[256]; };
layout(std430, binding = 3) readonly buffer Floor { uint floors[]; };
layout(std430, binding = 4) readonly buffer Ceiling { uint ceilings[]; };
layout(std430, binding = 5) readonly buffer Colors { uvec2 colors[]; };
layout(binding = 0) uniform sampler2D stored_depth;
layout(binding = 1) uniform usampler2D stored_color;
uniform ivec2 image_size;
uniform uint flags;
uniform uint color_rg, color_ba;
layout(location = 0) out uvec2 out_rg;
layout(location = 1) out uvec2 out_ba;

bool covers(uint p, ivec2 at) {
  ivec2 corner[3] = ivec2[3](prims[p].corners.xy, prims[p].corners.zw, prims[p].last_anchor.xy);
  ivec2 centre = at * 256 + 128;
  for (int i = 0; i < 3; ++i) {
    ivec2 from = corner[i], to = corner[(i + 1) % 3];
    int dx = to.x - from.x, dy = to.y - from.y;
    double side = double(dx) * double(centre.y - from.y) - double(dy) * double(centre.x - from.x);
    if (conservative != 0) {
      if (side + double(abs(dx) + abs(dy)) * double(kReach) < 0.0LF) return false;
    } else if (side < 0.0LF || (side == 0.0LF && !(dy < 0 || (dy == 0 && dx < 0)))) {
      return false;
    }
  }
  if (conservative == 0) return true;
  ivec2 low = min(min(corner[0], corner[1]), corner[2]), high = max(max(corner[0], corner[1]), corner[2]);
  return all(greaterThanEqual(centre, low - kReach)) && all(lessThanEqual(centre, high + kReach));
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  uint p = primitive;
  uvec2 ends;
  if (prims[p].kind == 1) {
    uint key;
    if (!line_at(p, at, key)) discard;
    ends = uvec2(key, key);
  } else {
    if (!covers(p, at)) discard;
    ends = ends_at(p, at);
  }
  atomicAdd(fragments[(at.x + at.y * 37) & 255], 1u);
  uint pixel = uint(at.y * image_size.x + at.x);
  if ((flags & 0x1000u) != 0u && ends.x <= floors[pixel]) discard;
  if ((flags & 0x2000u) != 0u && ends.x > ceilings[pixel]) discard;
  uvec2 color = (flags & 0x4000u) != 0u ? colors[prims[p].triangle] : uvec2(color_rg, color_ba);
  if ((flags & 0x800u) != 0u) {
    uvec2 stored = texelFetch(stored_color, at, 0).rg;
    if (color.y == (stored.x | stored.y << 16)) discard;
  }
  uint function = flags >> 1 & 7u;
  float depth = encode(tests_far(function) ? ends.y : ends.x);
  // The hardware compares with lequal here: near <= stored is its part, stored <= far is ours, and 1.0 fails.
  if (conservative != 0 && (flags & 1u) != 0u && function == 3u &&
      decode(texelFetch(stored_depth, at, 0).r) > ends.y)
    depth = 1.0;
  gl_FragDepth = depth;
  out_rg = uvec2(color.x & 0xFFFFu, color.x >> 16);
  out_ba = uvec2(color.y & 0xFFFFu, color.y >> 16);
}
)glsl";

constexpr const char* kKeys = R"glsl(
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D stored_depth;
layout(std430, binding = 0) writeonly buffer Keys { uint keys[]; };
uniform ivec2 image_size;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, image_size))) return;
  keys[at.y * image_size.x + at.x] = decode(texelFetch(stored_depth, at, 0).r);
}
)glsl";

}  // namespace

std::string vertex_shader() { return std::string(kCommon) + kPrimitives + kVertex; }
std::string fragment_shader() { return std::string(kCommon) + kPrimitives + kDepthCode + kFragment; }
std::string keys_shader() { return std::string(kCommon) + kDepthCode + kKeys; }

}  // namespace sightline::papers::gl
