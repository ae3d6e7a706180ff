// cinder: who penetrates whom, held against an exact answer; what the published short cuts lose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "method/run.h"
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
  const ObjectPairs found = pairs_of(collide(objects, cinder(64)));
  for (std::uint32_t i = 1; i < 4; ++i) EXPECT_TRUE(found.contains({i, 0})) << i;
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

TEST(Cinder, RefusesOpenObjects) {
  std::vector<Mesh> objects = figure_seven();
  objects[1].triangles.pop_back();
  try {
    collide(objects, cinder(64));
    FAIL() << "no error";
  } catch (const sightline::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("object 1 is not closed: 3 open edges: vertices "), std::string::npos) << text;
    EXPECT_NE(text.find("2.9"), std::string::npos) << text;
  }
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
