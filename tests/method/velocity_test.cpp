// velocity: no face that is dropped is the first to be hit, about half of the faces go, faces are polygons, what a
// session keeps, and the algebra of the report.
#include "method/velocity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "method/kept.h"
#include "method/run.h"
#include "scenes/scenes.h"
#include "support/corpus.h"
#include "support/moving.h"

namespace {

using namespace testing_support;
using sightline::Contact;
using sightline::QueryObject;
using sightline::Scene;
using sightline::Transform;
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

method::MethodOptions culling(bool spheres, double time_step = 0, bool face_by_face = false) {
  method::MethodOptions options;
  options.bounding_spheres = spheres;
  options.time_step = time_step;
  options.face_by_face = face_by_face;
  return options;
}

using Sets = std::vector<std::set<std::uint32_t>>;

/// Faces about which the test of one face (moving/pair_test.h), which the GPU runs, decides otherwise than the flags
/// do.
std::size_t decided_otherwise(const sightline::TriangleTable& table, std::span<const method::Faces* const> faces,
                              const std::vector<Motion>& motions, const method::MethodOptions& options,
                              sightline::Workers& workers, const method::Left& left) {
  namespace moving = sightline::papers::moving;
  const method::FaceTests tests = method::tests_of(table, faces, motions, options, workers);
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.objects.size(); ++i) {
    const sightline::TriangleTable::Object& object = table.objects[i];
    const moving::FaceView view = method::view_of(object, *faces[i]);
    for (std::uint32_t v = 0; v < object.vertex_count; ++v) count += view.position(v) != object.position(v);
    for (std::uint32_t f = 0; f < faces[i]->count(); ++f) {
      const bool stays = moving::stays(tests.bodies[i], view, tests.two_sided[i] != 0, tests.tests[i].data(),
                                       static_cast<std::uint32_t>(tests.tests[i].size()), tests.cells.data(), f);
      count += stays != (left.stays[object.first_triangle + f] != 0);
    }
  }
  return count;
}

/// Triangles that the method keeps, per object.
Sets kept(const std::vector<MeshView>& meshes, const std::vector<Motion>& motions,
          const method::MethodOptions& options) {
  std::vector<QueryObject> objects;
  for (std::uint32_t i = 0; i < meshes.size(); ++i) objects.push_back({.mesh = meshes[i], .id = i});
  sightline::TriangleTable table;
  table.assign(objects);
  sightline::Workers workers(1);
  method::Kept memory;
  const auto faces = memory.faces_of(table, objects, workers);
  method::velocity(table, faces, motions, options, workers, memory.left);
  EXPECT_EQ(decided_otherwise(table, faces, motions, options, workers, memory.left), 0u);
  Sets result(meshes.size());
  for (std::size_t i = 0; i < table.objects.size(); ++i) {
    const auto original = memory.left.original_of(table, i);
    result[i] = {original.begin(), original.end()};
    EXPECT_TRUE(std::is_sorted(original.begin(), original.end()));
    const MeshView left = memory.left.mesh_of(table, i);
    EXPECT_EQ(left.triangles.size(), original.size());
    for (std::size_t k = 0; k < original.size(); ++k) EXPECT_EQ(left.corners(k), meshes[i].corners(original[k]));
  }
  return result;
}
Sets kept(const std::vector<Mesh>& meshes, const std::vector<Motion>& motions, const method::MethodOptions& options) {
  return kept(std::vector<MeshView>(meshes.begin(), meshes.end()), motions, options);
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
      EXPECT_TRUE(beside) << "object " << object << " triangle " << t << " of " << contacts.size() << " contacts";
    }
}

