// Protrusions against answers that need no search: boxes by a formula, other bodies by samples of their surfaces. The
// depth is a function with slope 1, so samples at distances of at most h give it within h, from below and from above.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "measure/bodies.h"
#include "measure/rational_volume.h"
#include "scenes/scenes.h"
#include "sightline/depth.h"
#include "support/random.h"

namespace protrusion_tests {
namespace {

using namespace measure_bodies;
using sightline::Contact;
using sightline::Protrusion;
using sightline::Protrusions;
using sightline::protrusions;
using sightline::Side;

Vec3d minus(const Vec3d& p, const Vec3d& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }
double dot(const Vec3d& p, const Vec3d& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }
double length(const Vec3d& p) { return std::sqrt(dot(p, p)); }

/// By the projection onto the plane and onto each edge, in long double.
double distance_to(const std::array<Vec3d, 3>& t, const Vec3d& p) {
  using Real = long double;
  const auto sub = [](const Vec3d& x, const Vec3d& y) {
    return std::array<Real, 3>{Real(x[0]) - y[0], Real(x[1]) - y[1], Real(x[2]) - y[2]};
  };
  const auto product = [](const auto& x, const auto& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; };
  const auto d = sub(t[1], t[0]), e = sub(t[2], t[0]), w = sub(p, t[0]);
  const Real dd = product(d, d), de = product(d, e), ee = product(e, e), wd = product(w, d), we = product(w, e);
  const Real det = dd * ee - de * de, s = ee * wd - de * we, r = dd * we - de * wd;
  Real best = std::numeric_limits<Real>::infinity();
  if (det > 0 && s >= 0 && r >= 0 && s + r <= det) {
    std::array<Real, 3> x;
    for (int k = 0; k < 3; ++k) x[k] = w[k] - (s * d[k] + r * e[k]) / det;
    best = product(x, x);
  }
  for (int i = 0; i < 3; ++i) {
    const auto along = sub(t[(i + 1) % 3], t[i]), from = sub(p, t[i]);
    const Real all = product(along, along);
    const Real at = all > 0 ? std::clamp(product(along, from) / all, Real(0), Real(1)) : Real(0);
    std::array<Real, 3> x;
    for (int k = 0; k < 3; ++k) x[k] = from[k] - at * along[k];
    best = std::min(best, product(x, x));
  }
  return static_cast<double>(std::sqrt(best));
}
double depth_at(const Body& other, const Vec3d& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < other.triangles.size(); ++i)
    least = std::min(least, distance_to(other.view().corners(i), p));
  return least;
}

/// The greatest depth of samples of a's surface inside b, and the distance within which every point has a sample.
struct Sampled {
  double depth = 0, step = 0;
};
Sampled sampled(const Body& a, const Body& b, int n) {
  Sampled result;
  for (std::size_t i = 0; i < a.triangles.size(); ++i) {
    const std::array<Vec3d, 3> t = a.view().corners(i);
    for (int k = 0; k < 3; ++k) result.step = std::max(result.step, length(minus(t[k], t[(k + 1) % 3])) / n);
    for (int u = 0; u <= n; ++u)
      for (int v = 0; u + v <= n; ++v) {
        Vec3d p;
        for (int k = 0; k < 3; ++k) p[k] = t[0][k] + (t[1][k] - t[0][k]) * u / n + (t[2][k] - t[0][k]) * v / n;
        if (side_of(b.view(), p) == Side::inside) result.depth = std::max(result.depth, depth_at(b, p));
      }
  }
  return result;
}

/// The facts that hold for every protrusion of a into b.
void check(const Protrusion& found, const Body& a, const Body& b, double size) {
  const Interval& depth = found.depth;
  ASSERT_LE(0, depth.low);
  ASSERT_LE(depth.low, depth.high);
  EXPECT_LE(depth.width(), std::max(1e-12 * depth.high, 0x1p-38 * size)) << depth.low << " " << depth.high;
  if (depth.high == 0) return;
  EXPECT_NEAR(depth_at(b, found.point), depth.low, 1e-12 * size);
  EXPECT_NEAR(length(minus(found.point, found.nearest)), depth.low, 1e-12 * size);
  EXPECT_NEAR(distance_to(a.view().corners(found.triangle), found.point), 0, 1e-12 * size);
  EXPECT_NEAR(distance_to(b.view().corners(found.other_triangle), found.nearest), 0, 1e-12 * size);
  if (depth.low > 1e-9 * size) {
    EXPECT_EQ(side_of(b.view(), found.point), Side::inside);
  }
}

void check_samples(const Protrusion& found, const Body& a, const Body& b, int n, double size) {
  check(found, a, b, size);
  const Sampled truth = sampled(a, b, n);
  EXPECT_GE(found.depth.high, truth.depth - 1e-15 * size);  // samples are rounded
  EXPECT_LE(found.depth.low, truth.depth + truth.step);
}

Interval swapped_depth(const Body& a, const Body& b, bool first) {
  const Protrusions p = protrusions(b.view(), a.view());
  return first ? p.b.depth : p.a.depth;
}

/// Swapped parts, permuted triangles and a common translation by integers change no depth.
void check_invariance(const Protrusions& found, const Body& a, const Body& b, Random& random, const Vec3d& by) {
  EXPECT_EQ(swapped_depth(a, b, true), found.a.depth);
  EXPECT_EQ(swapped_depth(a, b, false), found.b.depth);
  const Body c = shuffled(a, random).moved(by), d = shuffled(b, random).moved(by);
  const Protrusions moved = protrusions(c.view(), d.view());
  EXPECT_EQ(moved.a.depth, found.a.depth);
  EXPECT_EQ(moved.b.depth, found.b.depth);
}

struct Lattice {
  Vec3d low, high;
};
Lattice random_lattice(Random& random, int n) {
  Lattice l;
  for (int k = 0; k < 3; ++k) {
    l.low[k] = random.below(n);
    l.high[k] = l.low[k] + 1 + random.below(n);
  }
  return l;
}

/// Within a box, the depth below another box is the least of three functions, each of one coordinate. So the greatest
/// depth is the least of three greatest ones.
double box_depth(const Lattice& a, const Lattice& b) {
  double most = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (const double at : {a.low[axis], a.high[axis]}) {
      double depth = std::numeric_limits<double>::infinity();
      for (int k = 0; k < 3; ++k) {
        const double low = k == axis ? at : std::max(a.low[k], b.low[k]);
        const double high = k == axis ? at : std::min(a.high[k], b.high[k]);
        const double middle = std::clamp(0.5 * (b.low[k] + b.high[k]), low, std::max(low, high));
        depth = low > high ? 0 : std::min(depth, std::max(0.0, std::min(middle - b.low[k], b.high[k] - middle)));
        if (low > high) break;
      }
      most = std::max(most, depth);
    }
  return most;
}

TEST(Protrusion, LatticeBoxes) {
  Random random(1);
  int deep = 0;
  for (int round = 0; round < 9000 && !HasFailure(); ++round) {
    const Lattice a = random_lattice(random, 6), b = random.chance(0.05) ? a : random_lattice(random, 6);
    const Turn turn = random_turn(random);
    const double scale = turn.factor * std::ldexp(1.0, random.below(9) - 4);
    const auto place = [&](const Lattice& l) {
      return bodies::box(l.low, l.high).mapped(turn).scaled(scale / turn.factor);
    };
    const Body body_a = place(a), body_b = place(b);
    SCOPED_TRACE(round);
    const Protrusions found = protrusions(body_a.view(), body_b.view());
    const double in_b = scale * box_depth(a, b), in_a = scale * box_depth(b, a);
    EXPECT_TRUE(holds(found.a.depth, in_b));
    EXPECT_TRUE(holds(found.b.depth, in_a));
    EXPECT_EQ(found.a == Protrusion{}, in_b == 0);
    EXPECT_EQ(found.b == Protrusion{}, in_a == 0);
    check(found.a, body_a, body_b, 12 * scale);
    check(found.b, body_b, body_a, 12 * scale);
    deep += in_b > 0;
    if (round % 8 == 0) check_invariance(found, body_a, body_b, random, {1024, -4096, 512});
  }
  EXPECT_GT(deep, 2000);
}

TEST(Protrusion, Tetrahedra) {
  Random random(2);
  int deep = 0;
  for (int round = 0; round < 1500 && !HasFailure(); ++round) {
    const bool lattice = random.chance(0.5);
    const auto tetrahedron = [&] {
      std::array<Vec3d, 4> p;
      for (Vec3d& x : p)
        for (double& c : x) c = lattice ? random.below(6) : random.in(0, 5);
      return bodies::tetrahedron(p);
    };
    const Body a = tetrahedron(), b = tetrahedron();
    if (!sightline::topology(a.view()).closed() || !sightline::topology(b.view()).closed()) continue;
    SCOPED_TRACE(round);
    const Protrusions found = protrusions(a.view(), b.view());
    check_samples(found.a, a, b, 12, 8);
    check_samples(found.b, b, a, 12, 8);
    deep += found.a.depth.low > 0;
    if (lattice) check_invariance(found, a, b, random, {4096, 1024, -512});
  }
  EXPECT_GT(deep, 400);
}

using oracle::RationalPoint;

/// The greatest value of t with g_j(u, v) ≥ t for all j of a triangle p + u e + v f: a linear program, solved by all
/// triples of constraints. Absent if the triangle has no point with t ≥ 0.
struct Linear {  // constant + u · of_u + v · of_v + t · of_t ≥ 0
  mpq_class constant, of_u, of_v, of_t;
};
std::optional<mpq_class> greatest(const std::vector<Linear>& all) {
  std::optional<mpq_class> best;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k) {
        const Linear* row[3] = {&all[i], &all[j], &all[k]};
        const auto det = [&](auto x, auto y, auto z) {
          mpq_class sum = 0;
          for (int r = 0; r < 3; ++r) {
            const Linear &p = *row[r], &q = *row[(r + 1) % 3], &s = *row[(r + 2) % 3];
            sum += p.*x * (q.*y * (s.*z) - s.*y * (q.*z));
          }
          return sum;
        };
        const mpq_class d = det(&Linear::of_u, &Linear::of_v, &Linear::of_t);
        if (sgn(d) == 0) continue;
        const mpq_class u = -det(&Linear::constant, &Linear::of_v, &Linear::of_t) / d,
                        v = -det(&Linear::of_u, &Linear::constant, &Linear::of_t) / d,
                        t = -det(&Linear::of_u, &Linear::of_v, &Linear::constant) / d;
        if (sgn(t) < 0 || (best && t <= *best)) continue;
        const auto holds_at = [&](const Linear& g) {
          return sgn(mpq_class(g.constant + u * g.of_u + v * g.of_v + t * g.of_t)) >= 0;
        };
        if (std::all_of(all.begin(), all.end(), holds_at)) best = t;
      }
  return best;
}

