// Meshes made to break something: degenerate, coincident, extreme, or of a shape that a grid or a filter dislikes.
#include <cmath>
#include <limits>
#include <numbers>

#include "support/corpus.h"

namespace testing_support {
namespace {

constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

Vec3d operator+(const Vec3d& a, const Vec3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3d operator-(const Vec3d& a, const Vec3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3d operator*(double s, const Vec3d& a) { return {s * a[0], s * a[1], s * a[2]}; }

Vec3d in_cube(Random& random, double lo, double hi) {
  return {random.in(lo, hi), random.in(lo, hi), random.in(lo, hi)};
}

Vec3d direction(Random& random) {
  while (true) {
    const Vec3d v = in_cube(random, -1, 1);
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (square > 0.01 && square < 1) return (1 / std::sqrt(square)) * v;
  }
}

Mesh soup(std::uint64_t seed, int count, double size) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = in_cube(random, 0, 1);
    out.triangle(p, p + size * in_cube(random, -1, 1), p + size * in_cube(random, -1, 1));
  }
  return out.mesh();
}

// Most triangles in a few spots, with sizes from 1 to 1/1000 of the spot's.
Mesh clustered(std::uint64_t seed, int count) {
  Random random(seed);
  Builder out;
  std::vector<Vec3d> spots;
  for (int i = 0; i < 5; ++i) spots.push_back(in_cube(random, 0, 1));
  for (int i = 0; i < count; ++i) {
    const Vec3d p = spots[random.below(5)] + 0.02 * in_cube(random, -1, 1);
    const double size = 0.02 * std::pow(10.0, -random.in(0, 2));
    out.triangle(p, p + size * in_cube(random, -1, 1), p + size * in_cube(random, -1, 1));
  }
  return out.mesh();
}

// Pareto sizes, and a few triangles a thousand times larger than the rest.
Mesh heavy_tailed(std::uint64_t seed, int count) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = in_cube(random, 0, 1);
    const double size = i % 100 == 0 ? random.in(1, 3) : std::min(0.5, 0.003 * std::pow(1 - random.unit(), -1 / 1.8));
    out.triangle(p, p + size * in_cube(random, -1, 1), p + size * in_cube(random, -1, 1));
  }
  return out.mesh();
}

Mesh needles(std::uint64_t seed, int count, double width) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = in_cube(random, 0, 1);
    const Vec3d q = p + random.in(0.3, 1) * direction(random);
    out.triangle(p, q, p + width * in_cube(random, -1, 1));
  }
  return out.mesh();
}

double step(double x, int ulps) {
  for (; ulps > 0; --ulps) x = std::nextafter(x, std::numeric_limits<double>::infinity());
  for (; ulps < 0; ++ulps) x = std::nextafter(x, -std::numeric_limits<double>::infinity());
  return x;
}

Vec3d jogged(Random& random, Vec3d p, int ulps) {
  for (double& x : p) x = step(x, random.below(2 * ulps + 1) - ulps);
  return p;
}

// Third corner within a few ulps of the opposite edge: area zero or nearly, slope of the plane at the mercy of
// rounding.
Mesh slivers(std::uint64_t seed, int count) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = in_cube(random, 0, 1);
    const Vec3d q = in_cube(random, 0, 1);
    const double t = random.in(-0.2, 1.2);
    out.triangle(p, q, jogged(random, p + t * (q - p), 2));
  }
  return out.mesh();
}

Vec3d lattice_point(Random& random, int side) {
  return {double(random.below(side)), double(random.below(side)), double(random.below(side))};
}

// Corners on a small integer lattice, times `scale`. At scale 0.1 the products round, so coincidences become near ones.
Mesh lattice(std::uint64_t seed, int count, int side, double scale) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i)
    out.triangle(scale * lattice_point(random, side), scale * lattice_point(random, side),
                 scale * lattice_point(random, side));
  return out.mesh();
}

