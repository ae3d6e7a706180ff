// Overlap of insides against truths found without triangles: voxels, and separating planes of lattice tetrahedra.
#include <gtest/gtest.h>

#include <algorithm>

#include "solid/bodies.h"
#include "support/random.h"

namespace {

using namespace bodies;
using sightline::PartPair;
using sightline::Kind;
using sightline::Relation;
using testing_support::Random;

std::uint64_t crossings(const PartPair& clash) { return clash.contacts[static_cast<int>(Kind::crossing)]; }

struct Tally {
  int overlap_without_crossing = 0, touch = 0;
  void add(const PartPair& clash) {
    overlap_without_crossing += clash.relation == Relation::clash && crossings(clash) == 0;
    touch += clash.relation == Relation::touch;
  }
};

/// Cells within `n`^3, grown from a few boxes, so that common planes and nesting are frequent.
Voxels random_voxels(Random& random, int n, int boxes) {
  Voxels cells;
  for (int i = 0; i < boxes; ++i) {
    int lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
      lo[k] = random.below(n);
      hi[k] = lo[k] + 1 + random.below(n - lo[k]);
    }
    for (int x = lo[0]; x < hi[0]; ++x)
      for (int y = lo[1]; y < hi[1]; ++y)
        for (int z = lo[2]; z < hi[2]; ++z) cells.insert({x, y, z});
  }
  return cells;
}

TEST(Overlap, VoxelSolids) {
  Random random(3);
  Tally tally;
  for (int round = 0; round < 3000; ++round) {
    const Voxels a = random_voxels(random, 3, 1 + round % 2), b = random_voxels(random, 3, 1 + round / 2 % 2);
    const PartPair clash = relation(voxels(a, random.below(8)), voxels(b, random.below(8)));
    tally.add(clash);
    const bool common = std::ranges::any_of(a, [&](const auto& cell) { return b.count(cell) > 0; });
    const bool meet = std::ranges::any_of(a, [&](const auto& p) {
      return std::ranges::any_of(b, [&](const auto& q) {
        return std::abs(p[0] - q[0]) <= 1 && std::abs(p[1] - q[1]) <= 1 && std::abs(p[2] - q[2]) <= 1;
      });
    });
    const bool contains = common && clash.contacts[0] + clash.contacts[1] + clash.contacts[2] + clash.contacts[3] == 0;
    const Relation expected = contains ? Relation::contains
                              : common ? Relation::clash
                              : meet   ? Relation::touch
                                       : Relation::clear;
    ASSERT_EQ(clash.relation, expected) << round;
  }
  EXPECT_GT(tally.overlap_without_crossing, 100);
  EXPECT_GT(tally.touch, 100);
}

/// Boxes with faces cut into a grid at will, some of them twice or three times, added up modulo two: surfaces that
/// cross, cover and cancel themselves.
TEST(Overlap, BoxesAddedUpModuloTwo) {
  Random random(4);
  Tally tally;
  int pieces = 0;
  for (int round = 0; round < 1500; ++round) {
    const BoxSum a = random_boxes(random, 3, 1 + random.below(3)), b = random_boxes(random, 3, 1 + random.below(3));
    const PartPair clash = relation(a.body, b.body);
    tally.add(clash);
    const bool overlap = std::ranges::any_of(a.odd, [&](const auto& cell) { return b.odd.count(cell) != 0; });
    const bool reaches = a.reached_by(b) || b.reached_by(a);
    pieces += reaches && !overlap && crossings(clash) == 0;
    const bool is_in = clash.relation == Relation::clash || clash.relation == Relation::contains;
    ASSERT_EQ(is_in, overlap || reaches || crossings(clash) > 0) << round;
  }
  EXPECT_GT(tally.overlap_without_crossing, 200);
  EXPECT_GT(tally.touch, 100);
  EXPECT_GT(pieces, 20);
}

