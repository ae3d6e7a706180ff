// Small cases with answers known by hand, through the whole engine; and every failure found by fuzzing, shrunk.
#include <gtest/gtest.h>

#include <optional>

#include "oracle/rational.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;
using oracle::Corners;
using sightline::Axis;
using sightline::Kind;
using sightline::Report;
using sightline::Scene;
using sightline::Simd;

using Answer = std::optional<Kind>;

Answer answer_of(const Report& report) {
  EXPECT_LE(report.contacts.size(), 1u);
  return report.contacts.empty() ? std::nullopt : Answer(report.contacts[0].kind);
}

/// Two triangles through the engine, as one object and as two, in every instruction set and along each axis.
void expect_pair(const Corners& a, const Corners& b, Answer in_one_object, Answer between_objects) {
  Builder both;
  both.triangle(a[0], a[1], a[2]);
  both.triangle(b[0], b[1], b[2]);
  const Mesh mesh = both.mesh();
  const std::vector<Mesh> parts = dealt(mesh, 2);
  for (const Simd simd : {Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512}) {
    if (!available(simd)) continue;
    for (const Axis axis : {Axis::automatic, Axis::x, Axis::y, Axis::z}) {
      EXPECT_EQ(answer_of(sightline::self_intersections(mesh, Tuned{.simd = simd, .axis = axis})), in_one_object)
          << to_string(simd) << "\n"
          << hex(a) << "\n"
          << hex(b);
      Scene scene;
      scene.add(parts[0]);
      scene.add(parts[1]);
      EXPECT_EQ(answer_of(collide(scene, Tuned{.simd = simd, .axis = axis})), between_objects) << to_string(simd) << "\n"
                                                                                         << hex(a) << "\n"
                                                                                         << hex(b);
    }
  }
}

const Corners kBase = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};

TEST(Degenerates, VertexOnFace) {
  expect_pair(kBase, {{{1, 1, 0}, {1, 1, 3}, {2, 1, 3}}}, Kind::touching, Kind::touching);
}
TEST(Degenerates, EdgeThroughVertex) {
  expect_pair(kBase, {{{0, 0, -1}, {0, 0, 1}, {-1, -1, 0}}}, Kind::touching, Kind::touching);
}
TEST(Degenerates, FoldedNeighbour) {
  expect_pair(kBase, {{{0, 0, 0}, {4, 0, 0}, {1, 1, 0}}}, Kind::coplanar, Kind::coplanar);
}
TEST(Degenerates, FoldedByAHairIsNoContact) {
  expect_pair(kBase, {{{0, 0, 0}, {4, 0, 0}, {1, 1, 4.9e-324}}}, std::nullopt, Kind::touching);
  expect_pair(kBase, {{{0, 0, 0}, {4, 0, 0}, {1, 1, 1e-17}}}, std::nullopt, Kind::touching);
}
TEST(Degenerates, FlatNeighbour) {
  expect_pair(kBase, {{{0, 0, 0}, {4, 0, 0}, {1, -3, 0}}}, std::nullopt, Kind::touching);
}
TEST(Degenerates, CommonCornerAndCrossing) {
  expect_pair(kBase, {{{0, 0, 0}, {2, 2, 2}, {2, 2, -2}}}, Kind::crossing, Kind::crossing);
}
TEST(Degenerates, CommonCornerAndApart) {
  expect_pair(kBase, {{{0, 0, 0}, {2, 2, 2}, {2, 2, 1}}}, std::nullopt, Kind::touching);
  expect_pair(kBase, {{{0, 0, 0}, {-4, 0, 0}, {0, -4, 0}}}, std::nullopt, Kind::touching);
}
TEST(Degenerates, CommonCornerAndAnEdgeInTheFace) {
  expect_pair(kBase, {{{0, 0, 0}, {1, 1, 0}, {1, 1, 3}}}, Kind::touching, Kind::touching);
}
TEST(Degenerates, DuplicatesOfAnyWinding) {
  expect_pair(kBase, kBase, Kind::duplicate, Kind::duplicate);
  expect_pair(kBase, {{kBase[1], kBase[0], kBase[2]}}, Kind::duplicate, Kind::duplicate);
  expect_pair(kBase, {{{-0.0, 4, -0.0}, {0, -0.0, 0}, {4, 0, -0.0}}}, Kind::duplicate, Kind::duplicate);
}
TEST(Degenerates, SameCornersAsASetThoughNotAsAList) {
  const sightline::Vec3d p{1, 2, 3}, q{4, 5, 6};
  expect_pair({{p, p, q}}, {{q, p, q}}, Kind::duplicate, Kind::duplicate);
  expect_pair({{p, p, p}}, {{p, p, p}}, Kind::duplicate, Kind::duplicate);
}
TEST(Degenerates, PointsAndSegments) {
  expect_pair(kBase, {{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}}, Kind::touching, Kind::touching);
  expect_pair(kBase, {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, std::nullopt, Kind::touching);
  expect_pair(kBase, {{{1, 1, -1}, {1, 1, 1}, {1, 1, 1}}}, Kind::crossing, Kind::crossing);
  expect_pair(kBase, {{{1, 1, -1}, {1, 1, 1}, {1, 1, 0}}}, Kind::crossing, Kind::crossing);
  expect_pair(kBase, {{{0, 0, 0}, {4, 0, 0}, {4, 0, 0}}}, std::nullopt, Kind::touching);
  expect_pair(kBase, {{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}}}, std::nullopt, Kind::touching);
  expect_pair(kBase, {{{0, 0, 0}, {2, 2, 0}, {2, 2, 0}}}, Kind::touching, Kind::touching);
  expect_pair({{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}}}, {{{0, 0, 0}, {4, 0, 0}, {5, 0, 0}}}, Kind::touching, Kind::touching);
  expect_pair({{{0, 0, 0}, {4, 0, 0}, {6, 0, 0}}}, {{{0, 0, 0}, {4, 0, 0}, {-5, 0, 0}}}, std::nullopt, Kind::touching);
  expect_pair({{{0, 0, 0}, {2, 2, 0}, {2, 2, 0}}}, {{{0, 2, 0}, {2, 0, 0}, {0, 2, 0}}}, Kind::touching, Kind::touching);
}

