// Raster::inside: by hand, and every implementation against the plain one.
#include "raster/inside.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support.h"

namespace sightline::papers::raster::test {
namespace {

class InsideTest : public RasterTest {};

/// Solids in one scene.
struct Volumes {
  Scene scene;
  std::vector<std::uint32_t> faces, edges, solid_of;
  std::vector<InsideSolid> solids;

  std::uint32_t solid(const InsideSolid& with = {}) {
    solids.push_back(with);
    return static_cast<std::uint32_t>(solids.size() - 1);
  }
  /// A triangle of the last solid.
  std::uint32_t face(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const std::uint32_t triangle = scene.add(a, b, c);
    solid_of.push_back(static_cast<std::uint32_t>(solids.size() - 1));
    faces.push_back(triangle);
    for (std::uint32_t i = 0; i < 3; ++i) edges.push_back(3 * triangle + i);
    return triangle;
  }
  /// A convex solid with eight corners, numbered as those of a box: bit k for axis k.
  void hexahedron(const std::array<Vec3d, 8>& c, const InsideSolid& with = {}, std::uint32_t without = 6) {
    constexpr std::array<std::uint32_t, 4> kSides[6] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    solid(with);
    for (std::uint32_t i = 0; i < 6; ++i) {
      if (i == without) continue;
      const auto& s = kSides[i];
      face(c[s[0]], c[s[1]], c[s[2]]);
      face(c[s[0]], c[s[2]], c[s[3]]);
    }
  }
  void box(const Vec3d& low, const Vec3d& high, const InsideSolid& with = {}, std::uint32_t without = 6) {
    std::array<Vec3d, 8> c;
    for (std::size_t i = 0; i < 8; ++i)
      c[i] = {(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1], (i & 4) != 0 ? high[2] : low[2]};
    hexahedron(c, with, without);
  }
  InsideQuery query() const { return {faces, edges, solid_of, solids}; }
};

struct Rig {
  Rig(const Which& which, const Target& target, const Camera& camera) : workers(which.threads) {
    raster = make_raster(which, workers);
    raster->target(target);
    raster->camera(camera);
  }
  std::vector<Inside> operator()(const Volumes& volumes) {
    raster->geometry(volumes.scene.geometry());
    return raster->inside(volumes.query());
  }
  Workers workers;
  std::unique_ptr<Raster> raster;
};

constexpr Target kTarget = {64, 48, DepthFormat::fixed24};

TEST_P(InsideTest, EachColumnOfAnEdge) {
  Rig run(GetParam(), kTarget, pixel_camera(64, 48));
  Volumes v;
  v.box({8, 8, 0.2}, {56, 40, 0.8});
  v.solid();
  const std::uint32_t edge = 3 * v.face({20.25, 15.3, 0.4}, {30.75, 15.3, 0.4}, {30.75, 15.3, 0.4});
  v.edges = {edge};
  const std::vector<Inside> found = run(v);
  ASSERT_EQ(found.size(), 11u);  // columns 20.5 … 30.5
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].edge, edge);
    EXPECT_EQ(found[i].solid, 0u);
    EXPECT_EQ(found[i].x, 20 + i);
    EXPECT_EQ(found[i].y, 15u);
    EXPECT_FALSE(found[i].open);
    EXPECT_NEAR(inside::depth_of(found[i].key, kTarget.format) / 0x1p24, 0.4, 1e-6);
    const Vec3d p = scene_point(pixel_camera(64, 48), kTarget, found[i].x + 0.5, 15.3, found[i].key);
    EXPECT_NEAR(p[0], 20.5 + static_cast<double>(i), 1e-6);
    EXPECT_NEAR(p[1], 15.3, 1e-6);
    EXPECT_NEAR(p[2], 0.4, 1e-6);
  }
}

TEST_P(InsideTest, BeforeBetweenAndBehind) {
  Rig run(GetParam(), kTarget, pixel_camera(64, 48));
  Volumes v;
  v.box({8, 8, 0.2}, {56, 40, 0.4});
  v.box({8, 8, 0.6}, {56, 40, 0.8});
  v.solid();
  for (const double z : {0.1, 0.3, 0.5, 0.7, 0.9}) v.face({20, 20, z}, {40, 30, z}, {20, 20, z});
  v.edges.clear();
  for (std::uint32_t t = 24; t < 29; ++t) v.edges.push_back(3 * t);
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Inside& i : run(v)) pairs.emplace(i.edge / 3 - 24, i.solid);
  EXPECT_EQ(pairs, (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {3, 1}}));
}