// Small lattice triangles spread over a larger lattice: neighbours, touches and coplanar overlaps without end.
Mesh lattice_field(std::uint64_t seed, int count, int side, double scale) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = lattice_point(random, side);
    out.triangle(scale * p, scale * (p + lattice_point(random, 3)), scale * (p + lattice_point(random, 3)));
  }
  return out.mesh();
}

// Lattice triangles with corners moved by at most one ulp: every predicate is nearly, but rarely, zero. A lattice that
// holds zero gets the smallest denormals beside it.
Mesh lattice_jogged(std::uint64_t seed, int count, int side, double origin) {
  Random random(seed);
  Mesh mesh = lattice(seed, count, side, 1.0 / 3);
  for (Vec3d& p : std::get<1>(mesh.positions)) p = jogged(random, p + Vec3d{origin, origin, origin}, 1);
  return mesh;
}

// All in one plane through lattice points: z = 2x − 3y, so that coplanarity is exact.
Mesh coplanar(std::uint64_t seed, int count, int side, bool tilted) {
  Random random(seed);
  Builder out;
  const auto corner = [&] {
    const double x = random.below(side), y = random.below(side);
    return Vec3d{x, y, tilted ? 2 * x - 3 * y : 0.0};
  };
  for (int i = 0; i < count; ++i) {
    const Vec3d a = corner(), b = corner(), c = corner();
    out.triangle(a, b, c);
  }
  return out.mesh();
}

void add_box(Builder& out, const Vec3d& lo, const Vec3d& hi, bool other_diagonal) {
  std::uint32_t v[8];
  for (int i = 0; i < 8; ++i) v[i] = out.corner({i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]});
  const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& q : quads) {
    const int s = other_diagonal ? 1 : 0;
    out.indexed(v[q[s]], v[q[s + 1]], v[q[s + 2]]);
    out.indexed(v[q[s]], v[q[s + 2]], v[q[(s + 3) % 4]]);
  }
}

// Cubes face to face. With `bricks` each layer is moved by half a cube, so that faces overlap without common corners.
Mesh cubes(int side, bool bricks, bool mixed_diagonals, double scale) {
  Builder out;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double shift = bricks && z % 2 ? 0.5 : 0;
        const Vec3d lo{scale * (x + shift), scale * (y + shift), scale * z};
        const Vec3d hi{scale * (x + shift + 1), scale * (y + shift + 1), scale * (z + 1)};
        add_box(out, lo, hi, mixed_diagonals && (x + y + z) % 2);
      }
  return out.mesh();
}

// Each triangle up to five times: as it is, rotated, with the other winding, by other indices of the same positions.
Mesh duplicates(std::uint64_t seed) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < 60; ++i) {
    const Vec3d p[3] = {lattice_point(random, 5), lattice_point(random, 5), lattice_point(random, 5)};
    const std::uint32_t v[3] = {out.corner(p[0]), out.corner(p[1]), out.corner(p[2])};
    out.indexed(v[0], v[1], v[2]);
    if (random.chance(0.5)) out.indexed(v[1], v[2], v[0]);
    if (random.chance(0.5)) out.indexed(v[0], v[2], v[1]);
    if (random.chance(0.5)) out.triangle(p[2], p[0], p[1]);
    if (random.chance(0.5)) out.triangle(p[1], p[0], p[2]);
  }
  return out.mesh();
}

// Points, segments by a repeated corner (or a repeated position), three corners on a line, among proper triangles.
Mesh degenerates(std::uint64_t seed, int count, int side) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const Vec3d p = lattice_point(random, side), q = lattice_point(random, side), r = lattice_point(random, side);
    const std::uint32_t a = out.corner(p), b = out.corner(q);
    switch (random.below(7)) {
      case 0:
        out.indexed(a, a, a);
        break;
      case 1:
        out.triangle(p, p, p);
        break;
      case 2:
        out.indexed(a, b, a);
        break;
      case 3:
        out.triangle(p, q, q);
        break;
      case 4:
        out.triangle(p, q, p + 2.0 * (q - p));
        break;
      case 5:
        out.triangle(p, 2.0 * q - p, q);
        break;
      default:
        out.triangle(p, q, r);
    }
  }
  return out.mesh();
}

