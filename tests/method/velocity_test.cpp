// velocity: no face that is dropped is the first to be hit, about half of the faces go, and the algebra of the report.
#include "method/velocity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "method/method.h"
#include "scenes/scenes.h"
#include "support/corpus.h"

namespace {

using namespace testing_support;
using sightline::Contact;
using sightline::QueryObject;
using sightline::Scene;
using sightline::papers::MethodName;
using sightline::papers::Motion;
using sightline::papers::Report;
using sightline::papers::method::MethodSettings;
namespace method = sightline::papers::method;
namespace scenes = sightline::scenes;

Vec3d plus(const Vec3d& a, const Vec3d& b, double s = 1) { return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]}; }
double dot(const Vec3d& a, const Vec3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Vec3d& a) { return std::sqrt(dot(a, a)); }
Vec3d cross(const Vec3d& a, const Vec3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3d random_vector(Random& random, double size) {
  return {random.in(-size, size), random.in(-size, size), random.in(-size, size)};
}
Vec3d random_direction(Random& random) {
  for (;;) {
    const Vec3d v = random_vector(random, 1);
    if (length(v) > 0.1 && length(v) < 1) return plus({}, v, 1 / length(v));
  }
}

/// A point of the body `time` later: exact up to rounding, about the axis of the angular velocity.
Vec3d moved(const Vec3d& p, const Motion& motion, double time) {
  Vec3d c = plus(p, motion.center, -1);
  const double speed = length(motion.angular_velocity);
  if (speed > 0) {
    const Vec3d axis = plus({}, motion.angular_velocity, 1 / speed);
    const double s = std::sin(speed * time), k = std::cos(speed * time), along = dot(axis, c) * (1 - k);
    c = plus(plus(plus({}, c, k), cross(axis, c), s), axis, along);
  }
  return plus(plus(motion.center, c), motion.velocity, time);
}
Mesh moved(const Mesh& mesh, const Motion& motion, double time) {
  return transformed(mesh, [&](const Vec3d& p) { return moved(p, motion, time); });
}

/// Triangles that the method keeps, per object.
std::vector<std::set<std::uint32_t>> kept(const std::vector<Mesh>& meshes, const std::vector<Motion>& motions,
                                          const sightline::papers::method::MethodOptions& options) {
  std::vector<QueryObject> objects;
  for (std::uint32_t i = 0; i < meshes.size(); ++i) objects.push_back({.mesh = meshes[i].view(), .id = i});
  sightline::TriangleTable table;
  table.assign(objects);
  sightline::Workers workers(1);
  const method::Scene scene(table, workers);
  const auto raster = sightline::papers::raster::make_reference_raster();
  sightline::papers::MethodReport report;
  method::Context context{scene, options, sightline::papers::Precision::conservative, 0, {}, motions, *raster, workers,
                          {},    report};
  std::vector<std::set<std::uint32_t>> result(meshes.size());
  for (const std::uint32_t t : method::velocity(context))
    result[scene.object_of[t]].insert(t - table.objects[scene.object_of[t]].first_triangle);
  return result;
}

std::vector<Contact> exact_contacts(const std::vector<Mesh>& objects) {
  Scene scene;
  for (const Mesh& mesh : objects) scene.add(mesh);
  return scene.collide().contacts;
}

bool share_a_corner(const Mesh& mesh, std::uint32_t a, std::uint32_t b) {
  for (const Vec3d& p : mesh.view().corners(a))
    for (const Vec3d& q : mesh.view().corners(b))
      if (p == q) return true;
  return false;
}

/// The first contacts include pairs of kept triangles, and a dropped one among them only touches a corner of a kept one
/// that is hit, too: corners that lead belong to triangles on both sides.
void expect_first_hits_kept(const std::vector<Mesh>& at_hit, const std::vector<Contact>& contacts,
                            const std::vector<std::set<std::uint32_t>>& kept) {
  std::vector<std::set<std::uint32_t>> hit(at_hit.size());
  bool any = false;
  for (const Contact& c : contacts) {
    hit[c.object_a].insert(c.a);
    hit[c.object_b].insert(c.b);
    any |= kept[c.object_a].contains(c.a) && kept[c.object_b].contains(c.b);
  }
  EXPECT_TRUE(any);
  for (std::size_t object = 0; object < hit.size(); ++object)
    for (const std::uint32_t t : hit[object]) {
      if (kept[object].contains(t)) continue;
      const bool beside = std::any_of(hit[object].begin(), hit[object].end(), [&](std::uint32_t other) {
        return kept[object].contains(other) && share_a_corner(at_hit[object], t, other);
      });
      EXPECT_TRUE(beside) << "object " << object << " triangle " << t;
    }
}

/// Steps until the first contact, at most until `end`; true if there was one.
bool advance_until_hit(const std::vector<Mesh>& meshes, const std::vector<Motion>& motions,
                       const std::vector<std::set<std::uint32_t>>& kept, double end, int steps) {
  for (int step = 1; step <= steps; ++step) {
    std::vector<Mesh> now;
    for (std::size_t i = 0; i < meshes.size(); ++i) now.push_back(moved(meshes[i], motions[i], end * step / steps));
    const std::vector<Contact> contacts = exact_contacts(now);
    if (contacts.empty()) continue;
    expect_first_hits_kept(now, contacts, kept);
    return true;
  }
  return false;
}

TEST(Velocity, NoDroppedFaceIsHitFirstInTranslation) {
  Random random(1);
  int hits = 0;
  for (int round = 0; round < 24; ++round) {
    const Vec3d to = plus({}, random_direction(random), 4);
    const std::vector<Mesh> meshes = {round % 2 == 0 ? scenes::torus(300) : scenes::bumpy_body(320),
                                      scenes::moved(scenes::to_double(scenes::bumpy_body(500)), to)};
    // Aimed at the other body, a little off; together they pass through each other in 4 units of time.
    const std::vector<Motion> motions = {{{0, 0, 0}, plus(plus({}, to, 0.6), random_vector(random, 0.4)), {0, 0, 0}},
                                         {to, plus({}, to, -0.4), {0, 0, 0}}};
    sightline::papers::method::MethodOptions options;
    options.bounding_spheres = round % 3 != 0;
    options.time_step = 1.5;
    const auto left = kept(meshes, motions, options);
    EXPECT_LT(left[0].size() + left[1].size(), meshes[0].triangles.size() + meshes[1].triangles.size());
    hits += advance_until_hit(meshes, motions, left, options.time_step, 300) ? 1 : 0;
  }
  EXPECT_GT(hits, 12);
}

TEST(Velocity, NoDroppedFaceIsHitFirstWithinTheTimeStepInRotation) {
  Random random(2);
  int hits = 0;
  std::size_t dropped = 0, all = 0;
  for (int round = 0; round < 24; ++round) {
    const Vec3d to = plus({}, random_direction(random), 2.3);
    const std::vector<Mesh> meshes = {scenes::bumpy_body(320),
                                      scenes::moved(scenes::to_double(scenes::torus(300)), to)};
    if (!exact_contacts(meshes).empty()) continue;  // not apart
    const std::vector<Motion> motions = {{{0, 0, 0}, plus({}, to, 2), random_vector(random, 0.8)},
                                         {to, plus({}, to, -2), random_vector(random, 0.8)}};
    sightline::papers::method::MethodOptions options;
    options.bounding_spheres = round % 2 == 0;
    options.time_step = 0.12;
    const auto left = kept(meshes, motions, options);
    all += meshes[0].triangles.size() + meshes[1].triangles.size();
    dropped += meshes[0].triangles.size() + meshes[1].triangles.size() - left[0].size() - left[1].size();
    hits += advance_until_hit(meshes, motions, left, options.time_step, 100) ? 1 : 0;
  }
  EXPECT_GT(hits, 5);
  EXPECT_GT(dropped, all / 5);
}

/// Eq. (1) and (2).
Vec3d velocity_at(const Vec3d& p, const Motion& m) {
  return plus(m.velocity, cross(m.angular_velocity, plus(p, m.center, -1)));
}

method::MovingFace random_face(Random& random, const Vec3d& center) {
  method::MovingFace face;
  for (Vec3d& p : face.corner) p = plus(random_vector(random, 1), center, 0);
  const Vec3d n = cross(plus(face.corner[1], face.corner[0], -1), plus(face.corner[2], face.corner[0], -1));
  face.normal = plus({}, n, 1 / length(n));
  return face;
}

TEST(Velocity, NormalVelocityKeepsItsSignUntilTheBound) {
  Random random(3);
  int checked = 0;
  double largest = -1;
  for (int round = 0; round < 4000; ++round) {
    const Motion i{random_vector(random, 1), random_vector(random, 3), random_vector(random, 1)};
    const Motion j{random_vector(random, 3), random_vector(random, 1), random_vector(random, 1)};
    const method::MovingFace face = random_face(random, i.center);
    const method::RelativeMotion motion(i, j);
    const Vec3d to_j = plus(j.center, i.center, -1);
    if (!method::recedes(face, motion, to_j, 0)) continue;
    double step = 1;  // then about the largest for which the method drops the face
    while (!method::recedes(face, motion, to_j, step) && step > 1e-9) step *= 0.9;
    ++checked;
    for (int k = 0; k <= 8; ++k) {
      const double time = step * k / 8;
      const Motion later{plus(j.center, j.velocity, time), j.velocity, j.angular_velocity};
      const Motion itself{plus(i.center, i.velocity, time), i.velocity, i.angular_velocity};
      const Motion turn{{0, 0, 0}, {0, 0, 0}, i.angular_velocity};
      const Vec3d normal = moved(face.normal, turn, time);
      for (const Vec3d& corner : face.corner) {
        const Vec3d p = moved(plus(i.center, corner), i, time);
        const double g = dot(plus(velocity_at(p, itself), velocity_at(p, later), -1), normal);
        EXPECT_LT(g, 0) << round;
        largest = std::max(largest, g);
      }
    }
  }
  EXPECT_GT(checked, 500);
  EXPECT_LT(largest, 0);
}

TEST(Velocity, RelativeVelocityIsEquationTwoAndLinear) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    const Motion i{random_vector(random, 5), random_vector(random, 3), random_vector(random, 2)};
    const Motion j{random_vector(random, 5), random_vector(random, 3), random_vector(random, 2)};
    const method::RelativeMotion motion(i, j);
    double weight[4], sum = 0;
    for (double& w : weight) sum += w = random.unit();
    Vec3d point{}, combined{};
    for (const double w : weight) {
      const Vec3d p = random_vector(random, 4);
      const Vec3d direct = plus(velocity_at(plus(i.center, p), i), velocity_at(plus(i.center, p), j), -1);
      EXPECT_LT(length(plus(motion.at(p), direct, -1)), 1e-12);
      point = plus(point, p, w / sum);
      combined = plus(combined, motion.at(p), w / sum);
    }
    EXPECT_LT(length(plus(motion.at(point), combined, -1)), 1e-12);  // Eq. (5), (6)
  }
}