TEST_P(InsideTest, OnlyWantedPairs) {
  Rig run(GetParam(), kTarget, pixel_camera(64, 48));
  const auto pairs = [&](const InsideSolid& a, const InsideSolid& b) {
    Volumes v;
    v.box({8, 8, 0.2}, {56, 40, 0.8}, a);
    v.box({20.3, 15.2, 0.4}, {30.1, 22.7, 0.6}, b);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const Inside& i : run(v)) found.emplace(v.solid_of[i.edge / 3], i.solid);
    return found;
  };
  const std::set<std::pair<std::uint32_t, std::uint32_t>> inner_in_outer = {{1, 0}}, none;
  EXPECT_EQ(pairs({}, {}), inner_in_outer);
  EXPECT_EQ(pairs({.groups = 2}, {.collides_with = 2}), inner_in_outer);
  EXPECT_EQ(pairs({.groups = 2}, {.collides_with = 1}), none);
  EXPECT_EQ(pairs({.collides_with = 4}, {}), none);
}

/// Without its front, the box is open along every ray through the missing face, and only there.
TEST_P(InsideTest, OpenWhereTheRaySeesIt) {
  Rig run(GetParam(), kTarget, pixel_camera(64, 48));
  const auto samples = [&](std::uint32_t without) {
    Volumes v;
    v.box({8, 8, 0.2}, {56, 40, 0.8}, {}, without);
    v.solid();
    v.face({20.25, 15.3, 0.4}, {30.75, 15.3, 0.4}, {30.75, 15.3, 0.4});
    v.edges = {v.edges[v.edges.size() - 3]};
    std::size_t open = 0, decided = 0;
    for (const Inside& i : run(v)) ++(i.open ? open : decided);
    return std::pair(open, decided);
  };
  EXPECT_EQ(samples(6), std::pair(std::size_t{0}, std::size_t{11}));
  EXPECT_EQ(samples(0), std::pair(std::size_t{11}, std::size_t{0}));  // front
  EXPECT_EQ(samples(1), std::pair(std::size_t{11}, std::size_t{0}));  // back
  EXPECT_EQ(samples(4), std::pair(std::size_t{0}, std::size_t{11}));  // a side, which no ray crosses
}

/// Two front faces, one behind the other, of an open surface: an even number of crossings, but none leads out.
TEST_P(InsideTest, SidedFacesMustBalance) {
  Rig run(GetParam(), kTarget, pixel_camera(64, 48));
  for (const bool sided : {true, false}) {
    Volumes v;
    v.solid({.sided = sided});
    for (const double z : {0.2, 0.8}) v.face({0, 0, z}, {60, 0, z}, {0, 47, z});
    v.edges.clear();
    v.solid();
    v.face({10, 10, 0.4}, {20, 10, 0.4}, {20, 10, 0.4});
    const std::vector<Inside> found = run(v);
    EXPECT_FALSE(found.empty());
    for (const Inside& i : found) EXPECT_EQ(i.open, sided);
  }
}

class RandomFrames {
 public:
  explicit RandomFrames(std::uint64_t seed) : random_(seed) {}
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  /// Three unit vectors at right angles.
  std::array<Vec3d, 3> frame() {
    std::array<Vec3d, 3> f;
    for (Vec3d& v : f) v = {real(-1, 1), real(-1, 1), real(-1, 1)};
    const auto dot = [](const Vec3d& a, const Vec3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) {
        const double by = dot(f[i], f[j]);
        for (int k = 0; k < 3; ++k) f[i][k] -= by * f[j][k];
      }
      const double length = std::sqrt(dot(f[i], f[i]));
      for (double& x : f[i]) x /= length;
    }
    return f;
  }

 private:
  std::mt19937_64 random_;
};