/// The protrusion into a box that is turned: inside, the depth is the least distance from its six planes, which are
/// linear functions with rational coefficients.
mpq_class exact_protrusion(const Body& a, const Lattice& box, const Turn& turn) {
  mpq_class most = 0;
  for (const Triangle& t : a.triangles) {
    const RationalPoint p = oracle::rational(a.points[t[0]]), q = oracle::rational(a.points[t[1]]),
                        r = oracle::rational(a.points[t[2]]);
    std::vector<Linear> all{{0, 1, 0, 0}, {0, 0, 1, 0}, {1, -1, -1, 0}};
    for (int k = 0; k < 3; ++k) {
      const auto along = [&](const RationalPoint& x) {
        mpq_class sum = 0;
        for (int i = 0; i < 3; ++i) sum += x[i] * turn.rows[i][k];
        return mpq_class(sum / turn.factor);
      };
      const mpq_class at = along(p), of_u = along(q) - at, of_v = along(r) - at;
      all.push_back({at - box.low[k] * turn.factor, of_u, of_v, -1});
      all.push_back({box.high[k] * turn.factor - at, -of_u, -of_v, -1});
    }
    if (const auto depth = greatest(all)) most = std::max(most, *depth);
  }
  return most;
}

TEST(Protrusion, IntoTurnedBoxesAgainstRationals) {
  Random random(7);
  int deep = 0;
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    const Lattice box = random_lattice(random, 6);
    const Turn turn = random_turn(random);
    const Body b = bodies::box(box.low, box.high).mapped(turn);
    const bool lattice = random.chance(0.5);
    std::array<Vec3d, 4> p;
    for (Vec3d& x : p)
      for (double& c : x) c = turn.factor * (lattice ? random.below(9) : random.in(0, 9));
    const Body a = bodies::tetrahedron(p);
    if (!sightline::topology(a.view()).closed()) continue;
    SCOPED_TRACE(round);
    const mpq_class truth = exact_protrusion(a, box, turn);
    const Interval depth = protrusions(a.view(), b.view()).a.depth;
    EXPECT_LE(mpq_class(depth.low), truth) << truth.get_d();
    EXPECT_GE(mpq_class(depth.high), truth) << truth.get_d();
    EXPECT_EQ(depth == Interval{}, sgn(truth) == 0);
    EXPECT_LE(depth.width(), std::max(1e-12 * depth.high, 2e-12 * 9 * turn.factor));
    deep += sgn(truth) > 0;
  }
  EXPECT_GT(deep, 100);
}