Mesh all_points(int count) {
  Random random(5);
  Builder out;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t a = out.corner(lattice_point(random, 4));
    out.indexed(a, a, a);
  }
  return out.mesh();
}

Mesh on_a_line(std::uint64_t seed, const Vec3d& along) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < 80; ++i)
    out.triangle(double(random.below(60)) * along, double(random.below(60)) * along, double(random.below(60)) * along);
  return out.mesh();
}

// One of each: vertex on face, vertex on edge, edge through vertex, folded neighbours, neighbours that cross, …
Mesh hand_made() {
  Builder out;
  const auto place = [&](double x, std::initializer_list<std::array<Vec3d, 3>> triangles) {
    for (const auto& t : triangles) {
      const Vec3d shift{x, 0, 0};
      out.triangle(t[0] + shift, t[1] + shift, t[2] + shift);
    }
  };
  const std::array<Vec3d, 3> base{{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
  place(0, {base, {{{1, 1, 0}, {1, 1, 3}, {2, 1, 3}}}});      // vertex on face
  place(10, {base, {{{2, 2, 0}, {2, 2, 3}, {3, 2, 3}}}});     // vertex on edge
  place(20, {base, {{{0, 0, -1}, {0, 0, 1}, {-1, -1, 0}}}});  // edge through vertex
  place(30, {base, {{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}}}});     // folded onto the neighbour, same plane
  place(40, {base, {{{0, 0, 0}, {4, 0, 0}, {0, 4, 1}}}});     // folded, not quite
  place(50, {base, {{{0, 0, 0}, {4, 0, 0}, {1, -3, 0}}}});    // flat neighbour, no contact
  place(60, {base, {{{0, 0, 0}, {2, 2, 2}, {2, 2, -2}}}});    // one common corner, and crosses
  place(70, {base, {{{0, 0, 0}, {2, 2, 0}, {2, 2, 3}}}});     // one common corner, an edge in the face
  place(80, {base, {{{0, 0, 0}, {-4, 0, 0}, {0, -4, 0}}}});   // one common corner, one plane, apart
  place(90, {base, {{{0, 0, 0}, {3, 3, 0}, {4, 3, 0}}}});     // one common corner, one plane, overlap
  place(100, {base, {{{1, 1, -1}, {1, 1, 1}, {2, 1, 1}}}});   // crossing
  place(110, {base, {{{1, 0, 0}, {3, 0, 0}, {2, -1, 0}}}});   // edge in edge, one plane
  place(120, {base, {{{1, 0, 0}, {3, 0, 0}, {2, 0, 3}}}});    // edge in edge, across
  place(130, {base, {{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}}});    // inside, one plane
  place(140, {base, {{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}}}});    // common edge; only the degenerate one goes on
  place(150, {base, {{{0, 0, 0}, {4, 0, 0}, {2, 0, 0}}}});    // common edge, degenerate within it
  place(160, {base, {{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}}});    // a point in the face
  place(170, {base, {{{1, 1, -1}, {1, 1, 1}, {1, 1, 0}}}});   // a segment through the face
  place(180, {base, {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}});    // a point that is a corner
  place(190, {base, {{{0, 0, 0}, {0, 0, 0}, {4, 0, 0}}}});    // a segment that is an edge
  place(200, {base, {{{0, 0, 0}, {2, 2, 0}, {2, 2, 0}}}});    // a segment from a corner into the face
  place(210, {base, {{{0, 4, 0}, {0, 0, 0}, {4, 0, 0}}}});    // duplicate, rotated
  place(220, {base, {{{0, 4, 0}, {4, 0, 0}, {0, 0, 0}}}});    // duplicate, flipped
  place(250, {{{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}}}, {{{0, 0, 0}, {4, 0, 0}, {5, 0, 0}}}});   // both go on past it
  place(260, {{{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}}}, {{{0, 0, 0}, {4, 0, 0}, {-5, 0, 0}}}});  // to different sides
  place(230, {base, {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}}});                                  // parallel
  place(240, {base, {{{0, 0, kDenormal}, {4, 0, kDenormal}, {0, 4, kDenormal}}}});          // parallel by a hair
  return out.mesh();
}