TEST(Velocity, SpecialCasesAgreeWithTheGeneralOne) {
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    const Motion i{random_vector(random, 1), random_vector(random, 1), {0, 0, 0}};
    Motion j{random_vector(random, 1), random_vector(random, 1), {0, 0, 0}};
    if (round % 2 == 0) j.velocity = {0, 0, 0};  // stationary
    Motion turning = j;
    turning.angular_velocity = {1e-200, 0, 0};  // the general case, but no turn to speak of
    const method::MovingFace face = random_face(random, i.center);
    const Vec3d to_j = plus(j.center, i.center, -1);
    const method::RelativeMotion special(i, j), general(i, turning);
    EXPECT_FALSE(special.rotates());
    EXPECT_TRUE(general.rotates());
    EXPECT_EQ(method::recedes(face, special, to_j, 1), method::recedes(face, general, to_j, 1));
    const Vec3d v = plus(i.velocity, j.velocity, -1);
    EXPECT_EQ(method::recedes(face, special, to_j, 1), dot(v, face.normal) < -1e-12);
  }
}

TEST(Velocity, AboutHalfOfTheFacesGo) {
  Random random(6);
  for (const bool torus : {false, true}) {
    const Mesh body = torus ? scenes::torus(1000) : scenes::sphere(980);
    const std::vector<Mesh> meshes = {body, scenes::moved(body, {1, 1, 1})};
    double share = 0, with_spheres = 0;
    constexpr int kRounds = 60;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<Motion> motions = {{{0, 0, 0}, random_direction(random), random_vector(random, round % 2)},
                                           {{1, 1, 1}, random_direction(random), random_vector(random, round % 2)}};
      for (const bool spheres : {false, true}) {
        sightline::papers::method::MethodOptions options;
        options.bounding_spheres = spheres;
        const auto left = kept(meshes, motions, options);
        (spheres ? with_spheres : share) +=
            1 - static_cast<double>(left[0].size() + left[1].size()) / static_cast<double>(2 * body.triangles.size());
      }
    }
    std::printf("%s: %.4f of the faces culled, %.4f with spheres\n", torus ? "tori" : "spheres", share / kRounds,
                with_spheres / kRounds);
    EXPECT_NEAR(share / kRounds, 0.5, 0.05);
    EXPECT_GT(with_spheres, share);
  }
}

