// cinder: which part penetrates which, compared with an exact answer; what the published short cuts lose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "method/run.h"
#include "scenes/papers/papers.h"
#include "scenes/scenes.h"
#include "support/corpus.h"

namespace {

using namespace testing_support;
using sightline::Scene;
using sightline::Side;
using sightline::papers::MethodName;
using sightline::papers::Report;
using sightline::papers::View;
using sightline::papers::method::MethodSettings;
namespace scenes = sightline::scenes;

using ObjectPair = std::pair<std::uint32_t, std::uint32_t>;
using ObjectPairs = std::set<ObjectPair>;

Vec3d minus(const Vec3d& a, const Vec3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3d cross(const Vec3d& a, const Vec3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vec3d& a, const Vec3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(cross(minus(b, a), minus(c, a)), minus(d, a));
}

/// Segment pq passes through the inside of the triangle. For scenes in general position.
bool passes(const Vec3d& p, const Vec3d& q, const std::array<Vec3d, 3>& t) {
  if (volume(t[0], t[1], t[2], p) * volume(t[0], t[1], t[2], q) >= 0) return false;
  const double u = volume(p, q, t[0], t[1]), v = volume(p, q, t[1], t[2]), w = volume(p, q, t[2], t[0]);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

/// (a, b): some edge of a has a point inside b.
ObjectPairs exact_penetrations(const std::vector<Mesh>& objects) {
  Scene scene;
  for (const Mesh& mesh : objects) scene.add(mesh);
  ObjectPairs pairs;
  const auto edge_through = [&](std::uint32_t a, std::uint32_t t, std::uint32_t b, std::uint32_t u) {
    const auto corners = objects[a].view().corners(t), other = objects[b].view().corners(u);
    for (int i = 0; i < 3; ++i)
      if (passes(corners[i], corners[(i + 1) % 3], other)) pairs.emplace(a, b);
  };
  for (const auto& c : scene.collide().contacts) {
    edge_through(c.object_a, c.a, c.object_b, c.b);
    edge_through(c.object_b, c.b, c.object_a, c.a);
  }
  for (std::uint32_t a = 0; a < objects.size(); ++a)
    for (std::uint32_t b = 0; b < objects.size(); ++b) {
      if (a == b || pairs.contains({a, b})) continue;
      for (std::size_t v = 0; v < objects[a].view().positions.size(); ++v)
        if (sightline::side_of(objects[b], objects[a].view().position(v)) == Side::inside) {
          pairs.emplace(a, b);
          break;
        }
    }
  return pairs;
}

const View kOblique{{-0.35, -0.4, -1}};

MethodSettings cinder(unsigned resolution, const View& view = kOblique) {
  MethodSettings options;
  options.method = MethodName::cinder;
  options.paper.resolution = resolution;
  options.paper.views = {view};
  return options;
}

Report collide(const std::vector<Mesh>& objects, const MethodSettings& options) {
  Scene scene;
  for (const Mesh& mesh : objects) scene.add(mesh);
  return sightline::papers::method::run(scene, options);
}

ObjectPairs pairs_of(const Report& report) {
  ObjectPairs pairs;
  for (const auto& p : report.method.penetrations) pairs.emplace(p.object_a, p.object_b);
  return pairs;
}

Mesh inside_out(Mesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  return mesh;
}
Mesh hollow_box(const Vec3d& low, const Vec3d& high, double wall, bool wound_as_wall) {
  const Mesh inner =
      scenes::box({low[0] + wall, low[1] + wall, low[2] + wall}, {high[0] - wall, high[1] - wall, high[2] - wall});
  return scenes::merged(std::vector<Mesh>{scenes::box(low, high), wound_as_wall ? inside_out(inner) : inner});
}

/// Three boxes one behind the other, each overlapping the next: the report's figure 7.
std::vector<Mesh> figure_seven() {
  return {scenes::box({0, 0, 2}, {2, 2, 4}), scenes::box({1.1, 0.9, 0.7}, {3.1, 2.9, 2.7}),
          scenes::box({2.3, 0.3, -0.9}, {4.3, 2.3, 1.1})};
}
/// Steps, and balls of which some are sunk into them.
std::vector<Mesh> stairs() {
  std::vector<Mesh> all;
  for (int i = 0; i < 5; ++i) all.push_back(scenes::box({1.05 * i, -0.5 * i - 1, 0}, {1.05 * i + 1, -0.5 * i, 4}));
  Random random(5);
  for (int i = 0; i < 10; ++i)
    all.push_back(scenes::sphere(80, {random.in(0, 5), random.in(-2.2, 0.5), random.in(0.3, 3.7)}, 0.31));
  return all;
}

struct Case {
  const char* name;
  std::vector<Mesh> objects;
};
std::vector<Case> cases() {
  const Mesh small = scenes::sphere(80, {0.13, 0.21, 0.17}, 0.5);
  return {{"figure seven", figure_seven()},
          {"stairs", stairs()},
          {"nested", {scenes::sphere(320, {0, 0, 0}, 2), small, scenes::box({-0.2, -0.2, -0.2}, {0.3, 0.3, 0.3})}},
          {"in a cavity", {hollow_box({-2, -2, -2}, {2, 2, 2}, 0.5, true), small}},
          {"in a cavity, wound as a solid", {hollow_box({-2, -2, -2}, {2, 2, 2}, 0.5, false), small}},
          {"in a wall", {hollow_box({-2, -2, -2}, {2, 2, 2}, 0.9, false), scenes::sphere(80, {1.5, 0, 0}, 0.3)}},
          {"through the hole of a torus", {scenes::torus(600), scenes::sphere(80, {0, 0, 0}, 0.5)}},
          {"in a torus", {scenes::torus(600), scenes::sphere(80, {1, 0.1, 0}, 0.3)}},
          {"two bodies", scenes::two_objects(900, 400)},
          {"inside out",
           {inside_out(scenes::sphere(320, {0, 0, 0}, 2)), inside_out(small), scenes::box({1, 1, 1}, {3, 3, 3})}}};
}

TEST(Cinder, ReportsBothObjectsOnceTheResolutionSuffices) {
  for (const Case& scene : cases()) {
    const ObjectPairs exact = exact_penetrations(scene.objects);
    EXPECT_EQ(pairs_of(collide(scene.objects, cinder(256))), exact) << scene.name;
    std::vector<Mesh> reversed(scene.objects.rbegin(), scene.objects.rend());
    ObjectPairs mapped;
    const auto last = static_cast<std::uint32_t>(reversed.size() - 1);
    for (const auto& [a, b] : exact) mapped.emplace(last - a, last - b);
    EXPECT_EQ(pairs_of(collide(reversed, cinder(256))), mapped) << scene.name << ", reversed";
  }
}

TEST(Cinder, InPerspective) {
  View view = kOblique;
  view.field_of_view = 50;
  view.eye = {4, 5, 10};
  EXPECT_EQ(pairs_of(collide(figure_seven(), cinder(256, view))), exact_penetrations(figure_seven()));
}

TEST(Cinder, AnyWindingOfAClosedSurface) {
  // Half of the triangles wound the other way: front and back mean nothing, the parity of all faces does.
  std::vector<Mesh> objects = {scenes::sphere(320, {0, 0, 0}, 2), scenes::sphere(80, {0.1, 0.2, 0.3}, 0.5)};
  for (std::size_t t = 0; t < objects[0].triangles.size(); t += 2)
    std::swap(objects[0].triangles[t][0], objects[0].triangles[t][1]);
  EXPECT_EQ(pairs_of(collide(objects, cinder(128))), (ObjectPairs{{1, 0}}));
}

TEST(Cinder, ContactsOfTheFoundPairsAreExact) {
  for (const Case& scene : cases()) {
    const Report found = collide(scene.objects, cinder(256)), exact = collide(scene.objects, {});
    const ObjectPairs pairs = pairs_of(found);
    std::vector<sightline::Contact> expected;
    for (const auto& c : exact.contacts)
      if (pairs.contains({c.object_a, c.object_b}) || pairs.contains({c.object_b, c.object_a})) expected.push_back(c);
    EXPECT_EQ(found.contacts, expected) << scene.name;
    EXPECT_TRUE(found.method.can_miss);
  }
}

TEST(Cinder, ReportsTheTriangleAndItsNormal) {
  for (const bool flipped : {false, true}) {
    std::vector<Mesh> objects = {scenes::box({0, 0, 0}, {4, 1, 4}), scenes::sphere(320, {2.9, 1.2, 1.4}, 0.5)};
    if (flipped) objects[1] = inside_out(objects[1]);
    const Report report = collide(objects, cinder(256));
    ASSERT_FALSE(report.method.penetrations.empty());
    EXPECT_TRUE(std::is_sorted(
        report.method.penetrations.begin(), report.method.penetrations.end(), [](const auto& p, const auto& q) {
          return std::tuple(p.object_a, p.object_b, p.a) < std::tuple(q.object_a, q.object_b, q.a);
        }));
    for (const auto& p : report.method.penetrations) {
      ASSERT_EQ(ObjectPair(p.object_a, p.object_b), ObjectPair(1, 0));
      const auto corners = objects[1].view().corners(p.a);
      double lowest = 9;
      for (const Vec3d& c : corners) lowest = std::min(lowest, c[1]);
      EXPECT_LT(lowest, 1) << "triangle " << p.a << " is not in the box";
      EXPECT_NEAR(dot(p.normal, p.normal), 1, 1e-12);
      EXPECT_GT(dot(p.normal, minus(corners[0], {2.9, 1.2, 1.4})), 0) << "out of the ball";
    }
  }
}

/// Balls close together in a box, seen in few pixels.
std::vector<Mesh> crowd() {
  std::vector<Mesh> all = {scenes::box({0, 0, 0}, {4, 4, 4}), scenes::box({1.5, 1.5, -1}, {2.5, 2.5, 5})};
  Random random(7);
  for (int i = 0; i < 24; ++i)
    all.push_back(scenes::sphere(80, {random.in(-0.2, 4.2), random.in(-0.2, 4.2), random.in(-0.2, 4.2)}, 0.25));
  return all;
}

TEST(Cinder, PublishedShortCutsLoseCollisions) {
  const std::vector<Mesh> objects = crowd();
  const ObjectPairs exact = exact_penetrations(objects);
  const auto missed = [&](const MethodSettings& options, Report& report) {
    report = collide(objects, options);
    const ObjectPairs found = pairs_of(report);
    return std::count_if(exact.begin(), exact.end(), [&](const ObjectPair& p) { return !found.contains(p); });
  };
  MethodSettings options = cinder(96);
  Report all, one, filtered, mip, mip_filtered;
  const auto with_all = missed(options, all);
  options.paper.one_per_pixel = true;
  const auto with_one = missed(options, one);
  options.paper.filter_self = true;
  const auto with_filter = missed(options, filtered);
  options.paper.mip_levels = 4;
  const auto with_mip = missed(options, mip);
  std::printf(
      "of %zu pairs missed: all %td, one a pixel %td, filtered %td, 4 mip levels %td (lost %llu); self %llu %llu\n",
      exact.size(), with_all, with_one, with_filter, with_mip, (unsigned long long)mip.method.lost,
      (unsigned long long)one.method.self_interferences, (unsigned long long)filtered.method.self_interferences);
  EXPECT_LT(with_all, with_one);
  EXPECT_LE(with_one, with_filter);
  EXPECT_LT(with_filter, with_mip);
  EXPECT_EQ(all.method.lost, 0u);
  EXPECT_EQ(filtered.method.lost, 0u);
  EXPECT_GE(mip.method.lost, static_cast<std::uint64_t>(with_mip - with_filter));  // wrong ones are lost, too
  EXPECT_GT(one.method.self_interferences, 0u);
  EXPECT_GT(filtered.method.self_interferences, 0u);
}

TEST(Cinder, FilteringLosesWhatPreventionKeeps) {
  // Over many small turns of the view, self-interferences overwrite collisions with an earlier object.
  std::size_t prevented = 0, filtered = 0;
  const std::vector<Mesh> objects = {scenes::box({-2, -2, -2}, {2, 2, 2}), scenes::bumpy_body(2000)};
  for (int i = 0; i < 6; ++i) {
    MethodSettings options = cinder(64, {{-0.35 + 0.07 * i, -0.4, -1}});
    options.paper.one_per_pixel = true;
    prevented += collide(objects, options).method.penetrations.size();
    options.paper.filter_self = true;
    filtered += collide(objects, options).method.penetrations.size();
  }
  std::printf("penetrating triangles: prevented %zu, filtered %zu\n", prevented, filtered);
  EXPECT_GT(prevented, filtered);
}

TEST(Cinder, SeveralCollisionsInOnePixel) {
  // In an image of 2 x 2 pixels: two balls one behind the other, each in two boxes. (At this size, edges beside a box
  // may be taken for inside as well.)
  const std::vector<Mesh> objects = {scenes::box({0, 0, 0}, {4, 4, 4}), scenes::box({0.5, 0.5, 0.5}, {3.5, 3.5, 3.5}),
                                     scenes::sphere(80, {1, 1, 1.2}, 0.4), scenes::sphere(80, {1, 1, 2.8}, 0.4)};
  const ObjectPairs exact = exact_penetrations(objects);
  EXPECT_EQ(exact.size(), 5u);
  MethodSettings options = cinder(2, {{0, 0, -1}});
  const ObjectPairs all = pairs_of(collide(objects, options));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), exact.begin(), exact.end()));
  options.paper.one_per_pixel = true;
  const ObjectPairs one = pairs_of(collide(objects, options));
  EXPECT_FALSE(std::includes(one.begin(), one.end(), exact.begin(), exact.end()));
}