Mesh signed_zeros() {
  Random random(77);
  Mesh mesh = lattice(3, 120, 3, 1);
  for (Vec3d& p : std::get<1>(mesh.positions))
    for (double& x : p) {
      x -= 1;  // −1, 0, 1
      if (x == 0 && random.chance(0.5)) x = -0.0;
    }
  return mesh;
}

Mesh scaled(const Mesh& mesh, double factor) {
  return transformed(mesh, [=](const Vec3d& p) { return factor * p; });
}

// Triangles of both magnitudes, and some that span them.
Mesh both_magnitudes(std::uint64_t seed, double tiny, double huge) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < 120; ++i) {
    const auto corner = [&] {
      Vec3d p = lattice_point(random, 4) - Vec3d{1, 1, 1};
      const int kind = i % 3;
      for (double& x : p) x *= kind == 0 ? tiny : kind == 1 ? huge : random.chance(0.5) ? tiny : huge;
      return p;
    };
    const Vec3d a = corner(), b = corner(), c = corner();
    out.triangle(a, b, c);
  }
  return out.mesh();
}

// Bits of any finite number: every exponent is as likely as any other.
Mesh any_exponent(std::uint64_t seed, int count) {
  Random random(seed);
  Builder out;
  const auto number = [&] { return std::ldexp(random.in(-1, 1), random.below(2000) - 1000); };
  for (int i = 0; i < count; ++i) {
    Vec3d p[3];
    for (Vec3d& q : p) q = {number(), number(), number()};
    out.triangle(p[0], p[1], p[2]);
  }
  return out.mesh();
}

// An n × n tessellation of the square at z = 0, and the same laid over it with an offset.
Mesh flat_tessellation(int n, double offset) {
  Builder out;
  for (const double shift : {0.0, offset}) {
    const auto base = static_cast<std::uint32_t>(out.positions.size());
    for (int y = 0; y <= n; ++y)
      for (int x = 0; x <= n; ++x) out.corner({x + shift, y + shift, 0});
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const std::uint32_t v = base + y * (n + 1) + x;
        out.indexed(v, v + 1, v + n + 2);
        out.indexed(v, v + n + 2, v + n + 1);
      }
    if (offset == 0) break;
  }
  return out.mesh();
}

Mesh giant_among_tiny(std::uint64_t seed) {
  Random random(seed);
  Builder out;
  out.triangle({-1e4, -2e4, 0.5}, {3e4, 1e4, 0.5}, {-1e4, 3e4, 0.5000001});
  for (int i = 0; i < 1500; ++i) {
    const Vec3d p = in_cube(random, 0, 1);
    out.triangle(p, p + 0.01 * in_cube(random, -1, 1), p + 0.01 * in_cube(random, -1, 1));
  }
  out.triangle({0.2, -1e4, -1e4}, {0.2, 2e4, 0}, {0.2, 0, 2e4});
  return out.mesh();
}

// Giants whose corners are nearly or exactly on a line as seen along some axis, over a field of tiny triangles. A
// slope computed from such corners is noise; a cull that trusts it loses contacts. (A bug of the prototype.)
Mesh collinear_giants(std::uint64_t seed, double length, int ulps, int tiny) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < 24; ++i) {
    const Vec3d through = in_cube(random, 0, 1);
    Vec3d along = direction(random);
    if (i % 4 == 0) along[random.below(3)] = 0;
    if (i % 4 == 1) along[random.below(3)] *= 1e-9;
    const Vec3d a = through - length * random.unit() * along;
    const Vec3d b = through + length * random.unit() * along;
    const Vec3d c = through + length * random.in(-1, 1) * along;
    out.triangle(a, b, jogged(random, c, ulps));
  }
  for (int i = 0; i < tiny; ++i) {
    const Vec3d p = in_cube(random, 0, 1);
    out.triangle(p, p + 0.06 * in_cube(random, -1, 1), p + 0.06 * in_cube(random, -1, 1));
  }
  return out.mesh();
}