/// Boxes with a common plane, turned at random: the one does not reach into the other.
TEST_P(InsideTest, TouchingSolidsDoNotPenetrate) {
  const Target target = {200, 200, DepthFormat::fixed24};
  Camera camera = pixel_camera(200, 200);
  camera.left = camera.bottom = -4, camera.right_edge = camera.top = 4, camera.near = -8, camera.far = 8;
  Rig run(GetParam(), target, camera);
  const int rounds = GetParam().on_gl() ? 16 : 120;
  std::size_t samples = 0;
  for (int round = 0; round < rounds; ++round) {
    RandomFrames random(static_cast<std::uint64_t>(round));
    std::array<Vec3d, 3> axes = random.frame();
    if (round % 2 == 1) {  // turned about one axis, so that faces are seen edge-on
      const double turn = round % 4 == 1 ? 0 : random.real(0, 6);
      const int axis = round / 4 % 3;
      axes = {};
      axes[axis][axis] = 1;
      axes[(axis + 1) % 3][(axis + 1) % 3] = axes[(axis + 2) % 3][(axis + 2) % 3] = std::cos(turn);
      axes[(axis + 1) % 3][(axis + 2) % 3] = std::sin(turn);
      axes[(axis + 2) % 3][(axis + 1) % 3] = -std::sin(turn);
    }
    const auto turned = [&](const Vec3d& low, const Vec3d& high) {
      std::array<Vec3d, 8> c;
      for (std::size_t i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
          c[i][k] = axes[0][k] * ((i & 1) != 0 ? high[0] : low[0]) + axes[1][k] * ((i & 2) != 0 ? high[1] : low[1]) +
                    axes[2][k] * ((i & 4) != 0 ? high[2] : low[2]);
      return c;
    };
    Volumes v;
    v.hexahedron(turned({-1.7, -1, -1.3}, {1.7, 0, 1.3}));
    v.hexahedron(turned({-0.6, 0, -0.8}, {0.7, 1.1, 0.6}));  // stands on it
    v.hexahedron(turned({-1.7, 0, 0.6}, {-0.6, 0.7, 1.3}));  // and another one, edge to edge with both
    for (const Inside& i : run(v))
      ADD_FAILURE() << round << ": edge " << i.edge << " in " << i.solid << " open " << i.open;
    samples += run.raster->counters().fragments;
    if (HasFailure()) return;
  }
  EXPECT_GT(samples, 1000u);
}

/// RandomFrames solids: turned boxes, some open, some wound at random, some in heaps, and loose triangles.
Volumes random_volumes(RandomFrames& random, const Target& target, std::uint32_t count, bool heap) {
  Volumes v;
  const double w = target.width, h = target.height, least = std::min(w, h);
  for (std::uint32_t s = 0; s < count; ++s) {
    InsideSolid with;
    if (random.pick(4) == 0) with.groups = 1 + random.pick(3), with.collides_with = 1 + random.pick(3);
    with.sided = random.pick(5) != 0;
    const double size = heap ? 6 : std::pow(10.0, random.real(-1.5, -0.2)) * least;
    const Vec3d at = {heap ? w / 2 + random.real(-5, 5) : random.real(0, w),
                      heap ? h / 2 + random.real(-5, 5) : random.real(0, h), random.real(0.3, 0.7)};
    const std::array<Vec3d, 3> axes = random.frame();
    std::array<Vec3d, 8> c;
    for (std::size_t i = 0; i < 8; ++i)
      for (int k = 0; k < 3; ++k) {
        double x = 0;
        for (int axis = 0; axis < 3; ++axis) x += axes[axis][k] * ((i >> axis & 1) != 0 ? size : -size);
        c[i][k] = at[k] + (k == 2 ? x / size * 0.1 : x);
        if (s % 3 == 0 && k < 2) c[i][k] = std::round(c[i][k] * 2) / 2;
      }
    v.hexahedron(c, with, random.pick(8));
    if (random.pick(4) == 0) v.face(at, c[random.pick(8)], c[random.pick(8)]);
  }
  return v;
}

/// The first samples that only one of two sorted lists has.
std::string difference(const std::vector<Inside>& expected, const std::vector<Inside>& actual) {
  std::string text;
  const auto list = [&](const char* name, const std::vector<Inside>& a, const std::vector<Inside>& b) {
    std::vector<Inside> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    if (!only.empty()) text += std::to_string(only.size()) + name;
    for (std::size_t i = 0; i < std::min<std::size_t>(only.size(), 3); ++i) {
      const Inside& s = only[i];
      for (const std::uint32_t x : {s.edge, s.solid, s.x, s.y, s.key, s.open ? 1u : 0u})
        text += " " + std::to_string(x);
      text += ";";
    }
  };
  list(" missing:", expected, actual);
  list(" too many:", actual, expected);
  return text;
}

TEST_P(InsideTest, SameAsThePlainOne) {
  Workers workers(GetParam().threads);
  const std::unique_ptr<Raster> plain = make_reference_raster(), fast = make_raster(GetParam(), workers);
  std::size_t found = 0, open = 0;
  const std::uint64_t seeds = GetParam().on_gl() ? 28 : 60;  // software draws each sample
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomFrames random(seed);
    Target target;
    target.width = 1 + random.pick(150), target.height = 1 + random.pick(150);
    if (seed % 16 == 5) target.width = kMostPixels, target.height = 1 + random.pick(3);
    target.format = static_cast<DepthFormat>(random.pick(4));
    if (!GetParam().has(target.format)) target.format = DepthFormat::float32;
    const bool heap = seed % 3 == 0;
    Volumes v = random_volumes(random, target, heap ? 40 : 12, heap);
    Camera camera = pixel_camera(target.width, target.height);
    if (seed % 2 == 0) {  // nothing to clip
      const double by = std::max(target.width, target.height);
      camera.left -= by, camera.right_edge += by, camera.bottom -= by, camera.top += by;
    } else if (seed % 4 == 3) {  // clipped in depth
      camera.near = 0.45, camera.far = 0.6;
    }
    if (seed % 8 == 1) {
      camera.perspective = true;
      camera.origin = {target.width / 2.0, target.height / 2.0, -0.5};
      camera.near = 0.1, camera.far = 2;
      camera.left = camera.bottom = -double(target.width), camera.right_edge = camera.top = double(target.width);
    }
    std::vector<Inside> expected;
    for (Raster* raster : {plain.get(), fast.get()}) {
      raster->target(target);
      raster->geometry(v.scene.geometry());
      raster->camera(camera);
      const std::vector<Inside> once = raster->inside(v.query());
      EXPECT_EQ(difference(once, raster->inside(v.query())), "") << "again";
      if (raster == plain.get()) expected = once;
      ASSERT_EQ(difference(expected, once), "");
    }
    EXPECT_EQ(plain->counters().fragments, fast->counters().fragments);
    EXPECT_EQ(plain->counters().triangles, fast->counters().triangles);
    found += expected.size();
    for (const Inside& i : expected) open += i.open ? 1 : 0;
  }
  EXPECT_GT(found - open, 10000u);
  EXPECT_GT(open, 10000u);
}