TEST(Cinder, EdgesOfTwoObjectsAtOneDepth) {
  // The same ball twice: all their edges have the same keys, and each is in the box.
  const Mesh ball = scenes::sphere(80, {2.1, 2.2, 2.3}, 1);
  const std::vector<Mesh> objects = {scenes::box({0, 0, 0}, {4, 4, 4}), ball, ball, ball};
  EXPECT_EQ(pairs_of(collide(objects, cinder(64))), (ObjectPairs{{1, 0}, {2, 0}, {3, 0}}));  // they touch each other
}

TEST(Cinder, ThreadsDoNotMatter) {
  const std::vector<Mesh> objects = crowd();
  MethodSettings options = cinder(96);
  options.threads = 1;
  const Report one = collide(objects, options);
  for (const unsigned threads : {2u, 5u}) {
    options.threads = threads;
    const Report many = collide(objects, options);
    EXPECT_EQ(many.method.penetrations, one.method.penetrations);
    EXPECT_EQ(many.method.self_interferences, one.method.self_interferences);
    EXPECT_EQ(many.contacts, one.contacts);
  }
}

TEST(Cinder, PublishedPassesRefuseOpenObjects) {
  std::vector<Mesh> objects = figure_seven();
  objects[1].triangles.pop_back();
  MethodSettings options = cinder(64);
  options.paper.one_per_pixel = true;
  try {
    collide(objects, options);
    FAIL() << "no error";
  } catch (const sightline::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("object 1 is not closed: 3 open edges: vertices "), std::string::npos) << text;
    EXPECT_NE(text.find("2.9"), std::string::npos) << text;
  }
}