// Giants that pass exactly through lattice points of tiny lattice triangles.
Mesh lattice_giants(std::uint64_t seed) {
  Random random(seed);
  Builder out;
  for (int i = 0; i < 30; ++i) {
    const Vec3d p = lattice_point(random, 12), d = lattice_point(random, 3) - Vec3d{1, 1, 1};
    const Vec3d e = lattice_point(random, 3) - Vec3d{1, 1, 1};
    out.triangle(p - 4096.0 * d, p + 4096.0 * d, p + (i % 2 ? 4096.0 : 1.0) * e);
  }
  for (int i = 0; i < 600; ++i) {
    const Vec3d p = lattice_point(random, 12);
    out.triangle(p, p + lattice_point(random, 2), p + lattice_point(random, 2));
  }
  return out.mesh();
}

// All triangles hold the point (1, 1, 1): inside, on an edge or as a corner.
Mesh one_spot(std::uint64_t seed, int count, bool common_corner) {
  Random random(seed);
  Builder out;
  const Vec3d spot{1, 1, 1};
  for (int i = 0; i < count; ++i) {
    const Vec3d d = lattice_point(random, 65) - Vec3d{32, 32, 32};
    const Vec3d e = lattice_point(random, 65) - Vec3d{32, 32, 32};
    if (common_corner) {
      out.triangle(spot, spot + d, spot + e);
    } else if (i % 3 == 0) {
      out.triangle(spot - d, spot + d, spot + e);  // on an edge
    } else {
      out.triangle(spot + d, spot + e, spot - d - e);  // the centroid
    }
  }
  return out.mesh();
}

// A long thin strip that winds up into a ball and cuts itself.
Mesh strip(int count) {
  Builder out;
  for (int i = 0; i <= count; ++i) {
    const double t = 40.0 * i / count;
    const Vec3d p{std::cos(t) * std::cos(0.37 * t), std::sin(t) * std::cos(0.31 * t), std::sin(0.43 * t)};
    out.corner(p);
    out.corner(p + Vec3d{0.003, 0.004, 0.002});
    if (i == 0) continue;
    const std::uint32_t v = 2 * i;
    out.indexed(v - 2, v - 1, v);
    out.indexed(v - 1, v + 1, v);
  }
  return out.mesh();
}

Mesh stretched(const Mesh& mesh, const Vec3d& by) {
  return transformed(mesh, [=](const Vec3d& p) { return Vec3d{p[0] * by[0], p[1] * by[1], p[2] * by[2]}; });
}

Mesh far(const Mesh& mesh, double distance, bool single) {
  const Mesh moved = transformed(mesh, [=](const Vec3d& p) { return p + distance * Vec3d{1, -0.7, 0.9}; });
  return single ? as_float(moved) : moved;
}

Mesh one_triangle() {
  Builder out;
  out.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  return out.mesh();
}

Mesh two_triangles() {
  Builder out;
  out.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  out.triangle({0.25, 0.25, -1}, {0.25, 0.25, 1}, {1, 1, 0.5});
  return out.mesh();
}

// A chain of triangles all through a common edge, fanned about it; some fall together.
Mesh fan_about_an_edge() {
  Builder out;
  const std::uint32_t a = out.corner({0, 0, -1}), b = out.corner({0, 0, 1});
  for (int x = -3; x <= 3; ++x)
    for (int y = -3; y <= 3; ++y) out.indexed(a, b, out.corner({double(x), double(y), double((x * y) % 3)}));
  return out.mesh();
}

}  // namespace