/// Steps until the first contact, at most until `end`, and halves the last step until it is the moment of the first
/// hit; true if there was one.
bool advance_until_hit(const std::vector<Mesh>& meshes, const std::vector<Motion>& motions, const Sets& kept,
                       double end, int steps) {
  const auto at = [&](double time) {
    std::vector<Mesh> now;
    for (std::size_t i = 0; i < meshes.size(); ++i) now.push_back(moved(meshes[i], motions[i], time));
    return now;
  };
  for (int step = 1; step <= steps; ++step) {
    double before = end * (step - 1) / steps, hit = end * step / steps;
    if (exact_contacts(at(hit)).empty()) continue;
    for (int i = 0; i < 24; ++i) {
      const double middle = (before + hit) / 2;
      (exact_contacts(at(middle)).empty() ? before : hit) = middle;
    }
    const std::vector<Mesh> now = at(hit);
    expect_first_hits_kept(now, exact_contacts(now), kept);
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
  for (Vec3d& p : face.points()) p = plus(random_vector(random, 1), center, 0);
  const Vec3d n = cross(plus(face.point[1], face.point[0], -1), plus(face.point[2], face.point[0], -1));
  face.normal = plus({}, n, 1 / length(n));
  if (random.unit() < 0.5) return face;
  face.count = 8;  // more points of the same plane
  for (std::size_t k = 3; k < face.count; ++k) {
    const double u = random.in(-1, 1), v = random.in(-1, 1);
    face.point[k] =
        plus(plus(face.point[0], plus(face.point[1], face.point[0], -1), u), plus(face.point[2], face.point[0], -1), v);
  }
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
      for (const Vec3d& corner : face.points()) {
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

// ---- faces as polygons

/// A prism over a polygon with `sides` corners on a circle: the paper's face with 256 vertices.
Mesh prism(int sides) {
  Builder builder;
  std::vector<std::uint32_t> low, high;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * 3.14159265358979 * i / sides;
    low.push_back(builder.corner({std::cos(angle), std::sin(angle), -0.5}));
    high.push_back(builder.corner({std::cos(angle), std::sin(angle), 0.5}));
  }
  for (int i = 0; i < sides; ++i) {
    const int k = (i + 1) % sides;
    builder.indexed(low[i], low[k], high[k]);
    builder.indexed(low[i], high[k], high[i]);
    if (i > 0 && k > 0) {
      builder.indexed(high[0], high[i], high[k]);
      builder.indexed(low[0], low[k], low[i]);
    }
  }
  return builder.mesh();
}

method::Faces faces_of(const Mesh& mesh) {
  sightline::Workers workers(1);
  return {mesh, nullptr, workers};
}

/// The polygon lies in the plane of its face and contains all vertices of it.
void expect_bounds(const Mesh& mesh, const method::Faces& faces, std::uint32_t face) {
  const method::Polygon& polygon = *faces.polygon(face);
  ASSERT_GE(polygon.count, 3u);
  ASSERT_LE(polygon.count, 8u);
  for (const std::uint32_t t : faces.triangles(face))
    for (const Vec3d& p : mesh.view().corners(t)) {
      EXPECT_NEAR(dot(plus(p, polygon.point[0], -1), polygon.normal), 0, 1e-12);
      if (polygon.count < 8) {
        EXPECT_EQ(std::count(polygon.point.begin(), polygon.point.begin() + polygon.count, p), 1);
        continue;
      }
      for (std::size_t k = 0; k < 8; ++k) {  // counterclockwise seen from outside
        const Vec3d side = plus(polygon.point[(k + 1) % 8], polygon.point[k], -1);
        EXPECT_GE(dot(cross(side, plus(p, polygon.point[k], -1)), polygon.normal), -1e-12);
      }
    }
}

TEST(VelocityFaces, CoplanarNeighboursAreOneFace) {
  for (const int cells : {1, 2, 7}) {
    const Mesh mesh = grid_box(cells, {-1, -2, -3}, {1, 2, 3});
    const method::Faces faces = faces_of(mesh);
    ASSERT_TRUE(faces.merged());
    EXPECT_EQ(faces.count(), 6u);
    for (std::uint32_t f = 0; f < faces.count(); ++f) {
      ASSERT_NE(faces.polygon(f), nullptr);
      EXPECT_EQ(faces.triangles(f).size(), static_cast<std::size_t>(2 * cells * cells));
      EXPECT_EQ(faces.polygon(f)->count, cells == 1 ? 4u : 8u);
      expect_bounds(mesh, faces, f);
    }
  }
  const method::Faces ball = faces_of(scenes::sphere(320));  // no two in one plane
  EXPECT_FALSE(ball.merged());
  EXPECT_EQ(ball.count(), 320u);
}

TEST(VelocityFaces, AFaceWith256VerticesHasEightPoints) {
  const Mesh mesh = prism(256);
  const method::Faces faces = faces_of(mesh);
  std::size_t caps = 0;
  for (std::uint32_t f = 0; f < faces.count(); ++f)
    if (faces.polygon(f) != nullptr && faces.triangles(f).size() == 254) {
      ++caps;
      EXPECT_EQ(faces.polygon(f)->count, 8u);
      expect_bounds(mesh, faces, f);
      double area = 0;  // an octagon around a circle of radius 1
      const auto points = faces.polygon(f)->points();
      for (std::size_t k = 1; k + 1 < 8; ++k)
        area += length(cross(plus(points[k], points[0], -1), plus(points[k + 1], points[0], -1))) / 2;
      EXPECT_NEAR(area, 8 * (std::sqrt(2.0) - 1), 0.01);
    }
  EXPECT_EQ(caps, 2u);
}

TEST(VelocityFaces, NearlyCoplanarOrFoldedTrianglesAreNotOneFace) {
  Mesh mesh = grid_box(1, {-1, -1, -1}, {1, 1, 1});
  auto& points = std::get<std::vector<Vec3d>>(mesh.positions);
  for (Vec3d& p : points)
    if (p == Vec3d{1, 1, 1}) p[2] = std::nextafter(1.0, 2.0);  // the corner of three sides
  EXPECT_EQ(faces_of(mesh).count(), 7u);                       // the sides x = 1 and y = 1 stay flat
  // A thin wall that is folded onto itself: its faces lie in one plane and look both ways.
  const Mesh wall =
      scenes::merged(std::vector<Mesh>{scenes::box({0, 0, 0}, {1, 1, 1}), scenes::box({1, 0, 0}, {2, 1, 1})});
  const method::Faces faces = faces_of(wall);
  std::size_t polygons = 0;
  for (std::uint32_t f = 0; f < faces.count(); ++f) {
    if (faces.polygon(f) == nullptr) continue;  // the wall: four triangles at each edge
    ++polygons;
    for (const std::uint32_t t : faces.triangles(f)) {
      const auto c = wall.view().corners(t);
      const Vec3d n = cross(plus(c[1], c[0], -1), plus(c[2], c[0], -1));
      EXPECT_GT(faces.outward(t) * dot(n, faces.polygon(f)->normal), 0);
    }
  }
  EXPECT_GE(polygons, 10u);
}

TEST(VelocityFaces, AFaceGoesOrStaysAsAWhole) {
  Random random(21);
  const Mesh box = grid_box(5, {-1, -1, -1}, {1, 1, 1});
  const method::Faces faces = faces_of(box);
  std::size_t both = 0;
  for (int round = 0; round < 60; ++round) {
    const std::vector<Mesh> meshes = {box, scenes::moved(box, {2.2, 0.1, 0.2})};
    const std::vector<Motion> motions = {{{0, 0, 0}, random_vector(random, 0.4), random_vector(random, 1)},
                                         {{2.2, 0.1, 0.2}, random_vector(random, 0.4), random_vector(random, 1)}};
    for (const bool face_by_face : {false, true}) {
      const auto left = kept(meshes, motions, culling(false, 0, face_by_face));
      std::size_t stay = 0;
      for (std::uint32_t f = 0; f < faces.count(); ++f) {
        std::size_t count = 0;
        for (const std::uint32_t t : faces.triangles(f)) count += left[0].count(t);
        EXPECT_TRUE(count == 0 || count == faces.triangles(f).size()) << count;
        stay += count > 0;
        bool recedes = true;  // Eq. (7) at the corners of the square, which its octagon contains
        for (const std::uint32_t t : faces.triangles(f))
          for (const Vec3d& p : box.view().corners(t)) {
            const Vec3d v =
                plus(plus(motions[0].velocity, cross(motions[0].angular_velocity, p)),
                     plus(motions[1].velocity, cross(motions[1].angular_velocity, plus(p, motions[1].center, -1))), -1);
            recedes &= dot(v, faces.polygon(f)->normal) < 0;
          }
        if (!recedes) {
          EXPECT_GT(count, 0u);
        }
      }
      both += stay > 0 && stay < 6;
    }
  }
  EXPECT_GT(both, 30u);
}

TEST(Velocity, NoDroppedPolygonIsHitFirstWithinTheTimeStep) {
  Random random(22);
  int hits = 0;
  std::size_t dropped = 0, all = 0;
  for (int round = 0; round < 40; ++round) {
    const bool turns = round % 4 != 0;  // without a turn boxes would meet face to face, and cross beside these faces
    const Vec3d to = plus({}, random_direction(random), 2.9);
    const std::vector<Mesh> meshes = {round % 2 == 0 ? grid_box(4, {-1, -0.7, -0.6}, {1, 0.7, 0.6}) : prism(40),
                                      scenes::moved(round % 3 == 0 || !turns ? scenes::to_double(scenes::torus(300))
                                                                             : grid_box(3, {-1, -1, -1}, {1, 1, 1}),
                                                    to)};
    if (!exact_contacts(meshes).empty()) continue;  // not apart
    const std::vector<Motion> motions = {{{0, 0, 0}, plus({}, to, 2), random_vector(random, turns ? 0.8 : 0)},
                                         {to, plus({}, to, -2), random_vector(random, turns ? 0.8 : 0)}};
    const method::MethodOptions options = culling(round % 2 == 0, turns ? 0.12 : 0.4);
    const auto left = kept(meshes, motions, options);
    all += meshes[0].triangles.size() + meshes[1].triangles.size();
    dropped += meshes[0].triangles.size() + meshes[1].triangles.size() - left[0].size() - left[1].size();
    SCOPED_TRACE(round);
    hits += advance_until_hit(meshes, motions, left, options.time_step, 120) ? 1 : 0;
  }
  EXPECT_GT(hits, 10);
  EXPECT_GT(dropped, all / 6);
}

// ---- blocks

TEST(Velocity, BlocksDecideAsFaceByFace) {
  Random random(31);
  std::size_t dropped = 0, all = 0;
  for (int round = 0; round < 160; ++round) {
    std::vector<Mesh> meshes = {scenes::bumpy_body(500), scenes::torus(700), grid_box(4, {-1, -1, -1}, {1, 1, 1}),
                                scenes::sphere(320)};
    meshes[3].triangles.pop_back();  // open: it stays
    if (round % 3 == 0) meshes[0] = scenes::shuffled(meshes[0], 5);
    std::vector<MeshView> placed;
    std::vector<Motion> motions;
    for (const Mesh& mesh : meshes) {
      const Transform where = random_transform(random, static_cast<int>(random.in(0, 3.99)));
      placed.push_back(round % 5 == 0 ? mesh.view() : mesh.view().placed(where));
      const Vec3d centre = {where.rows[0][3], where.rows[1][3], where.rows[2][3]};
      motions.push_back(
          {round % 5 == 0 ? Vec3d{} : centre, random_vector(random, 1), random_vector(random, round % 4 == 0 ? 0 : 1)});
    }
    if (round % 7 == 0) motions[1] = {motions[1].center, {0, 0, 0}, {0, 0, 0}};
    if (round % 11 == 0) motions.assign(4, Motion{});  // nothing moves
    const method::MethodOptions blocks = culling(round % 2 == 0, round % 3 == 0 ? 0.05 : 0.0);
    method::MethodOptions single = blocks;
    single.face_by_face = true;
    const Sets left = kept(placed, motions, blocks);
    EXPECT_EQ(left, kept(placed, motions, single)) << round;
    EXPECT_TRUE(round % 2 == 0 || left[3].size() == meshes[3].triangles.size()) << round;
    for (std::size_t i = 0; i < 3; ++i) {
      all += meshes[i].triangles.size();
      dropped += meshes[i].triangles.size() - left[i].size();
    }
  }
  EXPECT_GT(dropped, all / 10);
}

TEST(Velocity, PlacedObjectsAreCulledWhereTheyAre) {
  Random random(32);
  for (int round = 0; round < 30; ++round) {
    const std::vector<Mesh> meshes = {scenes::to_double(scenes::bumpy_body(500)),
                                      scenes::to_double(scenes::bumpy_body(720, {0.3, 0.2, 0}, 0.8, 3))};
    for (const Mesh& mesh : meshes) EXPECT_FALSE(faces_of(mesh).merged());  // whose rounding would take them apart
    std::vector<MeshView> placed;
    std::vector<Mesh> baked;
    std::vector<Motion> motions;
    for (const Mesh& mesh : meshes) {
      const Transform where = random_transform(random, round % 4);
      placed.push_back(mesh.view().placed(where));
      baked.push_back(transformed(mesh, [&](const Vec3d& p) { return where(p); }));
      motions.push_back({random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)});
    }
    EXPECT_EQ(kept(placed, motions, culling(false)), kept(baked, motions, culling(false))) << round;
  }
}

// ---- a session

std::uint64_t stage_count(const Report& report, std::string_view name) {
  for (const sightline::Stage& stage : report.stats.stages)
    if (stage.name == name) return stage.count;
  ADD_FAILURE() << "no stage " << name;
  return 0;
}

TEST(VelocitySession, KeepsTopologyAndFacesWhileObjectsMove) {
  const Mesh a = scenes::torus(600), b = grid_box(3, {-1, -1, -1}, {1, 1, 1});
  Scene scene;
  scene.add(a);
  scene.add(b);
  MethodSettings settings;
  settings.method = MethodName::velocity;
  settings.paper.motions = {Motion{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, Motion{{0, 0, 0}, {-1, 0, 0}, {0, 0, 1}}};
  method::Kept memory;
  const auto frame = [&] {
    const Report report = method::run(scene, settings, memory), once = method::run(scene, settings);
    EXPECT_EQ(report.contacts, once.contacts);
    EXPECT_EQ(report.method.culled, once.method.culled);
    EXPECT_EQ(stage_count(report, "faces"), memory.faces_computed());
    EXPECT_EQ(stage_count(once, "faces"), scene.mesh(0).triangles.size() + scene.mesh(1).triangles.size());
    return std::pair(memory.topology_computed(), memory.faces_computed());
  };
  using Computed = std::pair<std::uint64_t, std::uint64_t>;
  const std::size_t in_a = a.triangles.size(), in_b = b.triangles.size();
  EXPECT_EQ(frame(), (Computed{in_a + in_b, in_a + in_b}));
  EXPECT_EQ(frame(), (Computed{0, 0}));
  Random random(41);
  for (int i = 0; i < 5; ++i) {
    scene.place(0, random_transform(random, 0));
    EXPECT_EQ(frame(), (Computed{0, 0}));
  }
  const Mesh moved_b = scenes::moved(b, {0.25, 0.5, 0});
  scene.move(1, moved_b.view().positions);
  EXPECT_EQ(frame(), (Computed{0, 0}));
  const Mesh larger_b = scenes::scaled(b, 1.5);
  scene.move(1, larger_b.view().positions);
  EXPECT_EQ(frame(), (Computed{0, in_b}));
  Mesh torn = moved_b;  // three corners of the box at one place come apart: it is open
  std::get<std::vector<Vec3d>>(torn.positions)[0][0] -= 0.125;
  scene.move(1, torn.view().positions);
  EXPECT_EQ(frame(), (Computed{in_b, in_b}));
  scene.move(1, moved_b.view().positions);
  EXPECT_EQ(frame(), (Computed{in_b, in_b}));
  scene.replace(0, b);
  EXPECT_EQ(frame(), (Computed{in_b, in_b}));
  EXPECT_EQ(frame(), (Computed{0, 0}));
}

/// The largest normal velocity of a corner of a triangle, by its actual positions.
double advance_of(const MeshView& mesh, std::uint32_t t, const Motion& own, const Motion& other) {
  const auto c = mesh.corners(t);
  const Vec3d n = cross(plus(c[1], c[0], -1), plus(c[2], c[0], -1));  // the meshes are wound outwards
  double most = -1e300;
  for (const Vec3d& p : c)
    most = std::max(most, dot(plus(velocity_at(p, own), velocity_at(p, other), -1), n) / length(n));
  return most;
}

TEST(VelocitySession, ABodyThatOnlyMovedKeepsItsFaces) {
  Random random(43);
  const std::vector<Mesh> bodies = {scenes::bumpy_body(720), scenes::torus(800),
                                    as_float(grid_box(4, {-1, -1, -1}, {1, 1, 1})),
                                    scenes::to_double(scenes::torus(300)), scenes::to_soup(scenes::bumpy_body(320))};
  Scene scene;
  for (const Mesh& body : bodies) scene.add(body);
  MethodSettings settings;
  settings.method = MethodName::velocity;
  settings.paper.record_dropped = true;
  method::Kept memory;
  std::vector<Mesh> now = bodies;
  std::size_t dropped = 0;
  for (int frame = 0; frame < 40; ++frame) {
    std::vector<Motion> motions;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Transform where = random_transform(random, 0);
      now[i] = transformed(bodies[i], [&](const Vec3d& p) { return where(p); });
      scene.move(static_cast<sightline::ObjectId>(i), now[i].view().positions);
      if (frame % 3 == 0) scene.place(static_cast<sightline::ObjectId>(i), random_transform(random, frame % 2));
      motions.push_back({random_vector(random, 1), random_vector(random, 1), random_vector(random, frame % 2)});
    }
    settings.paper.motions.assign(motions.begin(), motions.end());
    settings.paper.face_by_face = frame % 4 == 0;
    settings.paper.bounding_spheres = false;
    const Report report = method::run(scene, settings, memory);
    const std::size_t all = report.stats.triangles;
    EXPECT_EQ(memory.faces_computed(), frame == 0 ? all : 0) << frame;
    dropped += report.method.culled;
    for (const auto& drop : report.method.dropped)
      for (std::size_t j = 0; j < bodies.size(); ++j)
        if (j != drop.triangle.object) {
          EXPECT_LT(advance_of(scene.mesh(drop.triangle.object), drop.triangle.triangle, motions[drop.triangle.object],
                               motions[j]),
                    1e-12)
              << "frame " << frame << " object " << drop.triangle.object << " triangle " << drop.triangle.triangle;
        }
  }
  EXPECT_GT(dropped, 1000u);
}

TEST(VelocitySession, AnswersAreThoseOfASingleRun) {
  Random random(42);
  const std::vector<Mesh> bodies = {scenes::bumpy_body(320), scenes::torus(300), scenes::sphere(320),
                                    grid_box(2, {-1, -1, -1}, {1, 1, 1}), scenes::to_soup(scenes::bumpy_body(180))};
  sightline::papers::Session session;
  std::vector<Scene> scenes(2);
  std::vector<std::vector<sightline::ObjectId>> living(2);
  std::size_t contacts = 0;
  for (int step = 0; step < 200; ++step) {
    const std::size_t which = random.unit() < 0.5 ? 0 : 1;
    Scene& scene = scenes[which];
    auto& ids = living[which];
    const Mesh& body = bodies[static_cast<std::size_t>(random.in(0, 4.99))];
    const Transform where = random_transform(random, static_cast<int>(random.in(0, 3.99)));
    const double what = random.unit();
    const std::size_t pick = ids.empty() ? 0 : static_cast<std::size_t>(random.in(0, 0.99 * ids.size()));
    if (ids.size() < 3 || what < 0.1) {
      ids.push_back(scene.add(body.view().placed(where)));
    } else if (what < 0.2) {
      scene.remove(ids[pick]);
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(pick));
    } else if (what < 0.3) {
      scene.replace(ids[pick], body.view().placed(where));
    } else {
      scene.place(ids[pick], where);
    }
    sightline::papers::Velocity method;
    for (std::size_t i = 0; i < scene.size(); ++i)
      method.motions.push_back(Motion{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)});
    const Report kept = session.run(scene, method), once = sightline::papers::run(scene, method);
    EXPECT_EQ(kept.contacts, once.contacts) << step;
    EXPECT_EQ(kept.method.culled, once.method.culled) << step;
    contacts += kept.contacts.size();
  }
  EXPECT_GT(contacts, 100u);
}

