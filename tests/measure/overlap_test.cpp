// Overlaps against truths that are found without triangles (cells of a lattice), and in rationals.
#include <cmath>
#include <limits>
#include <numeric>

#include "base/box.h"
#include "measure/bodies.h"
#include "measure/rational_volume.h"
#include "scenes/scenes.h"
#include "support/sizes.h"

namespace {

using namespace measure_bodies;
using sightline::Error;
using sightline::Mesh;
using sightline::overlap;
using testing_support::smaller;

const sightline::MeasureOptions kOneThread{.threads = 1};

Extent overlap_of(const MeshView& a, const MeshView& b) { return overlap(a, b, kOneThread); }

/// Swapped parts and permuted triangles change no bit; a translation changes only places.
void expect_invariance(const Body& a, const Body& b, const Extent& expected, Random& random, const Vec3d& by) {
  EXPECT_EQ(overlap_of(b.view(), a.view()), expected) << "swapped";
  const Body c = shuffled(a, random), d = shuffled(b, random).soup();
  EXPECT_EQ(overlap_of(c.view(), d.view()), expected) << "permuted";
  const Body e = a.moved(by), f = b.moved(by);
  const Extent moved = overlap_of(e.view(), f.view());
  EXPECT_EQ(moved.volume, expected.volume) << "moved";
  EXPECT_EQ(moved.area, expected.area) << "moved";
}

// Coincident faces, shared edges, contacts of opposite and of equal orientation, cavities.
TEST(Overlap, CellSolids) {
  Random random(1);
  int touching = 0, mixed = 0, overlapping = 0;
  for (int round = 0; round < smaller(4000); ++round) {
    Cells cells[2];
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k <= round % 3; ++k) cells[i].merge(random_box(random, 4));
    const Turn turn = random_turn(random);
    const double scale = std::ldexp(1, random.below(80) - 40);
    const Body a = solid_of(cells[0], random.below(8)).mapped(turn).scaled(scale);
    const Body b = solid_of(cells[1], random.below(8)).mapped(turn).scaled(scale);
    const Extent extent = overlap_of(a.view(), b.view());
    Cells common;
    std::set_intersection(cells[0].begin(), cells[0].end(), cells[1].begin(), cells[1].end(),
                          std::inserter(common, common.begin()));
    double area = 0;
    Vec3d centre{};
    for (const Cell& cell : common) {
      for (int k = 0; k < 3; ++k) {
        centre[k] += (cell[k] + 0.5) / static_cast<double>(common.size());
        for (const int step : {-1, 1}) {
          Cell next = cell;
          next[k] += step;
          area += common.count(next) == 0;
        }
      }
    }
    const double unit = turn.factor * scale;
    ASSERT_TRUE(holds(extent.volume, static_cast<double>(common.size()) * unit * unit * unit)) << round;
    ASSERT_TRUE(holds(extent.area, area * unit * unit)) << round;
    const double smallest = static_cast<double>(std::min(cells[0].size(), cells[1].size())) * unit * unit * unit;
    ASSERT_LE(extent.volume.width(), 1e-12 * smallest) << round;
    if (common.empty()) {
      ASSERT_EQ(extent.volume, Interval{}) << round;
      ASSERT_EQ(extent.area, Interval{}) << round;
      ASSERT_FALSE(extent.centroid.has_value());
    } else {
      const Vec3d truth = turn(centre);
      for (int k = 0; k < 3; ++k) {
        const Interval widened{(*extent.centroid)[k].low - 1e-14 * unit, (*extent.centroid)[k].high + 1e-14 * unit};
        ASSERT_TRUE(holds(widened, truth[k] * scale)) << round;  // the truth is rounded, too
        ASSERT_LE((*extent.centroid)[k].width(), 1e-9 * unit) << round;
      }
    }
    // The box of all lattice points in both closed sets.
    const auto corners = [](const Cells& all) {
      Cells points;
      for (const Cell& cell : all)
        for (int i = 0; i < 8; ++i) points.insert({cell[0] + (i & 1), cell[1] + (i >> 1 & 1), cell[2] + (i >> 2)});
      return points;
    };
    const Cells p = corners(cells[0]), q = corners(cells[1]);
    Vec3d low, high;
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    for (const Cell& point : p)
      if (q.count(point)) {
        const Vec3d at = turn({double(point[0]), double(point[1]), double(point[2])});
        for (int k = 0; k < 3; ++k)
          low[k] = std::min(low[k], at[k] * scale), high[k] = std::max(high[k], at[k] * scale);
      }
    ASSERT_EQ(extent.low, low) << round;
    ASSERT_EQ(extent.high, high) << round;
    touching += common.empty() && low[0] <= high[0];
    overlapping += !common.empty();
    mixed += round % 3 > 0 && !common.empty();
    if (round % 10 == 0) expect_invariance(a, b, extent, random, {scale * 1024, -scale * 96, scale * 7});
  }
  EXPECT_GT(touching, smaller(100));
  EXPECT_GT(overlapping, smaller(1000));
  EXPECT_GT(mixed, smaller(500));
}