// A ring of many corners in a bore of many others reaches into the wall by less than it keeps away from it elsewhere:
// the depth is that of its corners, and no distance outside is taken for one.
TEST(Protrusion, PolygonalRingsInBoresAreNarrow) {
  const auto prism = [](int n, double radius, double low, double high, bool outwards) {
    Body body;
    for (int i = 0; i < n; ++i)
      for (const double z : {low, high})
        body.points.push_back(
            {radius * std::cos(2 * std::numbers::pi * i / n), radius * std::sin(2 * std::numbers::pi * i / n), z});
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n); ++i) {
      const std::uint32_t p = 2 * i, q = 2 * ((i + 1) % static_cast<std::uint32_t>(n));
      body.triangles.push_back(outwards ? Triangle{p, q, q + 1} : Triangle{q, p, q + 1});
      body.triangles.push_back(outwards ? Triangle{p, q + 1, p + 1} : Triangle{q + 1, p, p + 1});
    }
    return body;
  };
  const auto ring = [&](int n, double inner, double outer, double low, double high) {
    Body body = prism(n, outer, low, high, true);
    body.add(prism(n, inner, low, high, false));
    const auto count = static_cast<std::uint32_t>(2 * n);
    for (std::uint32_t i = 0; i < count; i += 2)
      for (std::uint32_t end = 0; end < 2; ++end) {
        const std::uint32_t p = i + end, q = (i + 2) % count + end;
        body.triangles.push_back(end ? Triangle{p, q, q + count} : Triangle{q, p, q + count});
        body.triangles.push_back(end ? Triangle{p, q + count, p + count} : Triangle{q + count, p, p + count});
      }
    return body;
  };
  const Body liner = ring(52, 1, 1.25, -2, 2), piston = ring(38, 0.75, 1, -0.125, 0.125);
  ASSERT_TRUE(sightline::topology(liner.view()).closed());
  ASSERT_TRUE(sightline::topology(piston.view()).closed());
  const Protrusions found = protrusions(liner.view(), piston.view());
  for (const Protrusion& p : {found.a, found.b}) {
    EXPECT_GT(p.depth.low, 0.0015);
    EXPECT_LE(p.depth.width(), 1e-9 * p.depth.high);
  }
  // Of the corners of the ring, those next to the middle of a flat of the bore are the deepest.
  double most = 0;
  for (const Vec3d& p : piston.points)
    if (side_of(liner.view(), p) == Side::inside) most = std::max(most, depth_at(liner, p));
  EXPECT_NEAR(found.b.depth.middle(), most, 1e-12);
}

