// The proof that triangles of a patch do not meet each other: it never holds where they do.
#include "method/patch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "method/run_method.h"
#include "scenes/papers/papers.h"
#include "scenes/scenes.h"
#include "support/sizes.h"

namespace testing_support {
namespace {

using namespace sightline::papers::method;

const MethodSettings kOptions = with(MethodName::self_cullide, Precision::conservative, 64);

struct Proof {
  explicit Proof(const Mesh& mesh, unsigned threads = 1)
      : inside({"mesh", {mesh}, Objects::all}, kOptions, threads), facing(inside.scene), vertex(welded(inside.scene)) {}
  /// Of all triangles, along the mean normal; normals are turned to the side of those before them.
  bool holds() {
    const Hierarchy all(inside.scene);
    Vec3d sum = {0, 0, 0};
    for (const Facing::Of& of : facing.triangles) {
      const double side = sum[0] * of.normal[0] + sum[1] * of.normal[1] + sum[2] * of.normal[2] < 0 ? -1 : 1;
      for (int k = 0; k < 3; ++k) sum[k] += side * of.normal[k];
    }
    return PatchProof(inside.scene, vertex).holds(all.all(), sum);
  }
  Patches patches() { return patches_of(*inside.context, facing, vertex, Hierarchy(inside.scene).all(), 0); }

  Inside inside;
  Facing facing;
  std::vector<std::uint32_t> vertex;
};

Mesh part_of(const Mesh& mesh, std::span<const std::uint32_t> triangles) {
  std::vector<Triangle> some;
  for (const std::uint32_t t : triangles) some.push_back(mesh.triangles[t]);
  return with_triangles(mesh, std::move(some));
}
std::size_t contacts_of(const Mesh& mesh) { return sightline::self_intersections(mesh).contacts.size(); }

/// n x n squares; height(x, y) lifts them.
template <typename Height>
Mesh sheet(int n, const Height& height) {
  Builder builder;
  for (int y = 0; y <= n; ++y)
    for (int x = 0; x <= n; ++x) builder.corner({double(x), double(y), height(x, y)});
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const auto at = static_cast<std::uint32_t>((n + 1) * y + x);
      builder.indexed(at, at + 1, at + n + 2);
      builder.indexed(at, at + n + 2, at + n + 1);
    }
  return builder.mesh();
}

/// A fan around the origin: `turns` times around in `steps` triangles; height(i) lifts corner i. Closed: the last
/// corner is the first.
template <typename Height>
Mesh fan(int turns, int steps, bool closed, const Height& height) {
  Builder builder;
  builder.corner({0, 0, 0});
  for (int i = 0; i <= steps; ++i) {
    if (i == steps && closed) break;
    const double angle = 2 * std::numbers::pi * turns * i / steps;
    builder.corner({std::cos(angle), std::sin(angle), height(i)});
  }
  for (int i = 0; i < steps; ++i)
    builder.indexed(0, static_cast<std::uint32_t>(1 + i),
                    static_cast<std::uint32_t>(i + 1 == steps && closed ? 1 : 2 + i));
  return builder.mesh();
}

TEST(Patch, HoldsForSheets) {
  EXPECT_TRUE(Proof(sheet(8, [](int, int) { return 0.0; })).holds());
  EXPECT_TRUE(Proof(sheet(8, [](int x, int y) { return 0.1 * x * y; })).holds());
  EXPECT_TRUE(Proof(unindexed(sheet(8, [](int x, int y) { return 0.3 * std::sin(x + 2 * y); }))).holds());
  // Wound at random.
  Mesh mixed = sheet(8, [](int x, int y) { return 0.02 * x * x + 0.01 * y; });
  Random random(3);
  for (Triangle& t : mixed.triangles)
    if (random.chance(0.5)) std::swap(t[1], t[2]);
  EXPECT_TRUE(Proof(mixed).holds());
  // With a hole: one loop inside the other.
  Mesh ring = sheet(9, [](int, int) { return 0.0; });
  ring.triangles.erase(ring.triangles.begin() + 80, ring.triangles.begin() + 82);
  EXPECT_TRUE(Proof(ring).holds());
  EXPECT_TRUE(Proof(fan(1, 7, true, [](int) { return 0.3; })).holds());
  EXPECT_TRUE(Proof(fan(1, 7, false, [](int i) { return 0.1 * i; })).holds() ||
              contacts_of(fan(1, 7, false, [](int i) { return 0.1 * i; })) > 0);
}

TEST(Patch, FailsWhereTrianglesMeet) {
  Builder builder;
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  EXPECT_FALSE(Proof(builder.mesh()).holds()) << "a duplicate";
  builder = {};
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0.3, 0.9, 0});
  EXPECT_FALSE(Proof(builder.mesh()).holds()) << "coplanar on one side of the common edge";
  builder = {};
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  builder.triangle({0.2, 0.2, 0}, {1.2, 0.2, 0.1}, {0.2, 1.2, 0.1});
  EXPECT_FALSE(Proof(builder.mesh()).holds()) << "a corner on a face";
  builder = {};
  builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  builder.triangle({0.5, 0.5, 0}, {1, 1, 0}, {0, 1.5, 0});
  EXPECT_FALSE(Proof(builder.mesh()).holds()) << "a corner on an edge";
  builder = {};
  builder.triangle({0, 0, 0}, {1, 0, 0}, {2, 0, 0});
  builder.triangle({1, 0, 0}, {1, 1, 0}, {0, 1, 0});
  EXPECT_FALSE(Proof(builder.mesh()).holds()) << "a degenerate triangle";
  // All normals face up, and the surface goes around a corner twice: it must meet itself.
  for (const bool closed : {true, false}) {
    const Mesh twice = fan(2, 14, closed, [](int i) { return 0.05 * i; });
    EXPECT_FALSE(Proof(twice).holds());
    if (closed) {
      EXPECT_GT(contacts_of(twice), 0u);
    }
  }
}