/// Convex bodies have disjoint insides if and only if a plane along a face of one, or along an edge of each, separates
/// them. Small integers: exact.
using Lattice = std::array<std::array<int, 3>, 4>;
std::array<int, 3> cross(const std::array<int, 3>& p, const std::array<int, 3>& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}
std::array<int, 3> minus(const std::array<int, 3>& p, const std::array<int, 3>& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
int dot(const std::array<int, 3>& p, const std::array<int, 3>& q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }

bool separated(const Lattice& a, const Lattice& b, const std::array<int, 3>& n) {
  if (n == std::array<int, 3>{}) return false;
  const auto range = [&](const Lattice& t) {
    return std::minmax({dot(n, t[0]), dot(n, t[1]), dot(n, t[2]), dot(n, t[3])});
  };
  const auto [a_lo, a_hi] = range(a);
  const auto [b_lo, b_hi] = range(b);
  return a_hi <= b_lo || b_hi <= a_lo;
}
bool insides_meet(const Lattice& a, const Lattice& b) {
  for (const Lattice* t : {&a, &b})
    for (int i = 0; i < 4; ++i) {
      const auto &p = (*t)[i], &q = (*t)[(i + 1) % 4], &r = (*t)[(i + 2) % 4];
      if (separated(a, b, cross(minus(q, p), minus(r, p)))) return false;
    }
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        for (int l = k + 1; l < 4; ++l)
          if (separated(a, b, cross(minus(a[j], a[i]), minus(b[l], b[k])))) return false;
  return true;
}
int volume(const Lattice& t) { return dot(cross(minus(t[1], t[0]), minus(t[2], t[0])), minus(t[3], t[0])); }
Lattice random_lattice(Random& random, int n) {
  Lattice t;
  do {
    for (auto& p : t)
      for (int& x : p) x = random.below(n);
  } while (volume(t) == 0);
  return t;
}
/// One to three corners in common with t: common faces, edges in faces, edges through edges.
Lattice related(Random& random, const Lattice& t, int n) {
  Lattice other;
  do {
    other = random_lattice(random, n);
    for (int i = 0, common = 1 + random.below(3); i < common; ++i) other[i] = t[i];
  } while (volume(other) == 0);
  return other;
}
Body solid_of(const Lattice& t) {
  std::array<Vec3d, 4> p;
  for (int i = 0; i < 4; ++i) p[i] = {double(t[i][0]), double(t[i][1]), double(t[i][2])};
  return tetrahedron(p);
}

TEST(Overlap, LatticeTetrahedra) {
  Random random(5);
  Tally tally;
  for (int round = 0; round < 20000; ++round) {
    const int n = 2 + round % 4;
    const Lattice a = random_lattice(random, n);
    Lattice b = random_lattice(random, n);
    if (round % 8 >= 4) b = related(random, a, n);
    const PartPair clash = relation(solid_of(a), solid_of(b));
    tally.add(clash);
    if (clash.relation == Relation::contains) continue;
    ASSERT_EQ(clash.relation == Relation::clash, insides_meet(a, b)) << round;
  }
  EXPECT_GT(tally.overlap_without_crossing, 300);
  EXPECT_GT(tally.touch, 1000);
}

/// Each part several tetrahedra with disjoint insides: inner walls, edges and corners in common.
TEST(Overlap, PacksOfLatticeTetrahedra) {
  Random random(6);
  Tally tally;
  for (int round = 0; round < 3000; ++round) {
    const int n = 2 + round % 3;
    std::vector<Lattice> pack[2];
    Body body[2];
    for (int which = 0; which < 2; ++which)
      for (int tries = 0; tries < 20 && pack[which].size() < 4; ++tries) {
        const Lattice t = random_lattice(random, n);
        const auto clear_of = [&](const Lattice& other) { return !insides_meet(t, other); };
        // The second pack is mostly clear of the first, so that touching is frequent.
        const bool keep = std::ranges::all_of(pack[which], clear_of) &&
                          (which == 0 || random.chance(0.02) || std::ranges::all_of(pack[0], clear_of));
        if (!keep) continue;
        pack[which].push_back(t);
        body[which].add(solid_of(t));
      }
    const PartPair clash = relation(body[0], body[1]);
    tally.add(clash);
    bool overlap = false;
    for (const Lattice& a : pack[0])
      for (const Lattice& b : pack[1]) overlap |= insides_meet(a, b);
    if (clash.relation == Relation::contains) continue;
    ASSERT_EQ(clash.relation == Relation::clash, overlap || crossings(clash) > 0) << round;
  }
  EXPECT_GT(tally.overlap_without_crossing, 20);
  EXPECT_GT(tally.touch, 500);
}

}  // namespace