/// A box without one side, and a ball in it.
std::vector<Mesh> open_box(std::size_t without) {
  std::vector<Mesh> objects = {scenes::box({-2, -2, -2}, {2, 2, 2}), scenes::sphere(80, {0.1, 0.2, 0.3}, 0.5)};
  std::vector<Triangle>& all = objects[0].triangles;
  std::vector<Triangle> left;
  for (const Triangle& t : all) {  // sides by axis and sign
    const auto on = [&](int axis, double at) {
      return std::all_of(t.begin(), t.end(),
                         [&](std::uint32_t v) { return objects[0].view().position(v)[axis] == at; });
    };
    if (!on(static_cast<int>(without / 2), without % 2 == 0 ? -2 : 2)) left.push_back(t);
  }
  all = left;
  return objects;
}

TEST(Cinder, OpenObjectsWhereAViewSeesThemClosed) {
  // Along -z the sides at z are seen, the others are not.
  for (std::size_t without = 0; without < 6; ++without) {
    const std::vector<Mesh> objects = open_box(without);
    ASSERT_EQ(objects[0].triangles.size(), 10u);
    const Report report = collide(objects, cinder(64, {{0, 0, -1}}));
    if (without < 4) {
      EXPECT_EQ(pairs_of(report), (ObjectPairs{{1, 0}})) << without;
      EXPECT_EQ(report.method.unbalanced, 0u) << without;
    } else {
      EXPECT_EQ(pairs_of(report), ObjectPairs{}) << without;
      EXPECT_GT(report.method.unbalanced, 0u) << without;  // never in silence
    }
  }
  // Another view decides what the first does not.
  MethodSettings options = cinder(64, {{0, 0, -1}});
  options.paper.views.push_back({{-1, 0, 0}});
  EXPECT_EQ(pairs_of(collide(open_box(5), options)), (ObjectPairs{{1, 0}}));
}