/// A scene as the fuzzer's shrinker prints it: triangles of one object, held against rationals.
void expect_exact(const std::vector<Corners>& triangles, bool single, const Tuned& options = {}) {
  Builder builder;
  for (const Corners& t : triangles) builder.triangle(t[0], t[1], t[2]);
  const Mesh mesh = single ? as_float(builder.mesh()) : builder.mesh();
  const std::vector<MeshView> objects{mesh};
  EXPECT_EQ(difference(oracle::self_contacts(mesh), sightline::self_intersections(mesh, options), objects), "");
}

// Found by fuzzing.

TEST(Regressions, PairsLostInDepthSlices) {
  // A draft of the depth slices lost a few pairs in a thousand of such a scene; alone each passed, so it comes with
  // enough others to be split.
  Random random(1);
  std::vector<Corners> triangles{{{{7, 2, 6}, {7, 4, 6}, {8, 3, 6}}}};
  for (int i = 0; i < 500; ++i) {
    const sightline::Vec3d p{double(random.below(9)), double(random.below(9)), double(random.below(9))};
    Corners t{{p, p, p}};
    for (auto& q : t)
      for (double& x : q) x += random.below(3);
    triangles.push_back(t);
  }
  expect_exact(triangles, false);
  expect_exact(triangles, true, {.threads = 3, .cell = 10});
}

TEST(Regressions, AnObjectAloneInAGroupIsNotTestedAgainstItself) {
  // One triangle of another object makes the crowd worth testing; divided, most groups hold the crowd alone, and
  // contacts within it were reported although `self` was false.
  for (const char* name :
       {"soup_dense", "soup_clustered", "lattice_field", "one_spot", "collinear_giants_float_0ulp"}) {
    const Mesh crowd = mesh_of(corpus_item(name));
    const Mesh other = corpus_item("one_triangle").make();
    const std::vector<MeshView> objects{other, crowd};
    for (const double cell : {0.0, 1.0, 10.0, 100.0}) {
      Scene scene;
      scene.add(other, {.self = true});
      scene.add(crowd);
      const Report report = collide(scene, Tuned{.cell = cell});
      EXPECT_EQ(difference(oracle::contacts(objects, {true, false}), report, objects), "") << name << ", cell " << cell;
    }
  }
}

}  // namespace