// Boxes that overlap and touch within one part: each point counts as often as it is covered.
TEST(Overlap, BoxesCountAsOftenAsTheyCover) {
  Random random(2);
  for (int round = 0; round < smaller(2500); ++round) {
    std::map<Cell, int> times[2];
    Body parts[2];
    const Turn turn = random_turn(random);
    for (int i = 0; i < 2; ++i)
      for (int k = random.below(3); k >= 0; --k) {
        const Cells cells = random_box(random, 4);
        for (const Cell& cell : cells) ++times[i][cell];
        parts[i].add(solid_of(cells, random.below(8)).mapped(turn));
      }
    double product = 0;
    for (const auto& [cell, n] : times[0]) {
      const auto other = times[1].find(cell);
      if (other != times[1].end()) product += n * other->second;
    }
    const double unit = std::pow(turn.factor, 3);
    const Extent extent = overlap_of(parts[0].view(), parts[1].view());
    ASSERT_TRUE(holds(extent.volume, product * unit)) << round;
    if (round % 10 == 0) expect_invariance(parts[0], parts[1], extent, random, {1 << 20, -3, 5});
  }
}

/// Containment of a rational without rounding.
bool holds_exactly(const Interval& interval, const mpq_class& truth) {
  const auto at_most = [](double x, const mpq_class& y) { return std::isinf(x) ? x < 0 : mpq_class(x) <= y; };
  return at_most(interval.low, truth) && at_most(-interval.high, -truth);
}
void expect_rational(const Body& a, const Body& b, const Extent& extent, int round) {
  const oracle::Integral truth = oracle::overlap(a.view(), b.view());
  ASSERT_TRUE(holds_exactly(extent.volume, truth.volume))
      << round << ": [" << extent.volume.low << ", " << extent.volume.high << "], " << truth.volume.get_d();
  if (sgn(truth.volume) == 0) {
    ASSERT_EQ(extent.volume, Interval{}) << round;
    return;
  }
  for (int k = 0; k < 3; ++k)
    ASSERT_TRUE(holds_exactly((*extent.centroid)[k], truth.moment[k] / truth.volume)) << round << " axis " << k;
}