// ---- as a front end

Report collide(const std::vector<Mesh>& objects, const std::vector<Motion>& motions, MethodSettings options) {
  Scene scene;
  for (const Mesh& mesh : objects) scene.add(mesh);
  options.paper.motions.assign(motions.begin(), motions.end());
  return method::run(scene, options);
}

MethodSettings then(MethodName method) {
  MethodSettings options;
  options.method = MethodName::velocity;
  options.paper.then = method;
  options.paper.resolution = 64;
  options.paper.precision = {};
  return options;
}

TEST(Velocity, IsAFrontEndToOtherMethods) {
  const std::vector<Mesh> meshes = {scenes::bumpy_body(320), scenes::torus(300, {1.2, 0, 0}),
                                    scenes::sphere(320, {0, 1.4, 0}, 0.6)};
  const std::vector<Motion> motions = {{{0, 0, 0}, {1, 0, 0}, {0, 0.1, 0}},
                                       {{1.2, 0, 0}, {-1, 0, 0}, {0, 0, 0}},
                                       {{0, 1.4, 0}, {0, -1, 0}, {0, 0, 0.2}}};
  const std::vector<Contact> exact = exact_contacts(meshes);
  const auto left = kept(meshes, motions, {});
  std::vector<Contact> expected;
  for (const Contact& c : exact)
    if (left[c.object_a].contains(c.a) && left[c.object_b].contains(c.b)) expected.push_back(c);
  ASSERT_FALSE(expected.empty());
  ASSERT_LT(expected.size(), exact.size());
  for (const MethodName method : {MethodName::exact, MethodName::peel}) {
    const Report report = collide(meshes, motions, then(method));
    EXPECT_EQ(report.contacts, expected) << to_string(method);
    EXPECT_EQ(report.method.method, MethodName::velocity);
    EXPECT_TRUE(report.method.can_miss);
    EXPECT_FALSE(report.complete);
    EXPECT_EQ(report.method.culled,
              320u + meshes[1].triangles.size() + 320u - left[0].size() - left[1].size() - left[2].size());
    ASSERT_FALSE(report.method.passes.empty());
    EXPECT_EQ(report.method.passes[0].level, "velocity");
    EXPECT_EQ(report.method.passes.size() > 1, method == MethodName::peel);
    for (const auto& t : report.method.pcs) EXPECT_TRUE(left[t.object].contains(t.triangle));
  }
}