TEST(Protrusion, CellSolids) {
  Random random(3);
  int deep = 0;
  for (int round = 0; round < 250 && !HasFailure(); ++round) {
    const auto body = [&](double shift) {
      Cells cells = random_box(random, 3);
      cells.merge(random_box(random, 3));
      const Turn turn = random_turn(random);
      Body solid = solid_of(cells, random.below(8)).mapped(turn).scaled(1.0 / (turn.factor == 3 ? 4 : 1));
      return solid.moved({shift, 0, 0});
    };
    const Body a = body(0), b = body(random.chance(0.5) ? 0.25 : 0);
    SCOPED_TRACE(round);
    const Protrusions found = protrusions(a.view(), b.view());
    check_samples(found.a, a, b, 6, 4);
    check_samples(found.b, b, a, 6, 4);
    deep += found.a.depth.low > 0;
    check_invariance(found, a, b, random, {256, 512, -64});
  }
  EXPECT_GT(deep, 60);
}

Body body_of(const sightline::Mesh& mesh) {
  Body body;
  for (std::size_t i = 0; i < mesh.view().positions.size(); ++i) body.points.push_back(mesh.view().position(i));
  body.triangles = mesh.triangles;
  return body;
}

// Large parts take a first look at a sample of the other surface. Neither the order of the list nor shared vertices
// change a depth.
TEST(Protrusion, LargePartsInAnyOrder) {
  Random random(8);
  const Body a = body_of(sightline::scenes::bumpy_body(5000)),
             b = body_of(sightline::scenes::bumpy_body(5000, {0.7, 0.3, 0.2}, 1, 2));
  ASSERT_GT(std::min(a.triangles.size(), b.triangles.size()), 2048u);
  const Protrusions found = protrusions(a.view(), b.view());
  check(found.a, a, b, 3);
  check(found.b, b, a, 3);
  for (const bool first : {true, false}) {
    const Body &mine = first ? a : b, &other = first ? b : a;
    double edge = 0, deepest = 0;
    for (std::size_t i = 0; i < mine.triangles.size(); ++i) {
      const std::array<Vec3d, 3> t = mine.view().corners(i);
      for (int k = 0; k < 3; ++k) edge = std::max(edge, length(minus(t[k], t[(k + 1) % 3])));
    }
    for (std::size_t i = 0; i < mine.points.size(); i += 3)
      if (side_of(other.view(), mine.points[i]) == Side::inside)
        deepest = std::max(deepest, depth_at(other, mine.points[i]));
    const Interval depth = first ? found.a.depth : found.b.depth;
    EXPECT_GT(deepest, 0.3);
    EXPECT_GE(depth.high, deepest - 1e-15);
    EXPECT_LE(depth.low, deepest + 4 * edge);  // every third vertex has neighbours that were measured
  }
  for (int round = 0; round < 2; ++round) {
    Body c = shuffled(a, random), d = shuffled(b, random);
    if (round == 1) c = c.soup();
    const Protrusions same = protrusions(c.view(), d.view());
    EXPECT_EQ(same.a.depth, found.a.depth) << round;
    EXPECT_EQ(same.b.depth, found.b.depth) << round;
    EXPECT_EQ(same.a.point, found.a.point) << round;
    EXPECT_EQ(same.b.point, found.b.point) << round;
  }
}