// The outlines of two components do not meet, but one lies inside the other.
TEST(Patch, FailsForOneComponentOverAnother) {
  Builder builder;
  builder.triangle({0, 0, 0}, {9, 0, 0}, {0, 9, 0});
  builder.triangle({1, 1, 0}, {2, 1, 0}, {1, 2, 0});
  EXPECT_EQ(contacts_of(builder.mesh()), 1u);
  EXPECT_FALSE(Proof(builder.mesh()).holds());
}

/// A number as the sum of two doubles: about 100 bits, as good as exact beside errors of double.
struct Quad {
  double high, low = 0;
  friend Quad operator+(const Quad& a, const Quad& b) {
    const double sum = a.high + b.high, back = sum - a.high;
    const double rest = (a.high - (sum - back)) + (b.high - back) + a.low + b.low;
    return {sum + rest, rest - ((sum + rest) - sum)};
  }
  friend Quad operator-(const Quad& a, const Quad& b) { return a + Quad{-b.high, -b.low}; }
  friend Quad operator*(const Quad& a, const Quad& b) {
    const double product = a.high * b.high;
    const double rest = std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
    return {product + rest, rest - ((product + rest) - product)};
  }
};

// The bound of patch.h, tried with points near and far from each other and from the origin.
TEST(Patch, TurnsAreWithinTheirBound) {
  Random random(5);
  double worst = 0;
  for (std::size_t round = 0; round < smaller<std::size_t>(200'000); ++round) {
    const double far = std::exp2(random.in(-5, 40)), size = std::exp2(random.in(-20, 20));
    const auto point = [&] {
      return Vec3d{far + size * random.in(-1, 1), size * random.in(-1, 1), far * random.in(-1, 1)};
    };
    const Vec3d origin = point(), corners[3] = {point(), point(), point()};
    Flattening flat({random.in(-1, 1), random.in(-1, 1), random.in(0.1, 1)}, origin);
    Flattening::Point image[3];
    for (int i = 0; i < 3; ++i) image[i] = flat.add(corners[i]);
    ASSERT_TRUE(flat.in_range());
    Quad x[3], y[3];
    for (int i = 0; i < 3; ++i) {
      x[i] = y[i] = {0};
      for (int k = 0; k < 3; ++k) {
        const Quad d = Quad{corners[i][k]} - Quad{origin[k]};
        x[i] = x[i] + Quad{flat.u1()[k]} * d;
        y[i] = y[i] + Quad{flat.u2()[k]} * d;
      }
    }
    const Quad exact = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
    const Quad off = Quad{flat.computed_turn(image[0], image[1], image[2])} - exact;
    const double ratio = std::abs(off.high + off.low) / flat.turn_bound(image[0], image[1], image[2]);
    worst = std::max(worst, ratio);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (flat.before(image[i].x, image[j].x)) {
          ASSERT_LT((x[i] - x[j]).high, 0);
        }
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.005) << worst;  // else nothing was tried
}

/// Every patch is free of contacts; returns how many patches of two and more triangles there were.
std::size_t check_all(const Mesh& mesh, unsigned threads = 1) {
  Proof proof(mesh, threads);
  const Patches patches = proof.patches();
  std::size_t proven = 0;
  std::uint32_t at = 0;
  for (const Range& patch : patches.patches) {
    EXPECT_EQ(patch.first, at);
    at = patch.last;
    if (patch.size() < 2) continue;
    ++proven;
    EXPECT_EQ(contacts_of(part_of(mesh, std::span(patches.order).subspan(patch.first, patch.size()))), 0u)
        << patch.first << " to " << patch.last;
  }
  EXPECT_EQ(at, mesh.triangles.size());
  EXPECT_EQ(std::set<std::uint32_t>(patches.order.begin(), patches.order.end()).size(), mesh.triangles.size());
  return proven;
}

TEST(Patch, ProvenPartsAreFreeOfContacts) {
  const std::size_t n = 4000;
  EXPECT_GT(check_all(sightline::scenes::crumpled_cloth(n)), 10u);
  EXPECT_GT(check_all(sightline::scenes::self_intersecting_tube(n), 2), 10u);
  EXPECT_GT(check_all(unindexed(sightline::scenes::deformed_body(n))), 10u);
  EXPECT_GT(check_all(sightline::scenes::two_cows(n)), 10u);
  EXPECT_GE(check_all(sightline::scenes::sphere(n)), 2u);
  check_all(sightline::scenes::lattice_soup(300, 1, true));
  check_all(sightline::scenes::uniform_soup(300));
  for (const Item& item : corpus())
    if (!item.big && !item.wide) {
      SCOPED_TRACE(item.name);
      const Mesh mesh = mesh_of(item);
      if (mesh.triangles.size() > 1 && mesh.triangles.size() < 5000) check_all(mesh);
    }
}

// Triangles between corners of a small lattice: common corners and edges, coplanar overlaps, folds, no area.
TEST(Patch, RandomSetsOfTriangles) {
  Random random(7);
  std::size_t proven = 0, meet = 0;
  for (std::size_t round = 0; round < smaller<std::size_t>(20'000); ++round) {
    Builder builder;
    const int side = 2 + random.below(3), count = 2 + random.below(5);
    const double height = random.chance(0.5) ? 0 : 0.3;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) builder.corner({double(x), double(y), height * random.below(3)});
    const auto any = [&] { return static_cast<std::uint32_t>(random.below(side * side)); };
    for (int i = 0; i < count; ++i) builder.indexed(any(), any(), any());
    const Mesh mesh = builder.mesh();
    const bool has = contacts_of(mesh) > 0;
    const bool holds = Proof(mesh).holds();
    ASSERT_FALSE(has && holds) << "round " << round;
    proven += holds ? 1 : 0;
    meet += has ? 1 : 0;
  }
  EXPECT_GT(proven, smaller<std::size_t>(20'000) / 200);
  EXPECT_GT(meet, 0u);
}

// Far from the origin, of any size, and beyond what the bound covers.
TEST(Patch, ScalesAndPlaces) {
  const Mesh mesh = sheet(6, [](int x, int y) { return 0.2 * x + 0.1 * y * y; });
  for (const double scale : {1e-300, 1e-130, 1e-100, 1e-30, 1.0, 1e30, 1e130, 1e160, 1e300}) {
    const Mesh scaled = transformed(mesh, [&](const Vec3d& p) {
      return Vec3d{p[0] * scale, p[1] * scale, p[2] * scale};
    });
    const bool holds = Proof(scaled).holds();
    if (scale == 1.0) {
      EXPECT_TRUE(holds);
    }
    if (holds) {
      EXPECT_EQ(contacts_of(scaled), 0u);
    }
  }
  // Rounding moves corners onto edges: what is true then is the exact answer for the rounded corners.
  for (const double far : {1e6, 1e12, 1e14, 1e15, 1e16}) {
    const Mesh moved = transformed(mesh, [&](const Vec3d& p) { return Vec3d{p[0] / 3 + far, p[1] / 7 + far, p[2]}; });
    if (Proof(moved).holds()) {
      EXPECT_EQ(contacts_of(moved), 0u) << far;
    }
  }
}

}  // namespace
}  // namespace testing_support