/// Boxes that stand on each other and side by side: their surfaces meet, their insides do not.
TEST(Cinder, TouchingSolidsDoNotPenetrate) {
  const std::vector<Mesh> objects = {
      scenes::box({0, 0, 0}, {4, 1, 4}), scenes::box({1, 1, 1}, {2, 2, 3}),     scenes::box({2, 1, 1}, {3, 1.7, 3}),
      scenes::box({4, 0, 0}, {5, 1, 4}), scenes::box({0.3, 1, 3}, {3.7, 3, 4}), scenes::box({1, 2, 1}, {2, 3, 3}),
  };
  EXPECT_TRUE(exact_penetrations(objects).empty());
  for (const auto depth : {sightline::papers::DepthBits::fixed16, sightline::papers::DepthBits::fixed24,
                           sightline::papers::DepthBits::fixed32, sightline::papers::DepthBits::float32})
    for (int i = 0; i < 12; ++i) {
      const double turn = 0.5 * i;
      for (const unsigned resolution : {100u, 333u}) {
        MethodSettings options = cinder(resolution, {{std::cos(turn), -0.3 - 0.05 * i, std::sin(turn)}});
        options.paper.depth = depth;
        const Report report = collide(objects, options);
        EXPECT_EQ(pairs_of(report), ObjectPairs{}) << i << " at " << resolution;
        EXPECT_EQ(report.method.unbalanced, 0u);
      }
    }
}