// ---- as published

TEST(Velocity, AsPublishedIsThePaperAndNothingElse) {
  const sightline::papers::Velocity published = sightline::papers::Velocity::as_published();
  EXPECT_FALSE(published.bounding_spheres);  // the paper's future work
  EXPECT_EQ(published.time_step, 0);         // this instant
  EXPECT_TRUE(published.face_by_face);
  EXPECT_TRUE(published.motions.empty());
  EXPECT_TRUE(std::holds_alternative<sightline::papers::Exact>(published.then));
  // The result does not depend on where the bodies are: only on the relative velocity and the normals.
  const Mesh body = scenes::bumpy_body(500);
  Sets near;
  for (const double x : {1.0, 100.0}) {
    const std::vector<Mesh> meshes = {body, scenes::moved(body, {x, 0, 0})};
    const std::vector<Motion> motions = {{{0, 0, 0}, {1, 0.3, 0}, {0, 0, 0}}, {{x, 0, 0}, {-1, 0, 0.1}, {0, 0, 0}}};
    const Sets left = kept(meshes, motions, method::as_published(MethodName::velocity));
    if (x == 1) near = left;
    EXPECT_EQ(left[0], near[0]);
    EXPECT_NEAR(static_cast<double>(left[0].size()), 250, 75);
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

/// Where nothing moves no face moves away: what is dropped is dropped by the bounding volumes, and has no contact.
TEST(Velocity, BoundingVolumesLoseNoContact) {
  Random random(33);
  const std::vector<Mesh> meshes = {scenes::bumpy_body(2000), scenes::torus(1500),
                                    scenes::to_double(scenes::bumpy_body(1280, {0, 0, 0}, 0.7, 3)), scenes::sphere(320),
                                    grid_box(12, {-1, -1, -1}, {1, 1, 1})};
  std::size_t contacts = 0, dropped = 0, all = 0;
  for (int round = 0; round < 80; ++round) {
    Scene scene;
    for (const Mesh& mesh : meshes) {
      Transform where = random_transform(random, round % 5 == 0 ? 3 : round % 3);
      for (auto& row : where.rows) row[3] *= 0.6;
      scene.add(mesh.view().placed(where));
    }
    MethodSettings options = then(MethodName::exact);
    options.paper.motions.assign(meshes.size(), Motion{});
    options.paper.time_step = round % 2;
    const Report report = method::run(scene, options);
    EXPECT_EQ(report.contacts, scene.collide().contacts) << round;
    contacts += report.contacts.size();
    dropped += report.method.culled;
    all += report.stats.triangles;
  }
  EXPECT_GT(contacts, 10'000u);
  EXPECT_GT(dropped, all / 5);
}

TEST(Velocity, DoesNotTrustTheWinding) {
  const Mesh body = scenes::bumpy_body(320);
  const std::vector<Motion> motions = {{{0, 0, 0}, {1, 0.2, 0}, {0, 0.1, 0}}, {{1, 0, 0}, {-1, 0, 0}, {0, 0, 0}}};
  const std::vector<Mesh> outward = {body, scenes::moved(body, {1, 0, 0})};
  const method::MethodOptions options = culling(false);
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