/// The area of the boundary of what two tetrahedra have in common: each face clipped at the planes of the other one.
/// A face in a plane of the other counts for a alone if both face the same way, and not at all otherwise.
mpf_class common_area(const Body& a, const Body& b) {
  using oracle::RationalPoint;
  constexpr int kBits = 512;
  mpf_class sum(0, kBits);
  const auto minus = [](const RationalPoint& p, const RationalPoint& q) {
    return RationalPoint{mpq_class(p[0] - q[0]), mpq_class(p[1] - q[1]), mpq_class(p[2] - q[2])};
  };
  for (int side = 0; side < 2; ++side) {
    const Body &mine = side == 0 ? a : b, &other = side == 0 ? b : a;
    const auto corners = [](const Body& body) {
      oracle::Tetrahedron t;
      for (std::size_t i = 0; i < 4; ++i) t[i] = oracle::rational(body.points[i]);
      return t;
    };
    const oracle::Tetrahedron p = corners(mine), q = corners(other);
    for (std::size_t apex = 0; apex < 4; ++apex) {
      std::vector<RationalPoint> polygon{p[(apex + 1) % 4], p[(apex + 2) % 4], p[(apex + 3) % 4]};
      bool counts = true;
      for (std::size_t i = 0; i < 4 && counts && !polygon.empty(); ++i) {
        const RationalPoint &u = q[(i + 1) % 4], &v = q[(i + 2) % 4], &w = q[(i + 3) % 4];
        const int inner = sgn(oracle::six_volume(u, v, w, q[i]));
        std::vector<mpq_class> value;
        for (const RationalPoint& x : polygon) value.push_back(oracle::six_volume(u, v, w, x) * inner);
        if (std::all_of(value.begin(), value.end(), [](const mpq_class& x) { return sgn(x) == 0; }))
          counts = side == 0 && sgn(mpq_class(oracle::six_volume(u, v, w, p[apex]) * inner)) > 0;
        std::vector<RationalPoint> next;
        for (std::size_t j = 0; j < polygon.size(); ++j) {
          const std::size_t k = (j + 1) % polygon.size();
          if (sgn(value[j]) >= 0) next.push_back(polygon[j]);
          if (sgn(value[j]) * sgn(value[k]) < 0)
            next.push_back(oracle::zero_between(polygon[j], polygon[k], value[j], value[k]));
        }
        polygon = std::move(next);
      }
      if (!counts || polygon.size() < 3) continue;
      RationalPoint n{0, 0, 0};
      for (std::size_t j = 2; j < polygon.size(); ++j) {
        const RationalPoint d = minus(polygon[j - 1], polygon[0]), e = minus(polygon[j], polygon[0]);
        for (int k = 0; k < 3; ++k) n[k] += d[(k + 1) % 3] * e[(k + 2) % 3] - d[(k + 2) % 3] * e[(k + 1) % 3];
      }
      const mpf_class squared(mpq_class(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), kBits);
      sum += sqrt(squared) / 2;
    }
  }
  return sum;
}