std::vector<Item> adversarial_corpus() {
  std::vector<Item> items;
  const auto add = [&](std::string name, std::function<Mesh()> make, bool cgal = true, bool big = false) {
    items.push_back({std::move(name), std::move(make), cgal, big});
  };
  add("empty", [] { return Mesh{"", std::vector<Vec3d>{}, {}}; });
  add("positions_without_triangles", [] { return Mesh{"", std::vector<Vec3d>{{1, 2, 3}}, {}}; });
  add("one_triangle", one_triangle);
  add("two_triangles", two_triangles);
  add("hand_made", hand_made, false);

  add("soup_dense", [] { return soup(1, 400, 0.3); });
  add("soup_sparse", [] { return soup(2, 3000, 0.04); });
  add("soup_float", [] { return as_float(soup(3, 1500, 0.07)); });
  add("soup_clustered", [] { return clustered(4, 700); });
  add("soup_heavy_tailed", [] { return heavy_tailed(5, 900); });
  add("soup_heavy_tailed_float", [] { return as_float(heavy_tailed(6, 900)); });
  add("needles", [] { return needles(7, 400, 1e-3); });
  add("needles_thin", [] { return needles(8, 400, 1e-12); });
  add("needles_float", [] { return as_float(needles(9, 400, 1e-6)); });
  add("slivers", [] { return slivers(10, 250); });
  add("slivers_float", [] { return as_float(slivers(11, 250)); });

  for (const int power : {3, 4, 5, 6, 7}) {
    const double distance = std::pow(10.0, power);
    std::string suffix = "_1e";
    suffix += std::to_string(power);
    add("far_double" + suffix, [=] { return far(soup(20 + power, 350, 0.2), distance, false); });
    add("far_float" + suffix, [=] { return far(soup(30 + power, 250, 0.3), distance, true); });
    add("far_lattice" + suffix, [=] { return far(lattice(40 + power, 130, 4, 0.1), distance, false); });
  }

  add("lattice", [] { return lattice(50, 220, 5, 1); });
  add("lattice_tenth", [] { return lattice(51, 220, 5, 0.1); });
  add("lattice_tenth_float", [] { return as_float(lattice(52, 220, 5, 0.1)); });
  add("lattice_tiny", [] { return lattice(53, 120, 2, 1); });
  add("lattice_field", [] { return lattice_field(54, 900, 9, 1); });
  add("lattice_field_tenth", [] { return lattice_field(55, 900, 9, 0.1); });
  add("lattice_field_tenth_float", [] { return as_float(lattice_field(56, 900, 9, 0.1)); });
  add("lattice_one_ulp", [] { return lattice_jogged(57, 200, 4, 1); });
  add("lattice_one_ulp_at_zero", [] { return lattice_jogged(58, 60, 4, 0); });

  add("coplanar_z0", [] { return coplanar(60, 150, 8, false); });
  add("coplanar_tilted", [] { return coplanar(61, 150, 8, true); });
  add("coplanar_tilted_tenth", [] { return scaled(coplanar(62, 150, 8, true), 0.1); });
  add("cubes", [] { return cubes(3, false, false, 1); });
  add("cubes_mixed_diagonals", [] { return cubes(3, false, true, 1); });
  add("cubes_bricks", [] { return cubes(3, true, false, 1); });
  add("cubes_tenth", [] { return cubes(3, false, true, 0.1); });
  add("cubes_third_float", [] { return as_float(cubes(3, true, true, 1.0 / 3)); });
  add("duplicates", [] { return duplicates(63); });
  add("degenerates", [] { return degenerates(64, 180, 4); });
  add("degenerates_sparse", [] { return degenerates(65, 300, 9); });
  add("degenerates_tenth", [] { return scaled(degenerates(66, 180, 4), 0.1); });
  add("all_points", [] { return all_points(150); });
  add("on_the_x_axis", [] { return on_a_line(67, {1, 0, 0}); });
  add("on_a_diagonal", [] { return on_a_line(68, {1, 2, -3}); });
  add("on_a_diagonal_tenth", [] { return on_a_line(69, {0.1, 0.7, -0.3}); });
  add("signed_zeros", signed_zeros);
  add("fan_about_an_edge", fan_about_an_edge);

  add(
      "tiny_1e_minus_300", [] { return scaled(soup(70, 200, 0.4), 1e-300); }, false);
  add(
      "huge_1e300", [] { return scaled(soup(71, 200, 0.4), 1e300); }, false);
  add(
      "huge_1e308_span",
      [] {
        return transformed(soup(72, 150, 0.5), [](const Vec3d& p) {
          return Vec3d{7e307 * (p[0] * 2 - 1), 7e307 * (p[1] * 2 - 1), 7e307 * (p[2] * 2 - 1)};
        });
      },
      false);
  add(
      "lattice_1e_minus_300", [] { return scaled(lattice(73, 120, 4, 1), 1e-300); }, false);
  add(
      "lattice_1e300", [] { return scaled(lattice(74, 120, 4, 1), 1e300); }, false);
  add(
      "both_magnitudes", [] { return both_magnitudes(75, 1e-300, 1e300); }, false);
  add(
      "both_magnitudes_denormal", [] { return both_magnitudes(76, kDenormal, 1e308 / 2); }, false);
  add(
      "any_exponent", [] { return any_exponent(77, 100); }, false);
  add(
      "denormals", [] { return scaled(lattice(78, 150, 5, 1), kDenormal); }, false);
  add(
      "denormal_soup", [] { return scaled(soup(79, 150, 0.4), 1e-310); }, false);
  add(
      "float_denormals", [] { return as_float(scaled(lattice(80, 150, 5, 1), 0x1p-149)); }, false);
  add(
      "float_tiny", [] { return as_float(scaled(soup(81, 200, 0.4), 1e-38)); }, false);
  add(
      "float_huge", [] { return as_float(scaled(soup(82, 200, 0.4), 1e38)); }, false);
  add(
      "float_both", [] { return as_float(both_magnitudes(83, 1e-44, 1e38)); }, false);

  add("flat_tessellation", [] { return flat_tessellation(20, 0); });
  add("flat_overlaps", [] { return flat_tessellation(9, 0.25); });
  add("flat_overlaps_tenth", [] { return scaled(flat_tessellation(9, 0.3), 0.1); });
  add("flat_shifted_by_one", [] { return flat_tessellation(9, 1); });
  add("giant_among_tiny", [] { return giant_among_tiny(90); });
  add("giant_among_tiny_float", [] { return as_float(giant_among_tiny(91)); });
  for (const int ulps : {0, 1, 1000}) {
    std::string suffix = "_";
    suffix += std::to_string(ulps) + "ulp";
    add("collinear_giants" + suffix, [=] { return collinear_giants(92 + ulps, 1e4, ulps, 300); });
    add("collinear_giants_float" + suffix, [=] { return as_float(collinear_giants(95 + ulps, 1e3, ulps, 900)); });
  }
  add("collinear_giants_1e12", [] { return collinear_giants(98, 1e12, 3, 300); });
  add("lattice_giants", [] { return lattice_giants(99); });
  add("one_spot", [] { return one_spot(100, 160, false); });
  add("one_spot_common_corner", [] { return one_spot(101, 160, true); });
  add("strip", [] { return strip(900); });
  add("strip_unindexed_float", [] { return as_float(unindexed(strip(700))); });
  add("flat_scene", [] { return stretched(soup(102, 900, 0.1), {1, 1, 1e-9}); });
  add("flat_scene_x", [] { return stretched(soup(103, 900, 0.1), {1e-12, 1, 1}); });
  add("line_scene", [] { return stretched(soup(104, 400, 0.1), {1e-9, 1, 1e-9}); });
  add("line_scene_long", [] { return stretched(soup(105, 400, 0.1), {1, 1, 1e6}); });
  for (Item& item : items)
    for (const char* name : {"collinear_giants_0ulp", "collinear_giants_1ulp", "collinear_giants_1000ulp",
                             "collinear_giants_1e12", "any_exponent", "both_magnitudes", "both_magnitudes_denormal"})
      item.wide = item.wide || item.name == name;
  return items;
}

}  // namespace testing_support