/// So many faces and edges in one tile that a software driver leaves the program's loops early.
TEST_P(InsideTest, AThousandFacesInOneTile) {
  const Target target = {40, 40, DepthFormat::fixed24};
  RandomFrames random(3);
  const Volumes v = random_volumes(random, target, 160, true);
  Camera camera = pixel_camera(40, 40);
  camera.left = camera.bottom = -40, camera.right_edge = camera.top = 80;
  std::vector<Inside> found[2];
  Rig plain({"plain", Which::plain}, target, camera), rig(GetParam(), target, camera);
  found[0] = plain(v), found[1] = rig(v);
  EXPECT_GT(v.faces.size(), 1500u);
  EXPECT_GT(found[0].size(), 10000u);
  EXPECT_EQ(difference(found[0], found[1]), "");
}

TEST_P(InsideTest, NothingAndBetweenOtherCalls) {
  Rig run(GetParam(), kTarget, pixel_camera(64, 48));
  EXPECT_TRUE(run(Volumes{}).empty());
  Volumes v;
  v.box({8, 8, 0.2}, {56, 40, 0.8});
  v.box({20.3, 15.2, 0.4}, {30.1, 22.7, 0.6});
  const std::vector<Inside> first = run(v);
  EXPECT_FALSE(first.empty());
  const std::vector<std::uint32_t> all = v.scene.all();
  const Query query = run.raster->queries(1);
  run.raster->draw({}, all, query);
  EXPECT_EQ(run.raster->inside(v.query()), first);
  EXPECT_GT(run.raster->result(query), 0u);
  const std::vector<std::uint32_t> depth = run.raster->read_depth();
  EXPECT_EQ(run.raster->inside(v.query()), first);
  EXPECT_EQ(run.raster->read_depth(), depth);
  run.raster->draw({.depth = Compare::lequal}, all, query);
  EXPECT_GT(run.raster->result(query), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, InsideTest, testing::ValuesIn(test::kAll), name_of);

}  // namespace
}  // namespace sightline::papers::raster::test