Body tetrahedron(const std::array<Vec3d, 4>& p) {
  Body body{{p.begin(), p.end()}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  return body;
}

// Lattice tetrahedra (degenerate position), nearly degenerate ones, and ones of all sizes; some of them inside out.
TEST(Overlap, TetrahedraAgainstRationals) {
  Random random(3);
  int positive = 0;
  for (int round = 0; round < smaller(4000); ++round) {
    Body parts[2];
    const double far = round % 5 == 4 ? 1e6 : 0, tenth = round % 3 == 1 ? 0.1 : 1, noise = round % 3 == 2 ? 1 : 0;
    const double scale = round % 7 == 6 ? std::ldexp(1, random.below(1200) - 600) : 1;
    for (Body& part : parts) {
      std::array<Vec3d, 4> p;
      do {
        for (Vec3d& q : p)
          for (double& x : q) x = (random.below(5) * tenth + noise * random.unit() + far) * scale;
      } while (sgn(oracle::six_volume(oracle::rational(p[0]), oracle::rational(p[1]), oracle::rational(p[2]),
                                      oracle::rational(p[3]))) == 0);
      part = tetrahedron(p);
      if (random.chance(0.2)) part = part.inverted();
    }
    const Extent extent = overlap_of(parts[0].view(), parts[1].view());
    const oracle::Integral truth = oracle::overlap(parts[0].view(), parts[1].view());
    const mpq_class volume = abs(truth.volume);
    ASSERT_TRUE(holds_exactly(extent.volume, volume))
        << round << ": [" << extent.volume.low << ", " << extent.volume.high << "], " << volume.get_d();
    if (sgn(volume) == 0) {
      ASSERT_EQ(extent.volume, Interval{}) << round;
    } else {
      for (int k = 0; k < 3; ++k) {
        ASSERT_TRUE(holds_exactly((*extent.centroid)[k], truth.moment[k] / truth.volume)) << round << " axis " << k;
      }
      const mpf_class area = common_area(parts[0], parts[1]);
      if (std::isfinite(extent.area.high)) {
        ASSERT_TRUE(mpf_class(extent.area.low) <= area && area <= mpf_class(extent.area.high))
            << round << ": [" << extent.area.low << ", " << extent.area.high << "], " << area.get_d();
        ASSERT_LE(extent.area.width(), std::max(1e-11 * scale * scale, 1e-320)) << round;
      }
    }
    positive += sgn(volume) != 0;
    if (round % 10 == 0 && scale == 1 && tenth == 1 && noise == 0)
      expect_invariance(parts[0], parts[1], extent, random, {1 << 20, -3, 5});
  }
  EXPECT_GT(positive, smaller(500));
}

Body body_of(const Mesh& mesh) {
  Body body;
  const MeshView view = mesh.view();
  for (std::size_t i = 0; i < view.positions.size(); ++i) body.points.push_back(view.position(i));
  body.triangles = mesh.triangles;
  return body;
}

TEST(Overlap, BumpyBodiesAgainstRationals) {
  for (int round = 0; round < smaller(4); ++round) {
    const double at = 0.5 + 0.25 * round;
    const Body a = body_of(sightline::scenes::bumpy_body(180)),
               b = body_of(sightline::scenes::bumpy_body(80, {at, 0.3, 0.2}, 0.8, 2));
    expect_rational(a, b, overlap_of(a.view(), b.view()), round);
  }
}

Vec3d divided(const mpq_class& volume, const oracle::RationalPoint& moment) {
  return {mpq_class(moment[0] / volume).get_d(), mpq_class(moment[1] / volume).get_d(),
          mpq_class(moment[2] / volume).get_d()};
}

/// The area of the overlap is known less well there.
bool in_one_plane(const sightline::Contact& c) {
  return c.kind == sightline::Kind::coplanar || c.kind == sightline::Kind::duplicate;
}

// Boxes that overlap and touch within one part, some of them inside out as a whole: each point counts once for each
// pair of layers.
TEST(SelfOverlap, BoxesCountOnceForEachPair) {
  Random random(12);
  int none = 0, touching = 0, overlapping = 0;
  for (int round = 0; round < smaller(2500); ++round) {
    const Turn turn = random_turn(random);
    std::map<Cell, int> times;
    Body part;
    for (int k = random.below(4); k >= 0; --k) {
      const Cells cells = random_box(random, 4);
      for (const Cell& cell : cells) ++times[cell];
      part.add(solid_of(cells, random.below(8)).mapped(turn));
    }
    if (round % 3 == 0) part = part.inverted();
    const auto pairs_at = [&](const Cell& cell) {
      const auto found = times.find(cell);
      return found == times.end() ? 0 : found->second * (found->second - 1) / 2;
    };
    double volume = 0, area = 0;
    Vec3d moment{};
    sightline::Box bounds;
    for (int x = -1; x < 5; ++x)
      for (int y = -1; y < 5; ++y)
        for (int z = -1; z < 5; ++z) {
          const Cell cell{x, y, z};
          const int here = pairs_at(cell);
          volume += here;
          for (int k = 0; k < 3; ++k) {
            moment[k] += here * (cell[k] + 0.5);
            Cell next = cell;
            ++next[k];
            area += std::abs(here - pairs_at(next));
          }
          for (int i = 0; i < 8 && here > 0; ++i)
            bounds.add(turn({double(x + (i & 1)), double(y + (i >> 1 & 1)), double(z + (i >> 2))}));
        }
    const sightline::Report contacts = sightline::self_intersections(part.view());
    for (const sightline::Contact& c : contacts.contacts) {
      const sightline::Intersection common =
          sightline::intersection(part.view().corners(c.a), part.view().corners(c.b));
      for (const Vec3d& p : common.points()) bounds.add(p);
    }
    const Extent extent = sightline::self_overlap(part.view(), kOneThread);
    const double unit = turn.factor;
    ASSERT_TRUE(holds(extent.volume, volume * unit * unit * unit)) << round;
    ASSERT_TRUE(holds(extent.area, area * unit * unit)) << round;
    ASSERT_EQ(extent.low, bounds.low) << round;
    ASSERT_EQ(extent.high, bounds.high) << round;
    if (volume > 0) {
      const Vec3d truth = turn({moment[0] / volume, moment[1] / volume, moment[2] / volume});
      for (int k = 0; k < 3; ++k) {
        const Interval& found = (*extent.centroid)[k];
        ASSERT_TRUE(holds({found.low - 1e-14 * unit, found.high + 1e-14 * unit}, truth[k])) << round;
        ASSERT_LE(found.width(), 1e-9 * unit) << round;
      }
    } else if (contacts.contacts.empty()) {
      ASSERT_EQ(extent, (Extent{{}, {}, {}, sightline::Box().low, sightline::Box().high})) << round;
      ++none;
    }
    overlapping += volume > 0;
    touching += volume == 0 && !contacts.contacts.empty();
    if (std::none_of(contacts.contacts.begin(), contacts.contacts.end(), in_one_plane)) {
      ASSERT_LE(extent.area.width(), 1e-9) << round;
    }
    if (round % 10 == 0) {
      EXPECT_EQ(sightline::self_overlap(shuffled(part, random).view(), kOneThread), extent) << round;
      EXPECT_EQ(sightline::self_overlap(part.soup().view(), {.threads = 3}), extent) << round;
    }
  }
  EXPECT_GT(none, smaller(100));
  EXPECT_GT(touching, smaller(50));
  EXPECT_GT(overlapping, smaller(500));
}

// Two and three tetrahedra, on a lattice and in general position.
TEST(SelfOverlap, TetrahedraAgainstRationals) {
  Random random(13);
  int positive = 0;
  for (int round = 0; round < smaller(600); ++round) {
    const double noise = round % 3 == 0 ? 0 : 1;
    const int count = 2 + round % 2;
    std::vector<Body> bodies;
    Body part;
    for (int i = 0; i < count; ++i) {
      std::array<Vec3d, 4> p;
      int sign = 0;
      while (sign == 0) {
        for (Vec3d& q : p)
          for (double& x : q) x = random.below(5) + noise * random.unit();
        sign = sgn(oracle::six_volume(oracle::rational(p[0]), oracle::rational(p[1]), oracle::rational(p[2]),
                                      oracle::rational(p[3])));
      }
      bodies.push_back(sign > 0 ? tetrahedron(p) : tetrahedron(p).inverted());
      part.add(bodies.back());
    }
    oracle::Integral truth;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < i; ++j) {
        const oracle::Integral one =
            oracle::overlap(bodies[static_cast<std::size_t>(i)].view(), bodies[static_cast<std::size_t>(j)].view());
        truth.volume += one.volume;
        for (int k = 0; k < 3; ++k) truth.moment[k] += one.moment[k];
      }
    const Extent extent = sightline::self_overlap(part.view(), kOneThread);
    ASSERT_TRUE(holds_exactly(extent.volume, truth.volume)) << round;
    ASSERT_LE(extent.volume.width(), 1e-11) << round;
    if (count == 2) {
      const mpf_class area = common_area(bodies[0], bodies[1]);
      ASSERT_TRUE(mpf_class(extent.area.low) <= area && area <= mpf_class(extent.area.high))
          << round << ": [" << extent.area.low << ", " << extent.area.high << "], " << area.get_d();
      if (noise > 0) {
        ASSERT_LE(extent.area.width(), 1e-11) << round;
      }
    }
    if (sgn(truth.volume) == 0) continue;
    ++positive;
    const Vec3d centre = divided(truth.volume, truth.moment);
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(holds_exactly((*extent.centroid)[k], truth.moment[k] / truth.volume)) << round;
      ASSERT_GE(centre[k], extent.low[k]) << round;
      ASSERT_LE(centre[k], extent.high[k]) << round;
    }
  }
  EXPECT_GT(positive, smaller(150));
}