// Boxes with many triangles, which are equally deep along lines and in planes.
TEST(Protrusion, LargeLatticeBoxes) {
  const Lattice boxes[] = {{{0, 0, 0}, {20, 22, 6}}, {{-3, 5, 2}, {30, 17, 11}}, {{4, 4, -9}, {16, 19, 15}}};
  std::vector<Body> bodies;
  for (const Lattice& l : boxes) {
    Cells cells;
    for (int x = static_cast<int>(l.low[0]); x < l.high[0]; ++x)
      for (int y = static_cast<int>(l.low[1]); y < l.high[1]; ++y)
        for (int z = static_cast<int>(l.low[2]); z < l.high[2]; ++z) cells.insert({x, y, z});
    bodies.push_back(solid_of(cells, 3));
    ASSERT_GT(bodies.back().triangles.size(), 2048u);
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Protrusions found = protrusions(bodies[i].view(), bodies[j].view());
      EXPECT_TRUE(holds(found.a.depth, box_depth(boxes[i], boxes[j]))) << i << j;
      EXPECT_TRUE(holds(found.b.depth, box_depth(boxes[j], boxes[i]))) << i << j;
      check(found.a, bodies[i], bodies[j], 40);
    }
}

TEST(Protrusion, ShellsAndTangentSpheres) {
  const sightline::Mesh a = sightline::scenes::bumpy_body(800),
                        b = sightline::scenes::bumpy_body(800, {0, 0, 0}, 0.5, 2);
  const Body outer = body_of(a), inner = body_of(b);
  const Protrusions nested = protrusions(inner.view(), outer.view());
  check_samples(nested.a, inner, outer, 2, 3);
  EXPECT_EQ(nested.b, Protrusion{});
  EXPECT_GT(nested.a.depth.low, 0.1);
  // Two octahedra that touch in a corner, and that reach into each other by 2^-20.
  for (const double sunk : {0.0, 0x1p-20}) {
    const Body left = bodies::octahedron({0, 0, 0}, 1), right = bodies::octahedron({2 - sunk, 0, 0}, 1);
    const Protrusions found = protrusions(left.view(), right.view());
    EXPECT_EQ(found.a.depth, found.b.depth);
    if (sunk == 0) {
      EXPECT_EQ(found.a, Protrusion{});
    } else {
      EXPECT_TRUE(holds(found.a.depth, sunk / std::sqrt(3.0)));
    }
  }
}