TEST(Cinder, PenetrationsHavePositions) {
  for (const bool published : {false, true})
    for (const Case& scene : cases()) {
      MethodSettings options = cinder(256);
      options.paper.one_per_pixel = published;
      for (const auto& p : collide(scene.objects, options).method.penetrations) {
        const auto corners = scene.objects[p.object_a].view().corners(p.a);
        double least = 1e300;  // to the three edges
        for (int i = 0; i < 3; ++i) {
          const Vec3d along = minus(corners[(i + 1) % 3], corners[i]), to = minus(p.position, corners[i]);
          const double u = std::clamp(dot(along, to) / dot(along, along), 0.0, 1.0);
          const Vec3d off = {to[0] - along[0] * u, to[1] - along[1] * u, to[2] - along[2] * u};
          least = std::min(least, std::sqrt(dot(off, off)));
        }
        EXPECT_LT(least, 1e-9) << scene.name;
        if (published) continue;
        // Inside, or a pixel away from it.
        bool inside = false;
        for (int i = 0; i < 27; ++i) {
          constexpr double kPixel = 0.04;
          const Vec3d near = {p.position[0] + kPixel * (i % 3 - 1), p.position[1] + kPixel * (i / 3 % 3 - 1),
                              p.position[2] + kPixel * (i / 9 - 1)};
          inside |= sightline::side_of(scene.objects[p.object_b], near) == Side::inside;
        }
        EXPECT_TRUE(inside) << scene.name << ": " << p.object_a << " in " << p.object_b;
      }
    }
}