TEST(SelfOverlap, OfLargePartsAndOfNone) {
  Random random(14);
  const Body a = body_of(sightline::scenes::bumpy_body(3000)),
             b = body_of(sightline::scenes::bumpy_body(3000, {0.7, 0.3, 0.2}, 1, 2));
  Body both = a;
  both.add(b);
  const Extent common = overlap_of(a.view(), b.view()), self = sightline::self_overlap(both.view(), kOneThread);
  // Both intervals hold the truth.
  const auto meet = [](const Interval& x, const Interval& y) { return x.low <= y.high && y.low <= x.high; };
  EXPECT_TRUE(meet(common.volume, self.volume));
  EXPECT_TRUE(meet(common.area, self.area));
  EXPECT_LE(self.volume.width(), 1e-11);
  EXPECT_LE(self.area.width(), 1e-10);
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(meet((*common.centroid)[k], (*self.centroid)[k])) << k;
  EXPECT_EQ(common.low, self.low);
  EXPECT_EQ(common.high, self.high);
  EXPECT_EQ(sightline::self_overlap(shuffled(both, random).soup().view()), self);
  // A part without contact, one with a cavity, and one in which a body fills the space of another once more.
  const Body outer = bodies::box({0, 0, 0}, {8, 8, 8}), inner = bodies::box({1, 2, 3}, {7, 6, 5});
  Body hollow = outer, filled = outer;
  hollow.add(inner.inverted());
  filled.add(inner);
  for (const Body* clear : {&a, static_cast<const Body*>(&hollow)})
    EXPECT_EQ(sightline::self_overlap(clear->view()),
              (Extent{{}, {}, {}, sightline::Box().low, sightline::Box().high}));
  const Extent twice = sightline::self_overlap(filled.view());
  EXPECT_TRUE(holds(twice.volume, 48));
  EXPECT_TRUE(holds(twice.area, 88));
  EXPECT_EQ(twice.low, (Vec3d{1, 2, 3}));
  EXPECT_EQ(twice.high, (Vec3d{7, 6, 5}));
}