TEST(Velocity, DoesNotTrustTheWinding) {
  const Mesh body = scenes::bumpy_body(320);
  const std::vector<Motion> motions = {{{0, 0, 0}, {1, 0.2, 0}, {0, 0.1, 0}}, {{1, 0, 0}, {-1, 0, 0}, {0, 0, 0}}};
  const std::vector<Mesh> outward = {body, scenes::moved(body, {1, 0, 0})};
  sightline::papers::method::MethodOptions options;
  const auto expected = kept(outward, motions, options);
  std::vector<Mesh> changed = outward;  // inside out
  for (Triangle& t : changed[0].triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(kept(changed, motions, options), expected);
  std::swap(changed[0].triangles[7][0], changed[0].triangles[7][1]);  // one wound otherwise: nothing is known
  EXPECT_EQ(kept(changed, motions, options)[0].size(), body.triangles.size());
  changed = outward;  // open
  changed[0].triangles.pop_back();
  EXPECT_EQ(kept(changed, motions, options)[0].size(), body.triangles.size() - 1);
}

TEST(Velocity, FacesOfACavityPointIntoIt) {
  // A ball flies to the right in a hollow box: it can hit the right wall from inside, and nothing else.
  Mesh cavity = scenes::box({-2, -2, -2}, {2, 2, 2});
  const Mesh ball = scenes::sphere(80, {0, 0, 0}, 0.5);
  for (const bool wound_as_wall : {true, false}) {
    Mesh inner = cavity;
    if (wound_as_wall)
      for (Triangle& t : inner.triangles) std::swap(t[0], t[1]);
    const std::vector<Mesh> meshes = {scenes::merged(std::vector<Mesh>{scenes::box({-3, -3, -3}, {3, 3, 3}), inner}),
                                      ball};
    const std::vector<Motion> motions = {{}, {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}};
    sightline::papers::method::MethodOptions options;
    options.time_step = 10;
    const auto left = kept(meshes, motions, options);
    for (std::uint32_t t = 0; t < 24; ++t) {
      const auto corners = meshes[0].view().corners(t);
      bool right_wall = t >= 12, left_wall = t >= 12;
      for (const Vec3d& p : corners) {
        right_wall &= p[0] == 2;
        left_wall &= p[0] == -2;
      }
      EXPECT_TRUE(!right_wall || left[0].contains(t)) << t;
      EXPECT_FALSE(left_wall && left[0].contains(t)) << t;
    }
  }
}

TEST(Velocity, SaysWhatIsMissing) {
  const std::vector<Mesh> meshes = {scenes::sphere(80), scenes::sphere(80, {1, 0, 0})};
  try {
    collide(meshes, {Motion{}}, then(MethodName::exact));
    FAIL() << "no error";
  } catch (const sightline::Error& error) {
    EXPECT_NE(std::string(error.what()).find("object 1 has no motion"), std::string::npos) << error.what();
  }
  EXPECT_THROW(collide(meshes, {Motion{}, Motion{}}, then(MethodName::velocity)), sightline::Error);
  EXPECT_THROW(collide(meshes, {Motion{}, Motion{}}, then(MethodName::cinder)), sightline::Error);
  MethodSettings options = then(MethodName::exact);
  options.paper.time_step = -1;
  EXPECT_THROW(collide(meshes, {Motion{}, Motion{}}, options), sightline::Error);
}

}  // namespace