TEST(Protrusion, ShallowOverlapsOfLargeTurnedBoxesAreNarrow) {
  // A wall of 10 that is turned, rounded and written as it is: it sinks into the floor by about 1e-8.
  const double c = std::cos(0.3), s = std::sin(0.3);
  const auto turned = [&](const Body& body) {
    return body.mapped([&](const Vec3d& p) {
      return Vec3d{c * p[0] - s * p[1] + 100, s * p[0] + c * p[1] - 50, 0.96 * p[2] + 0.28 * p[1]};
    });
  };
  const Body floor = turned(bodies::box({0, 0, 0}, {10, 8, 1})),
             wall = turned(bodies::box({2, 3, 1 - 1e-8}, {9, 4, 4}));
  const Protrusions found = protrusions(wall.view(), floor.view());
  EXPECT_LT(found.a.depth.high, 1.001e-8);
  EXPECT_LT(found.b.depth.high, 1.001e-8);
  EXPECT_GT(found.a.depth.low, 0.9e-8);
  check(found.a, wall, floor, 10);
}

TEST(Protrusion, ThreadsChangeNothing) {
  const sightline::Mesh a = sightline::scenes::bumpy_body(4000);
  const sightline::Mesh b = sightline::scenes::bumpy_body(4000, {0.7, 0.3, 0.2}, 1, 2);
  const Protrusions one = protrusions(a, b, {.threads = 1});
  for (const unsigned threads : {2u, 5u}) {
    const Protrusions many = protrusions(a, b, {.threads = threads});
    EXPECT_EQ(many.a, one.a);
    EXPECT_EQ(many.b, one.b);
  }
}

TEST(Protrusion, RefusesOpenPartsAndCanBeCancelled) {
  const Body box = bodies::box({0, 0, 0}, {1, 1, 1}), open = box.without(3);
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const sightline::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { protrusions(box.view(), open.view()); }),
            "protrusions: part b is open: 3 of its edges have an odd number of triangles; it has no inside");
  EXPECT_NE(message([&] { protrusions(box.view(), box.view(), {.cancel = [] { return true; }}); }), "");
  const Contact wrong{0, 1, 12, 0, sightline::Kind::crossing};
  EXPECT_NE(message([&] { protrusions(box.view(), box.view(), std::span(&wrong, 1)); }), "");
}

}  // namespace
}  // namespace protrusion_tests