using bodies::box;

// Neighbours in the list may be far from each other, and vertices may not be shared.
TEST(Overlap, LargePartsInAnyOrder) {
  Random random(5);
  const Body a = body_of(sightline::scenes::bumpy_body(20000)),
             b = body_of(sightline::scenes::bumpy_body(20000, {0.7, 0.3, 0.2}, 1, 2));
  const Extent expected = overlap_of(a.view(), b.view());
  expect_invariance(a, b, expected, random, {1024, -96, 7});
  Body c = shuffled(a, random);
  EXPECT_EQ(overlap_of(b.view(), c.view()), expected);
  // Its edges cancel, but not by their indices.
  EXPECT_EQ(sightline::boundary(c.soup().view()), sightline::boundary(a.view()));
  EXPECT_TRUE(sightline::boundary(c.view()).encloses());
  // One triangle less, and one that is turned, anywhere in the list.
  for (const std::size_t at : {std::size_t{0}, c.triangles.size() / 2, c.triangles.size() - 1})
    for (const Body* body : {&a, static_cast<const Body*>(&c)}) {
      const sightline::Boundary open = sightline::boundary(body->without(at).view());
      EXPECT_EQ(std::pair(open.open_edges, open.turned_edges), std::pair(std::uint64_t{3}, std::uint64_t{0}));
      Body turned = *body;
      std::swap(turned.triangles[at][0], turned.triangles[at][1]);
      EXPECT_EQ(sightline::boundary(turned.view()).turned_edges, 3u);
    }
  // Twice the same part: four triangles at each edge, which cancel as well.
  Body twice = a;
  twice.triangles.insert(twice.triangles.end(), a.triangles.begin(), a.triangles.end());
  EXPECT_TRUE(sightline::boundary(twice.view()).encloses());
}

TEST(Overlap, TangentSpheresAndNestedShells) {
  // Spheres of one tessellation whose extreme vertices coincide.
  const Body a = body_of(sightline::scenes::to_double(sightline::scenes::sphere(500)));
  double reach = 0;
  for (const Vec3d& p : a.points) reach = std::max(reach, p[0]);
  const Body tangent = a.moved({2 * reach, 0, 0});
  EXPECT_EQ(overlap_of(a.view(), tangent.view()).volume, Interval{});

  const Body outer = box({0, 0, 0}, {8, 8, 8}), cavity = box({1, 1, 1}, {7, 7, 7}).inverted();
  Body shell = outer;
  shell.add(cavity);
  EXPECT_TRUE(holds(overlap_of(shell.view(), box({2, 2, 2}, {3, 3, 3}).view()).volume, 0));
  EXPECT_EQ(overlap_of(shell.view(), box({2, 2, 2}, {3, 3, 3}).view()).volume, Interval{});
  EXPECT_EQ(overlap_of(shell.view(), box({1, 1, 1}, {7, 7, 7}).view()).volume, Interval{}) << "it fills the cavity";
  EXPECT_TRUE(holds(overlap_of(shell.view(), box({0, 0, 0}, {2, 2, 2}).view()).volume, 7));
  EXPECT_TRUE(holds(overlap_of(shell.view(), shell.view()).volume, 512 - 216));
}

// A plate of a millionth of its size: the grid of 60 bits is too coarse for it.
TEST(Overlap, ThinPlatesStayNarrow) {
  for (const double thick : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Turn turn{{{{2, -1, 2}, {2, 2, -1}, {-1, 2, 2}}}, 3};
    const Body a = box({0, 0, 0}, {1, 1, thick}).mapped(turn), b = box({0.25, 0.25, -1}, {2, 2, 1}).mapped(turn);
    const Extent part = sightline::extent(a.view(), kOneThread), common = overlap_of(a.view(), b.view());
    EXPECT_LE(part.volume.width(), 1e-12 * part.volume.low) << thick;
    EXPECT_LE(common.volume.width(), 1e-12 * part.volume.low) << thick;
    expect_rational(a, b, common, 0);
  }
}