TEST(Cinder, PayloadsComeBackWithBothSides) {
  for (const bool published : {false, true}) {
    MethodSettings options = cinder(128);
    options.paper.one_per_pixel = published;
    options.paper.payloads = {-5, 1'000'000'000'000};  // the third object has none
    const std::int64_t expected[] = {-5, 1'000'000'000'000, 0};
    std::set<std::int64_t> seen;
    for (const auto& p : collide(figure_seven(), options).method.penetrations) {
      EXPECT_EQ(p.payload_a, expected[p.object_a]);
      EXPECT_EQ(p.payload_b, expected[p.object_b]);
      seen.insert({p.payload_a, p.payload_b});
    }
    EXPECT_EQ(seen.size(), 3u);
  }
}

TEST(Cinder, OnlyWantedPairsOfObjects) {
  for (const bool published : {false, true}) {
    Scene scene;
    const std::vector<Mesh> objects = figure_seven();
    for (const Mesh& mesh : objects) scene.add(mesh);
    MethodSettings options = cinder(128);
    options.paper.one_per_pixel = published;
    const auto pairs = [&] {
      std::set<ObjectPair> found;
      for (const auto& [a, b] : pairs_of(sightline::papers::method::run(scene, options)))
        found.insert(std::minmax(a, b));
      return found;
    };
    EXPECT_EQ(pairs(), (ObjectPairs{{0, 1}, {1, 2}}));
    scene.set_options(0, {.groups = 2});
    scene.set_options(1, {.collides_with = 1});  // not with 0
    EXPECT_EQ(pairs(), (ObjectPairs{{1, 2}}));
    scene.set_options(2, {.collides_with = 4});
    EXPECT_EQ(pairs(), ObjectPairs{});
  }
}

TEST(Cinder, OnePassOverTheFacesWhateverTheNumberOfSolids) {
  for (const std::size_t balls : {2u, 20u}) {
    std::vector<Mesh> objects = {scenes::box({0, 0, 0}, {40, 4, 4})};
    for (std::size_t i = 0; i < balls; ++i) objects.push_back(scenes::sphere(80, {1 + 1.9 * double(i), 2, 2}, 1));
    const Report report = collide(objects, cinder(256));
    ASSERT_EQ(report.method.passes.size(), 1u);
    EXPECT_EQ(report.method.passes[0].renders, 1u);
    EXPECT_EQ(report.method.passes[0].queries, 0u);
    EXPECT_EQ(report.method.passes[0].triangles, 12 + 80 * balls);
    EXPECT_EQ(report.method.self_interferences, 0u);
  }
}

/// Section 4.3.1.1: fewer self-interferences the larger the offset, and then wrong and missed collisions.
TEST(Cinder, EdgeOffset) {
  const std::vector<Mesh> objects = {scenes::box({0, 0, 0}, {4, 1, 4}), scenes::sphere(320, {2.1, 1.47, 1.9}, 0.5),
                                     scenes::sphere(320, {0.8, 1.52, 1.3}, 0.5)};
  const ObjectPairs exact = exact_penetrations(objects);
  EXPECT_TRUE(exact.contains({1, 0}));
  EXPECT_FALSE(exact.contains({2, 0}));
  std::vector<std::uint64_t> self;
  std::vector<ObjectPairs> pairs;
  for (const double offset : {0.0, 0.02, 0.1}) {
    MethodSettings options = cinder(400);
    options.paper.one_per_pixel = options.paper.filter_self = true;
    options.paper.edge_offset = offset;
    const Report report = collide(objects, options);
    self.push_back(report.method.self_interferences);
    pairs.push_back(pairs_of(report));
  }
  std::printf("self-interferences %llu, %llu, %llu\n", (unsigned long long)self[0], (unsigned long long)self[1],
              (unsigned long long)self[2]);
  EXPECT_GT(self[0], 0u);
  EXPECT_LT(self[1], self[0] / 4);
  EXPECT_LE(self[2], self[1]);
  EXPECT_TRUE(pairs[0].contains({1, 0}));
  EXPECT_TRUE(pairs[2].contains({2, 0}));  // not there
  MethodSettings options = cinder(64);
  options.paper.edge_offset = 0.1;
  EXPECT_THROW(collide(objects, options), sightline::Error);
}

