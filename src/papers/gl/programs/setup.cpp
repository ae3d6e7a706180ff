// Compute programs: corners to primitives, and the check of a driver's results.
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

// Orthographic views that hold all corners: no clipping, one primitive a triangle or an edge. The same operations in
// the same order as Projection and DepthPlane (raster/setup.cpp).
constexpr const char* kCorner = R"glsl(
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer Primitives { Primitive prims[]; };
layout(std430, binding = 1) readonly buffer Positions { double positions[]; };
layout(std430, binding = 2) readonly buffer Triangles { uint triangles[]; };
uniform double camera[20];  // origin, right, up, forward, then scales and offsets

// a / b, correctly rounded but for the rarest cases: GLSL lets a division in double be off by some ulp, and then a
// depth at a tie may fall to the other side. The remainder a - q b is exact: q b as a sum of two doubles by Dekker's
// product.
double divide(double a, double b) {
  precise double q = a / b;
  precise double p = q * b;
  precise double qs = q * 134217729.0LF, bs = b * 134217729.0LF;
  precise double qh = qs - (qs - q), bh = bs - (bs - b);
  precise double ql = q - qh, bl = b - bh;
  precise double e = ((qh * bh - p) + qh * bl + ql * bh) + ql * bl;
  precise double r = (a - p) - e;
  precise double better = q + r / b;
  return better;
}

void corner(uint slot, out int x, out int y, out double z) {
  uint v = triangles[slot] * 3u;
  precise double dx = positions[v] - camera[0], dy = positions[v + 1u] - camera[1], dz = positions[v + 2u] - camera[2];
  precise double cx = dx * camera[3] + dy * camera[4] + dz * camera[5];
  precise double cy = dx * camera[6] + dy * camera[7] + dz * camera[8];
  precise double cz = dx * camera[9] + dy * camera[10] + dz * camera[11];
  precise double px = cx * camera[12] + camera[13], py = cy * camera[14] + camera[15];
  precise double pz = cz * camera[16] + camera[17];
  precise double sx = px * 256.0LF + 0.5LF, sy = py * 256.0LF + 0.5LF;
  x = int(down(sx));
  y = int(down(sy));
  z = between(pz, camera[18], camera[19]);
}
)glsl";

constexpr const char* kSetup = R"glsl(
uniform uint triangle_count;
const double kEpsilon = 1.0LF / 4503599627370496.0LF;

void main() {
  uint id = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * (gl_NumWorkGroups.x * 64u);
  if (id >= triangle_count) return;
  int x0, y0, x1, y1, x2, y2;
  double z0, z1, z2;
  corner(3u * id, x0, y0, z0);
  corner(3u * id + 1u, x1, y1, z1);
  corner(3u * id + 2u, x2, y2, z2);
  double area = double(x1 - x0) * double(y2 - y0) - double(x2 - x0) * double(y1 - y0);
  Primitive p;
  p.facing = area > 0.0LF ? 1 : area < 0.0LF ? -1 : 0;
  p.triangle = id;
  p.kind = area == 0.0LF && conservative == 0 ? 2 : 0;
  p.unused = 0;
  if (area < 0.0LF) {
    int t = x1; x1 = x2; x2 = t;
    t = y1; y1 = y2; y2 = t;
    double s = z1; z1 = z2; z2 = s;
    area = -area;
  }
  p.corners = ivec4(x0, y0, x1, y1);
  int ax = x0 >> 8, ay = y0 >> 8;
  p.last_anchor = ivec4(x2, y2, ax, ay);
  p.low = least(least(z0, z1), z2);
  p.high = most(most(z0, z1), z2);
  p.spread = 1e300LF;
  p.z = z0;
  p.zx = 0.0LF;
  p.zy = 0.0LF;
  if (area != 0.0LF) {
    double u1 = double(x1 - x0), v1 = double(y1 - y0), u2 = double(x2 - x0), v2 = double(y2 - y0);
    precise double w1 = z1 - z0, w2 = z2 - z0;
    precise double over_x = w1 * v2 - w2 * v1, over_y = w2 * u1 - w1 * u2;
    double dx = divide(over_x, area), dy = divide(over_y, area);
    precise double at = z0 + (dx * double(ax * 256 + 128 - x0) + dy * double(ay * 256 + 128 - y0));
    p.z = at;
    p.zx = dx * 256.0LF;
    p.zy = dy * 256.0LF;
    double extent = most(most(size_of(u1), size_of(v1)), most(size_of(u2), size_of(v2))) + 512.0LF;
    double error = 32.0LF * kEpsilon * (p.high - p.low) * extent * extent / area;
    bool is_float = p.high <= 1.0LF;
    bool sure = error < (is_float ? 5.9604644775390625e-8LF : 1.0LF) / 4.0LF;
    if (conservative == 0) {
      if (!is_float && sure) { p.low = -1e300LF; p.high = 1e300LF; }
    } else if (sure) {
      precise double spread = (size_of(dx) + size_of(dy)) * 129.0LF;
      p.spread = spread;
    }
  }
  prims[id] = p;
}
)glsl";

// Edges as lines, behind the triangles; `triangle` is the edge's number (raster/inside.h: InsideQuery).
constexpr const char* kEdges = R"glsl(
layout(std430, binding = 3) readonly buffer Edges { uint edges[]; };
uniform uint edge_count, first_line;

void main() {
  uint id = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * (gl_NumWorkGroups.x * 64u);
  if (id >= edge_count) return;
  uint edge = edges[id], next = edge % 3u == 2u ? edge - 2u : edge + 1u;
  bool forward = triangles[edge] < triangles[next];  // raster/cover.h: edge_ends
  int x0, y0, x1, y1;
  double z0, z1;
  corner(forward ? edge : next, x0, y0, z0);
  corner(forward ? next : edge, x1, y1, z1);
  Primitive p;
  p.corners = ivec4(x0, y0, x1, y1);
  p.last_anchor = ivec4(x1, y1, 0, 0);
  p.z = z0;
  p.zx = z1;
  p.zy = 0.0LF;
  p.low = 0.0LF;
  p.high = 0.0LF;
  p.spread = 0.0LF;
  p.facing = 0;
  p.triangle = edge;
  p.kind = 1;
  p.unused = 0;
  prims[first_line + id] = p;
}
)glsl";

// Around the pixel that the plane is anchored at.
constexpr const char* kEnds = R"glsl(
layout(local_size_x = 64) in;
layout(std430, binding = 1) writeonly buffer Ends { uvec2 ends[]; };
uniform uint count;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  uint p = i / 16u;
  ends[i] = ends_at(p, prims[p].last_anchor.zw + ivec2(int(i % 4u), int(i / 4u % 4u)) - 1);
}
)glsl";

}  // namespace

std::string setup_shader() { return std::string(kCommon) + kCorner + kSetup; }
std::string edges_shader() { return std::string(kCommon) + kCorner + kEdges; }
std::string ends_shader() { return std::string(kCommon) + kPrimitives + kEnds; }

}  // namespace sightline::papers::gl