// A small part in a face of a triangle that is 1e12 and 1e200 times as large.
TEST(Overlap, SmallPartAtALargeOne) {
  for (const double large : {1e12, 1e200}) {
    const Body a = box({-large, -large, -large}, {large, large, 0.5}), b = box({0.1, 0.2, 0}, {1, 1, 1});
    const Extent common = overlap_of(a.view(), b.view());
    expect_rational(a, b, common, 0);
    EXPECT_LE(common.volume.width(), 1e-12 * 0.72);
  }
}

TEST(Overlap, ThreadsChangeNothing) {
  const Mesh a = sightline::scenes::bumpy_body(20000), b = sightline::scenes::bumpy_body(20000, {0.7, 0.3, 0.2}, 1, 2);
  const Extent one = overlap(a, b, {.threads = 1});
  EXPECT_EQ(overlap(a, b, {.threads = 4}), one);
  EXPECT_EQ(overlap(b, a, {.threads = 3}), one);
  EXPECT_LE(one.volume.width(), 1e-12 * one.volume.low);
  EXPECT_GT(one.volume.low, 1);
}

TEST(Overlap, AllPairsAreThoseOfTwo) {
  const std::vector<Mesh> balls = sightline::scenes::spheres(12, 320);
  std::vector<MeshView> views(balls.begin(), balls.end());
  sightline::Scene scene;
  for (const MeshView& view : views) scene.add(view);
  const sightline::Overlaps all = sightline::overlaps(views, scene.collide());
  EXPECT_EQ(all.boundaries.size(), balls.size());
  std::size_t found = 0;
  for (std::uint32_t a = 0; a < views.size(); ++a)
    for (std::uint32_t b = a + 1; b < views.size(); ++b) {
      const Extent one = overlap_of(views[a], views[b]);
      if (one.low[0] > one.high[0]) continue;
      ASSERT_LT(found, all.pairs.size());
      EXPECT_EQ(all.pairs[found].extent, one);
      EXPECT_EQ(std::pair(all.pairs[found].a, all.pairs[found].b), std::pair(a, b));
      ++found;
    }
  EXPECT_EQ(found, all.pairs.size());
  EXPECT_GT(found, 5u);
}

template <typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Overlap, RefusesPartsThatEncloseNoVolume) {
  const Body whole = box({0, 0, 0}, {1, 1, 1}), open = whole.without(3);
  EXPECT_EQ(message_of([&] { overlap_of(whole.view(), open.view()); }),
            "overlap: part b is open: 3 of its edges have an odd number of triangles; it encloses no volume");
  Body turned = whole;
  std::swap(turned.triangles[5][0], turned.triangles[5][1]);
  EXPECT_EQ(message_of([&] { sightline::extent(turned.view()); }),
            "extent: the part is wound inconsistently: at 3 of its edges, triangles have opposite orientations");
  EXPECT_EQ(message_of([&] { sightline::extent(Body{}.view()); }),
            "extent: the part has no triangle with area; it encloses no volume");
  EXPECT_EQ(sightline::boundary(open.view()).open_edges, 3u);
  EXPECT_EQ(sightline::boundary(turned.view()).turned_edges, 3u);
  EXPECT_TRUE(sightline::boundary(whole.view()).encloses());
}

TEST(Overlap, OfManyPartsSkipsTheOpenOnes) {
  const Body whole = box({0, 0, 0}, {1, 1, 1}), open = whole.without(3);
  const std::array<MeshView, 3> views{whole.view(), open.view(), whole.view()};
  sightline::Scene scene;
  for (const MeshView& view : views) scene.add(view);
  const sightline::Overlaps all = sightline::overlaps(views, scene.collide());
  ASSERT_EQ(all.pairs.size(), 1u);
  EXPECT_EQ(all.pairs[0].b, 2u);
  EXPECT_EQ(all.boundaries[1].open_edges, 3u);
}

TEST(Overlap, CanBeCancelled) {
  const Mesh a = sightline::scenes::bumpy_body(20000);
  int calls = 0;
  EXPECT_THROW(sightline::extent(a, {.cancel = [&] { return ++calls > 3; }}), Error);
}

}  // namespace