/// The preset, against its options one by one: everything is drawn, wound as it is, and one collision a pixel is left.
TEST(Cinder, AsPublished) {
  const sightline::papers::Cinder preset = sightline::papers::Cinder::as_published();
  EXPECT_TRUE(preset.one_per_pixel);
  EXPECT_TRUE(preset.filter_self);
  EXPECT_EQ(preset.mip_levels, 2u);
  EXPECT_EQ(preset.edge_offset, 0);
  EXPECT_TRUE(preset.images.views.empty());
  EXPECT_FALSE(preset.images.resolution.has_value());
  // An object in front of the others, with which it has nothing to do, masks their collision.
  std::vector<Mesh> objects = {scenes::box({0, 0, 0}, {4, 4, 4}), scenes::sphere(80, {2, 2, 2}, 0.3)};
  MethodSettings options = cinder(48, {{0, 0, -1}});
  options.paper.one_per_pixel = options.paper.filter_self = true;
  EXPECT_EQ(pairs_of(collide(objects, options)), (ObjectPairs{{1, 0}}));
  objects.push_back(scenes::sphere(20480, {2, 2, 9}, 0.6));
  EXPECT_EQ(pairs_of(collide(objects, options)), ObjectPairs{});
  EXPECT_EQ(pairs_of(collide(objects, cinder(48, {{0, 0, -1}}))), (ObjectPairs{{1, 0}}));
}

/// The stairs of section 5.1: the pairs are those whose insides meet, once the resolution suffices.
TEST(Cinder, StairsAgreeWithTheExactClassification) {
  const auto animation = scenes::stairs(0, 50);
  std::size_t pairs = 0;
  for (std::size_t frame = 0; frame < 30; ++frame, animation->advance()) {
    if (frame % 10 != 9) continue;
    Scene scene;
    std::vector<MeshView> parts;
    for (const scenes::AnimatedObject& object : animation->frame().objects) {
      scene.add(object.mesh);
      parts.push_back(object.mesh);
    }
    ObjectPairs exact, found;
    for (const sightline::PartPair& pair : sightline::classify(parts, scene.collide()).pairs)
      if (pair.relation == sightline::Relation::clash || pair.relation == sightline::Relation::contains)
        exact.emplace(pair.a, pair.b);
    MethodSettings options;
    options.method = MethodName::cinder;
    options.paper.resolution = 4096;
    for (const auto& [a, b] : pairs_of(sightline::papers::method::run(scene, options))) found.insert(std::minmax(a, b));
    EXPECT_EQ(found, exact) << frame;
    pairs += exact.size();
  }
  EXPECT_GT(pairs, 5u);
}

TEST(Cinder, NothingToDo) {
  const std::vector<Mesh> apart = {scenes::box({0, 0, 0}, {1, 1, 1}), scenes::box({2, 0, 0}, {3, 1, 1})};
  const Report report = collide(apart, cinder(64));
  EXPECT_TRUE(report.contacts.empty());
  EXPECT_TRUE(report.method.penetrations.empty());
  MethodSettings options = cinder(64);
  options.paper.precision = sightline::papers::Precision::conservative;
  EXPECT_THROW(collide(apart, options), sightline::Error);
}

}  // namespace
